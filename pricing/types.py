"""Frozen facts and results of pricing. Importing this module costs nothing: no YAML, no data.

Money is a ``Decimal`` in US dollars, or None if unknown; never a float, and never 0 for "unknown". Prices are US
dollars per million tokens. A price has three states: None (unknown), 0 (free), an amount.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Literal, get_args

Label = Literal["exact", "counted", "formula", "assumed", "reconstructed", "estimated"]
"""Reliability of a number, best first.

``exact``: the vendor's own published tokenizer for this model. ``counted``: reported by the vendor's service.
``formula``: a published formula, as for the overhead of a request. ``assumed``: the right tokenizer or price by a good
source, but not confirmed by the vendor. ``reconstructed``: a third party's tested reconstruction. ``estimated``: a
measured ratio to another encoding, with a range.
"""

LABELS: tuple[Label, ...] = get_args(Label)
"""Every label, best first."""


def least_sure(*labels: Label) -> Label:
    """Return the label of a sum of parts with these labels: the least reliable one."""
    return max(labels, key=LABELS.index)


Origin = Literal["bundled", "yours"]
"""Source of a field's value: the built-in table or the user's file."""


class PricingError(Exception):
    """Base of the errors of this package. The message is a plain sentence for display."""


class ScenarioError(PricingError, ValueError):
    """An impossible scenario: more tokens read from the cache than the prompt has, a negative number."""


class UnknownModelError(PricingError, LookupError):
    """No model has this name. ``suggestions``: similar ids, best first. ``when``: what the name meant on other days."""

    def __init__(self, text: str, suggestions: tuple[str, ...] = (), when: str = "") -> None:
        self.text = text
        self.suggestions = suggestions
        hint = f", did you mean {' or '.join(', '.join(suggestions).rsplit(', ', 1))}?" if suggestions else ""
        hint = f" on that day: {when}" if when else hint
        super().__init__(f"unknown model {text!r}{hint}")


class AmbiguousModelError(PricingError, LookupError):
    """A name of several models. ``candidates``: their full ids."""

    def __init__(self, text: str, candidates: tuple[str, ...]) -> None:
        self.text = text
        self.candidates = candidates
        super().__init__(f"{text!r} is the name of several models; use one of: {', '.join(candidates)}")


class PriceFileError(PricingError):
    """A price file with errors, none of which is in effect. ``problems``: all of them."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        first = str(problems[0]) if problems else "the price file cannot be used"
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(first + more)


class EditError(PricingError, ValueError):
    """An edit that is impossible with any value: the field does not exist, or cannot hold such a value."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One error in a price file. ``line`` and ``column`` count from 1; both are 0 if there is no position.

    ``path``: path of the value, such as ``models.openai/gpt-4.1.price.input``. ``message``: one sentence that includes
    the path. ``hint``: the probable correction, if any (also part of the message).
    """

    file: str
    line: int
    column: int
    path: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        position = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{position}: {self.message}"


@dataclass(frozen=True, slots=True)
class Position:
    """Position of a value: file, and line and column from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Notice:
    """A hint about a valid price file for its author. It is no error, and nothing is refused."""

    model_id: str
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class TokenCount:
    """Number of tokens that a model sees: the best estimate and its range. low <= tokens <= high.

    ``is_complete``: False if the request has further parts that cannot be counted, included in none of the three.
    """

    tokens: int
    low: int
    high: int
    label: Label
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class CountRule:
    """Count rule of a model: tokens of the encoding ``tokenizer`` times ``ratio``, between ``low`` and ``high``.

    ``tokenizer``: name of an encoding, or None if there is nothing to count with. All three factors are 1 if the label
    is ``exact`` or ``assumed``. ``note``: source of the figures.
    """

    tokenizer: str | None
    label: Label
    ratio: Decimal = Decimal(1)
    low: Decimal = Decimal(1)
    high: Decimal = Decimal(1)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Rates:
    """Prices in USD per million tokens. None: unknown.

    ``cached``: reads from the prompt cache. ``cache_write``: writes with a lifetime of minutes. ``cache_write_1h``:
    writes with a lifetime of one hour. ``reasoning``: set only if a vendor bills hidden reasoning at another rate than
    output. ``audio_input`` and ``audio_output``: audio tokens, in addition to text tokens.
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
"""Names of the fields of ``Rates``, also used in price files."""

Batch = Rates | Literal["half"] | None
"""Prices of the batch service: its own, half of every normal price, or unknown."""


