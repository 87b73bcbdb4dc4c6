"""Lines and sections of the prompt with the most tokens, as rows of a table."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gui.models.advisor_words import tr
from gui.models.cost_text import CostText
from gui.models.money_text import money_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.services.advisor.excerpts import RankedPart
    from gui.services.savings import Money

LINE, TOKENS, SHARE, MONEY, BEGINNING = range(5)
_NO_INDEX = QModelIndex()

Index = QModelIndex | QPersistentModelIndex


class RankingModel(QAbstractTableModel):
    """Line, tokens, share of all tokens, money a month, and how the part begins."""

    def __init__(self, text: CostText, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self.parts: Sequence[RankedPart] = ()
        self._total = 0
        self._money: Money | None = None

    def set_parts(self, parts: Sequence[RankedPart], total: int) -> None:
        """Show these; ``total``: the tokens of the whole prompt."""
        self.beginResetModel()
        self.parts, self._total = parts, total
        self.endResetModel()

    def set_text(self, text: CostText) -> None:
        """How figures are written, and in which currency."""
        self._text = text

    def set_money(self, prompt: Money | None) -> None:
        """What the whole prompt costs in a month; None where that is not known yet."""
        self._money = prompt
        if self.parts:
            self.dataChanged.emit(self.index(0, MONEY), self.index(len(self.parts) - 1, MONEY))

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.parts)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else 5

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cell(self.parts[index.row()], index.column())
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == BEGINNING:
            return self.parts[index.row()].beginning
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() != BEGINNING:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return (tr("Line"), tr("Tokens"), tr("Share"), tr("A month"), tr("Begins with"))[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section == BEGINNING else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole and section == MONEY:
            return tr("The same share of what the prompt costs in a month, without the answer")
        return None

    def _cell(self, part: RankedPart, column: int) -> str:
        if column == LINE:
            return self._text.localised(f"{part.line:,}")
        if column == TOKENS:
            return self._text.localised(f"{part.tokens:,}")
        if column == SHARE:
            share = Decimal(part.tokens) / self._total
            return self._text.percent(share, share)
        if column == MONEY:
            if self._money is None:
                return self._text.unknown()
            return money_text(self._text, self._money.share(part.tokens, self._total))
        return part.beginning
