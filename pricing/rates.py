"""Selection of prices: those in effect on a day, for a prompt length, in a service tier or the batch service.

Sources of the rules: a long-prompt tier prices the whole request, including the output, by the length of the whole
prompt, including cached tokens (documented by Anthropic, Google, OpenAI and xAI). An unpublished price is substituted
only if that cannot underestimate the cost; otherwise it stays unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from typing import NamedTuple

from pricing.types import RATE_NAMES, WEEK_MINUTES, Batch, Change, OffPeak, Price, Rates, Scenario, Service, Tier

_HALF = Decimal("0.5")
_STAND_IN = {
    "input": "",
    "output": "",
    "cached": "input",
    "cache_write": "input",
    "cache_write_1h": "input",
    "reasoning": "output",
    "audio_input": "",
    "audio_output": "",
}
_AVERAGE_STEP = Decimal("0.000000000001")
_EVERYTHING = (*RATE_NAMES, "batch")


class Rate(NamedTuple):
    """One price in USD per million tokens, None if unknown. ``path``: its path in a file.

    ``note``: explains a substituted price. A tuple, because thousands are created to reprice a table.
    """

    usd: Decimal | None
    path: str
    note: str = ""


def price_on(price: Price, on: date) -> tuple[Price, Change | None]:
    """Return the price in effect on a day, and the change that introduced it, if any. On a day without a known price it
    has no amounts."""
    found, last = _in_force(price, on)
    return found[0], last


def _in_force(price: Price, on: date) -> tuple[list[Price], Change | None]:
    """Return the possible prices on a day, the one in effect first, and the last change. The others apply if assumed
    changes did not take effect."""
    if price.known_from is not None and on < price.known_from:
        return [Price(Rates(), changes=price.changes, known_from=price.known_from)], None
    if price.since is not None and on < price.since:
        return _in_the_past(price, on)
    found, last = [price], None
    for change in price.changes:
        if change.from_date > on:
            break
        found, last = [_changed(found[0], change), *(found if change.assumed else ())], change
    return found, last


def _in_the_past(price: Price, on: date) -> tuple[list[Price], Change | None]:
    """Return the earlier price in effect on a day before the current ones, and a change that describes its period."""
    earlier = [past for past in price.history if past.from_date <= on]
    if not earlier:
        return [Price(Rates(), changes=price.changes, known_from=price.since)], None
    past = earlier[-1]
    later = [other.from_date for other in price.history if other.from_date > on]
    until = min([*later, *([price.since] if price.since else [])])
    note = f"price from {past.from_date.isoformat()} until {until.isoformat()}"
    told = ", ".join(filter(None, (past.note, past.source)))
    tiers = past.tiers
    if tiers is None:  # it is unknown if long prompts cost more at that time
        tiers = tuple(Tier(Rates(), over=tier.over, from_=tier.from_, unknown=_EVERYTHING) for tier in price.tiers)
    found = Price(past.rates, past.per_request, past.batch, tiers, known_from=price.known_from)
    return [found], Change(past.from_date, Rates(), note=f"{note} ({told})" if told else note)


def depends_on_hour(price: Price, on: date) -> OffPeak | None:
    """Return the off-peak rule of a price on that day, or None if the price does not depend on the hour."""
    off_peak = price.off_peak
    if off_peak is None or (off_peak.from_date is not None and on < off_peak.from_date):
        return None
    return off_peak


def _at_hours(found: Sequence[Price], on: date, hours: str) -> tuple[Price, ...]:
    """Return these prices at the given hours, followed by those that bound them.

    Without hours, and for the average of a week, these are the peak and the off-peak prices.
    """
    main, others = list(found), []
    for index, price in enumerate(found):
        off_peak = depends_on_hour(price, on)
        if off_peak is None:
            continue
        other = scaled(price, off_peak.factor)
        if hours == "off-peak":
            main[index] = other
        elif hours == "average" and off_peak.peak_minutes is not None:
            main[index] = scaled(price, *average_of_a_week(off_peak, off_peak.peak_minutes))
            others += [price, other]
        elif hours != "peak":
            others.append(other)
    return (*main, *others)


def average_of_a_week(off_peak: OffPeak, peak_minutes: int) -> tuple[Decimal, int]:
    """Return the mean price of a week as a multiple of the peak price: a dividend and a divisor."""
    return peak_minutes + off_peak.factor * (WEEK_MINUTES - peak_minutes), WEEK_MINUTES


def scaled(price: Price, factor: Decimal, divisor: int = 1) -> Price:
    """Return a price with all token prices times ``factor / divisor``. Fees for requests and searches are unchanged."""

    def tier(one: Tier) -> Tier:
        return replace(one, rates=scaled_rates(one.rates, factor, divisor), batch=batch(one.batch))

    def batch(one: Batch) -> Batch:
        return scaled_rates(one, factor, divisor) if isinstance(one, Rates) else one

    def service(one: Service) -> Service:
        tiers = None if one.tiers is None else tuple(map(tier, one.tiers))
        return replace(one, rates=scaled_rates(one.rates, factor, divisor), tiers=tiers)

    return replace(
        price,
        rates=scaled_rates(price.rates, factor, divisor),
        batch=batch(price.batch),
        tiers=tuple(map(tier, price.tiers)),
        services=tuple(map(service, price.services)),
    )


def scaled_rates(rates: Rates, factor: Decimal, divisor: int = 1) -> Rates:
    """Return rates times ``factor / divisor``. Unknown rates stay unknown.

    With a divisor, rounded to twelve decimals of a dollar per million tokens, because quotients may not terminate.
    """
    values = {name: value * factor for name in RATE_NAMES if (value := getattr(rates, name)) is not None}
    if divisor != 1:
        parts = {name: value / divisor for name, value in values.items()}
        values = {name: part.quantize(_AVERAGE_STEP, ROUND_HALF_EVEN).normalize() for name, part in parts.items()}
    return Rates(**values)


def _changed(price: Price, change: Change) -> Price:
    new: dict[str, Decimal | None] = {
        name: value for name in RATE_NAMES if (value := getattr(change.rates, name)) is not None
    }
    new.update({name: None for name in change.unknown if name in RATE_NAMES})
    batch = change.batch if change.batch is not None else price.batch
    if change.batch is None and ((new and isinstance(batch, Rates)) or "batch" in change.unknown):
        batch = None
    fee = price.per_request if change.per_request is None else change.per_request
    services = price.services
    if new or change.tiers is not None:  # the new prices of a service with its own rates are not announced
        services = tuple(service for service in services if service.factor is not None)
    return replace(
        price,
        services=services,
        rates=replace(price.rates, **new),
        per_request=None if "per_request" in change.unknown else fee,
        batch=batch,
        tiers=price.tiers if change.tiers is None else change.tiers,
    )


def tier_for(price: Price, prompt_tokens: int) -> Tier | None:
    """Return the tier for a prompt of this many tokens, or None for the base prices."""
    found = None
    for tier in price.tiers:
        if prompt_tokens < tier.first:
            break
        found = tier
    return found


class RateCard:
    """Prices of one request: from a price in effect, its tier, and its service.

    ``service``: empty for the standard one, ``batch``, or one of ``SERVICES``.

    Substitutes for unpublished prices: hidden reasoning is billed as output; cache reads and writes cost the same as
    fresh input. A one-hour cache write costs more than a short one, so input replaces it only if neither has a price.
    """

    def __init__(self, price: Price, tier: Tier | None, service: str = "") -> None:
        self._rates = price.rates if tier is None else _tier_rates(price.rates, tier)
        self._in_batch = service == "batch"
        self._batch = _batch(price, tier) if self._in_batch else None
        self._service = "" if self._in_batch else service
        self._service_rates = _service(price, tier, self._rates, service) if self._service else None
        self._known: dict[str, Rate] = {}

    def rate(self, name: str) -> Rate:
        """Return the price with this name, one of ``RATE_NAMES``."""
        rate = self._known.get(name)
        if rate is None:
            instead = _STAND_IN[name]
            if name == "cache_write_1h" and self._rates.cache_write is not None:
                instead = ""
            rate = self._known[name] = self._rate(name, instead, quiet=name == "reasoning")
        return rate

    def _rate(self, name: str, instead: str = "", quiet: bool = False) -> Rate:
        rate = self._normal(name, instead, quiet)
        if self._service:
            return self._of_service(name, instead, rate, quiet)
        if not self._in_batch:
            return rate
        if self._batch == "half":
            return rate if rate.usd is None else Rate(rate.usd * _HALF, rate.path, rate.note)
        if self._batch is None:
            return Rate(None, "batch")
        own: Decimal | None = getattr(self._batch, name)
        if own is not None:
            return Rate(own, f"batch.{name}")
        if name in {"input", "output"}:
            return Rate(None, f"batch.{name}")
        if getattr(self._rates, name) is not None:
            return rate._replace(note="no published batch price; the standard price is used")
        if instead:
            stand_in = self._rate(instead)
            note = "" if quiet else f"no published price; the {instead} price is used"
            return stand_in._replace(note=note)
        return Rate(None, f"batch.{name}")

    def _of_service(self, name: str, instead: str, normal: Rate, quiet: bool) -> Rate:
        """Return a price of a service tier. The normal price replaces an unpublished one if the tier costs no more."""
        path = f"services.{self._service}"
        rates = self._service_rates
        if rates is None:
            return Rate(None, path)
        own: Decimal | None = getattr(rates, name)
        if own is not None:
            return Rate(own, f"{path}.{name}")
        if not instead:
            return Rate(None, f"{path}.{name}")
        base: Decimal | None = getattr(rates, instead)
        usual: Decimal | None = getattr(self._rates, instead)
        if base is None or usual is None:
            return Rate(None, f"{path}.{instead}")
        if getattr(self._rates, name) is None:
            note = "" if quiet else f"no published price; the {instead} price is used"
            return Rate(base, f"{path}.{instead}", note)
        if base <= usual:
            return normal._replace(note=f"no published {self._service} price; the standard price is used")
        if name == "cached":
            return Rate(base, f"{path}.{instead}", f"no published {self._service} price; the {instead} price is used")
        return Rate(None, f"{path}.{name}")

    def _normal(self, name: str, instead: str, quiet: bool) -> Rate:
        own: Decimal | None = getattr(self._rates, name)
        if own is not None or not instead:
            return Rate(own, name)
        other: Decimal | None = getattr(self._rates, instead)
        note = "" if quiet else f"no published price; the {instead} price is used"
        return Rate(other, instead, note)


class RateCards:
    """Cache of rate cards, for tables whose models are priced repeatedly.

    Holds those of one day; another day clears it. Prices and tiers are compared by identity, because those of a catalog
    never change, and comparing values would take longer than creating a card. Use it on one thread at a time.
    """

    def __init__(self) -> None:
        self.checked: dict[int, Scenario] = {}
        """Scenarios that were found to be possible, by id."""
        self._on: date | None = None
        self._changed: dict[tuple[int, str], tuple[Price, tuple[Price, ...], Change | None]] = {}
        self._cards: dict[tuple[int, int, str], tuple[Price, Tier | None, RateCard]] = {}
        self._listed: dict[tuple[int, str, str], tuple[Price, Rates, Rates | None]] = {}

    def possible(self, price: Price, on: date, hours: str = "") -> tuple[tuple[Price, ...], Change | None]:
        """Return the prices that may apply on a day, and the change that introduced the first of them.

        The first is the main one: that of ``price_on`` at these hours. The others apply if assumed changes did not take
        effect, and, if the hours are unknown, outside the peak hours.
        """
        if on != self._on:
            self._on = on
            self.checked.clear()
            self._changed.clear()
            self._cards.clear()
            self._listed.clear()
        # Keep a reference to the object beside its id, or the id could be reused by another object.
        key = id(price), hours
        known = self._changed.get(key)
        if known is None:
            found, last = _in_force(price, on)
            known = self._changed[key] = (price, _at_hours(found, on, hours), last)
        return known[1], known[2]

    def listed(self, price: Price, scenario: Scenario) -> tuple[Rates, Rates | None]:
        """Return the prices of short prompts for a scenario's service tier and hours, and the off-peak prices if the
        hours are unknown and matter."""
        main = self.possible(price, scenario.on, scenario.hours)[0][0]
        key = id(main), scenario.hours, scenario.service
        known = self._listed.get(key)
        if known is None:
            rates = main.rates
            if scenario.service:
                card = self.card(main, None, scenario.service)
                rates = Rates(**{name: card.rate(name).usd for name in RATE_NAMES if getattr(rates, name) is not None})
            off_peak = None if scenario.hours else depends_on_hour(main, scenario.on)
            known = self._listed[key] = (main, rates, scaled_rates(rates, off_peak.factor) if off_peak else None)
        return known[1], known[2]

    def card(self, price: Price, tier: Tier | None, service: str = "") -> RateCard:
        """Return the card of a price in effect."""
        key = id(price), id(tier), service
        known = self._cards.get(key)
        if known is None:
            known = self._cards[key] = (price, tier, RateCard(price, tier, service))
        return known[2]


def _service(price: Price, tier: Tier | None, normal: Rates, name: str) -> Rates | None:
    """Return the rates of a service tier, given the normal ones for the prompt length, or None if unknown."""
    service = next((one for one in price.services if one.name == name), None)
    if service is None:
        return None
    if service.factor is not None:
        return scaled_rates(normal, service.factor)
    if service.tiers and {one.first for one in service.tiers} != {one.first for one in price.tiers}:
        return None  # the user gave other tiers, so the prompts of these prices are unknown
    if tier is None:
        return service.rates
    if service.tiers is None:
        return None
    reached = [one for one in service.tiers if one.first <= tier.first]
    return _tier_rates(service.rates, reached[-1]) if reached else service.rates


def _tier_rates(base: Rates, tier: Tier) -> Rates:
    """Return the rates of a tier. Cache prices of the base do not apply to a tier with its own input price."""
    own: dict[str, Decimal | None] = {
        name: value for name in RATE_NAMES if (value := getattr(tier.rates, name)) is not None
    }
    own.update({name: None for name in tier.unknown if name in RATE_NAMES})
    if "input" in own:
        base = Rates(input=base.input, output=base.output)
    return replace(base, **own)


def _batch(price: Price, tier: Tier | None) -> Batch:
    """Return the batch prices of a tier. Those of the base apply to it only as ``half``."""
    if tier is None:
        return price.batch
    if tier.batch is not None:
        return tier.batch
    return "half" if price.batch == "half" and "batch" not in tier.unknown else None
