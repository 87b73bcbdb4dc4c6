"""The line that says which token the caret is in."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.look.figures import figure
from gui.look.fonts import as_points, fixed_font, scale
from gui.look.style_sheet import TYPE

if TYPE_CHECKING:
    from engine.types import TokenInfo
    from gui.editor.offsets import TokenSpan

MOST_BYTES = 24


class TokenReadout(QWidget):
    """One line of plain text, cut at its end where the window is too narrow; the whole line is the tool tip.

    It stands in for the inspector where that is not shown.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self.setObjectName("tokenReadout")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        font = fixed_font()
        font.setPointSizeF(as_points(round(TYPE["caption"] * scale())))
        self.setFont(font)
        self.set_text("")

    @property
    def text(self) -> str:
        """The whole line."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show a line."""
        self._text = text
        self.setToolTip("")
        if text:
            # Not before there are tokens: this is after the first picture of the window.
            from gui.look.plain_tip import plain_tip

            self.setToolTip(plain_tip(text))
        self.setAccessibleName(self.tr("Token at the caret: {text}").format(text=text or self.tr("none")))
        self.update()

    def show_token(self, span: TokenSpan | None, info: TokenInfo | None) -> None:
        """Describe the token at the caret."""
        self.set_text(self.describe(span, info))

    def describe(self, span: TokenSpan | None, info: TokenInfo | None) -> str:
        """A token in one line: place, id, text, bytes, rank, and with which tokens it shares a character."""
        if span is None:
            return ""
        # Not before there are tokens to describe: this is after the first picture of the window.
        from gui.core.token_text import hexadecimal, visible

        number = partial(figure, self.locale())
        parts = [self.tr("token {n}").format(n=number(span.index + 1)), self.tr("id {n}").format(n=span.token_id)]
        if info is not None:
            size = len(info.token_bytes)
            parts += [
                f"“{visible(info.token_bytes[:256])}”",
                hexadecimal(info.token_bytes, MOST_BYTES),
                self.tr("1 byte") if size == 1 else self.tr("{n} bytes").format(n=number(size)),
            ]
            if info.kind == "special":
                parts.append(self.tr("special token"))
            elif info.rank is not None:
                parts.append(self.tr("rank {n}").format(n=info.rank))
        if span.partners:
            others = ", ".join(number(index + 1) for index, _id in span.partners)
            parts.append(self.tr("shares a character with token {others}").format(others=others))
        return "  ·  ".join(parts)

    def sizeHint(self) -> QSize:
        return QSize(200, self.fontMetrics().height() + 6)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.fontMetrics().height() + 6)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            area = self.rect().adjusted(16, 0, -16, 0)
            cut = self.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, area.width())
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, cut)
