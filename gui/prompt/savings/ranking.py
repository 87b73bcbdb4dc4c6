"""Lines and sections of the prompt with the most tokens, as rows of a table."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt

from gui.models.cost_text import CostText
from gui.models.money_text import money_text
from gui.prompt.savings.labels import tr
from gui.widgets.table_model import Index, RowsModel, plain_tips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.core.priced_model import Money
    from gui.core.savings.excerpts import RankedPart

LINE, TOKENS, SHARE, MONEY, BEGINNING = range(5)


class RankingModel(RowsModel):
    """Line, tokens, share of all tokens, money a month, and how the part begins."""

    COLUMNS = 5
    FIGURES = (LINE, TOKENS, SHARE, MONEY)

    def __init__(self, text: CostText, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._total = 0
        self._money: Money | None = None

    def set_parts(self, parts: Sequence[RankedPart], total: int) -> None:
        """Show these; ``total``: the tokens of the whole prompt."""
        self._total = total
        self.set_rows(parts)

    def set_text(self, text: CostText) -> None:
        """How figures are written, and in which currency."""
        self._text = text

    def set_money(self, prompt: Money | None) -> None:
        """What the whole prompt costs in a month; None where that is not known yet."""
        self._money = prompt
        self.tell_of(MONEY)

    @plain_tips
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == BEGINNING:
            return self.rows[index.row()].beginning
        return super().data(index, role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.ToolTipRole and section == MONEY:
            return tr("The same share of the monthly cost of the prompt, without the answer")
        return super().headerData(section, orientation, role)

    def titles(self) -> tuple[str, ...]:
        return tr("Line"), tr("Tokens"), tr("Share"), tr("Per month"), tr("Begins with")

    def cell(self, part: RankedPart, column: int) -> str:
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
