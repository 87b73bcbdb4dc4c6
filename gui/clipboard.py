"""The clipboard at the end of a window."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication


def let_go() -> None:
    """Leave on the clipboard only what Qt made itself.

    An object made in Python may be destroyed after the interpreter, as the last act of the process, and crash it.
    """
    clipboard = QApplication.clipboard()
    if clipboard.ownsClipboard():
        clipboard.setText(clipboard.text())
