"""Which character encoding text is stored in, told from samples of a file.

A byte order mark is believed. Without one, bytes with zeros in the right places are UTF-16; anything else with a zero
byte is binary, as for git. What is not UTF-8 is either binary (it has control characters, as no text
has) or taken for Windows-1252.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins like that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNLIKELY = re.compile(rb"[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f\x81\x8d\x8f\x90\x9d]")
"""Bytes that text in Windows-1252 does not have. Escape (0x1b) is not among them: logs of terminals are full of it."""
_MOST_UNLIKELY = 0.02

_UNLIKELY_CHARACTERS = re.compile("[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f\ufffd-\uffff]")
_MOST_UNLIKELY_WIDE = 0.001  # not none: a sample may begin or end between two surrogates
_FEWEST_ZEROS = 0.05
_MOST_ZEROS = 0.02
"""UTF-16 without a byte order mark: of the upper bytes of its units at least so many are zero, in any script, for its
spaces and line ends; of the lower bytes at most so many."""

_CONTINUATION = re.compile(rb"\A[\x80-\xbf]{0,3}")
_FEWEST_VALID = 4
"""Invalid bytes in UTF-8 are taken for damage where there are so many times more valid characters beyond ASCII."""


def encoding_of(samples: Sequence[bytes]) -> str | None:
    """The encoding of a file, None for a binary one. ``samples`` are parts of it in order: the first is its start,
    the last its end, and each begins at a multiple of two bytes."""
    start = samples[0]
    for mark, name in _MARKS:
        if start.startswith(mark):
            return name
    content = b"".join(samples)
    if b"\0" in content:
        return _encoding_with_zeros(content)
    valid, invalid = _utf8_census(samples)
    if invalid == 0 or valid >= _FEWEST_VALID * invalid:
        return "utf-8"
    if start.startswith(b"%PDF-") or len(_UNLIKELY.findall(content)) > _MOST_UNLIKELY * len(content):
        return None
    return "cp1252"


def _utf8_census(samples: Sequence[bytes]) -> tuple[int, int]:
    """Characters beyond ASCII that are valid UTF-8, and places that are not. A sample may begin or end in the middle
    of a character."""
    valid = invalid = 0
    for position, sample in enumerate(samples):
        if sample.isascii():
            continue
        whole = _CONTINUATION.sub(b"", sample) if position else sample
        text, _ = codecs.utf_8_decode(whole, "replace", position == len(samples) - 1)
        replaced = text.count("\ufffd") - whole.count("\ufffd".encode())
        invalid += replaced
        valid += len(text) - len(text.encode("ascii", "ignore")) - replaced
    return valid, invalid


def _encoding_with_zeros(content: bytes) -> str | None:
    """UTF-16 without a byte order mark, or None."""
    units = len(content) // 2
    first, second = content[: 2 * units : 2].count(0), content[1 : 2 * units : 2].count(0)
    if units == 0 or max(first, second) < _FEWEST_ZEROS * units or min(first, second) > _MOST_ZEROS * units:
        return None
    name = "utf-16-be" if first > second else "utf-16-le"
    text = content[: 2 * units].decode(name, "replace")
    unlikely = len(_UNLIKELY_CHARACTERS.findall(text))
    return name if unlikely <= _MOST_UNLIKELY_WIDE * units else None
