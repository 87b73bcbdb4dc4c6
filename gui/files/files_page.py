"""The page Files: a counted folder as a tree and a map, its skipped files, and a suggestion that makes it fit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPainterPath, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFrame,
    QHeaderView,
    QListWidget,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTabBar,
    QTreeView,
    QWidget,
)

from engine.corpus.types import CorpusRules
from gui.core.token_text import visible_line
from gui.costs.money_text import CostText
from gui.files.file_tree import BYTES, FILES, MODELS, NAME, SHARE, TOKENS, TOP, FileTreeModel
from gui.files.treemap import Treemap, only_child, type_fills
from gui.look.fonts import set_weight
from gui.look.icons import Icons
from gui.look.quantities import TrainingText
from gui.look.style_sheet import give_role, plain_corner
from gui.look.theme import Theme
from gui.widgets.file_choosers import DroppedFiles
from gui.widgets.folders import FolderBar, SkippedFilesModel
from gui.widgets.forms import Remark, button_of_kind, column_of, label_of, row_of, separator, splitter_of, tokens_box
from gui.widgets.labels import EmptyState, FigureStrip, PlainLabel, wrapped_label
from gui.widgets.tables import SortHeader
from gui.widgets.tool_row import Chip, segments

if TYPE_CHECKING:
    from pathlib import Path

    from engine.corpus.types import CorpusSurvey
    from gui.files.file_tree import FileTree, Proposal

FIT = 200_000
"""Default limit, in tokens: the context window of many models."""
MAX_LISTED = 200
LINES = 3
"""Number of items that a suggestion lists, and how many of them are visible without scrolling."""
FIRST_CHARACTERS = {NAME: 19, TOKENS: 12, SHARE: 15, FILES: 8, BYTES: 10}
"""Initial widths of the columns, in average characters."""
PADDING, ROW_PADDING, CELL_PADDING = 16, 11, 6
BAR_WIDTH, BAR_HEIGHT = 54.0, 4.0
ICON = QSize(16, 16)
FIRST_SIZES = [620, 580]
"""Initial widths of the tree and the map, in pixels."""
Index = QModelIndex | QPersistentModelIndex

_ZEROS = re.compile(r"^\D*0[.,][.,0]*(?=[1-9])")
"""Currency sign and leading zeros of a small amount."""


class FileCells(QStyledItemDelegate):
    """Painter of the cells of the tree. Icons precede names, a bar a share; leading zeros and unchecked rows are
    dimmed."""

    def __init__(self, model: FileTreeModel, theme: Theme, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self._model, self._theme = model, theme
        self._folder, self._file = icons.icon("files"), icons.icon("doc")

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        hint = super().sizeHint(option, index)
        return QSize(hint.width(), option.fontMetrics.height() + ROW_PADDING)

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        choice, node = self._model.choice, self._model.node(index)
        if choice is None:
            return
        if index.column() == NAME:
            option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
            option.icon = self._file if choice.tree.is_file(node) else self._folder
            option.decorationSize = ICON
        if not choice.checked_files(node):
            for role in (QPalette.ColorRole.Text, QPalette.ColorRole.HighlightedText):
                option.palette.setColor(role, self._theme.colour("quiet"))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.column() not in (SHARE, TOKENS) and not self._is_amount(index.column()):
            super().paint(painter, option, index)
            return
        drawn = QStyleOptionViewItem(option)
        self.initStyleOption(drawn, index)
        text, drawn.text = drawn.text, ""
        drawn.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, drawn, painter, drawn.widget)
        painter.save()
        area = QRectF(option.rect).adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        painter.setPen(drawn.palette.color(QPalette.ColorRole.Text))
        if index.column() == SHARE:
            self._draw_share(painter, area, text, self._model.node(index), mirrored)
        else:
            self._draw_figure(painter, area, text, option.font, strong=index.column() != TOKENS, mirrored=mirrored)
        painter.restore()

    @staticmethod
    def _is_amount(column: int) -> bool:
        return column >= MODELS and (column - MODELS) % 2 == 1

    def _draw_share(self, painter: QPainter, area: QRectF, text: str, node: int, mirrored: bool) -> None:
        """Draw a share at the end of its cell and its bar at the start."""
        side = Qt.AlignmentFlag.AlignLeft if mirrored else Qt.AlignmentFlag.AlignRight
        painter.drawText(area, side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter, text)
        free = area.width() - painter.fontMetrics().horizontalAdvance("100.0%") - CELL_PADDING
        width = min(BAR_WIDTH, free)
        tree = self._model.tree
        if tree is None or width < BAR_WIDTH / 2:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        share = float(tree.node_tokens[0, node]) / max(1, int(tree.node_tokens[0, TOP]))
        top = area.center().y() - BAR_HEIGHT / 2
        for fraction, colour in ((1.0, "track"), (share, "bar")):
            if fraction > 0:
                length = max(BAR_HEIGHT, width * fraction)
                path = QPainterPath()
                left = area.right() - length if mirrored else area.left()
                path.addRoundedRect(QRectF(left, top, length, BAR_HEIGHT), BAR_HEIGHT / 2, BAR_HEIGHT / 2)
                painter.fillPath(path, self._theme.colour(colour))

    def _draw_figure(
        self, painter: QPainter, area: QRectF, text: str, font: QFont, *, strong: bool, mirrored: bool
    ) -> None:
        """Draw a figure at the end of its cell; leading zeros of an amount are dimmed."""
        found = _ZEROS.match(text) if strong else None
        zeros = found.group() if found is not None else ""
        heavy = QFont(font)
        set_weight(heavy, QFont.Weight.DemiBold if strong else QFont.Weight.Medium)
        metrics = QFontMetricsF(heavy)
        digits, quiet_width = text[len(zeros) :], QFontMetricsF(font).horizontalAdvance(zeros)
        if quiet_width + metrics.horizontalAdvance(digits) > area.width():
            zeros, quiet_width = "", 0.0
            digits = metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        width = metrics.horizontalAdvance(digits)
        x = area.left() if mirrored else area.right() - width - quiet_width
        line = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        painter.setFont(heavy)
        painter.drawText(QRectF(x + quiet_width, area.top(), width + 1, area.height()), line, digits)
        if zeros:
            painter.setFont(font)
            painter.setPen(self._theme.colour("quiet"))
            painter.drawText(QRectF(x, area.top(), quiet_width + 1, area.height()), line, zeros)


class TreeHeader(SortHeader):
    """Header of the tree, whose columns can be moved and resized."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, parent)
        self.setSectionsMovable(True)
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.setStretchLastSection(False)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)


