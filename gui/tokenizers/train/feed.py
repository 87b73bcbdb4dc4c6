"""The feed of merges of a running training: its table and its view.

Merges come in batches, which are stored unchanged. Texts are formatted only for painted rows, so the cost on the GUI
thread does not depend on the length of a batch or the table.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QKeyEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QStyleOptionViewItem,
    QWidget,
)

from gui.core.token_text import hexadecimal, visible
from gui.look.quantities import TrainingText
from gui.look.theme import Theme
from gui.widgets.tables import StretchedTable, set_up_rows
from gui.widgets.token_pills import PILLS_ROLE, WHOLE, Pill, PillDelegate, pair_pills

if TYPE_CHECKING:
    from engine.training.types import Merge

_NO_INDEX = QModelIndex()
MAX_SHOWN_BYTES = 60
"""Maximum number of bytes of a token shown in a cell; the tooltip shows the total."""

Index = QModelIndex | QPersistentModelIndex


class FeedColumn(NamedTuple):
    """A column: title, tooltip, True if it holds numbers, and a typical text that sets its width."""

    title: str
    hint: str
    numeric: bool
    widest: str


COLUMNS = (
    FeedColumn(
        QT_TRANSLATE_NOOP("MergeFeed", "Merge"),
        QT_TRANSLATE_NOOP("MergeFeed", "Merge number; 1 is the most frequent pair"),
        True,
        "100,000",
    ),
    FeedColumn(
        QT_TRANSLATE_NOOP("MergeFeed", "Pair"),
        QT_TRANSLATE_NOOP("MergeFeed", "The most frequent adjacent pair of tokens"),
        False,
        "·tokeniz + ation ",
    ),
    FeedColumn(
        QT_TRANSLATE_NOOP("MergeFeed", "New token"),
        QT_TRANSLATE_NOOP("MergeFeed", "The merged token; · is a space, ⏎ a newline"),
        False,
        "·tokenization  ",
    ),
    FeedColumn(QT_TRANSLATE_NOOP("MergeFeed", "ID"), QT_TRANSLATE_NOOP("MergeFeed", "Token ID"), True, "100,000"),
    FeedColumn(
        QT_TRANSLATE_NOOP("MergeFeed", "Count"),
        QT_TRANSLATE_NOOP("MergeFeed", "Count of the pair"),
        True,
        "1,000,000",
    ),
    FeedColumn(
        QT_TRANSLATE_NOOP("MergeFeed", "Tokens left"),
        QT_TRANSLATE_NOOP("MergeFeed", "Tokens in the corpus after this merge"),
        True,
        "100,000,000",
    ),
)
NUMBER, PAIR, TOKEN, TOKEN_ID, COUNT, TOKENS_LEFT = range(len(COLUMNS))


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("MergeFeed", text)


class MergeFeedModel(QAbstractTableModel):
    """One row for each merge, in order."""

    def __init__(self, text: TrainingText, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._batches: list[Sequence[Merge]] = []
        self._ends: list[int] = []  # number of merges up to the end of each batch

    @property
    def merges(self) -> Iterator[Merge]:
        """All merges, oldest first."""
        return itertools.chain.from_iterable(self._batches)

    def set_text(self, text: TrainingText) -> None:
        """Format figures for another locale."""
        self._text = text
        if self._batches:
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(COLUMNS) - 1))

    def clear(self) -> None:
        """Remove all merges before another run."""
        self.beginResetModel()
        self._batches, self._ends = [], []
        self.endResetModel()

    def append(self, merges: Sequence[Merge]) -> None:
        """Append a batch, without the merges that the model already has."""
        first = self.rowCount()
        fresh = merges[max(0, first - merges[0].index) :] if merges else ()
        if not fresh:
            return
        self.beginInsertRows(_NO_INDEX, first, first + len(fresh) - 1)
        self._batches.append(fresh)
        self._ends.append(first + len(fresh))
        self.endInsertRows()

    def merge_at(self, row: int) -> Merge:
        """Return the merge of a row. Raises IndexError."""
        number = bisect.bisect_right(self._ends, row)
        batch = self._batches[number]
        return batch[row - self._ends[number] + len(batch)]

    def cell_text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        merge = self.merge_at(row)
        if column in (PAIR, TOKEN):
            return " ".join(pill.text for pill in self.pills(row, column))
        number = {
            NUMBER: merge.index + 1,
            TOKEN_ID: merge.token_id,
            COUNT: merge.count,
            TOKENS_LEFT: merge.tokens_left,
        }[column]
        return self._text.number(number)

    def pills(self, row: int, column: int) -> tuple[Pill, ...]:
        """Return the tokens of a cell of ``PAIR`` or ``TOKEN``."""
        merge = self.merge_at(row)
        if column == TOKEN:
            return (Pill(shown(merge.token_bytes), WHOLE),)
        left, right = self.pair(merge)
        return pair_pills(shown(left), shown(right))

    def pair(self, merge: Merge) -> tuple[bytes, bytes]:
        """Return the bytes of both parts of a merge.

        The length of a part that is itself a merge is known from its row. A base token at the start is one byte or, in
        an alphabet of characters, one character.
        """
        cut = self._length_of(merge.left_id)
        if cut is None:
            right = self._length_of(merge.right_id)
            whole = len(merge.token_bytes)
            # Two base tokens: the first is one byte, or in an alphabet of characters the first character.
            cut = whole - right if right is not None else _first_character(merge.token_bytes)
        return merge.token_bytes[:cut], merge.token_bytes[cut:]

    def _length_of(self, token_id: int) -> int | None:
        """Return the length of a merged token in bytes; None for a token of the alphabet."""
        if not self._batches:
            return None
        place = token_id - self._batches[0][0].token_id
        return len(self.merge_at(place).token_bytes) if 0 <= place < self.rowCount() else None

    # Qt's interface

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() or not self._ends else self._ends[-1]

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= self.rowCount():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cell_text(index.row(), index.column())
        if role == PILLS_ROLE:
            return self.pills(index.row(), index.column()) if index.column() in (PAIR, TOKEN) else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tool_tip(self.merge_at(index.row()))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            title = tr(COLUMNS[index.column()].title)
            return f"{title}: {self.cell_text(index.row(), index.column())}"
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(COLUMNS):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(COLUMNS[section].title)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tr(COLUMNS[section].hint)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(section)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def _tool_tip(self, merge: Merge) -> str:
        """Return a tooltip with the IDs and bytes of pair and token. Rich text, since plain text could look like
        tags."""
        from html import escape

        left, right = self.pair(merge)
        lines = (
            f"{merge.left_id}  {shown(left)}  [{hexadecimal(left)}]",
            f"{merge.right_id}  {shown(right)}  [{hexadecimal(right)}]",
            f"→ {merge.token_id}  {shown(merge.token_bytes)}  [{hexadecimal(merge.token_bytes)}]",
        )
        return f"<p style='white-space:pre-wrap'>{escape(chr(10).join(lines))}</p>"


def shown(token_bytes: bytes) -> str:
    """Return the bytes made visible, truncated if they are long."""
    text = visible(token_bytes[:MAX_SHOWN_BYTES])
    more = len(token_bytes) - MAX_SHOWN_BYTES
    return text if more <= 0 else text + tr("… ({number} bytes)").format(number=len(token_bytes))


def alignment(column: int) -> Qt.AlignmentFlag:
    """Return the alignment of the cells of a column."""
    side = Qt.AlignmentFlag.AlignRight if COLUMNS[column].numeric else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _first_character(token_bytes: bytes) -> int:
    """Return the length of the leading base token, in bytes: one, or that of a UTF-8 character in such an alphabet."""
    if len(token_bytes) == 2:
        return 1
    first = token_bytes[0]
    length = 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    return min(length, len(token_bytes) - 1)


ROW_PADDING = 12
CELL_PADDING = 14
MAX_COPIED = 100_000


class MergeDelegate(PillDelegate):
    """Delegate that paints from the model: the default one fetches a dozen roles for each cell through QVariant."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        model = index.model()
        if not isinstance(model, MergeFeedModel):
            super().initStyleOption(option, index)
            return
        column = index.column()
        option.displayAlignment = alignment(column)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDisplay
        option.text = model.cell_text(index.row(), column)


