"""The models of a ranking as a table: place, model, provider, cost, and why not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QAbstractTableModel, QCoreApplication, QModelIndex, QObject, Qt

from gui.costs.money_text import CostText
from gui.models.plain_data import plain_tips
from gui.models.rows import LEFT, RIGHT

if TYPE_CHECKING:
    from pricing.scenarios import Choice
    from pricing.types import Model

_NO_INDEX = QModelIndex()


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("CheapestTable", text)


def _call_text(choice: Choice, text: CostText) -> str:
    estimate = choice.estimate
    return text.usd(estimate.usd_label, estimate.usd, estimate.usd_low, estimate.usd_high)


def _calls_text(choice: Choice, text: CostText) -> str:
    estimate = choice.estimate
    return text.usd(estimate.usd_label, estimate.usd_calls, estimate.usd_calls_low, estimate.usd_calls_high)


_COLUMNS: tuple[tuple[str, Callable[[Choice, CostText], str]], ...] = (
    (QT_TRANSLATE_NOOP("CheapestTable", "Model"), lambda choice, text: choice.model.name),
    (QT_TRANSLATE_NOOP("CheapestTable", "Provider"), lambda choice, text: choice.model.provider),
    (QT_TRANSLATE_NOOP("CheapestTable", "One call"), _call_text),
    (QT_TRANSLATE_NOOP("CheapestTable", "All calls"), _calls_text),
    (QT_TRANSLATE_NOOP("CheapestTable", "Fits"), lambda choice, text: _why(choice)),
)
MONEY = (3, 4)


def _why(choice: Choice) -> str:
    return "✓ " + tr("yes") if choice.fits else "✗ " + ", ".join(choice.why_not)


def _all_but_amounts(choices: Sequence[Choice]) -> list[tuple[Model, tuple[str, ...]]]:
    return [(choice.model, choice.why_not) for choice in choices]


class WrittenRanking:
    """What the cells say, written once: a column is measured by it in one turn and painted from it in another."""

    def __init__(self, choices: Sequence[Choice], text: CostText) -> None:
        """``text``: writes amounts."""
        self.choices, self._text = choices, text
        self._cells: dict[tuple[int, int], str] = {}

    def lines(self, column: int, rows: int) -> str:
        """What the first ``rows`` cells of a column say, a line each."""
        return "\n".join(self.shown(row, column) for row in range(min(rows, len(self.choices))))

    def shown(self, row: int, column: int) -> str:
        """What a cell says."""
        if (row, column) not in self._cells:
            self._cells[row, column] = self._written(row, column)
        return self._cells[row, column]

    def _written(self, row: int, column: int) -> str:
        choice = self.choices[row]
        if column:
            return _COLUMNS[column - 1][1](choice, self._text)
        return self._text.localised(f"{row + 1:,}") if choice.fits else ""

    def changed_from(self, other: WrittenRanking) -> Sequence[int]:
        """The columns in which they differ: those of the amounts, or all."""
        alike = self._text is other._text and _all_but_amounts(self.choices) == _all_but_amounts(other.choices)
        return MONEY if self.choices and alike else range(len(_COLUMNS) + 1)


class CheapestModel(QAbstractTableModel):
    """A row a model, those that fit first; their place stands in front."""

    def __init__(self, text: CostText, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.ranking = WrittenRanking((), text)

    @property
    def choices(self) -> Sequence[Choice]:
        """Of the rows."""
        return self.ranking.choices

    def show(self, ranking: WrittenRanking) -> None:
        """Show this. Where only amounts are others, the rows stay what they are."""
        if ranking.changed_from(self.ranking) == MONEY:
            self.ranking = ranking
            self.dataChanged.emit(self.index(0, MONEY[0]), self.index(len(ranking.choices) - 1, MONEY[-1]))
            return
        self.beginResetModel()
        self.ranking = ranking
        self.endResetModel()

    def shown(self, row: int, column: int) -> str:
        """What a cell says."""
        return self.ranking.shown(row, column)

    def side(self, column: int) -> Qt.AlignmentFlag:
        """Where the cells of a column stand."""
        return RIGHT if column in (0, *MONEY) else LEFT

    def rowCount(self, parent: Any = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.choices)

    def columnCount(self, parent: Any = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(_COLUMNS) + 1

    @plain_tips
    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.shown(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in (0, *MONEY):
            return RIGHT
        return None

    def headerData(self, section: int, orientation: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(_COLUMNS[section - 1][0]) if section else tr("Place")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.side(section)
        return None
