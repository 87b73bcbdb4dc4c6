"""Buttons of the design's kinds, and the row of them at the end of a dialog."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPushButton


class _Row(QDialogButtonBox):
    """Its first button is the default one of the dialog that takes it, wherever in the row it stands: Qt takes the one
    that the keyboard reaches first."""

    first: QPushButton | None = None

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.Show and self.first is not None:
            self.first.setDefault(False)  # else the dialog is not told
            self.first.setDefault(True)
        return done


def button_row(dialog: QDialog, *kinds: QDialogButtonBox.StandardButton) -> QDialogButtonBox:
    """Buttons that accept or reject ``dialog``, the first of them with Enter. A button that only closes is no primary
    one, even so.

    Without the style's pictures: they are painted for light windows and cannot be seen in dark ones. They become parts
    of the dialog when its layout takes them, behind the fields: the keyboard begins where the work does.
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
    """A button that closes a dialog in which every change counts at once: Enter is for its controls and does not."""
    box = _Row()
    button = box.addButton(QDialogButtonBox.StandardButton.Close)
    button.setIcon(QIcon())
    button.setProperty("kind", "secondary")
    button.setAutoDefault(False)
    box.rejected.connect(dialog.reject)
    return box


def button_of_kind(name: str, text: str, kind: str) -> QPushButton:
    """Return a button of a ``kind`` of the style sheet, which Enter elsewhere in its dialog does not press."""
    button = QPushButton(text, objectName=name)
    button.setAutoDefault(False)
    button.setProperty("kind", kind)
    return button
