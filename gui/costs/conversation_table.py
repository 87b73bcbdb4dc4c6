"""Two tables of a conversation: the models with what it costs in all, and the turns with what it has cost so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QAbstractTableModel, QCoreApplication, QModelIndex, QObject, Qt
from PySide6.QtGui import QIcon

from gui.costs.money_text import CostText
from gui.models.plain_data import plain_tips
from gui.models.rows import RIGHT

if TYPE_CHECKING:
    from gui.costs.conversation_service import Talk
    from pricing.scenarios import Turn

_NO_INDEX = QModelIndex()
LineIcon = Callable[[int], QIcon]


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("ConversationTable", text)


def total_text(turn: Turn, text: CostText) -> str:
    """What a conversation has cost up to a turn, a range where its tokens are one."""
    return text.usd(turn.estimate.usd_label, turn.total_usd, turn.total_usd_low, turn.total_usd_high)


def _pays_text(talk: Talk, text: CostText) -> str:
    if not talk.without:
        return tr("no cache")
    if talk.pays_from is not None:
        return tr("turn {number}").format(number=text.localised(f"{talk.pays_from:,}"))
    return text.unknown() if talk.turns[-1].total_usd is None else tr("never")


def _fits_text(talk: Talk, text: CostText) -> str:
    if talk.full_at == 1:
        return tr("⚠ no")
    if talk.full_at is not None:
        return tr("⚠ until turn {number}").format(number=text.localised(f"{talk.full_at - 1:,}"))
    return tr("yes") if talk.model.context is not None else text.unknown()


def figures_of(talk: Talk, text: CostText) -> list[tuple[str, str]]:
    """Return the answer in figures with their captions: what the conversation costs, and what the cache is good for."""
    last = talk.turns[-1]
    turns = text.localised(f"{len(talk.turns):,}")
    found = [(total_text(last, text), tr("{turns} turns, {model}").format(turns=turns, model=talk.model.name))]
    without = talk.without[-1].total_usd if talk.without else None
    if without and last.total_usd is not None:
        saving = text.localised(f"{last.total_usd / without - 1:+.0%}".replace("-", "−"))
        found.append((saving, tr("against no cache")))
        found.append((_pays_text(talk, text), tr("cache pays from")))
    found.append((text.localised(f"{last.prompt_tokens:,}"), tr("tokens in the last prompt")))
    return found


_SUMMARY: tuple[tuple[str, Callable[[Talk, CostText], str]], ...] = (
    (QT_TRANSLATE_NOOP("ConversationTable", "Model"), lambda talk, text: talk.model.name),
    (QT_TRANSLATE_NOOP("ConversationTable", "All turns"), lambda talk, text: total_text(talk.turns[-1], text)),
    (
        QT_TRANSLATE_NOOP("ConversationTable", "Without cache"),
        lambda talk, text: total_text((talk.without or talk.turns)[-1], text),
    ),
    (QT_TRANSLATE_NOOP("ConversationTable", "Cache pays from"), _pays_text),
    (
        QT_TRANSLATE_NOOP("ConversationTable", "Last prompt"),
        lambda talk, text: text.localised(f"{talk.turns[-1].prompt_tokens:,}"),
    ),
    (QT_TRANSLATE_NOOP("ConversationTable", "Fits the window"), _fits_text),
)


class _TalkModel(QAbstractTableModel):
    """What both tables have in common."""

    def __init__(self, text: CostText, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._talks: Sequence[Talk] = ()

    def show(self, talks: Sequence[Talk], text: CostText) -> None:
        """Show these talks, amounts as ``text`` writes them."""
        self.beginResetModel()
        self._talks, self._text = talks, text
        self.endResetModel()


class TotalsModel(_TalkModel):
    """A row a model."""

    def __init__(self, text: CostText, line: LineIcon, parent: QObject | None = None) -> None:
        """``line`` draws a sample of the line of a model, by its place."""
        super().__init__(text, parent)
        self._line = line

    def redraw_lines(self) -> None:
        """The samples of the lines have other colours."""
        if self._talks:
            last = self.index(len(self._talks) - 1, 0)
            self.dataChanged.emit(self.index(0, 0), last, [Qt.ItemDataRole.DecorationRole])

    def rowCount(self, parent: Any = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._talks)

    def columnCount(self, parent: Any = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(_SUMMARY)

    @plain_tips
    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        talk = self._talks[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return _SUMMARY[index.column()][1](talk, self._text)
        if role == Qt.ItemDataRole.DecorationRole and index.column() == 0:
            return self._line(index.row())
        return None

    def headerData(self, section: int, orientation: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return tr(_SUMMARY[section][0])
        return None


class TurnsModel(_TalkModel):
    """A row a turn, a column a model: what all turns up to this one cost."""

    def rowCount(self, parent: Any = _NO_INDEX) -> int:
        return 0 if parent.isValid() or not self._talks else len(self._talks[0].turns)

    def columnCount(self, parent: Any = _NO_INDEX) -> int:
        return 0 if parent.isValid() or not self._talks else len(self._talks) + 1

    @plain_tips
    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT
        if index.column() == 0:
            return self._text.localised(f"{index.row() + 1:,}") if role == Qt.ItemDataRole.DisplayRole else None
        turn = self._talks[index.column() - 1].turns[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return total_text(turn, self._text)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            return self._details(turn)
        return None

    def headerData(self, section: int, orientation: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return tr("Turn") if section == 0 else self._talks[section - 1].model.name
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT
        return None

    def _details(self, turn: Turn) -> str:
        def number(tokens: int) -> str:
            return self._text.localised(f"{tokens:,}")

        estimate = turn.estimate
        usd = self._text.usd(estimate.usd_label, estimate.usd, estimate.usd_low, estimate.usd_high)
        words = tr("This turn: {usd}. Its prompt: {prompt} tokens, {cached} of them from the cache, {written} written.")
        return words.format(
            usd=usd,
            prompt=number(turn.prompt_tokens),
            cached=number(turn.cached_tokens),
            written=number(turn.written_tokens),
        )
