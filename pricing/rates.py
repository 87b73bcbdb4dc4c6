"""Which prices hold: the ones in force on a day, for a prompt of a length, in a service tier or the batch service.

Sources of the rules: long-prompt tiers price the whole request, output included, by its whole prompt, cached tokens
included (Anthropic, Google, OpenAI and xAI document it so). A price that is not published is replaced only where that
cannot make a cost look smaller than it may be; anything else stays unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from typing import NamedTuple

from pricing.types import RATE_NAMES, WEEK_MINUTES, Batch, Change, OffPeak, Price, Rates, Service, Tier

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
    """One price in USD per million tokens, None where unknown. ``path`` is where a file would say it.

    ``note`` tells what the price stands in for. A tuple, because thousands are made when a table is priced again.
    """

    usd: Decimal | None
    path: str
    note: str = ""


def price_on(price: Price, on: date) -> tuple[Price, Change | None]:
    """The price in force on a day, and the change that brought it about, if one did. On a day of which no price is
    known it has no amounts."""
    found, last = _in_force(price, on)
    return found[0], last


def _in_force(price: Price, on: date) -> tuple[list[Price], Change | None]:
    """The price in force on a day and behind it those that assumed changes may not have replaced; the last change."""
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
    """The price that was in force on a day before those of today, and a change that says of when it is."""
    earlier = [past for past in price.history if past.from_date <= on]
    if not earlier:
        return [Price(Rates(), changes=price.changes, known_from=price.since)], None
    past = earlier[-1]
    later = [other.from_date for other in price.history if other.from_date > on]
    until = min([*later, *([price.since] if price.since else [])])
    note = f"price from {past.from_date.isoformat()} until {until.isoformat()}"
    told = ", ".join(filter(None, (past.note, past.source)))
    tiers = past.tiers
    if tiers is None:  # whether long prompts cost more at that time is not known
        tiers = tuple(Tier(Rates(), over=tier.over, from_=tier.from_, unknown=_EVERYTHING) for tier in price.tiers)
    found = Price(past.rates, past.per_request, past.batch, tiers, known_from=price.known_from)
    return [found], Change(past.from_date, Rates(), note=f"{note} ({told})" if told else note)


def depends_on_hour(price: Price, on: date) -> OffPeak | None:
    """What a price of that day is outside its peak hours; None where it does not depend on the hour."""
    off_peak = price.off_peak
    if off_peak is None or (off_peak.from_date is not None and on < off_peak.from_date):
        return None
    return off_peak


def _at_hours(found: Sequence[Price], on: date, hours: str) -> tuple[Price, ...]:
    """These prices as they are at some hours, and behind them those between which they may lie.

    Without hours, and for the mean of a week, these are the prices of the peak hours and those of all others.
    """
    main, others = list(found), []
    for place, price in enumerate(found):
        off_peak = depends_on_hour(price, on)
        if off_peak is None:
            continue
        other = scaled(price, off_peak.factor)
        if hours == "off-peak":
            main[place] = other
        elif hours == "average" and off_peak.peak_minutes is not None:
            main[place] = scaled(price, *average_of_a_week(off_peak, off_peak.peak_minutes))
            others += [price, other]
        elif hours != "peak":
            others.append(other)
    return (*main, *others)


def average_of_a_week(off_peak: OffPeak, peak_minutes: int) -> tuple[Decimal, int]:
    """Return the mean price of a week as a multiple of that of the peak hours: a dividend and a divisor."""
    return peak_minutes + off_peak.factor * (WEEK_MINUTES - peak_minutes), WEEK_MINUTES


def scaled(price: Price, factor: Decimal, divisor: int = 1) -> Price:
    """Return a price whose tokens all cost ``factor / divisor`` times as much. Fees for requests and searches stay."""

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
    """Return rates that are ``factor / divisor`` times as high; unknown ones stay unknown.

    With a divisor, to twelve decimals of a dollar for a million tokens: a third has no end.
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
    if new or change.tiers is not None:  # what a tier with prices of its own costs then is not announced
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
    """The tier that a prompt of this many tokens falls into, None for the base prices."""
    found = None
    for tier in price.tiers:
        if prompt_tokens < tier.first:
            break
        found = tier
    return found


