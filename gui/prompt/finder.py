"""Find and replace in the prompt, with the matches of the find service, and the dialog to go to a line or token."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Slot
from PySide6.QtWidgets import QDialogButtonBox, QWidget

from gui.core.text_chunks import ChunkedText
from gui.editor.text_transfer import PieceWriter
from gui.editor.token_editor import TokenEditor
from gui.look.quantities import figure
from gui.prompt.find_service import FindRequest, FindService, Matches, Replacement
from gui.prompt.prompt import Prompt
from gui.runtime.notify import Notifier
from gui.widgets.find_bar import FindBar
from gui.widgets.forms import Dialog, SpinBox, button_row, column_of, label_of

if TYPE_CHECKING:
    from gui.costs.price_editor import PriceEditor

TYPING_PAUSE_MS = 120
"""Delay after the last key before a search starts, in milliseconds, so that unfinished words are not searched for."""

LONGEST_SELECTED = 200
"""Maximum length of a selection that becomes the pattern when the bar opens, in UTF-16 units."""


class MatchWalk(QObject):
    """Link between a find bar and the search service. Subclasses define which text is searched and how it is edited."""

    def __init__(self, bar: FindBar, notifier: Notifier, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bar, self._notifier = bar, notifier
        self._service: FindService | None = None
        self._found: Matches | None = None
        self._pending_step = 0
        self._timer = QTimer(self, singleShot=True, interval=TYPING_PAUSE_MS)
        self._timer.timeout.connect(self._on_pause)
        bar.options_changed.connect(self._on_options_changed)
        bar.next_wanted.connect(self.find_next)
        bar.previous_wanted.connect(self.find_previous)
        bar.replace_wanted.connect(self.replace)
        bar.replace_all_wanted.connect(self.replace_all)
        bar.closed.connect(self._on_closed)

    def start(self, service: FindService) -> None:
        """Start searching with this service."""
        self._service = service
        service.found.connect(self._on_found)
        service.replaced.connect(self._on_replaced)
        service.failed.connect(self._on_failed)
        service.stopped.connect(self._on_stopped)
        if self._bar.isVisible():
            self._timer.start()

    @property
    def matches(self) -> Matches | None:
        """Matches in the current text; None while they are not known."""
        found = self._found
        return found if found is not None and found.revision == self._revision() else None

    # --- implemented by subclasses ------------------------------------------------------------------------------------

    def _revision(self) -> int:
        """Return the revision of the current text."""
        raise NotImplementedError

    def _selected_range(self) -> tuple[int, int]:
        """Return the start and end of the selection, as UTF-16 offsets."""
        raise NotImplementedError

    def _select(self, utf16_start: int, utf16_end: int) -> None:
        """Select this span and scroll it into view."""
        raise NotImplementedError

    def _selected_text(self) -> str:
        """Return the text to search for when the bar opens; empty to keep the last pattern."""
        raise NotImplementedError

    def _search(self) -> None:
        """Request the matches."""
        raise NotImplementedError

    def _search_to_replace(self, only: tuple[int, int] | None) -> None:
        """Request the result of replacing every match, or only the one at these offsets."""
        raise NotImplementedError

    def _write(self, replacement: Replacement) -> bool:
        """Apply the replacement and call ``_after_writing`` when done. Returns False if the text has changed since."""
        raise NotImplementedError

    def _show(self, matches: Matches | None) -> None:
        """Mark the matches, if the editor supports it."""

    def _leave(self) -> None:
        """Return the focus to the text after the bar was closed."""
        raise NotImplementedError

    # --- moving between matches ---------------------------------------------------------------------------------------

    def open(self, *, replace: bool) -> None:
        """Show the bar, with the selected text as the pattern."""
        self._bar.open_bar(replace=replace, selected=self._selected_text())

    @Slot()
    def find_next(self) -> None:
        """Go to the next match after the caret, wrapping at the end."""
        self._step(1)

    @Slot()
    def find_previous(self) -> None:
        """Go to the match before the caret, wrapping at the start."""
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

        start, end = self._selected_range()
        if direction > 0:
            # Start after the selection, so that a selected match is not found again.
            index = int(matches.utf16_starts.searchsorted(np.int32(start + (end > start)))) % count
        else:
            index = (int(matches.utf16_starts.searchsorted(np.int32(start))) - 1) % count
        self._select(int(matches.utf16_starts[index]), int(matches.utf16_ends[index]))
        self._show_count()

    def _selected_match(self, matches: Matches) -> int:
        """Return the index of the selected match, or -1 if none is selected."""
        import numpy as np

        start, end = self._selected_range()
        index = int(matches.utf16_starts.searchsorted(np.int32(start)))
        if index == len(matches.utf16_starts) or start == end:
            return -1
        found = (int(matches.utf16_starts[index]), int(matches.utf16_ends[index]))
        return index if found == (start, end) else -1

    def _show_count(self) -> None:
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

    # --- searching ----------------------------------------------------------------------------------------------------

    @Slot()
    def _on_options_changed(self) -> None:
        self._found = None
        self._timer.start(TYPING_PAUSE_MS)

    @Slot()
    def _on_text_changed(self) -> None:
        self._found = None
        if self._bar.isVisible():
            self._timer.start(TYPING_PAUSE_MS)

    @Slot()
    def _on_pause(self) -> None:
        if self._bar.options.pattern:
            self._bar.say(self.tr("searching…"))
            self._search()
        else:
            self._bar.say("")
            self._show(None)

    @Slot(object)
    def _on_found(self, matches: Matches) -> None:
        if matches.options != self._bar.options or not self._bar.isVisible():
            return
        if matches.revision != self._revision():
            self._timer.start(TYPING_PAUSE_MS)
            return
        self._found = matches
        self._show(matches)
        self._show_count()
        if self._pending_step:
            step, self._pending_step = self._pending_step, 0
            self._step(step)

    @Slot(object, str)
    def _on_failed(self, _request: FindRequest, why: str) -> None:
        self._show(None)
        self._bar.say(why, failed=True)

    @Slot(object)
    def _on_stopped(self, request: FindRequest) -> None:
        self._pending_step = 0
        if request.options == self._bar.options and not self._timer.isActive():
            self._bar.say(self.tr("stopped"))

    @Slot()
    def _on_closed(self) -> None:
        self._timer.stop()
        self._found = None
        self._show(None)
        if self._service is not None:
            self._service.cancel()
        self._leave()

    # --- replacing ----------------------------------------------------------------------------------------------------

    @Slot()
    def replace(self) -> None:
        """Replace the selected match and go to the next; without a selected match, only go to the next."""
        matches = self.matches
        if matches is None or self._selected_match(matches) < 0:
            self._step(1)
            return
        # Search for this one match again where it is, so that the replacement can refer to groups of the pattern.
        self._search_to_replace(self._selected_range())

    @Slot()
    def replace_all(self) -> None:
        """Replace every match, as one step to undo."""
        if self._bar.options.pattern:
            self._search_to_replace(None)

    @Slot(object)
    def _on_replaced(self, replacement: Replacement) -> None:
        if not self._write(replacement):
            self._notifier.warning(self.tr("The text changed in the meantime. Nothing was replaced."), key="replace")

    def _after_writing(self, replacement: Replacement) -> None:
        if replacement.only:
            self._step(1)
            return
        count = figure(self._bar.locale(), replacement.count)
        words = self.tr("1 replaced") if replacement.count == 1 else self.tr("{n} replaced").format(n=count)
        self._notifier.remark(words)


class Finder(MatchWalk):
    """Find and replace in the prompt: keeps the matches up to date with pattern and text, and moves between them."""

    def __init__(self, prompt: Prompt, bar: FindBar, notifier: Notifier, parent: QObject | None = None) -> None:
        super().__init__(bar, notifier, parent)
        self._prompt = prompt
        self._editor = prompt.editor
        self._requested: list[str] = []
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
        if "search" not in self._requested:
            self._ask("search")

    def _search_to_replace(self, only: tuple[int, int] | None) -> None:
        self._only = only
        self._ask("all" if only is None else "one")

    def _ask(self, what: str) -> None:
        self._requested.append(what)
        self._prompt.request_text()

    @Slot(int, object)
    def _on_text_ready(self, revision: int, text: ChunkedText) -> None:
        requested, self._requested = self._requested, []
        if self._service is None or not requested or not self._bar.options.pattern:
            return
        if "all" in requested or "one" in requested:
            only = self._only if "one" in requested else None
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


class GoToDialog(Dialog):
    """Dialog for a number from 1 up, which calls ``go`` with it."""

    def __init__(
        self, title: str, question: str, most: int, now: int, go: Callable[[int], None], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._go = go
        self.setObjectName("goToDialog")
        self.setWindowTitle(title)
        self.number = SpinBox(self, objectName="goToNumber")
        self.number.setRange(1, max(1, most))
        self.number.setGroupSeparatorShown(True)
        self.number.setValue(now)
        self.number.setAccessibleName(question)
        label = label_of(self.number, question)
        buttons = button_row(self, QDialogButtonBox.StandardButton.Ok, QDialogButtonBox.StandardButton.Cancel)
        column_of(label, self.number, buttons, parent=self, margins=None)
        self.accepted.connect(self._on_accepted)
        self.number.selectAll()
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 44)  # wide enough to show the title

    @classmethod
    def for_lines(cls, editor: TokenEditor | PriceEditor, parent: QWidget) -> GoToDialog:
        """Return a dialog that goes to a line of the editor."""
        count, now = editor.line_count, editor.caret_line
        question = _tr("&Line, 1 to {count}:").format(count=parent.locale().toString(count))
        return cls(_tr("Go to line"), question, count, now, editor.go_to_line, parent)

    @classmethod
    def for_tokens(cls, editor: TokenEditor, parent: QWidget) -> GoToDialog:
        """Return a dialog that goes to a token of the editor. The dialog counts from 1, the editor from 0."""
        count = editor.token_count
        span = editor.token_at(editor.caret_offset())
        question = _tr("&Token, 1 to {count}:").format(count=parent.locale().toString(count))
        return cls(
            _tr("Go to token"),
            question,
            count,
            span.index + 1 if span else 1,
            lambda number: editor.go_to_token(number - 1),
            parent,
        )

    @Slot()
    def _on_accepted(self) -> None:
        self._go(self.number.value())


def _tr(text: str) -> str:
    return QCoreApplication.translate("GoToDialog", text)
