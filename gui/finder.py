"""Find and replace in the prompt, which may be large: its text is asked for, and written in pieces."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from gui.core.text_chunks import HeldText
from gui.editor.text_transfer import PieceWriter
from gui.match_walk import MatchWalk
from gui.prompt.prompt import Prompt
from gui.runtime.notify import Notifier
from gui.services.find import FindRequest, Matches, Replacement
from gui.widgets.find_bar import FindBar

LONGEST_SELECTED = 200
"""UTF-16 units of a selection that a bar is opened with; nobody looks for more."""


class Finder(MatchWalk):
    """Keeps the matches up to date with the pattern and the prompt, and moves between them."""

    def __init__(self, prompt: Prompt, bar: FindBar, notifier: Notifier, parent: QObject | None = None) -> None:
        super().__init__(bar, notifier, parent)
        self._prompt = prompt
        self._editor = prompt.editor
        self._wanted: list[str] = []
        self._only: tuple[int, int] | None = None
        self._replacing: Replacement | None = None
        self._writer = PieceWriter(prompt.editor, self)
        self._writer.finished.connect(self._on_written)
        prompt.changed.connect(self._on_text_changed)
        prompt.text_ready.connect(self._on_text_ready)

    def _revision(self) -> int:
        return self._editor.revision

    def _selected_range(self) -> tuple[int, int]:
        return self._editor.selected_range()

    def _select(self, utf16_start: int, utf16_end: int) -> None:
        self._editor.select_range(utf16_start, utf16_end)

    def _selected_text(self) -> str:
        start, end = self._editor.selected_range()
        return self._editor.textCursor().selectedText() if 0 < end - start <= LONGEST_SELECTED else ""

    def _search(self) -> None:
        if "search" not in self._wanted:
            self._ask("search")

    def _search_to_replace(self, only: tuple[int, int] | None) -> None:
        self._only = only
        self._ask("all" if only is None else "one")

    def _ask(self, what: str) -> None:
        self._wanted.append(what)
        self._prompt.request_text()

    @Slot(int, object)
    def _on_text_ready(self, revision: int, text: HeldText) -> None:
        wanted, self._wanted = self._wanted, []
        if self._service is None or not wanted or not self._bar.options.pattern:
            return
        if "all" in wanted or "one" in wanted:
            only = self._only if "one" in wanted else None
            replacement = self._bar.replacement.text()
            self._service.search(FindRequest(revision, text, self._bar.options, replacement, only))
        else:
            self._service.search(FindRequest(revision, text, self._bar.options))

    def _write(self, replacement: Replacement) -> bool:
        if not self._writer.can_write(replacement.revision):
            return False
        self._replacing = replacement
        self._writer.write(replacement.revision, replacement.pieces)
        return True

    @Slot(bool)
    def _on_written(self, _whole: bool) -> None:
        replacement, self._replacing = self._replacing, None
        assert replacement is not None
        self._after_writing(replacement)

    def _show(self, matches: Matches | None) -> None:
        if matches is None:
            self._editor.highlight_matches([], [])
        else:
            self._editor.highlight_matches(matches.utf16_starts, matches.utf16_ends)

    def _leave(self) -> None:
        self._editor.setFocus()
