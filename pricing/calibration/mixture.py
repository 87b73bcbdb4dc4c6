"""Of what kinds a text is made, in words and shares. Who tells the kinds is no matter of this package."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Literal, get_args

Kind = Literal[
    "code",
    "json",
    "structured",
    "english",
    "latin",
    "chinese",
    "japanese",
    "korean",
    "cyrillic",
    "arabic",
    "devanagari",
    "other",
]
"""``structured``: keys and values, rows of a table, logs. ``latin``: prose in Latin letters, not English. ``other``:
another script, a mixture, too little to tell."""

KINDS: tuple[Kind, ...] = get_args(Kind)
"""Those of ``engine.text_kinds``, here because neither package imports the other; a test compares them."""

MAIN_SHARE = Decimal("0.6")
"""A text is of one kind where at least so much of it is."""

_NEARLY_ALL = Decimal("0.95")
_DIGITS = Context(prec=12)
_WORDS: dict[Kind, str] = {
    "code": "code",
    "json": "JSON",
    "structured": "structured text",
    "english": "English prose",
    "latin": "other prose in Latin letters",
    "chinese": "Chinese",
    "japanese": "Japanese",
    "korean": "Korean",
    "cyrillic": "Cyrillic",
    "arabic": "Arabic",
    "devanagari": "Devanagari",
    "other": "text of no measured kind",
}


@dataclass(frozen=True, slots=True)
class TextMix:
    """Bytes of a text by kind, those with most bytes first, and how many of all are ASCII.

    ``samples``: by how many evenly spread pieces a longer text was judged; 0: by all of it.
    """

    bytes_by_kind: tuple[tuple[Kind, int], ...]
    ascii_bytes: int
    samples: int = 0

    @classmethod
    def only(cls, kind: Kind) -> TextMix:
        """A text that is said to be of one kind."""
        return cls(((kind, 1),), 0)

    @property
    def shares(self) -> tuple[tuple[Kind, Decimal], ...]:
        """The part of each kind, from 0 to 1, the largest first; nothing for an empty text."""
        total = Decimal(sum(size for _, size in self.bytes_by_kind))
        return tuple((kind, _DIGITS.divide(Decimal(size), total)) for kind, size in self.bytes_by_kind if size)

    @property
    def main(self) -> Kind:
        """The kind of most of the text, ``other`` where there is none."""
        return next((kind for kind, share in self.shares if share >= MAIN_SHARE), "other")

    @property
    def words(self) -> str:
        """Like ``mostly code (72 %), 98 % ASCII, by 40 samples of the text``."""
        shares = self.shares
        if not shares:
            return "no text"
        if shares[0][1] >= _NEARLY_ALL:
            words = _WORDS[shares[0][0]]
        elif self.main != "other":
            words = f"mostly {_WORDS[self.main]} ({_percent(shares[0][1])})"
        else:
            words = "a mixture of " + ", ".join(f"{_WORDS[kind]} ({_percent(share)})" for kind, share in shares[:3])
        if self.ascii_bytes:
            total = Decimal(sum(size for _, size in self.bytes_by_kind))
            words += f", {_percent(_DIGITS.divide(Decimal(self.ascii_bytes), total))} ASCII"
        return words + (f", by {self.samples} evenly spread samples of the text" if self.samples else "")


def _percent(share: Decimal) -> str:
    return f"{(share * 100).quantize(Decimal(1), ROUND_HALF_EVEN)} %"
