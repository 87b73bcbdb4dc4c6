"""The view of merge trees: layout, painting, keyboard, zoom and the pane around it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QLabel,
    QMenu,
    QScrollBar,
    QSizePolicy,
    QTabBar,
    QToolButton,
    QToolTip,
    QWidget,
)

from gui.core.token_text import hexadecimal, visible
from gui.look.fonts import fixed_font
from gui.look.style_sheet import plain_corner
from gui.look.theme import Theme
from gui.tokenizers.merges.service import ForestNode, MergeForest
from gui.widgets.delegates import LEFT, RIGHT, WHOLE, part_colours
from gui.widgets.forms import column_of, row_of
from gui.widgets.labels import plain_tip
from gui.widgets.tool_row import segments

# --- layout -----------------------------------------------------------------------------------------------------------

GAP = 10.0
"""Horizontal gap between boxes."""
TREE_GAP = 26.0
"""Horizontal gap between trees."""
LEVEL_GAP = 22.0
"""Vertical gap between rows."""


@dataclass(frozen=True, slots=True)
class TreeLayout:
    """Positions of nodes, in pixels at zoom 1.

    ``boxes``: left, top and width of each node. ``spans``: left and right edge of its tree. ``levels``: its row,
    counted from the bottom. ``rows``: the nodes of each row, from left to right.
    """

    boxes: tuple[tuple[float, float, float], ...]
    spans: tuple[tuple[float, float], ...]
    levels: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    box_height: float
    width: float
    height: float
    level_gap: float = LEVEL_GAP

    def around(self, left: float, top: float, right: float, bottom: float) -> Iterator[int]:
        """Yield the nodes to paint for this rectangle, with those whose lines may cross it.

        These are the nodes whose trees overlap it horizontally, except those below it.
        """
        for level, row in enumerate(self.rows):
            if self._top_of(level) > bottom:
                continue
            first = bisect_left(row, left, key=lambda index: self.spans[index][1])
            last = bisect_right(row, right, key=lambda index: self.spans[index][0])
            yield from row[first:last]

    def node_at(self, x: float, y: float) -> int:
        """Return the node whose box is at this point, -1 if there is none."""
        for row in self.rows:
            index = bisect_right(row, x, key=lambda one: self.boxes[one][0]) - 1
            if index >= 0:
                left, top, width = self.boxes[row[index]]
                if x <= left + width and top <= y <= top + self.box_height:
                    return row[index]
        return -1

    def beside(self, index: int, step: int) -> int:
        """Return the node ``step`` to the right in the same row, or ``index`` itself at the end of the row."""
        row = self.rows[self.levels[index]]
        position = row.index(index) + step
        return row[position] if 0 <= position < len(row) else index

    def _top_of(self, level: int) -> float:
        return (len(self.rows) - 1 - level) * (self.box_height + self.level_gap)


def lay_out(forest: MergeForest, widths: Sequence[float], box_height: float) -> TreeLayout:
    """Lay out the forest as trees. ``widths``: of the box of each node."""
    nodes = forest.nodes
    levels = [0] * len(nodes)
    needed = list(widths)
    for index in range(len(nodes) - 1, -1, -1):  # parts come after their parents
        node = nodes[index]
        if not node.is_leaf:
            levels[index] = 1 + max(levels[node.left], levels[node.right])
            needed[index] = max(widths[index], needed[node.left] + GAP + needed[node.right])
    spans = [(0.0, 0.0)] * len(nodes)
    x = 0.0
    for index in range(forest.roots):
        spans[index] = (x, x + needed[index])
        x += needed[index] + TREE_GAP
    highest = max(levels, default=0)
    boxes = [(0.0, 0.0, 0.0)] * len(nodes)
    for index, node in enumerate(nodes):
        start, end = spans[index]
        if not node.is_leaf:
            inside = needed[node.left] + GAP + needed[node.right]
            left = start + (end - start - inside) / 2
            spans[node.left] = (left, left + needed[node.left])
            spans[node.right] = (left + inside - needed[node.right], left + inside)
        top = (highest - levels[index]) * (box_height + LEVEL_GAP)
        boxes[index] = ((start + end - widths[index]) / 2, top, widths[index])
    rows: list[list[int]] = [[] for _ in range(highest + 1)] if nodes else []
    for index in forest.reading_order():
        rows[levels[index]].append(index)
    return TreeLayout(
        tuple(boxes),
        tuple(spans),
        tuple(levels),
        tuple(map(tuple, rows)),
        box_height,
        max(0.0, x - TREE_GAP),
        len(rows) * (box_height + LEVEL_GAP) - LEVEL_GAP if rows else 0.0,
    )


BLOCK_GAP = 2.0
"""Gap between blocks."""


def stack(forest: MergeForest, byte_width: float, box_height: float) -> TreeLayout:
    """Lay out the forest as stacked blocks: one column for each byte, parts below their token."""
    nodes = forest.nodes
    depths = [0] * len(nodes)
    for index, node in enumerate(nodes):  # parents come before their parts
        if node.parent >= 0:
            depths[index] = depths[node.parent] + 1
    deepest = max(depths, default=0)
    boxes, spans = [], []
    for depth, node in zip(depths, nodes, strict=True):
        left, width = node.byte_start * byte_width, len(node.token_bytes) * byte_width
        boxes.append((left, depth * (box_height + BLOCK_GAP), width - BLOCK_GAP))
        spans.append((left, left + width - BLOCK_GAP))
    rows: list[list[int]] = [[] for _ in range(deepest + 1)] if nodes else []
    for index in forest.reading_order():
        rows[deepest - depths[index]].append(index)
    return TreeLayout(
        tuple(boxes),
        tuple(spans),
        tuple(deepest - depth for depth in depths),
        tuple(map(tuple, rows)),
        box_height,
        max((end for _start, end in spans), default=0.0),
        len(rows) * (box_height + BLOCK_GAP) - BLOCK_GAP if rows else 0.0,
        BLOCK_GAP,
    )


# --- painting ---------------------------------------------------------------------------------------------------------

MAX_CHARACTERS = 20
PADDING = 7.0
ROUND = 4.0
MIN_READABLE = 0.45
"""Zoom below which text is too small to read, and not drawn."""


@dataclass(frozen=True, slots=True)
class TreeState:
    """What to draw in addition to the tree.

    ``step``: number of merges done; ``latest``: highlight the last of them. ``current``: the node with the keyboard
    cursor, -1 for none. ``blocks``: draw stacked blocks, without lines.
    """

    step: int
    latest: bool
    current: int
    focused: bool
    zoom: float
    blocks: bool = False


class MergeTreePainter:
    """Painter of nodes. Tokens that are not merged yet have a dashed outline, the newest a double one."""

    def __init__(self, theme: Theme, step_words: str) -> None:
        """``step_words``: format of the number of a merge, with ``{n}`` for the number."""
        self._theme = theme
        self._step_words = step_words
        self.write: Callable[[bytes], str] = visible
        self.set_font_size(fixed_font().pointSizeF())

    def set_font_size(self, points: float) -> None:
        """Set the font size of tokens; their numbers are a little smaller."""
        self._font = fixed_font()
        self._font.setPointSizeF(points)
        self._small = QFont(self._font)
        self._small.setPointSizeF(points * 0.8)
        self._metrics, self._small_metrics = QFontMetricsF(self._font), QFontMetricsF(self._small)

    @property
    def box_height(self) -> float:
        """Height of all boxes, in pixels."""
        return self._metrics.height() + self._small_metrics.height() + PADDING

    def width_of(self, node: ForestNode) -> float:
        """Return the width of the box of a node, in pixels."""
        text = self._metrics.horizontalAdvance(node_text(node, self.write))
        number = self._small_metrics.horizontalAdvance(self._number(node))
        return max(text, number) + 2 * PADDING

    def paint(
        self, painter: QPainter, forest: MergeForest, layout: TreeLayout, indexes: Iterable[int], state: TreeState
    ) -> None:
        """Draw these nodes and the lines to their parts."""
        shown = list(indexes)
        self._grounds = part_colours(self._theme)
        for index in () if state.blocks else shown:
            self._paint_lines(painter, forest.nodes[index], index, layout, state)
        for index in shown:
            self._paint_box(painter, forest, index, layout, state)

    def _paint_lines(
        self, painter: QPainter, node: ForestNode, index: int, layout: TreeLayout, state: TreeState
    ) -> None:
        if node.is_leaf:
            return
        is_made = node.step <= state.step
        pen = QPen(self._theme.colour("outline"), 0)
        if not is_made:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        left, top, width = layout.boxes[index]
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
        self, painter: QPainter, forest: MergeForest, index: int, layout: TreeLayout, state: TreeState
    ) -> None:
        node = forest.nodes[index]
        left, top, width = layout.boxes[index]
        box = QRectF(left, top, width, layout.box_height)
        is_made = node.step <= state.step
        is_newest = state.latest and node.step == state.step and node.step > 0
        pen = QPen(self._outline(index < forest.roots, is_made, is_newest), 1.0)
        if not is_made:
            pen.setStyle(Qt.PenStyle.DashLine)
        elif index < forest.roots or is_newest:
            pen.setWidthF(2.0)
        elif state.blocks:
            pen = QPen(Qt.PenStyle.NoPen)
        painter.setPen(pen)
        painter.setBrush(self._fill(forest, index, is_made, is_newest))
        painter.drawRoundedRect(box, ROUND, ROUND)
        if is_newest and not state.blocks:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(-4, -4, 4, 4), ROUND + 3, ROUND + 3)
        if index == state.current:
            self._paint_current(painter, box, state.focused)
        if state.zoom >= MIN_READABLE:
            self._paint_words(painter, node, box, is_made, state)

    def _paint_current(self, painter: QPainter, box: QRectF, focused: bool) -> None:
        pen = QPen(self._theme.colour("focus"), 2.0 if focused else 1.0)
        pen.setStyle(Qt.PenStyle.SolidLine if focused else Qt.PenStyle.DotLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.adjusted(-2, -2, 2, 2), ROUND + 1, ROUND + 1)

    def _paint_words(self, painter: QPainter, node: ForestNode, box: QRectF, is_made: bool, state: TreeState) -> None:
        text, number = node_text(node, self.write), self._number(node)
        if state.blocks:
            text = self._metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, box.width() - 2)
            number = next((n for n in (number, str(node.token_id)) if self._small_width(n) <= box.width() - 4), "")
        upper = QRectF(box.left(), box.top() + PADDING / 2, box.width(), self._metrics.height())
        if not number:
            upper = box
        lower = QRectF(box.left(), upper.bottom(), box.width(), self._small_metrics.height())
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # parts are drawn from left to right
        painter.setFont(self._font)
        painter.setPen(self._theme.colour("text" if is_made else "stale"))
        painter.drawText(upper, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, text)
        painter.setFont(self._small)
        painter.setPen(self._theme.colour("text" if is_made and node.step else "stale"))
        painter.drawText(lower, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, number)

    def _number(self, node: ForestNode) -> str:
        if not node.step:
            return str(node.token_id)
        return f"{self._step_words.format(n=node.step)} · {node.token_id}"

    def _small_width(self, text: str) -> float:
        return self._small_metrics.horizontalAdvance(text)

    def _fill(self, forest: MergeForest, index: int, is_made: bool, is_newest: bool) -> QColor:
        """Return the background of a node: by its side if it is a part, else that of a whole token."""
        node = forest.nodes[index]
        if is_newest:
            return self._theme.colour("success_base")
        if not is_made:
            return self._theme.colour("base")
        if node.is_leaf or node.parent < 0:
            return self._grounds[WHOLE if node.is_leaf else LEFT]
        return self._grounds[LEFT if forest.nodes[node.parent].left == index else RIGHT]

    def _outline(self, is_top: bool, is_made: bool, is_newest: bool) -> QColor:
        if is_newest:
            return self._theme.colour("success")
        return self._theme.colour("information" if is_top and is_made else "outline")


def node_text(node: ForestNode, write: Callable[[bytes], str]) -> str:
    """Return the text in the box of a node; with ``⋮`` if parts are omitted."""
    text = short_text(node.token_bytes, write)
    return f"⋮ {text}" if node.is_cut else text


def short_text(data: bytes, write: Callable[[bytes], str] = visible) -> str:
    """Format bytes with ``write``, elided in the middle if they are long."""
    half = MAX_CHARACTERS // 2
    if len(data) <= 4 * MAX_CHARACTERS:
        text = write(data)
        return text if len(text) <= MAX_CHARACTERS else f"{text[:half]}…{text[-half:]}"
    return f"{write(data[: 4 * half])[:half]}…{write(data[-4 * half :])[-half:]}"


# --- the view ---------------------------------------------------------------------------------------------------------

MARGIN = 16.0
ZOOMS = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0)
STEP_PIXELS = 40
MAX_SPOKEN_BYTES = 60
AUTOMATIC, BLOCKS, TREE = "", "blocks", "tree"
MIN_TREE = 0.8
"""Zoom below which a fitted tree is shown as blocks."""
MIN_BYTE, MAX_BYTE = 14.0, 90.0
"""Minimum and maximum width of the column of a byte, in pixels."""


class MergeTreeView(QAbstractScrollArea):
    """View of a ``MergeForest``.

    Keys: arrows go to the token above, to the first part below, and to the neighbours in the row; Home and End to the
    first and the last byte; ``+``, ``-``, ``1`` and ``0`` zoom in, zoom out, to full size, and fit the whole tree;
    Enter opens the token.

    Signals: ``token_activated(int)``: the ID of an opened token; ``current_changed(int)``: the index of the node with
    the keyboard cursor; ``shape_changed(bool)``: True if blocks are drawn.
    """

    token_activated = Signal(int)
    current_changed = Signal(int)
    shape_changed = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("mergeTree")
        self.setAccessibleName(self.tr("Merge tree"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCornerWidget(plain_corner(self))
        self._painter = MergeTreePainter(theme, self.tr("merge {n}"))
        self._forest = MergeForest()
        self._layout: TreeLayout = lay_out(self._forest, (), 1.0)
        self._tree: TreeLayout | None = None
        """The layout as trees, which the size of the view does not change; None until it is needed."""
        self._hint = ""
        self._step: int | None = None
        self._current = -1
        self._zoom = 1.0
        self._fits = True
        self._shape = AUTOMATIC
        self._blocks = False
        self._pressed: QPointF | None = None
        self._theme = theme
        theme.changed.connect(self._on_theme)

    # --- display ------------------------------------------------------------------------------------------------------

    @property
    def forest(self) -> MergeForest:
        """The forest shown."""
        return self._forest

    def show_forest(self, forest: MergeForest, hint: str = "") -> None:
        """Show another forest, fully merged and fitted to the view. ``hint``: shown if the forest is empty.

        A tree that does not fit at the smallest zoom is shown in full size, with its first root centred.
        """
        self._forest, self._hint, self._step, self._tree = forest, hint, None, None
        self.fit()
        if self.horizontalScrollBar().maximum() and not self._blocks:
            self.zoom_full()
            left, _top, width = self._layout.boxes[0]
            self.horizontalScrollBar().setValue(round(left + MARGIN + (width - self.viewport().width()) / 2))
            self.verticalScrollBar().setValue(0)
        self._set_current(0 if forest.nodes else -1)

    @property
    def in_blocks(self) -> bool:
        """True if the forest is drawn as stacked blocks, False if it is drawn as trees."""
        return self._blocks

    def set_shape(self, shape: str) -> None:
        """Draw ``BLOCKS``, ``TREE``, or with ``AUTOMATIC`` blocks only if the tree does not fit."""
        self._shape = shape
        self.fit()

    def set_write(self, write: Callable[[bytes], str]) -> None:
        """Set the function that formats tokens."""
        self._painter.write, self._tree = write, None
        if self._fits:
            self.fit()
        else:
            self._measure()

    def set_step(self, step: int | None) -> None:
        """Show the first ``step`` merges as done, the last of them highlighted. None: all done, none highlighted."""
        if step == self._step:
            return
        self._step = step
        self._describe()
        self.viewport().update()

    @property
    def zoom(self) -> float:
        """Zoom factor; 1 is full size."""
        return self._zoom

    @property
    def current(self) -> int:
        """Index of the node with the keyboard cursor, -1 if there is none."""
        return self._current

    def select(self, index: int) -> None:
        """Move to a node and scroll to it."""
        if 0 <= index < len(self._forest.nodes):
            self._set_current(index)
            self.show_node(index)

    def show_node(self, index: int) -> None:
        """Scroll as little as needed to show a node."""
        left, top, width = self._layout.boxes[index]
        self._bring(self.horizontalScrollBar(), left, left + width, self.viewport().width())
        self._bring(self.verticalScrollBar(), top, top + self._layout.box_height, self.viewport().height())

    def text(self) -> str:
        """Return the trees as text: a line for each token, parts indented below their token."""
        nodes = self._forest.nodes
        depths = [0] * len(nodes)
        for index, node in enumerate(nodes):
            if node.parent >= 0:
                depths[index] = depths[node.parent] + 1
        return "\n".join("  " * depths[index] + self.words(index) for index in self._forest.reading_order())

    def words(self, index: int) -> str:
        """Describe a node."""
        node = self._forest.nodes[index]
        data = node.token_bytes
        shown = visible(data[:MAX_SPOKEN_BYTES]) + ("…" if len(data) > MAX_SPOKEN_BYTES else "")
        words = [self.tr("{text}, token {id}").format(text=shown, id=node.token_id)]
        words.append(self.tr("1 byte") if len(data) == 1 else self.tr("{n} bytes").format(n=len(data)))
        words[-1] += f" ({hexadecimal(data, 16)})"
        if not node.is_leaf:
            left, right = (short_text(self._forest.nodes[part].token_bytes) for part in (node.left, node.right))
            words.append(self.tr("merged from {left} and {right}").format(left=left, right=right))
        if node.step:
            words.append(self.tr("merge {n}").format(n=node.step))
            if self._step is not None and node.step > self._step:
                words.append(self.tr("not applied yet"))
        if node.is_cut:
            words.append(self.tr("its parts are omitted"))
        return ", ".join(words)

    # --- zoom ---------------------------------------------------------------------------------------------------------

    @Slot()
    def zoom_in(self) -> None:
        """Zoom in by one step."""
        self._zoom_to(self._next_zoom(True))

    @Slot()
    def zoom_out(self) -> None:
        """Zoom out by one step."""
        self._zoom_to(self._next_zoom(False))

    @Slot()
    def zoom_full(self) -> None:
        """Zoom to full size."""
        self._zoom_to(1.0)

    @Slot()
    def fit(self) -> None:
        """Fit the whole forest, up to full size; fit again after each resize until the user zooms."""
        self._blocks = self._shape == BLOCKS
        self._measure()
        fitting = self._fitting()
        if self._shape == AUTOMATIC and fitting < MIN_TREE:
            self._blocks = True
            self._measure()
        self._zoom_to(1.0 if self._blocks else min(1.0, max(ZOOMS[0], fitting)))
        self._fits = True
        self.shape_changed.emit(self._blocks)

    def _fitting(self) -> float:
        size = self.viewport().size()
        width, height = self._layout.width + 2 * MARGIN, self._layout.height + 2 * MARGIN
        return min(size.width() / width, size.height() / height)

    def _next_zoom(self, larger: bool) -> float:
        if larger:
            return next((zoom for zoom in ZOOMS if zoom > self._zoom + 0.001), ZOOMS[-1])
        return next((zoom for zoom in reversed(ZOOMS) if zoom < self._zoom - 0.001), ZOOMS[0])

    def _zoom_to(self, zoom: float, anchor: QPointF | None = None) -> None:
        """Zoom with ``anchor`` (in viewport coordinates; the centre if None) fixed."""
        self._fits = False
        anchor = QPointF(self.viewport().rect().center()) if anchor is None else anchor
        point = self._to_scene(anchor)
        self._zoom = zoom
        self._set_bars()
        moved = self._from_scene(point) - anchor
        for bar, by in ((self.horizontalScrollBar(), moved.x()), (self.verticalScrollBar(), moved.y())):
            bar.setValue(bar.value() + round(by))
        self.viewport().update()

    # --- events -------------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            painter.fillRect(self.viewport().rect(), self._theme.colour("base"))
            if not self._forest.nodes:
                painter.setPen(self._theme.colour("stale"))
                area = self.viewport().rect().adjusted(12, 12, -12, -12)
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._hint)
                return
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(self._from_scene(QPointF()))
            painter.scale(self._zoom, self._zoom)
            first = self._to_scene(QPointF())
            last = self._to_scene(QPointF(self.viewport().rect().bottomRight()))
            shown = self._layout.around(first.x() - MARGIN, first.y() - MARGIN, last.x() + MARGIN, last.y() + MARGIN)
            is_whole = self._step is None
            step = len(self._forest.nodes) if self._step is None else self._step
            state = TreeState(step, not is_whole, self._current, self.hasFocus(), self._zoom, self._blocks)
            self._painter.paint(painter, self._forest, self._layout, shown, state)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._fits:
            self.fit()
        self._set_bars()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._painter.set_font_size(self.font().pointSizeF())
            self._tree = None
            self._measure()
            self._set_bars()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        zooms = {
            Qt.Key.Key_Plus: self.zoom_in,
            Qt.Key.Key_Equal: self.zoom_in,
            Qt.Key.Key_Minus: self.zoom_out,
            Qt.Key.Key_0: self.fit,
            Qt.Key.Key_1: self.zoom_full,
        }
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
        elif event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier):
            super().keyPressEvent(event)
        elif event.key() in zooms:
            zooms[Qt.Key(event.key())]()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._current >= 0:
            self._open_current()
        elif (index := self._index_for(event.key())) >= 0:
            self.select(index)
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
            return
        if event.angleDelta().y():
            self._zoom_to(self._next_zoom(event.angleDelta().y() > 0), event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._node_under(event.position())
        if index >= 0:
            self._set_current(index)
        elif event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            return
        moved, self._pressed = event.position() - self._pressed, event.position()
        for bar, by in ((self.horizontalScrollBar(), moved.x()), (self.verticalScrollBar(), moved.y())):
            bar.setValue(bar.value() - round(by))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._pressed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self._node_under(event.position())
        if index >= 0:
            self.token_activated.emit(self._forest.nodes[index].token_id)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            index = self._node_under(QPointF(event.pos()))
            if index >= 0:
                self._set_current(index)
        if self._current < 0:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        words = self.tr("&Open token {id}").format(id=self._forest.nodes[self._current].token_id)
        menu.addAction(words).triggered.connect(self._open_current)
        menu.addAction(self.tr("&Copy tree as text")).triggered.connect(self._copy)
        menu.popup(event.globalPos())

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self._node_under(QPointF(event.pos()))
            if index >= 0:
                QToolTip.showText(event.globalPos(), self._tool_tip(index), self)
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    # --- helpers ------------------------------------------------------------------------------------------------------

    @Slot()
    def _open_current(self) -> None:
        self.token_activated.emit(self._forest.nodes[self._current].token_id)

    @Slot()
    def _copy(self) -> None:
        QApplication.clipboard().setText(self.text())

    def _measure(self) -> None:
        if self._blocks:
            size = sum(len(node.token_bytes) for node in self._forest.nodes[: self._forest.roots])
            width = max(MIN_BYTE, (self.viewport().width() - 2 * MARGIN) / max(1, size))
            self._layout = stack(self._forest, min(width, MAX_BYTE), self._painter.box_height)
            self.viewport().update()
            return
        if self._tree is None:
            widths = [self._painter.width_of(node) for node in self._forest.nodes]
            self._tree = lay_out(self._forest, widths, self._painter.box_height)
        self._layout = self._tree
        self.viewport().update()

    def _index_for(self, key: int) -> int:
        """Return the node that a key moves to, -1 if it does not move."""
        if self._current < 0:
            return -1
        node = self._forest.nodes[self._current]
        leaves = sorted((node.byte_start, index) for index, node in enumerate(self._forest.nodes) if node.is_leaf)
        indexes = {
            Qt.Key.Key_Up: node.parent,
            Qt.Key.Key_Down: node.left,
            Qt.Key.Key_Left: self._layout.beside(self._current, -1),
            Qt.Key.Key_Right: self._layout.beside(self._current, 1),
            Qt.Key.Key_Home: leaves[0][1],
            Qt.Key.Key_End: leaves[-1][1],
        }
        if key not in indexes:
            return -1
        return indexes[Qt.Key(key)] if indexes[Qt.Key(key)] >= 0 else self._current

    def _set_current(self, index: int) -> None:
        self._current = index
        self._describe()
        self.viewport().update()
        self.current_changed.emit(index)

    def _describe(self) -> None:
        """Update the description for screen readers: the current node, or why there is none."""
        self.setAccessibleDescription(self.words(self._current) if self._current >= 0 else self._hint)

    def _tool_tip(self, index: int) -> str:
        """Return a tooltip as rich text, since plain text could look like tags."""
        from html import escape

        return f"<p style='white-space:pre-wrap'>{escape(self.words(index))}</p>"

    def _node_under(self, point: QPointF) -> int:
        scene = self._to_scene(point)
        return self._layout.node_at(scene.x(), scene.y())

    def _origin(self) -> QPointF:
        """Return the origin of the forest before scrolling: centred if the viewport is larger."""
        size = QRectF(self.viewport().rect())
        left = max(MARGIN * self._zoom, (size.width() - self._layout.width * self._zoom) / 2)
        top = max(MARGIN * self._zoom, 0 if self._blocks else (size.height() - self._layout.height * self._zoom) / 2)
        return QPointF(left, top)

    def _scrolled(self) -> QPointF:
        return QPointF(self.horizontalScrollBar().value(), self.verticalScrollBar().value())

    def _to_scene(self, point: QPointF) -> QPointF:
        return (point + self._scrolled() - self._origin()) / self._zoom

    def _from_scene(self, point: QPointF) -> QPointF:
        return point * self._zoom + self._origin() - self._scrolled()

    def _set_bars(self) -> None:
        size = self.viewport().size()
        sizes = (self._layout.width, size.width()), (self._layout.height, size.height())
        for bar, (size, page) in zip((self.horizontalScrollBar(), self.verticalScrollBar()), sizes, strict=True):
            bar.setRange(0, max(0, round((size + 2 * MARGIN) * self._zoom) - page))
            bar.setPageStep(page)
            bar.setSingleStep(STEP_PIXELS)

    def _bring(self, bar: QScrollBar, start: float, end: float, size: int) -> None:
        margin = MARGIN * self._zoom
        first, last = start * self._zoom, end * self._zoom + 2 * margin
        if first < bar.value():
            bar.setValue(round(first))
        elif last > bar.value() + size:
            bar.setValue(round(last - size))

    @Slot()
    def _on_theme(self) -> None:
        self.viewport().update()


class MergeTreePane(QWidget):
    """The tree view with its caption and buttons. ``view`` has the signals."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = MergeTreeView(theme, self)
        self._buttons: list[QToolButton] = []
        self.caption = QLabel(self)
        self.caption.setTextFormat(Qt.TextFormat.PlainText)
        self.caption.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = row_of((self.caption, 1), spacing=2)
        self.shapes = QTabBar(objectName="mergeShape")
        self.shapes.addTab(self.tr("Blocks"))
        self.shapes.addTab(self.tr("Tree"))
        self.shapes.setTabToolTip(0, self.tr("One column a byte, parts below their token"))
        row.addWidget(segments(self.shapes, "mergeShapes", self.tr("How merges are drawn")))
        row.addSpacing(8)
        self.shapes.tabBarClicked.connect(self._on_shape)
        self.shapes.currentChanged.connect(self._on_shape)
        self.view.shape_changed.connect(self._show_shape)
        self._show_shape(self.view.in_blocks)
        row.addWidget(self._button("−", self.tr("Make the tree smaller (-)"), self.view.zoom_out))
        row.addWidget(self._button("+", self.tr("Make the tree larger (+)"), self.view.zoom_in))
        row.addWidget(self._button("1:1", self.tr("Show the tree in full size (1)"), self.view.zoom_full))
        row.addWidget(self._button(self.tr("Fit"), self.tr("Show the whole tree (0)"), self.view.fit))
        column_of(row, (self.view, 1), parent=self, spacing=4)

    @property
    def tab_order(self) -> tuple[QWidget, ...]:
        """The widgets in tab order."""
        return (self.shapes, *self._buttons, self.view)

    @Slot(int)
    def _on_shape(self, index: int) -> None:
        self.view.set_shape((BLOCKS, TREE)[index])

    @Slot(bool)
    def _show_shape(self, blocks: bool) -> None:
        blocker = QSignalBlocker(self.shapes)
        self.shapes.setCurrentIndex(0 if blocks else 1)
        blocker.unblock()

    def show_forest(self, forest: MergeForest, caption: str = "", hint: str = "") -> None:
        """Show this forest, and its caption. ``hint``: shown if it is empty."""
        if forest.is_cut:
            cut = self.tr("Too large to draw in full; ⋮ marks what is omitted.")
            caption = f"{caption}. {cut}" if caption else cut
        self.caption.setText(caption)
        self.caption.setToolTip(plain_tip(caption))
        self.view.show_forest(forest, hint)

    def _button(self, text: str, tip: str, act: Callable[[], None]) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(act)
        self._buttons.append(button)
        return button
