"""Measured ratios of closed tokenizers to an open one, by kind of text, where one range for all texts is too wide.

Figures: recorded answers of Anthropic's counting service that the MIT project sanderland/ctok carries, frame tokens
removed, divided by o200k_base, with the 5th to 95th percentile of documents; and ctok itself on samples of 6,000
characters (books, Python, Go, JSON, Chinese with Markdown). Gemini: the open data set
JOHNISKING/token-cost-by-programming-language, six languages. Checked 2026-11-21.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

from pricing.bundled import load_bundled
from pricing.calibration.content import Kind
from pricing.types import CountRule

_CLAUDE_OLD = "claude-until-4.6"
_CLAUDE_NEW = "claude-from-4.7"
_GEMINI = "gemini"

_SPREAD = (Decimal("0.85"), Decimal("1.20"))
"""What stands in for a spread where only a pooled figure was measured: that of the 1,023 Rosetta documents, the widest
of any one kind (1.21 to 1.72 around 1.43)."""

_MEASURED: dict[str, dict[Kind, tuple[str, str, str] | str]] = {
    # A single figure is a pooled ratio without a spread; three are low, ratio and high.
    _CLAUDE_OLD: {
        "code": ("1.07", "1.18", "1.31"),  # Rosetta; ctok: Python 1.24, Go 1.27
        "json": "1.27",
        "english": "1.14",  # books; UDHR 1.07
        "latin": ("1.14", "1.35", "1.90"),  # French 1.34, Spanish 1.35, German 1.58, with the spread
        "chinese": ("1.16", "1.39", "1.70"),  # UDHR 1.36, with Markdown 1.42, with the spread
        "japanese": "1.10",
        "korean": "1.77",
        "cyrillic": "1.53",
        "arabic": "2.11",
        "devanagari": "2.44",
    },
    _CLAUDE_NEW: {
        "code": ("1.21", "1.43", "1.81"),  # Rosetta 1.21 to 1.72; ctok: Python to 1.81, Go 1.50 to 1.78
        "json": ("1.42", "1.49", "1.53"),
        "english": ("1.39", "1.52", "1.58"),  # books; UDHR 1.56
        "latin": ("1.45", "1.84", "2.69"),  # French 1.71, Spanish 1.84, German 2.24, with the spread
        "chinese": ("1.16", "1.43", "1.63"),  # UDHR 1.36 with the spread; with Markdown 1.50 (1.45 to 1.55)
        "japanese": "1.10",
        "korean": "1.77",
        "cyrillic": "1.53",
        "arabic": "2.11",
        "devanagari": "2.44",
    },
    _GEMINI: {"code": ("1.12", "1.17", "1.22")},
}


def family_of(rule: CountRule) -> str | None:
    """The name of the built-in counting rule that this is, None for a rule of the user's."""
    return next((name for name, known in load_bundled().rules.items() if known == rule), None)


def band_for(rule: CountRule, kind: Kind) -> CountRule:
    """The rule for a text of one kind; ``rule`` itself where nothing narrower was measured."""
    family = family_of(rule)
    figures = _MEASURED.get(family, {}).get(kind) if family is not None else None
    if figures is None:
        return rule
    if isinstance(figures, str):
        ratio = Decimal(figures)
        low, high = (_rounded(ratio * factor) for factor in _SPREAD)
        note = f"{kind}: about {ratio} times {rule.tokenizer}; the spread of other texts is assumed"
    else:
        low, ratio, high = map(Decimal, figures)
        note = f"{kind}: {low} to {high} times {rule.tokenizer} in measured texts"
    return CountRule(rule.tokenizer, "estimated", ratio, low, high, note)


def _rounded(factor: Decimal) -> Decimal:
    return factor.quantize(Decimal("0.01"), ROUND_HALF_EVEN)
