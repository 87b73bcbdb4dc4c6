"""What comes of a card of the Lab, as tables, and the words for how it went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from gui.look.theme import Theme
from gui.widgets.table_model import RIGHT, everything_visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.lab.experiments.types import Claim, ResultTable

_NO_INDEX = QModelIndex()
_RIGHT = int(RIGHT)
Index = QModelIndex | QPersistentModelIndex
NOT_RUN, WAITING, HOLDS, FAILS, DONE, BROKEN = "not run", "waiting", "holds", "fails", "done", "broken"
"""How a card stands: not run, waiting or running, all claims hold, some do not, run without claims, failed to run."""

SIGNS = {NOT_RUN: "", WAITING: "…", HOLDS: "✓", FAILS: "✗", DONE: "–", BROKEN: "⚠"}
ROLES = {HOLDS: "success", FAILS: "error", BROKEN: "error"}
"""Colours of ``Theme`` for those that have one."""


def tr(text: str) -> str:
    """Translate in the context of the Lab's window."""
    return QCoreApplication.translate("LabPanel", text)


def standing_words(standing: str) -> str:
    """How a card stands, with its sign."""
    words = {
        NOT_RUN: tr("not run"),
        WAITING: tr("running"),
        HOLDS: tr("as expected"),
        FAILS: tr("not as expected"),
        DONE: tr("run"),
        BROKEN: tr("could not be run"),
    }[standing]
    return f"{SIGNS[standing]} {words}".strip()


class ResultModel(QAbstractTableModel):
    """A table of texts that does not change."""

    def __init__(self, table: ResultTable, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = table

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._table.rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._table.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | int | None:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self._table.columns[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and self.is_numeric(section):
            return _RIGHT
        return None

    def is_numeric(self, column: int) -> bool:
        """Whether a column holds numbers."""
        return column in self._table.numeric

    @everything_visible
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._table.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole and self.is_numeric(index.column()):
            return _RIGHT
        return None


VERDICT, SAYS, EXPECTED, FOUND = range(4)


class ClaimsModel(QAbstractTableModel):
    """What a card claims, what is expected, and what was found."""

    def __init__(self, claims: Sequence[Claim], theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._claims = tuple(claims)
        self._theme = theme

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._claims)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else FOUND + 1

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return (tr("Verdict"), tr("What"), tr("Expected"), tr("Found"))[section]
        return None

    @everything_visible
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        claim = self._claims[index.row()]
        standing = HOLDS if claim.holds else FAILS
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return (standing_words(standing), claim.says, claim.expected, claim.found)[index.column()]
        if role == Qt.ItemDataRole.ForegroundRole and index.column() == VERDICT:
            return QColor(self._theme.colour(ROLES[standing]))
        return None
