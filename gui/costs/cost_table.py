"""Table model of the cost rows, and how their cells are drawn.

The model keeps its own index of rows: filtering and sorting 100 rows takes well under a millisecond, where a
``QSortFilterProxyModel`` would call Python for each comparison. New figures of the same rows keep the selection. If the
set of rows changes, the model is reset, and the view restores the selection by model ID.

Cells show names with their provider, counts with a dot for their quality, amounts with muted zeros, stars, and shares
of a context window. New figures arrive several times a second while the user types, and most cells stay the same: one
token more in a quarter of a million shows in a single column. Painting a cell takes fifty times as long as comparing
it, so the table remembers how each cell looked and repaints only those that differ.

``Dot`` and ``RunsLabel`` draw dots and amounts outside the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import lru_cache
from math import cos, pi, sin
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.core.figures import ASSUMED, ESTIMATED, EXACT, Run
from gui.core.token_text import visible_line
from gui.costs.columns import (
    COLUMN_INDEX,
    COLUMNS,
    CostView,
    column_places,
    context_ends,
    drawn_runs,
    hint_of,
    quality_of,
    title_of,
    tr,
    why_unknown,
)
from gui.costs.money_text import CostText
from gui.costs.rows import Arranged, Arrangement, CostRow, SortKey, arrange
from gui.look.fonts import set_weight
from gui.look.theme import Theme
from gui.widgets.bars import draw_share
from gui.widgets.delegates import SINGLE_LINE
from gui.widgets.labels import as_written
from gui.widgets.table_model import TableModel

if TYPE_CHECKING:
    from gui.costs.cost_service import CostService


_NO_INDEX = QModelIndex()


class CostTableModel(TableModel):
    """Table model with a row for each model and the columns declared in ``COLUMNS``.

    ``rows`` includes hidden ones, in the order of the price table.

    Signals: ``arranged()`` after the rows, their order or the user's choices changed; ``current_changed()`` if another
    model is current; ``price_typed(str, str, str)`` with a model's ID, the path of a price in a price file and the
    typed text. The price itself changes only with the file.
    """

    arranged = Signal()
    current_changed = Signal()
    price_typed = Signal(str, str, str)

    def __init__(self, text: CostText, today: date, parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, CostView(text, today, today), parent, visible=False)
        self._rows: tuple[CostRow, ...] = ()
        self.arrangement = Arrangement()
        """User's choices of order, filter, favourites and hidden models."""
        self.result = Arranged((), 0, 0, 0, 0)
        """Rows shown, and the numbers of rows not shown."""
        self.stale = False
        """True if the figures are those of an earlier text."""
        self._search: dict[str, str] = {}
        self._service: CostService | None = None
        self.edited.connect(self._on_edited)

    def shown_rows(self) -> list[CostRow]:
        """Return the visible rows, in the order of the table."""
        return [self._rows[index] for index in self.result.order]

    def row_at(self, row: int) -> CostRow:
        """Return the row at this index of the table. Raises IndexError."""
        return self._rows[self.result.order[row]]

    def row_of_model(self, model_id: str) -> int:
        """Return the index at which a model is shown, or -1 if it is not."""
        for row, index in enumerate(self.result.order):
            if self._rows[index].model_id == model_id:
                return row
        return -1

    def follow(self, service: CostService) -> None:
        """Show the rows of a service, marked as stale while they belong to an earlier text."""
        self._service = service
        service.estimated.connect(self._on_estimated)
        service.stale_changed.connect(self.set_stale)
        self._on_estimated(service.rows)

    @Slot(object)
    def _on_estimated(self, rows: tuple[CostRow, ...]) -> None:
        service = self._service
        if service is not None and service.scenario is not None:
            self.set_rows(rows, service.scenario.calls, service.today, service.scenario.on)

    def set_rows(self, rows: Sequence[CostRow], calls: int, today: date, on: date) -> None:
        """Show these rows. ``calls`` is used in the title of the total for all calls; ages count from ``today``."""
        header_changes = calls != self._view.calls
        same_models = [row.model for row in rows] == [row.model for row in self._rows]
        if not same_models:
            self._search.clear()
        self._rearrange(tuple(rows), self.arrangement, replace(self._view, calls=calls, today=today, on=on))
        if header_changes:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def set_arrangement(self, arrangement: Arrangement) -> None:
        """Set another arrangement."""
        if arrangement != self.arrangement:
            sorting = arrangement.sort != self.arrangement.sort
            self._rearrange(self._rows, arrangement, self._view)
            if sorting:
                self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def change(self, **choices: Any) -> None:
        """Change some of the user's choices; names as in ``Arrangement``."""
        self.set_arrangement(replace(self.arrangement, **choices))

    def set_text(self, text: CostText) -> None:
        """Set the locale and currency of figures."""
        self._search.clear()
        self._rearrange(self._rows, self.arrangement, replace(self._view, text=text))

    def set_plan(self, budget: Decimal | None, calls_a_day: int) -> None:
        """Set the budget for all calls, and the calls per day (0: not given)."""
        view = replace(self._view, budget=budget, calls_a_day=calls_a_day)
        if view != self._view:
            self._rearrange(self._rows, self.arrangement, view)

    def set_current(self, model_id: str) -> None:
        """Set the model whose figures the window shows."""
        if model_id != self._view.current:
            self._view = replace(self._view, current=model_id)
            self.notify_changed()
            self.current_changed.emit()

    def set_stale(self, stale: bool) -> None:
        """Mark the figures as those of an earlier text, or as current."""
        if stale != self.stale:
            self.stale = stale
            self.notify_changed()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by one column only, as requested by ``QTableView.sortByColumn``."""
        if 0 <= column < len(COLUMNS):
            self.change(sort=(SortKey(COLUMNS[column].key, order == Qt.SortOrder.DescendingOrder),))

    def sort_also(self, column: int) -> None:
        """Append a sort column, or reverse its direction if it is one already."""
        key = COLUMNS[column].key
        keys = list(self.arrangement.sort)
        for rank, sort_key in enumerate(keys):
            if sort_key.column == key:
                keys[rank] = SortKey(key, not sort_key.descending)
                break
        else:
            keys.append(SortKey(key))
        self.change(sort=tuple(keys))

    def sort_keys(self) -> list[tuple[int, Qt.SortOrder]]:
        """Return the sort columns and their directions, the primary one first."""
        orders = (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder)
        return [(COLUMN_INDEX[key.column], orders[key.descending]) for key in self.arrangement.sort]

    def cell_text(self, row: CostRow, column: int) -> str:
        """Return the text of a cell."""
        return COLUMNS[column].text(row, self._view)

    def tone(self, row: CostRow, column: int) -> str:
        """Return ``stale``, ``muted``, ``warning``, ``error`` or ""."""
        declared = COLUMNS[column]
        if self._is_stale(row, column):
            return "stale"
        tone = declared.tone(row, self._view) if declared.tone else ""
        return tone or ("muted" if row.estimate.retired or row.model_id in self.arrangement.hidden else "")

    def _is_stale(self, row: CostRow, column: int) -> bool:
        """Return True if a cell shows a figure of an earlier text."""
        return COLUMNS[column].counted and (self.stale or row.pending)

    def title(self, column: int) -> str:
        return title_of(COLUMNS[column], self._view)

    def hint(self, column: int) -> str:
        return hint_of(COLUMNS[column], self._view)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.result.order)

    def _read(self, row: CostRow, column: int, role: int) -> str:
        """Return one sentence about a cell; the inspector has the details."""
        declared, names = COLUMNS[column], {"column": self.title(column), "model": row.model.name}
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return tr("{column} of {model}").format(**names)
        if role == Qt.ItemDataRole.ToolTipRole:
            if declared.key == "model":
                return as_written(row.model_id)
            words = tr("{model}, {column}: {text}").format(**names, text=declared.text(row, self._view) or tr("none"))
            return as_written(why_unknown(declared, row, self._view) or words)
        text = (declared.spoken or declared.text)(row, self._view)
        return tr("{text}, for an earlier text").format(text=text) if self._is_stale(row, column) else text

    @Slot(object, str, str)
    def _on_edited(self, row: CostRow, key: str, typed: str) -> None:
        self.price_typed.emit(row.model_id, COLUMNS[COLUMN_INDEX[key]].edits, typed)

    def _search_text(self, row: CostRow) -> str:
        text = self._search.get(row.model_id)
        if text is None:
            model = row.model
            label = model.count.label if model.count.tokenizer else None
            parts = (model.id, model.name, model.provider, model.count.tokenizer or "", label or "")
            text = " ".join((*parts, self._view.text.label(label), *model.aliases)).casefold()
            self._search[row.model_id] = text
        return text

    def _rearrange(self, rows: tuple[CostRow, ...], arrangement: Arrangement, view: CostView) -> None:
        baseline = next((row for row in rows if row.model_id == arrangement.baseline), None)
        view = replace(view, baseline=baseline, favourites=arrangement.favourites)
        values = {column.key: _bound(column.sort, view) for column in COLUMNS}
        result = arrange(rows, arrangement, values, self._search_text, view.budget)
        view = replace(view, places=column_places((rows[index] for index in result.order), view))
        before = [self._rows[index].model_id for index in self.result.order]
        after = [rows[index].model_id for index in result.order]
        if before == after:
            self._take(rows, arrangement, view, result)
            self.notify_changed()
        elif len(before) == len(after) and set(before) == set(after):
            self._move(before, after, (rows, arrangement, view, result))
        else:
            self.beginResetModel()
            self._take(rows, arrangement, view, result)
            self.endResetModel()
        self.arranged.emit()

    def _move(self, before: list[str], after: list[str], state: tuple[Any, ...]) -> None:
        """Reorder the same rows, so that selections and the current cell stay with their models.

        While the user types, models of almost the same cost change places, often out of sight. A view repaints all rows
        if their order changed, but only the cells that look different if their data changed. So the order counts as
        changed only if a row moves between the first and the last row whose index a view keeps. For a range of selected
        rows, it keeps only those of its two ends.
        """
        held = [index.row() for index in self.persistentIndexList()]
        span = slice(min(held, default=0), max(held, default=-1) + 1)
        if before[span] == after[span]:
            self._take(*state)
            self.notify_changed()
            return
        rows = {model_id: row for row, model_id in enumerate(after)}
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        self._take(*state)
        new = [self.index(rows[before[index.row()]], index.column()) for index in old]
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()

    def _take(self, rows: tuple[CostRow, ...], arrangement: Arrangement, view: CostView, result: Arranged) -> None:
        self._rows, self.arrangement, self._view, self.result = rows, arrangement, view, result


def _bound(sort: Callable[[CostRow, CostView], Any], view: CostView) -> Callable[[CostRow], Any]:
    return lambda row: sort(row, view)


# --- cells ------------------------------------------------------------------------------------------------------------

Index = QModelIndex | QPersistentModelIndex

PADDING = 6
DOT_RADIUS = 4.0
DOT_ROOM = 16.0
BAR_WIDTH, BAR_HEIGHT = 54.0, 4.0
STAR_RADIUS = 6.5
INNER_RADIUS = 0.42
"""Inner radius of a five-pointed star of radius 1. Exact is 0.38; a fuller star is clearer when small."""
MIN_DETAIL = 28.0
"""Minimum room for a provider after a name, in pixels; with less, not even its ellipsis is useful."""
ROW_PADDING = 11
HEADING_HEIGHT = 26
"""Height of the vendor's name above its rows, in pixels."""
MAX_WIDTHS = 5_000
BAR_STEPS = 2000
"""Number of distinguished lengths of a bar: finer than the pixels of any cell."""

