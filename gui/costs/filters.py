"""The bar above a cost table: the scenario, chips that leave models out, and the filter by words."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QPushButton, QWidget

from gui.costs.cost_model import CostTableModel
from gui.costs.rows import natural
from gui.costs.scenario import ScenarioSummary
from gui.panels.flow_layout import FlowLayout

FILTER_CHARACTERS = 18
CONTEXTS = (32_000, 128_000, 200_000, 1_000_000)
TICK = "✓ "


class Chip(QPushButton):
    """A filter that is on or off: on, it has a tick as well as another colour."""

    def __init__(self, name: str, text: str, spoken: str) -> None:
        super().__init__(objectName=name)
        self._text = text
        self.setProperty("kind", "chip")
        self.setAutoDefault(False)
        self.setCheckable(True)
        self.setAccessibleName(spoken)
        self.setToolTip(spoken)
        self.toggled.connect(self._show)
        self._show()

    def set_text(self, text: str) -> None:
        """Say this, behind a tick where it is on."""
        self._text = text
        self._show()

    @Slot()
    def _show(self) -> None:
        self.setText((TICK if self.isChecked() else "") + self._text)


class MenuChip(Chip):
    """A filter with choices: its menu says what is on."""

    def __init__(self, name: str, text: str, spoken: str) -> None:
        super().__init__(name, text, spoken)
        self.choices = QMenu(self)
        self.choices.setObjectName(f"{name}Menu")
        self.setMenu(self.choices)


class CostTools(QWidget):
    """Scenario, the chips that every view has, and the filter. It stands above the table that is in front."""

    def __init__(self, model: CostTableModel, summary: ScenarioSummary) -> None:
        super().__init__()
        self._model = model
        self.summary = summary
        self.exact = Chip(
            "filterExact", self.tr("Exact only"), self.tr("Show only models whose tokens are counted exactly")
        )
        self.favourites = Chip("filterFavourites", self.tr("Favourites"), self.tr("Show only favourites"))
        self.vendor = MenuChip("filterVendor", self.tr("Vendor"), self.tr("Show only the models of some vendors"))
        self.filter = QLineEdit(objectName="costFilter")
        self.filter.setPlaceholderText(self.tr("Filter models"))
        self.filter.setClearButtonEnabled(True)
        self.filter.setAccessibleName(self.tr("Filter the models by words"))
        self.filter.setToolTip(self.tr("Shows the models with every word in name, provider, tokenizer or label."))
        self.filter.setMinimumWidth(self.filter.fontMetrics().averageCharWidth() * FILTER_CHARACTERS)
        self.filter.setMaximumWidth(220)
        self.chips = QWidget()
        self._flow = FlowLayout(self.chips, gap=8)
        for widget in (summary, self.exact, self.favourites, self.vendor):
            self._flow.addWidget(widget)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.chips, 1)
        row.addWidget(self.filter)
        self.exact.toggled.connect(lambda on: model.change(exact_only=on))
        self.favourites.toggled.connect(lambda on: model.change(favourites_only=on))
        self.filter.textChanged.connect(lambda text: model.change(filter=text))
        self.vendor.choices.aboutToShow.connect(self._fill_vendors)
        model.arranged.connect(self._show)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for as many lines as the chips need at this width."""
        super().resizeEvent(event)
        self.chips.setMinimumHeight(self._flow.heightForWidth(self.chips.width()))

    def controls(self) -> tuple[QWidget, ...]:
        """The controls in the order in which they stand."""
        return self.summary, self.exact, self.favourites, self.vendor, self.filter

    def vendors(self) -> list[str]:
        """Return the names of all providers, as a person would order them."""
        return sorted({row.model.provider for row in self._model.rows}, key=natural)

    @Slot()
    def _show(self) -> None:
        """Show the filters in force, without changing any."""
        arrangement = self._model.arrangement
        self.exact.setChecked(arrangement.exact_only)
        self.favourites.setChecked(arrangement.favourites_only)
        vendors = arrangement.vendors
        self.vendor.setChecked(bool(vendors))
        one = next(iter(vendors), "") if len(vendors) == 1 else self._model.view.text.localised(f"{len(vendors):,}")
        self.vendor.set_text(self.tr("Vendor: {what}").format(what=one) if vendors else self.tr("Vendor"))
        if self.filter.text() != arrangement.filter:
            self.filter.setText(arrangement.filter)

    @Slot()
    def _fill_vendors(self) -> None:
        menu, chosen = self.vendor.choices, self._model.arrangement.vendors
        menu.clear()
        every = menu.addAction(self.tr("All vendors"))
        every.setCheckable(True)
        every.setChecked(not chosen)
        every.triggered.connect(lambda: self._model.change(vendors=frozenset()))
        menu.addSeparator()
        for name in self.vendors():
            action = QAction(name.replace("&", "&&"), menu, checkable=True)
            action.setData(name)
            action.setChecked(name in chosen)
            action.toggled.connect(self._on_vendor)
            menu.addAction(action)

    @Slot(bool)
    def _on_vendor(self, on: bool) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            chosen = self._model.arrangement.vendors
            self._model.change(vendors=chosen | {action.data()} if on else chosen - {action.data()})


