"""Occurrences of the selected token in the prompt, and navigation to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from gui.look.quantities import figure
from gui.tokenizers.vocabulary.service import PlacesRequest

if TYPE_CHECKING:
    from gui.core.text_chunks import ChunkedText
    from gui.prompt.prompt import Prompt
    from gui.tokenizers.vocabulary.detail import VocabularyDetail
    from gui.tokenizers.vocabulary.service import Places, PlacesService, TokenDetail

PAUSE_MS = 150
"""Debounce interval, in milliseconds: while the arrow keys move through the table, only the last token is searched."""


class VocabularyPlaces(QObject):
    """Tracker of the token and the text while the page is visible.

    Signals: ``shown_in_prompt()``: an occurrence was selected in the editor, which should be shown.
    """

    shown_in_prompt = Signal()

    def __init__(
        self, detail: VocabularyDetail, service: PlacesService, prompt: Prompt, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._pane, self._service, self._prompt = detail, service, prompt
        self._token: TokenDetail | None = None
        self._places: Places | None = None
        self._step = 0
        self._place = -1
        self._asked = False
        self._text: tuple[int, ChunkedText] | None = None
        self._timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._timer.timeout.connect(self._ask)
        detail.step_asked.connect(self._on_step)
        prompt.changed.connect(self._on_changed)
        prompt.special_changed.connect(self._on_changed)
        prompt.text_ready.connect(self._on_text)
        service.found.connect(self._on_found)
        service.failed.connect(self._on_failed)

    @Slot(object)
    def set_token(self, token: TokenDetail) -> None:
        """Search for another token."""
        same = self._token is not None and self._token.request.encoding is token.request.encoding
        if same and self._token is not None and self._token.token_id == token.token_id:
            self._token = token
            return
        self._token = token
        self._look_again()

    @Slot()
    def look(self) -> None:
        """Search now that the page is visible, unless the result is known."""
        if self._token is not None and self._places is None:
            self._timer.start()

    @Slot()
    def _on_changed(self) -> None:
        self._text = None
        self._look_again()

    def _look_again(self) -> None:
        self._places, self._step, self._place = None, 0, -1
        if self._token is not None and self._pane.isVisible():
            self._pane.show_places(self.tr("looking…"), some=False)
            self._timer.start()

    @Slot()
    def _ask(self) -> None:
        if self._token is None or not self._pane.isVisible():
            return
        if self._text is not None and self._text[0] == self._prompt.editor.revision:
            self._find(*self._text)
        else:
            self._asked = True
            self._prompt.request_text()

    @Slot(int, object)
    def _on_text(self, revision: int, text: ChunkedText) -> None:
        if self._asked:
            self._asked = False
            self._text = (revision, text)
            self._find(revision, text)

    def _find(self, revision: int, text: ChunkedText) -> None:
        if self._token is not None:
            special = self._prompt.special_as_tokens
            request = PlacesRequest(revision, text, self._token.request.encoding, special, self._token.token_id)
            self._service.find(request)

    @Slot(object)
    def _on_found(self, places: Places) -> None:
        if places.request.revision != self._prompt.editor.revision or self._token is None:
            return
        if places.request.token_id != self._token.token_id:
            return
        self._places = places
        count = len(places.utf16_starts)
        self._say(self.tr("once") if count == 1 else self.tr("{n} times") if count else self.tr("not there"), count)
        if self._step:
            step, self._step = self._step, 0
            self._on_step(step)

    def _say(self, words: str, count: int) -> None:
        self._pane.show_places(words.format(n=figure(self._pane.locale(), count)), some=count > 0)

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        self._pane.show_places(why, some=False)

    @Slot(int)
    def _on_step(self, direction: int) -> None:
        places = self._places
        if places is None or places.request.revision != self._prompt.editor.revision:
            self._step = direction
            self._look_again()
            return
        count = len(places.utf16_starts)
        if not count:
            return
        first = self._place < 0 and direction < 0
        self._place = count - 1 if first else (self._place + direction) % count
        start, end = int(places.utf16_starts[self._place]), int(places.utf16_ends[self._place])
        self._prompt.editor.select_range(start, end)
        words = self.tr("{place} of {n}").format(place=figure(self._pane.locale(), self._place + 1), n="{n}")
        self._say(words, count)
        self.shown_in_prompt.emit()
