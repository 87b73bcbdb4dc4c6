"""Page Prices: the form of one model, and beside it the user's price file with its problems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    QCoreApplication,
    QEvent,
    QModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gui.core.token_text import visible_line
from gui.costs.model_prices import ModelPrices
from gui.costs.price_editor import FieldsBelow, PriceEditor
from gui.look.corner import plain_corner
from gui.look.icons import Icons
from gui.look.plain_text import plain_tip
from gui.look.theme import Theme
from gui.widgets.file_choosers import DroppedFiles
from gui.widgets.labels import RemarkLabel
from gui.widgets.table_model import Column, TableModel
from gui.widgets.tables import StretchedTable

if TYPE_CHECKING:
    from gui.widgets.find_bar import FindBar
    from pricing.types import Problem


def _tr(text: str) -> str:
    return QCoreApplication.translate("PriceProblems", text)


def _spoken_problem(problem: Problem, _view: object) -> str:
    words = _tr("Line {line}, column {column}: {message}")
    return words.format(line=problem.line, column=problem.column, message=problem.message)


def _problem_column(key: str, title: str, text: Callable[[Problem, object], str], *, numeric: bool = False) -> Column:
    return Column(
        key, title, "", text, numeric=numeric, tip=lambda problem, _view: problem.message, spoken=_spoken_problem
    )


PROBLEMS = (
    _problem_column(
        "line",
        QT_TRANSLATE_NOOP("PriceProblems", "Line"),
        lambda problem, _view: str(problem.line or ""),
        numeric=True,
    ),
    _problem_column(
        "column",
        QT_TRANSLATE_NOOP("PriceProblems", "Column"),
        lambda problem, _view: str(problem.column or ""),
        numeric=True,
    ),
    # The path of the value is visible where the line leads; the tooltip has it as well.
    _problem_column(
        "message",
        QT_TRANSLATE_NOOP("PriceProblems", "Problem"),
        lambda problem, _view: problem.message.removeprefix(f"{problem.path}: "),
    ),
)


MAX_ROWS = 6
"""Maximum number of rows of the problem list before it scrolls."""
ROW_PADDING = 12
FIRST_WIDTHS = [560, 520]
"""Initial widths of the form and of the file, in pixels."""


class PricingPanel(QWidget):
    """Page Prices. ``PricesController`` holds the logic.

    Signals: ``save_asked()``; ``import_asked()``; ``tables_dropped(list[Path])`` with published price tables.
    """

    save_asked = Signal()
    import_asked = Signal()
    tables_dropped = Signal(list)

    def __init__(self, theme: Theme, icons: Icons, fields_below: FieldsBelow, today: Callable[[], date]) -> None:
        """``fields_below``: returns the fields allowed at a path of the file. ``today``: returns the current day."""
        super().__init__()
        self.setObjectName("pricingPanel")
        self._theme = theme
        self._tone = "stale"
        DroppedFiles(self).dropped.connect(self.tables_dropped)
        self.editor = PriceEditor(theme, fields_below)
        self.form = ModelPrices(theme, today)
        self._icons = icons
        self._make_tools(icons)
        self._make_problems()
        self._place()
        self._connect()

    def state(self) -> dict[str, Any]:
        """Return the user's arrangement as JSON data."""
        return {"model": self.form.model_id, "split": self.splitter.sizes()}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned; invalid values get their defaults."""
        sizes = state.get("split")
        if isinstance(sizes, list) and len(sizes) == 2 and all(isinstance(size, int) for size in sizes):
            self.splitter.setSizes(sizes)
        model = state.get("model")
        if isinstance(model, str) and model:
            self.form.choose(model)

    def show_file_name(self, path: str) -> None:
        """Show the name of the file."""
        self.file.setText(visible_line(path))
        self.file.setToolTip(plain_tip(path))

    def show_status(self, text: str, tone: str = "stale") -> None:
        """Show the status of the file. ``tone``: a role of the theme."""
        self._tone = tone
        self.status.setText(text)
        self.status.setToolTip(plain_tip(text))
        self._colour()

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """List these problems, and mark them in the text."""
        if tuple(problems) != tuple(self.problems.rows):
            self.problems.show(tuple(problems))
        self.editor.show_problems(problems)
        header = self.problem_list.horizontalHeader().sizeHint().height()
        rows = min(len(problems), MAX_ROWS)
        self.problem_list.setFixedHeight(header + rows * self._row_height + 2 * self.problem_list.frameWidth())
        self.problem_list.setVisible(bool(problems))

    @cached_property
    def find_bar(self) -> FindBar:
        """Find and replace, below the text. Created on first use."""
        from gui.widgets.find_bar import FindBar

        bar = FindBar(self._theme, self._icons, self, name="pricingFind")
        self._column.insertWidget(self._column.indexOf(self.editor) + 1, bar)
        for before, after in pairwise((self.editor, *bar.tab_order)):
            QWidget.setTabOrder(before, after)
        return bar

    def event(self, event: QEvent) -> bool:
        """Claim the key for Save, which saves the price file here whatever it does in the window."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and event.matches(QKeySequence.StandardKey.Save)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Save):
            self.save_asked.emit()
        else:
            super().keyPressEvent(event)

    def _make_tools(self, icons: Icons) -> None:
        self.file = RemarkLabel("pricingFile")
        self.file.setAccessibleName(self.tr("Your price file"))
        self.status = RemarkLabel("pricingStatus")
        self.status.setAccessibleDescription(self.tr("Status of your price file"))
        self.save = QPushButton(self.tr("Save prices"), objectName="pricingSave")
        self.save.setProperty("kind", "primary")
        self.save.setToolTip(self.tr("Save your price file, and use it if it has no errors (Ctrl+S)"))
        self.undo = QPushButton(icons.icon("undo"), self.tr("Undo"), objectName="pricingUndo")
        self.redo = QPushButton(icons.icon("redo"), self.tr("Redo"), objectName="pricingRedo")
        self.undo.setToolTip(self.tr("Undo the last change to your price file"))
        self.redo.setToolTip(self.tr("Redo the change that was undone"))
        self.import_button = QPushButton(self.tr("Import…"), objectName="pricingImport")
        self.import_button.setToolTip(self.tr("Compare your prices with a published table and import selected values"))
        for button in (self.undo, self.redo):
            button.setProperty("kind", "quiet")
        for button in (self.import_button, self.save, self.undo, self.redo):
            button.setAutoDefault(False)
            button.setAccessibleName(button.toolTip())
        self.undo.setEnabled(False)
        self.redo.setEnabled(False)

    def _make_problems(self) -> None:
        self.problems = TableModel(PROBLEMS, parent=self, context="PriceProblems")
        self.problem_list = StretchedTable(objectName="pricingProblems")
        self.problem_list.setAccessibleName(self.tr("Problems in your price file; Enter goes to one"))
        self.problem_list.setModel(self.problems)
        self.problem_list.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.problem_list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.problem_list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.problem_list.setTabKeyNavigation(False)
        self.problem_list.setShowGrid(False)
        self.problem_list.setCornerWidget(plain_corner(self.problem_list))
        self.problem_list.verticalHeader().hide()
        header, width = self.problem_list.horizontalHeader(), self.fontMetrics().averageCharWidth()
        header.setHighlightSections(False)
        header.setSectionResizeMode(len(PROBLEMS) - 1, QHeaderView.ResizeMode.Stretch)
        for column in range(len(PROBLEMS) - 1):
            self.problem_list.setColumnWidth(column, width * 10)
        self._row_height = self.fontMetrics().height() + ROW_PADDING
        self.problem_list.verticalHeader().setDefaultSectionSize(self._row_height)
        self.problem_list.hide()

    def _place(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.file, 1)
        for button in (self.import_button, self.undo, self.redo, self.save):
            top.addWidget(button)
        left = QWidget()
        self._column = column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.editor, 1)
        column.addWidget(self.status)
        column.addWidget(self.problem_list)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, objectName="pricingSplitter")
        self.splitter.addWidget(self.form)
        self.splitter.addWidget(left)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes(FIRST_WIDTHS)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 8, 12, 8)
        whole.setSpacing(6)
        whole.addLayout(top)
        whole.addWidget(self.splitter, 1)
        form = self.form
        order = [
            *(self.import_button, self.undo, self.redo, self.save),
            *(form.picker, form.table, form.reset, form.forget, self.editor, self.problem_list),
        ]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)

    def _connect(self) -> None:
        self.save.clicked.connect(self.save_asked)
        self.import_button.clicked.connect(self.import_asked)
        self.undo.clicked.connect(self.editor.undo)
        self.redo.clicked.connect(self.editor.redo)
        self.form.undo_asked.connect(self.editor.undo)
        self.form.redo_asked.connect(self.editor.redo)
        self.form.shown.connect(self.editor.go_to)
        self.editor.undoAvailable.connect(self.undo.setEnabled)
        self.editor.redoAvailable.connect(self.redo.setEnabled)
        self.problem_list.clicked.connect(self._go_to_problem)
        self.problem_list.activated.connect(self._go_to_problem)
        self._theme.changed.connect(self._colour)

    @Slot(QModelIndex)
    def _go_to_problem(self, index: QModelIndex) -> None:
        problem = self.problems.row_at(index.row())
        if problem.line:
            self.editor.go_to(problem.line, problem.column)

    @Slot()
    def _colour(self) -> None:
        for label, role in ((self.status, self._tone), (self.file, "stale")):
            palette = QPalette(label.palette())
            palette.setColor(QPalette.ColorRole.WindowText, self._theme.colour(role))
            label.setPalette(palette)
