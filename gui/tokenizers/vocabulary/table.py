"""The table of entries of a vocabulary: its columns, its model, the painter of its cells, and its view.

Searching and sorting change only the array of IDs, so the table costs the GUI thread the same for 10 rows as for
200,000.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    QCoreApplication,
    QEvent,
    QItemSelectionModel,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.core.token_text import hexadecimal, visible
from gui.look.fonts import fixed_font
from gui.look.quantities import figure
from gui.look.theme import Theme
from gui.widgets.delegates import PLAIN, WHOLE, Pill, PillPainter, ShapedTexts, pair_pills
from gui.widgets.table_model import Column, Index, TableModel
from gui.widgets.tables import CELL_PADDING, ROW_PADDING, SortHeader, copy_rows, set_up_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.vocabulary.entries import EntryTable
    from engine.vocabulary.entry_diagnostics import Diagnosis
    from engine.vocabulary.entry_search import SortKey


# --- columns ----------------------------------------------------------------------------------------------------------

KINDS = {
    "byte": QT_TRANSLATE_NOOP("Vocabulary", "byte"),
    "merge": QT_TRANSLATE_NOOP("Vocabulary", "merged"),
    "special": QT_TRANSLATE_NOOP("Vocabulary", "special"),
    "unused": QT_TRANSLATE_NOOP("Vocabulary", "unused ID"),
    "piece": QT_TRANSLATE_NOOP("Vocabulary", "piece"),
}
"""Labels of kinds of IDs, by the names in ``engine.vocabulary.entries``."""

FINDINGS = {
    "unreachable": QT_TRANSLATE_NOOP("Vocabulary", "unreachable"),
    "partial UTF-8": QT_TRANSLATE_NOOP("Vocabulary", "part of a character"),
    "white space": QT_TRANSLATE_NOOP("Vocabulary", "whitespace"),
    "control": QT_TRANSLATE_NOOP("Vocabulary", "control"),
    "unused id": QT_TRANSLATE_NOOP("Vocabulary", "unused ID"),
}
"""Labels of findings, by the names in ``engine.vocabulary.entry_diagnostics``, in its order."""

FINDING_HINTS = {
    "unreachable": QT_TRANSLATE_NOOP("Vocabulary", "Never produced: its own text encodes to other IDs"),
    "partial UTF-8": QT_TRANSLATE_NOOP("Vocabulary", "Its bytes are not whole characters (partial UTF-8)"),
    "white space": QT_TRANSLATE_NOOP("Vocabulary", "Whitespace only"),
    "control": QT_TRANSLATE_NOOP("Vocabulary", "Contains control or format characters other than whitespace"),
    "unused id": QT_TRANSLATE_NOOP("Vocabulary", "This ID is unused"),
}

SCRIPTS = (
    *("no letters", "Japanese"),
    *("Latin", "Cyrillic", "Greek", "Armenian", "Georgian", "Hebrew", "Arabic", "Ethiopic"),
    *("Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala"),
    *("Thai", "Lao", "Khmer", "Myanmar", "Tibetan", "Mongolian", "Hangul", "Han"),
    "other scripts",
)
"""Copy of ``engine.text.character_classes.SCRIPT_NAMES`` that needs no import of the engine; a test compares both."""

PENDING = "…"
MAX_SHOWN_BYTES = 60
"""Maximum number of bytes of a token shown in a cell."""


def tr(text: str) -> str:
    """Translate in the context of the page Vocabulary."""
    return QCoreApplication.translate("Vocabulary", text)


def _diagnosed(text: Callable[[int, VocabularyTableModel], str]) -> Callable[[int, VocabularyTableModel], str]:
    """Return the function of a column that needs the diagnosis."""
    return lambda token_id, model: PENDING if model.diagnosis is None else text(token_id, model)


def _flags(token_id: int, model: VocabularyTableModel) -> str:
    return ", ".join(tr(FINDINGS[name]) for name in model.diagnosis.findings_of(token_id))


COLUMNS = (
    Column(
        "id",
        QT_TRANSLATE_NOOP("Vocabulary", "ID"),
        QT_TRANSLATE_NOOP("Vocabulary", "The number the model sees"),
        lambda token_id, _model: str(token_id),
        numeric=True,
    ),
    Column(
        "token",
        QT_TRANSLATE_NOOP("Vocabulary", "Token"),
        QT_TRANSLATE_NOOP(
            "Vocabulary", "Text of the token; · is a space, ⏎ a newline, \\x a byte that is not a character"
        ),
        lambda token_id, model: model.token_text(model.entries.token_bytes(token_id)),
    ),
    Column(
        "left",
        QT_TRANSLATE_NOOP("Vocabulary", "Merged from"),
        QT_TRANSLATE_NOOP("Vocabulary", "The two tokens that it is merged from"),
        lambda token_id, model: " ".join(pill.text for pill in model.parents(token_id)),
    ),
    Column(
        "length",
        QT_TRANSLATE_NOOP("Vocabulary", "Bytes"),
        QT_TRANSLATE_NOOP("Vocabulary", "Length in bytes"),
        lambda token_id, model: figure(model.locale, int(model.entries.byte_lengths[token_id])),
        numeric=True,
    ),
    Column(
        "built_in_all",
        QT_TRANSLATE_NOOP("Vocabulary", "Used by"),
        QT_TRANSLATE_NOOP("Vocabulary", "Number of tokens that contain it in their merge tree"),
        _diagnosed(lambda token_id, model: figure(model.locale, int(model.diagnosis.built_in_all[token_id]))),
        numeric=True,
    ),
    Column(
        "kind",
        QT_TRANSLATE_NOOP("Vocabulary", "Kind"),
        QT_TRANSLATE_NOOP("Vocabulary", "Single byte, merged token, special token, or unused ID"),
        lambda token_id, model: tr(KINDS[model.entries.kind(token_id)]),
    ),
    Column(
        "script",
        QT_TRANSLATE_NOOP("Vocabulary", "Script"),
        QT_TRANSLATE_NOOP("Vocabulary", "Script of most of its letters"),
        _diagnosed(lambda token_id, model: tr(model.diagnosis.script(token_id))),
    ),
    Column(
        "findings",
        QT_TRANSLATE_NOOP("Vocabulary", "Flags"),
        QT_TRANSLATE_NOOP("Vocabulary", "Findings from an analysis of the whole vocabulary"),
        _diagnosed(_flags),
    ),
    Column(
        "bytes",
        QT_TRANSLATE_NOOP("Vocabulary", "Hexadecimal"),
        QT_TRANSLATE_NOOP("Vocabulary", "Its bytes in hexadecimal"),
        lambda token_id, model: hexadecimal(model.entries.token_bytes(token_id), 16),
    ),
)
"""Columns of the table. A row is an ID, and the view is the ``VocabularyTableModel``."""
ID, TOKEN, PARENTS, LENGTH, BUILT, KIND, SCRIPT, REMARKS, BYTES = range(len(COLUMNS))

SORT_KEYS: tuple[SortKey, ...] = (
    "id",
    "bytes",
    "left",
    "length",
    "built_in_all",
    "kind",
    "script",
    "findings",
    "bytes",
)
"""Key of each column to sort the entries by."""
WIDEST = (
    *("200,000     ", "·SolidGoldMagikarp  ", "·Golden + Magikarp     ", "Bytes ▼", "Used by ▼"),
    *("unused id ", "Devanagari ", "unreachable, control ", "20 74 6f 6b 65 6e 69"),
)
"""Typical text of each column, which sets its width where there is room."""
FLEXIBLE = {TOKEN: "·SolidGold", PARENTS: "·Gold + Mag", REMARKS: "unreachable"}
"""Columns that can be narrower, and texts that must fit even then."""
HIDDEN_FIRST = (BYTES, SCRIPT, KIND, REMARKS, BUILT)
"""Columns hidden one by one where not all fit: the page of the selected token has what they show."""

NEED_DIAGNOSIS = (SCRIPT, PARENTS, BUILT, REMARKS)
"""Columns that are empty until the diagnosis is done."""


# --- model ------------------------------------------------------------------------------------------------------------

FIXED_FONT = (TOKEN, PARENTS, BYTES)


class VocabularyTableModel(TableModel):
    """One row for each ID.

    Signals: ``sort_asked(int, bool)``: a column, and True for descending order; the receiver sorts.
    """

    sort_asked = Signal(int, bool)

    def __init__(self, locale: QLocale, spelled: Callable[[bytes], str], parent: QObject | None = None) -> None:
        """``spelled``: formats bytes in the byte alphabet of GPT-2."""
        super().__init__(COLUMNS, parent=parent, context="Vocabulary", visible=False)
        self.locale, self._spelled = locale, spelled
        self.entries: EntryTable | None = None
        self.diagnosis: Diagnosis | None = None
        self.ids: NDArray[np.int32] | None = None
        """int32[n]: the ID of each row; None before there is a vocabulary."""
        self._in_letters = False

    @property
    def view(self) -> VocabularyTableModel:
        """The model itself, which has the entries and their diagnosis."""
        return self

    def set_vocabulary(self, entries: EntryTable, ids: NDArray[np.int32]) -> None:
        """Show these IDs of another vocabulary, without a diagnosis."""
        self.entries, self.diagnosis = entries, None
        self.set_ids(ids)

    def set_ids(self, ids: NDArray[np.int32]) -> None:
        """Show these IDs of the same vocabulary."""
        self.ids = ids
        self.show(ids)

    def set_diagnosis(self, diagnosis: Diagnosis) -> None:
        """Fill the columns that need the diagnosis."""
        self.diagnosis = diagnosis
        self.notify_changed()

    def set_in_letters(self, on: bool) -> None:
        """Show tokens in the byte alphabet of GPT-2, or as in the rest of the program."""
        self._in_letters = on
        self.notify_changed()

    def set_locale(self, locale: QLocale) -> None:
        """Format figures for another locale."""
        self.locale = locale
        self.notify_changed()

    def row_of(self, token_id: int) -> int:
        """Return the row of an ID, -1 if it is not shown."""
        if self.ids is None or not len(self.ids):
            return -1
        found = (self.ids == token_id).argmax()
        return int(found) if self.ids[found] == token_id else -1

    def row_at(self, index: int) -> int:
        """Return the ID of a row. Raises IndexError."""
        if self.ids is None or not 0 <= index < len(self.ids):
            raise IndexError(index)
        return int(self.ids[index])

    def token_text(self, content: bytes) -> str:
        """Format a token as in the table, truncated if it is long."""
        shown = content[:MAX_SHOWN_BYTES]
        text = self._spelled(shown) if self._in_letters else visible(shown)
        return text if len(content) <= MAX_SHOWN_BYTES else f"{text}…"

    def pills(self, row: int, column: int) -> tuple[Pill, ...]:
        """Return the tokens of a cell of ``TOKEN`` or ``PARENTS``."""
        return (Pill(self.shown(row, column), WHOLE),) if column == TOKEN else self.parents(self.row_at(row))

    def parents(self, token_id: int) -> tuple[Pill, ...]:
        """Return the two tokens that an ID is merged from, as pills."""
        assert self.entries is not None
        if self.diagnosis is None:
            return (Pill(PENDING, PLAIN),)
        left, right = int(self.diagnosis.left[token_id]), int(self.diagnosis.right[token_id])
        if left < 0:
            return ()
        return pair_pills(*(self.token_text(self.entries.token_bytes(one)) for one in (left, right)))

    # Qt's interface

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.AccessibleTextRole and index.isValid() and index.row() < self.rowCount():
            column = index.column()
            unknown = self.diagnosis is None and column in NEED_DIAGNOSIS
            return f"{self.title(column)}: {tr('not known yet') if unknown else self.shown(index.row(), column)}"
        return super().data(index, role)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.sort_asked.emit(column, order == Qt.SortOrder.DescendingOrder)


# --- painting ---------------------------------------------------------------------------------------------------------

END_SPACE = "\N{EM SPACE}\N{FOUR-PER-EM SPACE}"
"""Padding after figures and their titles, which separates them from the next column."""
PILLS = (TOKEN, PARENTS)
"""Columns whose tokens are drawn as pills."""
TEXT_MARGIN = 3
"""Margin between the edge of a cell and its text, in pixels, as in Qt's style: its focus margin plus one."""


