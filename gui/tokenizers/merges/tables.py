"""Tables of merges and of competing pairs, and the sentences that explain them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from engine.analysis.merge_types import (
    InsideWhole,
    IsToken,
    LostToken,
    MergedOn,
    NeverMade,
    NoSuchToken,
    NotOneToken,
    SplitApart,
    TakenFirst,
)
from gui.core.token_text import visible, visible_text
from gui.look.fonts import fixed_font, set_weight
from gui.look.theme import Theme
from gui.tokenizers.train.feed import CELL_PADDING, ROW_PADDING, Index, shown
from gui.widgets.tables import StretchedTable, set_up_rows
from gui.widgets.token_pills import PILLS_ROLE, WHOLE, Pill, PillDelegate, pair_pills

if TYPE_CHECKING:
    from engine.analysis.merge_types import MergeState, PretokenTrace
    from engine.types import MergeStep

MAX_CHARACTERS = 40
MAX_NAMED = 12


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("MergeWords", text)


def explained(why: NotOneToken, tokens: Mapping[int, bytes]) -> str:
    """Explain in plain text why a text is not one token. ``tokens``: bytes of the tokens mentioned."""
    lines = [_reason(why, tokens)]
    if why.special_id is not None:
        words = tr(
            "With special tokens allowed, it is special token {id}. As ordinary text, the rule for user input, it is "
            "not."
        )
        lines.insert(0, words.format(id=why.special_id))
    return f"{_quoted(why.content)}: " + "\n".join(lines)


def _reason(why: NotOneToken, tokens: Mapping[int, bytes]) -> str:
    reason = why.reason
    match reason:
        case IsToken():
            return _is_token(reason)
        case SplitApart():
            return _split_apart(reason)
        case NoSuchToken():
            return _no_such_token(reason, tokens)
        case TakenFirst():
            words = tr("not one token here, although the vocabulary has it as {id}. Another merge came first: {lost}.")
            return words.format(id=reason.lost.token_id, lost=_lost(reason.lost, tokens))
        case MergedOn():
            made = tr("from the beginning") if not reason.made_at else tr("after merge {n}").format(n=reason.made_at)
            words = tr("was token {id} {made}; merge {n} made it part of a larger one: {merge}.")
            merge = _merge(reason.merge, tokens)
            return words.format(id=reason.token_id, made=made, n=reason.step, merge=merge)
        case InsideWhole():
            words = tr("part of {whole} (token {id}), which is looked up whole, without merges.")
            return words.format(whole=_shown(tokens[reason.whole_id]), id=reason.whole_id)
        case NeverMade():
            words = tr(
                "not one token here. The vocabulary has it as {id}, but no merges produce it: it is used only for a "
                "whole pretoken."
            )
            return words.format(id=reason.token_id)


def _is_token(reason: IsToken) -> str:
    if reason.is_looked_up:
        words = tr("one token, {id}. It is looked up whole, without merges.")
        return words.format(id=reason.token_id)
    if not reason.step:
        return tr("one token, {id}: a single byte.").format(id=reason.token_id)
    return tr("one token, {id}, made by merge {n}.").format(id=reason.token_id, n=reason.step)


def _split_apart(reason: SplitApart) -> str:
    lines = []
    if len(reason.pieces) > 1:
        named = "  |  ".join(_shown(piece.encode("utf-8")) for piece in reason.pieces[:MAX_NAMED])
        more = "  |  …" if len(reason.pieces) > MAX_NAMED else ""
        words = tr("the pattern splits it into {n} pretokens, and merges never cross a pretoken boundary: {pieces}")
        lines.append(words.format(n=f"{len(reason.pieces):,}", pieces=named + more))
        places = ", ".join(f"{cut:,}" for cut in reason.char_cuts[:MAX_NAMED])
        words = (
            tr("It is split after character {places}.")
            if len(reason.char_cuts) == 1
            else tr("It is split after the characters {places}.")
        )
        lines.append(words.format(places=places + (", …" if len(reason.char_cuts) > MAX_NAMED else "")))
    if reason.left_out:
        words = tr("The split pattern drops {n} of its characters: they get no token.")
        lines.append(words.format(n=f"{reason.left_out:,}"))
    if reason.token_id is not None:
        words = tr(
            "The vocabulary has a token for exactly this text, {id}, but the split keeps the text from becoming it."
        )
        lines.append(words.format(id=reason.token_id))
    return "\n".join(lines)


def _no_such_token(reason: NoSuchToken, tokens: Mapping[int, bytes]) -> str:
    joins = [
        f"{_shown(tokens[pair.left.token_id])} + {_shown(tokens[pair.right.token_id])}"
        for pair in reason.missing[:MAX_NAMED]
    ]
    more = tr(", and others") if len(reason.missing) > MAX_NAMED else ""
    lines = [tr("the required merge does not exist: the vocabulary has no such token.")]
    if joins:
        words = tr("The remaining tokens do not merge: {joins}.")
        lines.append(words.format(joins=", ".join(joins) + more))
    for lost in reason.lost:
        words = tr("{token} (token {id}) exists, but another merge came first: {lost}.")
        lines.append(words.format(token=_shown(tokens[lost.token_id]), id=lost.token_id, lost=_lost(lost, tokens)))
    return "\n".join(lines)


def _lost(lost: LostToken, tokens: Mapping[int, bytes]) -> str:
    return tr("merge {n} took {merge}").format(n=lost.step, merge=_merge(lost.taken_by, tokens))


def _merge(step: MergeStep, tokens: Mapping[int, bytes]) -> str:
    left, right, made = (_shown(tokens[token_id]) for token_id in (step.left_id, step.right_id, step.token_id))
    return f"{left} + {right} → {made}"


def _shown(data: bytes) -> str:
    text = visible(data[: 4 * MAX_CHARACTERS])
    return text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…"


def _quoted(text: str) -> str:
    cut = visible_text(text[: MAX_CHARACTERS + 1])
    return f"“{cut[:MAX_CHARACTERS]}…”" if len(text) > MAX_CHARACTERS else f"“{cut}”"


_NO_INDEX = QModelIndex()
NEXT_SIGN = "▶"

PAIR_COLUMNS = (
    (QT_TRANSLATE_NOOP("MergeWords", "Next"), QT_TRANSLATE_NOOP("MergeWords", "▶: this pair is merged next")),
    (QT_TRANSLATE_NOOP("MergeWords", "Pair"), QT_TRANSLATE_NOOP("MergeWords", "Two adjacent tokens")),
    (QT_TRANSLATE_NOOP("MergeWords", "Would make"), QT_TRANSLATE_NOOP("MergeWords", "ID of the merged token")),
    (
        QT_TRANSLATE_NOOP("MergeWords", "Rank"),
        QT_TRANSLATE_NOOP("MergeWords", "The lowest rank merges next; ties go to the leftmost pair"),
    ),
)
STEP_COLUMNS = (
    (QT_TRANSLATE_NOOP("MergeWords", "Merge"), QT_TRANSLATE_NOOP("MergeWords", "Merge number")),
    (QT_TRANSLATE_NOOP("MergeWords", "Pair"), QT_TRANSLATE_NOOP("MergeWords", "Pair")),
    (QT_TRANSLATE_NOOP("MergeWords", "Token"), QT_TRANSLATE_NOOP("MergeWords", "Merged token")),
    (QT_TRANSLATE_NOOP("MergeWords", "ID"), QT_TRANSLATE_NOOP("MergeWords", "ID of the merged token")),
)
_TEXTUAL = ("Pair", "Token")


class MergeTable(QAbstractTableModel):
    """Table of texts that are formatted when they are painted."""

    columns: tuple[tuple[str, str], ...] = ()
    write: Callable[[bytes], str] = staticmethod(shown)

    def set_write(self, write: Callable[[bytes], str]) -> None:
        """Set the function that formats tokens."""
        self.beginResetModel()
        self.write = write
        self.endResetModel()

    def cell_text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        return " ".join(pill.text for pill in self.pills(row, column))

    def pills(self, row: int, column: int) -> tuple[Pill, ...]:
        """Return the tokens of a cell; empty if the column has none."""
        raise NotImplementedError

    def is_marked(self, _row: int) -> bool:
        """Return True if a row is bold."""
        return False

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        text = self.cell_text(index.row(), index.column())
        title = self.columns[index.column()][0]
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        if role == PILLS_ROLE:
            return self.pills(index.row(), index.column()) if title in _TEXTUAL else None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{tr(title)}: {text or tr('no')}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        if role == Qt.ItemDataRole.FontRole and self.is_marked(index.row()):
            font = QFont()
            set_weight(font)
            return font
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        title, hint = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(title)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        return tr(hint) if role == Qt.ItemDataRole.ToolTipRole else None

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        """Return the alignment of the cells of a column and of its header."""
        if not column:
            return Qt.AlignmentFlag.AlignCenter
        side = Qt.AlignmentFlag.AlignLeft if self.columns[column][0] in _TEXTUAL else Qt.AlignmentFlag.AlignRight
        return side | Qt.AlignmentFlag.AlignVCenter


class PairsModel(MergeTable):
    """Adjacent pairs after some merges: the next one to merge first, those that make no token last."""

    columns = PAIR_COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._content = b""
        self._state: MergeState | None = None

    def show_state(self, content: bytes, state: MergeState | None) -> None:
        """Show these pairs of a pretoken with this content."""
        self.beginResetModel()
        self._content, self._state = content, state
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() or self._state is None else len(self._state.pairs)

    def is_marked(self, row: int) -> bool:
        assert self._state is not None
        return row == 0 and self._state.chosen is not None

    def cell_text(self, row: int, column: int) -> str:
        assert self._state is not None
        pair = self._state.pairs[row]
        if column == 0:
            return NEXT_SIGN if self.is_marked(row) else ""
        if column == 1:
            return super().cell_text(row, column)
        if pair.token_id is None:
            return tr("no token") if column == 2 else "–"
        return str(pair.token_id if column == 2 else pair.rank)

    def pills(self, row: int, _column: int) -> tuple[Pill, ...]:
        assert self._state is not None
        pair = self._state.pairs[row]
        left, right = (self._content[part.byte_start : part.byte_end] for part in (pair.left, pair.right))
        return pair_pills(self.write(left), self.write(right))


class StepsModel(MergeTable):
    """One row for each merge."""

    columns = STEP_COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._account: PretokenTrace | None = None
        self._spans: Sequence[tuple[int, int, int]] = ()

    def show_account(self, account: PretokenTrace | None, spans: Sequence[tuple[int, int, int]]) -> None:
        """Show the merges of a pretoken. ``spans``: byte offsets of each merge's left token, right token, and end."""
        if account is self._account:
            return
        self.beginResetModel()
        self._account, self._spans = account, spans
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() or self._account is None else len(self._account.steps)

    def cell_text(self, row: int, column: int) -> str:
        assert self._account is not None
        if column == 0:
            return f"{row + 1:,}"
        if column == 3:
            return str(self._account.steps[row].token_id)
        return super().cell_text(row, column)

    def pills(self, row: int, column: int) -> tuple[Pill, ...]:
        assert self._account is not None
        start, middle, end = self._spans[row]
        content = self._account.content
        if column == 2:
            return (Pill(self.write(content[start:end]), WHOLE),)
        return pair_pills(self.write(content[start:middle]), self.write(content[middle:end]))


