"""Token counts of each model: count rules narrowed to one text, and counts of a request. No Qt.

Rules are narrowed by the kinds of text, the user's billed samples, and ctok if it is installed. Requests are counted by
the template, the encoding and the image rule of the model. The window and the command line share this, so they agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engine.requests.types import Grade, Image, Tally
    from engine.text.kinds import TextSample
    from pricing.calibration import Sample, TextMix
    from pricing.types import CountRule, Label, Model, TokenCount


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
        self._arguments: tuple[object, ...] = ()
        self._found: list[Narrowed] = []

    def of(self, models: Sequence[Model], sample: TextSample | None, billed: Sequence[Sample]) -> list[Narrowed]:
        """Return the models, in order, with their count rules for the text of ``sample``."""
        arguments = (models, sample, billed)
        if not self._arguments or any(one is not other for one, other in zip(arguments, self._arguments, strict=True)):
            self._found, self._arguments = narrowed(*arguments), arguments
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


LABELS: dict[Grade, Label] = {"exact": "exact", "formula": "formula", "estimate": "estimated"}
"""The label of a count whose least certain part has this grade."""

TallyOf = Callable[[str, str], "Tally | None"]
"""Counts the request for a template key and an encoding name. Images are counted as for an unknown model."""


@dataclass(frozen=True, slots=True, eq=False)
class RequestTokens:
    """A request that can be counted for any model.

    ``images``: all images of its messages. ``template``: key of a template that overrides that of each model;
    ``image_rule``: a rule that overrides that of each model. If empty, the model's own applies.
    """

    tally_of: TallyOf
    images: tuple[Image, ...] = ()
    template: str = ""
    image_rule: str = ""

    def count(self, model: Model) -> TokenCount | None:
        """Return the model's count; None if no tokenizer or count is available."""
        if model.count.tokenizer is None:
            return None
        key = self.template or own_template(model)
        tally = self.tally_of(key, model.count.tokenizer)
        if tally is None:
            return None
        if not self.template:  # the model's rule states the count quality of its encoding
            tally = tally.without_encoding_range
        if self.images and not self.image_rule:
            tally = _with_images_of(tally, self.images, model, key)
        return token_count(model, tally)


def own_template(model: Model) -> str:
    """Return the key of the template implied by the model's name."""
    from engine.requests.templates import template_for_model

    return template_for_model(model.id)


def templates_and_encodings(models: Iterable[Model]) -> tuple[tuple[str, str], ...]:
    """Return the distinct pairs of template and encoding that these models use."""
    pairs = ((own_template(model), model.count.tokenizer) for model in models if model.count.tokenizer is not None)
    return tuple(dict.fromkeys(pairs))


def token_count(model: Model, tally: Tally) -> TokenCount | None:
    """Return the model's count: text by the model's count rule, images unchanged.

    The range combines those of the rule and the parts. The label is the less certain of the two.
    """
    from pricing import count_for
    from pricing.types import TokenCount, least_sure

    tokenizer = model.count.tokenizer
    if tokenizer is None:
        return None
    images = tally.of("images")
    ends = (tally.tokens - images.tokens, tally.low - images.low, tally.high - images.high)
    middle, fewest, most = (count_for(model, {tokenizer: tokens}) for tokens in ends)
    assert middle is not None
    assert fewest is not None
    assert most is not None
    return TokenCount(
        middle.tokens + images.tokens,
        fewest.low + images.low,
        most.high + images.high,
        least_sure(middle.label, LABELS[tally.grade]),
        tally.is_complete,
    )


def _with_images_of(tally: Tally, images: tuple[Image, ...], model: Model, template: str) -> Tally:
    from engine.requests.counting import images_part
    from engine.requests.templates import TEMPLATES

    known = TEMPLATES.get(template)
    part = images_part(images, model.id, known.images if known is not None else None)
    parts = tuple(part if one.kind == "images" else one for one in tally.parts)
    return replace(tally, parts=parts)
