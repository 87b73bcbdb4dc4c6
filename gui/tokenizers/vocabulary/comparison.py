"""Comparison of two vocabularies: shared entries, entries with other IDs, and entries that only one has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from gui.core.token_text import visible
from gui.look.plain_text import PlainLabel
from gui.look.quantities import figure
from gui.tokenizers.vocabulary.table_model import tr
from gui.widgets.encoding_picker import EncodingPicker
from gui.widgets.tables import StretchedTable, set_up_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.vocabulary.entries.comparison import Comparison

_NO_INDEX = QModelIndex()
Index = QModelIndex | QPersistentModelIndex

GROUPS = (
    QT_TRANSLATE_NOOP("Vocabulary", "In both, same ID"),
    QT_TRANSLATE_NOOP("Vocabulary", "In both, different ID"),
    QT_TRANSLATE_NOOP("Vocabulary", "Only in {here}"),
    QT_TRANSLATE_NOOP("Vocabulary", "Only in {there}"),
)
"""Labels of groups, in the order of ``engine.vocabulary.entries.comparison.GROUPS``."""

SAME_ID, OTHER_ID, ONLY_HERE, ONLY_THERE = range(4)
DIFFERENCES = (ONLY_HERE, ONLY_THERE, OTHER_ID, SAME_ID)
"""Groups by priority: a comparison initially shows the first one that has entries."""
HERE, THERE, TOKEN = range(3)
NOWHERE = "–"


class ComparisonModel(QAbstractTableModel):
    """One row for each entry: those in only one vocabulary by length, longest first; the others by ID."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._comparison: Comparison | None = None
        self._pairs: Any = ()

    def set_group(self, comparison: Comparison | None, group: int) -> None:
        """Show a group of a comparison, or nothing."""
        self.beginResetModel()
        self._comparison = comparison
        self._pairs = () if comparison is None else _longest_first(comparison, group)
        self.endResetModel()

    def ids_at(self, row: int) -> tuple[int, int]:
        """Return the IDs in the first and the second vocabulary, -1 if it lacks the entry."""
        here, there = self._pairs[row]
        return int(here), int(there)

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._pairs)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else 3

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._comparison is None:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        here, there = self.ids_at(index.row())
        if index.column() == TOKEN:
            entries, token_id = (self._comparison.first, here) if here >= 0 else (self._comparison.second, there)
            return visible(entries.token_bytes(token_id)[:60])
        token_id = here if index.column() == HERE else there
        return str(token_id) if token_id >= 0 else NOWHERE

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        if orientation != Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        if section == TOKEN:
            return tr("Token")
        if self._comparison is None:
            return ""
        return (self._comparison.first if section == HERE else self._comparison.second).name


def _longest_first(comparison: Comparison, group: int) -> Any:
    """Return the pairs of a group; entries in only one vocabulary by length, since the unusual ones are long."""
    pairs = comparison.pairs(group)
    if group not in (ONLY_HERE, ONLY_THERE) or not len(pairs):
        return pairs
    entries, column = (comparison.first, 0) if group == ONLY_HERE else (comparison.second, 1)
    return pairs[(-entries.byte_lengths[pairs[:, column]]).argsort(kind="stable")]


def _alignment(column: int) -> Qt.AlignmentFlag:
    """Return the alignment of the cells of a column and of its header."""
    side = Qt.AlignmentFlag.AlignLeft if column == TOKEN else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter


ROW_PADDING = 12


