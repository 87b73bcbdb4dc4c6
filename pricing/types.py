"""Frozen facts and results of pricing. Importing this module costs nothing: no YAML, no data.

Money is a ``Decimal`` in US dollars, or None where it is unknown; never a float, and never 0 for "not known". Prices
are US dollars per million tokens. A number has three states: None (unknown), 0 (free), a price.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Literal, get_args

Label = Literal["exact", "counted", "formula", "assumed", "reconstructed", "estimated"]
"""How far a number can be trusted, best first.

``exact``: the vendor's own published tokenizer for this model. ``counted``: told by the vendor's own service.
``formula``: a published rule of arithmetic, as for the overhead of a request. ``assumed``: the right tokenizer or price
by good authority, but not by the vendor's word. ``reconstructed``: a third party's tested reconstruction.
``estimated``: a measured ratio to another encoding, with a range.
"""

LABELS: tuple[Label, ...] = get_args(Label)
"""Every label, best first."""


def least_sure(*labels: Label) -> Label:
    """Return the label of a sum whose parts have these labels: that of its least sure part."""
    return max(labels, key=LABELS.index)


Origin = Literal["bundled", "yours"]
"""Where the value of a field comes from: the built-in table or the user's file."""


class PricingError(Exception):
    """Base of the errors of this package. The text is a plain sentence that can be shown as it is."""


class ScenarioError(PricingError, ValueError):
    """A scenario that cannot be: more tokens read from the cache than the prompt has, a negative number."""


class UnknownModelError(PricingError, LookupError):
    """No model answers to this name. ``suggestions`` are ids that look like it, best first; ``when``: what it meant on
    other days."""

    def __init__(self, text: str, suggestions: tuple[str, ...] = (), when: str = "") -> None:
        self.text = text
        self.suggestions = suggestions
        hint = f", did you mean {' or '.join(suggestions)}?" if suggestions else ""
        hint = f" on that day: {when}" if when else hint
        super().__init__(f"no model is called {text!r}{hint}")


class AmbiguousModelError(PricingError, LookupError):
    """A bare name that several models share. ``candidates`` are their full ids."""

    def __init__(self, text: str, candidates: tuple[str, ...]) -> None:
        self.text = text
        self.candidates = candidates
        super().__init__(f"{text!r} is the name of several models, write one of: {', '.join(candidates)}")


class PriceFileError(PricingError):
    """A price file with mistakes. ``problems`` names every one of them; nothing of the file is in force."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        first = str(problems[0]) if problems else "the price file cannot be used"
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(first + more)


class EditError(PricingError, ValueError):
    """A change that cannot be made, whatever the values: the place does not exist, or cannot hold such a value."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in a price file. ``line`` and ``column`` count from 1; both are 0 where there is no place for it.

    ``path`` is the way to the value, like ``models.openai/gpt-4.1.price.input``; ``message`` is one sentence with the
    path in it, ``hint`` the correction where one can be guessed (it is part of the message).
    """

    file: str
    line: int
    column: int
    path: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands: file, and line and column from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something in a valid price file that its author should know: not a mistake, nothing is refused."""

    model_id: str
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class TokenCount:
    """How many tokens a model sees: the best figure, and the range that holds it. low <= tokens <= high.

    ``is_complete``: False where the request has further parts, which cannot be counted and are in none of the three.
    """

    tokens: int
    low: int
    high: int
    label: Label
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class CountRule:
    """How to count for a model: tokens of the encoding ``tokenizer`` times ``ratio``, between ``low`` and ``high``.

    ``tokenizer`` is the name of an encoding, or None where there is nothing to count with. All three factors are 1
    where the label is ``exact`` or ``assumed``. ``note`` says where the figures come from.
    """

    tokenizer: str | None
    label: Label
    ratio: Decimal = Decimal(1)
    low: Decimal = Decimal(1)
    high: Decimal = Decimal(1)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Rates:
    """Prices in USD per million tokens. None: not known.

    ``cached`` is a read from the prompt cache, ``cache_write`` a write that lives for minutes, ``cache_write_1h`` one
    that lives for an hour. ``reasoning`` is set only where a vendor bills hidden reasoning at another rate than output.
    ``audio_input`` and ``audio_output`` are for tokens of sound, which come on top of those of text.
    """

    input: Decimal | None = None
    output: Decimal | None = None
    cached: Decimal | None = None
    cache_write: Decimal | None = None
    cache_write_1h: Decimal | None = None
    reasoning: Decimal | None = None
    audio_input: Decimal | None = None
    audio_output: Decimal | None = None


RATE_NAMES: tuple[str, ...] = tuple(rate.name for rate in fields(Rates))
"""The fields of ``Rates``, which are also their names in a price file."""

