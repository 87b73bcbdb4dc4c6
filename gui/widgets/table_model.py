"""Declarative table model: columns are records, and the model answers Qt from them.

A cell depends on its row and on ``view``, the shared state of the table: how amounts are formatted, which rows are
marked. So a column is a frozen record of functions of ``(row, view)``, and a table is a sequence of rows::

    COLUMNS = (
        Column("model", QT_TRANSLATE_NOOP("Prices", "Model"), "", lambda row, view: row.name),
        Column("price", QT_TRANSLATE_NOOP("Prices", "Price"), "", price_text, numeric=True, sort=price),
    )
    model = TableModel(COLUMNS, context="Prices")
    model.show(rows)

Accessible texts, tooltips, edits, check marks and exports are fields of the same records. Delegates that query a model
directly use ``shown`` and ``side``, as ``TextDelegate`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import wraps
from typing import Any, ClassVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from gui.core.exports import ExportTable
from gui.core.token_text import visible_lines
from gui.widgets.labels import as_written

Index = QModelIndex | QPersistentModelIndex
Cell = Callable[[Any, Any], Any]
"""A function of a row and the view."""

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter

_NO_INDEX = QModelIndex()
_Role = Qt.ItemDataRole
_READABLE = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren


Data = Callable[..., Any]

_READ = (
    *(Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole),
    *(Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.AccessibleDescriptionRole),
)
"""Roles whose text is read on the screen or by a screen reader."""


def plain_tips(data: Data) -> Data:
    """Decorate ``data`` so that tooltips are shown literally, never as HTML."""

    @wraps(data)
    def plain(self: Any, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        value = data(self, index, role)
        return as_written(value) if role == Qt.ItemDataRole.ToolTipRole and isinstance(value, str) else value

    return plain


def everything_visible(data: Data) -> Data:
    """Like ``plain_tips``, and make characters that hide or reorder text visible, also in accessible texts."""

    @wraps(data)
    def visible(self: Any, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        value = data(self, index, role)
        if isinstance(value, str) and role in _READ:
            return visible_lines(value)
        return value

    return plain_tips(visible)


class TableRole(IntEnum):
    """Custom data roles: the row object, the sort value of a cell, and the tone of a cell."""

    ROW = Qt.ItemDataRole.UserRole
    SORT = Qt.ItemDataRole.UserRole + 1
    TONE = Qt.ItemDataRole.UserRole + 2


@dataclass(frozen=True, slots=True)
class Column:
    """A column. ``title`` and ``hint``, the tooltip of the header, are source texts for translation.

    ``sort`` returns the sort value, None if unknown; ``exported`` the exact values of an export under stable names.
    ``tip`` is the tooltip of a cell, ``spoken`` the accessible text if it differs, ``described`` the accessible
    description. ``tone`` names a role of the theme, or is empty. ``edit`` returns the initial text of an editor, None
    if the cell is read-only; ``check`` whether a cell is ticked, None if it has no check box. ``roles`` provides values
    for other roles of Qt.
    """

    key: str
    title: str
    hint: str
    text: Cell
    sort: Cell | None = None
    exported: tuple[tuple[str, Cell], ...] = ()
    numeric: bool = field(default=False, kw_only=True)
    tip: Cell | None = field(default=None, kw_only=True)
    spoken: Cell | None = field(default=None, kw_only=True)
    described: Cell | None = field(default=None, kw_only=True)
    tone: Cell | None = field(default=None, kw_only=True)
    edit: Cell | None = field(default=None, kw_only=True)
    check: Cell | None = field(default=None, kw_only=True)
    roles: Mapping[int, Cell] = field(default_factory=dict, kw_only=True)


class TableModel(QAbstractTableModel):
    """A table of rows with declared columns.

    Signals: ``edited(object, str, str)`` with a row, the key of a column and the text typed into the cell;
    ``check_changed(object, str, bool)`` with a row and the key of a column. The model itself changes only when it
    receives other rows.
    """

    edited = Signal(object, str, str)
    check_changed = Signal(object, str, bool)

    def __init__(
        self,
        columns: Sequence[Column],
        view: Any = None,
        parent: QObject | None = None,
        *,
        context: str = "",
        visible: bool = True,
    ) -> None:
        """``context``: translation context. ``visible``: make invisible characters visible, as untrusted texts need."""
        super().__init__(parent)
        self.columns = tuple(columns)
        self._context, self._visible = context, visible
        self._view = view
        self._rows: Sequence[Any] = ()

    @property
    def rows(self) -> Sequence[Any]:
        """The rows, in table order."""
        return self._rows

    @property
    def view(self) -> Any:
        """The state that cells depend on besides their row."""
        return self._view

    def show(self, rows: Sequence[Any], view: Any = None, columns: Sequence[Column] | None = None) -> None:
        """Show these rows; ``view`` and ``columns`` are unchanged if omitted."""
        self.beginResetModel()
        self._rows = rows
        self._view = self._view if view is None else view
        self.columns = self.columns if columns is None else tuple(columns)
        self.endResetModel()

    def update(self, rows: Sequence[Any]) -> None:
        """Show updated rows, in the same number and order: the selection and an open editor stay."""
        self._rows = rows
        self.notify_changed()

    def row_at(self, position: int) -> Any:
        """Return the row at a position. Raises IndexError."""
        return self._rows[position]

    def shown(self, position: int, column: int) -> str:
        """Return the text of a cell."""
        text: str = self.columns[column].text(self.row_at(position), self.view)
        return visible_lines(text) if self._visible else text

    def side(self, column: int) -> Qt.AlignmentFlag:
        """Return the alignment of a column and its title."""
        return RIGHT if self.columns[column].numeric else LEFT

    def title(self, column: int) -> str:
        """Return the translated title of a column."""
        text = QCoreApplication.translate(self._context, self.columns[column].title) if self._context else ""
        return text or self.columns[column].title

    def hint(self, column: int) -> str:
        """Return the tooltip of a column's header."""
        hint = self.columns[column].hint
        return QCoreApplication.translate(self._context, hint) if hint and self._context else hint

    def tone(self, row: Any, column: int) -> str:
        """Return the theme role of a cell; empty for the default."""
        tone = self.columns[column].tone
        return tone(row, self.view) if tone is not None else ""

    def notify_changed(self, column: int | None = None) -> None:
        """Notify views that all cells changed, or those of one column."""
        last = self.rowCount() - 1
        if last >= 0:
            left, right = (0, len(self.columns) - 1) if column is None else (column, column)
            self.dataChanged.emit(self.index(0, left), self.index(last, right))

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column if it is sortable. Equal rows keep their order; unknown values come last."""
        value = self.columns[column].sort if 0 <= column < len(self.columns) else None
        if value is None:
            return
        values = {id(row): value(row, self.view) for row in self._rows}
        known = [row for row in self._rows if values[id(row)] is not None]
        unknown = [row for row in self._rows if values[id(row)] is None]
        known.sort(key=lambda row: values[id(row)], reverse=order == Qt.SortOrder.DescendingOrder)
        self.layoutAboutToBeChanged.emit()
        before = [self._rows[index.row()] for index in self.persistentIndexList()]
        self._rows = [*known, *unknown]
        positions = {id(row): number for number, row in enumerate(self._rows)}
        old = self.persistentIndexList()
        new = [self.index(positions[id(row)], index.column()) for row, index in zip(before, old, strict=True)]
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()

    # Qt's interface

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= self.rowCount():
            return None
        if role == _Role.DisplayRole:
            return self.shown(index.row(), index.column())
        row, column = self.row_at(index.row()), self.columns[index.column()]
        if role == _Role.TextAlignmentRole:
            return self.side(index.column())
        if role in (_Role.ToolTipRole, _Role.AccessibleTextRole, _Role.AccessibleDescriptionRole):
            return self._read(row, index.column(), role)
        if role == TableRole.ROW:
            return row
        if role == TableRole.TONE:
            return self.tone(row, index.column())
        if role == _Role.CheckStateRole and column.check is not None:
            ticked = column.check(row, self.view)
            return None if ticked is None else Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked
        answer = {TableRole.SORT: column.sort, _Role.EditRole: column.edit}.get(role) or column.roles.get(role)
        return answer(row, self.view) if answer is not None else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        if role == _Role.DisplayRole:
            return visible_lines(self.title(section)) if self._visible else self.title(section)
        if role == _Role.ToolTipRole:
            return self.hint(section) or None
        if role == _Role.TextAlignmentRole:
            return self.side(section)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        row, column, flags = self.row_at(index.row()), self.columns[index.column()], _READABLE
        if column.edit is not None and column.edit(row, self.view) is not None:
            flags |= Qt.ItemFlag.ItemIsEditable
        if column.check is not None and column.check(row, self.view) is not None:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags

    def setData(self, index: Index, value: Any, role: int = _Role.EditRole) -> bool:
        """Emit the signal for typed text or a toggled box. Returns True only for a box: typed text appears when the
        rows are replaced."""
        if not index.isValid():
            return False
        row, column, flags = self.row_at(index.row()), self.columns[index.column()], self.flags(index)
        if role == _Role.CheckStateRole and flags & Qt.ItemFlag.ItemIsUserCheckable:
            self.check_changed.emit(row, column.key, Qt.CheckState(value) is Qt.CheckState.Checked)
            return True
        if role == _Role.EditRole and column.edit is not None and flags & Qt.ItemFlag.ItemIsEditable:
            typed = str(value).strip()
            if typed != column.edit(row, self.view):
                self.edited.emit(row, column.key, typed)
        return False

    def _read(self, row: Any, column: int, role: int) -> str | None:
        """Return the tooltip, accessible text or accessible description of a cell."""
        declared = self.columns[column]
        cell = {
            _Role.ToolTipRole: declared.tip,
            _Role.AccessibleTextRole: declared.spoken,
            _Role.AccessibleDescriptionRole: declared.described,
        }[role]
        text = cell(row, self.view) if cell is not None else None
        if not text:
            return None
        text = visible_lines(text) if self._visible else text
        return as_written(text) if role == _Role.ToolTipRole else text


def exact_table(columns: Sequence[Column], rows: Sequence[Any], view: Any) -> ExportTable:
    """Return exact values under stable names; a range takes three columns: the value, its low and its high end."""
    fields = [one for column in columns for one in column.exported]
    return ExportTable(
        tuple(name for name, _ in fields), tuple(tuple(value(row, view) for _, value in fields) for row in rows)
    )


def readable_table(columns: Sequence[Column], titles: Sequence[str], rows: Sequence[Any], view: Any) -> ExportTable:
    """Return the displayed texts under the titles of their columns."""
    return ExportTable(
        tuple(titles),
        tuple(tuple(column.text(row, view) for column in columns) for row in rows),
        numeric=frozenset(title for title, column in zip(titles, columns, strict=True) if column.numeric),
    )


class RowsModel(QAbstractTableModel):
    """Base class of simple models. Subclasses define the number of columns, the numeric columns, titles and cells."""

    COLUMNS: ClassVar[int]
    FIGURES: ClassVar[tuple[int, ...]] = ()
    """Numeric columns, right-aligned like their titles."""
    rows: Sequence[Any] = ()

    def set_rows(self, rows: Sequence[Any]) -> None:
        """Show these rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def titles(self) -> tuple[str, ...]:
        """Return the titles of the columns."""
        raise NotImplementedError

    def cell(self, row: Any, column: int) -> str:
        """Return the text of a cell."""
        raise NotImplementedError

    def shown(self, row: int, column: int) -> str:
        """Return the text of a cell by its row number."""
        return self.cell(self.rows[row], column)

    def side(self, column: int) -> Qt.AlignmentFlag:
        """Return the alignment of a column."""
        return RIGHT if column in self.FIGURES else LEFT

    def notify_column(self, column: int) -> None:
        """Notify views that all cells of a column changed."""
        if self.rows:
            self.dataChanged.emit(self.index(0, column), self.index(len(self.rows) - 1, column))

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else self.COLUMNS

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.shown(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in self.FIGURES:
            return RIGHT
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.titles()[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.side(section)
        return None