class ComparePage(QWidget):
    """Page that compares the vocabulary shown with another one.

    Signals: ``compare_asked(str)``: compare with the encoding of this name; ``token_asked(int)``: the ID of an entry of
    the vocabulary shown.
    """

    compare_asked = Signal(str)
    token_asked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("vocabCompare")
        self.setAccessibleName(self.tr("Vocabulary comparison"))
        self._comparison: Comparison | None = None
        self._chosen = -1
        self.other = EncodingPicker()
        self.other.setObjectName("vocabOther")
        self.other.setAccessibleName(self.tr("Encoding to compare with"))
        self.other.setPlaceholderText(self.tr("Choose an encoding"))
        self.group = QComboBox(objectName="vocabCompareGroup")
        self.group.setAccessibleName(self.tr("Entries to list"))
        self.words = QLabel(objectName="vocabCompareWords")
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.model = ComparisonModel(self)
        self.table = StretchedTable(objectName="vocabCompareTable")
        self._set_up_table()
        self._place()
        self.show_hint()
        self.other.chosen.connect(self.compare_asked)
        self.group.currentIndexChanged.connect(self._on_group)
        self.group.activated.connect(self._on_chosen)
        self.table.activated.connect(self._on_activated)

    def fill(self, encodings: Iterable[tuple[str, str]]) -> None:
        """Offer these encodings. ``encodings``: name and description of each."""
        nothing = not self.other.currentText()
        self.other.fill(encodings)
        if nothing:
            self.other.show_name("")

    def show_hint(self) -> None:
        """Show that nothing has been compared yet."""
        self._comparison = None
        self._show_lists(False)
        self.words.setText(self.tr("Choose another encoding to see shared and unique tokens."))
        self.model.set_group(None, 0)

    def _show_lists(self, on: bool) -> None:
        """Show or hide the filters and the table, which are empty without a comparison."""
        self.group.setVisible(on)
        self.table.setVisible(on)
        self.layout().setStretch(self.layout().count() - 1, 0 if on else 1)

    def show_comparison(self, comparison: Comparison) -> None:
        """Show a comparison: the group that the user chose, else the first that has differences."""
        self._comparison = comparison
        here, there = comparison.first.name, comparison.second.name
        counts = comparison.counts()
        chosen = self._chosen if self._chosen >= 0 and counts[self._chosen] else -1
        if chosen < 0:
            chosen = next((group for group in DIFFERENCES if counts[group]), SAME_ID)
        self.group.blockSignals(True)
        self.group.clear()
        for words, count in zip(GROUPS, counts, strict=True):
            self.group.addItem(f"{tr(words).format(here=here, there=there)} ({figure(self.locale(), count)})")
        self.group.setCurrentIndex(chosen)
        self.group.blockSignals(False)
        self._show_lists(True)
        both = counts[0] + counts[1]
        write = lambda number: figure(self.locale(), number)  # noqa: E731 - a short name for a method
        self.words.setText(
            self.tr(
                "{both} tokens are in both: {same} with the same ID, {moved} with another. {mine} are only in {here}, "
                "{theirs} only in {there}."
            ).format(
                **{"both": write(both), "same": write(counts[0]), "moved": write(counts[1])},
                **{"mine": write(counts[2]), "theirs": write(counts[3]), "here": here, "there": there},
            )
        )
        self._on_group()

    @Slot(int)
    def _on_chosen(self, group: int) -> None:
        self._chosen = group

    @Slot()
    def _on_group(self) -> None:
        if self._comparison is not None:
            self.model.set_group(self._comparison, self.group.currentIndex())

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        here, _ = self.model.ids_at(index.row())
        if here >= 0:
            self.token_asked.emit(here)

    def _set_up_table(self) -> None:
        table = self.table
        table.setAccessibleName(self.tr("Entries of both vocabularies"))
        table.setModel(self.model)
        set_up_rows(table)
        table.setToolTip(self.tr("Double-click or Enter to go to the token"))
        table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + ROW_PADDING)
        header = table.horizontalHeader()
        header.setStretchLastSection(True)
        for column in (HERE, THERE):
            table.setColumnWidth(column, self.fontMetrics().horizontalAdvance("o200k_harmony  "))

    def _place(self) -> None:
        row = QHBoxLayout()
        label = PlainLabel(self.tr("Compare &with"))
        label.setBuddy(self.other)
        row.addWidget(label)
        row.addWidget(self.other, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 0, 0)
        column.setSpacing(6)
        column.addLayout(row)
        column.addWidget(self.words)
        column.addWidget(self.group)
        column.addWidget(self.table, 1)
        column.addStretch(0)
