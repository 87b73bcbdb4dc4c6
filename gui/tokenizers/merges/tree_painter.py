"""Draws the boxes and lines of a merge forest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from gui.core.token_text import visible
from gui.look.fonts import fixed_font
from gui.look.theme import Theme
from gui.tokenizers.merges.forest import ForestNode, MergeForest
from gui.tokenizers.merges.layout import LEVEL_GAP, TreeLayout

MOST_CHARACTERS = 20
PADDING = 7.0
ROUND = 4.0
LEAST_READABLE = 0.45
"""Below this zoom text is left out: nobody could read it."""


@dataclass(frozen=True, slots=True)
class TreeState:
    """What is drawn apart from the tree itself. ``step``: how many merges are done; the last of them is ``latest``.
    ``current``: the node at the keyboard, -1 for none."""

    step: int
    latest: bool
    current: int
    focused: bool
    zoom: float


class MergeTreePainter:
    """Measures and draws. Tokens that are not merged yet have a broken outline, the newest a double one."""

    def __init__(self, theme: Theme, step_words: str) -> None:
        """``step_words``: how the number of a merge is written, with ``{n}`` for the number."""
        self._theme = theme
        self._step_words = step_words
        self.set_font_size(theme_font().pointSizeF())

    def set_font_size(self, points: float) -> None:
        """Draw tokens in this size, their numbers a little smaller."""
        self._font = theme_font()
        self._font.setPointSizeF(points)
        self._small = QFont(self._font)
        self._small.setPointSizeF(points * 0.8)
        self._metrics, self._small_metrics = QFontMetricsF(self._font), QFontMetricsF(self._small)

    @property
    def box_height(self) -> float:
        """Of every box."""
        return self._metrics.height() + self._small_metrics.height() + PADDING

    def width_of(self, node: ForestNode) -> float:
        """Of the box of a node."""
        text = self._metrics.horizontalAdvance(node_text(node))
        number = self._small_metrics.horizontalAdvance(self._number(node))
        return max(text, number) + 2 * PADDING

    def paint(
        self, painter: QPainter, forest: MergeForest, layout: TreeLayout, places: Iterable[int], state: TreeState
    ) -> None:
        """Draw these nodes and the lines to their parts."""
        shown = list(places)
        for place in shown:
            self._paint_lines(painter, forest.nodes[place], place, layout, state)
        for place in shown:
            self._paint_box(painter, forest, place, layout, state)

    def _paint_lines(
        self, painter: QPainter, node: ForestNode, place: int, layout: TreeLayout, state: TreeState
    ) -> None:
        if node.is_leaf:
            return
        is_made = node.step <= state.step
        pen = QPen(self._theme.colour("outline"), 0)
        if not is_made:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        left, top, width = layout.boxes[place]
        bottom = top + layout.box_height
        middle = bottom + LEVEL_GAP / 2
        lines = [QLineF(left + width / 2, bottom, left + width / 2, middle)]
        ends = []
        for part in (node.left, node.right):
            part_left, part_top, part_width = layout.boxes[part]
            x = part_left + part_width / 2
            ends.append(QPointF(x, middle))
            lines.append(QLineF(x, middle, x, part_top))
        painter.drawLines([*lines, QLineF(*ends)])

    def _paint_box(
        self, painter: QPainter, forest: MergeForest, place: int, layout: TreeLayout, state: TreeState
    ) -> None:
        node = forest.nodes[place]
        left, top, width = layout.boxes[place]
        box = QRectF(left, top, width, layout.box_height)
        is_made = node.step <= state.step
        is_newest = state.latest and node.step == state.step and node.step > 0
        pen = QPen(self._outline(place < forest.roots, is_made, is_newest), 1.0)
        if not is_made:
            pen.setStyle(Qt.PenStyle.DashLine)
        elif place < forest.roots or is_newest:
            pen.setWidthF(2.0)
        painter.setPen(pen)
        painter.setBrush(self._theme.colour(self._fill(place < forest.roots, node.is_leaf, is_made, is_newest)))
        painter.drawRoundedRect(box, ROUND, ROUND)
        if is_newest:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(-4, -4, 4, 4), ROUND + 3, ROUND + 3)
        if place == state.current:
            self._paint_current(painter, box, state.focused)
        if state.zoom >= LEAST_READABLE:
            self._paint_words(painter, node, box, is_made)

    def _paint_current(self, painter: QPainter, box: QRectF, focused: bool) -> None:
        pen = QPen(self._theme.colour("focus"), 2.0 if focused else 1.0)
        pen.setStyle(Qt.PenStyle.SolidLine if focused else Qt.PenStyle.DotLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.adjusted(-2, -2, 2, 2), ROUND + 1, ROUND + 1)

    def _paint_words(self, painter: QPainter, node: ForestNode, box: QRectF, is_made: bool) -> None:
        upper = QRectF(box.left(), box.top() + PADDING / 2, box.width(), self._metrics.height())
        lower = QRectF(box.left(), upper.bottom(), box.width(), self._small_metrics.height())
        painter.setFont(self._font)
        painter.setPen(self._theme.colour("text" if is_made else "stale"))
        painter.drawText(upper, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, node_text(node))
        painter.setFont(self._small)
        painter.setPen(self._theme.colour("text" if is_made and node.step else "stale"))
        painter.drawText(lower, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, self._number(node))

    def _number(self, node: ForestNode) -> str:
        if not node.step:
            return str(node.token_id)
        return f"{self._step_words.format(n=node.step)} · {node.token_id}"

    def _fill(self, is_top: bool, is_leaf: bool, is_made: bool, is_newest: bool) -> str:
        if is_newest:
            return "success_base"
        if not is_made:
            return "base"
        return "information_base" if is_top else "alternate_base" if is_leaf else "button"

    def _outline(self, is_top: bool, is_made: bool, is_newest: bool) -> QColor:
        if is_newest:
            return self._theme.colour("success")
        return self._theme.colour("information" if is_top and is_made else "outline")


def theme_font() -> QFont:
    """The font of tokens in trees."""
    return fixed_font()


def node_text(node: ForestNode) -> str:
    """What stands in the box of a node; with ``⋮`` where parts are left out."""
    text = short_text(node.token_bytes)
    return f"⋮ {text}" if node.is_cut else text


def short_text(data: bytes) -> str:
    """Bytes made visible, cut in the middle where they are many."""
    half = MOST_CHARACTERS // 2
    if len(data) <= 4 * MOST_CHARACTERS:
        text = visible(data)
        return text if len(text) <= MOST_CHARACTERS else f"{text[:half]}…{text[-half:]}"
    return f"{visible(data[: 4 * half])[:half]}…{visible(data[-4 * half :])[-half:]}"
