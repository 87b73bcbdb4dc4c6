"""Page Prices: the models, the form of one of them, and beside it the user's price file with its problems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    QCoreApplication,
    QEvent,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)

from gui.core.token_text import visible_line
from gui.costs.model_prices import ModelPrices
from gui.costs.money_text import CostText, age_tone
from gui.costs.price_editor import FieldsBelow, PriceEditor
from gui.costs.prices_service import ListedModel
from gui.look.icons import Icons
from gui.look.quantities import figure
from gui.look.style_sheet import give_kind, give_tone, plain_corner
from gui.look.theme import Theme
from gui.widgets.bars import Part, PartsBar, PartSquare
from gui.widgets.delegates import TextDelegate
from gui.widgets.file_choosers import DroppedFiles
from gui.widgets.forms import FlowLayout, column_of, restore_sizes, row_of, separator, splitter_of
from gui.widgets.labels import PlainLabel, RemarkLabel, plain_tip
from gui.widgets.table_model import Column, TableModel
from gui.widgets.tables import ROW_PADDING, FittedTable, SortHeader, set_up_list
from gui.widgets.tool_row import ToolRow

if TYPE_CHECKING:
    from gui.costs.prices_service import CheckedText
    from gui.widgets.find_bar import FindBar
    from pricing.types import Problem


Index = QModelIndex | QPersistentModelIndex

NAME, AGE = range(2)
MARGIN = 12
MARK_GAP = 8
MIN_WIDTH = 170

MONTH, QUARTER, OLDER, UNKNOWN = "", "warning", "error", "unknown"
"""Age groups: the tones of ``age_tone``, and a group of its own for prices without a date."""
LEGEND = {
    MONTH: (Part(0, "bar"), QT_TRANSLATE_NOOP("PriceList", "{n} up to 1 month")),
    QUARTER: (Part(0, "bar_soft", "bar"), QT_TRANSLATE_NOOP("PriceList", "{n} up to 3 months")),
    OLDER: (Part(0, "warn"), QT_TRANSLATE_NOOP("PriceList", "{n} older")),
    UNKNOWN: (Part(0, "", "quiet"), QT_TRANSLATE_NOOP("PriceList", "{n} unknown")),
}
"""Parts of the bar in order, each with its label."""


def tr(text: str) -> str:
    """Translate in the context of the list of models."""
    return QCoreApplication.translate("PriceList", text)


def age_group(model: ListedModel, today: date) -> str:
    """Return the group of ages that a model's prices belong to."""
    return UNKNOWN if model.checked is None else age_tone(model.checked, today)


def needs_check(model: ListedModel, today: date) -> bool:
    """Return True if a model's prices are old or of unknown age and the vendor still serves it."""
    retired = model.retires is not None and today >= model.retires
    return not model.hidden and not retired and age_group(model, today) in (OLDER, UNKNOWN)


# --- list -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AgeView:
    """Context of the cells: formatter of costs, and the day that ages are counted to."""

    text: CostText
    today: date


def _mark(model: ListedModel) -> str:
    if model.hidden:
        return tr("hidden")
    return tr("yours") if model.yours else ""


def _age(model: ListedModel, view: AgeView) -> str:
    return "" if model.hidden else view.text.short_age(model.checked, view.today)


def _days(model: ListedModel, view: AgeView) -> int | None:
    return None if model.checked is None else (view.today - model.checked).days


def _whole_age(model: ListedModel, view: AgeView) -> str:
    if model.hidden:
        return tr("hidden by your file")
    age = view.text.age(model.checked, view.today)
    if model.checked is None:
        return tr("prices {age}").format(age=age)
    return tr("checked {day}: {age}").format(day=view.text.day(model.checked), age=age)


def _tip(model: ListedModel, view: AgeView) -> str:
    about = " · ".join(filter(None, (model.provider, model.id)))
    return "\n".join((model.name, about, _whole_age(model, view)))


def _accessible_text(model: ListedModel, view: AgeView) -> str:
    mark = "" if model.hidden else _mark(model)
    return ", ".join(filter(None, (model.name, model.provider, mark, _whole_age(model, view))))


COLUMNS = (
    Column(
        "name",
        QT_TRANSLATE_NOOP("PriceList", "Model"),
        "",
        lambda model, _view: model.name,
        lambda model, _view: model.name.casefold(),
        tip=_tip,
        spoken=_accessible_text,
    ),
    Column(
        "age",
        QT_TRANSLATE_NOOP("PriceList", "Age"),
        QT_TRANSLATE_NOOP("PriceList", "Time since the prices were last checked"),
        _age,
        _days,
        numeric=True,
        tip=_tip,
        spoken=_accessible_text,
    ),
)