WIDEST = ("Merge ", "", "no token ", "1000000 ")


class MergeTableView(StretchedTable):
    """Table of merges or pairs.

    Signals: ``row_chosen(int)``: the user moved to another row.
    """

    row_chosen = Signal(int)

    def __init__(self, model: MergeTable, name: str, words: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setModel(model)
        self.setItemDelegate(PillDelegate(theme, self))
        self._showing = False
        self.setFont(fixed_font())
        set_up_rows(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        metrics = self.fontMetrics()
        self.verticalHeader().setDefaultSectionSize(metrics.height() + ROW_PADDING)
        for column, widest in enumerate(WIDEST):
            if widest:
                self.setColumnWidth(column, metrics.horizontalAdvance(widest) + CELL_PADDING)
        self.selectionModel().currentRowChanged.connect(self._on_row)

    def show_row(self, row: int) -> None:
        """Select a row and scroll to it; -1 for none."""
        self._showing = True
        if 0 <= row < self.model().rowCount():
            self.setCurrentIndex(self.model().index(row, 0))
        else:
            self.selectionModel().clear()
            self.scrollToTop()
        self._showing = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())

    @Slot()
    def _on_row(self) -> None:
        if not self._showing and self.currentIndex().isValid():
            self.row_chosen.emit(self.currentIndex().row())
