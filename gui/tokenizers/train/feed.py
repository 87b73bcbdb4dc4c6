"""The page Progress: the feed of merges of a running training, its curve and its figures.

Merges come in batches, which are stored unchanged. Texts are formatted only for painted rows, so the cost on the GUI
thread does not depend on the length of a batch or the table.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QHeaderView, QStyleOptionViewItem, QWidget

from gui.core.token_text import hexadecimal, visible
from gui.look.quantities import TrainingText
from gui.look.theme import Theme
from gui.widgets.delegates import PILLS_ROLE, WHOLE, Pill, PillDelegate, pair_pills
from gui.widgets.forms import column_of, splitter_of
from gui.widgets.labels import FigureStrip
from gui.widgets.table_model import Column, TableModel
from gui.widgets.tables import CELL_PADDING, ROW_PADDING, StretchedTable, copy_rows, set_up_rows
from gui.widgets.training_curve import TrainingCurveView

if TYPE_CHECKING:
    from engine.training.types import Merge
    from gui.tokenizers.train.run_service import TrainingSnapshot

_NO_INDEX = QModelIndex()


# --- merges -----------------------------------------------------------------------------------------------------------

MAX_SHOWN_BYTES = 60
"""Maximum number of bytes of a token shown in a cell; the tooltip shows the total."""

Index = QModelIndex | QPersistentModelIndex


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("MergeFeed", text)


COLUMNS = (
    Column(
        "merge",
        QT_TRANSLATE_NOOP("MergeFeed", "Merge"),
        QT_TRANSLATE_NOOP("MergeFeed", "Merge number; 1 is the most frequent pair"),
        lambda merge, feed: feed.text.number(merge.index + 1),
        numeric=True,
    ),
    Column(
        "pair",
        QT_TRANSLATE_NOOP("MergeFeed", "Pair"),
        QT_TRANSLATE_NOOP("MergeFeed", "The most frequent adjacent pair of tokens"),
        lambda merge, feed: " ".join(pill.text for pill in feed.pair_of(merge)),
    ),
    Column(
        "token",
        QT_TRANSLATE_NOOP("MergeFeed", "New token"),
        QT_TRANSLATE_NOOP("MergeFeed", "The merged token; · is a space, ⏎ a newline"),
        lambda merge, _feed: shown(merge.token_bytes),
    ),
    Column(
        "id",
        QT_TRANSLATE_NOOP("MergeFeed", "ID"),
        QT_TRANSLATE_NOOP("MergeFeed", "Token ID"),
        lambda merge, feed: feed.text.number(merge.token_id),
        numeric=True,
    ),
    Column(
        "count",
        QT_TRANSLATE_NOOP("MergeFeed", "Count"),
        QT_TRANSLATE_NOOP("MergeFeed", "Count of the pair"),
        lambda merge, feed: feed.text.number(merge.count),
        numeric=True,
    ),
    Column(
        "tokens",
        QT_TRANSLATE_NOOP("MergeFeed", "Tokens left"),
        QT_TRANSLATE_NOOP("MergeFeed", "Tokens in the corpus after this merge"),
        lambda merge, feed: feed.text.number(merge.tokens_left),
        numeric=True,
    ),
)
"""Columns of the feed. The view is the ``MergeFeedModel``."""
NUMBER, PAIR, TOKEN, TOKEN_ID, COUNT, TOKENS_LEFT = range(len(COLUMNS))
WIDEST = {NUMBER: "100,000", TOKEN_ID: "100,000", COUNT: "1,000,000", TOKENS_LEFT: "100,000,000"}
"""Typical texts that set the widths of columns; the others are stretched."""


class MergeFeedModel(TableModel):
    """One row for each merge, in order."""

    def __init__(self, text: TrainingText, parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, parent=parent, context="MergeFeed", visible=False)
        self.text = text
        self._batches: list[Sequence[Merge]] = []
        self._ends: list[int] = []  # number of merges up to the end of each batch

    @property
    def view(self) -> MergeFeedModel:
        """The model itself: the parts of a merge are known from earlier rows."""
        return self

    @property
    def merges(self) -> Iterator[Merge]:
        """All merges, oldest first."""
        return itertools.chain.from_iterable(self._batches)

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

    def row_at(self, index: int) -> Merge:
        """Return the merge of a row. Raises IndexError."""
        number = bisect.bisect_right(self._ends, index)
        batch = self._batches[number]
        return batch[index - self._ends[number] + len(batch)]

    def pair_of(self, merge: Merge) -> tuple[Pill, ...]:
        """Return the two parts of a merge as pills."""
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
        row = token_id - self._batches[0][0].token_id
        return len(self.row_at(row).token_bytes) if 0 <= row < self.rowCount() else None

    # Qt's interface

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() or not self._ends else self._ends[-1]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= self.rowCount():
            return None
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self.shown(index.row(), column)
        if role == PILLS_ROLE and column in (PAIR, TOKEN):
            merge = self.row_at(index.row())
            return self.pair_of(merge) if column == PAIR else (Pill(shown(merge.token_bytes), WHOLE),)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tool_tip(self.row_at(index.row()))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self.title(column)}: {self.shown(index.row(), column)}"
        return super().data(index, role)

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
    if len(token_bytes) > MAX_SHOWN_BYTES:
        text += tr("… ({number} bytes)").format(number=len(token_bytes))
    return text


def _first_character(token_bytes: bytes) -> int:
    """Return the length of the leading base token, in bytes: one, or that of a UTF-8 character in such an alphabet."""
    if len(token_bytes) == 2:
        return 1
    first = token_bytes[0]
    length = 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    return min(length, len(token_bytes) - 1)


class MergeDelegate(PillDelegate):
    """Delegate that paints from the model: the default one fetches a dozen roles for each cell through QVariant."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        model, column = index.model(), index.column()
        option.displayAlignment = model.side(column)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDisplay
        option.text = model.shown(index.row(), column)


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
            copy_rows(self, self.model().shown)
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

    def _fit(self) -> None:
        metrics = self.fontMetrics()
        self.verticalHeader().setDefaultSectionSize(metrics.height() + ROW_PADDING)
        for column, widest in WIDEST.items():
            self.setColumnWidth(column, metrics.horizontalAdvance(widest) + CELL_PADDING)


