"""Find and replace: stands between the find bar, the editor and the search that runs in the background."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QTimer, Slot

from gui.editor.piece_writer import PieceWriter
from gui.held_text import HeldText
from gui.look.figures import figure
from gui.notify import Notifier
from gui.panels.find_bar import FindBar
from gui.prompt import Prompt
from gui.services.find import FindRequest, FindService, Matches, Replacement

TYPING_PAUSE_MS = 120
"""A search starts when nothing was typed for this long, so that nothing is searched for that nobody meant."""


class Finder(QObject):
    """Keeps the matches up to date with the pattern and the text, and moves between them."""

    def __init__(self, prompt: Prompt, bar: FindBar, notifier: Notifier, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._prompt = prompt
        self._editor = prompt.editor
        self._bar = bar
        self._notifier = notifier
        self._service: FindService | None = None
        self._matches: Matches | None = None
        self._wanted: list[str] = []
        self._pending_step = 0
        self._only: tuple[int, int] | None = None
        self._replacing: Replacement | None = None
        self._writer = PieceWriter(prompt.editor, self)
        self._writer.finished.connect(self._on_written)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(TYPING_PAUSE_MS)
        self._timer.timeout.connect(self._search)
        bar.options_changed.connect(self._on_options_changed)
        bar.next_wanted.connect(self.find_next)
        bar.previous_wanted.connect(self.find_previous)
        bar.replace_wanted.connect(self.replace)
        bar.replace_all_wanted.connect(self.replace_all)
        bar.closed.connect(self._on_closed)
        prompt.changed.connect(self._on_text_changed)
        prompt.text_ready.connect(self._on_text_ready)

    def start(self, service: FindService) -> None:
        """Search from now on."""
        self._service = service
        service.found.connect(self._on_found)
        service.replaced.connect(self._on_replaced)
        service.failed.connect(self._on_failed)
        service.stopped.connect(self._on_stopped)
        if self._bar.isVisible():
            self._timer.start()

    @property
    def matches(self) -> Matches | None:
        """What was found in the text as it is, None while that is not known."""
        matches = self._matches
        return matches if matches is not None and matches.revision == self._editor.revision else None

    def open(self, *, replace: bool) -> None:
        """Show the bar."""
        start, end = self._editor.selected_range()
        selected = self._editor.textCursor().selectedText() if 0 < end - start <= 200 else ""
        self._bar.open_bar(replace=replace, selected=selected)

    @Slot()
    def find_next(self) -> None:
        """Go to the match after the caret; from the last one on to the first."""
        self._step(1)

    @Slot()
    def find_previous(self) -> None:
        """Go to the match before the caret; from the first one on to the last."""
        self._step(-1)

    def _step(self, direction: int) -> None:
        if not self._bar.isVisible():
            self.open(replace=False)
        matches = self.matches
        if matches is None:
            self._pending_step = direction
            self._timer.start(0)
            return
        count = len(matches.utf16_starts)
        if not count:
            return
        import numpy as np

        start, end = self._editor.selected_range()
        if direction > 0:
            place = int(matches.utf16_starts.searchsorted(np.int32(max(start + (end > start), 0)), side="left")) % count
        else:
            place = (int(matches.utf16_starts.searchsorted(np.int32(start), side="left")) - 1) % count
        self._go_to(place)

    def _go_to(self, place: int) -> None:
        matches = self.matches
        assert matches is not None
        self._editor.select_range(int(matches.utf16_starts[place]), int(matches.utf16_ends[place]))
        self._say_count()

    @Slot()
    def replace(self) -> None:
        """Replace the match that is selected, and go on to the next."""
        matches = self.matches
        if matches is None or self._selected_match(matches) < 0:
            self._step(1)
            return
        # One match, searched again where it is: groups of the pattern can then stand in the replacement.
        self._ask("one", self._editor.selected_range())

    def _selected_match(self, matches: Matches) -> int:
        """The place of the match that is selected, -1 where none is."""
        import numpy as np

        start, end = self._editor.selected_range()
        place = int(matches.utf16_starts.searchsorted(np.int32(start)))
        if place == len(matches.utf16_starts) or start == end:
            return -1
        found = (int(matches.utf16_starts[place]), int(matches.utf16_ends[place]))
        return place if found == (start, end) else -1

    @Slot()
    def replace_all(self) -> None:
        """Replace every match, as one step to undo."""
        if self._bar.options.pattern:
            self._ask("all")

    def _ask(self, what: str, only: tuple[int, int] | None = None) -> None:
        self._only = only
        self._wanted.append(what)
        self._prompt.request_text()

    @Slot()
    def _on_options_changed(self) -> None:
        self._matches = None
        self._timer.start(TYPING_PAUSE_MS)

    @Slot()
    def _on_text_changed(self) -> None:
        self._matches = None
        if self._bar.isVisible():
            self._timer.start(TYPING_PAUSE_MS)

    @Slot()
    def _on_closed(self) -> None:
        self._timer.stop()
        self._matches = None
        self._show([], [])
        if self._service is not None:
            self._service.cancel()
        self._editor.setFocus()

    @Slot()
    def _search(self) -> None:
        if not self._bar.options.pattern:
            self._bar.say("")
            self._show([], [])
            return
        self._bar.say(self.tr("searching…"))
        if "search" not in self._wanted:
            self._ask("search")

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

    @Slot(object)
    def _on_found(self, matches: Matches) -> None:
        if matches.options != self._bar.options or not self._bar.isVisible():
            return
        if matches.revision != self._editor.revision:
            self._timer.start(TYPING_PAUSE_MS)
            return
        self._matches = matches
        self._show(matches.utf16_starts, matches.utf16_ends)
        self._say_count()
        if self._pending_step:
            step, self._pending_step = self._pending_step, 0
            self._step(step)

    @Slot(object)
    def _on_replaced(self, replacement: Replacement) -> None:
        if not self._writer.can_write(replacement.revision):
            self._notifier.warning(self.tr("The text changed meanwhile; nothing was replaced."), key="replace")
            return
        self._replacing = replacement
        self._writer.write(replacement.revision, replacement.pieces)

    @Slot(bool)
    def _on_written(self, _whole: bool) -> None:
        replacement, self._replacing = self._replacing, None
        assert replacement is not None
        if replacement.only:
            self._step(1)
            return
        count = figure(self._bar.locale(), replacement.count)
        words = self.tr("1 replaced") if replacement.count == 1 else self.tr("{n} replaced").format(n=count)
        self._notifier.remark(words)

    @Slot(object, str)
    def _on_failed(self, _request: FindRequest, why: str) -> None:
        self._show([], [])
        self._bar.say(why, failed=True)

    @Slot(object)
    def _on_stopped(self, request: FindRequest) -> None:
        self._pending_step = 0
        if request.options == self._bar.options and not self._timer.isActive():
            self._bar.say(self.tr("stopped"))

    def _show(self, starts: object, ends: object) -> None:
        self._editor.highlight_matches(starts, ends)

    def _say_count(self) -> None:
        matches = self.matches
        if matches is None:
            return
        number = partial(figure, self._bar.locale())
        count = len(matches.utf16_starts)
        selected = self._selected_match(matches)
        if not count:
            self._bar.say(self.tr("not found"))
        elif selected >= 0:
            self._bar.say(self.tr("{n} of {count}").format(n=number(selected + 1), count=number(count)))
        else:
            self._bar.say(self.tr("1 match") if count == 1 else self.tr("{n} matches").format(n=number(count)))