@dataclass(frozen=True, slots=True)
class Tier:
    """Prices of the whole request if the whole prompt is long enough. Exactly one of ``over`` and ``from_`` is set.

    ``over``: applies to prompts of more than that many tokens. ``from_``: from exactly that many. Input and output
    prices that are None are those of the tier below; cache prices only if the tier has no input price of its own.
    ``unknown``: rates, or ``batch``, that are known to differ by an unknown amount.
    """

    rates: Rates
    over: int | None = None
    from_: int | None = None
    batch: Batch = None
    unknown: tuple[str, ...] = ()

    @property
    def first(self) -> int:
        """Length of the shortest prompt that this tier applies to, in tokens."""
        if self.from_ is not None:
            return self.from_
        return (self.over or 0) + 1

    @property
    def condition(self) -> str:
        """The condition in words, such as ``more than 272,000 prompt tokens``."""
        if self.from_ is not None:
            return f"{self.from_:,} prompt tokens or more"
        return f"more than {self.over or 0:,} prompt tokens"


SERVICES = ("flex", "priority", "fast", "ultrafast")
"""Service tiers that a vendor may offer, besides the standard one and the batch service."""

HOURS = ("peak", "off-peak", "average")
"""Hours of a cost whose price depends on them: the peak hours, the others, the average of a week."""


@dataclass(frozen=True, slots=True)
class Service:
    """Prices of a service tier: ``factor`` times every normal price, or its own ``rates``.

    ``tiers``: its long-prompt tiers, at thresholds of the normal ones. None: the price of long prompts is unknown.
    """

    name: str
    factor: Decimal | None = None
    rates: Rates = Rates()
    tiers: tuple[Tier, ...] | None = None


WEEK_MINUTES = 7 * 24 * 60


