"""What files and folders cost as the prompt of one call, at a few models. No Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gui.costs.cost_service import fitting, new_cards

if TYPE_CHECKING:
    from decimal import Decimal

    from pricing.types import Model, Scenario

MOST_KEPT = 20_000
"""Figures that are remembered: some screens of them."""


class FilePrice(NamedTuple):
    """Tokens as a model counts them, and what they cost as input; each with its range and label. None: not known."""

    label: str | None
    tokens: int | None
    low: int | None
    high: int | None
    usd: Decimal | None
    usd_low: Decimal | None
    usd_high: Decimal | None
    usd_label: str | None


UNKNOWN = FilePrice(None, None, None, None, None, None, None, None)


class FilePrices:
    """Prices of one set of models and one scenario. Rows are priced when they are looked at."""

    def __init__(self, models: Sequence[Model], scenario: Scenario | None) -> None:
        """``scenario``: None where nobody has said it yet; then nothing has a price."""
        self.models = tuple(models)
        self.scenario = scenario
        self._cards = new_cards()
        self._kept: dict[tuple[int, int], FilePrice] = {}

    def encoding_of(self, model: int) -> str | None:
        """What a model is counted with."""
        return self.models[model].count.tokenizer

    def price(self, model: int, counts: Mapping[str, int]) -> FilePrice:
        """What a text with these tokens, by encoding, costs at a model as the prompt of one call."""
        tokens = counts.get(self.encoding_of(model) or "")
        if tokens is None or self.scenario is None:
            return UNKNOWN
        key = (model, tokens)
        if key not in self._kept:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[key] = self._estimated(self.models[model], counts, self.scenario)
        return self._kept[key]

    def _estimated(self, model: Model, counts: Mapping[str, int], scenario: Scenario) -> FilePrice:
        from pricing import count_for, estimate

        count = count_for(model, counts)
        if count is None:
            return UNKNOWN
        cost = estimate(model, count, fitting(scenario, count)[0], self._cards)
        return FilePrice(
            count.label,
            *(count.tokens, count.low, count.high),
            *(cost.input_usd, cost.input_usd_low, cost.input_usd_high, cost.usd_label),
        )
