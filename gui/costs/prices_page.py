"""Page Prices: the models, the form of one of them, and beside it the user's price file with its problems."""

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
    QObject,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gui.core.token_text import visible_line
from gui.costs.model_prices import ModelPrices
from gui.costs.price_editor import FieldsBelow, PriceEditor
from gui.costs.price_list import AgeSummary, PricedModels, next_to_check
from gui.look.corner import plain_corner
from gui.look.icons import Icons
from gui.look.plain_text import plain_tip
from gui.look.theme import Theme
from gui.widgets.file_choosers import DroppedFiles
from gui.widgets.labels import RemarkLabel, set_text_colour
from gui.widgets.table_model import Column, TableModel
from gui.widgets.tables import StretchedTable
from gui.widgets.tool_row import ToolRow

if TYPE_CHECKING:
    from gui.costs.prices_service import CheckedText
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
FIRST_WIDTHS = [455, 477]
"""Initial widths of the form and of the file, in pixels."""
LIST_WIDTH = 246
MIN_WITH_LIST = 1000
"""Minimum width of the page with the list of models; a narrower one has a box to choose a model instead."""


class SaveKey(QObject):
    """Claims the key for Save in a widget, where it saves the price file whatever it does in the window.

    Signals: ``pressed()``.
    """

    pressed = Signal()

    def claim(self, widget: QWidget) -> None:
        """Claim the key in a widget and those inside."""
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() not in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            return False
        if not isinstance(event, QKeyEvent) or not event.matches(QKeySequence.StandardKey.Save):
            return False
        event.accept()
        if event.type() == QEvent.Type.KeyPress:
            self.pressed.emit()
        return True


class PricingPanel(QWidget):
    """Page Prices. ``PricesController`` holds the logic; ``tools`` stand beside the pages.

    Signals: ``save_asked()``; ``import_asked()``; ``tables_dropped(list[Path])`` with published price tables.
    """

    save_asked = Signal()
    import_asked = Signal()
    tables_dropped = Signal(list)

    def __init__(self, theme: Theme, icons: Icons, fields_below: FieldsBelow, today: Callable[[], date]) -> None:
        """``fields_below``: returns the fields allowed at a path of the file. ``today``: returns the current day."""
        super().__init__()
        self.setObjectName("pricingPanel")
        self._theme, self._today = theme, today
        self._tone = "stale"
        DroppedFiles(self).dropped.connect(self.tables_dropped)
        self.editor = PriceEditor(theme, fields_below)
        self.form = ModelPrices(theme, today)
        self.models = PricedModels(theme)
        self.ages = AgeSummary(theme)
        self._icons = icons
        self._make_tools(icons)
        self._make_problems()
        self._place()
        self._connect()

    def state(self) -> dict[str, Any]:
        """Return the user's arrangement as JSON data."""
        listed = self._list_width if self.models.isHidden() else self.columns.sizes()[0]
        return {"model": self.form.model_id, "split": self.splitter.sizes(), "list": listed}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned; invalid values get their defaults."""
        sizes = state.get("split")
        if isinstance(sizes, list) and len(sizes) == 2 and all(isinstance(size, int) for size in sizes):
            self.splitter.setSizes(sizes)
        width = state.get("list")
        if isinstance(width, int) and not isinstance(width, bool) and width > 0:
            self._set_list_width(width)
        model = state.get("model")
        if isinstance(model, str) and model:
            self.form.choose(model)

    def show_checked(self, checked: CheckedText) -> None:
        """Show a checked text: its problems, or the models and the values of the one chosen."""
        self.form.show_checked(checked)
        if not checked.problems:
            self.models.show_models(checked.models, self._today())
            self.ages.show_models(checked.models, self._today())

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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

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
        self.tools = ToolRow("pricingTools", self.tr("Price file"), self)
        self.tools.add_button(self.undo, self.undo.icon())
        self.tools.add_button(self.redo, self.redo.icon())
        self.tools.add(self.import_button, self.save)

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
        middle, right = QWidget(), QWidget()
        self._line = QFrame()
        self._line.setProperty("kind", "line")
        left = QVBoxLayout(middle)
        left.setContentsMargins(16, 10, 6, 8)
        left.setSpacing(7)
        left.addWidget(self.ages)
        left.addWidget(self._line)
        left.addWidget(self.form, 1)
        self._column = column = QVBoxLayout(right)
        column.setContentsMargins(6, 10, 12, 8)
        column.setSpacing(6)
        column.addWidget(self.file)
        column.addWidget(self.editor, 1)
        column.addWidget(self.status)
        column.addWidget(self.problem_list)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, objectName="pricingSplitter")
        self.splitter.addWidget(middle)
        self.splitter.addWidget(right)
        self.splitter.setSizes(FIRST_WIDTHS)
        self.columns = QSplitter(Qt.Orientation.Horizontal, objectName="pricingColumns")
        self.columns.addWidget(self.models)
        self.columns.addWidget(self.splitter)
        for splitter in (self.splitter, self.columns):
            splitter.setChildrenCollapsible(False)
            splitter.setStretchFactor(1, 1)
        self.splitter.setStretchFactor(0, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.columns)
        self._set_list_width(LIST_WIDTH)
        self._fit()
        form = self.form
        order = [
            *(self.undo, self.redo, self.import_button, self.save, self.models.find, self.models.table),
            *(self.ages.next, form.picker, form.source, form.table, form.reset, form.forget),
            *(self.editor, self.problem_list),
        ]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)

    def _set_list_width(self, width: int) -> None:
        self._list_width = width
        self.columns.setSizes([width, max(1, self.columns.width() - width)])

    def _fit(self) -> None:
        """Show the list of models, or where the page is too narrow for it the box of the form."""
        listed = self.width() >= MIN_WITH_LIST
        if listed == self.models.isHidden():
            if not listed:
                self._list_width = self.columns.sizes()[0] or self._list_width
            self.models.setVisible(listed)
            self.form.show_picker(not listed)
            self._line.setVisible(listed)
            if listed:
                self._set_list_width(self._list_width)

    def _connect(self) -> None:
        key = SaveKey(self)
        key.claim(self)
        key.claim(self.tools)
        key.pressed.connect(self.save_asked)
        self.models.chosen.connect(self.form.choose)
        self.form.model_chosen.connect(self.models.select)
        self.ages.next_asked.connect(self._go_to_next)
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

    @Slot()
    def _go_to_next(self) -> None:
        model_id = next_to_check(self.models.in_order, self.form.model_id, self._today())
        if model_id:
            self.form.choose(model_id)

    @Slot(QModelIndex)
    def _go_to_problem(self, index: QModelIndex) -> None:
        problem = self.problems.row_at(index.row())
        if problem.line:
            self.editor.go_to(problem.line, problem.column)

    @Slot()
    def _colour(self) -> None:
        for label, role in ((self.status, self._tone), (self.file, "stale")):
            set_text_colour(label, self._theme.colour(role))
