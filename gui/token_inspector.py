"""Shows the card of a token: of the one under the pointer, or, for the keyboard, of the one at the caret."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Signal, Slot

from gui.core.token_text import hexadecimal, visible
from gui.editor.token_card import CardToken, TokenCard, TokenCardContents
from gui.prompt.prompt import Prompt
from gui.state.settings import SettingsStore

if TYPE_CHECKING:
    from gui.editor.types import TokenSpan

MOST_BYTES = 64


class TokenInspector(QObject):
    """Owns the card; made after the first picture of the window.

    Signals: ``merges_asked(int, int)``: from and to, in UTF-16 units of the prompt, where merges are asked for.
    """

    merges_asked = Signal(int, int)

    def __init__(self, prompt: Prompt, settings: SettingsStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._prompt = prompt
        self._editor = prompt.editor
        self._settings = settings
        self._card = TokenCard(self._editor)
        self._card.merges_asked.connect(self.merges_asked)
        self._editor.token_hovered.connect(self._on_hovered)
        prompt.changed.connect(self._card.leave)

    @Slot(object, object)
    def _on_hovered(self, span: TokenSpan | None, place: QPoint) -> None:
        contents = self._contents(span) if self._settings.values.hover_card else None
        if contents is None:
            self._card.leave()
        else:
            self._card.show_at(contents, place)

    @Slot()
    def pin_at_caret(self) -> None:
        """Show the card of the token at the caret until Esc."""
        contents = self._contents(self._editor.token_at(self._editor.caret_offset()))
        if contents is not None:
            corner = self._editor.cursorRect().bottomLeft()
            self._card.pin_at(contents, self._editor.viewport().mapToGlobal(corner))

    def _contents(self, span: TokenSpan | None) -> TokenCardContents | None:
        token = None if span is None else self._describe(span.index, span.token_id)
        if span is None or token is None:
            return None
        partners = (self._describe(index, token_id) for index, token_id in span.partners)
        return TokenCardContents(
            token, span.utf16_start, span.utf16_end, partners=tuple(partner for partner in partners if partner)
        )

    def _describe(self, index: int, token_id: int) -> CardToken | None:
        info = self._prompt.entry(token_id)
        if info is None:
            return None
        data = info.token_bytes
        text = visible(data[:MOST_BYTES]) + ("…" if len(data) > MOST_BYTES else "")
        shown = hexadecimal(data, MOST_BYTES)
        return CardToken(index, token_id, text, shown, len(data), info.rank, info.kind == "piece")