class EntryPainter:
    """Painter of rows that are neither selected nor current: text on a plain or shaded background, and nothing else.

    Qt's view and a delegate take three times as long, since they fetch a dozen roles for each cell, and every key in
    the search field repaints the whole table.
    """

    def __init__(self, view: QTableView, model: VocabularyTableModel, font: QFont, theme: Theme) -> None:
        """``font``: of the columns in ``FIXED_FONT``; the others use the font of the view."""
        self._view, self._model = view, model
        self._fixed = ShapedTexts(font)
        self.pills = PillPainter(theme, self._fixed)
        self.follow_font()

    def follow_font(self) -> None:
        """Update to the current font of the view."""
        self._plain = ShapedTexts(self._view.font())
        self._end = self._plain.metrics.horizontalAdvance(END_SPACE)

    def paint(self, rows: Sequence[int]) -> None:
        """Paint these rows, which are adjacent, within the current paint event."""
        view, palette = self._view, self._view.palette()
        height = view.verticalHeader().defaultSectionSize()
        tops = [(row, view.rowViewportPosition(row)) for row in rows]
        with QPainter(view.viewport()) as painter:
            width = min(view.viewport().width(), view.horizontalHeader().length())
            shade = palette.color(QPalette.ColorRole.AlternateBase)
            for row, top in tops:
                if row & 1:
                    painter.fillRect(0, top, width, height, shade)
            painter.setPen(palette.color(QPalette.ColorRole.Text))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for column in range(len(COLUMNS)):
                left = view.columnViewportPosition(column) + TEXT_MARGIN
                free = view.columnWidth(column) - 2 * TEXT_MARGIN
                if free > 0 and left < width and left + free > 0:
                    self._paint_column(painter, tops, column, QRect(left, 0, free, height))

    def _paint_column(self, painter: QPainter, tops: Sequence[tuple[int, int]], column: int, area: QRect) -> None:
        """Paint a column. ``area``: the text area of a row at the top of the view."""
        mirrored = self._view.isRightToLeft()
        if column in PILLS:
            for row, top in tops:
                pills = self._model.pills(row, column)
                self.pills.paint(painter, area.translated(0, top), pills, mirrored=mirrored)
            return
        numeric = COLUMNS[column].numeric
        texts = self._fixed if column in FIXED_FONT else self._plain
        left, height, width = area.left(), area.height(), area.width()
        if numeric:
            width -= self._end
            left += self._end if mirrored else 0
        painter.setFont(texts.font)
        cell_text, shaped = self._model.shown, texts.line
        for row, top in tops:
            text = cell_text(row, column)
            if text:
                line, line_width, line_height = shaped(text, width)
                at = left + width - line_width if numeric != mirrored else left
                painter.drawStaticText(at, top + (height - line_height + 1) // 2, line)


class EntryDelegate(QStyledItemDelegate):
    """Delegate for the rows that Qt paints. Fetches texts directly from the model."""

    def __init__(self, model: VocabularyTableModel, font: QFont, theme: Theme, parent: QWidget) -> None:
        """``font``: of the columns in ``FIXED_FONT``."""
        super().__init__(parent)
        self._model, self._fixed = model, font
        self.pills = PillPainter(theme, ShapedTexts(font))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        if index.column() in PILLS:
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(option.palette.color(QPalette.ColorRole.Text))
            area = option.rect.adjusted(TEXT_MARGIN, 0, -TEXT_MARGIN, 0)
            pills, mirrored = self._model.pills(index.row(), index.column()), self.parent().isRightToLeft()
            self.pills.paint(painter, area, pills, outlined=True, mirrored=mirrored)
            painter.restore()

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        column = index.column()
        if column in PILLS:
            return
        option.text = self._model.shown(index.row(), column) + (END_SPACE if COLUMNS[column].numeric else "")
        option.displayAlignment = self._model.side(column)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDisplay
        if column in FIXED_FONT:
            option.font = self._fixed


class EntryHeader(SortHeader):
    """Header that pads the titles of figures like the figures in the cells."""

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        super().initStyleOptionForIndex(option, section)
        if COLUMNS[section].numeric:
            option.text += END_SPACE


class VocabularyTable(QTableView):
    """Table of entries.

    Signals: ``current_id_changed(int)``: the ID of the current row, -1 for none; ``opened(int)``: an ID was opened with
    Enter or a double click.
    """

    current_id_changed = Signal(int)
    opened = Signal(int)

    def __init__(self, model: VocabularyTableModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("vocabTable")
        self.setAccessibleName(self.tr("Entries of the vocabulary"))
        self._entries, self._theme = model, theme
        self._current = -1
        self._empty_text = ""
        self.setHorizontalHeader(EntryHeader(theme, self))
        self.setModel(model)
        fixed = fixed_font()
        delegate = EntryDelegate(model, fixed, theme, self)
        self.setItemDelegate(delegate)
        self._painter = EntryPainter(self, model, fixed, theme)
        for painter in (delegate.pills, self._painter.pills):
            theme.changed.connect(painter.follow_theme)
        self._set_behaviour()
        self._fit()
        model.modelReset.connect(self._on_reset)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.doubleClicked.connect(self._on_double_clicked)

    def _set_behaviour(self) -> None:
        set_up_rows(self)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        # A scroll bar that appears only when needed would make every other search lay out and paint twice.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        header = self.horizontalHeader()
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        header.setStretchLastSection(True)
        self.setSortingEnabled(True)

    @property
    def current_id(self) -> int:
        """The ID of the current row, -1 for none. Kept while a search hides it."""
        return self._current

    def show_id(self, token_id: int) -> bool:
        """Make the row of an ID the current one. Return True if it is shown."""
        row = self._entries.row_of(token_id)
        self._current = token_id
        if row >= 0:
            self._select(row, QAbstractItemView.ScrollHint.PositionAtCenter)
        return row >= 0

    def set_empty_text(self, text: str) -> None:
        """Set the text of the empty table."""
        self._empty_text = text
        self.viewport().update()

    def _select(self, row: int, where: QAbstractItemView.ScrollHint) -> None:
        alone = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        index = self._entries.index(row, TOKEN)
        self.selectionModel().setCurrentIndex(index, alone)
        self.scrollTo(index, where)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Let Qt paint selected and current rows, and the painter all others."""
        top, bottom = event.rect().top(), event.rect().bottom()
        first, last = self.rowAt(top), self.rowAt(bottom)
        if first >= 0:
            rows = range(first, (last if last >= 0 else self._entries.rowCount() - 1) + 1)
            marked = self._marked(rows)
            if marked:
                super().paintEvent(QPaintEvent(event.region() & self._area(marked)))
            self._painter.paint([row for row in rows if row not in marked])
        if self._empty_text and not self._entries.rowCount():
            with QPainter(self.viewport()) as painter:
                painter.setPen(self._theme.colour("stale"))
                area = self.viewport().rect().adjusted(CELL_PADDING, CELL_PADDING, -CELL_PADDING, -CELL_PADDING)
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._empty_text)

    def _marked(self, rows: range) -> set[int]:
        """Return the selected and current rows among these."""
        marked = {self.currentIndex().row()} & set(rows)
        for chosen in self.selectionModel().selection().toList():
            marked.update(range(max(chosen.top(), rows.start), min(chosen.bottom() + 1, rows.stop)))
        return marked

    def _area(self, rows: set[int]) -> QRegion:
        area, width = QRegion(), self.viewport().width()
        for row in rows:
            area += QRect(0, self.rowViewportPosition(row), width, self.rowHeight(row))
        return area

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            copy_rows(self, self._entries.shown)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit(self._entries.row_at(self.currentIndex().row()))
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self.model() is not None:
            self._painter.follow_font()
            self._fit()

    @Slot()
    def _on_reset(self) -> None:
        """Keep the current row if it is still there, else scroll to the top."""
        self.executeDelayedItemsLayout()  # else the first paint lays out the rows, and a second one follows
        row = self._entries.row_of(self._current)
        if row >= 0:
            self._select(row, QAbstractItemView.ScrollHint.EnsureVisible)
        else:
            self.scrollToTop()

    @Slot(QModelIndex)
    def _on_current(self, index: QModelIndex) -> None:
        if index.isValid():
            self._current = self._entries.row_at(index.row())
            self.current_id_changed.emit(self._current)

    @Slot(QModelIndex)
    def _on_double_clicked(self, index: QModelIndex) -> None:
        self.opened.emit(self._entries.row_at(index.row()))

    def _fit(self) -> None:
        """Fit the columns into the width of the view. The last one takes what is left."""
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + ROW_PADDING)
        wide = {column: self._width_for(column, text) for column, text in enumerate(WIDEST)}
        least = wide | {column: self._width_for(column, text) for column, text in FLEXIBLE.items()}
        room = self.viewport().width()
        for column in HIDDEN_FIRST:
            hidden = sum(least.values()) > room
            self.setColumnHidden(column, hidden)
            if hidden:
                del least[column]
        more = sum(wide[column] - width for column, width in least.items())
        share = min(1.0, max(0, room - sum(least.values())) / more) if more else 0.0
        for column, width in least.items():
            self.setColumnWidth(column, width + int((wide[column] - width) * share))

    def _width_for(self, column: int, text: str) -> int:
        metrics = QFontMetrics(fixed_font()) if column in FIXED_FONT else self.fontMetrics()
        return metrics.horizontalAdvance(text) + CELL_PADDING
