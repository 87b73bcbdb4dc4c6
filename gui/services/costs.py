"""What the prompt costs at every model: keeps prices, counts and scenario together and prices them in a lane."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from math import ceil
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from gui.core.narrowing import Narrowing
from gui.models.cost_row import CostRow
from gui.services.cost_rows import PriceRequest, new_cards, price_rows
from gui.services.price_files import LoadedPrices, LoadRequest, load_prices

if TYPE_CHECKING:
    from gui.core.request_tokens import RequestTokens
    from gui.prompt.counting_service import PromptCounts
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Lane
    from pricing.calibration import Sample
    from pricing.rates import RateCards
    from pricing.types import CallMix, Model, Problem, Scenario

PRICE_DELAY_MS = 60
"""Counts that come faster than this (someone types) are priced together: nobody reads a table at each key."""

MOST_DELAY_MS = 500
"""How long counts that keep coming can put off the prices."""

ARRIVING_DELAY_MS, MOST_ARRIVING_DELAY_MS = 300, 1000
"""The same two while a big text is still being counted: its figures are not final, and the window has enough to do."""

STALE_AFTER_MS = 250
"""Figures are marked as stale when an edit has gone unpriced for this long; before that a mark would only flicker."""

SAMPLE_SECONDS = 0.05
"""Edits closer together than this share one note of when they were made."""

LONGEST_WAIT_MS = 600_000
"""Longest time between two looks at the clock: timers stop while a computer sleeps, and clocks are adjusted."""


def utc_now() -> datetime:
    """Return the time, with its zone."""
    return datetime.now(UTC)


class CostService(QObject):
    """Prices, counts and scenario in; rows of the cost table out.

    Before ``start``, which follows the first picture of the window, it only remembers what it is told.

    Signals:

    ``estimated(tuple[CostRow])``: new rows, one for each model, in the order of the price table.
    ``stale_changed(bool)``: whether the rows belong to an earlier text.
    ``prices_problem(tuple[Problem])``: mistakes in the user's price file, all of them; empty when it is mended.
    ``prices_reloaded()``: the user's file was read again and is good.
    ``prices_changed()``: other prices are in force. ``encodings_changed(tuple[str])``: what has to be counted.
    ``failed(str)``: a sentence for the user. ``starting()``: now the scenario is wanted, if nobody gave one.
    ``hour_passed()``: another price may hold from now on, as peak hours began or ended, or another day has begun.
    """

    starting = Signal()
    estimated = Signal(object)
    stale_changed = Signal(bool)
    prices_problem = Signal(object)
    prices_reloaded = Signal()
    prices_changed = Signal()
    encodings_changed = Signal(object)
    failed = Signal(str)
    hour_passed = Signal()

    def __init__(
        self,
        prices_file: Path | None = None,
        good_copy: Path | None = None,
        today: Callable[[], date] = date.today,
        parent: QObject | None = None,
        own_encodings: Callable[[], Sequence[str]] = tuple,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        """``own_encodings``: as in ``LoadRequest``; called on a worker thread."""
        super().__init__(parent)
        self._own_encodings = own_encodings
        self._file, self._good_copy, self._today, self._now = prices_file, good_copy, today, now
        self._models: tuple[Model, ...] = ()
        self._loaded = LoadedPrices(None)
        self._in_force_hash = ""
        self._exchange_rates: Mapping[str, Decimal] = {}
        self._quiet = False
        self._scenario: Scenario | None = None
        self._mix: CallMix | None = None
        self._cards: RateCards | None = None
        self._counts: dict[str, int] = {}
        self._pending: frozenset[str] = frozenset()
        self._samples: tuple[Sample, ...] = ()
        self._narrowing = Narrowing()
        self._prompt: PromptCounts | None = None
        self._request: RequestTokens | None = None
        self._counted_revision = -1
        self._unpriced: deque[tuple[int, float]] = deque()
        self._stale = False
        self._rows: tuple[CostRow, ...] = ()
        self._loading: Lane | None = None
        self._pricing: Lane | None = None
        self._delay = QTimer(self, singleShot=True)
        self._delay.timeout.connect(self._price)
        self._waiting_since = 0.0
        self._stale_timer = QTimer(self, singleShot=True)
        self._stale_timer.timeout.connect(self._on_stale_timeout)
        self._priced_at = now()
        self._boundary: datetime | None = None
        self._clock = QTimer(self, singleShot=True)
        self._clock.timeout.connect(self.look_at_clock)

    @property
    def started(self) -> bool:
        """Whether prices are loaded or being loaded."""
        return self._loading is not None

    def start(self, runner: JobRunner) -> None:
        """Load the prices and price what is known by now."""
        self._loading = runner.conflated(self.tr("Loading prices"), load_prices)
        self._loading.finished.connect(self._on_loaded)
        self._loading.failed.connect(self._on_failed)
        self._pricing = runner.conflated(self.tr("Pricing"), price_rows)
        self._pricing.finished.connect(self._on_priced)
        self._pricing.failed.connect(self._on_failed)
        self.starting.emit()
        self.reload_prices()

    @property
    def models(self) -> tuple[Model, ...]:
        """The models whose prices are in force, empty before they are loaded."""
        return self._models

    @property
    def rows(self) -> tuple[CostRow, ...]:
        """The newest rows."""
        return self._rows

    @property
    def scenario(self) -> Scenario | None:
        """What is priced besides the prompt; None before anybody said it."""
        return self._scenario

    @property
    def mix(self) -> CallMix | None:
        """How the calls of the scenario differ, None where they do not."""
        return self._mix

    @property
    def stale(self) -> bool:
        """Whether the rows belong to an earlier text."""
        return self._stale

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The mistakes of the user's price file, as it was last read."""
        return self._loaded.problems

    @property
    def instead(self) -> str:
        """What is in force instead of a broken price file: a constant of ``price_files``, empty where all is well."""
        return self._loaded.instead

    @property
    def notices(self) -> tuple[str, ...]:
        """What the author of a valid price file should know; nothing is wrong."""
        return self._loaded.notices

    @property
    def prices_file(self) -> Path | None:
        """The user's price file, which need not exist."""
        return self._file

    @property
    def prices_hash(self) -> str:
        """SHA-256 of the user's price file in force, empty where only bundled prices are."""
        return self._in_force_hash

    @property
    def exchange_rates(self) -> Mapping[str, Decimal]:
        """What one unit of other currencies costs in US dollars, by the user's price file in force."""
        return self._exchange_rates

    @property
    def prompt(self) -> PromptCounts | None:
        """The newest counts."""
        return self._prompt

    @property
    def today(self) -> date:
        """The day it is."""
        return self._today()

    @Slot()
    def look_at_clock(self) -> None:
        """Reprice if peak hours began or ended or a new day began; then wait for the next such moment."""
        now, due = self._now(), self._boundary
        passed = due is not None and now >= due
        if passed or now < self._priced_at:
            self._priced_at = now
        if due is None or passed or now < due - timedelta(days=2):
            self._boundary = due = self._next_boundary(now)
        wait = (due - now).total_seconds() * 1000
        self._clock.start(max(1, min(ceil(wait), LONGEST_WAIT_MS)))
        if passed:
            self._price()
            self.hour_passed.emit()

    def _next_boundary(self, now: datetime) -> datetime:
        """Return when a price changes with the hour, or the day of this place ends."""
        midnight = datetime.combine(now.astimezone().date() + timedelta(days=1), time()).astimezone()
        hours = {model.price.off_peak for model in self._models if model.price.off_peak is not None}
        return min([midnight, *(switch for one in hours if (switch := one.next_switch(now)) is not None)])

    def encodings_needed(self) -> list[str]:
        """The encodings that the models are counted with, in alphabetical order."""
        return sorted({model.count.tokenizer for model in self._models if model.count.tokenizer})

    def reload_prices(self, *, quiet: bool = False) -> None:
        """Read the prices again, after the user's file changed. A broken file changes no price.

        ``quiet``: nobody asked for it, so ``prices_reloaded`` is not told.
        """
        if self._loading is not None:
            self._quiet = quiet
            request = LoadRequest(self._file, self._good_copy, bool(self._models), self._own_encodings)
            self._loading.submit(request)

    def set_scenario(self, scenario: Scenario, mix: CallMix | None = None) -> None:
        """Price for another scenario, in which calls differ as ``mix`` says (None: not at all)."""
        if (scenario, mix) != (self._scenario, self._mix):
            self._scenario, self._mix = scenario, mix
            self._price()

    def set_samples(self, samples: tuple[Sample, ...]) -> None:
        """Count as these samples of what was billed say."""
        self._samples = samples
        self._price()

    @Slot(int)
    def text_changed(self, revision: int) -> None:
        """The text was edited; its counts will come."""
        now = monotonic()
        if self._unpriced and now - self._unpriced[-1][1] < SAMPLE_SECONDS:
            self._unpriced[-1] = (revision, self._unpriced[-1][1])
        else:
            self._unpriced.append((revision, now))
        if not self._stale_timer.isActive() and not self._stale:
            self._stale_timer.start(STALE_AFTER_MS)

    @Slot(object)
    def set_counts(self, counts: PromptCounts, request: RequestTokens | None = None) -> None:
        """Price new counts, soon. Encodings still being counted keep their figure of before, marked as pending.

        ``request``: whose counts they are, where they are not of a plain text.
        """
        self._prompt, self._request = counts, request
        self._counted_revision = counts.revision
        fresh = {name: tokens for name, tokens in counts.by_encoding.items() if tokens is not None}
        fresh[counts.encoding] = counts.tokens
        self._counts = {**self._counts, **fresh}
        self._pending = frozenset(name for name, tokens in counts.by_encoding.items() if tokens is None) - fresh.keys()
        now = monotonic()
        if not self._delay.isActive():
            self._waiting_since = now
        delay, most = PRICE_DELAY_MS, MOST_DELAY_MS
        if self._pending:
            delay, most = ARRIVING_DELAY_MS, MOST_ARRIVING_DELAY_MS
        left = most - round((now - self._waiting_since) * 1000)
        self._delay.start(max(0, min(delay, left)))

    @Slot()
    def _price(self) -> None:
        self._delay.stop()
        scenario = self._scenario
        if self._models and self._pricing is not None and scenario is not None:
            if scenario.now is not None:
                scenario = replace(scenario, now=self._priced_at)
            self._pricing.submit(
                PriceRequest(
                    self._counted_revision,
                    self._models,
                    dict(self._counts),
                    self._pending_now(),
                    scenario,
                    self._mix,
                    self._cards,
                    self._samples,
                    self._prompt.sample if self._prompt is not None else None,
                    self._request,
                    self._narrowing,
                )
            )

    def _pending_now(self) -> frozenset[str]:
        """The encodings whose figure is still to come; before the first count, all of them but those of no use."""
        unavailable = set(self._prompt.unavailable) if self._prompt is not None else set()
        never = set(self.encodings_needed()) - self._counts.keys() - unavailable
        return self._pending | never

    @Slot(object)
    def _on_priced(self, result: JobResult) -> None:
        request: PriceRequest = result.request
        if request.models is not self._models:
            return
        self._rows = result.value
        while self._unpriced and self._unpriced[0][0] <= request.revision:
            self._unpriced.popleft()
        self.estimated.emit(self._rows)
        self._watch_age()

    @Slot(object)
    def _on_loaded(self, result: JobResult) -> None:
        loaded: LoadedPrices = result.value
        had_problems = bool(self._loaded.problems)
        self._loaded = loaded
        if loaded.models is not None:
            again, needed = bool(self._models), self.encodings_needed()
            self._models, self._in_force_hash = loaded.models, loaded.file_hash
            self._exchange_rates = loaded.exchange_rates
            self._cards = new_cards()
            self._boundary, self._priced_at = None, self._now()
            self.look_at_clock()
            self.prices_changed.emit()
            if self.encodings_needed() != needed:
                self.encodings_changed.emit(tuple(self.encodings_needed()))
            self._price()
            if again and not self._quiet:
                self.prices_reloaded.emit()
        if loaded.problems or had_problems:
            self.prices_problem.emit(loaded.problems)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.why)

    @Slot()
    def _on_stale_timeout(self) -> None:
        self._watch_age()

    def _watch_age(self) -> None:
        """Mark the rows by the age of the oldest edit that they do not know of, and look again when it has aged."""
        waited = (monotonic() - self._unpriced[0][1]) * 1000 if self._unpriced else 0.0
        stale = bool(self._unpriced) and waited >= STALE_AFTER_MS
        if self._unpriced and not stale:
            self._stale_timer.start(max(1, int(STALE_AFTER_MS - waited)))
        if stale != self._stale:
            self._stale = stale
            self.stale_changed.emit(stale)
