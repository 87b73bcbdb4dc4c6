"""Keeps a text from being edited while it is being worked on, by however many at once."""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit


class EditLock:
    """The editor is read only from the first who takes it to the last who gives it back, then as it was before."""

    def __init__(self, editor: QPlainTextEdit) -> None:
        self._editor = editor
        self._holders: set[object] = set()
        self._was_read_only = False

    def take(self, holder: object) -> None:
        """Let nobody edit until ``holder`` gives it back."""
        if not self._holders:
            self._was_read_only = self._editor.isReadOnly()
            self._editor.setReadOnly(True)
        self._holders.add(holder)

    def give_back(self, holder: object) -> None:
        """``holder`` is done, or never took it."""
        if holder in self._holders:
            self._holders.remove(holder)
            if not self._holders:
                self._editor.setReadOnly(self._was_read_only)