class MergeFeed(StretchedTable):
    """The table of merges.

    Signals: ``following_changed(bool)``: True if the view follows the newest merge.
    """

    following_changed = Signal(bool)

    def __init__(self, model: MergeFeedModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("trainFeed")
        self.setAccessibleName(self.tr("Merges, in training order"))
        self._following = True
        self.setModel(model)
        self.setItemDelegate(MergeDelegate(theme, self))
        set_up_rows(self)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column in (PAIR, TOKEN):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        self._fit()
        model.rowsInserted.connect(self._on_inserted)
        model.modelReset.connect(self._on_reset)
        self.verticalScrollBar().actionTriggered.connect(self._on_scrolled)

    @property
    def following(self) -> bool:
        """True if the view scrolls to the newest merge."""
        return self._following

    @Slot(bool)
    def set_following(self, following: bool) -> None:
        """Follow the newest merge from now on, or stay at the current row."""
        if following:
            self.scrollToBottom()
        if following != self._following:
            self._following = following
            self.following_changed.emit(following)

    def wheelEvent(self, event: QWheelEvent) -> None:
        super().wheelEvent(event)
        self._update_following()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
            return
        super().keyPressEvent(event)
        self._update_following()

    def changeEvent(self, event: object) -> None:
        super().changeEvent(event)
        if event.type() == event.Type.FontChange and self.model() is not None:
            self._fit()

    @Slot()
    def _on_inserted(self) -> None:
        if self._following:
            self.scrollToBottom()

    @Slot()
    def _on_reset(self) -> None:
        self.set_following(True)

    @Slot()
    def _on_scrolled(self) -> None:
        # The slider position is already updated, the value of the bar is not yet.
        bar = self.verticalScrollBar()
        self._set_by_user(bar.sliderPosition() >= bar.maximum())

    def _update_following(self) -> None:
        bar = self.verticalScrollBar()
        self._set_by_user(bar.value() >= bar.maximum())

    def _set_by_user(self, at_end: bool) -> None:
        if at_end != self._following:
            self._following = at_end
            self.following_changed.emit(at_end)

    def _copy(self) -> None:
        """Copy the selected rows as tab-separated text, with a header row."""
        rows = sorted({index.row() for index in self.selectionModel().selectedRows()})[:MAX_COPIED]
        if not rows:
            return
        model = self.model()
        titles = (model.headerData(column, Qt.Orientation.Horizontal) for column in range(len(COLUMNS)))
        lines = ["\t".join(titles)]
        lines += ["\t".join(model.cell_text(row, column) for column in range(len(COLUMNS))) for row in rows]
        QApplication.clipboard().setText("\n".join(lines) + "\n")

    def _fit(self) -> None:
        metrics = self.fontMetrics()
        self.verticalHeader().setDefaultSectionSize(metrics.height() + ROW_PADDING)
        for place, column in enumerate(COLUMNS):
            if place not in (PAIR, TOKEN):
                self.setColumnWidth(place, metrics.horizontalAdvance(column.widest) + CELL_PADDING)