_TONES = {"stale": "stale", "muted": "stale", "warning": "warning", "error": "error"}
_DOTS = {EXACT: "success", ESTIMATED: "warning", ASSUMED: "stale"}


def draw_current_bar(painter: QPainter, area: QRectF, colour: QColor, *, mirrored: bool) -> None:
    """Draw the bar that marks the row of the current model, at the start of a cell. Needs antialiasing."""
    left = area.right() - 4 if mirrored else area.left() + 1
    bar = QPainterPath()
    bar.addRoundedRect(QRectF(left, area.top() + 5, 3, area.height() - 10), 1.5, 1.5)
    painter.fillPath(bar, colour)


def draw_dot(painter: QPainter, centre: QPointF, quality: str, colour: QColor) -> None:
    """Draw the quality of a count: a full dot if exact, half full if estimated, a ring if assumed."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1.4))
    painter.setBrush(colour if quality == EXACT else Qt.BrushStyle.NoBrush)
    radius = DOT_RADIUS - 0.7
    painter.drawEllipse(centre, radius, radius)
    if quality == ESTIMATED:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        area = QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius)
        painter.drawPie(area, 90 * 16, 180 * 16)


def star(centre: QPointF, radius: float) -> QPolygonF:
    """Return a five-pointed star, one point up. A shape rather than a character, since not every font has stars."""
    return _star(radius).translated(centre)


@lru_cache(maxsize=8)
def _star(radius: float) -> QPolygonF:
    corners = []
    for step in range(10):
        reach = radius if step % 2 == 0 else radius * INNER_RADIUS
        angle = pi / 5 * step
        corners.append(QPointF(reach * sin(angle), -reach * cos(angle)))
    return QPolygonF(corners)


def dot_colour(theme: Theme, quality: str) -> QColor:
    """Return the colour of a quality's dot."""
    return theme.colour(_DOTS[quality])


