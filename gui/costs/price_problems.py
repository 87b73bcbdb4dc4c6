"""The mistakes in a price file, as rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QObject, QPersistentModelIndex, Qt

from gui.models.plain_data import everything_visible
from gui.models.rows import RIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pricing.types import Problem

LINE, COLUMN, MESSAGE = range(3)
_NO_INDEX = QModelIndex()

Index = QModelIndex | QPersistentModelIndex


class PriceProblemsModel(QAbstractTableModel):
    """Line, column, and what is wrong there."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.problems: tuple[Problem, ...] = ()

    def set_problems(self, problems: Sequence[Problem]) -> None:
        """Show these."""
        if tuple(problems) != self.problems:
            self.beginResetModel()
            self.problems = tuple(problems)
            self.endResetModel()

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.problems)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else 3

    @everything_visible
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        problem = self.problems[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            # The way to the value is in sight: it is where the line leads. The tool tip has it all the same.
            short = problem.message.removeprefix(f"{problem.path}: ")
            return (problem.line or "", problem.column or "", short)[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return problem.message
        if role == Qt.ItemDataRole.AccessibleTextRole:
            words = self._tr("Line {line}, column {column}: {message}")
            return words.format(line=problem.line, column=problem.column, message=problem.message)
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() != MESSAGE:
            return RIGHT
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return (self._tr("Line"), self._tr("Column"), self._tr("Problem"))[section]

    def _tr(self, text: str) -> str:
        return QCoreApplication.translate("PriceProblems", text)