# --- the page ---------------------------------------------------------------------------------------------------------

SIDE_BY_SIDE = 860
"""Minimum width, in pixels, to show the curve beside the merges."""

SHARES = {Qt.Orientation.Horizontal: (360, 600), Qt.Orientation.Vertical: (500, 500)}
"""Initial sizes of curve and merges, restored whenever they are rearranged."""


class TrainingProgressPage(QWidget):
    """Page that shows the snapshots of a run."""

    def __init__(self, theme: Theme, text: TrainingText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self.model = MergeFeedModel(text, self)
        self.curve = TrainingCurveView(theme, text)
        self.feed = MergeFeed(self.model, theme)
        self.follow = QCheckBox(self.tr("Follow the ne&west"), objectName="trainFollow", checked=True)
        self.follow.setToolTip(self.tr("Scroll to the newest merge. Scrolling up stops this."))
        self.figures = FigureStrip("trainDensity", "trainEntries", "trainTokens", "trainTime")
        self._lay_out()
        self.follow.toggled.connect(self.feed.set_following)
        self.feed.following_changed.connect(self.follow.setChecked)

    def clear(self) -> None:
        """Remove the figures before another run."""
        self.model.clear()
        self.curve.clear()
        self.figures.show_figures()

    @Slot(object)
    def add(self, snapshot: TrainingSnapshot) -> None:
        """Show a snapshot of the run."""
        progress, write = snapshot.progress, self._text
        self.model.append(snapshot.merges)
        self.curve.add(progress, snapshot.curve)
        time = (write.duration(snapshot.seconds), self.tr("elapsed"))
        if not progress.merges:
            self.figures.show_figures((write.number(progress.pretokens), self.tr("unique pretokens")), time)
            return
        self.figures.show_figures(
            (write.decimal(progress.bytes_per_token), self.tr("bytes per token")),
            (write.number(progress.vocab_size), self.tr("entries")),
            (write.number(progress.tokens), self.tr("tokens")),
            time,
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= SIDE_BY_SIDE
        orientation = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self.splitter.orientation() != orientation:
            self.splitter.setOrientation(orientation)
            self.splitter.setSizes(list(SHARES[orientation]))

    def _lay_out(self) -> None:
        merges = QWidget()
        column_of((self.follow, 0, Qt.AlignmentFlag.AlignRight), self.feed, parent=merges, spacing=6)
        self.splitter = splitter_of("trainSplitter", self.curve, merges, SHARES[Qt.Orientation.Horizontal])
        column_of(self.figures, (self.splitter, 1), parent=self, margins=(8, 8, 8, 8), spacing=6)