class ModelCells(TextDelegate):
    """Cells of the list: names, each followed by a quiet mark, and quiet ages."""

    def __init__(self, model: TableModel, theme: Theme, parent: QWidget) -> None:
        super().__init__(model, parent)
        self._rows, self._theme = model, theme

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if index.column() == AGE:
            for role in (QPalette.ColorRole.Text, QPalette.ColorRole.HighlightedText):
                option.palette.setColor(role, self._theme.colour("quiet"))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        mark = _mark(self._rows.row_at(index.row())) if index.column() == NAME else ""
        if not mark:
            super().paint(painter, option, index)
            return
        drawn = QStyleOptionViewItem(option)
        self.initStyleOption(drawn, index)
        style, widget = drawn.widget.style(), drawn.widget
        area = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, drawn, widget)
        width = option.fontMetrics.horizontalAdvance(mark)
        drawn.text = drawn.fontMetrics.elidedText(drawn.text, drawn.textElideMode, area.width() - width - 2 * MARK_GAP)
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, drawn, painter, widget)
        before = drawn.fontMetrics.horizontalAdvance(drawn.text) + 2 * MARK_GAP
        painter.save()
        painter.setFont(option.font)
        painter.setPen(self._theme.colour("quiet"))
        rectangle = QRectF(QStyle.visualRect(option.direction, area, area.adjusted(before, 0, 0, 0)))
        rectangle.setTop(option.rect.top() + 0.5)  # with the height of the row, on the baseline of the name
        rectangle.setHeight(option.rect.height())
        start = QStyle.visualAlignment(option.direction, Qt.AlignmentFlag.AlignLeft)
        painter.drawText(rectangle, (start | Qt.AlignmentFlag.AlignVCenter).value, mark)
        painter.restore()


