"""Tells screen readers of the token at the caret."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

from gui.look.figures import figure

if TYPE_CHECKING:
    from engine.types import TokenInfo
    from gui.editor.offsets import TokenSpan
    from gui.editor.token_editor import TokenEditor

PAUSE_MS = 300
"""The caret has to rest so long: nobody who holds an arrow key wants every token read."""
MOST_BYTES = 64


class TokenAnnouncer(QObject):
    """Keeps the editor's accessible description at the token of the caret, and announces it once the caret rests where
    somebody moved it. Typing moves it too, and is read out as it is: after each key its token would be too much.

    Signals: ``announced(str)``.
    """

    announced = Signal(str)

    def __init__(self, editor: TokenEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self._words = ""
        self._place = -1, -1
        self._moved = False
        self._rest = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._rest.timeout.connect(self._announce)

    def show_token(self, span: TokenSpan | None, info: TokenInfo | None) -> None:
        """The caret is in this token, or in none."""
        self._words = self._spoken(span, info)
        (revision, position), self._place = self._place, (self._editor.revision, self._editor.textCursor().position())
        if self._place[0] != revision:
            self._moved = False
        elif self._place[1] != position:
            self._moved = True
        self._rest.start()

    def _spoken(self, span: TokenSpan | None, info: TokenInfo | None) -> str:
        if span is None or info is None:
            return ""
        from gui.core.token_text import visible

        number = partial(figure, self._editor.locale())
        size = len(info.token_bytes)
        text = visible(info.token_bytes[:MOST_BYTES])
        for sign, word in (("·", self.tr("space")), ("→", self.tr("tab")), ("⏎", self.tr("new line"))):
            text = text.replace(sign, f" {word} ")
        words = self.tr("{text}; token {n}, id {id}, {size} bytes")
        return words.format(text=" ".join(text.split()), n=number(span.index + 1), id=info.token_id, size=number(size))

    @Slot()
    def _announce(self) -> None:
        if self._words == self._editor.accessibleDescription():
            return
        self._editor.setAccessibleDescription(self._words)
        if self._words and self._moved and self._editor.hasFocus():
            if QAccessible.isActive():
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._editor, self._words))
            self.announced.emit(self._words)
