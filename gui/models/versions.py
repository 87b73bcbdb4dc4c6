"""Versions of the prompt, as rows of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QDateTime,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from gui.look.figures import figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.services.versions.store import Version

NAME, SAVED, TOKENS, COST = range(4)
_NO_INDEX = QModelIndex()

Index = QModelIndex | QPersistentModelIndex


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("Versions", text)


class VersionsModel(QAbstractTableModel):
    """Name, day and time, tokens, and what one call costs.

    Signals: ``renamed(Version, str)`` when somebody typed another name.
    """

    renamed = Signal(object, str)

    def __init__(self, locale: QLocale, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale = locale
        self.versions: Sequence[Version] = ()
        self._cost: Callable[[Version], str] = lambda version: ""

    def set_versions(self, versions: Sequence[Version]) -> None:
        """Show these."""
        self.beginResetModel()
        self.versions = versions
        self.endResetModel()

    def set_cost(self, cost: Callable[[Version], str]) -> None:
        """How to say what one call with a version costs."""
        self._cost = cost
        if self.versions:
            self.dataChanged.emit(self.index(0, COST), self.index(len(self.versions) - 1, COST))

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.versions)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else 4

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == NAME else flags

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        version = self.versions[index.row()]
        name = str(value).strip()
        if role != Qt.ItemDataRole.EditRole or index.column() != NAME or not name or name == version.name:
            return False
        self.renamed.emit(version, name)
        return True

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        version, column = self.versions[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole or (role == Qt.ItemDataRole.EditRole and column == NAME):
            return self._cell(version, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            words = tr("{size} bytes, {encoding}, SHA-256 {digest}")
            size = figure(self._locale, version.size)
            return words.format(size=size, encoding=version.encoding, digest=version.sha256)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (TOKENS, COST):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return (tr("Name"), tr("Saved"), tr("Tokens"), tr("One call"))[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section in (TOKENS, COST) else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def _cell(self, version: Version, column: int) -> str:
        if column == NAME:
            return version.name
        if column == SAVED:
            moment = QDateTime.fromSecsSinceEpoch(int(version.saved.timestamp()))
            return self._locale.toString(moment, QLocale.FormatType.ShortFormat)
        if column == TOKENS:
            return tr("n/a") if version.tokens is None else figure(self._locale, version.tokens)
        return self._cost(version)
