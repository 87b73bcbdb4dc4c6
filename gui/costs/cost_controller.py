"""Cost table: the strip below the prompt with scenario, filters and six columns, and the controller of all its views.

The page Models (``models_page``) is the full view of the same rows and filters: bar and foot move to whichever of the
two is in front. The controller feeds them counts of the prompt or request, and shows figures of the reference model.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QLocale, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QToolButton, QWidget

from gui.core.about import our_version
from gui.core.exports import plain
from gui.core.figures import ASSUMED, ESTIMATED, EXACT, NO_MODEL, QUALITIES
from gui.costs.columns import (
    COLUMN_INDEX,
    COLUMNS,
    Priced,
    break_even_words,
    drawn_amount,
    drawn_runs,
    excess,
    excess_text,
    usd_ends,
)
from gui.costs.cost_commands import CostCommands
from gui.costs.cost_service import CostService, PricedText
from gui.costs.cost_table import CostTableModel, Dot
from gui.costs.cost_view import CostTable
from gui.costs.inspector import Inspector
from gui.costs.models_page import CostTools, ModelsPage
from gui.costs.money_text import CostText, Currency, age_tone
from gui.costs.prices_service import BUNDLED, KEPT, LAST_GOOD, OWN_VENDOR
from gui.costs.rows import Arrangement, CostRow, ReferenceModel, SortKey, usd_middle
from gui.costs.scenario import ScenarioPopover, ScenarioSummary
from gui.costs.scenario_book import ScenarioBook, ScenarioNames, ScenarioState, choices_of
from gui.look.icons import Icons
from gui.look.style_sheet import give_tone, plain_corner
from gui.look.theme import Theme
from gui.runtime.notify import Notifier, Offer
from gui.state.storage import Storage
from gui.widgets.forms import column_of, row_of
from gui.widgets.labels import PlainLabel, RemarkLabel, as_written

if TYPE_CHECKING:
    from gui.prompt.prompt_panel import StripSplitter
    from gui.widgets.page_controller import AppContext
    from gui.window.pages import Page
    from pricing.types import Model, Scenario


MAX_NAMED = 2
"""Maximum number of models over budget that are named; the others are counted."""


# --- the strip below the prompt ---------------------------------------------------------------------------------------


class CostStatus(QObject):
    """Three labels: ``count`` (23 of 91 models), ``remark`` (age of prices, or a problem), ``note`` (scenario)."""

    def __init__(self, model: CostTableModel, service: CostService, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._service = model, service
        self.requested_currency = "USD"
        """Currency that the user has chosen; ``refresh`` reports a missing rate."""
        self._of_request = False
        self.count = PlainLabel(objectName="costCount", role="caption")
        self.remark = RemarkLabel("costRemark", "caption")
        self.remark.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.note = PlainLabel(objectName="scenarioNote", role="caption", wordWrap=True)
        self.note.hide()
        service.stale_changed.connect(self.refresh)
        self.refresh()

    def set_of_request(self, on: bool) -> None:
        """Show whether the costs are those of the request on the page Chat or of the text."""
        self._of_request = on
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Update all labels."""
        count = self._count_text()
        self.count.setText(count)
        self.count.setToolTip(as_written(count))
        text, tone = self._remark()
        give_tone(self.remark, tone)
        self.remark.setText(text)
        problems = (str(problem) for problem in self._service.problems)
        self.remark.setToolTip(as_written("\n".join([text, *problems, *self._service.notices])))
        warning = self._budget_warning()
        give_tone(self.note, "warning" if warning else "information")
        whose = (self.tr("Cost of the request on the Chat page."),) if self._of_request else ()
        note = " ".join((*whose, *warning, *self._scenario_notes()))
        self.note.setText(note)
        self.note.setVisible(bool(note))

    def problem_sentence(self) -> str:
        """Return a sentence on the problem in the user's price file, and the prices in effect instead."""
        number = len(self._service.problems)
        wrong = (
            self.tr("Your price file has a problem.")
            if number == 1
            else self.tr("Your price file has {number} problems.").format(number=self._number(number))
        )
        in_force = {
            KEPT: self.tr("The previous prices stay in use."),
            LAST_GOOD: self.tr("Its last valid version is in use."),
            BUNDLED: self.tr("The built-in prices are in use."),
        }
        return f"{wrong} {in_force.get(self._service.instead, '')}".strip()

    def _count_text(self) -> str:
        result = self._model.result
        text = self.tr("{shown} of {total} models").format(
            shown=self._number(len(result.order)), total=self._number(result.total)
        )
        arrangement = self._model.arrangement
        if result.hidden and not arrangement.show_hidden:
            text += self.tr(" · {number} hidden").format(number=self._number(result.hidden))
        if result.retired and not arrangement.show_retired:
            text += self.tr(" · {number} retired").format(number=self._number(result.retired))
        if result.embedding and not arrangement.show_embedding:
            text += self.tr(" · {number} embedding").format(number=self._number(result.embedding))
        return text

    def _remark(self) -> tuple[str, str]:
        """Return the most important remark and its tone."""
        if self._service.problems:
            return self.problem_sentence(), "error"
        if self._service.stale:
            return self.tr("Counting… Figures are for the previous text."), "quiet"
        if not self._model.rows:
            return self.tr("Loading prices…"), "quiet"
        checked = [row.estimate.price_checked for row in self._model.shown_rows()]
        days = [day for day in checked if day is not None]
        if not days:
            return "", ""
        return self._age(min(days), max(days)), age_tone(min(days), self._service.today)

    def _age(self, oldest: date, newest: date) -> str:
        text, today = self._model.view.text, self._service.today
        age = text.age(oldest, today)
        if oldest == newest:
            return self.tr("Prices checked {age}").format(age=age)
        first = self._number(max(0, (today - newest).days))
        return self.tr("Prices checked {newest} to {oldest}").format(newest=first, oldest=age)

    def _budget_warning(self) -> tuple[str, ...]:
        """Return a warning that names the visible models over budget, the first with its excess; empty if none is."""
        view = self._model.view
        if view.budget is None or not self._model.rows:
            return ()
        over = [(row, by) for row in self._model.shown_rows() if (by := excess(row, view)) is not None]
        if not over:
            return ()
        surely = [(row, by) for row, by in over if by[0] > 0]
        words = self.tr("⚠ Over the monthly budget of {usd}: {number} of the models shown.")
        sentences = [words.format(usd=view.text.amount(view.budget), number=self._number(len(surely)))]
        if surely:
            named = [
                self.tr("{model} by {usd}").format(model=row.model.name, usd=excess_text(row, view, by))
                for row, by in surely[:MAX_NAMED]
            ]
            rest = len(surely) - len(named)
            more = self.tr(", {number} more").format(number=self._number(rest)) if rest else ""
            sentences.append(", ".join(named) + more + ".")
        perhaps = len(over) - len(surely)
        if perhaps:
            sentences.append(self.tr("{number} more may be.").format(number=self._number(perhaps)))
        return tuple(sentences)

    def _scenario_notes(self) -> list[str]:
        rows, scenario = self._model.shown_rows(), self._service.scenario
        notes: list[str] = []
        if scenario is None:
            return notes
        if any(row.cached_cut for row in rows):
            notes.append(
                self.tr("The scenario caches more tokens than some prompts have; those count as fully cached.")
            )
        if scenario.on != self._service.today:
            day = self._model.view.text.day(scenario.on)
            unpriced = sum(not row.model.has_price_on(scenario.on) for row in rows)
            if unpriced < len(rows):
                notes.append(self.tr("Prices of {day}, as known today.").format(day=day))
            if unpriced:
                number = self._number(unpriced)
                words = self.tr("No known price on {day} for {number} of the models shown.")
                notes.append(words.format(day=day, number=number))
        missing = sum(
            1 for row in rows if scenario.batch and any(name.startswith("batch") for name in row.estimate.unknown)
        )
        if missing:
            notes.append(
                self.tr("No known batch price for {number} of the models shown.").format(number=self._number(missing))
            )
        unsold = sum(f"services.{scenario.service}" in row.estimate.unknown for row in rows)
        if unsold:
            words = self.tr("No known {service} price for {number} of the models shown.")
            notes.append(words.format(service=scenario.service, number=self._number(unsold)))
        return [*notes, *self._hidden_choices(scenario)]

    def _hidden_choices(self, scenario: Scenario) -> list[str]:
        """Return the settings of the scenario dialog that the bar does not show."""
        text, mix, sentences = self._model.view.text, self._service.mix, []
        for ends, words in (
            (scenario.output_range, self.tr("Output: {low} to {high} tokens.")),
            (scenario.reasoning_range, self.tr("Reasoning: {low} to {high} tokens.")),
        ):
            if ends is not None:
                sentences.append(words.format(low=self._number(ends[0]), high=self._number(ends[1])))
        if mix is not None and mix.hit_rate is not None:
            share = text.percent(mix.hit_rate, mix.hit_rate)
            sentences.append(self.tr("Cache hit rate {share}; the other calls write the cache.").format(share=share))
        elif scenario.cache_write_tokens or scenario.cache_write_1h_tokens:
            tokens = self._number(scenario.cache_write_tokens + scenario.cache_write_1h_tokens)
            sentences.append(self.tr("Each call writes {tokens} tokens to the cache.").format(tokens=tokens))
        if mix is not None and mix.batch_share is not None:
            share = text.percent(mix.batch_share, mix.batch_share)
            sentences.append(self.tr("Batch share of calls: {share}.").format(share=share))
        if self.requested_currency not in ("USD", text.currency.code):
            words = self.tr("Your price file has no exchange rate for {code}: amounts are in US dollars.")
            sentences.append(words.format(code=self.requested_currency))
        if not text.currency.is_dollar:
            rate = "$" + text.localised(plain(text.currency.usd))
            sentences.append(
                self.tr("1 {code} = {usd}, from your price file.").format(code=text.currency.code, usd=rate)
            )
        return sentences

    def _number(self, number: int) -> str:
        return self._model.view.text.number(number)


