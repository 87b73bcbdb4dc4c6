"""Find and replace in the price file, which is short: searched as it stands, and written into at once."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor

from gui.match_walk import MatchWalk
from gui.panels.price_editor import PriceEditor
from gui.runtime.notify import Notifier
from gui.services.find import FindRequest, FindService, Replacement
from gui.widgets.find_bar import FindBar


class PriceFinder(MatchWalk):
    """Keeps the matches up to date with the pattern and the price file, and moves between them."""

    def __init__(self, bar: FindBar, editor: PriceEditor, service: FindService, notifier: Notifier) -> None:
        super().__init__(bar, notifier, bar)
        self._editor = editor
        editor.edited.connect(self._on_text_changed)
        self.start(service)

    def _revision(self) -> int:
        return self._editor.revision

    def _selected_range(self) -> tuple[int, int]:
        cursor = self._editor.textCursor()
        return cursor.selectionStart(), cursor.selectionEnd()

    def _select(self, utf16_start: int, utf16_end: int) -> None:
        cursor = self._editor.textCursor()
        cursor.setPosition(utf16_start)
        cursor.setPosition(utf16_end, QTextCursor.MoveMode.KeepAnchor)
        self._editor.setTextCursor(cursor)
        self._editor.ensureCursorVisible()

    def _selected_text(self) -> str:
        return self._editor.textCursor().selectedText()

    def _search(self) -> None:
        self._ask()

    def _ask(self, replacement: str | None = None, only: tuple[int, int] | None = None) -> None:
        assert self._service is not None
        editor = self._editor
        self._service.search(FindRequest(editor.revision, editor.text(), self._bar.options, replacement, only))

    def _search_to_replace(self, only: tuple[int, int] | None) -> None:
        if not self._editor.isReadOnly():
            self._ask(self._bar.replacement.text(), only)

    def _write(self, replacement: Replacement) -> bool:
        if replacement.revision != self._editor.revision:
            return False
        cursor = QTextCursor(self._editor.document())
        cursor.beginEditBlock()
        for piece in reversed(replacement.pieces):
            cursor.setPosition(piece.utf16_start)
            cursor.setPosition(piece.utf16_end, QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText(piece.text)
        cursor.endEditBlock()
        self._after_writing(replacement)
        return True

    def _leave(self) -> None:
        self._editor.setFocus()
