"""Versions of the prompt, as rows of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale, QObject, Qt, Signal

from gui.look.figures import figure
from gui.widgets.table_model import Index, RowsModel, everything_visible

if TYPE_CHECKING:
    from gui.core.version_store import Version

NAME, TOKENS, COST, CONTEXT, SAVED = range(5)

LEAST_SHARE = 0.001
"""A smaller share is said to be below this one, as in the cost table."""


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("Versions", text)


class VersionsModel(RowsModel):
    """Name, tokens, the cost of one call, the share of the context window, and day and time.

    Signals: ``renamed(Version, str)`` when somebody typed another name.
    """

    COLUMNS = 5
    FIGURES = (TOKENS, COST, CONTEXT)

    renamed = Signal(object, str)

    def __init__(self, locale: QLocale, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale = locale
        self._cost: Callable[[Version], str] = lambda version: ""
        self._share: Callable[[Version], float | None] = lambda version: None

    def set_cost(self, cost: Callable[[Version], str]) -> None:
        """How to say what one call with a version costs."""
        self._cost = cost
        self.tell_of(COST)

    def set_share(self, share: Callable[[Version], float | None]) -> None:
        """How to find the share of the model's context window that a version takes, None where it is not known."""
        self._share = share
        self.tell_of(CONTEXT)

    def share(self, row: int) -> float | None:
        """The share of the context window that a version takes; more than 1 does not fit."""
        return self._share(self.rows[row])

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
            words = tr("{day}, {size} bytes, {encoding}, SHA-256 {digest}")
            facts = {"day": self.cell(version, SAVED), "size": figure(self._locale, version.size)}
            return words.format(**facts, encoding=version.encoding, digest=version.sha256)
        return super().data(index, role)

    def titles(self) -> tuple[str, ...]:
        return tr("Name"), tr("Tokens"), tr("One call"), tr("Context"), tr("Saved")

    def cell(self, version: Version, column: int) -> str:
        if column == NAME:
            return version.name
        if column == SAVED:
            moment = QDateTime.fromSecsSinceEpoch(int(version.saved.timestamp()))
            return self._locale.toString(moment, QLocale.FormatType.ShortFormat)
        if column == TOKENS:
            return tr("n/a") if version.tokens is None else figure(self._locale, version.tokens)
        if column == COST:
            return self._cost(version)
        share = self._share(version)
        if share is None:
            return tr("n/a")
        if 0 < share < LEAST_SHARE:
            return "<" + self._locale.toString(LEAST_SHARE * 100, "f", 1) + "%"
        return self._locale.toString(share * 100, "f", 1 if share < 10 else 0) + "%"
