"""Prices every model for one text and one scenario: the work of the pricing lane. No Qt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from gui.models.cost_row import CostRow

if TYPE_CHECKING:
    from gui.jobs import Ticket
    from pricing.types import CostEstimate, Model, Scenario, Tier, TokenCount


@dataclass(frozen=True, slots=True)
class PriceRequest:
    """What to price: models, tokens by encoding, and the scenario.

    ``revision`` is that of the text counted. ``counts`` may hold figures of an earlier text for the encodings named in
    ``pending``, which are still being counted.
    """

    revision: int
    models: tuple[Model, ...]
    counts: Mapping[str, int]
    pending: frozenset[str]
    scenario: Scenario


def price_rows(request: PriceRequest, _ticket: Ticket | None = None) -> tuple[CostRow, ...]:
    """One row for each model, in the order of the models."""
    return tuple(_row(model, request) for model in request.models)


def _row(model: Model, request: PriceRequest) -> CostRow:
    from pricing import count_for

    count = count_for(model, request.counts)
    scenario, cut = fitting(request.scenario, count)
    estimate = _estimate(model, count, scenario)
    low, high = _input_ends(model, count, scenario, estimate)
    return CostRow(model, estimate, low, high, model.count.tokenizer in request.pending, cut)


def fitting(scenario: Scenario, count: TokenCount | None) -> tuple[Scenario, bool]:
    """``scenario`` cut to what a prompt of this size can hold in the cache, and whether anything had to be cut.

    Someone who types a number of cached tokens that is larger than a short prompt means: all of it is cached.
    """
    if count is None:
        return scenario, False
    room = count.tokens
    wanted = (scenario.cached_tokens or 0, scenario.cache_write_tokens, scenario.cache_write_1h_tokens)
    if sum(wanted) <= room:
        return scenario, False
    taken = []
    for tokens in wanted:
        taken.append(min(tokens, room))
        room -= taken[-1]
    cached = None if scenario.cached_tokens is None else taken[0]
    return replace(scenario, cached_tokens=cached, cache_write_tokens=taken[1], cache_write_1h_tokens=taken[2]), True


def _estimate(model: Model, count: TokenCount | None, scenario: Scenario) -> CostEstimate:
    from pricing import estimate

    return estimate(model, count, scenario)


def _input_ends(
    model: Model, count: TokenCount | None, scenario: Scenario, middle: CostEstimate
) -> tuple[Decimal | None, Decimal | None]:
    """The input cost at both ends of the range of the count."""
    if count is None or count.low == count.high or middle.input_usd is None:
        return middle.input_usd, middle.input_usd
    if middle.usd_low is None or middle.usd_high is None:
        return None, None
    if middle.usd is not None and not any(count.low < tier.first <= count.high for tier in _all_tiers(model)):
        # Nothing but the input changes along the range.
        rest = middle.usd - middle.input_usd
        return middle.usd_low - rest, middle.usd_high - rest
    from pricing.types import TokenCount

    amounts = [middle.input_usd]
    for tokens in (count.low, count.high):
        end = TokenCount(tokens, tokens, tokens, count.label)
        usd = _estimate(model, end, fitting(scenario, end)[0]).input_usd
        if usd is None:
            return None, None
        amounts.append(usd)
    return min(amounts), max(amounts)


def _all_tiers(model: Model) -> Iterator[Tier]:
    """The tiers of the price, whichever day they hold on."""
    yield from model.price.tiers
    for change in model.price.changes:
        yield from change.tiers or ()