Batch = Rates | Literal["half"] | None
"""Prices of the batch service: its own, half of every normal price, or not known."""


@dataclass(frozen=True, slots=True)
class Tier:
    """Prices of the whole request once its whole prompt is long enough. Exactly one of ``over`` and ``from_`` is set.

    ``over``: holds for prompts of more than that many tokens. ``from_``: from exactly that many. Input and output that
    are None cost what they cost below; cache prices do so only where the tier has no input price of its own. What
    ``unknown`` names (rates, or ``batch``) is known to differ, but not by how much.
    """

    rates: Rates
    over: int | None = None
    from_: int | None = None
    batch: Batch = None
    unknown: tuple[str, ...] = ()

    @property
    def first(self) -> int:
        """The number of tokens of the shortest prompt that this tier holds for."""
        if self.from_ is not None:
            return self.from_
        return (self.over or 0) + 1

    @property
    def condition(self) -> str:
        """The condition in words, like ``more than 272,000 prompt tokens``."""
        if self.from_ is not None:
            return f"{self.from_:,} prompt tokens or more"
        return f"more than {self.over or 0:,} prompt tokens"


SERVICES = ("flex", "priority", "fast", "ultrafast")
"""Service tiers that a vendor may sell a model in, besides the standard one and the batch service."""

HOURS = ("peak", "off-peak", "average")
"""Hours that a cost can be for where a price depends on them: those of the peak, the others, the mean of a week."""


@dataclass(frozen=True, slots=True)
class Service:
    """Prices of a service tier: ``factor`` times every normal price, or ``rates`` of its own.

    ``tiers`` are those of long prompts, at thresholds of the normal ones; None: what long prompts cost is not known.
    """

    name: str
    factor: Decimal | None = None
    rates: Rates = Rates()
    tiers: tuple[Tier, ...] | None = None


WEEK_MINUTES = 7 * 24 * 60


@dataclass(frozen=True, slots=True)
class OffPeak:
    """Prices that depend on the hour: ``factor`` times the normal ones outside the hours of ``peak``.

    ``peak``: starts and ends in minutes of a day in UTC, the end not included; ``weekdays``: the days that have such
    hours, 0 for Monday. Both empty where the hours are not known. ``from_date``: the first day that is so.
    """

    factor: Decimal
    peak: tuple[tuple[int, int], ...] = ()
    weekdays: tuple[int, ...] = ()
    from_date: date | None = None
    note: str = ""

    @property
    def peak_minutes(self) -> int | None:
        """Minutes of a week at the peak price; None where the hours are not known."""
        return sum(end - start for start, end in self.peak) * len(self.weekdays) if self.peak else None

    def is_peak(self, at: datetime) -> bool | None:
        """Whether a time, with its time zone, is in the peak hours; None where they are not known."""
        if not self.peak:
            return None
        utc = at.astimezone(UTC)
        minute = utc.hour * 60 + utc.minute
        return utc.weekday() in self.weekdays and any(start <= minute < end for start, end in self.peak)

    def next_switch(self, at: datetime) -> datetime | None:
        """The next minute at which the price becomes the other one; None where the hours are not known."""
        now = self.is_peak(at)
        if now is None:
            return None
        midnight = at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        edges = sorted({edge for window in self.peak for edge in window} | {0})
        for day in range(9):
            for edge in edges:
                time = midnight + timedelta(days=day, minutes=edge)
                if time > at and self.is_peak(time) != now:
                    return time
        return None