class PricedModels(QFrame):
    """Models with a search field; the one that is selected is shown in the form.

    Signals: ``chosen(str)`` with the ID of a model that was selected here.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(objectName="pricingList")
        self.setProperty("kind", "surface")
        self._given: tuple[ListedModel, ...] = ()
        self._all: tuple[ListedModel, ...] = ()
        self._current = ""
        self.find = _FindField(objectName="pricingModelFind")
        self.find.setPlaceholderText(self.tr("Find a model"))
        self.find.setAccessibleName(self.tr("Find a model"))
        self.find.setToolTip(self.tr("Type a part of a name, an ID or a provider"))
        self.find.setClearButtonEnabled(True)
        self.model = TableModel(COLUMNS, AgeView(CostText(QLocale()), date.min), self, context="PriceList")
        self.table = self._make_table(theme)
        self._none = PlainLabel(self.tr("No model matches."), objectName="pricingNoModel", role="quiet")
        self._none.hide()
        field = row_of(self.find, margins=(0, 0, MARGIN, 0))
        none = (self._none, 1, Qt.AlignmentFlag.AlignTop)
        column_of(field, none, (self.table, 1), parent=self, margins=(MARGIN, 10, 0, 0), spacing=6)
        self.setMinimumWidth(MIN_WIDTH)
        self.find.textChanged.connect(self._fill)
        self.table.horizontalHeader().sortIndicatorChanged.connect(self._sort)
        self.find.down_pressed.connect(self._enter)
        self.find.returnPressed.connect(self._take_first)
        self.table.selectionModel().selectionChanged.connect(self._on_selected)

    def _make_table(self, theme: Theme) -> FittedTable:
        table = FittedTable("pricingModels")
        table.setHorizontalHeader(SortHeader(theme, table))
        table.setAccessibleName(self.tr("Models and the age of their prices"))
        table.setModel(self.model)
        table.setItemDelegate(ModelCells(self.model, theme, table))
        set_up_list(table)
        table.setAlternatingRowColors(False)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = table.horizontalHeader()
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(AGE, QHeaderView.ResizeMode.Fixed)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(NAME, Qt.SortOrder.AscendingOrder)
        return table

    @property
    def in_order(self) -> tuple[ListedModel, ...]:
        """All models in the order of the list, including those that the search excludes."""
        return self._all

    def show_models(self, models: Sequence[ListedModel], today: date) -> None:
        """Show these models, and their ages as of ``today``."""
        view = AgeView(self.model.view.text, today)
        if (tuple(models), view) == (self._given, self.model.view):
            return
        first, position = not self._given, self.table.verticalScrollBar().value()
        self._given = self._all = tuple(models)
        self.model.show((), view)
        self._fill()
        if not first:
            self.table.verticalScrollBar().setValue(position)

    def select(self, model_id: str) -> None:
        """Select a model. Clears a search that excludes it."""
        self._current = model_id
        if self.find.text() and self._row_of(model_id) < 0:
            self.find.clear()
        self._select()

    def event(self, event: QEvent) -> bool:
        """Claim the key for Find, which here finds a model, not a text in the price file."""
        if _is_find(event) and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_find(event):
            self.find.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.find.selectAll()
        else:
            super().keyPressEvent(event)

    def _row_of(self, model_id: str) -> int:
        return next((row for row, model in enumerate(self.model.rows) if model.id == model_id), -1)

    def _select(self) -> None:
        row = self._row_of(self._current)
        if row < 0:
            self.table.clearSelection()
        elif not self.table.selectionModel().isRowSelected(row):
            self.table.selectRow(row)
            self.table.scrollTo(self.model.index(row, NAME))

    @Slot()
    def _fill(self) -> None:
        """List the models that match the search, sorted as the header says."""
        header, words = self.table.horizontalHeader(), self.find.text().casefold().split()
        self.model.show(self._all)
        self.model.sort(header.sortIndicatorSection(), header.sortIndicatorOrder())
        self._all = tuple(self.model.rows)
        if words:
            self.model.show([model for model in self._all if _fits(model, words)])
        self._select()
        nothing = bool(words) and not self.model.rows
        self.table.setVisible(not nothing)
        self._none.setVisible(nothing)

    @Slot()
    def _sort(self) -> None:
        self._fill()
        self.table.scrollToTop()

    @Slot()
    def _on_selected(self) -> None:
        rows = self.table.selectionModel().selectedRows()
        model_id = self.model.row_at(rows[0].row()).id if rows else ""
        if model_id and model_id != self._current:
            self._current = model_id
            self.chosen.emit(model_id)

    @Slot()
    def _enter(self) -> None:
        self.table.setFocus(Qt.FocusReason.TabFocusReason)
        self._take_first()

    @Slot()
    def _take_first(self) -> None:
        """Select the first model found, unless one of them is selected."""
        if self.model.rows and not self.table.selectionModel().hasSelection():
            self.table.selectRow(0)


def _fits(model: ListedModel, words: Sequence[str]) -> bool:
    text = f"{model.name} {model.id} {model.provider}".casefold()
    return all(word in text for word in words)


def _is_find(event: QEvent) -> bool:
    return isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Find)


class _FindField(QLineEdit):
    """Search field. Signals: ``down_pressed()`` for the key that goes into the list."""

    down_pressed = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self.down_pressed.emit()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)


# --- ages -------------------------------------------------------------------------------------------------------------


class AgeSummary(QWidget):
    """Summary of the ages of all prices: a bar with a legend, and a button that selects the next model to check.

    Signals: ``next_asked()``.
    """

    next_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(objectName="pricingAges")
        self.title = PlainLabel(objectName="pricingAgesTitle", role="strong")
        self.next = QPushButton(objectName="pricingNextToCheck", autoDefault=False)
        self.next.setProperty("kind", "link")
        self.next.setToolTip(self.tr("Select the next model whose prices are older than 3 months or of unknown age"))
        self.next.clicked.connect(self.next_asked)
        self.bar = PartsBar(theme, "pricingAgesBar")
        legend = QWidget()
        flow = FlowLayout(legend, 14)
        self._entries: dict[str, tuple[QWidget, PlainLabel]] = {}
        for group, (part, _words) in LEGEND.items():
            entry, words = QWidget(), PlainLabel(role="caption")
            row_of(PartSquare(part, theme), words, parent=entry, spacing=6)
            flow.addWidget(entry)
            self._entries[group] = (entry, words)
        column_of(row_of(self.title, 1, self.next), self.bar, legend, parent=self, spacing=5)
        self.hide()

    def show_models(self, models: Sequence[ListedModel], today: date) -> None:
        """Show the ages of these models' prices; nothing while there are none."""
        listed = [model for model in models if not model.hidden]
        groups = [age_group(model, today) for model in listed]
        amounts = {group: groups.count(group) for group in LEGEND}
        entries = []
        for group, (entry, label) in self._entries.items():
            label.setText(tr(LEGEND[group][1]).format(n=figure(self.locale(), amounts[group])))
            entry.setVisible(bool(amounts[group]))
            entries += [label.text()] if amounts[group] else []
        words = self.tr("Age of {n} prices").format(n=figure(self.locale(), len(listed)))
        self.title.setText(words)
        parts = [part._replace(amount=amounts[group]) for group, (part, _words) in LEGEND.items()]
        self.bar.show_parts(parts, f"{words}: {', '.join(entries)}")
        self.bar.setToolTip(plain_tip("\n".join(entries)))
        number = sum(needs_check(model, today) for model in listed)
        self.next.setVisible(bool(number))
        text = self.tr("Show the one to check") if number == 1 else self.tr("Next of {n} to check")
        self.next.setText(text.format(n=figure(self.locale(), number)))
        self.setVisible(bool(listed))


