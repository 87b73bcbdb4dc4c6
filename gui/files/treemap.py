"""A folder as a picture: what is in it as rectangles, as large as their tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QBrush,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from gui.files.file_tree import TOP
from gui.files.treemap_layout import squarified
from gui.look.plain_tip import plain_tip
from gui.look.theme import Theme
from gui.look.token_text import visible_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QFontMetrics

    from gui.files.file_tree_model import FileTreeModel

MOST_TILES = 80
"""What is smaller than so many others is not told apart."""

MARGIN = 4
DISABLED_OPACITY = 0.4
STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Down: 1,
}


class Treemap(QWidget):
    """Shows what is in one folder, the largest first. Folders have a double frame and a slash behind their names; what
    is not checked is hatched.

    Arrow keys go from one to the next, Enter opens it, Backspace goes up, Space checks and unchecks.

    Signals: ``opened(int)``: Enter or a double click on a node; ``current_changed(int)``.
    """

    opened = Signal(int)
    current_changed = Signal(int)

    def __init__(self, model: FileTreeModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("filesTreemap")
        self.setAccessibleName(self.tr("Map of the folder: areas are tokens"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._model, self._theme = model, theme
        self.folder = TOP
        self.nodes: list[int] = []
        self.rest: list[int] = []
        self._tiles: list[QRectF] = []
        self._current = 0
        model.modelReset.connect(self._on_reset)
        model.chosen.connect(self.update)
        theme.changed.connect(self.update)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 120)

    def sizeHint(self) -> QSize:
        return QSize(360, 300)

    @property
    def current(self) -> int | None:
        """The node that the keyboard is at."""
        return self.nodes[self._current] if self._current < len(self.nodes) else None

    def show_folder(self, node: int, current: int | None = None) -> None:
        """Show what is in a folder, the keyboard at ``current``."""
        self.folder = node
        self._gather()
        self._current = self.nodes.index(current) if current in self.nodes else 0
        self._describe()
        self.update()

    @Slot()
    def _on_reset(self) -> None:
        tree = self._model.tree
        self.show_folder(only_child(self._model) if tree is not None else TOP)

    def _gather(self) -> None:
        tree = self._model.tree
        self.nodes, self.rest = [], []
        if tree is not None:
            inner = [int(node) for node in self._model.largest_children(self.folder)]
            self.nodes, self.rest = inner[:MOST_TILES], inner[MOST_TILES:]
        self._lay_out()

    def _lay_out(self) -> None:
        tree = self._model.tree
        self._tiles = []
        if tree is None or not self.nodes:
            return
        sizes = [float(tree.node_tokens[0, node]) for node in self.nodes]
        if self.rest:
            sizes.append(float(min(sizes[-1], sum(int(tree.node_tokens[0, node]) for node in self.rest))))
        area = self.rect().adjusted(1, 1, -2, -2)
        for tile in squarified(sizes, float(area.width()), float(area.height())):
            self._tiles.append(QRectF(area.x() + tile.x, area.y() + tile.y, tile.width, tile.height))

    def sentence_of(self, index: int) -> str:
        """One of the rectangles in words."""
        if index < len(self.nodes):
            words = self._model.sentence(self.nodes[index])
            choice = self._model.choice
            if choice is not None and not choice.checked_files(self.nodes[index]):
                words += self.tr(", not checked")
            return words
        return self.tr("{n} smaller ones").format(n=f"{len(self.rest):,}")

    def _describe(self) -> None:
        if self._tiles:
            number = self.tr("{n} of {all}").format(n=self._current + 1, all=len(self._tiles))
            self.setAccessibleDescription(f"{self.sentence_of(self._current)} ({number})")
        else:
            self.setAccessibleDescription(self.tr("Nothing with tokens in it."))

    def _go_to(self, index: int) -> None:
        if self._tiles:
            self._current = max(0, min(index, len(self.nodes) - 1))
            self._describe()
            self.update()
            self.current_changed.emit(self.nodes[self._current])

    def _open(self) -> None:
        node, tree = self.current, self._model.tree
        if node is None or tree is None:
            return
        if tree.is_file(node):
            self.opened.emit(node)
        else:
            self.show_folder(node)
            self.current_changed.emit(node)

    def go_up(self) -> None:
        """Show the folder that this one is in."""
        tree = self._model.tree
        if tree is not None and self.folder != TOP and int(tree.parents[self.folder]) != TOP:
            self.show_folder(int(tree.parents[self.folder]), self.folder)

    # --- events -------------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        choice, node = self._model.choice, self.current
        if key in STEPS:
            self._go_to(self._current + STEPS[Qt.Key(key)])
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._go_to(0 if key == Qt.Key.Key_Home else len(self.nodes))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open()
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
        index = self._at(event.position().x(), event.position().y())
        if index is not None and index == self._current:
            self._open()

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
            index = self._at(event.pos().x(), event.pos().y())
            if index is None:
                QToolTip.hideText()
            else:
                words = plain_tip(self.sentence_of(index))
                QToolTip.showText(event.globalPos(), words, self, self._tiles[index].toRect())
            return True
        return super().event(event)

    def _at(self, x: float, y: float) -> int | None:
        return next((index for index, tile in enumerate(self._tiles) if tile.contains(x, y)), None)

    # --- the picture --------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), self._theme.colour("base"))
            if not self.isEnabled():
                painter.setOpacity(DISABLED_OPACITY)
            if not self._tiles:
                painter.setPen(self._theme.colour("stale"))
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.tr("Nothing to show"))
            for index, tile in enumerate(self._tiles):
                self._paint_tile(painter, index, tile)
            if self._tiles and self.hasFocus():
                painter.setPen(QPen(self._theme.colour("focus"), 3))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(self._tiles[self._current].adjusted(2, 2, -2, -2))

    def _paint_tile(self, painter: QPainter, index: int, tile: QRectF) -> None:
        theme, tree, choice = self._theme, self._model.tree, self._model.choice
        assert tree is not None
        assert choice is not None
        is_rest = index >= len(self.nodes)
        node = TOP if is_rest else self.nodes[index]
        is_folder = not is_rest and not tree.is_file(node)
        painter.setPen(QPen(theme.colour("outline"), 1))
        painter.setBrush(theme.colour("alternate_base" if is_folder else "base"))
        painter.drawRect(tile)
        if is_folder and min(tile.width(), tile.height()) > 3 * MARGIN:
            painter.drawRect(tile.adjusted(2, 2, -2, -2))
        if not is_rest and not choice.checked_files(node):
            painter.fillRect(tile.adjusted(3, 3, -3, -3), _hatched(theme))
        metrics = painter.fontMetrics()
        inner = tile.adjusted(MARGIN + 1, MARGIN, -MARGIN - 1, -MARGIN)
        if inner.width() < metrics.averageCharWidth() * 4:
            return
        painter.setPen(theme.colour("text"))
        for number, words in enumerate(fitting_lines(self._lines(index, node, is_folder), metrics, int(inner.width()))):
            top = inner.top() + number * metrics.height()
            if top + metrics.height() > inner.bottom() + 1:
                return
            spot = QRectF(inner.left(), top, inner.width(), metrics.height())
            if not is_rest and not choice.checked_files(node):
                ground = QRectF(spot.left(), top, metrics.horizontalAdvance(words), metrics.height())
                painter.fillRect(ground, theme.colour("base"))
            painter.drawText(spot, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)

    def _lines(self, index: int, node: int, is_folder: bool) -> tuple[str, ...]:
        tree = self._model.tree
        assert tree is not None
        if index >= len(self.nodes):
            return (self.sentence_of(index),)
        name = visible_line(tree.names[node]) + ("/" if is_folder else "")
        return name, f"{int(tree.node_tokens[0, node]):,}", self._model.share(node)


def fitting_lines(lines: Sequence[str], metrics: QFontMetrics, width: int) -> list[str]:
    """What of a name and its figures is written into so many pixels: the name is shortened, a figure is left out, for
    part of a figure is another one."""
    name, *figures = lines
    shortened = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, width)
    return [shortened, *(figure for figure in figures if metrics.horizontalAdvance(figure) <= width)]


def _hatched(theme: Theme) -> QBrush:
    return QBrush(theme.colour("outline"), Qt.BrushStyle.BDiagPattern)


def only_child(model: FileTreeModel) -> int:
    """The folder at the top where there is but one, else the top itself."""
    children = model.largest_children(TOP)
    tree = model.tree
    if tree is not None and len(children) == 1 and not tree.is_file(int(children[0])):
        return int(children[0])
    return TOP