@dataclass(frozen=True, slots=True)
class OffPeak:
    """Prices that depend on the hour: ``factor`` times the normal ones outside the hours of ``peak``.

    ``peak``: start and end of each window in minutes of a day in UTC, end excluded. ``weekdays``: days with peak hours,
    0 for Monday. Both are empty if the hours are unknown. ``from_date``: first day with such prices.
    """

    factor: Decimal
    peak: tuple[tuple[int, int], ...] = ()
    weekdays: tuple[int, ...] = ()
    from_date: date | None = None
    note: str = ""

    @property
    def peak_minutes(self) -> int | None:
        """Minutes of a week at the peak price, or None if the hours are unknown."""
        return sum(end - start for start, end in self.peak) * len(self.weekdays) if self.peak else None

    def is_peak(self, at: datetime) -> bool | None:
        """Return True if a time, with its time zone, is in the peak hours; None if they are unknown."""
        if not self.peak:
            return None
        utc = at.astimezone(UTC)
        minute = utc.hour * 60 + utc.minute
        return utc.weekday() in self.weekdays and any(start <= minute < end for start, end in self.peak)

    def next_switch(self, at: datetime) -> datetime | None:
        """Return the next minute at which the price switches, or None if the hours are unknown."""
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
    """Price of a model from a day until the next entry or the current prices. Each entry is complete in itself.

    ``tiers``: None if it is unknown whether long prompts cost more at that time.
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
    """Prices that replace the previous ones from a day on. Fields that are None are unchanged.

    ``tiers`` replaces the earlier tiers as a whole: None if they are unchanged, empty if they end. ``batch`` likewise;
    a block of batch prices is dropped by a change of the prices it belongs to, ``half`` is not. ``unknown``: names
    (rates, ``batch``) that become unknown on that day; ``per_request`` among them: the fee ends. ``assumed``: not
    announced by the vendor, so the earlier prices may still apply.
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
    """Price of a model: base rates, a fee per request in USD (None: no fee), batch, long-prompt tiers, dated changes.

    ``tiers`` are sorted by threshold, ``changes`` and ``history`` by date. ``off_peak``: None if the price does not
    depend on the hour. ``per_search``: USD per call of the vendor's search tool. ``services``: prices of service tiers.
    ``since``: first day of these prices, before which those of ``history`` apply. ``known_from``: first day with any
    known price; None: these apply to any day.
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
    """A temporary name of a model: valid from the first date until before the second. None: unlimited."""

    name: str
    from_date: date | None = None
    until: date | None = None

    def holds(self, on: date) -> bool:
        """Return True if the name means the model on that day."""
        return (self.from_date is None or on >= self.from_date) and (self.until is None or on < self.until)

    @property
    def period(self) -> str:
        """The period in words, such as ``from 2026-10-14``."""
        begin = f"from {self.from_date.isoformat()}" if self.from_date else ""
        end = f"until {self.until.isoformat()}" if self.until else ""
        return " ".join(filter(None, (begin, end)))


@dataclass(frozen=True, slots=True)
class Model:
    """One row of the price table.

    ``id`` is ``vendor/model``. ``context``: the context window; ``max_input``: the prompt limit if it is smaller;
    ``max_output``: the output limit; all in tokens, None if unknown. ``checked``: the day on which the facts were
    compared with ``source``, at the vendor's page if ``checked_in`` is ``vendor``, in published price tables if it is
    ``table``. ``dated_aliases``: temporary names of the model. ``retires``: the day from which the vendor no longer
    serves it. ``origin``: for each field that is set, by its path in the file (``price.input``, ``context``), whether
    it is bundled or the user's; other fields are absent. ``positions``: positions of the user's values (for the bundled
    table, see ``catalog.bundled_position``). ``currency`` and ``exchange_rate``: what the user's prices were converted
    from (USD and 1 if they were not).
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
    positions: Mapping[str, Position] = field(default_factory=dict, hash=False, compare=False)
    currency: str = "USD"
    exchange_rate: Decimal = Decimal(1)

    @property
    def is_yours(self) -> bool:
        """True if the user's file contains this model."""
        return "yours" in self.origin.values()

    def is_retired(self, on: date) -> bool:
        """Return True if the vendor no longer serves the model on that day."""
        return self.retires is not None and on >= self.retires

    @property
    def only_reads(self) -> bool:
        """True if the model writes no text, like embedding models: its input has a price, its output is free.

        Decided by the base prices. A model whose input and output are both free does write text.
        """
        return bool(self.price.input) and self.price.output == 0

    def has_price_on(self, on: date) -> bool:
        """Return True unless the day is before the first known price."""
        return self.price.known_from is None or on >= self.price.known_from

    def next_change(self, on: date) -> Change | None:
        """Return the first price change announced after that day, or None."""
        return next((change for change in self.price.changes if change.from_date > on), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Usage of a model besides the prompt, for one call.

    The prompt includes all of its parts: ``cached_tokens`` of it are read from the cache (or ``cached_share`` of it,
    from 0 to 1, rounded down to whole tokens; give one of the two), ``cache_write_tokens`` and
    ``cache_write_1h_tokens`` of it are written to the cache, the rest is fresh. ``reasoning_tokens`` are added to
    ``output_tokens``. Both may be estimates: ``output_range`` and ``reasoning_range`` are the expected minimum and
    maximum, and contain the figure itself. ``factor`` multiplies the whole cost (region, discount, tax). ``on``: the
    day whose prices apply. ``service``: one of ``SERVICES``, empty for the standard one. ``hours``: one of ``HOURS``;
    empty if unknown, then a price that depends on them is a range. ``now``: the time for which the current one of the
    two prices is named. Audio tokens are added to the text. ``searches``: calls of the vendor's search tool.
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
    """Differences between the calls of a scenario. Shares are between 0 and 1; None: all calls are alike.

    ``hit_rate``: share of calls that read the scenario's cached part of the prompt from the cache; the others write it,
    for minutes or ``for_an_hour``. ``batch_share``: share of calls in the batch service, whatever the scenario says.
    """

    hit_rate: Decimal | None = None
    for_an_hour: bool = False
    batch_share: Decimal | None = None

    @property
    def is_plain(self) -> bool:
        """True if all calls are alike."""
        return self.hit_rate is None and self.batch_share is None


@dataclass(frozen=True, slots=True)
class CostPart:
    """One term of a cost: ``tokens`` at ``usd_per_mtok``, before the scenario's factor. A fee has no tokens.

    ``name`` is one of ``input``, ``cached``, ``cache_write``, ``cache_write_1h``, ``output``, ``reasoning``,
    ``audio_input``, ``audio_output``, ``per_search``, ``per_request``. ``note``: names the substitute for an
    unpublished price. ``usd``: None if the price is unknown.
    """

    name: str
    tokens: int | None
    usd_per_mtok: Decimal | None
    usd: Decimal | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Cost of one call, and the source of every figure. Money is exact, nothing is rounded.

    ``input_usd`` is the whole prompt with its cached parts, ``output_usd`` output and reasoning, ``request_usd`` the
    fee per request; they add up to ``usd``. ``usd_low`` and ``usd_high`` belong to the ends of the ranges of prompt,
    output and reasoning, and may be in different tiers. ``input_usd_low`` and ``input_usd_high`` are for the prompt
    alone, ``output_usd_low`` and ``output_usd_high`` for output and reasoning, each None if a price at some prompt
    length is unknown. ``output_low`` and ``output_high`` are the tokens of output and reasoning together. If the price
    is assumed or depends on the hour, the range also contains the previous price and that of other hours;
    ``price_note`` says so in words. ``usd_label``: label of the money, the less reliable of count and price.
    ``usd_calls`` (with its range) is for all calls of the scenario. ``unknown``: names of required prices that are
    unknown; then ``usd`` is None. ``context_share``: the prompt as a share of the context window (1: full).
    ``over_context``: prompt, output and reasoning do not fit; None: unknown. ``context_note``: describes what does not
    fit, or may not if the prompt is a range; empty if all fits. ``price_checked_in``: where the price was checked:
    ``vendor`` or ``table``, as in ``Model``. ``tier``: describes the long-prompt tier in effect, empty for none.
    ``is_complete``: False if parts of the prompt cannot be counted, so that the cost lacks them.
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
        """Explanation of the cost: one line for each part with values, then total, calls, remarks and source."""
        from pricing.money import explain

        return explain(self)
