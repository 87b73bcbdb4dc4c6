"""Prices every model for one text and one scenario: the work of the pricing lane. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gui.core.narrowing import Narrowing
from gui.costs.cost_row import CostRow

if TYPE_CHECKING:
    from engine.text_sample import TextSample
    from gui.jobs import Ticket
    from gui.services.request_tokens import RequestTokens
    from pricing.calibration import Sample
    from pricing.rates import RateCards
    from pricing.types import CallMix, Model, Rates, Scenario, TokenCount


@dataclass(frozen=True, slots=True)
class PriceRequest:
    """What to price: models, tokens by encoding, and the scenario.

    ``revision`` is that of the text counted. ``counts`` may hold figures of an earlier text for the encodings named in
    ``pending``, which are still being counted. ``mix`` says how calls differ, None where they do not. ``cards`` keeps
    prices that were looked up for the next request with the same models; requests that share it run one at a time.
    ``samples``: what the user was billed for texts; ``sample``: some of this one, by which its kinds are told, None
    where the models count as they do for any text. ``request``: what is priced instead of the counts. ``narrowing``
    keeps what these made of the models, as ``cards`` does.
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
    """An empty place for prices that were looked up: one for each set of models."""
    from pricing.rates import RateCards

    return RateCards()


def price_rows(request: PriceRequest, ticket: Ticket | None = None) -> tuple[CostRow, ...]:
    """One row for each model, in the order of the models."""
    from pricing import count_for, estimate

    def give_way() -> None:
        if ticket is not None:
            ticket.give_way()

    cards = request.cards or new_cards()
    mixed = request.mix is not None and not request.mix.is_plain
    rows = []
    give_way()
    for model, calibrated in (request.narrowing or Narrowing()).of(request.models, request.sample, request.samples):
        give_way()
        count = request.request.count(model) if request.request is not None else count_for(model, request.counts)
        pending = model.count.tokenizer in request.pending
        rates, other = _rates(model, request.scenario, cards)
        if mixed and count is not None:
            row = _mixed_row(model, count, request, cards)
            rows.append(replace(row, pending=pending, rates=rates, off_peak_rates=other, calibrated=calibrated))
            continue
        scenario, cut = fitting(request.scenario, count)
        cost = estimate(model, count, scenario, cards)
        rows.append(CostRow(model, cost, pending, cut, rates, other, calibrated=calibrated))
    return tuple(rows)


def _rates(model: Model, scenario: Scenario, cards: RateCards) -> tuple[Rates, Rates | None]:
    """The prices of a scenario's service tier and hours, and those outside the peak where the hours are not told."""
    from pricing.rates import depends_on_hour, scaled_rates
    from pricing.types import RATE_NAMES, Rates

    price = cards.possible(model.price, scenario.on, scenario.hours)[0][0]
    rates = price.rates
    if scenario.service:
        card = cards.card(price, None, scenario.service)
        rates = Rates(**{name: card.rate(name).usd for name in RATE_NAMES if getattr(rates, name) is not None})
    off_peak = depends_on_hour(price, scenario.on)
    return rates, scaled_rates(rates, off_peak.factor) if off_peak is not None and not scenario.hours else None


def _mixed_row(model: Model, count: TokenCount, request: PriceRequest, cards: RateCards) -> CostRow:
    """The row of a model whose calls are not all alike: what they cost on average."""
    from pricing.scenarios import mixed_cost

    assert request.mix is not None
    wanted = request.scenario
    if request.mix.hit_rate is not None:
        wanted = replace(wanted, cache_write_tokens=0, cache_write_1h_tokens=0)
    scenario, cut = fitting(wanted, count)
    mixed = mixed_cost(model, count, scenario, request.mix, cards)
    return CostRow(model, mixed.average, cached_cut=cut, mixed=mixed)


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
