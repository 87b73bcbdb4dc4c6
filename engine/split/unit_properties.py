"""Properties of UTF-16 units that recounting after an edit needs, as a table for kernels
(``engine.kernels.block_layout``)."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from engine.kernels import block_layout as layout
from engine.split.safe_boundaries import LETTERS_AND_NUMBERS, PUNCTUATION, WHITE_SPACE

_ALL_UNITS = "".join(map(chr, range(layout.PAIR_COUNT_AT)))


@functools.lru_cache(maxsize=1)
def _flags() -> NDArray[np.uint8]:
    """Return uint8[65536]: the flags that are the same for every encoding."""
    flags = np.zeros(len(_ALL_UNITS), dtype=np.uint8)
    for flag, members in (
        (layout.WHITE, re.findall(f"[{WHITE_SPACE}]", _ALL_UNITS)),
        (layout.LETTER_OR_NUMBER, re.findall(f"[{LETTERS_AND_NUMBERS}]", _ALL_UNITS)),
        (layout.PUNCTUATION, re.findall(f"[{PUNCTUATION}]", _ALL_UNITS)),
        (layout.BLANK, " \t"),
        (layout.LINE_END, "\r\n"),
        (layout.SEPARATOR, [unit for unit in _ALL_UNITS if unit.isspace()]),
        (layout.NEWLINE, "\n"),
    ):
        flags[list(map(ord, members))] |= flag
    return flags


def unit_properties(special_tokens: Collection[str]) -> NDArray[np.uint8]:
    """Return uint8[n], read-only: flags of every unit, and the beginnings of special tokens, none of which is empty."""
    flags = _flags().copy()
    pairs = set()
    for text in special_tokens:
        units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype="<u2").tolist()
        flags[units[0]] |= layout.SPECIAL_START
        pairs.add(units[0] << 16 | (units[1] if len(units) > 1 else layout.ANY_UNIT))
    count = np.array([len(pairs)], dtype=np.int32)
    properties = np.concatenate([flags, count.view(np.uint8), np.array(sorted(pairs), dtype=np.uint32).view(np.uint8)])
    properties.flags.writeable = False
    return properties