class Look(NamedTuple):
    """Data that a cell is drawn from. ``bar``: low and high end in steps; ``mark``: a quality, or ``current``."""

    runs: tuple[Run, ...]
    tone: str = ""
    mark: str = ""
    bar: tuple[int, ...] = ()


class CellLooks:
    """Cache of how cells look. A repaint without new data uses it."""

    def __init__(self, model: CostTableModel) -> None:
        self._model = model
        self._painted: dict[tuple[int, int], Look] = {}

    def paint(self, row: int, column: int) -> Look:
        """Return the look of a cell that is about to be painted, and remember it."""
        look = self._painted[row, column] = self.look(row, column)
        return look

    def differs(self, row: int, column: int) -> bool:
        """Return True if a cell looks different from when it was last painted."""
        return self._painted.get((row, column)) != self.look(row, column)

    def heading(self, position: int) -> str:
        """Return the vendor whose group of rows begins here; "" if none does or rows are not grouped."""
        model = self._model
        if not model.arrangement.by_vendor or not 0 <= position < model.rowCount():
            return ""
        vendor = model.row_at(position).model.provider
        return vendor if position == 0 or vendor != model.row_at(position - 1).model.provider else ""

    def look(self, position: int, column: int) -> Look:
        """Return how a cell looks now."""
        row, declared, view = self._model.row_at(position), COLUMNS[column], self._model.view
        tone = self._model.tone(row, column)
        if not declared.painted:
            text = self._model.cell_text(row, column)
            return Look((Run(text, strong=text != view.text.unknown()),), tone)
        current = "current" if row.model_id == view.current else ""
        if declared.painted == "star":
            return Look((Run("*"),) if row.model_id in view.favourites else (), tone, current)
        if declared.painted == "share":
            ends = context_ends(row)
            bar = () if ends is None else tuple(round(end * BAR_STEPS) for end in ends)
            return Look((Run(self._model.cell_text(row, column), strong=False),), tone, bar=bar)
        if declared.painted == "name" and self._model.arrangement.by_vendor:
            # The heading above names the provider.
            return Look((drawn_runs(declared, row, view)[0], Run("", strong=False)), tone, current)
        mark = quality_of(row) if declared.painted == "tokens" else current if declared.painted == "name" else ""
        return Look(drawn_runs(declared, row, view), tone, mark)


