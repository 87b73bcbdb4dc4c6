"""Versions of the prompt, as rows of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale, QObject, Qt, Signal

from gui.look.figures import figure
from gui.models.plain_data import everything_visible
from gui.models.rows import Index, RowsModel

if TYPE_CHECKING:
    from gui.services.versions.store import Version

NAME, SAVED, TOKENS, COST = range(4)


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("Versions", text)


class VersionsModel(RowsModel):
    """Name, day and time, tokens, and what one call costs.

    Signals: ``renamed(Version, str)`` when somebody typed another name.
    """

    COLUMNS = 4
    FIGURES = (TOKENS, COST)

    renamed = Signal(object, str)

    def __init__(self, locale: QLocale, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale = locale
        self._cost: Callable[[Version], str] = lambda version: ""

    def set_cost(self, cost: Callable[[Version], str]) -> None:
        """How to say what one call with a version costs."""
        self._cost = cost
        self.tell_of(COST)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == NAME else flags

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        version = self.rows[index.row()]
        name = str(value).strip()
        if role != Qt.ItemDataRole.EditRole or index.column() != NAME or not name or name == version.name:
            return False
        self.renamed.emit(version, name)
        return True

    @everything_visible
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and role == Qt.ItemDataRole.EditRole and index.column() == NAME:
            return self.rows[index.row()].name
        if index.isValid() and role == Qt.ItemDataRole.ToolTipRole:
            version = self.rows[index.row()]
            words = tr("{size} bytes, {encoding}, SHA-256 {digest}")
            size = figure(self._locale, version.size)
            return words.format(size=size, encoding=version.encoding, digest=version.sha256)
        return super().data(index, role)

    def titles(self) -> tuple[str, ...]:
        return tr("Name"), tr("Saved"), tr("Tokens"), tr("One call")

    def cell(self, version: Version, column: int) -> str:
        if column == NAME:
            return version.name
        if column == SAVED:
            moment = QDateTime.fromSecsSinceEpoch(int(version.saved.timestamp()))
            return self._locale.toString(moment, QLocale.FormatType.ShortFormat)
        if column == TOKENS:
            return tr("n/a") if version.tokens is None else figure(self._locale, version.tokens)
        return self._cost(version)