@dataclass(frozen=True, slots=True)
class PastPrice:
    """What a model cost from a day on, until the next of these or the prices of today. Nothing is taken over.

    ``tiers``: None where it is not known whether long prompts cost more at that time.
    """

    from_date: date
    rates: Rates
    per_request: Decimal | None = None
    batch: Batch = None
    tiers: tuple[Tier, ...] | None = None
    source: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """Prices that take the place of the ones before on a day. Fields that are None stay as they were.

    ``tiers`` replace the earlier ones as a whole: None where they stay, empty where they end. ``batch`` does so too; a
    block of batch prices does not outlive a change of the prices that it belongs to, ``half`` does. What ``unknown``
    names (rates, ``batch``) is no longer known from that day on; ``per_request`` among them: there is no fee any more.
    ``assumed``: the vendor has not announced it, so the earlier prices may still hold.
    """

    from_date: date
    rates: Rates
    per_request: Decimal | None = None
    batch: Batch = None
    tiers: tuple[Tier, ...] | None = None
    note: str = ""
    unknown: tuple[str, ...] = ()
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs: base rates, a fee per request in USD (None: no fee), batch, long-prompt tiers, dated changes.

    ``tiers`` are in rising order of their thresholds, ``changes`` and ``history`` in order of their dates.
    ``off_peak``: None where the price does not depend on the hour. ``per_search``: USD for each call of the vendor's
    search tool. ``services``: prices of service tiers. ``since``: the first day of these prices, before which those of
    ``history`` hold. ``known_from``: the first day of which any price is known; None: these are for any day.
    """

    rates: Rates
    per_request: Decimal | None = None
    batch: Batch = None
    tiers: tuple[Tier, ...] = ()
    changes: tuple[Change, ...] = ()
    off_peak: OffPeak | None = None
    per_search: Decimal | None = None
    services: tuple[Service, ...] = ()
    since: date | None = None
    history: tuple[PastPrice, ...] = ()
    known_from: date | None = None

    @property
    def input(self) -> Decimal | None:
        """USD per million fresh input tokens, before tiers and changes."""
        return self.rates.input

    @property
    def output(self) -> Decimal | None:
        """USD per million output tokens, before tiers and changes."""
        return self.rates.output

    @property
    def cached(self) -> Decimal | None:
        """USD per million input tokens read from the cache, before tiers and changes."""
        return self.rates.cached


@dataclass(frozen=True, slots=True)
class Alias:
    """A name that means a model for some time: from the first of two days until before the second. None: no end."""

    name: str
    from_date: date | None = None
    until: date | None = None

    def holds(self, on: date) -> bool:
        """Whether the name means the model on that day."""
        return (self.from_date is None or on >= self.from_date) and (self.until is None or on < self.until)

    @property
    def period(self) -> str:
        """The time in words, like ``from 2026-10-14``."""
        begin = f"from {self.from_date.isoformat()}" if self.from_date else ""
        end = f"until {self.until.isoformat()}" if self.until else ""
        return " ".join(filter(None, (begin, end)))


@dataclass(frozen=True, slots=True)
class Model:
    """One row of the price table.

    ``id`` is ``vendor/model``. ``context`` is the context window, ``max_input`` the limit of the prompt where it is
    smaller, ``max_output`` the output limit; in tokens, None where unknown. ``checked`` is the day on which the facts
    were compared with ``source``: at the vendor's page if ``checked_in`` is ``vendor``, in published price tables if it
    is ``table``. ``dated_aliases`` are names that mean the model for some time. ``retires`` is the day from which the
    vendor no longer serves the model. ``origin``
    tells for each field that is set, by its path in the file (``price.input``, ``context``), whether it is bundled or
    the user's; fields that are not set are absent. ``places`` tells for the user's where they stand (those of the
    bundled table: ``origins.bundled_place``).
    ``currency`` and ``exchange_rate`` tell what the user's prices were converted from (USD and 1 where nothing was).
    """

    id: str
    vendor: str
    name: str
    provider: str
    price: Price
    count: CountRule
    context: int | None = None
    max_input: int | None = None
    max_output: int | None = None
    source: str = ""
    checked: date | None = None
    checked_in: str = ""
    retires: date | None = None
    aliases: tuple[str, ...] = ()
    dated_aliases: tuple[Alias, ...] = ()
    notes: tuple[str, ...] = ()
    origin: Mapping[str, Origin] = field(default_factory=dict, hash=False)
    places: Mapping[str, Place] = field(default_factory=dict, hash=False, compare=False)
    currency: str = "USD"
    exchange_rate: Decimal = Decimal(1)

    @property
    def is_yours(self) -> bool:
        """Whether the user's file says anything about this model."""
        return "yours" in self.origin.values()

    def is_retired(self, on: date) -> bool:
        """Whether the vendor no longer serves the model on that day."""
        return self.retires is not None and on >= self.retires

    @property
    def only_reads(self) -> bool:
        """Whether the model writes no text, as embedding models do: its input has a price, its output costs nothing.

        Told by the base prices. A model whose input and output are both free writes all the same.
        """
        return bool(self.price.input) and self.price.output == 0

    def has_price_on(self, on: date) -> bool:
        """True unless the day lies before the first of which a price is known."""
        return self.price.known_from is None or on >= self.price.known_from

    def next_change(self, on: date) -> Change | None:
        """The first change of price after that day, if one is announced."""
        return next((change for change in self.price.changes if change.from_date > on), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """What one asks of a model besides sending the prompt, for one call.

    The prompt is the whole: ``cached_tokens`` of it are read from the cache (or ``cached_share`` of it, from 0 to 1,
    rounded down to whole tokens; give one of the two), ``cache_write_tokens`` and ``cache_write_1h_tokens`` of it are
    written to the cache, the rest is fresh. ``reasoning_tokens`` come on top of ``output_tokens``. Both may be guesses:
    ``output_range`` and ``reasoning_range`` are the fewest and the most to expect, and hold the figure itself.
    ``factor`` multiplies the whole cost (region, discount, tax). ``on`` is the day whose prices count. ``service`` is
    one of ``SERVICES``, empty for the standard one; ``hours`` one of ``HOURS``, empty where they are not known: then a
    price that depends on them is a range. ``now`` tells which of the two prices holds at present. Audio tokens come on
    top of the text; ``searches`` are calls of the vendor's search tool.
    """

    on: date
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int | None = None
    cached_share: Decimal | None = None
    cache_write_tokens: int = 0
    cache_write_1h_tokens: int = 0
    batch: bool = False
    calls: int = 1
    factor: Decimal = Decimal(1)
    output_range: tuple[int, int] | None = None
    reasoning_range: tuple[int, int] | None = None
    service: str = ""
    hours: str = ""
    now: datetime | None = None
    audio_input_tokens: int = 0
    audio_output_tokens: int = 0
    searches: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallMix:
    """How the calls of a scenario differ from each other. Shares lie between 0 and 1; None: all calls are alike.

    ``hit_rate`` of the calls find the scenario's cached part of the prompt in the cache, the others write it there: for
    minutes, or ``for_an_hour``. ``batch_share`` of them go through the batch service, whatever the scenario says.
    """

    hit_rate: Decimal | None = None
    for_an_hour: bool = False
    batch_share: Decimal | None = None

    @property
    def is_plain(self) -> bool:
        """Whether all calls are alike."""
        return self.hit_rate is None and self.batch_share is None


@dataclass(frozen=True, slots=True)
class CostPart:
    """One term of a cost: ``tokens`` at ``usd_per_mtok``, before the scenario's factor. A fee has no tokens.

    ``name`` is one of ``input``, ``cached``, ``cache_write``, ``cache_write_1h``, ``output``, ``reasoning``,
    ``audio_input``, ``audio_output``, ``per_search``, ``per_request``. ``note`` says
    what stood in for a price that is not published. ``usd`` is None where the price
    is unknown.
    """

    name: str
    tokens: int | None
    usd_per_mtok: Decimal | None
    usd: Decimal | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What one call costs, and where every figure comes from. Money is exact, nothing is rounded.

    ``input_usd`` is the whole prompt with its cached parts, ``output_usd`` output and reasoning, ``request_usd`` the
    fee per request; they add up to ``usd``. ``usd_low`` and ``usd_high`` belong to the ends of the ranges of prompt,
    output and reasoning, and may lie in different tiers; ``input_usd_low`` and ``input_usd_high`` are the prompt's part
    alone, ``output_usd_low`` and ``output_usd_high`` that of output and reasoning, each None where a price at some
    length of the prompt is unknown. ``output_low`` and ``output_high`` are the tokens of output and reasoning together.
    Where the price is assumed or depends on the hour, the range also holds the price of before and that of other hours;
    ``price_note`` says so in words, and ``usd_label`` is the label of the money: that of the least sure of count and
    price. ``usd_calls`` (with its range) is for all calls of the scenario. ``unknown`` names the prices that were
    needed and are not known; then ``usd`` is None. ``context_share`` is the prompt as a share of the context window (1:
    full). ``over_context``: prompt, output and reasoning do not fit; None: unknown. ``context_note`` says in words what
    does not fit, or may not where the prompt is a range; empty where all fits. ``price_checked_in`` is where the price
    was checked: ``vendor`` or ``table``, as in ``Model``. ``tier`` says in words which long-prompt
    tier is in force, empty for none. ``is_complete``: False where parts of the prompt cannot be counted, so that the
    cost lacks them.
    """

    model_id: str
    label: Label | None
    input_tokens: int | None
    input_low: int | None
    input_high: int | None
    input_usd: Decimal | None
    output_usd: Decimal | None
    request_usd: Decimal | None
    usd: Decimal | None
    usd_low: Decimal | None
    usd_high: Decimal | None
    calls: int
    usd_calls: Decimal | None
    usd_calls_low: Decimal | None
    usd_calls_high: Decimal | None
    unknown: tuple[str, ...]
    retired: bool
    context_share: Decimal | None
    over_context: bool | None
    tier: str
    parts: tuple[CostPart, ...]
    factor: Decimal
    notes: tuple[str, ...]
    price_checked: date | None
    source: str = ""
    input_usd_low: Decimal | None = None
    input_usd_high: Decimal | None = None
    output_usd_low: Decimal | None = None
    output_usd_high: Decimal | None = None
    output_low: int = 0
    output_high: int = 0
    usd_label: Label | None = None
    price_note: str = ""
    context_note: str = ""
    is_complete: bool = True
    price_checked_in: str = ""

    @property
    def explanation(self) -> tuple[str, ...]:
        """The sum line by line, with values and source: one line for each part, then total, calls and remarks."""
        from pricing.money import explain

        return explain(self)
