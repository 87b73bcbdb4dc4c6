"""Find and replace in the price file: stands between a find bar, the editor of prices and the search in a lane."""

from __future__ import annotations

from bisect import bisect_left

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QTextCursor

from gui.finder import TYPING_PAUSE_MS
from gui.look.figures import figure
from gui.notify import Notifier
from gui.panels.find_bar import FindBar
from gui.panels.price_editor import PriceEditor
from gui.services.find import FindRequest, FindService, Matches, Replacement


class PriceFinder(QObject):
    """Price files are short enough to be searched as a whole after every change, and to be replaced in at once."""

    def __init__(self, bar: FindBar, editor: PriceEditor, service: FindService, notifier: Notifier) -> None:
        super().__init__(bar)
        self._bar, self._editor, self._service, self._notifier = bar, editor, service, notifier
        self._revision = -1
        self._places: list[tuple[int, int]] = []
        self._pending_step = 0
        self._timer = QTimer(self, singleShot=True, interval=TYPING_PAUSE_MS)
        self._timer.timeout.connect(self._search)
        bar.options_changed.connect(self._search_soon)
        bar.next_wanted.connect(self.find_next)
        bar.previous_wanted.connect(self.find_previous)
        bar.replace_wanted.connect(self._replace)
        bar.replace_all_wanted.connect(self._replace_all)
        bar.closed.connect(self._on_closed)
        editor.edited.connect(self._search_soon)
        service.found.connect(self._on_found)
        service.replaced.connect(self._on_replaced)
        service.failed.connect(self._on_failed)

    def open(self, *, replace: bool) -> None:
        """Show the bar, looking for what is selected."""
        self._bar.open_bar(replace=replace, selected=self._editor.textCursor().selectedText())

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
        if self._revision != self._editor.revision:
            self._pending_step = direction
            self._timer.start(0)
            return
        if not self._places:
            return
        cursor = self._editor.textCursor()
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        # Behind what is selected, so that a match that is selected is not found again.
        after = bisect_left(self._places, (start + (end > start), 0))
        place = after if direction > 0 else bisect_left(self._places, (start, 0)) - 1
        utf16_start, utf16_end = self._places[place % len(self._places)]
        cursor.setPosition(utf16_start)
        cursor.setPosition(utf16_end, QTextCursor.MoveMode.KeepAnchor)
        self._editor.setTextCursor(cursor)
        self._editor.ensureCursorVisible()
        self._say_count()

    def _selected(self) -> int:
        """The place of the match that is selected, -1 where none is."""
        cursor = self._editor.textCursor()
        selected = (cursor.selectionStart(), cursor.selectionEnd())
        return self._places.index(selected) if selected in self._places else -1

    @Slot()
    def _search_soon(self) -> None:
        self._revision = -1
        if self._bar.isVisible():
            self._timer.start(TYPING_PAUSE_MS)

    @Slot()
    def _search(self) -> None:
        self._ask()

    def _ask(self, replacement: str | None = None, only: tuple[int, int] | None = None) -> None:
        options = self._bar.options
        if options.pattern:
            request = FindRequest(self._editor.revision, self._editor.text(), options, replacement, only)
            self._service.search(request)
        else:
            self._bar.say("")

    @Slot(object)
    def _on_found(self, matches: Matches) -> None:
        if matches.options != self._bar.options or not self._bar.isVisible():
            return
        if matches.revision != self._editor.revision:
            self._timer.start(TYPING_PAUSE_MS)
            return
        self._revision = matches.revision
        self._places = list(zip(matches.utf16_starts.tolist(), matches.utf16_ends.tolist(), strict=True))
        self._say_count()
        if self._pending_step:
            step, self._pending_step = self._pending_step, 0
            self._step(step)

    @Slot()
    def _replace(self) -> None:
        """Replace the match that is selected; without one, go to the next."""
        place = self._selected() if self._revision == self._editor.revision else -1
        if place < 0:
            self._step(1)
        elif not self._editor.isReadOnly():
            # One match, searched again where it is: groups of the pattern can then stand in the replacement.
            self._ask(self._bar.replacement.text(), self._places[place])

    @Slot()
    def _replace_all(self) -> None:
        if not self._editor.isReadOnly():
            self._ask(self._bar.replacement.text())

    @Slot(object)
    def _on_replaced(self, replacement: Replacement) -> None:
        if replacement.revision != self._editor.revision:
            self._notifier.warning(self.tr("The text changed meanwhile; nothing was replaced."), key="replace")
            return
        cursor = QTextCursor(self._editor.document())
        cursor.beginEditBlock()
        for piece in reversed(replacement.pieces):
            cursor.setPosition(piece.utf16_start)
            cursor.setPosition(piece.utf16_end, QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText(piece.text)
        cursor.endEditBlock()
        if replacement.only:
            self._step(1)
            return
        count = figure(self._bar.locale(), replacement.count)
        self._notifier.remark(self.tr("Replaced in your price file: {n}").format(n=count))

    @Slot(object, str)
    def _on_failed(self, _request: FindRequest, why: str) -> None:
        self._bar.say(why, failed=True)

    @Slot()
    def _on_closed(self) -> None:
        self._timer.stop()
        self._service.cancel()
        self._editor.setFocus()

    def _say_count(self) -> None:
        count, selected, locale = len(self._places), self._selected(), self._bar.locale()
        if not count:
            self._bar.say(self.tr("not found"))
        elif selected >= 0:
            words = self.tr("{n} of {count}")
            self._bar.say(words.format(n=figure(locale, selected + 1), count=figure(locale, count)))
        else:
            self._bar.say(self.tr("Matches: {n}").format(n=figure(locale, count)))
