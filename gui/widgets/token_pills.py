"""Tokens as pills in table cells: the left part of a merge, the right part, a whole token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPalette, QStaticText, QTransform
from PySide6.QtWidgets import QLabel, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.look.fonts import fixed_font
from gui.look.style_sheet import RADIUS
from gui.look.theme import Theme

MAX_KEPT = 2000
"""Maximum number of shaped texts in the cache, some ten screens."""
PAD, GAP = 5, 6
"""Padding at each end of a pill, and gap between two pills, in pixels."""
LEFT, RIGHT, WHOLE, PLAIN = "left", "right", "whole", ""
PILLS_ROLE = int(Qt.ItemDataRole.UserRole) + 41
"""Role of a model for the pills of a cell, as a tuple of ``Pill``."""

_NO_TURN = QTransform()


class Pill(NamedTuple):
    """A text and its part: ``LEFT``, ``RIGHT``, ``WHOLE``, or ``PLAIN`` for text between pills."""

    text: str
    part: str


def pair_pills(left: str, right: str) -> tuple[Pill, ...]:
    """Return the pills of a merged pair."""
    return Pill(left, LEFT), Pill("+", PLAIN), Pill(right, RIGHT)


def part_colours(theme: Theme) -> dict[str, QColor]:
    """Return the backgrounds of the left part of a merge, the right part, and a whole token."""
    fills = theme.token_palette().fills
    assert fills is not None
    return {LEFT: fills[0], RIGHT: fills[1], WHOLE: theme.colour("sunken")}


class ShapedTexts:
    """Cache of shaped and measured lines of one font. Tables show the same texts and short numbers repeatedly."""

    def __init__(self, font: QFont) -> None:
        self.font = font
        self.metrics = QFontMetrics(font)
        self._kept: dict[tuple[str, int], tuple[QStaticText, int, int]] = {}

    def line(self, text: str, width: int) -> tuple[QStaticText, int, int]:
        """Return a text elided to ``width`` pixels, with its own width and height."""
        kept = self._kept.get((text, width))
        if kept is None:
            line = self._shaped(text)
            size = line.size()
            if size.width() > width:
                line = self._shaped(self.metrics.elidedText(text, Qt.TextElideMode.ElideRight, width))
                size = line.size()
            if len(self._kept) >= MAX_KEPT:
                self._kept.clear()
            kept = self._kept[text, width] = line, round(size.width()), round(size.height())
        return kept

    def _shaped(self, text: str) -> QStaticText:
        line = QStaticText(text)
        line.setTextFormat(Qt.TextFormat.PlainText)
        line.prepare(_NO_TURN, self.font)
        return line


class PillPainter:
    """Painter of pills, from the left edge of a cell. Elides what does not fit."""

    def __init__(self, theme: Theme, texts: ShapedTexts) -> None:
        self._theme, self._texts = theme, texts
        self.follow_theme()

    def follow_theme(self) -> None:
        """Update the colours from the theme."""
        self._grounds, self._edge = part_colours(self._theme), self._theme.colour("line")

    def paint(self, painter: QPainter, area: QRect, pills: Sequence[Pill], *, outlined: bool = False) -> None:
        """Draw pills with the painter's pen. ``outlined``: with an outline, as in a selected row."""
        texts, ink = self._texts, painter.pen()
        painter.setFont(texts.font)
        left, right = area.left(), area.left() + area.width()
        for pill in pills:
            pad = PAD if pill.part else 0
            room = right - left - 2 * pad
            if room < 2 * PAD:
                # Another pill would be a sliver: dots say that there is more.
                dots, width, height = texts.line("…", 4 * PAD)
                painter.drawStaticText(right - width, area.top() + (area.height() - height + 1) // 2, dots)
                break
            line, width, height = texts.line(pill.text, room)
            if pill.part:
                box = QRectF(left, area.top() + (area.height() - height) // 2 - 1, width + 2 * pad, height + 2)
                painter.setPen(self._edge if outlined else Qt.PenStyle.NoPen)
                painter.setBrush(self._grounds[pill.part])
                painter.drawRoundedRect(box, RADIUS["token"], RADIUS["token"])
                painter.setPen(ink)
            painter.drawStaticText(left + pad, area.top() + (area.height() - height + 1) // 2, line)
            left += width + 2 * pad + GAP


class PillDelegate(QStyledItemDelegate):
    """Delegate for cells whose model provides pills under ``PILLS_ROLE``; paints others as usual."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._painter = PillPainter(theme, ShapedTexts(fixed_font()))
        theme.changed.connect(self._painter.follow_theme)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        pills: Sequence[Pill] | None = index.data(PILLS_ROLE)
        if pills is None:
            super().paint(painter, option, index)
            return
        option.widget.style().drawPrimitive(
            QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget
        )
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(option.palette.color(QPalette.ColorRole.Text))
        self._painter.paint(painter, option.rect.adjusted(PAD, 0, -PAD, 0), pills, outlined=selected)
        painter.restore()


class TokenHeading(QLabel):
    """A token in large type on a token background."""

    def __init__(self, name: str, theme: Theme) -> None:
        super().__init__(objectName=name)
        self._theme = theme
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        font = fixed_font()
        font.setPointSizeF(font.pointSizeF() * 1.3)
        self.setFont(font)
        self.setContentsMargins(8, 4, 8, 4)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        theme.changed.connect(self.update)

    def paintEvent(self, event: object) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(self._theme.token_palette().current)
            painter.setBrush(part_colours(self._theme)[LEFT])
            used = self.fontMetrics().boundingRect(self.contentsRect(), self._flags(), self.text())
            box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            box.setWidth(min(box.width(), used.width() + 17))
            painter.drawRoundedRect(box, 2 * RADIUS["token"], 2 * RADIUS["token"])
        super().paintEvent(event)

    def _flags(self) -> int:
        return int((Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextWrapAnywhere).value)