class TypeLegend(QWidget):
    """Legend of the map: the file types that its fills distinguish, each with its share of all tokens."""

    def __init__(self, model: FileTreeModel, theme: Theme) -> None:
        super().__init__(objectName="filesLegend")
        self._model, self._theme = model, theme
        self.setAccessibleName(self.tr("File types on the map"))
        self.setFixedHeight(self.fontMetrics().height() + 8)
        model.modelReset.connect(self._on_reset)
        theme.changed.connect(self.update)

    def entries(self) -> list[str]:
        """Return the types with their shares, in the order of the fills."""
        tree = self._model.tree
        if tree is None:
            return []
        whole = max(1, int(tree.node_tokens[0, TOP]))
        return [
            self.tr("{type} {share}%").format(
                type=visible_line(one.suffix) or self.tr("other"), share=f"{100 * one.tokens / whole:.0f}"
            )
            for one in tree.file_types
        ]

    @Slot()
    def _on_reset(self) -> None:
        self.setAccessibleDescription(", ".join(self.entries()))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        tree = self._model.tree
        if tree is None:
            return
        fills = type_fills(self._theme)
        with QPainter(self) as painter:
            painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # suffixes are left to right in every language
            metrics, x, middle = painter.fontMetrics(), 0, self.height() / 2
            for index, words in enumerate(self.entries()):
                width = 16 + metrics.horizontalAdvance(words)
                if x + width > self.width():
                    return
                fill, edge = fills[index] if tree.file_types[index].suffix else fills[-1]
                painter.setPen(edge)
                painter.setBrush(fill)
                painter.drawRect(QRectF(x + 0.5, middle - 5, 10, 10))
                painter.setPen(self._theme.colour("quiet"))
                painter.drawText(QRectF(x + 16, 0, width, self.height()), Qt.AlignmentFlag.AlignVCenter, words)
                x += width + 14


