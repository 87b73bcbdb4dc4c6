"""Characters that have a cheaper spelling."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from engine.still_wanted import while_wanted
from gui.core.savings.matching import matches
from gui.core.savings.searched_text import Prompt
from gui.core.savings.types import Edit

if TYPE_CHECKING:
    import regex

STRETCH = 4096
"""Characters, at least, that are looked at together."""
LONGEST_CLUSTER = 64
"""Characters with more marks than that are no writing (Unicode's annex 15 knows of 30), and slow to put in order."""

_LOOK_ALIKES = {
    chr(point): unicodedata.normalize("NFKC", chr(point))
    for first, last in ((0xFB00, 0xFB06), (0xFF10, 0xFF19), (0xFF21, 0xFF3A), (0xFF41, 0xFF5A))
    for point in range(first, last + 1)
}
"""Latin ligatures, and full-width digits and letters. Full-width punctuation is how Chinese and Japanese are written;
other compatibility characters (², ½, ™) say something of their own."""

_TYPOGRAPHIC = {
    **dict.fromkeys("“”„‟", '"'),
    **dict.fromkeys("‘’‚‛", "'"),
    **dict.fromkeys("‐‑‒–—―", "-"),
    "…": "...",
    "\xa0": " ",
    "\u202f": " ",
}

_INVISIBLE = dict.fromkeys("\u00ad\u200b\u2060\ufeff", "")
"""Not the joiners U+200C and U+200D: words of Persian and Indic languages, and emoji, are other ones without them."""


def decomposed(prompt: Prompt) -> list[Edit]:
    """Characters with marks of their own that Unicode also has in one, by NFC."""
    edits: list[Edit] = []
    if prompt.text.isascii():
        return edits
    for start, end in _stretches(prompt.text):
        prompt.watch.look()
        if _is_composed(prompt.text[start:end]):
            continue  # and so is every part of it
        for match in prompt.watch.over(_may_change().finditer(prompt.text, start, end)):
            cluster = match.group()
            if len(cluster) <= LONGEST_CLUSTER and (composed := unicodedata.normalize("NFC", cluster)) != cluster:
                edits.append(Edit(*match.span(), composed))
    return edits


def look_alikes(prompt: Prompt) -> list[Edit]:
    """Ligatures and full-width letters."""
    return prompt.in_prose(_replaced(prompt, _LOOK_ALIKES))


def typographic(prompt: Prompt) -> list[Edit]:
    """Quotation marks, dashes, ellipses and spaces of typesetters."""
    return prompt.in_prose(_replaced(prompt, _TYPOGRAPHIC))


def invisible(prompt: Prompt) -> list[Edit]:
    """Characters that have no width and join nothing."""
    return prompt.in_prose(_replaced(prompt, _INVISIBLE))


def _replaced(prompt: Prompt, table: dict[str, str]) -> list[Edit]:
    if prompt.text.isascii():
        return []
    found = matches(re.compile("[" + "".join(table) + "]"), prompt.text)
    return [Edit(*match.span(), table[match.group()]) for match in prompt.watch.over(found)]


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where a text can be looked at in parts: a line feed composes with nothing."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + STRETCH) + 1 or len(text)
        yield start, end
        start = end


def _is_composed(text: str) -> bool:
    """Whether NFC changes nothing of it. Python is quick to see that, but slow where a letter has thousands of marks:
    of a long stretch nobody asks."""
    return len(text) <= 4 * STRETCH and unicodedata.is_normalized("NFC", text)


@cache
def _may_change() -> regex.Pattern[str]:
    """What NFC can change: characters that it replaces by themselves, and any with a mark or a Hangul vowel or final
    consonant behind them. Everything else it leaves alone."""
    import regex

    alone = "".join(
        character
        for character in map(chr, while_wanted(range(0x300, sys.maxunicode + 1)))
        if not unicodedata.is_normalized("NFC", character)
    )
    marks = r"[\p{M}\u1161-\u1175\u11a8-\u11c2]"
    return regex.compile(rf"(?s:.){marks}++|[{alone}]")
