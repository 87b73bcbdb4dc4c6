"""The title of a dock: its name, a button to float it and one to close it, in colours that can be seen."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from gui.look.icons import Icons


class DockTitle(QWidget):
    """Replaces Qt's own title, whose buttons are painted for light windows.

    Presses on the title itself are left to the dock, which is moved by them.
    """

    def __init__(self, dock: QDockWidget, icons: Icons) -> None:
        super().__init__(dock)
        self._dock = dock
        label = QLabel(dock.windowTitle(), self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        dock.windowTitleChanged.connect(label.setText)
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 3, 4, 1)
        row.setSpacing(2)
        row.addWidget(label, 1)
        row.addWidget(self._button(icons, "float", self.tr("Float {panel}"), self._toggle_floating))
        row.addWidget(self._button(icons, "close", self.tr("Close {panel}"), dock.close))

    def _button(self, icons: Icons, icon: str, words: str, act: object) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icons.icon(icon))
        button.setAutoRaise(True)
        button.setProperty("kind", "icon")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        name = words.format(panel=self._dock.windowTitle())
        button.setAccessibleName(name)
        button.setToolTip(name)
        button.clicked.connect(act)
        return button

    @Slot()
    def _toggle_floating(self) -> None:
        self._dock.setFloating(not self._dock.isFloating())