class MoreChips(QWidget):
    """The chips for which only the page Models has room."""

    def __init__(self, model: CostTableModel) -> None:
        super().__init__()
        self._model = model
        self.context = MenuChip(
            "filterContext", self.tr("Context"), self.tr("Show only models with a large context window")
        )
        self.cache = Chip(
            "filterCachePrice", self.tr("Has cache price"), self.tr("Show only models with a price of cached input")
        )
        self.budget = Chip(
            "filterBudget",
            self.tr("Within budget"),
            self.tr("Show only models whose calls of a month cost less than the budget"),
        )
        self.retired = Chip(
            "filterNotRetired", self.tr("Not retired"), self.tr("Leave out models that are no longer served")
        )
        self.groups = Chip(
            "groupByVendor", self.tr("Group by vendor"), self.tr("Show the models of each vendor together")
        )
        self._flow = FlowLayout(self, gap=8)
        for chip in self.chips():
            self._flow.addWidget(chip)
        self.cache.toggled.connect(lambda on: model.change(cache_price=on))
        self.budget.toggled.connect(lambda on: model.change(within_budget=on))
        self.retired.toggled.connect(lambda on: model.change(show_retired=not on))
        self.groups.toggled.connect(lambda on: model.change(by_vendor=on))
        self.context.choices.aboutToShow.connect(self._fill_contexts)
        model.arranged.connect(self._show)
        self._show()

    def add(self, widget: QWidget) -> None:
        """Set the widget at the right of the chips."""
        self._flow.addWidget(widget)

    def chips(self) -> tuple[Chip, ...]:
        """The chips in the order in which they stand."""
        return self.context, self.cache, self.budget, self.retired, self.groups

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setMinimumHeight(self._flow.heightForWidth(self.width()))

    @Slot()
    def _show(self) -> None:
        arrangement, view = self._model.arrangement, self._model.view
        least = arrangement.context_at_least
        self.context.setChecked(bool(least))
        self.context.set_text(self._context_text(least))
        self.cache.setChecked(arrangement.cache_price)
        self.budget.setChecked(arrangement.within_budget)
        budget = view.budget is not None or arrangement.within_budget
        self.budget.setEnabled(budget)
        self.budget.setVisible(budget)
        self.retired.setChecked(not arrangement.show_retired)
        self.groups.setChecked(arrangement.by_vendor)

    def _context_text(self, least: int) -> str:
        if not least:
            return self.tr("Context")
        short = f"{least // 1_000_000}M" if least >= 1_000_000 else f"{least // 1_000}k"
        return self.tr("Context ≥ {tokens}").format(tokens=short)

    @Slot()
    def _fill_contexts(self) -> None:
        menu, chosen = self.context.choices, self._model.arrangement.context_at_least
        menu.clear()
        for least in self._contexts():
            action = QAction(self._context_text(least) if least else self.tr("Any context"), menu, checkable=True)
            action.setData(least)
            action.setChecked(least == chosen)
            action.triggered.connect(self._on_context)
            menu.addAction(action)

    def _contexts(self) -> Iterable[int]:
        return sorted({0, *CONTEXTS, self._model.arrangement.context_at_least})

    @Slot()
    def _on_context(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self._model.change(context_at_least=action.data())
