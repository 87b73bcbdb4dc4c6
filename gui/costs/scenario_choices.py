"""What the user says about the calls, as one value that can be kept under a name. No Qt.

More than a ``Scenario`` of pricing: a day that follows the calendar, cached tokens that are a share of whatever prompt
there is, a budget, the currency amounts are shown in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pricing.types import CallMix, Scenario

MOST_TOKENS = 100_000_000
MOST_CALLS = 1_000_000_000
MOST_BUDGET = Decimal("9999999.99")
LEAST_FACTOR, MOST_FACTOR = Decimal("0.01"), Decimal(1000)
TOKENS, PER_CENT = "tokens", "percent"
DOLLARS = "USD"
SERVICES = ("flex", "priority", "fast", "ultrafast")
"""As ``pricing.types.SERVICES``, which a window need not import to read its session."""
HOURS = ("peak", "off-peak", "average")
"""As ``pricing.types.HOURS``."""
LONGEST_NAME = 60
"""Characters of the name of a scenario."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioChoices:
    """Every choice with its value at a first start.

    ``output_range`` and ``reasoning_range`` are the fewest and the most tokens to expect, and hold the likely figure;
    None: as many as are likely. ``cached`` counts tokens, or per cent of the prompt, by ``cached_unit``.
    ``hit_percent`` of the calls find that part in the cache, the others write it there; None: every call reads it, and
    writes ``cache_write`` and ``cache_write_1h`` tokens. ``calls_a_day`` is 0 where nobody said it. ``batch_percent``
    of the calls go through the batch service where ``batch`` is set, and none of them through the tier ``service``
    then. ``hours`` are those of a price that depends on them, empty for all. ``budget`` is in US dollars for all calls,
    0 for none. ``on`` is None where prices follow the calendar. ``currency`` is one that the user's price file has a
    rate for.
    """

    output_tokens: int = 500
    output_range: tuple[int, int] | None = None
    reasoning_tokens: int = 0
    reasoning_range: tuple[int, int] | None = None
    cached: int = 0
    cached_unit: str = TOKENS
    cache_write: int = 0
    cache_write_1h: int = 0
    hit_percent: Decimal | None = None
    for_an_hour: bool = False
    calls: int = 1_000
    calls_a_day: int = 0
    batch: bool = False
    batch_percent: int = 100
    service: str = ""
    hours: str = ""
    budget: Decimal = Decimal(0)
    factor: Decimal = Decimal(1)
    on: date | None = None
    currency: str = DOLLARS

    def scenario(self, today: date) -> Scenario:
        """What is priced."""
        from pricing.types import Scenario

        share = Decimal(self.cached) / 100 if self.cached_unit == PER_CENT else None
        return Scenario(
            on=self.on or today,
            output_tokens=self.output_tokens,
            output_range=self.output_range,
            reasoning_tokens=self.reasoning_tokens,
            reasoning_range=self.reasoning_range,
            cached_tokens=self.cached if share is None else None,
            cached_share=share,
            cache_write_tokens=self.cache_write,
            cache_write_1h_tokens=self.cache_write_1h,
            batch=self.batch,
            service="" if self.batch else self.service,
            hours=self.hours,
            now=_this_quarter() if self.on in (None, today) else None,
            calls=self.calls,
            factor=self.factor,
        )

    def mix(self) -> CallMix:
        """How calls differ from each other."""
        from pricing.types import CallMix

        return CallMix(
            hit_rate=None if self.hit_percent is None else self.hit_percent / 100,
            for_an_hour=self.for_an_hour,
            batch_share=Decimal(self.batch_percent) / 100 if self.batch and self.batch_percent < 100 else None,
        )

    def plain(self) -> dict[str, Any]:
        """The choices as JSON holds them; amounts as text, so that no digit is lost."""
        found: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            found[field.name] = str(value) if isinstance(value, (date, Decimal)) else value
        return found


def _this_quarter() -> datetime:
    """The time, as it was when the quarter of an hour began: scenarios in between are equal."""
    now = datetime.now(UTC)
    return now.replace(minute=now.minute // 15 * 15, second=0, microsecond=0)


def choices_of(plain: Mapping[str, Any]) -> ScenarioChoices:
    """Take back what ``plain`` gave. What is missing or of no use has its value of a first start."""
    known: dict[str, Any] = {}
    for field in fields(ScenarioChoices):
        value = _READERS[field.name](plain.get(field.name))
        if value is not None:
            known[field.name] = value
    if known.get("cached_unit") == PER_CENT:
        known["cached"] = min(known.get("cached", 0), 100)
    for name in ("output", "reasoning"):
        ends, likely = known.get(f"{name}_range"), known.get(f"{name}_tokens", 0 if name == "reasoning" else 500)
        if ends is not None:
            known[f"{name}_range"] = (min(ends[0], likely), max(ends[1], likely))
    return ScenarioChoices(**known)


def _whole(least: int, most: int) -> Any:
    def read(value: object) -> int | None:
        right = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        return value if right else None  # type: ignore[return-value]

    return read


def _amount(least: Decimal, most: Decimal) -> Any:
    def read(value: object) -> Decimal | None:
        try:
            amount = Decimal(value) if isinstance(value, str) else None
        except InvalidOperation:
            return None
        return amount if amount is not None and amount.is_finite() and least <= amount <= most else None

    return read


def _ends(value: object) -> tuple[int, int] | None:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        return None
    low, high = map(_whole(0, MOST_TOKENS), value)
    return None if low is None or high is None or low > high else (low, high)


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _one_of(names: tuple[str, ...]) -> Any:
    def read(value: object) -> str | None:
        return value if value in names else None  # type: ignore[return-value]

    return read


def _unit(value: object) -> str | None:
    return value if value in (TOKENS, PER_CENT) else None  # type: ignore[return-value]


def _day(value: object) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _code(value: object) -> str | None:
    return value if isinstance(value, str) and value.isascii() and value.isalpha() and len(value) == 3 else None


_READERS: dict[str, Any] = {
    **dict.fromkeys(("output_tokens", "reasoning_tokens", "cached"), _whole(0, MOST_TOKENS)),
    **dict.fromkeys(("cache_write", "cache_write_1h"), _whole(0, MOST_TOKENS)),
    **dict.fromkeys(("output_range", "reasoning_range"), _ends),
    **dict.fromkeys(("for_an_hour", "batch"), _flag),
    "cached_unit": _unit,
    "service": _one_of(SERVICES),
    "hours": _one_of(HOURS),
    "hit_percent": _amount(Decimal(0), Decimal(100)),
    "calls": _whole(1, MOST_CALLS),
    "calls_a_day": _whole(0, MOST_CALLS),
    "batch_percent": _whole(1, 100),
    "budget": _amount(Decimal(0), MOST_BUDGET),
    "factor": _amount(LEAST_FACTOR, MOST_FACTOR),
    "on": _day,
    "currency": _code,
}
