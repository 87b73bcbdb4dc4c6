"""Measured ratios of closed tokenizers to an open one, by kind of text, where one range for all texts is too wide.

The figures, with what was measured and by whom, are in ``pricing/data/bands.json``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from pricing.bundled import load_bundled
from pricing.calibration.mixture import TextMix
from pricing.types import CountRule

_STEP = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Band:
    """Tokens for one of the rule's own encoding. ``assumed``: only ``ratio`` was measured, the spread is that of other
    texts. ``measured``: when and by whom, in words."""

    low: Decimal
    ratio: Decimal
    high: Decimal
    assumed: bool
    measured: str


@cache
def load_bands() -> dict[str, dict[str, Band]]:
    """The measured bands by rule (its name in ``counting.yaml``) and kind of text, read once."""
    document = json.loads(files("pricing").joinpath("data", "bands.json").read_text(encoding="utf-8"))
    spread = Decimal(document["spread"]["low"]), Decimal(document["spread"]["high"])
    measured = {name: f"measured by {raw['checked']}: {raw['name']}" for name, raw in document["sources"].items()}
    return {
        family: {kind: _band(raw, spread, measured[raw["source"]]) for kind, raw in kinds.items()}
        for family, kinds in document["families"].items()
    }


def _band(raw: dict[str, Any], spread: tuple[Decimal, Decimal], measured: str) -> Band:
    ratio = Decimal(raw["ratio"])
    if "low" in raw:
        return Band(Decimal(raw["low"]), ratio, Decimal(raw["high"]), False, measured)
    low, high = ((ratio * factor).quantize(_STEP, ROUND_HALF_EVEN) for factor in spread)
    return Band(low, ratio, high, True, measured)


def family_of(rule: CountRule) -> str | None:
    """The name of the built-in counting rule that this is, None for a rule of the user's."""
    return next((name for name, known in load_bundled().rules.items() if known == rule), None)


def band_for(rule: CountRule, mix: TextMix) -> CountRule:
    """The rule for a text that is made of these kinds; ``rule`` itself where nothing was measured for any of them.

    Ratio and ends are the means of those of its kinds, by bytes: bytes of all kinds make about as many tokens, some
    four each. The ends are as far out as if all kinds erred to the same side. Of a kind without figures the rule's own
    hold.
    """
    known = load_bands().get(family_of(rule) or "", {})
    found = [(known.get(kind), share) for kind, share in mix.shares]
    bands = [band for band, _ in found if band is not None]
    if not bands:
        return rule
    whole = Band(rule.low, rule.ratio, rule.high, False, "")
    low = sum((share * (band or whole).low for band, share in found), Decimal(0)).quantize(_STEP, ROUND_FLOOR)
    ratio = sum((share * (band or whole).ratio for band, share in found), Decimal(0)).quantize(_STEP, ROUND_HALF_EVEN)
    high = sum((share * (band or whole).high for band, share in found), Decimal(0)).quantize(_STEP, ROUND_CEILING)
    spread = "; the spread is assumed" if any(band.assumed for band in bands) else ""
    note = f"{mix.words}: {low} to {high} times {rule.tokenizer}{spread}; {bands[0].measured}"
    return CountRule(rule.tokenizer, "estimated", ratio, low, high, note)
