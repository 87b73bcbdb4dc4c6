"""The cost panel: scenario, filter, table, chart and explanation."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QLocale, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from gui.costs.table import CostTable
from gui.dialogs.cheapest import CheapestDialog
from gui.dialogs.scenario_details import ScenarioDetails
from gui.look.theme import Theme
from gui.models.cost_arrangement import Arrangement, SortKey
from gui.models.cost_columns import COLUMN_INDEX, COLUMNS
from gui.models.cost_money import break_even_words
from gui.models.cost_row import CostRow
from gui.models.cost_table import CostTableModel
from gui.models.cost_text import CostText, Currency
from gui.models.scenario_choices import choices_of
from gui.models.scenario_state import ScenarioState
from gui.notify import Notifier, Offer
from gui.panels.cost_chart import CostChart
from gui.panels.cost_commands import CostCommands
from gui.panels.cost_explanation import CostExplanation
from gui.panels.cost_status import CostStatus
from gui.panels.scenario_bar import ScenarioBar
from gui.panels.scenario_names import ScenarioNames
from gui.panels.when_seen import WhenSeen
from gui.services.costs import CostService

if TYPE_CHECKING:
    from gui.scenario_book import ScenarioBook
    from gui.storage import Storage

SIDE_WIDTH = 440
FILTER_CHARACTERS = 22
DAY_CHECK_MS = 60_000
PROBLEMS_KEY = "price-file"
NOTICES_KEY = "price-file-notices"


class CostPanel(QWidget):
    """Shows what the service says, and tells it the scenario.

    Signals: ``state_changed()`` when ``state()`` would give something else: column layout, choices, scenario.
    """

    state_changed = Signal()

    def __init__(
        self,
        service: CostService,
        theme: Theme,
        notifier: Notifier,
        version: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("costPanel")
        self._service, self._theme, self._notifier = service, theme, notifier
        self.model = CostTableModel(CostText(QLocale()), service.today, self)
        self.scenario = ScenarioState(lambda: service.today, self)
        self.scenario_bar = ScenarioBar(self.scenario)
        self.problems_listed: Callable[[], bool] = lambda: False
        """True while the problems of the price file are in sight elsewhere: no message tells them again."""
        self.names = ScenarioNames(self.scenario_bar.named, self.scenario, notifier)
        self._details: ScenarioDetails | None = None
        self._cheapest: CheapestDialog | None = None
        self.table = CostTable(self.model, theme, columns=[column.key for column in COLUMNS if column.shown])
        self.commands = CostCommands(self.table, self.model, service, notifier, version)
        self.chart = CostChart(theme)
        self.explanation = CostExplanation(theme)
        self._explaining = WhenSeen(self.explanation, self._explain_current)
        self.status = CostStatus(self.model, service, theme)
        self._choices = self.model.arrangement
        self._make_tools()
        self._place()
        self._connect()
        if service.started:
            self._on_scenario()
            self._on_estimated(service.rows)

    def state(self) -> dict[str, Any]:
        """Everything that the user arranged, as JSON holds it."""
        choices = self.model.arrangement
        return {
            "scenario": self.scenario.choices.plain(),
            "scenario_name": self.names.name,
            "columns": self.table.columns_state(),
            "sort": [[key.column, key.descending] for key in choices.sort],
            "filter": choices.filter,
            "favourites": sorted(choices.favourites),
            "hidden": sorted(choices.hidden),
            "baseline": choices.baseline,
            "show_hidden": choices.show_hidden,
            "show_retired": choices.show_retired,
            "show_embedding": choices.show_embedding,
            "side": self._side_name(),
            "split": self.splitter.sizes(),
            "chart": self.chart.state(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Take back what ``state`` gave; what is missing or of no use stays as in a fresh window."""
        self.scenario.set(choices_of(_dict(state.get("scenario"))))
        name = state.get("scenario_name")
        self.names.set_name(name if isinstance(name, str) else "")
        self.table.restore_columns(_dict(state.get("columns")))
        self.chart.restore_state(_dict(state.get("chart")))
        arrangement = arrangement_of(state)
        self.model.set_arrangement(arrangement)
        self.filter.setText(arrangement.filter)
        side = state.get("side")
        buttons = {"chart": self.chart_button, "explain": self.explain_button}
        self._show_side(buttons.get(side) if isinstance(side, str) else None)
        sizes = state.get("split")
        if isinstance(sizes, list) and len(sizes) == 2 and all(isinstance(size, int) for size in sizes):
            self.splitter.setSizes(sizes)

    def start(self, storage: Storage, book: ScenarioBook | None = None) -> None:
        """Chart, exports and named scenarios work from now on. ``storage`` belongs to the panel alone. The service
        starts by itself."""
        self.commands.use_storage(storage)
        self.chart.start()
        if book is not None:
            self.names.start(book)

    @Slot()
    def show_details(self) -> ScenarioDetails:
        """Show the whole scenario in a window of its own, which stays while one works in this."""
        if self._details is None:
            self._details = ScenarioDetails(self.scenario, self)
        self._details.set_currencies(self._service.exchange_rates)
        self._show_break_even()
        _bring(self._details)
        return self._details

    @Slot()
    def find_cheapest(self) -> CheapestDialog:
        """Show which model does it for the least money, in a window that stays while one works in this."""
        if self._cheapest is None:
            self._cheapest = CheapestDialog(self.model, self.scenario, self)
            self._cheapest.chosen.connect(self._on_cheapest)
        _bring(self._cheapest)
        return self._cheapest

    @Slot(str)
    def _on_cheapest(self, model_id: str) -> None:
        """Pin a model and show it, whatever the filter says."""
        hidden = self.model.arrangement.hidden - {model_id}
        self.model.change(baseline=model_id, hidden=hidden, filter="")
        self.filter.clear()
        self.table.show_column("ratio")
        self.table.show_model(model_id)

    def focus_filter(self) -> None:
        """Put the caret into the filter."""
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LocaleChange and hasattr(self, "table"):
            self._show_currency()

    def _make_tools(self) -> None:
        self.filter = QLineEdit(objectName="costFilter")
        self.filter.setPlaceholderText(self.tr("Filter models"))
        self.filter.setClearButtonEnabled(True)
        self.filter.setAccessibleName(self.tr("Filter the models by words"))
        self.filter.setToolTip(
            self.tr("Shows the models in which every word occurs: in name, provider, tokenizer or label.")
        )
        self.filter.setMinimumWidth(self.filter.fontMetrics().averageCharWidth() * FILTER_CHARACTERS)
        self.filter.setMaximumWidth(260)
        self.view_button = _menu_button("costView", self.tr("Sho&w"), self.tr("Columns, and models left out"))
        self.export_button = _menu_button("costExport", self.tr("E&xport"), self.tr("Copy or export the table"))
        self.commands.export_menu(self.export_button.menu())
        self.cheapest_button = _button(
            "costCheapest", self.tr("Che&apest…"), self.tr("Find the cheapest model that fits, and why others do not")
        )
        self.chart_button = _side_button("costChartButton", self.tr("Chart"), self.tr("Show a chart of the totals"))
        self.explain_button = _side_button(
            "costExplainButton", self.tr("Explain"), self.tr("Show how the cost of a row comes about")
        )

    def _place(self) -> None:
        tools = QHBoxLayout()
        tools.setSpacing(8)
        tools.addWidget(self.filter, 1)
        tools.addWidget(self.status.count)
        tools.addWidget(self.status.remark, 2)
        for button in (
            self.cheapest_button,
            self.view_button,
            self.export_button,
            self.chart_button,
            self.explain_button,
        ):
            tools.addWidget(button)
        self.side = QStackedWidget(objectName="costSide")
        self.side.addWidget(self.chart)
        self.side.addWidget(self.explanation)
        self.side.hide()
        self.splitter = QSplitter(Qt.Orientation.Horizontal, objectName="costSplitter")
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.table)
        self.splitter.addWidget(self.side)
        self.splitter.setStretchFactor(0, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 6, 8, 6)
        layout.setSpacing(6)
        layout.addWidget(self.scenario_bar)
        layout.addWidget(self.status.note)
        layout.addLayout(tools)
        layout.addWidget(self.splitter, 1)

        self._set_tab_order()

    def _set_tab_order(self) -> None:
        """As the eye goes: the scenario, the line of tools, table, chart or explanation."""
        order = [
            *self.scenario_bar.controls(),
            *(self.filter, self.cheapest_button, self.view_button, self.export_button),
            *(self.chart_button, self.explain_button),
            *(self.table, self.chart.most, self.chart.log, self.chart.scroll, self.explanation.lines),
        ]
        for before, after in pairwise(order):
            self.setTabOrder(before, after)

    def _connect(self) -> None:
        service = self._service
        service.estimated.connect(self._on_estimated)
        service.stale_changed.connect(self.model.set_stale)
        service.prices_problem.connect(self._on_prices_problem)
        service.prices_reloaded.connect(self._on_prices_reloaded)
        service.starting.connect(self._on_scenario)
        service.prices_changed.connect(self._on_prices_changed)
        self.scenario.changed.connect(self._on_scenario)
        self.scenario_bar.details.clicked.connect(self.show_details)
        self.cheapest_button.clicked.connect(self.find_cheapest)
        self.names.name_changed.connect(self._on_state_changed)
        self.filter.textChanged.connect(self._on_filter)
        self.model.arranged.connect(self._on_arranged)
        self.table.current_model_changed.connect(self._explaining.ask)
        self.table.layout_changed.connect(self._on_state_changed)
        self.commands.explain.triggered.connect(self._on_explain)
        self.view_button.menu().aboutToShow.connect(self._fill_view_menu)
        self.chart.options_changed.connect(self._on_state_changed)
        self.splitter.splitterMoved.connect(self._on_state_changed)
        self._theme.changed.connect(self._colour_buttons)
        for button in (self.chart_button, self.explain_button):
            button.toggled.connect(self._colour_buttons)
            button.clicked.connect(self._on_side_clicked)
        self._day_timer = QTimer(self, interval=DAY_CHECK_MS)
        self._day_timer.timeout.connect(self.scenario.follow_day)
        self._day_timer.start()

    @Slot()
    def _on_scenario(self) -> None:
        choices = self.scenario.choices
        self._show_currency()
        self.model.set_plan(self.scenario.budget, choices.calls_a_day)
        self.status.refresh()
        # Before the start nobody prices anything, and the types of pricing need not be imported.
        if self._service.started:
            self._service.set_scenario(self.scenario.scenario(), self.scenario.mix())
        self._on_state_changed()

    @Slot()
    def _on_prices_changed(self) -> None:
        self._show_currency()
        if self._details is not None:
            self._details.set_currencies(self._service.exchange_rates)

    def _show_currency(self) -> None:
        """Amounts are in the currency chosen, in dollars where the price file has no rate for it."""
        code = self.scenario.choices.currency
        usd = self._service.exchange_rates.get(code)
        self.status.set_wanted_currency(code)
        currency = Currency() if usd is None else Currency(code, usd)
        shown = self.model.view.text
        if currency != shown.currency or shown.locale != self.locale():
            self.model.set_text(CostText(self.locale(), currency))

    def _show_break_even(self) -> None:
        if self._details is not None:
            self._details.break_even.setText(break_even_words(self.model.shown_rows(), self.model.view))

    @Slot(object)
    def _on_estimated(self, rows: tuple[CostRow, ...]) -> None:
        scenario = self._service.scenario
        if scenario is not None:
            self.model.set_rows(rows, scenario.calls, self._service.today, scenario.on)

    @Slot()
    def _on_arranged(self) -> None:
        self.status.refresh()
        self._show_break_even()
        self._explaining.ask()
        self.chart.set_rows(self.model.shown_rows(), self.model.view)
        if self._choices is not self.model.arrangement:
            self._choices = self.model.arrangement
            self._on_state_changed()

    @Slot()
    def _on_state_changed(self) -> None:
        self.state_changed.emit()

    @Slot(str)
    def _on_filter(self, text: str) -> None:
        self.model.change(filter=text)

    @Slot()
    def _fill_view_menu(self) -> None:
        self.commands.view_menu(self.view_button.menu())

    def _explain_current(self) -> None:
        self.explanation.explain(self.table.current_row(), self.model.view)

    @Slot()
    def _on_explain(self) -> None:
        self._show_side(self.explain_button)

    @Slot()
    def _on_side_clicked(self) -> None:
        button = self.sender()
        self._show_side(button if isinstance(button, QPushButton) and button.isChecked() else None)
        self._on_state_changed()

    def _show_side(self, button: QPushButton | None) -> None:
        """Show the chart, the explanation, or neither."""
        self.chart_button.setChecked(button is self.chart_button)
        self.explain_button.setChecked(button is self.explain_button)
        opening = button is not None and self.side.isHidden()
        self.side.setVisible(button is not None)
        if button is None:
            return
        self.side.setCurrentWidget(self.chart if button is self.chart_button else self.explanation)
        if opening and self.splitter.sizes()[1] < SIDE_WIDTH // 3:
            width = max(self.splitter.width(), 2)
            side = min(SIDE_WIDTH, width * 45 // 100)
            self.splitter.setSizes([width - side, side])

    @Slot()
    def _colour_buttons(self) -> None:
        """Fusion hardly shows that a button is down, least of all in the dark."""
        for button in (self.chart_button, self.explain_button):
            palette = QPalette()
            if button.isChecked():
                palette.setColor(QPalette.ColorRole.Button, self._theme.colour("information_base"))
                palette.setColor(QPalette.ColorRole.ButtonText, self._theme.colour("information"))
            button.setPalette(palette)

    def _side_name(self) -> str:
        if self.chart_button.isChecked():
            return "chart"
        return "explain" if self.explain_button.isChecked() else ""

    @Slot()
    def _on_prices_reloaded(self) -> None:
        """Remarks on the user's file are for the moment when it was edited; a start need not repeat them."""
        notices = self._service.notices
        if notices:
            text = self.tr("Prices reloaded. In your price file: {notice}").format(notice=notices[0])
            self._notifier.information(text, "\n".join(notices[1:]), key=NOTICES_KEY)
        else:
            self._notifier.remark(self.tr("Prices reloaded."))

    @Slot(object)
    def _on_prices_problem(self, problems: tuple[Any, ...]) -> None:
        self.status.refresh()
        if not problems or self.problems_listed():
            self._notifier.withdraw(PROBLEMS_KEY)
            return
        self._notifier.warning(
            self.status.problem_sentence(),
            "\n".join(str(problem) for problem in problems),
            key=PROBLEMS_KEY,
            offers=(Offer(self.tr("Reload prices"), self._service.reload_prices),),
        )


def arrangement_of(state: dict[str, Any]) -> Arrangement:
    """The choices kept in a state; what is of no use is left out."""
    sort = tuple(
        SortKey(key[0], key[1] is True)
        for key in _list(state.get("sort"))
        if isinstance(key, list) and len(key) == 2 and key[0] in COLUMN_INDEX
    )
    baseline, words = state.get("baseline"), state.get("filter")
    return Arrangement(
        sort=sort or Arrangement().sort,
        filter=words if isinstance(words, str) else "",
        favourites=frozenset(id_ for id_ in _list(state.get("favourites")) if isinstance(id_, str)),
        hidden=frozenset(id_ for id_ in _list(state.get("hidden")) if isinstance(id_, str)),
        baseline=baseline if isinstance(baseline, str) else None,
        show_hidden=state.get("show_hidden") is True,
        show_retired=state.get("show_retired") is True,
        show_embedding=state.get("show_embedding") is True,
    )


def _bring(dialog: QDialog) -> None:
    """Show a dialog, in front of the others."""
    dialog.show()
    dialog.raise_()
    dialog.activateWindow()


def _button(name: str, text: str, spoken: str) -> QPushButton:
    button = QPushButton(text, objectName=name)
    button.setAutoDefault(False)
    button.setToolTip(spoken)
    button.setAccessibleName(spoken)
    return button


def _menu_button(name: str, text: str, spoken: str) -> QPushButton:
    button = _button(name, text, spoken)
    button.setMenu(QMenu(button))
    return button


def _side_button(name: str, text: str, spoken: str) -> QPushButton:
    button = _button(name, text, spoken)
    button.setCheckable(True)
    return button


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
