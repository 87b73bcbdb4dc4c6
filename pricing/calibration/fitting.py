"""Fits the user's own ratio for a model and a kind of text from what providers billed, and narrows the range.

The ratio is that of all billed tokens to all counted ones. The range begins as wide, relatively, as the one measured
for such texts, and shrinks with the square root of the samples as the error of a mean does; but no further than the
narrowest spread that was measured for one kind of text, for the next text is another one. It always holds every ratio
that was seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal

from pricing.calibration.bands import band_for
from pricing.calibration.mixture import Kind, TextMix
from pricing.calibration.usage import Usage
from pricing.types import CountRule, Model, PricingError

LEAST_TOKENS = 50
"""A text of fewer tokens says too little: what a request adds around it weighs as much."""

LEAST_SPREAD = Decimal("0.04")
"""JSON, 1.42 to 1.53 times o200k_base around 1.49 in nine of ten documents: the narrowest measured of one kind."""

_LEAST_RATIO, _MOST_RATIO = Decimal("0.2"), Decimal(10)
_DIGITS = Context(prec=12)
_STEP = Decimal("0.0001")


class CalibrationError(PricingError, ValueError):
    """A sample that cannot teach anything. The text is a plain sentence."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One text that was billed: ``counted`` tokens in the encoding ``tokenizer``, ``billed`` by the provider for it.

    ``framing`` tokens, of roles, tools and the like, were taken off what was billed.
    """

    model_id: str
    kind: Kind
    tokenizer: str
    counted: int
    billed: int
    day: date
    framing: int = 0

    @property
    def ratio(self) -> Decimal:
        """Billed tokens for one counted."""
        return _DIGITS.divide(Decimal(self.billed), Decimal(self.counted))


def make_sample(model: Model, kind: Kind, counted: int, usage: Usage, day: date, framing: int = 0) -> Sample:
    """A sample of a text with this count in the encoding of the model's rule, and the usage that came back for it.

    Raises CalibrationError where the two cannot belong together.
    """
    if model.count.tokenizer is None:
        raise CalibrationError(f"{model.id} is not counted, so there is nothing to compare with")
    billed = usage.input_tokens - framing
    if counted < LEAST_TOKENS or billed < LEAST_TOKENS:
        raise CalibrationError(f"a text of {LEAST_TOKENS} tokens or more is needed, shorter ones say too little")
    sample = Sample(model.id, kind, model.count.tokenizer, counted, billed, day, framing)
    if not _LEAST_RATIO <= sample.ratio <= _MOST_RATIO:
        raise CalibrationError(
            f"{billed:,} billed tokens do not belong to a text of {counted:,}: is it the usage of another request?"
        )
    return sample


def rule_for(model: Model, mix: TextMix, samples: Iterable[Sample] = ()) -> CountRule:
    """How to count a text of these kinds for a model: from the user's own samples of what most of it is where there are
    any, else from what was measured for such texts, else as the model says. Exact counts stay exact.
    """
    rule = model.count
    if rule.label in {"exact", "counted", "reconstructed"}:
        return rule
    own = [sample for sample in samples if _is_of(sample, model, mix.main)]
    if rule.label == "assumed" and not own:
        return rule
    band = band_for(rule, mix)
    return fitted(band, own) if own else band


def fitted(prior: CountRule, samples: Sequence[Sample]) -> CountRule:
    """The rule that samples of one model and kind make of the one that held before. Without samples: that one."""
    if not samples:
        return prior
    counted, billed = sum(sample.counted for sample in samples), sum(sample.billed for sample in samples)
    ratio = _DIGITS.divide(Decimal(billed), Decimal(counted)).quantize(_STEP, ROUND_HALF_EVEN)
    shrink = _DIGITS.divide(Decimal(1), _DIGITS.sqrt(Decimal(len(samples) + 1)))
    below = max(LEAST_SPREAD, (1 - _DIGITS.divide(prior.low, prior.ratio)) * shrink)
    above = max(LEAST_SPREAD, (_DIGITS.divide(prior.high, prior.ratio) - 1) * shrink)
    seen = [sample.ratio for sample in samples]
    low = min(ratio * (1 - below), *seen).quantize(_STEP, ROUND_FLOOR)
    high = max(ratio * (1 + above), *seen).quantize(_STEP, ROUND_CEILING)
    texts = "one text" if len(samples) == 1 else f"{len(samples)} texts"
    note = f"your own ratio to {prior.tokenizer}, from {texts} that you were billed for"
    return replace(prior, label="estimated", ratio=ratio, low=max(low, _STEP), high=high, note=note)


def _is_of(sample: Sample, model: Model, kind: Kind) -> bool:
    return (sample.model_id, sample.kind, sample.tokenizer) == (model.id, kind, model.count.tokenizer)
