"""The row of buttons at the end of a dialog."""

from __future__ import annotations

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox


def button_row(dialog: QDialog, *kinds: QDialogButtonBox.StandardButton) -> QDialogButtonBox:
    """Buttons that accept or reject ``dialog``, the first of them with Enter. A button that only closes is no primary
    one, even so.

    Without the style's pictures: they are painted for light windows and cannot be seen in dark ones. They become parts
    of the dialog when its layout takes them, behind the fields: the keyboard begins where the work does.
    """
    box = QDialogButtonBox()
    for kind in kinds:
        button = box.addButton(kind)
        button.setIcon(QIcon())
        button.setDefault(kind is kinds[0])
        if kind is QDialogButtonBox.StandardButton.Close:
            button.setProperty("kind", "secondary")
    box.accepted.connect(dialog.accept)
    box.rejected.connect(dialog.reject)
    return box
