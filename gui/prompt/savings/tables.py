"""Table models of suggestions, of previews of their edits, and of the heaviest parts of a prompt."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

from gui.core.text_runs import ADDED, REMOVED, plain_text, text_without
from gui.costs.money_text import CostText, money_text
from gui.prompt.savings.labels import kind_words, tr
from gui.widgets.delegates import RUNS_ROLE
from gui.widgets.table_model import Index, RowsModel, plain_tips

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gui.core.savings.ranking import Preview, RankedPart
    from gui.core.savings.types import Proposal
    from gui.costs.priced_model import Money

PREVIEW_LINE, CHANGE = range(2)


class PreviewsModel(RowsModel):
    """Previews of edits: line, removed text and new text."""

    COLUMNS = 2
    FIGURES = (PREVIEW_LINE,)

    @plain_tips
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and index.column() == CHANGE:
            change = self.rows[index.row()].change
            if role == RUNS_ROLE:
                return change
            if role == Qt.ItemDataRole.ToolTipRole:
                before, after = (text_without(change, mark) for mark in (ADDED, REMOVED))
                return tr("Before: {before}\nAfter: {after}").format(before=before, after=after)
        return super().data(index, role)

    def titles(self) -> tuple[str, ...]:
        return tr("Line"), tr("Change")

    def cell(self, preview: Preview, column: int) -> str:
        return f"{preview.line}" if column == PREVIEW_LINE else plain_text(preview.change)


WHAT, EFFECT, PLACES, SAVED_TOKENS, SAVED_MONEY = range(5)


class ProposalsModel(RowsModel):
    """Suggestions: edit, effect on the meaning, occurrences, and the tokens and money per month that it saves alone.

    Signals: ``chosen_changed()`` when another set of rows is checked.
    """

    COLUMNS = 5
    FIGURES = (PLACES, SAVED_TOKENS, SAVED_MONEY)

    chosen_changed = Signal()

    def __init__(self, text: CostText, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._chosen: set[str] = set()
        self._money: Mapping[str, Money] = {}

    @property
    def chosen(self) -> frozenset[str]:
        """Names of the kinds that are checked."""
        return frozenset(self._chosen)

    def set_proposals(self, proposals: Sequence[Proposal]) -> None:
        """Show these suggestions, and check the lossless ones."""
        self._chosen = {one.kind.name for one in proposals if one.kind.lossless}
        self._money = {}
        self.set_rows(proposals)
        self.chosen_changed.emit()

    def choose_safe(self) -> None:
        """Check only the lossless suggestions."""
        self._chosen = {one.kind.name for one in self.rows if one.kind.lossless}
        self.tell_of(WHAT)
        self.chosen_changed.emit()

    def set_text(self, text: CostText) -> None:
        """Set the format and currency of figures."""
        self._text = text

    def set_money(self, money: Mapping[str, Money]) -> None:
        """Set the money that each kind saves per month, by its name."""
        self._money = money
        self.tell_of(SAVED_MONEY)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == WHAT else flags

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or index.column() != WHAT:
            return False
        name = self.rows[index.row()].kind.name
        if Qt.CheckState(value) == Qt.CheckState.Checked:
            self._chosen.add(name)
        else:
            self._chosen.discard(name)
        self.dataChanged.emit(index, index, [role])
        self.chosen_changed.emit()
        return True

    @plain_tips
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and role == Qt.ItemDataRole.CheckStateRole and index.column() == WHAT:
            chosen = self.rows[index.row()].kind.name in self._chosen
            return Qt.CheckState.Checked if chosen else Qt.CheckState.Unchecked
        if index.isValid() and role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(kind_words(self.rows[index.row()].kind.name))
        return super().data(index, role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.ToolTipRole:
            return (
                tr("Checked suggestions are applied together"),
                tr("Whether the meaning is kept"),
                tr("Number of places it changes"),
                tr("Tokens saved if applied alone"),
                tr("Monthly savings if applied alone"),
            )[section]
        return super().headerData(section, orientation, role)

    def titles(self) -> tuple[str, ...]:
        return tr("Suggestion"), tr("Effect"), tr("Places"), tr("Saves"), tr("Per month")

    def cell(self, proposal: Proposal, column: int) -> str:
        if column == WHAT:
            return kind_words(proposal.kind.name).title
        if column == EFFECT:
            return tr("Same meaning") if proposal.kind.lossless else tr("Check the wording")
        if column == PLACES:
            return self._text.localised(f"{len(proposal.effect.edits):,}")
        if column == SAVED_TOKENS:
            return "−" + self._text.localised(f"{proposal.effect.tokens_saved:,}")
        money = self._money.get(proposal.kind.name)
        return self._text.unknown() if money is None else money_text(self._text, money)


LINE, TOKENS, SHARE, MONEY, BEGINNING = range(5)


class RankingModel(RowsModel):
    """Heaviest parts: line, tokens, share of all tokens, money per month, and the beginning of the part."""

    COLUMNS = 5
    FIGURES = (LINE, TOKENS, SHARE, MONEY)

    def __init__(self, text: CostText, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._total = 0
        self._money: Money | None = None

    def set_parts(self, parts: Sequence[RankedPart], total: int) -> None:
        """Show these parts; ``total``: tokens of the whole prompt."""
        self._total = total
        self.set_rows(parts)

    def set_text(self, text: CostText) -> None:
        """Set the format and currency of figures."""
        self._text = text

    def set_money(self, prompt: Money | None) -> None:
        """Set the cost of the whole prompt per month; None if it is not known yet."""
        self._money = prompt
        self.tell_of(MONEY)

    @plain_tips
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == BEGINNING:
            return self.rows[index.row()].beginning
        return super().data(index, role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.ToolTipRole and section == MONEY:
            return tr("The same share of the monthly input cost")
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
