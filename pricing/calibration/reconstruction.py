"""Rules for models whose tokenizer a third party has reconstructed, from counts of this very text. Who counts is no
matter of this package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from types import MappingProxyType

from pricing.calibration.bands import family_of
from pricing.types import CountRule

_VERSIONS: Mapping[str, str] = MappingProxyType({"claude-until-4.6": "3.0", "claude-from-4.7": "4.8"})


def version_of(rule: CountRule) -> str | None:
    """The version of ctok that counts as the models of this built-in rule do, None where it knows none."""
    return _VERSIONS.get(family_of(rule) or "")


def reconstructed(rule: CountRule, pairs: Sequence[tuple[int, int]], whole: bool) -> CountRule:
    """The rule that counts of a text make: tokens by the reconstruction and by the rule's own encoding, of the text
    (``whole``) or of pieces of it, all above 0. Of pieces the range is as wide as they differ.

    ``rule`` itself where there are none.
    """
    if not pairs:
        return rule
    ratio = Decimal(sum(found for found, _ in pairs)) / Decimal(sum(known for _, known in pairs))
    ratios = [Decimal(found) / Decimal(known) for found, known in pairs]
    counted = "the whole text" if whole else f"{len(pairs)} evenly spread samples of the text"
    note = f"{counted} counted with ctok, a third party's reconstruction of Claude's tokenizers"
    low, high = min(ratio, *ratios), max(ratio, *ratios)
    return replace(rule, label="reconstructed", ratio=ratio, low=low, high=high, note=note)
