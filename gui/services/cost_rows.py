"""Prices every model for one text and one scenario: the work of the pricing lane. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gui.models.cost_row import CostRow

if TYPE_CHECKING:
    from gui.jobs import Ticket
    from pricing.types import Model, Scenario, TokenCount


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
    from pricing import count_for, estimate, price_on

    count = count_for(model, request.counts)
    scenario, cut = fitting(request.scenario, count)
    cost = estimate(model, count, scenario)
    pending = model.count.tokenizer in request.pending
    rates = price_on(model.price, scenario.on)[0].rates
    return CostRow(model, cost, cost.input_usd_low, cost.input_usd_high, pending, cut, rates)


def fitting(scenario: Scenario, count: TokenCount | None) -> tuple[Scenario, bool]:
    """``scenario`` cut to what a prompt of this size can hold in the cache, and whether anything had to be cut.

    Someone who types a number of cached tokens that is larger than a short prompt means: all of it is cached.
    """
    if count is None:
        return scenario, False
    from pricing.scenario_checks import cached_tokens

    room = count.tokens
    wanted = (cached_tokens(room, scenario), scenario.cache_write_tokens, scenario.cache_write_1h_tokens)
    if sum(wanted) <= room:
        return scenario, False
    taken = []
    for tokens in wanted:
        taken.append(min(tokens, room))
        room -= taken[-1]
    cached = None if scenario.cached_tokens is None else taken[0]
    return replace(scenario, cached_tokens=cached, cache_write_tokens=taken[1], cache_write_1h_tokens=taken[2]), True
