"""Pricing of the prompt with every model: holds prices, counts and scenario, and prices them in a job lane.

The functions before ``CostService`` run in job lanes. Some of them price other token counts: those of a changed prompt,
with one model (``PricedModel``) or with every model (``cost_changes``).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from math import ceil
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from gui.core.model_counts import Narrowing
from gui.costs.prices_service import LoadedPrices, LoadRequest, load_prices
from gui.costs.rows import CostRow

if TYPE_CHECKING:
    from engine.text.kinds import TextSample
    from gui.core.model_counts import RequestTokens
    from gui.costs.models_page import CostStatus
    from gui.prompt.chat.service import RequestReply
    from gui.prompt.counting_service import PromptCounts
    from gui.prompt.prompt import Prompt
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Lane, Ticket
    from pricing.calibration import Sample
    from pricing.rates import RateCards
    from pricing.types import CallMix, CostEstimate, Model, Problem, Scenario, TokenCount


MINUTES, HOUR = 5, 60
"""Lifetimes of a cached prompt, in minutes: the usual one, and the one at the higher price."""
DAYS = 30
"""Days of a month of calls."""


def calls_of_a_month(per_day: int) -> int:
    """Return the calls in thirty days."""
    from pricing.scenarios import calls_per_month

    return calls_per_month(per_day, DAYS)


def expected_hit_percent(per_day: int, for_an_hour: bool) -> Decimal:
    """Return the expected percentage of calls, at random times, that arrive within the cache lifetime of the one
    before.

    Rounded to one decimal.
    """
    from pricing.scenarios import expected_hit_rate

    share = expected_hit_rate(per_day, HOUR if for_an_hour else MINUTES)
    return (share * 100).quantize(Decimal("0.1"), ROUND_HALF_EVEN)


# --- pricing every model ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PriceRequest:
    """Request to price models with tokens by encoding in a scenario.

    ``revision`` is that of the counted text. ``counts`` may hold figures of an earlier text for the encodings in
    ``pending``, which are still being counted. ``mix`` defines how calls differ, None if they do not. ``cards`` caches
    looked-up prices for the next request with the same models; requests that share it run one at a time. ``samples``:
    billed usage of the user; ``sample``: part of the text, to detect its kinds, None if the models count as for any
    text. ``request``: priced instead of the counts. ``narrowing`` likewise caches calibrated models.
    """

    revision: int
    models: tuple[Model, ...]
    counts: Mapping[str, int]
    pending: frozenset[str]
    scenario: Scenario
    mix: CallMix | None = None
    cards: RateCards | None = None
    samples: tuple[Sample, ...] = ()
    sample: TextSample | None = None
    request: RequestTokens | None = None
    narrowing: Narrowing | None = None


def new_cards() -> RateCards:
    """Return an empty cache of looked-up prices; each set of models needs its own."""
    from pricing.rates import RateCards

    return RateCards()


def price_rows(request: PriceRequest, ticket: Ticket | None = None) -> tuple[CostRow, ...]:
    """Return a row for each model, in the order of the models."""
    from pricing import count_for, estimate

    def yield_to_gui() -> None:
        if ticket is not None:
            ticket.yield_to_gui()

    cards = request.cards or new_cards()
    mix = None if request.mix is None or request.mix.is_plain else request.mix
    asked = request.scenario
    if mix is not None and mix.hit_rate is not None:
        asked = replace(asked, cache_write_tokens=0, cache_write_1h_tokens=0)
    rows = []
    yield_to_gui()
    for model, calibrated in (request.narrowing or Narrowing()).of(request.models, request.sample, request.samples):
        yield_to_gui()
        count = request.request.count(model) if request.request is not None else count_for(model, request.counts)
        pending = model.count.tokenizer in request.pending
        rates, other = cards.listed(model.price, request.scenario)
        if mix is not None and count is not None:
            row = _mixed_row(model, count, asked, mix, cards)
            rows.append(replace(row, pending=pending, rates=rates, off_peak_rates=other, calibrated=calibrated))
            continue
        scenario, cut = fitting(request.scenario, count)
        cost = estimate(model, count, scenario, cards)
        rows.append(CostRow(model, cost, pending, cut, rates, other, calibrated=calibrated))
    return tuple(rows)


def _mixed_row(model: Model, count: TokenCount, asked: Scenario, mix: CallMix, cards: RateCards) -> CostRow:
    """Return the row of a model whose calls differ, with their average cost."""
    from pricing.scenarios import mixed_cost

    scenario, cut = fitting(asked, count)
    mixed = mixed_cost(model, count, scenario, mix, cards)
    return CostRow(model, mixed.average, cached_cut=cut, mixed=mixed)


def fitting(scenario: Scenario, count: TokenCount | None) -> tuple[Scenario, bool]:
    """Return ``scenario`` limited to what a prompt of this size can hold in the cache, and True if it was limited.

    A number of cached tokens above the length of a short prompt means that all of it is cached.
    """
    written = scenario.cache_write_tokens or scenario.cache_write_1h_tokens
    if count is None or not (written or scenario.cached_tokens or scenario.cached_share):
        return scenario, False
    from pricing.estimation import cached_tokens

    left = count.tokens
    requested = (cached_tokens(left, scenario), scenario.cache_write_tokens, scenario.cache_write_1h_tokens)
    if sum(requested) <= left:
        return scenario, False
    taken = []
    for tokens in requested:
        taken.append(min(tokens, left))
        left -= taken[-1]
    cached = None if scenario.cached_tokens is None else taken[0]
    return replace(scenario, cached_tokens=cached, cache_write_tokens=taken[1], cache_write_1h_tokens=taken[2]), True


# --- change of cost ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Money:
    """Amount in US dollars, with the ends of its range; None if a price or the count is unknown. ``label`` is its
    quality."""

    usd: Decimal | None
    low: Decimal | None
    high: Decimal | None
    label: str | None

    def share(self, part: int, whole: int) -> Money:
        """Return the fraction ``part / whole`` of it."""
        times = Decimal(part) / Decimal(whole)
        return Money(*(None if usd is None else usd * times for usd in (self.usd, self.low, self.high)), self.label)


Ends = tuple[Decimal | None, Decimal | None, Decimal | None]
"""Amount, and the ends of its range."""


def _usd(estimate: CostEstimate) -> Ends:
    return estimate.usd, estimate.usd_low, estimate.usd_high


def _usd_calls(estimate: CostEstimate) -> Ends:
    return estimate.usd_calls, estimate.usd_calls_low, estimate.usd_calls_high


def difference(label: str | None, one: Ends, other: Ends) -> Money:
    """Return ``one`` minus ``other``, both of one model. Their ranges have one cause, so low ends are paired."""
    usd, *ends = (None if a is None or b is None else a - b for a, b in zip(one, other, strict=True))
    known = [end for end in ends if end is not None]
    return Money(usd, min(known), max(known), label) if len(known) == len(ends) else Money(usd, None, None, label)


@dataclass(frozen=True, slots=True)
class PricedModel:
    """Model and scenario that amounts are calculated with; ``mix``: how its calls differ."""

    model: Model
    scenario: Scenario
    mix: CallMix | None = None

    def month(self, encoding: str, tokens: int) -> CostEstimate:
        """Return the cost of prompts of ``tokens`` tokens in ``encoding``; unknown if the model counts in another."""
        request = PriceRequest(0, (self.model,), {encoding: tokens}, frozenset(), self.scenario, self.mix)
        return price_rows(request)[0].estimate

    def saving(self, encoding: str, tokens_before: int, tokens_after: int) -> Money:
        """Return the savings per month from ``tokens_before`` to ``tokens_after``; negative if the cost rises."""
        before, after = self.month(encoding, tokens_before), self.month(encoding, tokens_after)
        return difference(before.usd_label, _usd_calls(before), _usd_calls(after))

    def prompt(self, encoding: str, tokens: int) -> Money:
        """Return the cost of the prompt alone per month, without the answer."""
        month = self.month(encoding, tokens)
        ends = (month.input_usd, month.input_usd_low, month.input_usd_high)
        return Money(*(None if usd is None else usd * month.calls for usd in ends), month.usd_label)


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """Tokens of both texts by encoding, and the other inputs of the cost."""

    models: tuple[Model, ...]
    before: Mapping[str, int]
    after: Mapping[str, int]
    scenario: Scenario
    mix: CallMix | None


@dataclass(frozen=True, slots=True)
class CostChange:
    """Cost of one call with a model before and after. ``change`` is per call, ``calls_change`` for all calls; ``share``
    is relative to the cost before, None if that is unknown or zero."""

    model: Model
    before: CostEstimate
    after: CostEstimate
    change: Money
    calls_change: Money

    @property
    def share(self) -> Decimal | None:
        """Relative change: 0.1 for a tenth more."""
        if self.change.usd is None or not self.before.usd:
            return None
        return self.change.usd / self.before.usd


def cost_changes(request: ChangeRequest, _ticket: Ticket | None = None) -> tuple[CostChange, ...]:
    """Return a change for each model, in their order."""
    before, after = (
        price_rows(PriceRequest(0, request.models, counts, frozenset(), request.scenario, request.mix))
        for counts in (request.before, request.after)
    )
    return tuple(
        CostChange(
            row.model,
            old := row.estimate,
            new := changed.estimate,
            difference(old.usd_label, _usd(new), _usd(old)),
            difference(old.usd_label, _usd_calls(new), _usd_calls(old)),
        )
        for row, changed in zip(before, after, strict=True)
    )


# --- the service ------------------------------------------------------------------------------------------------------

PRICE_DELAY_MS = 60
"""Time within which counts (while typing) are priced together, in milliseconds: a table is not read at each key."""
MAX_DELAY_MS = 500
"""Maximum time that successive counts can delay pricing, in milliseconds."""

ARRIVING_DELAY_MS, MAX_ARRIVING_DELAY_MS = 300, 1000
"""Like the two above, for a big text that is still being counted: its figures are not final, and the window is busy."""

STALE_AFTER_MS, STALE_ARRIVING_MS = MAX_DELAY_MS + 200, MAX_ARRIVING_DELAY_MS + 200
"""Time that an edit may go unpriced before figures are marked as stale, in milliseconds; the second while counts are
pending. Longer than pricing can be delayed, or holding a key would dim and undim the whole table again and again."""

SAMPLE_SECONDS = 0.05
"""Time within which edits share one timestamp, in seconds."""

LONGEST_WAIT_MS = 600_000
"""Maximum time between two checks of the clock, in milliseconds: timers stop during sleep, and clocks are adjusted."""


def utc_now() -> datetime:
    """Return the current time in UTC, with its time zone."""
    return datetime.now(UTC)


class CostService(QObject):
    """Service that turns prices, counts and a scenario into rows of the cost table.

    Before ``start``, which follows the first paint of the window, it only stores its inputs.

    Signals:

    ``estimated(tuple[CostRow])``: new rows, one for each model, in the order of the price table.
    ``stale_changed(bool)``: True if the rows belong to an earlier text.
    ``prices_problem(tuple[Problem])``: all errors in the user's price file; empty when it is fixed.
    ``prices_reloaded()``: the user's file was read again and is valid.
    ``prices_changed()``: other prices are in effect.
    ``encodings_changed(tuple[str])``: the encodings to count in.
    ``failed(str)``: a sentence for the user.
    ``starting()``: a scenario is needed now if none was set.
    ``hour_passed()``: prices may have changed, because peak hours began or ended or a new day began.
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
        user_encodings: Callable[[], Sequence[str]] = tuple,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        """``user_encodings``: as in ``LoadRequest``; called on a worker thread."""
        super().__init__(parent)
        self._user_encodings = user_encodings
        self._good_copy, self._today, self._now = good_copy, today, now
        self.prices_file = prices_file
        """User's price file, which may not exist."""
        self.models: tuple[Model, ...] = ()
        """Models whose prices are in effect; empty before they are loaded."""
        self._loaded = LoadedPrices(None)
        self.prices_hash = ""
        """SHA-256 of the user's price file in effect; "" if only bundled prices are."""
        self.exchange_rates: Mapping[str, Decimal] = {}
        """Price of one unit of other currencies in US dollars, from the user's price file in effect."""
        self._quiet = False
        self.scenario: Scenario | None = None
        """Scenario; None until it is set."""
        self.mix: CallMix | None = None
        """Differences between the calls of the scenario; None if they are all the same."""
        self._cards: RateCards | None = None
        self._counts: dict[str, int] = {}
        self._pending: frozenset[str] = frozenset()
        self._samples: tuple[Sample, ...] = ()
        self._narrowing = Narrowing()
        self.prompt: PromptCounts | None = None
        """Newest counts."""
        self._request: RequestTokens | None = None
        self._counted_revision = -1
        self.priced_revision = -1
        self._unpriced: deque[tuple[int, float]] = deque()
        self.stale = False
        """True if the rows belong to an earlier text."""
        self.rows: tuple[CostRow, ...] = ()
        """Newest rows."""
        self._loading: Lane | None = None
        self._pricing: Lane | None = None
        self._delay = QTimer(self, singleShot=True)
        self._delay.timeout.connect(self._price)
        self._waiting_since = 0.0
        self._stale_timer = QTimer(self, singleShot=True)
        self._stale_timer.timeout.connect(self._watch_age)
        self._priced_at = now()
        self._boundary: datetime | None = None
        self._clock = QTimer(self, singleShot=True)
        self._clock.timeout.connect(self.look_at_clock)

    @property
    def started(self) -> bool:
        """True if prices are loaded or being loaded."""
        return self._loading is not None

    def start(self, runner: JobRunner) -> None:
        """Load the prices, then price the counts known so far."""
        self._loading = runner.conflated(self.tr("Loading prices"), load_prices)
        self._loading.finished.connect(self._on_loaded)
        self._loading.failed.connect(self._on_failed)
        self._pricing = runner.conflated(self.tr("Pricing"), price_rows)
        self._pricing.finished.connect(self._on_priced)
        self._pricing.failed.connect(self._on_failed)
        self.starting.emit()
        self.reload_prices()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Errors in the user's price file when it was last read."""
        return self._loaded.problems

    @property
    def instead(self) -> str:
        """Prices used instead of a broken price file: a constant of ``prices_service``; "" if there is no error."""
        return self._loaded.instead

    @property
    def notices(self) -> tuple[str, ...]:
        """Notices on a valid price file; none is an error."""
        return self._loaded.notices

    @property
    def today(self) -> date:
        """Today's date."""
        return self._today()

    @Slot()
    def look_at_clock(self) -> None:
        """Reprice if peak hours began or ended or a new day began; then wait for the next such time."""
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
        """Return the next time when a price changes with the hour, or the local day ends."""
        midnight = datetime.combine(now.astimezone().date() + timedelta(days=1), time()).astimezone()
        hours = {model.price.off_peak for model in self.models if model.price.off_peak is not None}
        return min([midnight, *(switch for one in hours if (switch := one.next_switch(now)) is not None)])

    def encodings_needed(self) -> list[str]:
        """Return the encodings that the models are counted with, in alphabetical order."""
        return sorted({model.count.tokenizer for model in self.models if model.count.tokenizer})

    def reload_prices(self, *, quiet: bool = False) -> None:
        """Read the prices again, after the user's file changed. A broken file changes no price.

        ``quiet``: the user did not request it, so ``prices_reloaded`` is not emitted.
        """
        if self._loading is not None:
            self._quiet = quiet
            request = LoadRequest(self.prices_file, self._good_copy, bool(self.models), self._user_encodings)
            self._loading.submit(request)

    def set_scenario(self, scenario: Scenario, mix: CallMix | None = None) -> None:
        """Price for another scenario, in which calls differ as defined by ``mix`` (None: not at all)."""
        if (scenario, mix) != (self.scenario, self.mix):
            self.scenario, self.mix = scenario, mix
            self._price()

    def set_samples(self, samples: tuple[Sample, ...]) -> None:
        """Calibrate counts with these billed samples."""
        self._samples = samples
        self._price()

    @Slot(int)
    def text_changed(self, revision: int) -> None:
        """Mark the counts as outdated, since the text was edited."""
        now = monotonic()
        if self._unpriced and now - self._unpriced[-1][1] < SAMPLE_SECONDS:
            self._unpriced[-1] = (revision, self._unpriced[-1][1])
        else:
            self._unpriced.append((revision, now))
        if not self._stale_timer.isActive() and not self.stale:
            self._stale_timer.start(self._stale_after())

    @Slot(object)
    def set_counts(self, counts: PromptCounts, request: RequestTokens | None = None) -> None:
        """Price new counts soon. Encodings still being counted keep their previous figure, marked as pending.

        ``request``: the request that the counts belong to, if it is not a plain text.
        """
        self.prompt, self._request = counts, request
        self._counted_revision = counts.revision
        fresh = {name: tokens for name, tokens in counts.by_encoding.items() if tokens is not None}
        fresh[counts.encoding] = counts.tokens
        self._counts = {**self._counts, **fresh}
        self._pending = frozenset(name for name, tokens in counts.by_encoding.items() if tokens is None) - fresh.keys()
        now = monotonic()
        if not self._delay.isActive():
            self._waiting_since = now
        delay, most = PRICE_DELAY_MS, MAX_DELAY_MS
        if self._pending:
            delay, most = ARRIVING_DELAY_MS, MAX_ARRIVING_DELAY_MS
        left = most - round((now - self._waiting_since) * 1000)
        self._delay.start(max(0, min(delay, left)))

    @Slot()
    def _price(self) -> None:
        self._delay.stop()
        scenario = self.scenario
        if self.models and self._pricing is not None and scenario is not None:
            if scenario.now is not None:
                scenario = replace(scenario, now=self._priced_at)
            self._pricing.submit(
                PriceRequest(
                    self._counted_revision,
                    self.models,
                    dict(self._counts),
                    self._pending_now(),
                    scenario,
                    self.mix,
                    self._cards,
                    self._samples,
                    self.prompt.sample if self.prompt is not None else None,
                    self._request,
                    self._narrowing,
                )
            )

    def _pending_now(self) -> frozenset[str]:
        """Return the encodings whose figures are pending; before the first count, all but the unavailable ones."""
        unavailable = set(self.prompt.unavailable) if self.prompt is not None else set()
        never = set(self.encodings_needed()) - self._counts.keys() - unavailable
        return self._pending | never

    @Slot(object)
    def _on_priced(self, result: JobResult) -> None:
        request: PriceRequest = result.request
        if request.models is not self.models:
            return
        self.rows, self.priced_revision = result.value, request.revision
        while self._unpriced and self._unpriced[0][0] <= request.revision:
            self._unpriced.popleft()
        self.estimated.emit(self.rows)
        self._watch_age()

    @Slot(object)
    def _on_loaded(self, result: JobResult) -> None:
        loaded: LoadedPrices = result.value
        had_problems = bool(self._loaded.problems)
        self._loaded = loaded
        if loaded.models is not None:
            again, needed = bool(self.models), self.encodings_needed()
            self.models, self.prices_hash = loaded.models, loaded.file_hash
            self.exchange_rates = loaded.exchange_rates
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

    def _stale_after(self) -> int:
        return STALE_ARRIVING_MS if self._pending else STALE_AFTER_MS

    @Slot()
    def _watch_age(self) -> None:
        """Mark the rows as stale by the age of the oldest unpriced edit, and check again when it has aged."""
        waited = (monotonic() - self._unpriced[0][1]) * 1000 if self._unpriced else 0.0
        stale_after = self._stale_after()
        stale = bool(self._unpriced) and waited >= stale_after
        if self._unpriced and not stale:
            self._stale_timer.start(max(1, int(stale_after - waited)))
        if stale != self.stale:
            self.stale = stale
            self.stale_changed.emit(stale)