class FitFoot(QFrame):
    """The foot of the page: the token limit, and the suggestion of files to uncheck.

    Signals: ``fit_asked()``; ``taken(Proposal)``; ``left()``: the suggestion was dismissed; ``changed()``: a control
    was changed.
    """

    fit_asked = Signal()
    taken = Signal(object)
    left = Signal()
    changed = Signal()

    def __init__(self, text: TrainingText) -> None:
        super().__init__(objectName="filesFoot")
        self.setProperty("kind", "foot")
        self._text = text
        self.proposal: Proposal | None = None
        self.limit = tokens_box("filesLimit", self.tr("Tokens to fit into"))
        self.limit.setValue(FIT)
        self.way = QComboBox(objectName="filesWay", accessibleName=self.tr("Items to uncheck"))
        self.way.addItem(self.tr("by unchecking files"), "files")
        self.way.addItem(self.tr("by unchecking folders"), "folders")
        self.way.setProperty("kind", "quiet")
        self.way.setToolTip(
            self.tr(
                "Unchecks the smallest item that is enough by itself, else the largest, until the rest fits. Nothing "
                "changes until you confirm."
            )
        )
        self.over = PlainLabel(objectName="filesOver", role="pill")
        self.propose = QPushButton(self.tr("&Suggest files to uncheck"), objectName="filesPropose")
        self.words = PlainLabel(objectName="filesProposal")
        self.words.setWordWrap(True)
        self.list = QListWidget(objectName="filesProposed", accessibleName=self.tr("Items to uncheck"))
        self.list.setProperty("kind", "plain")
        self.take = button_of_kind("filesTake", self.tr("&Uncheck these"), "primary")
        self.leave = button_of_kind("filesLeave", self.tr("Dismiss"), "quiet")
        self._lay_out()
        self.propose.clicked.connect(self.fit_asked)
        self.limit.valueChanged.connect(self.changed)
        self.way.currentIndexChanged.connect(self.changed)
        self.take.clicked.connect(self._on_taken)
        self.leave.clicked.connect(self._on_left)
        self.withdraw()

    def _lay_out(self) -> None:
        caption = label_of(self.limit, self.tr("Fit &into"), "strong")
        row = row_of(
            caption, self.limit, PlainLabel(self.tr("tokens")), self.way, self.over, 1, self.propose, spacing=8
        )
        self._answer = QWidget()
        line = row_of((self.words, 1), self.leave, self.take)
        column_of(line, self.list, parent=self._answer, spacing=4)
        column_of(row, self._answer, parent=self, margins=(16, 8, 16, 8), spacing=6)

    @property
    def there(self) -> bool:
        """True if a suggestion is shown, even an outdated one."""
        return not self._answer.isHidden()

    def show_tokens(self, checked: int) -> None:
        """Show by how many tokens the checked files exceed the limit."""
        over = checked - self.limit.value()
        self.over.setText(self.tr("{n} over").format(n=self._text.number(over)) if over > 0 else "")
        self.over.setVisible(over > 0)

    def outdate(self) -> None:
        """Mark the visible suggestion as outdated, so that it cannot be applied; a new one will replace it."""
        self.proposal = None

    def show_proposal(self, tree: FileTree, proposal: Proposal) -> None:
        """Show a suggestion, or that the checked files already fit."""
        self.proposal = proposal
        write, number = self._text.number, len(proposal.nodes)
        if number:
            words = self.tr("Uncheck {what} with {dropped} tokens; {left} of {limit} remain.").format(
                what=self._what(tree, proposal),
                dropped=write(proposal.dropped),
                left=write(proposal.left),
                limit=write(proposal.limit),
            )
        else:
            words = self.tr("The checked files fit: {left} of {limit} tokens.").format(
                left=write(proposal.left), limit=write(proposal.limit)
            )
        self.words.setText(words)
        self.list.clear()
        for node in proposal.nodes[:MAX_LISTED]:
            tokens = write(int(tree.node_tokens[0, node]))
            path = visible_line(tree.path_within_root(node))
            self.list.addItem(self.tr("{path}  ({tokens} tokens)").format(path=path, tokens=tokens))
        if number > MAX_LISTED:
            self.list.addItem(self.tr("and {n} more").format(n=write(number - MAX_LISTED)))
        rows = min(self.list.count(), LINES)
        self.list.setFixedHeight(rows * max(1, self.list.sizeHintForRow(0)) + 2 * self.list.frameWidth())
        self.list.setVisible(number > 0)
        self.take.setVisible(number > 0)
        self._answer.show()

    def take_focus(self) -> None:
        """Focus the button to uncheck the items, or to dismiss if there are none."""
        (self.leave if self.take.isHidden() else self.take).setFocus()

    def _what(self, tree: FileTree, proposal: Proposal) -> str:
        """Return the numbers of folders and files, as text."""
        files = tree.how_many_files(proposal.nodes)
        folders = len(proposal.nodes) - files
        parts = []
        if folders:
            words = self.tr("1 folder") if folders == 1 else self.tr("{n} folders")
            parts.append(words.format(n=self._text.number(folders)))
        if files:
            words = self.tr("1 file") if files == 1 else self.tr("{n} files")
            parts.append(words.format(n=self._text.number(files)))
        return self.tr(" and ").join(parts)

    @Slot()
    def withdraw(self) -> None:
        """Hide the suggestion."""
        self.proposal = None
        self._answer.hide()

    @Slot()
    def _on_left(self) -> None:
        self.withdraw()
        self.left.emit()

    @Slot()
    def _on_taken(self) -> None:
        proposal = self.proposal
        if proposal is not None:
            self.withdraw()
            self.taken.emit(proposal)


