"""One row of the cost table: a model with what one call of it costs. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pricing.scenarios import MixedCost
    from pricing.types import CostEstimate, Model, Rates


@dataclass(frozen=True, slots=True)
class CostRow:
    """A model, its estimate, and what the window knows besides.

    ``pending``: the count is that of an earlier text, or has not arrived at all; a new one is on its way.
    ``cached_cut``: the scenario asked for more cached tokens than this prompt has, so all of it counts as cached.
    ``mixed``: the kinds of calls, where they are not all alike; then ``estimate`` is their average, without parts.
    ``rates``: the prices in force on the day of the scenario, in its service tier and at its hours, below any tier of
    long prompts. ``off_peak_rates``: those outside the peak hours, where prices depend on the hour and it is not told.
    ``calibrated``: the count rests on what the user was billed for such texts.
    """

    model: Model
    estimate: CostEstimate
    pending: bool = False
    cached_cut: bool = False
    rates: Rates | None = None
    off_peak_rates: Rates | None = None
    mixed: MixedCost | None = None
    calibrated: bool = False

    @property
    def model_id(self) -> str:
        """The id of the model, ``vendor/model``."""
        return self.model.id

    @property
    def has_range(self) -> bool:
        """Whether tokens of the prompt, of the output, or the prices are a range rather than one number."""
        estimate = self.estimate
        tokens = estimate.input_low != estimate.input_high or estimate.output_low != estimate.output_high
        return tokens or estimate.usd_low != estimate.usd_high


def usd_middle(row: CostRow) -> Decimal | None:
    """The middle of the range of the total: what a row is sorted and compared by. None where the total is unknown."""
    estimate = row.estimate
    if estimate.usd is None or estimate.usd_low is None or estimate.usd_high is None:
        return estimate.usd
    return (estimate.usd_low + estimate.usd_high) / 2