def next_to_check(models: Sequence[ListedModel], after: str, today: date) -> str:
    """Return the ID of the next model after ``after`` that needs checking, wrapping around at the end; "" if none
    does."""
    index = next((index for index, model in enumerate(models) if model.id == after), -1)
    found = [model.id for model in (*models[index + 1 :], *models[: index + 1]) if needs_check(model, today)]
    return found[0] if found else ""


def _accessible_problem(problem: Problem, _view: object) -> str:
    words = QCoreApplication.translate("PriceProblems", "Line {line}, column {column}: {message}")
    return words.format(line=problem.line, column=problem.column, message=problem.message)


def _problem_column(key: str, title: str, text: Callable[[Problem, object], str], *, numeric: bool = False) -> Column:
    return Column(
        key, title, "", text, numeric=numeric, tip=lambda problem, _view: problem.message, spoken=_accessible_problem
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
        self._today = today
        DroppedFiles(self).dropped.connect(self.tables_dropped)
        self.editor = PriceEditor(theme, fields_below)
        self.form = ModelPrices(today)
        self.models = PricedModels(theme)
        self.ages = AgeSummary(theme)
        self._icons = icons
        self._make_tools(icons)
        self._make_problems()
        self._lay_out()
        self._connect()

    def state(self) -> dict[str, Any]:
        """Return the user's arrangement as JSON data."""
        listed = self._list_width if self.models.isHidden() else self.columns.sizes()[0]
        return {"model": self.form.model_id, "split": self.splitter.sizes(), "list": listed}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned; invalid values get their defaults."""
        restore_sizes(self.splitter, state.get("split"))
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

    def show_status(self, text: str, tone: str = "quiet") -> None:
        """Show the status of the file. ``tone``: of the style sheet."""
        give_tone(self.status, tone)
        self.status.setText(text)
        self.status.setToolTip(plain_tip(text))

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

        bar = FindBar(self._icons, self, name="pricingFind")
        self._column.insertWidget(self._column.indexOf(self.editor) + 1, bar)
        for before, after in pairwise((self.editor, *bar.tab_order)):
            QWidget.setTabOrder(before, after)
        return bar

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _make_tools(self, icons: Icons) -> None:
        self.file = RemarkLabel("pricingFile", "quiet")
        self.file.setAccessibleName(self.tr("Your price file"))
        self.status = RemarkLabel("pricingStatus")
        self.status.setAccessibleDescription(self.tr("Status of your price file"))
        self.save = QPushButton(self.tr("Save prices"), objectName="pricingSave")
        give_kind(self.save, "primary")
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
        self.problem_list = FittedTable("pricingProblems")
        self.problem_list.setAccessibleName(self.tr("Problems in your price file; Enter goes to one"))
        self.problem_list.setModel(self.problems)
        self.problem_list.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.problem_list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.problem_list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.problem_list.setTabKeyNavigation(False)
        self.problem_list.setShowGrid(False)
        self.problem_list.setCornerWidget(plain_corner(self.problem_list))
        self.problem_list.verticalHeader().hide()
        header = self.problem_list.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setStretchLastSection(True)
        self._row_height = self.fontMetrics().height() + ROW_PADDING
        self.problem_list.verticalHeader().setDefaultSectionSize(self._row_height)
        self.problem_list.hide()

    def _lay_out(self) -> None:
        middle, right = QWidget(), QWidget()
        self._line = separator()
        items = (self.ages, self._line, (self.form, 1))
        column_of(*items, parent=middle, margins=(16, 10, 6, 8), spacing=7)
        items = (self.file, (self.editor, 1), self.status, self.problem_list)
        self._column = column_of(*items, parent=right, margins=(6, 10, 12, 8), spacing=6)
        self.splitter = splitter_of("pricingSplitter", middle, right, FIRST_WIDTHS)
        self.columns = splitter_of("pricingColumns", self.models, self.splitter, [LIST_WIDTH, 1])
        for splitter in (self.splitter, self.columns):
            splitter.setStretchFactor(1, 1)
        self.splitter.setStretchFactor(0, 1)
        column_of(self.columns, parent=self)
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
