"""Treemap of a folder: rectangles with areas in proportion to tokens, two levels deep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from gui.core.token_text import visible_line
from gui.files.file_tree import MAX_TYPES, TOP
from gui.look.fonts import set_weight
from gui.look.theme import Theme
from gui.widgets.labels import plain_tip

if TYPE_CHECKING:
    from gui.files.file_tree import FileTree, FileTreeModel

MAX_TILES = 80
"""Maximum number of tiles on the outer level; smaller nodes share the last one."""
MAX_CELLS = 24
"""Maximum number of cells in a tile; smaller nodes share the last one."""
MIN_INSIDE = 48
"""Minimum height of a folder's tile to show its content, in pixels."""
HEAD = 21
MARGIN = 5
RADIUS, CELL_RADIUS = 5.0, 3.0
HATCH = 7
EDGE_ALPHA = 110
DISABLED_OPACITY = 0.4
STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Down: 1,
}


class Cell(NamedTuple):
    """A node inside a folder's tile. The nodes too small for their own cell share one; its ``node`` is TOP."""

    node: int
    area: QRectF
    smaller: int = 0


class Treemap(QWidget):
    """Map of the content of one folder, largest first, and inside each subfolder of its own content.

    Fills show the file type with the most tokens; unchecked nodes are hatched.

    Arrow keys move between tiles, Enter opens the current one, Backspace goes up, Space checks and unchecks. A double
    click opens a tile or a cell.

    Signals: ``opened(int)``: a file is to be opened; ``folder_changed(int)``: another folder is shown.
    """

    opened = Signal(int)
    folder_changed = Signal(int)

    def __init__(self, model: FileTreeModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("filesTreemap")
        self.setAccessibleName(self.tr("Folder map; areas show tokens"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._model, self._theme = model, theme
        self.folder = TOP
        self.nodes: list[int] = []
        self.rest: list[int] = []
        self._tiles: list[QRectF] = []
        self._cells: list[list[Cell]] = []
        self._current = 0
        model.modelReset.connect(self._on_reset)
        model.chosen.connect(self.update)
        theme.changed.connect(self.update)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 120)

    def sizeHint(self) -> QSize:
        return QSize(360, 300)

    @property
    def _tree(self) -> FileTree:
        """The tree shown. Only for where there are tiles."""
        tree = self._model.tree
        assert tree is not None
        return tree

    @property
    def current(self) -> int | None:
        """The node of the current tile; None if there are no tiles."""
        return self.nodes[self._current] if self._current < len(self.nodes) else None

    def cells(self, index: int) -> tuple[Cell, ...]:
        """Return the cells of a tile."""
        return tuple(self._cells[index])

    def tile(self, index: int) -> QRectF:
        """Return the area of a tile."""
        return self._tiles[index]

    def show_folder(self, node: int, current: int | None = None) -> None:
        """Show the content of a folder, with ``current`` as the current tile."""
        self.folder = node
        self._gather()
        self._current = self.nodes.index(current) if current in self.nodes else 0
        self._describe()
        self.update()
        self.folder_changed.emit(node)

    @property
    def can_go_up(self) -> bool:
        """True if the folder shown has a parent to show."""
        tree = self._model.tree
        return tree is not None and self.folder != TOP and int(tree.parents[self.folder]) != TOP

    @Slot()
    def go_up(self) -> None:
        """Show the parent of this folder."""
        tree = self._model.tree
        if tree is not None and self.can_go_up:
            self.show_folder(int(tree.parents[self.folder]), self.folder)

    @Slot()
    def _on_reset(self) -> None:
        tree = self._model.tree
        self.show_folder(only_child(self._model) if tree is not None else TOP)

    # --- the layout ---------------------------------------------------------------------------------------------------

    def _gather(self) -> None:
        inner = [int(node) for node in self._model.largest_children(self.folder)]
        self.nodes, self.rest = inner[:MAX_TILES], inner[MAX_TILES:]
        self._lay_out()

    def _lay_out(self) -> None:
        tree = self._model.tree
        self._tiles, self._cells = [], []
        if tree is None or not self.nodes:
            return
        self._tiles = self._areas_of(self.nodes, self.rest, QRectF(self.rect()).adjusted(1, 1, -1, -1))
        for index, tile in enumerate(self._tiles):
            self._cells.append(self._cells_of(self.nodes[index], tile) if index < len(self.nodes) else [])

    def _cells_of(self, node: int, tile: QRectF) -> list[Cell]:
        """Lay out the content of a folder if there is room for it."""
        tree = self._tree
        inside = tile.adjusted(4, HEAD + 1, -4, -4)
        if tree.is_file(node) or tile.height() < MIN_INSIDE or inside.width() < 2 * MARGIN:
            return []
        inner = [int(child) for child in self._model.largest_children(node)]
        nodes, rest = inner[:MAX_CELLS], inner[MAX_CELLS:]
        areas = self._areas_of(nodes, rest, inside)
        return [Cell(child, area) for child, area in zip(nodes, areas, strict=False)] + [
            Cell(TOP, area, len(rest)) for area in areas[len(nodes) :]
        ]

    def _areas_of(self, nodes: Sequence[int], rest: Sequence[int], area: QRectF) -> list[QRectF]:
        """Return the areas of nodes, followed by the shared area of all smaller ones."""
        tree = self._tree
        sizes = [float(tree.node_tokens[0, node]) for node in nodes]
        if rest:
            sizes.append(float(min(sizes[-1], sum(int(tree.node_tokens[0, node]) for node in rest))))
        return [
            QRectF(area.x() + tile.x, area.y() + tile.y, tile.width, tile.height).adjusted(1, 1, -1, -1)
            for tile in squarified(sizes, area.width(), area.height())
        ]

    # --- descriptions -------------------------------------------------------------------------------------------------

    def sentence_of(self, index: int) -> str:
        """Describe a tile."""
        return self._sentence(self.nodes[index], 0) if index < len(self.nodes) else self._sentence(TOP, len(self.rest))

    def _sentence(self, node: int, smaller: int) -> str:
        if node == TOP:
            return self.tr("{n} smaller ones").format(n=f"{smaller:,}")
        words = self._model.sentence(node)
        choice = self._model.choice
        if choice is not None and not choice.checked_files(node):
            words += self.tr(", not checked")
        return words

    def _describe(self) -> None:
        if self._tiles:
            number = self.tr("{n} of {all}").format(n=self._current + 1, all=len(self._tiles))
            self.setAccessibleDescription(f"{self.sentence_of(self._current)} ({number})")
        else:
            self.setAccessibleDescription(self.tr("Nothing here has tokens."))

    # --- events -------------------------------------------------------------------------------------------------------

    def _go_to(self, index: int) -> None:
        if self._tiles:
            self._current = max(0, min(index, len(self.nodes) - 1))
            self._describe()
            self.update()

    def _open(self, node: int | None) -> None:
        tree = self._model.tree
        if node is None or node == TOP or tree is None:
            return
        if tree.is_file(node):
            self.opened.emit(node)
        else:
            self.show_folder(node)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        choice, node = self._model.choice, self.current
        if key in STEPS:
            self._go_to(self._current + STEPS[Qt.Key(key)])
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._go_to(0 if key == Qt.Key.Key_Home else len(self.nodes))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open(node)
        elif key == Qt.Key.Key_Backspace:
            self.go_up()
        elif key == Qt.Key.Key_Space and choice is not None and node is not None:
            self._model.check((node,), not choice.checked_files(node))
            self._describe()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._at(event.position().x(), event.position().y())
        if index is not None and index < len(self.nodes):
            self._go_to(index)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        x, y = event.position().x(), event.position().y()
        index = self._at(x, y)
        if index is None or index >= len(self.nodes):
            return
        cell = self._cell_at(index, x, y)
        self._open(self.nodes[index] if cell is None or cell.node == TOP else cell.node)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            x, y = event.pos().x(), event.pos().y()
            index = self._at(x, y)
            if index is None:
                QToolTip.hideText()
                return True
            cell = self._cell_at(index, x, y)
            words = self.sentence_of(index) if cell is None else self._sentence(cell.node, cell.smaller)
            area = self._tiles[index] if cell is None else cell.area
            QToolTip.showText(event.globalPos(), plain_tip(words), self, area.toRect())
            return True
        return super().event(event)

    def _at(self, x: float, y: float) -> int | None:
        return next((index for index, tile in enumerate(self._tiles) if tile.contains(x, y)), None)

    def _cell_at(self, index: int, x: float, y: float) -> Cell | None:
        return next((cell for cell in self._cells[index] if cell.area.contains(x, y)), None)

    # --- painting -----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # paths are left to right in every language
            if not self.isEnabled():
                painter.setOpacity(DISABLED_OPACITY)
            if not self._tiles:
                painter.setPen(self._theme.colour("quiet"))
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.tr("Nothing to show"))
            fills = type_fills(self._theme)
            for index, tile in enumerate(self._tiles):
                self._paint_tile(painter, index, tile, fills)
            if self._tiles and self.hasFocus():
                painter.setPen(QPen(self._theme.colour("focus"), 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(self._tiles[self._current].adjusted(1, 1, -1, -1), RADIUS, RADIUS)

    def _paint_tile(self, painter: QPainter, index: int, tile: QRectF, fills: Sequence[tuple[QColor, QColor]]) -> None:
        tree = self._tree
        is_rest = index >= len(self.nodes)
        node = TOP if is_rest else self.nodes[index]
        is_folder = not is_rest and not tree.is_file(node)
        fill, edge = self._colours(node, fills)
        if self._cells[index]:
            fill = self._theme.colour("page")
        self._paint_area(painter, tile, fill, edge, node, hatched=not self._cells[index])
        for cell in self._cells[index]:
            self._paint_cell(painter, cell, fills)
        lines = self._lines(index, node, is_folder)
        if self._cells[index]:
            self._write_head(painter, tile, node, lines[0])
        else:
            self._write(painter, tile, lines, node, fill)

    def _paint_cell(self, painter: QPainter, cell: Cell, fills: Sequence[tuple[QColor, QColor]]) -> None:
        tree = self._tree
        fill, edge = self._colours(cell.node, fills)
        self._paint_area(painter, cell.area, fill, edge, cell.node, radius=CELL_RADIUS)
        if cell.node == TOP:
            lines: tuple[str, ...] = (self.tr("{n} more").format(n=f"{cell.smaller:,}"),)
        else:
            slash = "" if tree.is_file(cell.node) else "/"
            lines = (visible_line(tree.names[cell.node]) + slash, f"{int(tree.node_tokens[0, cell.node]):,}")
        self._write(painter, cell.area, lines, cell.node, fill)

    def _colours(self, node: int, fills: Sequence[tuple[QColor, QColor]]) -> tuple[QColor, QColor]:
        """Return fill and edge for the file type with the most tokens of a node."""
        tree = self._tree
        if node == TOP:
            return fills[-1]
        file_type = int(tree.node_types[node])
        return fills[file_type] if tree.file_types and tree.file_types[file_type].suffix else fills[-1]

    def _paint_area(
        self,
        painter: QPainter,
        area: QRectF,
        fill: QColor,
        edge: QColor,
        node: int,
        *,
        radius: float = RADIUS,
        hatched: bool = True,
    ) -> None:
        path = QPainterPath()
        path.addRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.fillPath(path, fill)
        if hatched and self._unchecked(node):
            painter.save()
            painter.setClipPath(path)
            painter.setPen(QPen(self._theme.colour("outline"), 1))
            for step in range(int((area.width() + area.height()) / HATCH) + 1):
                x = area.left() - area.height() + step * HATCH
                painter.drawLine(int(x), int(area.bottom()), int(x + area.height()), int(area.top()))
            painter.restore()
        painter.strokePath(path, QPen(edge, 1))

    def _unchecked(self, node: int) -> bool:
        choice = self._model.choice
        return node != TOP and choice is not None and not choice.checked_files(node)

    def _write_head(self, painter: QPainter, tile: QRectF, node: int, name: str) -> None:
        """Draw the name of a folder and, if there is room, its tokens at the end of the line."""
        tree = self._tree
        painter.save()
        font = QFont(painter.font())
        set_weight(font)
        area = QRectF(tile.left() + MARGIN + 2, tile.top() + 1, tile.width() - 2 * MARGIN - 4, HEAD)
        figure = f"{int(tree.node_tokens[0, node]):,}"
        painter.setPen(self._theme.colour("quiet"))
        width = area.width() - painter.fontMetrics().horizontalAdvance(figure) - 2 * MARGIN
        if width > QFontMetrics(font).averageCharWidth() * 6:
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, figure)
        else:
            width = area.width()
        painter.setFont(font)
        painter.setPen(self._theme.colour("text"))
        shown = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, int(width))
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.restore()

    def _write(self, painter: QPainter, area: QRectF, lines: Sequence[str], node: int, fill: QColor) -> None:
        """Draw as many lines as fit; on a hatched area each gets a plain background."""
        metrics = painter.fontMetrics()
        inner = area.adjusted(MARGIN, 2, -MARGIN, -2)
        if inner.width() < metrics.averageCharWidth() * 4:
            return
        for number, words in enumerate(fitting_lines(lines, metrics, int(inner.width()))):
            top = inner.top() + number * metrics.height()
            if top + metrics.height() > inner.bottom() + 1:
                return
            spot = QRectF(inner.left(), top, inner.width(), metrics.height())
            if self._unchecked(node):
                ground = QRectF(spot.left() - 2, top, metrics.horizontalAdvance(words) + 4, metrics.height())
                painter.fillRect(ground, fill)
            painter.setPen(self._theme.colour("text"))
            painter.drawText(spot, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)

    def _lines(self, index: int, node: int, is_folder: bool) -> tuple[str, ...]:
        tree = self._tree
        if index >= len(self.nodes):
            return (self.sentence_of(index),)
        name = visible_line(tree.names[node]) + ("/" if is_folder else "")
        return name, f"{int(tree.node_tokens[0, node]):,}", self._model.share(node)


def type_fills(theme: Theme) -> list[tuple[QColor, QColor]]:
    """Return fill and edge of each file type; the last pair is for all other files."""
    tokens = theme.token_palette("by_id")
    edge = theme.colour("outline")
    if tokens.gaps:  # high contrast has no gaps and keeps opaque edges
        edge.setAlpha(EDGE_ALPHA)
    fills = [(fill, edge) for fill in (tokens.fills or ())[:MAX_TYPES]]
    return [*fills, (theme.colour("sunken"), edge)]


def fitting_lines(lines: Sequence[str], metrics: QFontMetrics, width: int) -> list[str]:
    """Return the lines that fit into a width: the name is elided, figures that do not fit are dropped."""
    name, *figures = lines
    shortened = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, width)
    return [shortened, *(figure for figure in figures if metrics.horizontalAdvance(figure) <= width)]


