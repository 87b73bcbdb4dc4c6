"""From tokens of a known encoding to the tokens that a model would count."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP

from pricing.types import CountRule, Model, TokenCount

BUNDLED_ENCODINGS: tuple[str, ...] = (
    "gpt2",
    "r50k_base",
    "p50k_base",
    "p50k_edit",
    "cl100k_base",
    "o200k_base",
    "o200k_harmony",
    "qwen",
    "qwen3_5",
    "kimi",
    "gemma",
    "gemma3",
    "deepseek",
    "tekken",
)
"""Names of the encodings that come with the application: what a price file may count with.

Callers that know of more (imported ones) pass their names to the functions that read price files.
"""


def count_for(
    model: Model, counts_by_encoding: Mapping[str, int | None], rule: CountRule | None = None
) -> TokenCount | None:
    """The tokens that ``model`` sees in a text with these counts, or None where its encoding was not counted.

    The best figure is rounded to the nearest whole token, the ends of the range outwards; a range that is a point stays
    one. ``rule`` takes the place of
    the model's own, as one that was fitted to a kind of text (``calibration.rule_for``).
    """
    rule = rule or model.count
    if rule.tokenizer is None:
        return None
    counted = counts_by_encoding.get(rule.tokenizer)
    if counted is None:
        return None
    tokens = int((counted * rule.ratio).to_integral_value(ROUND_HALF_UP))
    if rule.ratio == rule.low == rule.high:
        return TokenCount(tokens, tokens, tokens, rule.label)
    return TokenCount(
        tokens,
        int((counted * rule.low).to_integral_value(ROUND_FLOOR)),
        int((counted * rule.high).to_integral_value(ROUND_CEILING)),
        rule.label,
    )
