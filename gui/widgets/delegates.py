"""Delegates that paint cells: plain texts, columns set apart from numbers, coloured runs, and tokens as pills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPalette, QStaticText, QTransform
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.core.token_text import ADDED, REMOVED, Runs
from gui.look.fonts import fixed_font
from gui.look.style_sheet import RADIUS
from gui.look.theme import Theme

Index = QModelIndex | QPersistentModelIndex

_LINE_SEPARATOR = "\u2028"
_FROM_THE_RIGHT = Qt.LayoutDirection.RightToLeft
_AS_NUMBERS = "\u2066{}\u2069"
"""Isolates numbers as left-to-right, so that signs and units stay in place in right-to-left windows: ``−57%``, not
``57%−``."""


class Texts(Protocol):
    """A model whose cells are texts."""

    def shown(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        raise NotImplementedError

    def side(self, column: int) -> Qt.AlignmentFlag:
        """Return the alignment of a column."""
        raise NotImplementedError


def _reverses_numbers(option: QStyleOptionViewItem) -> bool:
    """Return True for a cell of a column of numbers in a right-to-left window."""
    return option.direction == _FROM_THE_RIGHT and bool(option.displayAlignment & Qt.AlignmentFlag.AlignRight)


class NumberDelegate(QStyledItemDelegate):
    """Qt's delegate, which keeps numbers in their order in right-to-left windows."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if _reverses_numbers(option):
            option.text = _AS_NUMBERS.format(option.text)


