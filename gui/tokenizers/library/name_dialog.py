"""Asks for another name of a tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from gui.tokenizers.library.import_dialog import LONGEST_NAME
from gui.widgets.dialog_buttons import button_row


class TokenizerNameDialog(QDialog):
    """``take`` is called with the old name and the new one, which is not of ``taken``."""

    def __init__(
        self, name: str, taken: Collection[str], take: Callable[[str, str], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("tokenizerNameDialog")
        self.setWindowTitle(self.tr("Rename a tokenizer"))
        self._old, self._taken, self._take = name, frozenset(taken), take
        self.name = QLineEdit(name, objectName="tokenizerName")
        self.name.setMaxLength(LONGEST_NAME)
        self.name.setAccessibleName(self.tr("New name"))
        self.name.selectAll()
        label = QLabel(self.tr("&New name of {name}:").format(name=name.replace("&", "&&")))
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setBuddy(self.name)
        self.remark = QLabel(objectName="tokenizerNameRemark")
        self.remark.setTextFormat(Qt.TextFormat.PlainText)
        self.remark.setWordWrap(True)
        buttons = button_row(self, QDialogButtonBox.StandardButton.Ok, QDialogButtonBox.StandardButton.Cancel)
        self.ok = buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.ok.setText(self.tr("&Rename"))
        column = QVBoxLayout(self)
        for widget in (label, self.name, self.remark, buttons):
            column.addWidget(widget)
        self.name.textChanged.connect(self._check)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 48)
        self._check()

    def accept(self) -> None:
        if self.ok.isEnabled():
            super().accept()
            self._take(self._old, self._new)

    @property
    def _new(self) -> str:
        return " ".join(self.name.text().split())

    @Slot()
    def _check(self) -> None:
        is_taken = self._new != self._old and self._new in self._taken
        self.remark.setText(self.tr("⚠ There is an encoding of this name already.") if is_taken else "")
        self.ok.setEnabled(bool(self._new) and self._new != self._old and not is_taken)
