"""The tab for files: a folder, its tree with figures, a map of it, what is left out, and the sum of what is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSplitter,
    QTabWidget,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from engine.training_types import CorpusRules
from gui.costs.money_text import CostText
from gui.look.corner import plain_corner
from gui.look.icons import Icons
from gui.look.theme import Theme
from gui.models.file_tree import TOP
from gui.models.file_tree_model import MODELS, NAME, FileTreeModel
from gui.models.training_skipped import SkippedFilesModel
from gui.models.training_text import TrainingText
from gui.panels.dropped_files import DroppedFiles
from gui.panels.files_tools import FilesTools
from gui.panels.fit_proposal import FitProposal
from gui.panels.training_folder import FolderBar
from gui.panels.training_form import Remark
from gui.panels.treemap import Treemap, only_child

if TYPE_CHECKING:
    from pathlib import Path

    from engine.training_types import CorpusSurvey

FIRST_CHARACTERS = (30, 7, 11, 12, 8)
"""Widths of the first columns when they are first shown, in characters of their font."""
PADDING = 16


class FilesPanel(QWidget):
    """Shows a folder and takes what the user does with it. What happens is in ``FilesFlow``.

    Signals: ``scan_asked()``, ``stop_asked()``, ``file_opened(int)`` with a node, ``state_changed()``.
    """

    scan_asked = Signal()
    stop_asked = Signal()
    file_opened = Signal(int)
    state_changed = Signal()

    def __init__(self, theme: Theme, icons: Icons, text: CostText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("filesPanel")
        self.text = TrainingText(self.locale())
        self.model = FileTreeModel(text, self.text, self)
        self.left_out = SkippedFilesModel(self.text, self)
        self._opened: set[tuple[str, ...]] = set()
        self._busy = self._sized = False
        self._make(theme, icons)
        self._place()
        self._connect()
        self.set_busy(False)

    def _make(self, theme: Theme, icons: Icons) -> None:
        self.folder = FolderBar(icons, prefix="files")
        self.folder.field.setAccessibleName(self.tr("Folder to count"))
        self.folder.field.setPlaceholderText(self.tr("A folder: choose one, drop one on this page, or type its path"))
        self.folder.button.setAccessibleName(self.tr("Choose the folder to count"))
        self.scan = QPushButton(self.tr("Cou&nt"), objectName="filesScan")
        self.scan.setAccessibleName(self.tr("Count the folder"))
        self.scan.setToolTip(self.tr("Count what is new or has changed"))
        self.tools = FilesTools()
        self.remark = Remark(theme)
        self.remark.setObjectName("filesRemark")
        self.watching = Remark(theme)
        self.watching.setObjectName("filesWatching")
        self.counted = Remark(theme)
        self.counted.setObjectName("filesCounted")
        self.proposal = FitProposal(self.text)
        self.tree = QTreeView(objectName="filesTree")
        self.tree.setAccessibleName(self.tr("Files with their tokens and costs"))
        self.tree.setModel(self.model)
        self.tree.setUniformRowHeights(True)
        self.tree.setAlternatingRowColors(True)
        self.tree.setSortingEnabled(True)
        self.tree.sortByColumn(NAME, Qt.SortOrder.AscendingOrder)
        self.tree.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.tree.setCornerWidget(plain_corner(self.tree))
        header = self.tree.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(False)
        self.map = Treemap(self.model, theme)
        self.skipped = QTreeView(objectName="filesSkipped")
        self.skipped.setAccessibleName(self.tr("Files that were left out, by reason"))
        self.skipped.setModel(self.left_out)
        self.skipped.setHeaderHidden(True)
        self.skipped.setUniformRowHeights(True)
        self.sides = QTabWidget(objectName="filesSides")
        self.sides.setAccessibleName(self.tr("Map, and what was left out"))
        self.sides.setDocumentMode(True)
        self.sides.addTab(self.map, self.tr("Map"))
        self.sides.addTab(self.skipped, self.tr("Left out"))
        self.total = QLabel(objectName="filesTotal")
        self.total.setAccessibleName(self.tr("Sum of the checked files"))
        self.total.setTextFormat(Qt.TextFormat.PlainText)
        self.total.setWordWrap(True)
        self.total.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )

    def _place(self) -> None:
        top = QHBoxLayout()
        top.addWidget(self.folder, 1)
        top.addWidget(self.scan)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, objectName="filesSplitter")
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.tree)
        self.splitter.addWidget(self.sides)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addLayout(top)
        column.addWidget(self.tools)
        column.addWidget(self.remark)
        column.addWidget(self.watching)
        column.addWidget(self.counted)
        column.addWidget(self.proposal)
        column.addWidget(self.splitter, 1)
        column.addWidget(self.total)

    def _connect(self) -> None:
        dropped = DroppedFiles(self)
        dropped.dropped.connect(self._on_dropped)
        self.folder.chosen.connect(self.scan_asked)
        self.folder.field.returnPressed.connect(self.scan_asked)
        self.folder.paths_changed.connect(self.state_changed)
        self.scan.clicked.connect(self._on_scan)
        self.tools.rules_changed.connect(self.scan_asked)
        self.tools.least_changed.connect(self._on_least)
        self.tools.changed.connect(self.state_changed)
        self.tree.activated.connect(self._on_activated)
        self.tree.expanded.connect(self._on_expanded)
        self.tree.collapsed.connect(self._on_collapsed)
        self.tree.selectionModel().currentChanged.connect(self._on_current)
        self.map.opened.connect(self.file_opened)
        self.model.modelReset.connect(self._size_columns)

    # --- what is shown ------------------------------------------------------------------------------------------------

    def rules(self) -> CorpusRules:
        """Which files are counted."""
        return CorpusRules(honour_gitignore=self.tools.gitignore.isChecked())

    def set_busy(self, busy: bool) -> None:
        """A folder is being counted, or is no more."""
        self._busy = busy
        self.scan.setText(self.tr("St&op") if busy else self.tr("Cou&nt"))
        self.scan.setAccessibleName(self.tr("Stop counting") if busy else self.tr("Count the folder"))

    def show_counted(self, words: str, *, current: bool) -> None:
        """Say which folder the results are of. Results that are not ``current`` are dimmed and cannot be used."""
        self.counted.say(words, "" if current else "warning")
        focus = self.focusWidget()
        if not current and focus is not None and self.splitter.isAncestorOf(focus):
            self.folder.field.setFocus()  # a disabled widget would pass the focus on to whatever is next
        for results in (self.proposal, self.splitter, self.total):
            results.setEnabled(current)
        tree = self.model.tree
        self.tools.set_there(current and tree is not None and bool(tree.paths))

    def show_left_out(self, left_out: CorpusSurvey | None) -> None:
        """Show what was left out, with the number on its tab."""
        self.left_out.set_survey(left_out)
        number = len(left_out.skipped) if left_out is not None else 0
        self.sides.setTabText(1, self.tr("Left out: {n}").format(n=self.text.number(number)))

    def open_again(self) -> None:
        """Open the folders that were open before the tree was shown anew; at first the one at the top."""
        for way in sorted(self._opened, key=len):
            node = self.model.find(way)
            if node is not None:
                self.tree.expand(self.model.index_of(node))
        top = only_child(self.model)
        if top != TOP:
            self.tree.expand(self.model.index_of(top))
            if not self.tree.currentIndex().isValid():
                self.tree.setCurrentIndex(self.model.index_of(top))

    def set_paths(self, paths: list[Path]) -> None:
        """Name these folders and files, and ask for their count."""
        self.folder.set_paths([str(path) for path in paths])
        self.scan_asked.emit()

    def state(self) -> dict[str, Any]:
        """What the user chose, as JSON holds it."""
        return {"folder": self.folder.field.text(), **self.tools.state()}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Take back what ``state`` gave."""
        folder = state.get("folder")
        self.folder.field.setText(folder if isinstance(folder, str) else "")
        self.tools.restore_state(state)
        self.model.set_least(self.tools.least.value())

    # --- what the user does -------------------------------------------------------------------------------------------

    @Slot(list)
    def _on_dropped(self, paths: list[Path]) -> None:
        self.set_paths(paths)

    @Slot()
    def _on_scan(self) -> None:
        (self.stop_asked if self._busy else self.scan_asked).emit()

    @Slot(int)
    def _on_least(self, tokens: int) -> None:
        self.model.set_least(tokens)

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        tree = self.model.tree
        if tree is not None and tree.is_file(self.model.node(index)):
            self.file_opened.emit(self.model.node(index))

    @Slot(QModelIndex)
    def _on_expanded(self, index: QModelIndex) -> None:
        if self.model.tree is not None:
            self._opened.add(self.model.tree.way_to(self.model.node(index)))

    @Slot(QModelIndex)
    def _on_collapsed(self, index: QModelIndex) -> None:
        if self.model.tree is not None:
            self._opened.discard(self.model.tree.way_to(self.model.node(index)))

    @Slot(QModelIndex, QModelIndex)
    def _on_current(self, index: QModelIndex, _before: QModelIndex) -> None:
        tree = self.model.tree
        if tree is None or not index.isValid():
            return
        node = self.model.node(index)
        if tree.is_file(node):
            self.map.show_folder(int(tree.parents[node]), node)
        else:
            self.map.show_folder(node)

    @Slot()
    def _size_columns(self) -> None:
        """Room for what a column usually holds; those that were sized stay so, but for those of other models."""
        header, metrics = self.tree.header(), self.tree.header().fontMetrics()
        first = () if self._sized else FIRST_CHARACTERS
        for column, characters in enumerate(first):
            header.resizeSection(column, characters * metrics.averageCharWidth() + PADDING)
        for column in range(MODELS, self.model.columnCount()):
            title = str(self.model.headerData(column, Qt.Orientation.Horizontal))
            header.resizeSection(column, metrics.horizontalAdvance(title) + 2 * PADDING)
        self._sized = True