class TextDelegate(QStyledItemDelegate):
    """Delegate that queries its model, which must be that of the view, once per cell. Qt's delegate queries it seven
    times through QVariant, each time perhaps waiting for the GIL."""

    def __init__(self, model: Texts, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        row, column = index.row(), index.column()
        option.displayAlignment = self._model.side(column)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDisplay
        text = self.written(row, column).replace("\n", _LINE_SEPARATOR)
        option.text = _AS_NUMBERS.format(text) if _reverses_numbers(option) else text

    def written(self, row: int, column: int) -> str:
        """Return the text of a cell, without a call into Qt."""
        return self._model.shown(row, column)


SINGLE_LINE = (Qt.TextFlag.TextSingleLine | Qt.AlignmentFlag.AlignVCenter).value
"""Flags of texts that are drawn on one line, centred in their height."""
GAP = "\N{EN SPACE}" * 2
"""Painted before the text and its title; part of neither."""


def part_text_from_figures(table: QTableView, column: int) -> None:
    """Add a gap before the texts of a column."""
    part_title(table, column)
    table.setItemDelegateForColumn(column, _Delegate(table))


def part_title(table: QTableView, column: int) -> None:
    """Add a gap before the title of a column whose delegate adds ``GAP`` to its texts. Replaces the header."""
    table.setHorizontalHeader(_Header(column, table))


class _Delegate(QStyledItemDelegate):
    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.text = GAP + option.text


class _Header(QHeaderView):
    def __init__(self, column: int, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._column = column
        self.setSectionsClickable(True)  # as in a table's own header

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, logicalIndex: int) -> None:
        super().initStyleOptionForIndex(option, logicalIndex)
        if logicalIndex == self._column:
            option.text = GAP + option.text


# --- runs -------------------------------------------------------------------------------------------------------------

RUNS_ROLE = Qt.ItemDataRole.UserRole
"""Role of the runs of a cell."""
MARGIN = 4
GROUNDS = {REMOVED: "error", ADDED: "success"}
"""Theme role of a marked run's text; its background has the suffix ``_base``."""


class RunsDelegate(QStyledItemDelegate):
    """Delegate for cells whose model provides runs. Text that does not fit is clipped; the tooltip has all of it.

    A window full of changes has some two thousand runs, so the model is queried for nothing else, and fonts are cached.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        font = fixed_font()
        self._metrics = QFontMetrics(font)
        struck, underlined = QFont(font), QFont(font)
        struck.setStrikeOut(True)
        underlined.setUnderline(True)
        self._widths: dict[str, int] = {}
        self._fonts = {"": font, REMOVED: struck, ADDED: underlined}

    def room(self, column_width: int) -> int:
        """Return the maximum width of a text in a column."""
        return column_width - 2 * MARGIN

    def width(self, character: str) -> int:
        """Return the width of a character."""
        width = self._widths.get(character)
        if width is None:
            width = self._widths[character] = self._metrics.horizontalAdvance(character)
        return width

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        runs: Runs | None = index.data(RUNS_ROLE)
        if runs is None:
            super().paint(painter, option, index)
            return
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)  # all but the text
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text
        painter.save()
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # runs are laid out from the left
        painter.setClipRect(option.rect)
        self._paint_runs(painter, option.rect.adjusted(MARGIN, 0, -MARGIN, 0), runs, option.palette.color(role))
        painter.restore()

    def _paint_runs(self, painter: QPainter, area: QRect, runs: Runs, plain: QColor) -> None:
        metrics, right = self._metrics, area.right()
        top, height = area.top(), area.height()
        baseline = top + (height - metrics.height() + 1) // 2 + metrics.ascent()
        colours = {
            mark: (self._theme.colour(role), self._theme.colour(f"{role}_base")) for mark, role in GROUNDS.items()
        }
        left = area.left() - self._out_of_sight(runs, area.width())
        for run in runs:
            if left > right:
                break
            width = metrics.horizontalAdvance(run.text)
            colour = plain
            if run.mark:
                colour, ground = colours[run.mark]
                painter.fillRect(left, top + 2, width, height - 4, ground)
            if left + width > area.left():
                painter.setFont(self._fonts[run.mark])
                painter.setPen(colour)
                painter.drawText(left, baseline, run.text)
            left += width

    def _out_of_sight(self, runs: Runs, space: int) -> int:
        """Return the number of pixels to skip at the start of a line whose first mark would be out of sight."""
        before = 0
        for run in runs:
            width = self._metrics.horizontalAdvance(run.text)
            if run.mark:
                return max(0, before - space // 2) if before + width > space else 0
            before += width
        return 0


# --- tokens as pills --------------------------------------------------------------------------------------------------

MAX_CACHED = 500
"""Maximum number of shaped texts in the cache, some five screens. Each takes 1.6 KB."""
PILL_PAD, PILL_GAP = 5, 6
"""Padding at each end of a pill, and gap between two pills, in pixels."""
LEFT, RIGHT, WHOLE, PLAIN = "left", "right", "whole", ""
PILLS_ROLE = int(Qt.ItemDataRole.UserRole) + 41
"""Role of a model for the pills of a cell, as a tuple of ``Pill``."""

_NO_ROTATION = QTransform()
_UNLIMITED = 1 << 20
"""A width beyond that of any text of a pill, in pixels."""


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
        self._cache: dict[tuple[str, int], tuple[QStaticText, int, int]] = {}

    def line(self, text: str, width: int) -> tuple[QStaticText, int, int]:
        """Return a text elided to ``width`` pixels, with its own width and height."""
        cached = self._cache.get((text, width))
        if cached is None:
            line = self._shaped(text)
            size = line.size()
            if size.width() > width:
                line = self._shaped(self.metrics.elidedText(text, Qt.TextElideMode.ElideRight, width))
                size = line.size()
            if len(self._cache) >= MAX_CACHED:
                self._cache.clear()
            cached = self._cache[text, width] = line, round(size.width()), round(size.height())
        return cached

    def _shaped(self, text: str) -> QStaticText:
        line = QStaticText(text)
        line.setTextFormat(Qt.TextFormat.PlainText)
        line.prepare(_NO_ROTATION, self.font)
        return line


class PillPainter:
    """Painter of pills, from left to right as in the text, at the start of a cell. Elides what does not fit."""

    def __init__(self, theme: Theme, texts: ShapedTexts) -> None:
        self._theme, self._texts = theme, texts
        self.follow_theme()

    def follow_theme(self) -> None:
        """Update the colours from the theme."""
        self._grounds, self._edge = part_colours(self._theme), self._theme.colour("line")

    def paint(
        self, painter: QPainter, area: QRect, pills: Sequence[Pill], *, outlined: bool = False, mirrored: bool = False
    ) -> None:
        """Draw pills with the painter's pen. ``outlined``: with an outline, as in a selected row. ``mirrored``: at the
        right edge, where cells start in right-to-left windows."""
        texts, ink = self._texts, painter.pen()
        painter.setFont(texts.font)
        left, right = area.left(), area.left() + area.width()
        pills = [pill for pill in pills if pill.text]
        widest, free = self._fit(area.width(), pills)
        if mirrored:
            left += free
        for pill in pills:
            pad = PILL_PAD if pill.part else 0
            space = right - left - 2 * pad
            if space < 2 * PILL_PAD:
                # Another pill would be a sliver: dots say that there is more.
                dots, width, height = texts.line("…", 4 * PILL_PAD)
                painter.drawStaticText(right - width, area.top() + (area.height() - height + 1) // 2, dots)
                break
            line, width, height = texts.line(pill.text, min(space, widest) if pill.part else space)
            if pill.part:
                box = QRectF(left, area.top() + (area.height() - height) // 2 - 1, width + 2 * pad, height + 2)
                painter.setPen(self._edge if outlined else Qt.PenStyle.NoPen)
                painter.setBrush(self._grounds[pill.part])
                painter.drawRoundedRect(box, RADIUS["token"], RADIUS["token"])
                painter.setPen(ink)
            painter.drawStaticText(left + pad, area.top() + (area.height() - height + 1) // 2, line)
            left += width + 2 * pad + PILL_GAP

    def _fit(self, space: int, pills: Sequence[Pill]) -> tuple[int, int]:
        """Return the maximum width of a text so that all pills fit, and the space left over.

        A long left part must not hide the right one.
        """
        widths = {pill: self._texts.line(pill.text, _UNLIMITED)[1] for pill in pills}
        parts = sorted(widths[pill] for pill in pills if pill.part)
        space -= sum(2 * PILL_PAD if pill.part else widths[pill] for pill in pills) + PILL_GAP * (len(pills) - 1)
        for left, width in zip(range(len(parts), 0, -1), parts, strict=True):
            if width > space // left:
                return space // left, 0
            space -= width
        return _UNLIMITED, max(0, space)


class PillDelegate(QStyledItemDelegate):
    """Delegate for cells whose model provides pills under ``PILLS_ROLE``; paints others as usual."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._painter = PillPainter(theme, ShapedTexts(fixed_font()))
        theme.changed.connect(self._painter.follow_theme)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
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
        area, mirrored = option.rect.adjusted(PILL_PAD, 0, -PILL_PAD, 0), option.direction == _FROM_THE_RIGHT
        self._painter.paint(painter, area, pills, outlined=selected, mirrored=mirrored)
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
