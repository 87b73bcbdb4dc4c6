"""Visible rendering of token bytes and of untrusted text, and lines of it with marked runs. No Qt.

Invisible characters get a visible stand-in: a space is ``·``, a tab ``→``, a newline ``⏎``; control characters are
their pictures (``␀``, ``␛``); other spaces, direction marks, zero-width and unassigned characters are shown in ``⟨ ⟩``
by a short name or their code point; bytes that do not form a whole character are ``\\xNN``. A lone combining mark is
placed on ``◌``. The result has no line breaks and no character that changes the direction of surrounding text.

This is not an escape syntax: a literal ``·`` of the text looks like a space here. Use the bytes where it matters.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

_SIGNS = {" ": "·", "\t": "→", "\n": "⏎", "\x7f": "␡"}

_NAMES = {
    0x0085: "NEL",
    0x00A0: "NBSP",
    0x00AD: "SHY",
    0x034F: "CGJ",
    0x061C: "ALM",
    0x115F: "HCF",
    0x1160: "HJF",
    0x180E: "MVS",
    0x2002: "EN SP",
    0x2003: "EM SP",
    0x2007: "FIG SP",
    0x2009: "THIN SP",
    0x200A: "HAIR SP",
    0x200B: "ZWSP",
    0x200C: "ZWNJ",
    0x200D: "ZWJ",
    0x200E: "LRM",
    0x200F: "RLM",
    0x2028: "LS",
    0x2029: "PS",
    0x202A: "LRE",
    0x202B: "RLE",
    0x202C: "PDF",
    0x202D: "LRO",
    0x202E: "RLO",
    0x202F: "NNBSP",
    0x2060: "WJ",
    0x2066: "LRI",
    0x2067: "RLI",
    0x2068: "FSI",
    0x2069: "PDI",
    0x2800: "BRAILLE BLANK",
    0x3000: "IDEO SP",
    0x3164: "HF",
    0xFEFF: "BOM",
    0xFFA0: "HHF",
}

_FILLERS = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")
"""Letters and marks by their category, yet invisible."""

_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"})


def visible(token_bytes: bytes) -> str:
    """Return ``token_bytes`` as one line of text without invisible characters (see the module)."""
    text = token_bytes.decode("utf-8", errors="backslashreplace")
    return visible_text(text)


def visible_text(text: str) -> str:
    """Like ``visible``, for text. Lone surrogates are shown by their code points."""
    if text.isascii() and text.isprintable():
        return text.replace(" ", "·")
    shown = [_sign(character) for character in text]
    if text and unicodedata.category(text[0]).startswith("M") and not shown[0].startswith("⟨"):
        shown[0] = "◌" + shown[0]
    return "".join(shown)


def visible_line(text: str) -> str:
    """Return an untrusted name or sentence with everything that hides or reorders text made visible.

    Spaces of every width stay, since names and numbers contain them. Line breaks and tabs become stand-ins.
    """
    if text.isprintable() and _FILLERS.isdisjoint(text):
        return text
    return "".join(c if unicodedata.category(c) == "Zs" else _sign(c) for c in text)


def visible_lines(text: str) -> str:
    """Like ``visible_line``, for text of several lines; line breaks stay."""
    return "\n".join(map(visible_line, text.split("\n")))


def shown(text: str) -> str:
    """Return ``text`` with characters that hide or reorder text made visible; line breaks stay."""
    if text.isprintable():
        return text
    return visible_lines(text)


def _sign(character: str) -> str:
    sign = _SIGNS.get(character)
    if sign is not None:
        return sign
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    name = _NAMES.get(code)
    if name is not None:
        return f"⟨{name}⟩"
    if 0xFE00 <= code <= 0xFE0F:
        return f"⟨VS{code - 0xFE00 + 1}⟩"
    if 0xE0100 <= code <= 0xE01EF:
        return f"⟨VS{code - 0xE0100 + 17}⟩"
    if 0xE0020 <= code <= 0xE007E:
        return f"⟨TAG {chr(code - 0xE0000)}⟩"
    if unicodedata.category(character) in _INVISIBLE_CATEGORIES:
        return f"⟨U+{code:04X}⟩"
    return character


def hexadecimal(token_bytes: bytes, most: int = 32) -> str:
    """Return the bytes in hexadecimal, separated by spaces; after ``most`` bytes, the number of remaining ones."""
    shown = token_bytes[:most].hex(" ")
    left = len(token_bytes) - most
    return f"{shown} … +{left}" if left > 0 else shown


# --- lines with marked runs -------------------------------------------------------------------------------------------

REMOVED, ADDED = "removed", "added"
WRAPPED = -1
"""Line number of a row that continues a line."""
_BREAKS = " ·→⏎"
"""Characters after which a line may wrap: whitespace and its visible stand-ins."""


class Run(NamedTuple):
    """Displayed text of one mark: ``REMOVED``, ``ADDED``, or empty."""

    text: str
    mark: str = ""


Runs = tuple[Run, ...]


def wrapped(runs: Runs, limit: float, width: Callable[[str], int]) -> list[Runs]:
    """Break a line into rows no wider than ``limit``, after whitespace where possible.

    ``width``: of a character. Nothing is dropped; a row of one character may exceed ``limit``.
    """
    text = "".join(run.text for run in runs)
    widths = set(map(width, set(text)))
    if len(text) * max(widths, default=0) <= limit:
        return [runs]
    # Usually all characters have the same width, and no sums are needed.
    one = widths.pop()
    ends = list(accumulate(map(width, text))) if widths else range(one, one * (len(text) + 1), one)
    if ends[-1] <= limit:
        return [runs]
    stops, start = [], 0
    while start < len(text):
        start = _row_end(text, ends, start, limit)
        stops.append(start)
    return _split_at(runs, stops)


def _row_end(text: str, ends: Sequence[int], start: int, limit: float) -> int:
    stop = bisect_right(ends, limit + (ends[start - 1] if start else 0), start)
    if stop == len(text):
        return stop
    word = next((index for index in range(stop, start, -1) if text[index - 1] in _BREAKS), start)
    if word > start:
        return word
    while stop > start + 1 and unicodedata.combining(text[stop]):
        stop -= 1
    return max(stop, start + 1)


def _split_at(runs: Runs, stops: Sequence[int]) -> list[Runs]:
    """Split runs into rows that end at the character offsets ``stops``. One pass: a line may have thousands of both."""
    rows: list[Runs] = []
    row: list[Run] = []
    offset = 0
    for run in runs:
        start = 0
        while start < len(run.text):
            chunk = run.text[start : start + stops[len(rows)] - offset]
            row.append(Run(chunk, run.mark))
            start, offset = start + len(chunk), offset + len(chunk)
            if offset == stops[len(rows)]:
                rows.append(tuple(row))
                row = []
    return rows


def plain_text(runs: Runs) -> str:
    """Return the line for screen readers: removed text in brackets with a minus, added text with a plus."""
    signs = {REMOVED: "[−{}]", ADDED: "[+{}]"}
    return "".join(signs.get(run.mark, "{}").format(run.text) for run in runs)


def text_without(runs: Runs, mark: str) -> str:
    """Return the line without runs of this mark: its old or its new text."""
    return "".join(run.text for run in runs if run.mark != mark)