class PricedText(QObject):
    """Switch between prompt and request: passes the counts of either to the cost service, and labels the table."""

    def __init__(self, service: CostService, prompt: Prompt, status: CostStatus, parent: QObject) -> None:
        super().__init__(parent)
        self._service, self._status = service, status
        self._of_request = False
        self._prompt_counts: PromptCounts | None = None
        prompt.counted.connect(self._on_prompt)
        prompt.editor.edited.connect(self._on_edit)
        prompt.editor.text_replaced.connect(self._on_edit)

    @property
    def is_of_request(self) -> bool:
        """True if the request is priced instead of the prompt."""
        return self._of_request

    @Slot(bool)
    def price_request(self, on: bool) -> None:
        """Price the request from its next count on, or the prompt again."""
        self._of_request = on
        self._status.set_of_request(on)
        if not on and self._prompt_counts is not None:
            self._service.set_counts(self._prompt_counts)

    @Slot(object)
    def set_request(self, reply: RequestReply) -> None:
        """Set the counts of a request."""
        counts = self._prompt_counts
        if self._of_request and counts is not None and reply.tally is not None and reply.tallies:
            of_request = replace(
                counts,
                encoding=reply.draft.encoding,
                tokens=reply.tally.tokens,
                by_encoding={encoding: tally.tokens for (_, encoding), tally in reply.tallies.items()},
                sample=None,  # belongs to the prompt
            )
            self._service.set_counts(of_request, reply.for_models())

    @Slot(object)
    def _on_prompt(self, counts: PromptCounts) -> None:
        self._prompt_counts = counts
        if not self._of_request:
            self._service.set_counts(counts)

    @Slot(int)
    def _on_edit(self, revision: int) -> None:
        if not self._of_request:
            self._service.text_changed(revision)
