"""Files skipped in a corpus, as a tree of two levels: reasons with their counts, and the files below them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractItemModel, QCoreApplication, QModelIndex, QObject, QPersistentModelIndex, Qt

from gui.look.quantities import TrainingText
from gui.widgets.table_model import everything_visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.corpus.types import CorpusFile, CorpusSurvey, SkippedFile

_NO_INDEX = QModelIndex()
_TOP = 0
"""Internal ID of a reason row; a file has the row of its reason plus one."""

Index = QModelIndex | QPersistentModelIndex


class SkippedFilesModel(QAbstractItemModel):
    """Reasons sorted by number of files, most first; duplicates, which are not skipped, are a separate last group."""

    def __init__(self, text: TrainingText, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._groups: list[tuple[str, int, list[tuple[Path, str]]]] = []
        self._roots: tuple[Path, ...] = ()

    def set_survey(self, survey: CorpusSurvey | None) -> None:
        """Show the skipped files of a survey."""
        self.beginResetModel()
        self._groups, self._roots = [], ()
        if survey is not None:
            self._roots = survey.roots
            self._groups = groups_of(survey.skipped, survey.skipped_counts, survey.files)
        self.endResetModel()

    # Qt's interface

    def index(self, row: int, column: int, parent: Index = _NO_INDEX) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else _TOP)

    def parent(self, child: Index = _NO_INDEX) -> Any:  # Qt overloads this method without arguments
        if not child.isValid() or child.internalId() == _TOP:
            return QModelIndex()
        return self.createIndex(child.internalId() - 1, 0, _TOP)

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        if not parent.isValid():
            return len(self._groups)
        if parent.internalId() != _TOP:
            return 0
        _reason, number, files = self._groups[parent.row()]
        return len(files) + (number > len(files))

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 1

    @everything_visible
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        if index.internalId() == _TOP:
            reason, number, _files = self._groups[index.row()]
            if reason == DUPLICATE:
                return self._tr("Same content as another: {number}").format(number=self._text.number(number))
            return self._tr("{reason}: {number}").format(
                reason=self._text.reason(reason), number=self._text.number(number)
            )
        _reason, number, files = self._groups[index.internalId() - 1]
        if index.row() == len(files):
            return self._tr("and {number} more").format(number=self._text.number(number - len(files)))
        path, why = files[index.row()]
        return why if role == Qt.ItemDataRole.ToolTipRole else self._shown(path)

    def _shown(self, path: Path) -> str:
        for root in self._roots:
            if path != root and path.is_relative_to(root):
                return str(path.relative_to(root))
        return str(path)

    def _tr(self, text: str) -> str:
        return QCoreApplication.translate("SkippedFiles", text)


DUPLICATE = "duplicate"
"""Group of files that are in the corpus more than once."""


def groups_of(
    skipped: Sequence[SkippedFile], counts: dict[str, int], files: Sequence[CorpusFile]
) -> list[tuple[str, int, list[tuple[Path, str]]]]:
    """Return for each reason the number of files and the listed paths with details; most frequent reason first."""
    listed: dict[str, list[tuple[Path, str]]] = {reason: [] for reason in counts}
    for one in skipped:
        listed.setdefault(one.reason, []).append((one.path, one.why))
    number = {reason: max(counts.get(reason, 0), len(paths)) for reason, paths in listed.items()}
    found = [(reason, number[reason], listed[reason]) for reason in sorted(listed, key=lambda one: -number[one])]
    twice = [(file.path, str(file.duplicate_of)) for file in files if file.duplicate_of is not None]
    return [*found, (DUPLICATE, len(twice), twice)] if twice else found
