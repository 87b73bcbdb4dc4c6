"""Controller of the page Merges, and of the actions that open it with a text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal, Slot

from gui.editor.offsets import utf16_length
from gui.widgets.page_controller import PageController

if TYPE_CHECKING:
    from gui.tokenizers.merges.panel import MergesPanel
    from gui.tokenizers.merges.service import MergeService
    from gui.widgets.page_controller import AppContext

_WORD_BEFORE = re.compile(r" ?\S*\Z")
_WORD_AFTER = re.compile(r"\S*")
LONGEST_WORD = 200
"""Maximum distance from the caret to search for the edges of its word, in UTF-16 units."""


NEEDS = (
    "gui.tokenizers.merges.panel",
    "gui.tokenizers.merges.service",
    "gui.tokenizers.vocabulary.service",
)
"""Modules to import before the page is built."""


class MergesController(PageController["MergesPanel"]):
    """Controller of the page. Created with the worker threads, after the first paint.

    Signals: ``token_opened(str, int)``: an encoding and the ID of a token whose entry is to be shown.
    """

    token_opened = Signal(str, int)

    def __init__(self, context: AppContext, state: dict[str, Any]) -> None:
        """``state``: as from ``state()``."""
        super().__init__(context, state)
        self._service: MergeService | None = None
        self._followed = ""
        context = self._context
        context.pages.merges_asked.connect(self._show_span)
        if context.pages.vocabulary is not None:
            self.token_opened.connect(context.pages.vocabulary.show_token)
            context.pages.vocabulary.encoding_chosen.connect(self._follow)
        context.pages.when_page_shown("mergesTab", NEEDS, self._on_shown)

    def build(self) -> MergesPanel:
        """Return the page; create it on the first call."""
        if self.panel is not None:
            return self.panel
        from gui.tokenizers.merges.panel import MergesPanel
        from gui.tokenizers.merges.service import MergeService
        from gui.tokenizers.vocabulary.service import spelled

        context = self._context
        self.panel = panel = MergesPanel(context.theme, context.icons, context.settings, spelled)
        self._service = service = MergeService(self._runner, self._open, self)
        context.pages.page("mergesTab").fill(panel)
        panel.asked.connect(self._ask)
        panel.token_opened.connect(self._on_token_opened)
        service.answered.connect(panel.show_reply)
        service.failed.connect(panel.show_problem)
        self._show_encodings(panel)
        encoding = context.prompt.encoding
        context.session.restore("merges", lambda state: panel.restore_state(state, encoding), self._state)
        if self._followed:
            panel.show_encoding(self._followed)
        panel.state_changed.connect(context.session.touch)
        panel.tools.use_asked.connect(self._use)
        context.window.view_bar.add_tools("mergesTab", panel.tools)
        if context.pages.vocabulary is not None:
            panel.picker.chosen.connect(context.pages.vocabulary.follow_encoding)
        return panel

    @Slot(str)
    def _follow(self, name: str) -> None:
        """Show the merges in an encoding that was chosen on another page."""
        self._followed = name
        if self.panel is not None:
            self.panel.show_encoding(name)

    def focus(self) -> None:
        """Show the page, and select its text for typing."""
        self._context.pages.page("mergesTab").bring_to_front()
        panel = self.build()
        panel.text.setFocus()
        panel.text.selectAll()

    def show_text(self, text: str, encoding: str, note: str = "") -> None:
        """Show the merges of a text in an encoding. ``note``: a remark on the origin of the text."""
        self._context.pages.page("mergesTab").bring_to_front()
        panel = self.build()
        panel.show_encoding(encoding)
        panel.show_text(text, note)
        panel.tree.view.setFocus()

    @Slot()
    def show_selection(self) -> None:
        """Show the merges of the selection in the prompt, or of the word at the caret if nothing is selected."""
        editor = self._context.prompt.editor
        start, end = editor.selected_range()
        if start == end:
            start, end = self._word_at(editor.caret_offset())
        self._show_span(start, end)

    @Slot(int, int)
    def _show_span(self, start: int, end: int) -> None:
        """Show the merges of a span of the prompt; if it is empty, of the character before it. UTF-16 offsets."""
        from gui.tokenizers.merges.panel import MAX_CHARACTERS

        editor, encoding = self._context.prompt.editor, self._context.prompt.encoding
        if start == end:
            start -= utf16_length(editor.text_between(max(0, start - 2), start)[-1:])
        text = editor.text_between(start, min(end, start + 2 * MAX_CHARACTERS + 2))
        if not text:
            self.focus()
            return
        note = self.tr("Taken from the prompt without its context, which may change the split there.")
        self.show_text(text, encoding, note)

    def _word_at(self, caret: int) -> tuple[int, int]:
        """Return the span, in UTF-16 units, of the non-whitespace characters around the caret and one space before
        them."""
        editor = self._context.prompt.editor
        before = editor.text_between(max(0, caret - LONGEST_WORD), caret)
        after = editor.text_between(caret, caret + LONGEST_WORD)
        front, rest = _WORD_BEFORE.search(before), _WORD_AFTER.match(after)
        assert front is not None
        assert rest is not None
        return caret - utf16_length(front.group()), caret + utf16_length(rest.group())

    @Slot()
    def _ask(self) -> None:
        assert self.panel is not None
        assert self._service is not None
        self._service.ask(*self.panel.question())

    @Slot(int)
    def _on_token_opened(self, token_id: int) -> None:
        assert self.panel is not None
        self.token_opened.emit(self.panel.picker.currentText(), token_id)

    def _show_encodings(self, panel: MergesPanel) -> None:
        panel.picker.fill(self._listed)

    @Slot()
    def _on_shown(self) -> None:
        self.build()