class Fonts:
    """Three weights of a table's font, and the widths of the texts drawn in them."""

    def __init__(self) -> None:
        self.fonts: dict[QFont.Weight, QFont] = {}
        self.metrics: dict[QFont.Weight, QFontMetricsF] = {}
        self._widths: dict[tuple[str, QFont.Weight], float] = {}

    def forget(self) -> None:
        """Drop the derived fonts after the table's font changed."""
        for known in (self.fonts, self.metrics, self._widths):
            known.clear()

    def use(self, font: QFont) -> None:
        """Derive the weights from a font if that is not done yet."""
        if self.fonts:
            return
        for weight in (QFont.Weight.Normal, QFont.Weight.Medium, QFont.Weight.DemiBold):
            made = QFont(font)
            set_weight(made, weight)
            self.fonts[weight], self.metrics[weight] = made, QFontMetricsF(made)

    def width(self, text: str, weight: QFont.Weight) -> float:
        """Return the width of a text. Cached, since Qt would shape it each time and most texts recur at every count."""
        width = self._widths.get((text, weight))
        if width is None:
            if len(self._widths) > MAX_WIDTHS:
                self._widths.clear()
            width = self._widths[text, weight] = self.metrics[weight].horizontalAdvance(text)
        return width


class CostCells(QStyledItemDelegate):
    """The one delegate of the table. It queries the model directly: Qt's default delegate requests a dozen roles per
    cell through ``QVariant``, which makes painting several times slower."""

    def __init__(self, theme: Theme, looks: CellLooks, parent: QWidget | None = None, *, bars: bool = True) -> None:
        """``bars``: draw a bar beside each share."""
        super().__init__(parent)
        self.bars = bars
        self.theme = theme
        self._looks = looks
        self.fonts = Fonts()
        self._colours: dict[str, QColor] = {}
        theme.changed.connect(self._colours.clear)

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(option.rect.width(), option.fontMetrics.height() + ROW_PADDING)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = super().createEditor(parent, option, index)
        if isinstance(editor, QLineEdit):
            editor.setAlignment(Qt.AlignmentFlag.AlignRight)  # as in the cell
        editor.setAccessibleName(str(index.data(Qt.ItemDataRole.AccessibleDescriptionRole)))
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Fill an editor, unless the user has typed in it: new figures arrive at any time."""
        if not (isinstance(editor, QLineEdit) and editor.isModified()):
            super().setEditorData(editor, index)

    def colour(self, role: str) -> QColor:
        """Return a colour of the theme."""
        if role not in self._colours:
            self._colours[role] = self.theme.colour(role)
        return self._colours[role]

    def width(self, row: int, column: int, font: QFont) -> float:
        """Return the width that a cell needs for its whole text; a name without its provider."""
        self.fonts.use(font)
        look, painted = self._looks.look(row, column), COLUMNS[column].painted
        runs = look.runs[:1] if painted == "name" else look.runs
        extra = {"tokens": DOT_ROOM, "share": BAR_WIDTH + PADDING if self.bars else 0.0}.get(painted, 0.0)
        return sum(self.fonts.width(run.text, QFont.Weight.DemiBold) for run in runs) + extra + 2 * PADDING + 2

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        column = index.column()
        look = self._looks.paint(index.row(), column)
        declared = COLUMNS[column]
        self.fonts.use(option.font)
        painter.save()
        cell = option.rect.adjusted(0, self.height_above(index.row()), 0, 0)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(cell, self.colour("information_base"))
        area = QRectF(cell).adjusted(PADDING, 0, -PADDING, 0)
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        pen = _Pen(painter, self, area, look.tone, mirrored)
        if declared.numeric or declared.painted in ("tokens", "share"):
            painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # in every locale, numbers run left to right
        if declared.painted == "star":
            self._draw_star(painter, QRectF(cell), look, mirrored)
        elif declared.painted == "name":
            self._draw_name(pen, look)
        elif declared.painted == "share":
            self._draw_share(pen, look)
        elif declared.painted == "tokens":
            pen.from_end(look.runs, area.right() - DOT_ROOM, QFont.Weight.Medium)
            if look.mark:
                centre = QPointF(pen.flipped(area.right() - DOT_RADIUS - 1, 0), area.center().y() + 0.5)
                draw_dot(painter, centre, look.mark, self.colour(_DOTS[look.mark]))
        elif declared.numeric:
            pen.from_end(look.runs, area.right(), QFont.Weight.DemiBold)
        else:
            pen.from_start(look.runs[0].text, area.left(), QFont.Weight.Normal, "text")
        painter.restore()

    def height_above(self, position: int) -> int:
        """Return the height of the heading above a row; 0 if there is none."""
        return HEADING_HEIGHT if self._looks.heading(position) else 0

    def draw_heading(self, painter: QPainter, area: QRect, position: int, mirrored: bool) -> None:
        """Draw the name of the vendor whose rows begin at row ``position``, over all columns."""
        self.fonts.use(self.parent().font())  # type: ignore[union-attr]
        painter.save()
        painter.fillRect(area, self.colour("page"))
        painter.fillRect(area.left(), area.bottom(), area.width(), 1, self.colour("line"))
        inside = QRectF(area).adjusted(2 * PADDING, 0, -2 * PADDING, 0)
        pen = _Pen(painter, self, inside, "", mirrored)
        pen.from_start(visible_line(self._looks.heading(position)), inside.left(), QFont.Weight.DemiBold, "text")
        painter.restore()

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        editor.setGeometry(option.rect.adjusted(0, self.height_above(index.row()), 0, 0))

    def _draw_star(self, painter: QPainter, area: QRectF, look: Look, mirrored: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if look.mark:
            draw_current_bar(painter, area, self.colour("accent"), mirrored=mirrored)
        filled = bool(look.runs)
        colour = self.colour("warning" if filled else "stale")
        painter.setPen(QPen(colour, 1.1))
        painter.setBrush(colour if filled else Qt.BrushStyle.NoBrush)
        painter.drawPolygon(star(area.center() + QPointF(1.5, 0.5), min(STAR_RADIUS, area.height() * 0.3)))

    def _draw_name(self, pen: _Pen, look: Look) -> None:
        weight = QFont.Weight.DemiBold if look.mark else QFont.Weight.Medium
        end = pen.from_start(look.runs[0].text, pen.area.left(), weight, "text")
        if pen.area.right() - end - 8 > MIN_DETAIL:
            pen.from_start(look.runs[1].text, end + 8, QFont.Weight.Normal, "stale")

    def _draw_share(self, pen: _Pen, look: Look) -> None:
        start = pen.from_end(look.runs, pen.area.right(), QFont.Weight.Normal)
        width = min(BAR_WIDTH, start - pen.area.left() - PADDING)
        if not self.bars or not look.bar or width < BAR_WIDTH / 2:
            return
        track = QRectF(pen.area.left(), pen.area.center().y() - BAR_HEIGHT / 2 + 0.5, width, BAR_HEIGHT)
        pen.draw_share(track, (look.bar[0] / BAR_STEPS, look.bar[1] / BAR_STEPS))


class _Pen:
    """Painter of one cell, which mirrors positions for right-to-left text."""

    def __init__(self, painter: QPainter, cells: CostCells, area: QRectF, tone: str, mirrored: bool) -> None:
        self._painter, self._cells, self.area, self._tone, self._mirrored = painter, cells, area, tone, mirrored

    def flipped(self, x: float, width: float) -> float:
        """Return the x of something of this width, mirrored in right-to-left layouts."""
        return self.area.left() + self.area.right() - x - width if self._mirrored else x

    def draw_share(self, area: QRectF, ends: tuple[float, float]) -> None:
        """Draw the bar of a share of a context window."""
        bar = QRectF(self.flipped(area.left(), area.width()), area.top(), area.width(), area.height())
        draw_share(self._painter, bar, ends, self._cells.colour, mirrored=self._mirrored)

    def from_start(self, text: str, x: float, weight: QFont.Weight, role: str) -> float:
        """Draw a text, elided if it does not fit; return its right end."""
        space = self.area.right() - x
        width = self._cells.fonts.width(text, weight)
        if width > space:
            text = self._cells.fonts.metrics[weight].elidedText(text, Qt.TextElideMode.ElideRight, space)
            width = self._cells.fonts.width(text, weight)
        self._write(text, x, width, weight, role)
        return x + width

    def from_end(self, runs: tuple[Run, ...], right: float, weight: QFont.Weight) -> float:
        """Write parts that end at ``right``, the strong ones in this weight; return their start."""
        parts = [(run, weight if run.strong else QFont.Weight.Normal) for run in runs if run.text]
        widths = [self._cells.fonts.width(run.text, run_weight) for run, run_weight in parts]
        space = right - self.area.left()
        if sum(widths) > space:
            # A figure cut at its end would read as another figure, so it is elided.
            text = "".join(run.text for run, _ in parts)
            cut = self._cells.fonts.metrics[weight].elidedText(text, Qt.TextElideMode.ElideRight, space)
            width = self._cells.fonts.width(cut, weight)
            self._write(cut, right - width, width, weight, "text")
            return right - width
        start = right - sum(widths)
        # In right-to-left layouts the whole is mirrored; its parts keep their order, as digits do.
        x = self.flipped(start, sum(widths))
        for (run, run_weight), width in zip(parts, widths, strict=True):
            self._write_at(run.text, x, width, run_weight, "text" if run.strong else "stale")
            x += width
        return start

    def _write(self, text: str, x: float, width: float, weight: QFont.Weight, role: str) -> None:
        self._write_at(text, self.flipped(x, width + 1), width, weight, role)

    def _write_at(self, text: str, left: float, width: float, weight: QFont.Weight, role: str) -> None:
        font, metrics = self._cells.fonts.fonts[weight], self._cells.fonts.metrics[weight]
        if self._tone == "stale":
            font = QFont(font)
            font.setItalic(True)
        self._painter.setFont(font)
        self._painter.setPen(self._cells.colour(_TONES.get(self._tone, role)))
        top = self.area.center().y() - metrics.height() / 2
        rectangle = QRectF(left, top, width + 1, metrics.height())
        self._painter.drawText(rectangle, SINGLE_LINE, text)


class Dot(QWidget):
    """Mark of a count quality, or of the current model, in a legend."""

    def __init__(self, quality: str, theme: Theme) -> None:
        super().__init__()
        self._quality, self._theme = quality, theme
        self.setFixedSize(12, 14)
        theme.changed.connect(self.update)

    def set_quality(self, quality: str) -> None:
        """Show the mark of this quality."""
        self._quality = quality
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            if self._quality:
                colour = dot_colour(self._theme, self._quality)
                draw_dot(painter, QPointF(6, self.height() / 2), self._quality, colour)
            else:
                painter.fillRect(4, 1, 3, 12, self._theme.colour("accent"))


class RunsLabel(QWidget):
    """Label of the parts of an amount, the strong ones in a heavier weight. ``text()`` is the whole."""

    def __init__(self, name: str, theme: Theme) -> None:
        super().__init__(objectName=name)
        self._theme = theme
        self._runs: tuple[Run, ...] = ()
        self._fonts = Fonts()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def text(self) -> str:
        """Return the whole text."""
        return "".join(run.text for run in self._runs)

    def set_runs(self, runs: Sequence[Run]) -> None:
        """Show these parts."""
        if tuple(runs) != self._runs:
            self._runs = tuple(runs)
            self.setAccessibleName(self.text())
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(int(sum(self._widths())) + 2, self.fontMetrics().height() + 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fonts.forget()
            self.updateGeometry()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            widths = self._widths()
            x = self.width() - 1 - sum(widths) if self.isRightToLeft() else 0.0
            metrics = self.fontMetrics()
            line = (self.height() + metrics.ascent() - metrics.descent()) / 2
            for run, width in zip(self._runs, widths, strict=True):
                painter.setFont(self._fonts.fonts[_weight(run)])
                painter.setPen(self._theme.colour("text" if run.strong else "stale"))
                painter.drawText(QPointF(x, line), run.text)
                x += width

    def _widths(self) -> list[float]:
        self._fonts.use(self.font())
        return [self._fonts.width(run.text, _weight(run)) for run in self._runs]


def _weight(run: Run) -> QFont.Weight:
    return QFont.Weight.DemiBold if run.strong else QFont.Weight.Normal