def only_child(model: FileTreeModel) -> int:
    """Return the folder at the top if it is the only node there, else the top itself."""
    children = model.largest_children(TOP)
    tree = model.tree
    if tree is not None and len(children) == 1 and not tree.is_file(int(children[0])):
        return int(children[0])
    return TOP


class Tile(NamedTuple):
    """A rectangle, in pixels."""

    x: float
    y: float
    width: float
    height: float


def squarified(sizes: Sequence[float], width: float, height: float) -> list[Tile]:
    """Return a tile for each size, in order; together they fill the area. ``sizes``: positive, in descending order."""
    whole = sum(sizes)
    if not sizes or width <= 0 or height <= 0:
        return []
    areas = [size * width * height / whole for size in sizes]
    tiles: list[Tile] = []
    x = y = 0.0
    while areas:
        along = min(width, height)
        row = _row(areas, along)
        del areas[: len(row)]
        deep = sum(row) / along
        offset = 0.0
        for area in row:
            length = area / deep
            tiles.append(Tile(x, y + offset, deep, length) if width >= height else Tile(x + offset, y, length, deep))
            offset += length
        if width >= height:
            x, width = x + deep, max(width - deep, 1e-9)
        else:
            y, height = y + deep, max(height - deep, 1e-9)
    return tiles


def _row(areas: Sequence[float], along: float) -> list[float]:
    """Return the first areas that form one row: adds areas as long as this improves the worst aspect ratio."""
    row: list[float] = []
    for area in areas:
        if row and _worst([*row, area], along) > _worst(row, along):
            break
        row.append(area)
    return row


def _worst(row: Sequence[float], along: float) -> float:
    """Return the worst aspect ratio of a row of tiles, at least 1."""
    whole = sum(row)
    return max(along**2 * max(row) / whole**2, whole**2 / (along**2 * min(row)))
