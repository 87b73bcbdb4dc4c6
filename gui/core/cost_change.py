"""What another text changes in the cost of every model. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from gui.core.priced_model import Money, difference
from gui.services.cost_rows import PriceRequest, price_rows

if TYPE_CHECKING:
    from gui.runtime.jobs import Ticket
    from pricing.types import CallMix, CostEstimate, Model, Scenario


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """Tokens of both texts by encoding, and what else makes the cost."""

    models: tuple[Model, ...]
    before: Mapping[str, int]
    after: Mapping[str, int]
    scenario: Scenario
    mix: CallMix | None


@dataclass(frozen=True, slots=True)
class CostChange:
    """A model with what one call costs before and after. ``change`` is of one call, ``calls_change`` of all of them;
    ``share`` is the change as a part of the cost before, None where that is not known or nothing."""

    model: Model
    before: CostEstimate
    after: CostEstimate
    change: Money
    calls_change: Money

    @property
    def share(self) -> Decimal | None:
        """0.1 for a tenth more."""
        if self.change.usd is None or not self.before.usd:
            return None
        return self.change.usd / self.before.usd


def cost_changes(request: ChangeRequest, _ticket: Ticket | None = None) -> tuple[CostChange, ...]:
    """One for each model, in their order."""
    sides = []
    for counts in (request.before, request.after):
        wanted = PriceRequest(0, request.models, counts, frozenset(), request.scenario, request.mix)
        sides.append([row.estimate for row in price_rows(wanted)])
    return tuple(
        CostChange(
            model,
            before,
            after,
            difference(
                before.usd_label,
                (after.usd, after.usd_low, after.usd_high),
                (before.usd, before.usd_low, before.usd_high),
            ),
            difference(
                before.usd_label,
                (after.usd_calls, after.usd_calls_low, after.usd_calls_high),
                (before.usd_calls, before.usd_calls_low, before.usd_calls_high),
            ),
        )
        for model, before, after in zip(request.models, *sides, strict=True)
    )
