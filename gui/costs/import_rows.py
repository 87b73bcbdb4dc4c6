"""What a published price table says otherwise, as rows that can be ticked: model, field, and all three sides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from gui.costs.price_facts import LABELS
from gui.costs.price_facts_service import amount_text
from gui.models.plain_data import everything_visible
from gui.models.rows import RIGHT

if TYPE_CHECKING:
    from gui.costs.price_import_service import Preview
    from pricing.importers import Difference

MODEL, FIELD, BUILT_IN, YOURS, THEIRS, TABLE, OUTCOME = range(7)
_NO_INDEX = QModelIndex()

Index = QModelIndex | QPersistentModelIndex


class ImportRowsModel(QAbstractTableModel):
    """The rows of a preview that are shown, and which of all of them are ticked.

    Signals: ``ticked_changed()``.
    """

    ticked_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Difference, ...] = ()
        self._rivals: Mapping[int, tuple[int, ...]] = {}
        self._shown: Sequence[int] = ()
        self._ticked: set[int] = set()

    @property
    def rows(self) -> tuple[Difference, ...]:
        """All of them, in the order of the models' ids."""
        return self._rows

    @property
    def ticked(self) -> tuple[Difference, ...]:
        """The rows that are picked, shown or not."""
        return tuple(self._rows[place] for place in sorted(self._ticked))

    @property
    def ticked_count(self) -> int:
        """How many rows are picked."""
        return len(self._ticked)

    def set_preview(self, preview: Preview) -> None:
        """Other rows. What was ticked before stays ticked where it is among them; none is shown yet."""
        before = {_key(row) for row in self.ticked}
        self.beginResetModel()
        self._rows, self._rivals, self._shown = preview.rows, preview.rivals or {}, ()
        self._ticked = {place for place, row in enumerate(self._rows) if _key(row) in before} if before else set()
        self.endResetModel()
        self.ticked_changed.emit()

    def show_places(self, places: Sequence[int]) -> None:
        """Show the rows at these places of all."""
        self.beginResetModel()
        self._shown = places
        self.endResetModel()

    def tick_shown(self, on: bool) -> None:
        """Tick every row that is shown and may be picked, or none of them. Where several tables give a value for the
        same field, the first one is taken.
        """
        if on:
            for place in self._shown:
                taken = any(rival in self._ticked for rival in self._rivals.get(place, ()))
                if self._rows[place].applicable and not taken:
                    self._ticked.add(place)
        else:
            self._ticked.difference_update(self._shown)
        self._ticks_changed()

    def tick(self, shown_rows: Iterable[int], on: bool) -> None:
        """Tick some of the rows that are shown, or no longer."""
        for place in (self._shown[row] for row in shown_rows):
            if not on:
                self._ticked.discard(place)
            elif self._rows[place].applicable:
                self._ticked.difference_update(self._rivals.get(place, ()))  # a field has one value
                self._ticked.add(place)
        self._ticks_changed()

    def is_ticked(self, shown_row: int) -> bool:
        """Whether a row that is shown is picked."""
        return self._shown[shown_row] in self._ticked

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else OUTCOME + 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index) | Qt.ItemFlag.ItemNeverHasChildren
        if index.isValid() and index.column() == MODEL and self._rows[self._shown[index.row()]].applicable:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags

    @everything_visible
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        place, column = self._shown[index.row()], index.column()
        row = self._rows[place]
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(row, column)
        if role == Qt.ItemDataRole.CheckStateRole and column == MODEL and row.applicable:
            return Qt.CheckState.Checked if place in self._ticked else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.ToolTipRole:
            return _tip(row, column)
        if role == Qt.ItemDataRole.AccessibleTextRole and column == MODEL:
            parts = (_text(row, part) for part in (MODEL, FIELD, THEIRS, OUTCOME))
            return ", ".join((*parts, tr("ticked") if place in self._ticked else tr("not ticked")))
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (BUILT_IN, YOURS, THEIRS):
            return RIGHT
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        self.tick([index.row()], Qt.CheckState(value) is Qt.CheckState.Checked)
        return True

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return (
            *(tr("Model"), tr("Value of"), tr("Built in"), tr("Yours"), tr("Imported")),
            *(tr("Table"), tr("What the import does")),
        )[section]

    def _ticks_changed(self) -> None:
        if self._shown:
            self.dataChanged.emit(self.index(0, MODEL), self.index(len(self._shown) - 1, MODEL))
        self.ticked_changed.emit()


def _key(row: Difference) -> tuple[str, str, str]:
    return row.table, row.model_id, row.path


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("ImportRows", text)


def field_words(path: str) -> str:
    """A field as the form of a model calls it."""
    return QCoreApplication.translate("PriceFacts", LABELS.get(path, path))


def value_words(value: Any) -> str:
    """A value as a price file writes it, in words. Amounts are US dollars per million tokens."""
    if value is None:
        return ""
    if isinstance(value, Decimal):
        return amount_text(value)
    if isinstance(value, list):
        return "; ".join(map(value_words, value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {_part_words(part)}" for name, part in value.items())
    if isinstance(value, int):
        return f"{value:,}"
    return value.isoformat() if isinstance(value, date) else str(value)


def _part_words(part: Any) -> str:
    if part is None:
        return tr("n/a")
    words = value_words(part)
    return f"({words})" if isinstance(part, (list, dict)) else words


def _text(row: Difference, column: int) -> str:
    if column == OUTCOME:
        return _outcome(row)
    if column == FIELD:
        return field_words(row.path)
    if column in (BUILT_IN, YOURS, THEIRS):
        return value_words({BUILT_IN: row.bundled, YOURS: row.yours, THEIRS: row.theirs}[column])
    return row.table if column == TABLE else row.model_id


def _outcome(row: Difference) -> str:
    if not row.applicable:
        return tr("yours stays")
    if row.is_new:
        words = tr("adds a new model")
    elif row.state == "adds":
        words = tr("adds what is not known")
    else:
        words = tr("replaces the built-in value")
    return tr("{words}; doubtful").format(words=words) if row.doubt else words


def _tip(row: Difference, column: int) -> str:
    lines = [_text(row, column)]
    if row.doubt:
        lines.append(tr("Doubtful: {why}.").format(why=row.doubt))
    if row.source:
        lines.append(tr("Source: {source}").format(source=row.source))
    if row.checked is not None:
        lines.append(tr("Checked {day}").format(day=row.checked.isoformat()))
    if not row.applicable:
        lines.append(tr("An import never changes a value of your own. Take it out of your file to import this one."))
    return "\n".join(filter(None, lines))
