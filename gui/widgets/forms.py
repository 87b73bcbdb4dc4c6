"""Rows of a form (label, control, remark), and the buttons of a dialog."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Slot
from PySide6.QtGui import QIcon, QPalette
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QPushButton, QSizePolicy, QWidget

from gui.look.plain_text import PlainLabel
from gui.look.theme import Theme
from gui.runtime.event_loop import WhenSeen

LABEL_GAP = 8
SIGNS = {"error": "⚠ ", "warning": "⚠ ", "success": "✓ "}
"""Marks that convey the kind by more than colour."""


class Remark(PlainLabel):
    """A sentence under a control: a hint, a warning or an error. Takes no space while empty."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._kind = ""
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.hide()
        theme.changed.connect(WhenSeen(self, self._colour).ask)

    def say(self, text: str, kind: str = "") -> None:
        """Set the text; ``kind`` is ``error``, ``warning``, ``success`` or empty."""
        self._kind = kind
        self.setText(SIGNS.get(kind, "") + text if text else "")
        self.setVisible(bool(text))
        self._colour()

    @Slot()
    def _colour(self) -> None:
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.WindowText, self._theme.colour(self._kind or "stale"))
        self.setPalette(palette)


def form_grid() -> QGridLayout:
    """Return a grid of two columns. A QFormLayout would give wrapping texts the height they need in a narrow column."""
    grid = QGridLayout()
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(LABEL_GAP)
    grid.setVerticalSpacing(6)
    grid.setColumnStretch(1, 1)
    return grid


def form_row(grid: QGridLayout, text: str, control: QWidget, remark: Remark | None = None) -> None:
    """Add a control with its label before it and a remark below."""
    row = grid.rowCount()
    label = PlainLabel(text)
    label.setBuddy(control)
    if not control.accessibleName():
        control.setAccessibleName(text.replace("&", ""))
    grid.addWidget(label, row, 0)
    grid.addWidget(control, row, 1)
    if remark is not None:
        grid.addWidget(remark, row + 1, 0, 1, 2)


# --- buttons of a dialog ----------------------------------------------------------------------------------------------


class _Row(QDialogButtonBox):
    """Button box whose first button is the dialog's default, at any position. Qt takes the first in tab order."""

    first: QPushButton | None = None

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.Show and self.first is not None:
            self.first.setDefault(False)  # otherwise the dialog is not notified
            self.first.setDefault(True)
        return done


def button_row(dialog: QDialog, *kinds: QDialogButtonBox.StandardButton) -> QDialogButtonBox:
    """Return buttons that accept or reject ``dialog``; Enter presses the first. A Close button is still not drawn as
    primary.

    The style's icons are removed: they are drawn for light windows and invisible in dark ones. The buttons become
    children of the dialog when its layout takes them, after the fields, so that the tab order begins with the fields.
    """
    box = _Row()
    for kind in kinds:
        button = box.addButton(kind)
        button.setIcon(QIcon())
        if kind is QDialogButtonBox.StandardButton.Close:
            button.setProperty("kind", "secondary")
    box.first = box.button(kinds[0])
    box.first.setDefault(True)
    box.accepted.connect(dialog.accept)
    box.rejected.connect(dialog.reject)
    return box


def close_row(dialog: QDialog) -> QDialogButtonBox:
    """Return a Close button for a dialog whose changes apply at once: Enter does not close it."""
    box = _Row()
    button = box.addButton(QDialogButtonBox.StandardButton.Close)
    button.setIcon(QIcon())
    button.setProperty("kind", "secondary")
    button.setAutoDefault(False)
    box.rejected.connect(dialog.reject)
    return box


def button_of_kind(name: str, text: str, kind: str) -> QPushButton:
    """Return a button of a ``kind`` of the style sheet that Enter elsewhere in its dialog does not press."""
    button = QPushButton(text, objectName=name)
    button.setAutoDefault(False)
    button.setProperty("kind", kind)
    return button
