"""The pages beside the table of entries: comparison with another vocabulary, and the lengths of tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QModelIndex, QObject, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QWidget

from gui.core.token_text import visible
from gui.look.quantities import TrainingText, figure
from gui.look.theme import Theme
from gui.runtime.event_loop import PlotTurn
from gui.runtime.loading import Loading
from gui.tokenizers.vocabulary.table import tr
from gui.widgets.forms import column_of, label_of, row_of
from gui.widgets.labels import PlainLabel, wrapped_label
from gui.widgets.table_model import Column, TableModel
from gui.widgets.tables import ROW_PADDING, StretchedTable, set_up_rows
from gui.widgets.tool_row import EncodingPicker

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.vocabulary.entry_diagnostics import Comparison
    from gui.tokenizers.vocabulary.plots import LengthPlots
    from gui.tokenizers.vocabulary.service import Lengths

GROUPS = (
    QT_TRANSLATE_NOOP("Vocabulary", "In both, same ID"),
    QT_TRANSLATE_NOOP("Vocabulary", "In both, different ID"),
    QT_TRANSLATE_NOOP("Vocabulary", "Only in {here}"),
    QT_TRANSLATE_NOOP("Vocabulary", "Only in {there}"),
)
"""Labels of groups, in the order of ``engine.vocabulary.entry_diagnostics.GROUPS``."""

SAME_ID, OTHER_ID, ONLY_HERE, ONLY_THERE = range(4)
DIFFERENCES = (ONLY_HERE, ONLY_THERE, OTHER_ID, SAME_ID)
"""Groups by priority: a comparison initially shows the first one that has entries."""
HERE, THERE = range(2)
"""Columns of the IDs."""


class ComparisonModel(TableModel):
    """One row for each entry: those in only one vocabulary by length, longest first; the others by ID.

    A row is the pair of its IDs in the first and the second vocabulary, -1 if it lacks the entry.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_columns("", ""), parent=parent, context="Vocabulary")

    def set_group(self, comparison: Comparison | None, group: int) -> None:
        """Show a group of a comparison, or nothing."""
        if comparison is None:
            self.show((), columns=_columns("", ""))
            self._view = None  # vocabularies are large
        else:
            columns = _columns(comparison.first.name, comparison.second.name)
            self.show(_longest_first(comparison, group), comparison, columns)

    def ids_at(self, row: int) -> tuple[int, int]:
        """Return the IDs in the first and the second vocabulary, -1 if it lacks the entry."""
        here, there = self.row_at(row)
        return int(here), int(there)


def _columns(here: str, there: str) -> tuple[Column, ...]:
    """Return the columns: the IDs in both vocabularies, and the token. The view is the comparison."""
    return (
        Column("here", here, "", lambda ids, _comparison: _id_text(ids[HERE]), numeric=True),
        Column("there", there, "", lambda ids, _comparison: _id_text(ids[THERE]), numeric=True),
        Column("token", QT_TRANSLATE_NOOP("Vocabulary", "Token"), "", _token),
    )


def _id_text(token_id: int) -> str:
    return str(token_id) if token_id >= 0 else "–"


def _token(ids: Sequence[int], comparison: Comparison) -> str:
    here, there = ids
    entries, token_id = (comparison.first, here) if here >= 0 else (comparison.second, there)
    return visible(entries.token_bytes(int(token_id))[:60])


def _longest_first(comparison: Comparison, group: int) -> Any:
    """Return the pairs of a group; entries in only one vocabulary by length, since the unusual ones are long."""
    pairs = comparison.pairs(group)
    if group not in (ONLY_HERE, ONLY_THERE) or not len(pairs):
        return pairs
    entries, column = (comparison.first, 0) if group == ONLY_HERE else (comparison.second, 1)
    return pairs[(-entries.byte_lengths[pairs[:, column]]).argsort(kind="stable")]


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
        self.group = QComboBox(objectName="vocabCompareGroup", accessibleName=self.tr("Entries to list"))
        self.words = wrapped_label("vocabCompareWords")
        self.model = ComparisonModel(self)
        self.table = StretchedTable(objectName="vocabCompareTable")
        self._set_up_table()
        self._lay_out()
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
        same, moved, mine, theirs = (figure(self.locale(), count) for count in counts)
        for words, count in zip(GROUPS, (same, moved, mine, theirs), strict=True):
            self.group.addItem(f"{tr(words).format(here=here, there=there)} ({count})")
        self.group.setCurrentIndex(chosen)
        self.group.blockSignals(False)
        self._show_lists(True)
        both = figure(self.locale(), counts[SAME_ID] + counts[OTHER_ID])
        self.words.setText(
            self.tr(
                "{both} tokens are in both: {same} with the same ID, {moved} with another. {mine} are only in {here}, "
                "{theirs} only in {there}."
            ).format(both=both, same=same, moved=moved, mine=mine, theirs=theirs, here=here, there=there)
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

    def _lay_out(self) -> None:
        row = row_of(label_of(self.other, self.tr("Compare &with")), (self.other, 1))
        column_of(row, self.words, self.group, (self.table, 1), 0, parent=self, margins=(8, 8, 0, 0), spacing=6)


class LengthsPage(QWidget):
    """Page with a description of the lengths, and their plots, which are created when the page is first shown."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("vocabLengths")
        self.setAccessibleName(self.tr("Token lengths"))
        self._theme, self._text = theme, TrainingText(self.locale())
        self._lengths: Lengths | None = None
        self.plots: LengthPlots | None = None
        self._problem: PlainLabel | None = None
        self._loading = Loading(self)
        self._turn = PlotTurn(theme, self, self._draw)
        self.words = wrapped_label("vocabLengthsWords")
        self.words.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        column_of(self.words, 1, parent=self, margins=(8, 8, 0, 0))

    def set_lengths(self, name: str, lengths: Lengths) -> None:
        """Show the lengths of the vocabulary of that name."""
        self._lengths = lengths
        write = self._text
        self.words.setText(
            self.tr(
                "The {count} learned tokens of {name} average {mean} bytes (median {median}, longest {longest}). "
                "Dashed line: longest token nearby. 32 bytes or more are drawn as 32."
            ).format(
                count=write.number(lengths.total),
                name=name,
                mean=write.decimal(lengths.mean, 2),
                median=write.number(lengths.median),
                longest=write.number(len(lengths.counts) - 1),
            )
        )
        self._draw()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.plots is None:
            self._loading.when_loaded(("gui.tokenizers.vocabulary.plots",), self._make_plots)
        else:
            self._turn.ask_later()

    @Slot()
    def _make_plots(self) -> None:
        if self.plots is not None or self._problem is not None:
            return
        column = self.layout()
        column.takeAt(column.count() - 1)
        try:
            from gui.tokenizers.vocabulary.plots import LengthPlots
        except ImportError as error:
            self._problem = PlainLabel(self.tr("Could not draw the charts: {reason}").format(reason=error))
            self._problem.setWordWrap(True)
            column.addWidget(self._problem, 1)
        else:
            self.plots = LengthPlots(self._theme, self._text)
            self.plots.setAccessibleName(self.tr("Tokens by length, and length by ID; the text above says the same"))
            column.addWidget(self.plots, 1)
            self._draw()

    def _draw(self) -> None:
        if self.plots is not None and self._lengths is not None and self.isVisible():
            self.plots.draw(self._lengths)
