"""Tools of the pages Vocabulary and Merges: choose the encoding to inspect."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QPushButton

from gui.widgets.encoding_picker import EncodingPicker
from gui.widgets.tool_row import ToolRow


class EncodingTools(ToolRow):
    """An encoding picker, and a button that counts the prompt with the chosen encoding.

    Signals: ``use_asked(str)`` with the name of the encoding.
    """

    use_asked = Signal(str)

    def __init__(self, name: str, picker: EncodingPicker) -> None:
        """``name``: the object name."""
        super().__init__(name, "")
        self.setAccessibleName(self.tr("Encoding"))
        self._picker = picker
        self.use = QPushButton(self.tr("&Use in the editor"), objectName=f"{name}Use")
        self.use.setAutoDefault(False)
        self.use.setToolTip(self.tr("Count the prompt in this encoding"))
        self.use.clicked.connect(self._on_use)
        self.add_caption(self.tr("Enco&ding"), picker)
        self.add(picker, self.use)

    @Slot()
    def _on_use(self) -> None:
        if self._picker.currentText():
            self.use_asked.emit(self._picker.currentText())
