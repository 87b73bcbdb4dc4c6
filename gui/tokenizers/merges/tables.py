"""The pairs that compete for the next merge, and all merges of a pretoken, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QAbstractTableModel, QCoreApplication, QModelIndex, QObject, Qt
from PySide6.QtGui import QFont

from gui.look.fonts import set_weight
from gui.tokenizers.train.feed_table import Index, shown

if TYPE_CHECKING:
    from engine.merge_types import MergeState, PretokenAccount

_NO_INDEX = QModelIndex()
NEXT_SIGN = "▶"

PAIR_COLUMNS = (
    (QT_TRANSLATE_NOOP("MergeTables", "Next"), QT_TRANSLATE_NOOP("MergeTables", "▶: this pair is merged next")),
    (QT_TRANSLATE_NOOP("MergeTables", "Pair"), QT_TRANSLATE_NOOP("MergeTables", "Two tokens side by side")),
    (QT_TRANSLATE_NOOP("MergeTables", "Would make"), QT_TRANSLATE_NOOP("MergeTables", "The id of the token they make")),
    (
        QT_TRANSLATE_NOOP("MergeTables", "Rank"),
        QT_TRANSLATE_NOOP("MergeTables", "The lowest is merged next; of equals, the leftmost"),
    ),
)
STEP_COLUMNS = (
    (QT_TRANSLATE_NOOP("MergeTables", "Merge"), QT_TRANSLATE_NOOP("MergeTables", "Its number, in order")),
    (QT_TRANSLATE_NOOP("MergeTables", "Pair"), QT_TRANSLATE_NOOP("MergeTables", "What is joined")),
    (QT_TRANSLATE_NOOP("MergeTables", "Token"), QT_TRANSLATE_NOOP("MergeTables", "What it becomes")),
    (QT_TRANSLATE_NOOP("MergeTables", "Id"), QT_TRANSLATE_NOOP("MergeTables", "The id of that token")),
)
_TEXTUAL = ("Pair", "Token")


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("MergeTables", text)


class MergeTable(QAbstractTableModel):
    """Rows of texts, made when they are painted."""

    columns: tuple[tuple[str, str], ...] = ()

    def cell_text(self, row: int, column: int) -> str:
        """What a cell says."""
        raise NotImplementedError

    def is_marked(self, _row: int) -> bool:
        """Whether a row is in bold letters."""
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
        """Of the cells of a column, and of the title above them."""
        if not column:
            return Qt.AlignmentFlag.AlignCenter
        side = Qt.AlignmentFlag.AlignLeft if self.columns[column][0] in _TEXTUAL else Qt.AlignmentFlag.AlignRight
        return side | Qt.AlignmentFlag.AlignVCenter


class PairsModel(MergeTable):
    """The neighbours after some merges: the winner first, those that make no token last."""

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
            left, right = (self._content[part.byte_start : part.byte_end] for part in (pair.left, pair.right))
            return f"{shown(left)} + {shown(right)}"
        if pair.token_id is None:
            return tr("no token") if column == 2 else "–"
        return str(pair.token_id if column == 2 else pair.rank)


class StepsModel(MergeTable):
    """A row a merge."""

    columns = STEP_COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._account: PretokenAccount | None = None
        self._spans: Sequence[tuple[int, int, int]] = ()

    def show_account(self, account: PretokenAccount | None, spans: Sequence[tuple[int, int, int]]) -> None:
        """Show the merges of a pretoken. ``spans``: of each, where its left token, its right token and both end."""
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
        start, middle, end = self._spans[row]
        content = self._account.content
        if column == 2:
            return shown(content[start:end])
        return f"{shown(content[start:middle])} + {shown(content[middle:end])}"
