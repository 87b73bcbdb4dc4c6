"""Which prices hold: the ones in force on a day, for a prompt of a length, normal or batch.

Sources of the rules: long-prompt tiers price the whole request, output included, by its whole prompt, cached tokens
included (Anthropic, Google, OpenAI and xAI document it so). A price that is not published is replaced only where that
cannot make a cost look smaller than it may be; anything else stays unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from pricing.types import RATE_NAMES, Batch, Change, Price, Rates, Tier

_HALF = Decimal("0.5")
_STAND_IN = {
    "input": "",
    "output": "",
    "cached": "input",
    "cache_write": "input",
    "cache_write_1h": "input",
    "reasoning": "output",
}


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


def _known_on(price: Price, on: date) -> Price:
    """The price itself, or one without amounts for a day before the first of which it is known."""
    if price.known_from is None or on >= price.known_from:
        return price
    return Price(Rates(), changes=price.changes, known_from=price.known_from)


class Possible(NamedTuple):
    """A price that may hold. ``factor``: what tokens cost at this hour, as a multiple of it."""

    price: Price
    factor: Decimal


def _in_force(price: Price, on: date) -> tuple[list[Price], Change | None]:
    """The price in force on a day and behind it those that assumed changes may not have replaced; the last change."""
    found, last = [_known_on(price, on)], None
    for change in price.changes:
        if change.from_date > on:
            break
        found, last = [_changed(found[0], change), *(found if change.assumed else ())], change
    return found, last


def _at_all_hours(found: Sequence[Price]) -> tuple[Possible, ...]:
    """These prices, then each of them that depends on the hour outside its peak hours."""
    prices = [Possible(one, Decimal(1)) for one in found]
    return (*prices, *(Possible(one, one.off_peak) for one in found if one.off_peak is not None))


def _changed(price: Price, change: Change) -> Price:
    new: dict[str, Decimal | None] = {
        name: value for name in RATE_NAMES if (value := getattr(change.rates, name)) is not None
    }
    new.update({name: None for name in change.unknown if name in RATE_NAMES})
    batch = change.batch if change.batch is not None else price.batch
    if change.batch is None and ((new and isinstance(batch, Rates)) or "batch" in change.unknown):
        batch = None
    fee = price.per_request if change.per_request is None else change.per_request
    return replace(
        price,
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
    """The prices of one request: a price in force, its tier, and whether it goes through the batch service.

    Where a price is not published: hidden reasoning is billed as output; reading from the cache and writing to it cost
    what fresh input costs. A write that lives for an hour costs more than a short one, so input stands in for it only
    where neither has a price.
    """

    def __init__(self, price: Price, tier: Tier | None, in_batch: bool) -> None:
        self._rates = price.rates if tier is None else _tier_rates(price.rates, tier)
        self._in_batch = in_batch
        self._batch = _batch(price, tier) if in_batch else None
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
        if name != "reasoning" and getattr(self._rates, name) is not None:
            return rate._replace(note="no batch price is published, the normal one counts")
        if instead:
            stand_in = self._rate(instead)
            note = "" if quiet else f"no price is published, that of {instead} counts"
            return stand_in._replace(note=note)
        return Rate(None, f"batch.{name}")

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
        self._changed: dict[int, tuple[Price, tuple[Possible, ...], Change | None]] = {}
        self._cards: dict[tuple[int, int, bool], tuple[Price, Tier | None, RateCard]] = {}

    def in_force(self, price: Price, on: date) -> tuple[Price, Change | None]:
        """As ``price_on``."""
        possible, change = self.possible(price, on)
        return possible[0].price, change

    def possible(self, price: Price, on: date) -> tuple[tuple[Possible, ...], Change | None]:
        """Return the prices that may hold on a day, that of ``price_on`` first, and the change that brought it about.

        The others are those that hold if no assumed change has come, and all of them outside the peak hours.
        """
        if on != self._on:
            self._on = on
            self._changed.clear()
            self._cards.clear()
        # What an id belongs to is kept beside it, or the id could be that of another object one day.
        known = self._changed.get(id(price))
        if known is None:
            found, last = _in_force(price, on)
            known = self._changed[id(price)] = (price, _at_all_hours(found), last)
        return known[1], known[2]

    def card(self, price: Price, tier: Tier | None, in_batch: bool) -> RateCard:
        """The card of a price in force."""
        key = id(price), id(tier), in_batch
        known = self._cards.get(key)
        if known is None:
            known = self._cards[key] = (price, tier, RateCard(price, tier, in_batch))
        return known[2]


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