class Foot(QFrame):
    """Line below a cost table: legend of its marks, number of models shown, and age of their prices."""

    def __init__(self, status: CostStatus, theme: Theme) -> None:
        super().__init__(objectName="foot")
        self._words: list[PlainLabel] = []
        self._count = status.count
        row = row_of(parent=self, margins=(12, 5, 12, 5), spacing=4)
        for quality, words in (
            (EXACT, self.tr("Exact")),
            (ESTIMATED, self.tr("Estimated range")),
            (ASSUMED, self.tr("Assumed")),
            ("", self.tr("Current model")),
        ):
            label = PlainLabel(words, role="caption")
            dot = Dot(quality, theme)
            dot.setToolTip(words)
            row.addWidget(dot)
            row.addWidget(label)
            row.addSpacing(8)
            self._words.append(label)
        row.addStretch(1)
        # Width of the marks of the legend, with all gaps and margins.
        self._marks = row.sizeHint().width() - sum(label.sizeHint().width() for label in self._words)
        row.addWidget(status.count)
        row.addSpacing(8)
        row.addWidget(status.remark)
        self.setMinimumWidth(1)

    def event(self, event: QEvent) -> bool:
        """Hide the words of the legend if the number of models would not fit; each dot has its tooltip."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            words = sum(label.sizeHint().width() for label in self._words)
            fits = self._marks + words + self._count.sizeHint().width() + 24 <= self.width()
            for label in self._words:
                label.setVisible(fits)
        return super().event(event)


PROBLEMS_KEY = "price-file"
NOTICES_KEY = "price-file-notices"


_SETS = ("favourites", "hidden", "vendors")


_FLAGS = (
    *("show_hidden", "show_retired", "show_embedding"),
    *("exact_only", "favourites_only", "cache_price", "within_budget", "by_vendor"),
)


def arrangement_of(state: dict[str, Any]) -> Arrangement:
    """Return the arrangement of a saved state; invalid values are ignored."""
    sort = tuple(
        SortKey(key[0], key[1] is True)
        for key in _list(state.get("sort"))
        if isinstance(key, list) and len(key) == 2 and key[0] in COLUMN_INDEX
    )
    baseline, words, context = (state.get(name) for name in ("baseline", "filter", "context_at_least"))
    sets = {name: frozenset(one for one in _list(state.get(name)) if isinstance(one, str)) for name in _SETS}
    return Arrangement(
        sort=sort or Arrangement().sort,
        filter=words if isinstance(words, str) else "",
        baseline=baseline if isinstance(baseline, str) else None,
        context_at_least=context if isinstance(context, int) and context > 0 else 0,
        **sets,
        **{name: state.get(name) is True for name in _FLAGS},
    )


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


class CostPanel(QFrame):
    """Cost strip. Shows the rows of the service, and passes it the scenario.

    Signals: ``state_changed()`` when ``state()`` changes: column layout, choices, scenario; ``page_asked()`` to show
    the full view; ``fold_asked(bool)`` to fold the strip to its bar or unfold it.
    """

    state_changed = Signal()
    page_asked = Signal()
    fold_asked = Signal(bool)

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
        self.setProperty("kind", "surface")
        self._folded = False
        self._service, self._theme, self._notifier = service, theme, notifier
        self.model = CostTableModel(CostText(QLocale()), service.today, self)
        self.scenario = ScenarioState(lambda: service.today, self)
        self.popover = ScenarioPopover(self.scenario, theme, parent or self)
        self.summary = ScenarioSummary(self.scenario, self.popover)
        self.names = ScenarioNames(self.popover.named, self.scenario, notifier)
        self.problems_listed: Callable[[], bool] = lambda: False
        """Returns True while another view lists the problems of the price file, so that no message repeats them."""
        self.tools = CostTools(self.model, self.summary)
        self.filter = self.tools.filter
        self.table = CostTable(self.model, theme)
        self.commands = CostCommands(self.table, self.model, service, notifier, version)
        self.status = CostStatus(self.model, service)
        self.foot = Foot(self.status, theme)
        self._page: ModelsPage | None = None
        self._page_state: dict[str, Any] = {}
        self._started = False
        self._choices = self.model.arrangement
        self._lay_out()
        self._connect()
        if service.started:
            self._on_scenario()

    @property
    def page(self) -> ModelsPage:
        """Full view, created on first access. The page that shows it becomes its parent."""
        if self._page is None:
            self._page = page = ModelsPage(self.model, self.table, self.commands, self.status, self._theme, self)
            page.hide()
            page.restore_state(self._page_state)
            page.state_changed.connect(self.state_changed)
            page.front.connect(self._move_bars_to_page)
            if self._started:
                page.chart.start()
        return self._page

    def state(self) -> dict[str, Any]:
        """Return the user's arrangement as JSON data."""
        choices = self.model.arrangement
        return {
            "scenario": self.scenario.choices.plain(),
            "scenario_name": self.names.name,
            "strip": self.table.columns_state(),
            "sort": [[key.column, key.descending] for key in choices.sort],
            **{name: sorted(getattr(choices, name)) for name in _SETS},
            **{name: getattr(choices, name) for name in (*_FLAGS, "filter", "baseline", "context_at_least")},
            **(self._page_state if self._page is None else self._page.state()),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned; missing or invalid values get their defaults."""
        self.scenario.set(choices_of(_dict(state.get("scenario"))))
        name = state.get("scenario_name")
        self.names.set_name(name if isinstance(name, str) else "")
        self.table.restore_columns(_dict(state.get("strip")))
        self.model.set_arrangement(arrangement_of(state))
        self._page_state = {key: state[key] for key in ModelsPage.KEYS if key in state}
        if self._page is not None:
            self._page.restore_state(self._page_state)

    def start(self, storage: Storage, book: ScenarioBook | None = None) -> None:
        """Enable chart, exports and named scenarios. ``storage`` has no other user. The service starts separately."""
        self.commands.use_storage(storage)
        self._started = True
        if self._page is not None:
            self._page.chart.start()
        if book is not None:
            self.names.start(book)

    @Slot()
    def show_scenario(self) -> ScenarioPopover:
        """Open the fields of the scenario."""
        self.summary.open()
        return self.popover

    @Slot()
    def find_cheapest(self) -> None:
        """Show the page Models sorted by cost, with exact counts only and the cheapest row selected."""
        self.model.change(exact_only=True, by_vendor=False, sort=(SortKey("total"),))
        self.page_asked.emit()
        # Favourites and the baseline are shown above it.
        priced = [(cost, row.model_id) for row in self.model.shown_rows() if (cost := usd_middle(row)) is not None]
        if priced:
            self.table.show_model(min(priced)[1])

    def focus_filter(self) -> None:
        """Focus the filter."""
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LocaleChange and hasattr(self, "foot"):
            self._show_currency()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._restore_bars()

    def _lay_out(self) -> None:
        self._icons = Icons(self._theme, self)
        self.expand = self._button("costExpand", "expand", self.tr("Show all columns and the chart (Cost › Models)"))
        self.fold = self._button("costFold", "down", "")
        self._top = row_of(self.expand, self.fold, margins=(16, 0, 8, 0), spacing=4)
        self._below = QWidget()
        self._body = column_of((self.table, 1), parent=self._below, spacing=4)
        self.status.note.setContentsMargins(16, 0, 16, 0)
        column_of(self._top, (self._below, 1), parent=self, margins=(0, 5, 0, 0), spacing=4)
        self._restore_bars()
        self.set_folded(False)

    def _button(self, name: str, icon: str, words: str) -> QToolButton:
        button = QToolButton(objectName=name, toolTip=words, accessibleName=words)
        button.setIcon(self._icons.icon(icon))
        button.setProperty("kind", "icon")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    @Slot(bool)
    def set_folded(self, folded: bool) -> None:
        """Fold the strip to its bar, or unfold it."""
        self._folded = folded
        self._below.setVisible(not folded)
        words = self.tr("Show the costs") if folded else self.tr("Collapse the cost table")
        self.fold.setIcon(self._icons.icon("up" if folded else "down"))
        self.fold.setToolTip(words)
        self.fold.setAccessibleName(words)

    @Slot()
    def _on_fold(self) -> None:
        self.fold_asked.emit(not self._folded)

    def _restore_bars(self) -> None:
        """Put the bar and the foot back into the strip."""
        if self.tools.parent() is not self:
            self.tools.move_to(self._top, 1)
            self._body.insertWidget(0, self.status.note)
            self._body.addWidget(self.foot)
            for before, after in pairwise((*self.tools.controls(), self.expand, self.fold, self.table)):
                self.setTabOrder(before, after)

    @Slot()
    def _move_bars_to_page(self) -> None:
        """Move the bar and the foot to the page."""
        self.page.take_bars(self.tools, self.foot)

    def _connect(self) -> None:
        service = self._service
        self.model.follow(service)
        service.prices_problem.connect(self._on_prices_problem)
        service.prices_reloaded.connect(self._on_prices_reloaded)
        service.starting.connect(self._on_scenario)
        service.prices_changed.connect(self._on_prices_changed)
        self.scenario.changed.connect(self._on_scenario)
        self.expand.clicked.connect(self.page_asked)
        self.fold.clicked.connect(self._on_fold)
        self.popover.save_as.clicked.connect(self._on_save_as)
        self.popover.reset_button.clicked.connect(self._on_reset)
        self.summary.toggled.connect(self._show_costs)
        self.names.name_changed.connect(self.state_changed)
        self.model.arranged.connect(self._on_arranged)
        self.model.current_changed.connect(self._show_costs)
        self.table.layout_changed.connect(self.state_changed)
        service.hour_passed.connect(self.scenario.follow_day)

    @Slot()
    def _on_scenario(self) -> None:
        choices = self.scenario.choices
        self._show_currency()
        self.model.set_plan(self.scenario.budget, choices.calls_a_day)
        self.status.refresh()
        # Nothing is priced before the start, so the types of ``pricing`` need not be imported yet.
        if self._service.started:
            self._service.set_scenario(self.scenario.scenario(), self.scenario.mix())
        self.state_changed.emit()

    @Slot()
    def _on_prices_changed(self) -> None:
        self._show_currency()
        self.popover.set_currencies(self._service.exchange_rates)

    @Slot()
    def _on_reset(self) -> None:
        self.names.set_name("")

    @Slot()
    def _on_save_as(self) -> None:
        self.popover.reject()
        self.names.ask_name()

    def _show_currency(self) -> None:
        """Show amounts in the chosen currency, or in dollars if the price file has no rate for it."""
        code = self.scenario.choices.currency
        usd = self._service.exchange_rates.get(code)
        self.status.requested_currency = code
        currency = Currency() if usd is None else Currency(code, usd)
        shown = self.model.view.text
        if currency != shown.currency or shown.locale != self.locale():
            self.model.set_text(CostText(self.locale(), currency))

    @Slot()
    def _show_costs(self) -> None:
        """Show the cost of the scenario in the popover while it is open."""
        if not self.summary.isChecked():
            return
        view = self.model.view
        words = break_even_words(self.model.shown_rows(), view)
        self.popover.break_even.setText(words)
        self.popover.break_even.setVisible(bool(words))
        row = next((row for row in self.model.rows if row.model_id == view.current), None)
        if row is None:
            self.popover.set_costs("", (), ())
            return
        amounts = (drawn_amount(usd_ends(row, view, name), view) for name in ("usd", "usd_calls"))
        self.popover.set_costs(row.model.name, *amounts)

    @Slot()
    def _on_arranged(self) -> None:
        self.status.refresh()
        self._show_costs()
        if self._choices is not self.model.arrangement:
            self._choices = self.model.arrangement
            self.state_changed.emit()

    @Slot()
    def _on_prices_reloaded(self) -> None:
        """Show notices on the user's file only when it was edited, not at each start."""
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


# --- controller -------------------------------------------------------------------------------------------------------

MODELS_PAGE = "modelsPage"
REFRESH_MS = 100
LAST_GOOD_PRICES = "prices-last-good.yaml"


class CostController(QObject):
    """Controller of the cost table. Created after the first paint of the window, with the worker threads.

    Signals: ``reference_changed()`` when another reference model was chosen.
    """

    reference_changed = Signal()

    def __init__(self, context: AppContext, state: dict[str, Any], model_id: str = "") -> None:
        """``state``: state of the cost panel; ``model_id``: reference model of the last session."""
        super().__init__(context.pages)
        self._context = context
        self.reference = ReferenceModel(model_id)
        self._picker = context.window.header.models
        self._prompt = context.prompt
        paths = context.paths
        self.service = service = CostService(
            paths.prices_file,
            paths.data / LAST_GOOD_PRICES,
            parent=self,
            user_encodings=context.encodings.user.names,
        )
        self.panel = panel = CostPanel(service, context.theme, context.notifier, our_version(), context.window)
        keeping = Storage(context.jobs, self.tr("Saving scenarios"), self)
        book = ScenarioBook(paths.scenarios_file, keeping, self)
        panel.start(Storage(context.jobs, self.tr("Exporting"), self), book)
        context.session.restore("scenario", panel.restore_state, state)
        panel.table.setCornerWidget(plain_corner(panel.table))
        service.encodings_changed.connect(self._prompt.watch)
        service.failed.connect(context.notifier.error)
        self.priced = PricedText(service, self._prompt, panel.status, self)
        panel.state_changed.connect(context.session.touch)
        service.prices_changed.connect(self._offer_models)
        self._picker.chosen.connect(self.choose_model)
        self._picker.priced = self._priced_models
        self._picker.star_clicked.connect(panel.commands.toggle_star)
        self._picker.add_asked.connect(self._on_add)
        self.reference_changed.connect(self._mark_model)
        self.reference_changed.connect(context.session.touch)
        self._picker.show_encoding(self._prompt.encoding)
        self._prompt.encoding_changed.connect(self._picker.show_encoding)
        self.inspector = inspector = Inspector(context.theme)
        self._refresh = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._connect_inspector(inspector)
        context.window.set_inspector(inspector)
        if MODELS_PAGE in context.window.pages.names:
            page = context.pages.page(MODELS_PAGE)
            context.pages.when_page_shown(MODELS_PAGE, (), partial(self._fill_page, page))
            panel.page_asked.connect(page.bring_to_front)
        actions = [*panel.commands.all_actions(), *self._panel_actions()]
        context.window.add_menu("tools", self.tr("Cost ta&ble"), actions)
        service.start(context.jobs)

    def _panel_actions(self) -> list[QAction]:
        """Return actions for the buttons of the panel, for the menu and the command palette."""
        panel, made = self.panel, []
        for name, text, tip, act in (
            ("costChart", self.tr("Show or hide the chart"), self.tr("Show a chart of the totals"), self._toggle_chart),
            ("costResetColumns", self.tr("Reset the columns"), "", self._reset_columns),
            (
                "costFindCheapest",
                self.tr("Show the cheapes&t exact model"),
                self.tr("List exactly counted models by cost per call"),
                panel.find_cheapest,
            ),
            ("costScenario", self.tr("Change the scenario…"), panel.summary.toolTip(), panel.show_scenario),
        ):
            action = QAction(text, self, objectName=name)
            action.setStatusTip(tip)
            if name != "costChart":
                action.triggered.connect(self.show_costs)
            action.triggered.connect(act)
            made.append(action)
        for action in panel.names.actions():
            action.triggered.connect(self.show_costs)
        return [*made, *panel.names.actions()]

    def place_strip(self, splitter: StripSplitter) -> None:
        """Add the cost strip below the prompt."""
        splitter.set_strip(self.panel)
        self.panel.set_folded(splitter.folded)
        self.panel.fold_asked.connect(splitter.fold)
        splitter.folded_changed.connect(self.panel.set_folded)

    @Slot()
    def show_costs(self) -> None:
        """Show a cost table: the page Models if the strip is not on the current page."""
        if not self.panel.tools.isVisible():
            self._context.pages.page(MODELS_PAGE).bring_to_front()

    def _fill_page(self, page: Page) -> None:
        """Fill the page Models with the full view."""
        view = self.panel.page
        if view.parent() is not page:
            view.table.setCornerWidget(plain_corner(view.table))
            page.fill(view)
            page.focus_first(self.panel.filter)
            view.show()

    @Slot()
    def _toggle_chart(self) -> None:
        self._context.pages.page(MODELS_PAGE).bring_to_front()
        self.panel.page.chart_button.toggle()

    @Slot()
    def _reset_columns(self) -> None:
        self.panel.commands.front.reset_columns()

    # --- inspector ----------------------------------------------------------------------------------------------------

    def _connect_inspector(self, inspector: Inspector) -> None:
        """Connect the inspector, which is updated at most every tenth of a second and only while visible."""
        panel, bill = self.panel, inspector.bill
        self._refresh.timeout.connect(self._show_inspected)
        for change in (
            *(inspector.seen, panel.table.current_model_changed, panel.model.arranged, panel.model.current_changed),
            *(self._prompt.editor.caret_token_changed, self._prompt.counted),
        ):
            change.connect(self._refresh_soon)
        panel.commands.explain.triggered.connect(self._on_explain)
        bill.use_asked.connect(self._on_use)
        bill.prices_asked.connect(panel.commands.edit_asked)
        bill.calibrate_asked.connect(self._context.pages.calibration_asked)
        inspector.token.entry_asked.connect(self._on_entry)

    @Slot()
    def _refresh_soon(self) -> None:
        if self.inspector.isVisible() and not self._refresh.isActive():
            self._refresh.start()

    @Slot()
    def _show_inspected(self) -> None:
        """Show the token at the caret, and the bill of the selected model, else of the reference model."""
        model, editor = self.panel.model, self._context.prompt.editor
        row = self.panel.table.current_row() or self.reference_row()
        self.inspector.bill.show_row(row, model.view if row is not None else None)
        span = editor.token_at(editor.caret_offset())
        line, column = map(model.view.text.number, (editor.caret_line, editor.caret_column))
        position = self.tr("Line {line}, column {column}").format(line=line, column=column)
        # Not the editor's count, which takes milliseconds in a large text; this one may be an edit behind the caret.
        counted = 0 if self._prompt.counts is None else self._prompt.counts.tokens
        total = counted if span is None else max(counted, span.index + 1)
        self.inspector.token.show_token(span, self._prompt.token_info(span), total, position)

    @Slot()
    def _on_explain(self) -> None:
        self._context.window.actions_by_name["inspector"].setChecked(True)

    @Slot(str)
    def _on_use(self, model_id: str) -> None:
        self.choose_model(model_id)
        self._offer_models()

    @Slot(int)
    def _on_entry(self, token_id: int) -> None:
        vocabulary = self._context.pages.vocabulary
        if vocabulary is not None:
            vocabulary.show_token(self._prompt.encoding, token_id)

    # --- reference model ----------------------------------------------------------------------------------------------

    @Slot()
    def _mark_model(self) -> None:
        model = self.reference_model()
        self.panel.model.set_current(model.id if model is not None else "")

    def reference_row(self) -> CostRow | None:
        """Return the row of the reference model, whatever the table's order and filter."""
        return self.reference.row(self.panel.model.rows)

    def reference_model(self) -> Model | None:
        """Return the reference model; None before the prices are loaded."""
        return self.reference.of(self.service.models)

    @Slot(str)
    def choose_model(self, model_id: str) -> None:
        """Choose the reference model, and show the tokens of its encoding if that is known."""
        if model_id == self.reference.chosen:
            return
        self.reference.chosen = model_id
        self._picker.show_current(model_id)
        model = self.reference_model()
        if model is not None and model.count.tokenizer and model.count.label == "exact":
            self._prompt.set_encoding(model.count.tokenizer)
        self.reference_changed.emit()

    def _priced_models(self) -> dict[str, Priced]:
        """Return the details of each model for the picker."""

        view, total = self.panel.model.view, COLUMNS[COLUMN_INDEX["total"]]
        return {
            row.model_id: Priced(
                drawn_runs(total, row, view),
                QUALITIES.get(row.estimate.usd_label or row.estimate.label or "", ""),
                view.text.label(row.estimate.usd_label or row.estimate.label or ""),
                row.model_id in view.favourites,
            )
            for row in self.panel.model.rows
        }

    @Slot()
    def _on_add(self) -> None:
        self._context.pages.go_to("pricingTab")

    @Slot()
    def _offer_models(self) -> None:
        current, today = self.reference_model(), self.service.today
        offered = [
            model
            for model in self.service.models
            if model is current or not (model.vendor == OWN_VENDOR or model.only_reads or model.is_retired(today))
        ]
        self._picker.fill(offered, current.id if current is not None else NO_MODEL)
        self.reference_changed.emit()
