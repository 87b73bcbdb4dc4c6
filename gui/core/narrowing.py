"""Count rules narrowed to one text: by its kinds of text, the user's billed samples, and ctok if it is installed. No
Qt.

Shared by the window and the command line, so that they agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engine.text.kinds import TextSample
    from pricing.calibration import Sample, TextMix
    from pricing.types import CountRule, Model


class Narrowed(NamedTuple):
    """A model with its count rule for one text. ``calibrated``: the rule uses the user's billed samples."""

    model: Model
    calibrated: bool = False


def mix_of(sample: TextSample) -> TextMix:
    """Return the kinds of text in a sample."""
    from engine.text.kinds import kinds_of
    from pricing.calibration import TextMix

    kinds = kinds_of(sample.pieces)
    return TextMix(kinds.bytes_by_kind, kinds.ascii_bytes, 0 if sample.whole else len(sample.pieces))


class Narrowing:
    """Cache of the last result of ``narrowed``, keyed by the identity of models, sample and bills. Not thread-safe."""

    def __init__(self) -> None:
        self._asked: tuple[object, ...] = ()
        self._found: list[Narrowed] = []

    def of(self, models: Sequence[Model], sample: TextSample | None, billed: Sequence[Sample]) -> list[Narrowed]:
        """Return the models, in order, with their count rules for the text of ``sample``."""
        asked = (models, sample, billed)
        if not self._asked or any(one is not other for one, other in zip(asked, self._asked, strict=True)):
            self._found, self._asked = narrowed(*asked), asked
        return self._found


def narrowed(models: Sequence[Model], sample: TextSample | None, billed: Iterable[Sample] = ()) -> list[Narrowed]:
    """Return the models, in order, with their count rules for the text of ``sample``; unchanged without a sample.

    ``billed``: the user's own samples, of any models and kinds.
    """
    if sample is None:
        return [Narrowed(model) for model in models]
    from pricing.calibration import rule_for

    mix = mix_of(sample)
    main = mix.main
    own: dict[tuple[str, str | None], list[Sample]] = {}
    for one in billed:
        if one.kind == main:
            own.setdefault((one.model_id, one.tokenizer), []).append(one)
    bands: dict[CountRule, CountRule] = {}
    found = []
    for model in models:
        samples = own.get((model.id, model.count.tokenizer), [])
        rule = rule_for(model, mix, samples) if samples else bands.get(model.count)
        if rule is None:
            rule = bands[model.count] = _reconstructed(model.count, rule_for(model, mix), sample)
        changed = model if rule is model.count else replace(model, count=rule)
        found.append(Narrowed(changed, calibrated=bool(samples) and changed is not model))
    return found


def _reconstructed(rule: CountRule, band: CountRule, sample: TextSample) -> CountRule:
    """Return the rule reconstructed by ctok; ``band`` if ctok is not installed, not applicable, or fails."""
    from engine import get_encoding
    from engine.encoding.library_encoding import ReconstructionError, counted_pairs, is_installed
    from pricing.calibration import reconstructed, version_of

    version = version_of(rule)
    if version is None or rule.tokenizer is None or not is_installed():
        return band
    try:
        pairs, whole = counted_pairs(sample, version, get_encoding(rule.tokenizer))
    except ReconstructionError as error:
        return replace(band, note=f"{band.note}; {error}")
    return reconstructed(rule, pairs, whole) if pairs else band
