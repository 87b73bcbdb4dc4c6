"""What is known of one model, as rows that can be changed: the value, and who says so where."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont

from gui.costs.price_facts_service import BUNDLED, YOURS, Fact, ModelFacts
from gui.look.fonts import set_weight
from gui.models.plain_data import everything_visible

FIELD, VALUE, ORIGIN = range(3)
_NO_INDEX = QModelIndex()

LABELS = {
    "price.input": QT_TRANSLATE_NOOP("PriceFacts", "Input"),
    "price.output": QT_TRANSLATE_NOOP("PriceFacts", "Output"),
    "price.cached": QT_TRANSLATE_NOOP("PriceFacts", "Cached input"),
    "price.cache_write": QT_TRANSLATE_NOOP("PriceFacts", "Cache write"),
    "price.cache_write_1h": QT_TRANSLATE_NOOP("PriceFacts", "Cache write, 1 hour"),
    "price.reasoning": QT_TRANSLATE_NOOP("PriceFacts", "Reasoning"),
    "price.per_request": QT_TRANSLATE_NOOP("PriceFacts", "Fee per request"),
    "price.batch": QT_TRANSLATE_NOOP("PriceFacts", "Batch"),
    "price.tiers": QT_TRANSLATE_NOOP("PriceFacts", "Long prompts"),
    "price.changes": QT_TRANSLATE_NOOP("PriceFacts", "Announced changes"),
    "price.audio_input": QT_TRANSLATE_NOOP("PriceFacts", "Audio input"),
    "price.audio_output": QT_TRANSLATE_NOOP("PriceFacts", "Audio output"),
    "price.per_search": QT_TRANSLATE_NOOP("PriceFacts", "Fee per search"),
    "price.off_peak": QT_TRANSLATE_NOOP("PriceFacts", "Off-peak price"),
    "price.services": QT_TRANSLATE_NOOP("PriceFacts", "Service tiers"),
    "price.since": QT_TRANSLATE_NOOP("PriceFacts", "Price since"),
    "price.history": QT_TRANSLATE_NOOP("PriceFacts", "Earlier prices"),
    "name": QT_TRANSLATE_NOOP("PriceFacts", "Name"),
    "provider": QT_TRANSLATE_NOOP("PriceFacts", "Provider"),
    "context": QT_TRANSLATE_NOOP("PriceFacts", "Context window"),
    "max_input": QT_TRANSLATE_NOOP("PriceFacts", "Longest prompt"),
    "max_output": QT_TRANSLATE_NOOP("PriceFacts", "Longest output"),
    "count": QT_TRANSLATE_NOOP("PriceFacts", "Counted with"),
    "source": QT_TRANSLATE_NOOP("PriceFacts", "Source"),
    "checked": QT_TRANSLATE_NOOP("PriceFacts", "Checked"),
    "checked_in": QT_TRANSLATE_NOOP("PriceFacts", "Checked in"),
    "retires": QT_TRANSLATE_NOOP("PriceFacts", "Retires"),
    "aliases": QT_TRANSLATE_NOOP("PriceFacts", "Other names"),
    "dated_aliases": QT_TRANSLATE_NOOP("PriceFacts", "Names for some time"),
    "notes": QT_TRANSLATE_NOOP("PriceFacts", "Notes"),
}

Index = QModelIndex | QPersistentModelIndex


class PriceFactsModel(QAbstractTableModel):
    """One row a value. A change is only asked for: the value shown changes when the text of the file has.

    Signals: ``edited(Fact, str)`` with what was typed.
    """

    edited = Signal(object, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.facts: tuple[Fact, ...] = ()

    def set_facts(self, facts: ModelFacts | None) -> None:
        """Show this model's values, or none."""
        shown = facts.facts if facts is not None else ()
        if [fact.path for fact in shown] == [fact.path for fact in self.facts]:
            self.facts = shown
            if shown:
                self.dataChanged.emit(self.index(0, 0), self.index(len(shown) - 1, ORIGIN))
            return
        self.beginResetModel()
        self.facts = shown
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.facts)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else 3

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if index.isValid() and index.column() == VALUE and not self.facts[index.row()].by_hand:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    @everything_visible
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        fact, column = self.facts[index.row()], index.column()
        if role == Qt.ItemDataRole.EditRole and column == VALUE:
            return fact.typed
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(fact, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(fact)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ": ".join(filter(None, (self._text(fact, FIELD), self._text(fact, VALUE), self._text(fact, ORIGIN))))
        if role == Qt.ItemDataRole.FontRole and fact.origin == YOURS:
            font = QFont()
            set_weight(font)
            return font
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role == Qt.ItemDataRole.EditRole and index.isValid() and index.column() == VALUE:
            fact = self.facts[index.row()]
            if str(value).strip() != fact.typed:
                self.edited.emit(fact, str(value))
        return False

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return (self._tr("Value of"), self._tr("Value"), self._tr("Set by"))[section]

    def _text(self, fact: Fact, column: int) -> str:
        if column == FIELD:
            return self._tr(LABELS[fact.path])
        if column == VALUE:
            return fact.shown
        if fact.origin == YOURS:
            return self._tr("yours, line {line}").format(line=fact.line) if fact.line else self._tr("yours")
        if fact.origin == BUNDLED:
            return self._tr("built in, {place}").format(place=fact.place) if fact.place else self._tr("built in")
        return self._tr("not set")

    def _tip(self, fact: Fact) -> str:
        words = [fact.about]
        if fact.shown:
            words.append(self._tr("{value} – {origin}").format(value=fact.shown, origin=self._text(fact, ORIGIN)))
        if fact.by_hand:
            words.append(self._tr("This takes more than a line: change it in the text."))
        return "\n".join(words)

    def _tr(self, text: str) -> str:
        return QCoreApplication.translate("PriceFacts", text)
