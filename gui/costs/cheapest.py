"""Finds the cheapest model that fits, beside the cost table, which it follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import QEvent, QModelIndex, QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QPushButton,
    QStyle,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from gui.costs.cheapest_service import Job, cheapest
from gui.costs.cheapest_table import CheapestModel, WrittenRanking
from gui.costs.columns import LABEL_ORDER
from gui.costs.cost_model import CostTableModel
from gui.costs.scenario_book import MOST_BUDGET, ScenarioState
from gui.dialogs.buttons import close_row
from gui.panels.flow_layout import FlowLayout
from gui.panels.labelled import labelled
from gui.panels.number_boxes import amount_box, decimal_of, tokens_box
from gui.panels.row_table import MEASURED_ROWS, set_up_rows
from gui.panels.stretched_table import StretchedTable
from gui.panels.text_delegate import TextDelegate

ROW_PADDING = 12


class CheapestDialog(QDialog):
    """Every change counts at once. The budget is that of the scenario.

    Ranking the models, measuring what is to be written and showing it take a turn of the event loop each: mostly they
    come while the cost table, too, has something new to show, and jobs want the interpreter.

    Signals: ``chosen(str)`` with the id of a model that is to be pinned in the cost table.
    """

    chosen = Signal(str)

    def __init__(self, costs: CostTableModel, state: ScenarioState, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("cheapestDialog")
        self.setWindowTitle(self.tr("The cheapest model that fits"))
        self._costs, self._state = costs, state
        self._asked: tuple[object, ...] = ()
        # Another amount of output changes the scenario, the rows and their order: one ranking is enough for all of it.
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.refresh)
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._take_step)
        self._step: Callable[[], object] | None = None
        self._all_unmeasured = True
        self.model = CheapestModel(costs.view.text, self)
        self._make_controls()
        self._place()
        costs.arranged.connect(self._refresh_soon)
        state.changed.connect(self._refresh_soon)
        self.context.valueChanged.connect(self._refresh_soon)
        for combo in (self.provider, self.label):
            combo.currentIndexChanged.connect(self._refresh_soon)
        self.budget.valueChanged.connect(self._on_budget)
        self.table.activated.connect(self._on_activated)
        self.pin.clicked.connect(self._choose)
        self.table.selectionModel().currentChanged.connect(self._show_target)
        self._show_target()

    @property
    def settled(self) -> bool:
        """Whether all that was asked for is shown."""
        return not self._soon.isActive() and self._step is None

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self._refresh_soon()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._asked, self._all_unmeasured = (), True
            self._refresh_soon()

    def _make_controls(self) -> None:
        self.context = tokens_box("cheapestContext", self.tr("Tokens that must fit into the context window"))
        self.context.setSpecialValueText(self.tr("this prompt"))
        self.context.setToolTip(self.tr("Room for longer prompts than this one. 0: prompt and output of the scenario."))
        self.provider = QComboBox(objectName="cheapestProvider")
        self.provider.setAccessibleName(self.tr("Provider"))
        self.label = QComboBox(objectName="cheapestLabel")
        self.label.setAccessibleName(self.tr("How the prompt may be counted"))
        self.label.addItem(self.tr("in any way"), ())
        for number in range(1, len(LABEL_ORDER)):
            allowed = LABEL_ORDER[:number]
            words = self._costs.view.text.label(allowed[-1])
            self.label.addItem(words if number == 1 else self.tr("{label} or better").format(label=words), allowed)
        self.budget = amount_box("cheapestBudget", self.tr("Budget for all calls, in US dollars; 0 for none"))
        self.budget.setRange(0, float(MOST_BUDGET))
        self.budget.setPrefix("$ ")
        self.budget.setSpecialValueText(self.tr("none"))
        self.table = StretchedTable(objectName="cheapestTable")
        self.table.setModel(self.model)
        self.table.setItemDelegate(TextDelegate(self.model, self.table))
        self.table.setAccessibleName(self.tr("Models by cost, those that fit first"))
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        set_up_rows(self.table)
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + ROW_PADDING)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.table.horizontalHeader().setStretchLastSection(True)
        self.answer = QLabel(objectName="cheapestAnswer")
        self.answer.setTextFormat(Qt.TextFormat.PlainText)
        self.answer.setWordWrap(True)

    def _place(self) -> None:
        flow = FlowLayout(gap=10)
        for text, control in (
            (self.tr("&Room for"), self.context),
            (self.tr("Pro&vider"), self.provider),
            (self.tr("C&ounted"), self.label),
            (self.tr("&Budget"), self.budget),
        ):
            flow.addWidget(labelled(text, control, control))
        buttons = close_row(self)
        self.pin = QPushButton(self.tr("&Pin in the cost table"), objectName="cheapestPin")
        self.pin.setToolTip(self.tr("Compare every model with this one. Enter does it in the list."))
        self.pin.setAutoDefault(False)
        buttons.addButton(self.pin, QDialogButtonBox.ButtonRole.ActionRole)
        body = QVBoxLayout(self)
        body.addLayout(flow)
        body.addWidget(self.answer)
        body.addWidget(self.table, 1)
        body.addWidget(buttons)
        self.resize(self.fontMetrics().averageCharWidth() * 120, self.fontMetrics().height() * 26)

    @Slot()
    def _refresh_soon(self) -> None:
        self._soon.start()

    @Slot()
    def refresh(self) -> None:
        """Rank the models of the cost table anew, where anybody sees it and the ranking may be another one."""
        if not self.isVisible():
            return
        self._show_budget()
        self._fill_providers()
        text, rows = self._costs.view.text, self._costs.rows
        job = Job(
            context=self.context.value(),
            provider=self.provider.currentData() or "",
            labels=frozenset(self.label.currentData()),
            budget=self._state.budget,
            hidden=self._costs.arrangement.hidden,
        )
        scenario = self._state.scenario()
        # Of the rows this is all that counts here: not whether a new count of them is on its way.
        asked = (job, scenario, text, [(row.model, row.estimate) for row in rows])
        if asked == self._asked:
            return
        self._asked = asked
        self._next(partial(self._measure, WrittenRanking(cheapest(rows, scenario, job, text), text)))

    def _next(self, step: Callable[[], object]) -> None:
        """Do this in the next turn, in place of what waits for it: that would show an older ranking."""
        self._step = step
        self._turn.start()

    @Slot()
    def _take_step(self) -> None:
        step, self._step = self._step, None
        if step is not None:
            step()

    def _measure(self, ranking: WrittenRanking) -> None:
        """Before anything is shown: columns of another width would be painted twice."""
        changed = ranking.changed_from(self.model.ranking)
        columns = range(self.model.columnCount()) if self._all_unmeasured else changed
        self._next(partial(self._show_ranking, ranking, self._widths(ranking, columns)))

    def _show_ranking(self, ranking: WrittenRanking, widths: dict[int, int]) -> None:
        """The choice stays with a model that fits."""
        before = self._current_id()
        self.model.show(ranking)
        for column, width in widths.items():
            self.table.horizontalHeader().resizeSection(column, width)
        self._all_unmeasured = False
        fitting = sum(choice.fits for choice in self.model.choices)
        ids = [choice.model.id for choice in self.model.choices[:fitting]]
        if self.model.choices:
            self.table.selectRow(ids.index(before) if before in ids else 0)
        if fitting:
            first = self.model.choices[0].model
            words = self.tr("{model} is the cheapest of {number} that fit.")
            number = self._costs.view.text.localised(f"{fitting:,}")
            self.answer.setText(words.format(model=first.name, number=number))
        else:
            self.answer.setText(self.tr("None fits. The list says what keeps each model from it."))

    def _widths(self, ranking: WrittenRanking, columns: Iterable[int]) -> dict[int, int]:
        """By column, as Qt would, which asks for each cell by itself, in six calls that may each wait for a turn of
        Python.

        The last column takes what is left.
        """
        header, metrics = self.table.horizontalHeader(), self.table.fontMetrics()
        margin = self.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, None, self.table) + 1
        last = self.model.columnCount() - 1
        return {
            column: max(
                metrics.size(0, ranking.lines(column, MEASURED_ROWS)).width() + 2 * margin,
                header.sectionSizeHint(column),
            )
            for column in columns
            if column != last
        }

    def _show_budget(self) -> None:
        blocker = QSignalBlocker(self.budget)
        self.budget.setValue(float(self._state.choices.budget))
        blocker.unblock()

    def _fill_providers(self) -> None:
        providers = sorted({row.model.provider for row in self._costs.rows}, key=str.casefold)
        if providers == [self.provider.itemData(index) for index in range(1, self.provider.count())]:
            return
        blocker, chosen = QSignalBlocker(self.provider), self.provider.currentData()
        self.provider.clear()
        self.provider.addItem(self.tr("any"), "")
        for provider in providers:
            self.provider.addItem(provider, provider)
        self.provider.setCurrentIndex(max(0, self.provider.findData(chosen)))
        blocker.unblock()

    def _current_id(self) -> str:
        row = self.table.currentIndex().row()
        return self.model.choices[row].model.id if 0 <= row < len(self.model.choices) else ""

    @Slot()
    def _on_budget(self) -> None:
        self._state.change(budget=decimal_of(self.budget))

    @Slot(QModelIndex)
    def _on_activated(self, _index: QModelIndex) -> None:
        self._choose()

    @Slot()
    def _choose(self) -> None:
        if model_id := self._current_id():
            self.chosen.emit(model_id)

    @Slot()
    def _show_target(self) -> None:
        self.pin.setEnabled(bool(self._current_id()))