class RateCard:
    """The prices of one request: a price in force, its tier, and the service it goes through.

    ``service``: empty for the standard one, ``batch``, or one of ``SERVICES``.

    Where a price is not published: hidden reasoning is billed as output; reading from the cache and writing to it cost
    what fresh input costs. A write that lives for an hour costs more than a short one, so input stands in for it only
    where neither has a price.
    """

    def __init__(self, price: Price, tier: Tier | None, service: str = "") -> None:
        self._rates = price.rates if tier is None else _tier_rates(price.rates, tier)
        self._in_batch = service == "batch"
        self._batch = _batch(price, tier) if self._in_batch else None
        self._service = "" if self._in_batch else service
        self._service_rates = _service(price, tier, self._rates, service) if self._service else None
        self._known: dict[str, Rate] = {}

    def rate(self, name: str) -> Rate:
        """The price of ``input``, ``cached``, ``cache_write``, ``cache_write_1h``, ``output`` or ``reasoning``."""
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
            return rate._replace(note="no batch price is published; the normal price applies")
        if instead:
            stand_in = self._rate(instead)
            note = "" if quiet else f"no price is published, that of {instead} counts"
            return stand_in._replace(note=note)
        return Rate(None, f"batch.{name}")

    def _of_service(self, name: str, instead: str, normal: Rate, quiet: bool) -> Rate:
        """A price of a service tier. Where it is not published, the normal one stands in if the tier is not dearer."""
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
            note = "" if quiet else f"no price is published, that of {instead} counts"
            return Rate(base, f"{path}.{instead}", note)
        if base <= usual:
            return normal._replace(note=f"no {self._service} price is published, the normal one counts")
        if name == "cached":
            return Rate(base, f"{path}.{instead}", f"no {self._service} price is published, that of {instead} counts")
        return Rate(None, f"{path}.{name}")

    def _normal(self, name: str, instead: str, quiet: bool) -> Rate:
        own: Decimal | None = getattr(self._rates, name)
        if own is not None or not instead:
            return Rate(own, name)
        other: Decimal | None = getattr(self._rates, instead)
        note = "" if quiet else f"no price is published, that of {instead} counts"
        return Rate(other, instead, note)


class RateCards:
    """Rate cards that are made once and kept, for a table whose models are priced again and again.

    Those of one day: another day empties it. Prices and tiers are told apart as objects, for those of a catalogue stay
    as they are, and comparing them would take longer than making a card. For one thread at a time.
    """

    def __init__(self) -> None:
        self._on: date | None = None
        self._changed: dict[tuple[int, str], tuple[Price, tuple[Price, ...], Change | None]] = {}
        self._cards: dict[tuple[int, int, str], tuple[Price, Tier | None, RateCard]] = {}

    def possible(self, price: Price, on: date, hours: str = "") -> tuple[tuple[Price, ...], Change | None]:
        """Return the prices that may hold on a day, and the change that brought the first of them about.

        The first is the one that counts: that of ``price_on`` at these hours. The others are those that hold if no
        assumed change has come, and where the hours are not told, those outside the peak hours.
        """
        if on != self._on:
            self._on = on
            self._changed.clear()
            self._cards.clear()
        # What an id belongs to is kept beside it, or the id could be that of another object one day.
        key = id(price), hours
        known = self._changed.get(key)
        if known is None:
            found, last = _in_force(price, on)
            known = self._changed[key] = (price, _at_hours(found, on, hours), last)
        return known[1], known[2]

    def card(self, price: Price, tier: Tier | None, service: str = "") -> RateCard:
        """The card of a price in force."""
        key = id(price), id(tier), service
        known = self._cards.get(key)
        if known is None:
            known = self._cards[key] = (price, tier, RateCard(price, tier, service))
        return known[2]


def _service(price: Price, tier: Tier | None, normal: Rates, name: str) -> Rates | None:
    """The rates of a service tier for prompts of a length whose normal ones are given; None where they are unknown."""
    service = next((one for one in price.services if one.name == name), None)
    if service is None:
        return None
    if service.factor is not None:
        return scaled_rates(normal, service.factor)
    if service.tiers and {one.first for one in service.tiers} != {one.first for one in price.tiers}:
        return None  # the user gave other tiers: for which prompts these prices are is not known
    if tier is None:
        return service.rates
    if service.tiers is None:
        return None
    reached = [one for one in service.tiers if one.first <= tier.first]
    return _tier_rates(service.rates, reached[-1]) if reached else service.rates


def _tier_rates(base: Rates, tier: Tier) -> Rates:
    """The rates of a tier. Cache prices of the base do not reach into a tier that has an input price of its own."""
    own: dict[str, Decimal | None] = {
        name: value for name in RATE_NAMES if (value := getattr(tier.rates, name)) is not None
    }
    own.update({name: None for name in tier.unknown if name in RATE_NAMES})
    if "input" in own:
        base = Rates(input=base.input, output=base.output)
    return replace(base, **own)


def _batch(price: Price, tier: Tier | None) -> Batch:
    """The batch prices of a tier; those of the base reach into it only as ``half``."""
    if tier is None:
        return price.batch
    if tier.batch is not None:
        return tier.batch
    return "half" if price.batch == "half" and "batch" not in tier.unknown else None
