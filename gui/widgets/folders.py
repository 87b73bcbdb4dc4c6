"""Folders of text, as counting and training share them: the field that chooses one, and the files skipped in it.

Skipped files are a tree of two levels: reasons with their counts, and the files below them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtWidgets import QGridLayout, QLineEdit, QPushButton, QWidget

from gui.look.icons import Icons
from gui.look.quantities import TrainingText
from gui.widgets import file_choosers
from gui.widgets.forms import label_of
from gui.widgets.table_model import everything_visible
from gui.widgets.tool_row import BESIDE_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.corpus.types import CorpusFile, CorpusSurvey, SkippedFile


Index = QModelIndex | QPersistentModelIndex


class FolderBar(QWidget):
    """Field for one path or several, separated by the system's path separator.

    Signals: ``paths_changed()`` at each change of the field; ``chosen()`` when a folder was chosen in the dialog.
    """

    paths_changed = Signal()
    chosen = Signal()

    def __init__(
        self, icons: Icons, parent: QWidget | None = None, *, prefix: str = "train", stacked: bool = False
    ) -> None:
        """``prefix``: prefix of the object names. ``stacked``: place the label above the field."""
        super().__init__(parent)
        self._prefix = prefix
        self.field = QLineEdit(objectName=f"{prefix}Folder", accessibleName=self.tr("Training folder"))
        long, short = self.tr("Choose a folder of text, drop one here, or type its path"), self.tr("Path of a folder")
        self.field.setPlaceholderText(short if stacked else long)
        self.field.setClearButtonEnabled(True)
        self.field.setAcceptDrops(False)  # the page accepts drops anywhere on it
        self.button = QPushButton(self.tr("&Choose folder…"), objectName=f"{prefix}Choose", autoDefault=False)
        self.button.setIcon(icons.icon("open"))
        self.button.setIconSize(BESIDE_WORDS)
        self.button.setAccessibleName(self.tr("Choose the training folder"))
        label = label_of(self.field, self.tr("Fol&der"))
        row = QGridLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(label, 0, 0)
        row.addWidget(self.field, int(stacked), 0 if stacked else 1)
        row.addWidget(self.button, int(stacked), 1 if stacked else 2)
        row.setColumnStretch(0 if stacked else 1, 1)
        self.field.textChanged.connect(self._on_text)
        self.button.clicked.connect(self.choose)

    def paths(self) -> tuple[Path, ...]:
        """Return the paths in the field, in order."""
        text = self.field.text().strip()
        if not text:
            return ()
        # A name may contain the separator: a text that exists as a path is one path.
        is_one = os.pathsep not in text or _exists(_expanded(Path(text)))
        parts = [text] if is_one else [part for part in text.split(os.pathsep) if part.strip()]
        return tuple(_expanded(Path(part.strip())).absolute() for part in parts)

    def set_paths(self, paths: list[str]) -> None:
        """Set the paths."""
        self.field.setText(os.pathsep.join(paths))

    @Slot()
    def choose(self) -> None:
        """Open the folder dialog."""
        chosen = self.paths()
        start = chosen[0] if chosen else Path.home()
        title = self.tr("Choose a folder of text")
        dialog = file_choosers.folder(self.window(), f"{self._prefix}FolderDialog", title, start)
        dialog.fileSelected.connect(self._on_chosen)
        dialog.open()

    @Slot(str)
    def _on_chosen(self, path: str) -> None:
        self.set_paths([path])
        self.chosen.emit()

    @Slot()
    def _on_text(self) -> None:
        self.paths_changed.emit()


def _exists(path: Path) -> bool:
    """Return True if the path exists; False also for invalid paths, such as too long names."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _expanded(path: Path) -> Path:
    """Return ``path`` with ~ expanded, if that user exists."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path


# --- files skipped in a folder ----------------------------------------------------------------------------------------

_NO_INDEX = QModelIndex()
_TOP = 0
"""Internal ID of a reason row; a file has the row of its reason plus one."""
DUPLICATE = "duplicate"
"""Group of files that are in the corpus more than once."""


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
