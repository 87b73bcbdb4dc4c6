"""Which model does the job for the least money."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from pricing.types import CostEstimate, Model, Scenario


@dataclass(frozen=True, slots=True)
class Choice:
    """A model with its cost. ``why_not`` says what keeps it from the job, each a phrase; empty where nothing does."""

    model: Model
    estimate: CostEstimate
    why_not: tuple[str, ...]

    @property
    def fits(self) -> bool:
        """Whether the model can do the job at a price that is known."""
        return not self.why_not


def ranked(priced: Iterable[tuple[Model, CostEstimate]], scenario: Scenario) -> tuple[Choice, ...]:
    """The models that fit, cheapest first by the middle of their range, then those that do not, in the order given."""
    choices = [Choice(model, estimate, tuple(_why_not(model, estimate, scenario))) for model, estimate in priced]
    return tuple(sorted(choices, key=lambda choice: (not choice.fits, middle(choice.estimate) if choice.fits else 0)))


def middle(estimate: CostEstimate) -> Decimal:
    """The middle of the range of a cost, 0 where it is unknown."""
    if estimate.usd_low is None or estimate.usd_high is None:
        return estimate.usd or Decimal(0)
    return (estimate.usd_low + estimate.usd_high) / 2


def _why_not(model: Model, estimate: CostEstimate, scenario: Scenario) -> Iterator[str]:
    output = scenario.output_range[1] if scenario.output_range else scenario.output_tokens
    if estimate.retired:
        yield f"retired on {model.retires}"
    if model.only_reads and output:
        yield "writes no text"
    if estimate.input_tokens is None:
        yield "the tokens of the prompt are not known"
    elif estimate.usd is None:
        yield f"no price is known for {', '.join(estimate.unknown)}"
    if model.max_output is not None and output > model.max_output:
        yield f"puts out {model.max_output:,} tokens at most"
    prompt = estimate.input_high or 0
    if model.max_input is not None and prompt > model.max_input:
        yield f"takes prompts of {model.max_input:,} tokens at most"
    elif model.context is not None and prompt + estimate.output_high > model.context:
        yield f"has room for {model.context:,} tokens"
