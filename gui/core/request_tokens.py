"""Token counts of a request for each model, by its template, encoding and image rule. No Qt.

Shared by the window and the command line, so that they agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.requests.types import Grade, Image, Tally
    from pricing.types import Label, Model, TokenCount

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