class FilesPage(QWidget):
    """The page. Emits requests of the user, which ``FilesController`` handles.

    Signals: ``scan_asked()``, ``stop_asked()``, ``export_asked()``, ``file_opened(int)`` with a node,
    ``least_changed()``, ``state_changed()``.
    """

    scan_asked = Signal()
    stop_asked = Signal()
    export_asked = Signal()
    file_opened = Signal(int)
    least_changed = Signal()
    state_changed = Signal()

    def __init__(self, theme: Theme, icons: Icons, text: CostText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("filesPanel")
        self.text = TrainingText(self.locale())
        self.model = FileTreeModel(text, self.text, self)
        self.left_out = SkippedFilesModel(self.text, self)
        self._opened: set[tuple[str, ...]] = set()
        self._busy = self._sized = False
        self._make_bar(icons)
        self._make_results(theme, icons)
        self._make_tree(theme, icons)
        self._lay_out()
        self._connect()
        self.set_busy(False)
        self._set_there(False)

    def _make_bar(self, icons: Icons) -> None:
        self.sides = QTabBar(self)
        self.sides.addTab(self.tr("Tree and map"))
        self.sides.addTab(self.tr("Skipped"))
        self.folder = FolderBar(icons, prefix="files")
        self.folder.field.setAccessibleName(self.tr("Folder to count"))
        self.folder.field.setPlaceholderText(self.tr("Choose a folder, drop one here, or type its path"))
        self.folder.button.setAccessibleName(self.tr("Choose the folder to count"))
        self.scan = QPushButton(self.tr("Cou&nt"), objectName="filesScan", accessibleName=self.tr("Count the folder"))
        self.scan.setToolTip(self.tr("Count new and changed files"))

    def _make_results(self, theme: Theme, icons: Icons) -> None:
        self.figures = FigureStrip("filesTokens", "filesCost", "filesContext")
        self.least = tokens_box("filesLeast", self.tr("Hide files with fewer tokens"))
        self.least.setToolTip(self.tr("Smaller files and folders are hidden but still count in every total."))
        self.gitignore = Chip("filesGitignore", self.tr("Respect .&gitignore"), self.tr("Respect .gitignore files"))
        self.gitignore.setChecked(True)
        self.remark = Remark()
        self.remark.setObjectName("filesRemark")
        self.counted = Remark()
        self.counted.setObjectName("filesCounted")
        self.watching = Remark()
        self.watching.setObjectName("filesWatching")
        give_role(self.watching, "caption")
        self.total = wrapped_label("filesTotal")
        self.total.setAccessibleName(self.tr("Total of the checked files"))
        give_role(self.total, "caption")
        self.total.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.export = button_of_kind("filesExport", self.tr("E&xport list…"), "link")
        self.export.setAccessibleName(self.tr("Export file list"))
        self.fit = FitFoot(self.text)
        self.empty = EmptyState(
            "filesEmpty",
            "files",
            self.tr(
                "Count the tokens of a folder, file by file, and choose which files to send. "
                "You can also drop a folder anywhere on this page."
            ),
            self.tr("Choose a folder…"),
            icons,
            theme,
        )

    def _make_tree(self, theme: Theme, icons: Icons) -> None:
        self.tree = QTreeView(objectName="filesTree", accessibleName=self.tr("Files with tokens and costs"))
        self.tree.setProperty("kind", "flat")
        self.tree.setHeader(TreeHeader(theme, self.tree))
        self.tree.setModel(self.model)
        self.tree.setItemDelegate(FileCells(self.model, theme, icons, self.tree))
        self.tree.setUniformRowHeights(True)
        self.tree.setSortingEnabled(True)
        self.tree.sortByColumn(TOKENS, Qt.SortOrder.DescendingOrder)
        self.tree.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.tree.setCornerWidget(plain_corner(self.tree))
        self.tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # a path ends with the name of its folder
        self.map = Treemap(self.model, theme)
        self.up = QPushButton(objectName="filesUp")
        self.up.setProperty("kind", "quiet")
        self.up.setIcon(icons.icon("up"))
        self.up.setToolTip(self.tr("Show the folder that contains this one"))
        self.legend = TypeLegend(self.model, theme)
        self.skipped = QTreeView(objectName="filesSkipped", accessibleName=self.tr("Skipped files, by reason"))
        self.skipped.setProperty("kind", "flat")
        self.skipped.setModel(self.left_out)
        self.skipped.setHeaderHidden(True)
        self.skipped.setUniformRowHeights(True)

    def _lay_out(self) -> None:
        bar = row_of(
            segments(self.sides, "filesSides", self.tr("Tree and map, or skipped files")),
            (self.folder, 1),
            self.scan,
            margins=(16, 8, 12, 4),
            spacing=8,
        )
        least = label_of(self.least, self.tr("Hide &below"), "caption")
        for widget in (least, self.least, self.gitignore):
            self.figures.row.addWidget(widget)
        self.figures.row.setContentsMargins(16, 2, 12, 4)
        remarks = column_of(self.remark, self.counted, margins=(16, 0, 16, 0), spacing=2)
        self.views = QStackedWidget()
        self.views.addWidget(self._both())
        self.views.addWidget(self.skipped)
        self.shown = QWidget()
        column_of(separator(), (self.views, 1), separator(), self.fit, parent=self.shown, spacing=0)
        column_of(bar, self.figures, remarks, (self.empty, 1), (self.shown, 1), parent=self, spacing=4)

    def _both(self) -> QSplitter:
        """Return the tree with the total at its foot, and the map beside it."""
        left = QFrame()
        left.setProperty("kind", "surface")
        foot = row_of((self.total, 1), self.export, margins=(16, 4, 12, 4))
        watching = row_of(self.watching, margins=(16, 0, 12, 4))
        column_of((self.tree, 1), separator(), foot, watching, parent=left, spacing=0)
        right = QFrame()
        right.setProperty("kind", "surface")
        head = row_of((self.legend, 1), self.up, spacing=8)
        column_of(head, (self.map, 1), parent=right, margins=(10, 4, 12, 8), spacing=2)
        self.splitter = splitter_of("filesSplitter", left, right, FIRST_SIZES)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setStretchFactor(1, 1)
        return self.splitter

    def _connect(self) -> None:
        dropped = DroppedFiles(self)
        dropped.dropped.connect(self._on_dropped)
        self.empty.button.clicked.connect(self.folder.choose)
        self.folder.chosen.connect(self.scan_asked)
        self.folder.field.returnPressed.connect(self.scan_asked)
        self.folder.paths_changed.connect(self.state_changed)
        self.scan.clicked.connect(self._on_scan)
        self.sides.currentChanged.connect(self.views.setCurrentIndex)
        self.gitignore.toggled.connect(self._on_rules)
        self.least.valueChanged.connect(self._on_least)
        self.export.clicked.connect(self.export_asked)
        self.fit.changed.connect(self._on_fit_changed)
        self.tree.activated.connect(self._on_activated)
        self.tree.expanded.connect(self._on_expanded)
        self.tree.collapsed.connect(self._on_collapsed)
        self.tree.selectionModel().currentChanged.connect(self._on_current)
        self.map.opened.connect(self.file_opened)
        self.map.folder_changed.connect(self._show_folder)
        self.up.clicked.connect(self.map.go_up)
        self.model.modelReset.connect(self._size_columns)

    # --- display ------------------------------------------------------------------------------------------------------

    def rules(self) -> CorpusRules:
        """Return the rules that select the files to count."""
        return CorpusRules(honour_gitignore=self.gitignore.isChecked())

    def set_busy(self, busy: bool) -> None:
        """Show whether a folder is being counted."""
        self._busy = busy
        self.scan.setText(self.tr("St&op") if busy else self.tr("Cou&nt"))
        self.scan.setAccessibleName(self.tr("Stop counting") if busy else self.tr("Count the folder"))

    def show_counted(self, words: str, *, current: bool) -> None:
        """Show which folder the results belong to. Results that are not ``current`` are disabled."""
        self.counted.say(words, "" if current else "warning")
        self.counted.setVisible(not current)  # the first row of the tree names the folder
        focus = self.focusWidget()
        results = (self.fit, self.views, self.figures)
        if not current and focus is not None and any(widget.isAncestorOf(focus) for widget in results):
            self.folder.field.setFocus()  # disabling the focused widget would move the focus to the next one
        for widget in results:
            widget.setEnabled(current)
        tree = self.model.tree
        self._set_there(current and tree is not None and bool(tree.paths))

    def _set_there(self, there: bool) -> None:
        """Enable actions that need a counted folder; show results once there are some."""
        for button in (self.fit.propose, self.export):
            button.setEnabled(there)
        counted = self.model.tree is not None
        self.empty.setVisible(not counted)
        for widget in (self.shown, self.figures):
            widget.setVisible(counted)

    def show_left_out(self, left_out: CorpusSurvey | None) -> None:
        """Show the skipped files, with their number on the tab."""
        self.left_out.set_survey(left_out)
        number = len(left_out.skipped) if left_out is not None else 0
        self.sides.setTabText(1, self.tr("Skipped: {n}").format(n=self.text.number(number)))

    def open_again(self) -> None:
        """Expand the folders that were expanded before the tree was reset, and always the only folder at the top."""
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
        """Set the folders and files to count, and request the count."""
        self.folder.set_paths([str(path) for path in paths])
        self.scan_asked.emit()

    def state(self) -> dict[str, Any]:
        """Return the user's choices as JSON data."""
        return {
            "folder": self.folder.field.text(),
            "gitignore": self.gitignore.isChecked(),
            "least": self.least.value(),
            "limit": self.fit.limit.value(),
            "way": self.fit.way.currentData(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the choices from ``state``."""
        folder = state.get("folder")
        self.folder.field.setText(folder if isinstance(folder, str) else "")
        self.gitignore.setChecked(state.get("gitignore") is not False)
        for box, name in ((self.least, "least"), (self.fit.limit, "limit")):
            value = state.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
                box.setValue(min(value, box.maximum()))
        self.fit.way.setCurrentIndex(max(0, self.fit.way.findData(state.get("way"))))
        self.model.set_least(self.least.value())

    # --- user actions -------------------------------------------------------------------------------------------------

    @Slot(list)
    def _on_dropped(self, paths: list[Path]) -> None:
        self.set_paths(paths)

    @Slot()
    def _on_scan(self) -> None:
        (self.stop_asked if self._busy else self.scan_asked).emit()

    @Slot()
    def _on_rules(self) -> None:
        self.state_changed.emit()
        self.scan_asked.emit()

    @Slot(int)
    def _on_least(self, tokens: int) -> None:
        self.state_changed.emit()
        self.model.set_least(tokens)
        self.least_changed.emit()

    @Slot()
    def _on_fit_changed(self) -> None:
        self.state_changed.emit()
        if self.model.choice is not None:
            self.fit.show_tokens(self.model.choice.sums().tokens[0])

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        tree = self.model.tree
        if tree is not None and tree.is_file(self.model.node(index)):
            self.file_opened.emit(self.model.node(index))

    @Slot(QModelIndex)
    def _on_expanded(self, index: QModelIndex) -> None:
        if self.model.tree is not None:
            self._opened.add(self.model.tree.path_to(self.model.node(index)))

    @Slot(QModelIndex)
    def _on_collapsed(self, index: QModelIndex) -> None:
        if self.model.tree is not None:
            self._opened.discard(self.model.tree.path_to(self.model.node(index)))

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

    @Slot(int)
    def _show_folder(self, node: int) -> None:
        """Show the name of the folder on the map on the button that leaves it."""
        tree = self.model.tree
        name = tree.path_of(node).name if tree is not None and node != TOP else ""
        self.up.setText(visible_line(name).replace("&", "&&"))
        self.up.setAccessibleName(self.tr("Leave {folder}").format(folder=visible_line(name)))
        self.up.setEnabled(self.map.can_go_up)

    @Slot()
    def _size_columns(self) -> None:
        """Set the widths of the columns, and move the cost at the current model next to the share.

        Columns that exist already keep their width, except those of models: the models may have changed.
        """
        header, metrics = self.tree.header(), self.tree.header().fontMetrics()
        for column, characters in () if self._sized else FIRST_CHARACTERS.items():
            header.resizeSection(column, characters * metrics.averageCharWidth() + PADDING)
        for column in range(MODELS, self.model.columnCount()):
            title = str(self.model.headerData(column, Qt.Orientation.Horizontal))
            header.resizeSection(column, metrics.horizontalAdvance(title) + 2 * PADDING)
        if self.model.columnCount() > MODELS + 1:
            header.moveSection(header.visualIndex(MODELS + 1), header.visualIndex(SHARE) + 1)
            self.tree.setColumnHidden(MODELS, self._repeats_tokens())
        self._sized = True

    def _repeats_tokens(self) -> bool:
        """Return True if the first model counts in the encoding that the tree shows anyway."""
        tree, prices = self.model.tree, self.model.prices
        return tree is not None and prices is not None and prices.encoding_of(0) == tree.encodings[0]
