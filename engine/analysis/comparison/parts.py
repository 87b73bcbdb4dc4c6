"""The tokens of a text by what they stand for: the script of their line, and the kind of their characters."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.analysis.comparison.places import Ends, counts_between
from engine.analysis.comparison.types import Part
from engine.text import code_point_sets
from engine.text.byte_map import ByteMap
from engine.text.scripts import SCRIPT_NAMES, lines_of, scripts_of
from engine.text.unicode_classes import N_CODE_POINTS

LETTERS, DIGITS, PUNCTUATION, SYMBOLS, WHITE_SPACE = KINDS = (
    *("letters", "digits", "punctuation", "symbols"),
    "white space",
)
"""What a token stands for: its last character that is no white space. Marks are letters; symbols are all the rest,
emoji and control characters among them."""

_AT_A_TIME = 1 << 18

_CLASSES = ((LETTERS, r"\p{L}"), (LETTERS, r"\p{M}"), (DIGITS, r"\p{N}"), (PUNCTUATION, r"\p{P}"), (WHITE_SPACE, r"\s"))


def by_script(points: NDArray[np.uint32], places: ByteMap, ends: Sequence[Ends]) -> tuple[Part, ...]:
    """The scripts of the text, line by line: that of most of a line's letters. ``points``: the code points."""
    if not len(places):
        return ()
    cuts = places.line_ends
    script_of = scripts_of(points, lines_of(places.char_of[cuts - 1] + 1), len(cuts))
    bytes_of = _sums(script_of, np.diff(cuts, prepend=0), len(SCRIPT_NAMES))
    counts = [_sums(script_of, counts_between(one, cuts), len(SCRIPT_NAMES)) for one in ends]
    parts = _parts(SCRIPT_NAMES, bytes_of, counts)
    return tuple(sorted(parts, key=lambda part: -part.utf8_bytes))


def by_kind(points: NDArray[np.uint32], places: ByteMap, ends: Sequence[Ends]) -> tuple[Part, ...]:
    """The kinds of characters, in the order of ``KINDS``. ``utf8_bytes``: of the characters themselves, so that a
    token of a word and the space in front of it counts for letters, and its space's byte for white space."""
    if not len(places):
        return ()
    kinds = _table()[points]
    blank = KINDS.index(WHITE_SPACE)
    solid = np.arange(len(kinds), dtype=np.int32)
    solid[kinds == blank] = -1
    np.maximum.accumulate(solid, out=solid)
    bytes_of = _of_each_kind(kinds[places.char_of])
    counts = [_of_each_kind(_kinds_of(one, places, kinds, solid)) for one in ends]
    return tuple(_parts(KINDS, bytes_of, counts))


def _kinds_of(ends: Ends, places: ByteMap, kinds: NDArray[np.uint8], solid: NDArray[np.int32]) -> NDArray[np.uint8]:
    """uint8[n]: the kind of each token. ``solid``: up to each character, the last that is no white space."""
    starts = np.concatenate([[0], ends[:-1]])
    last = places.char_of[ends - 1]
    first = np.minimum(places.char_of[np.minimum(starts, len(places) - 1)], last)
    meant = solid[last]
    found: NDArray[np.uint8] = np.where(meant >= first, kinds[meant], KINDS.index(WHITE_SPACE)).astype(np.uint8)
    return found


def _of_each_kind(kinds: NDArray[np.uint8]) -> NDArray[np.int64]:
    """int64[kinds]: how often each is there. Counted bit by bit: numpy makes eight bytes of every one for it."""
    counts = np.zeros(len(KINDS), dtype=np.int64)
    for start in range(0, len(kinds), _AT_A_TIME):
        counts += np.bincount(kinds[start : start + _AT_A_TIME], minlength=len(KINDS))
    return counts


def _sums(groups: NDArray[np.int64], amounts: NDArray[np.int64], n_groups: int) -> NDArray[np.int64]:
    sums = np.zeros(n_groups, dtype=np.int64)
    np.add.at(sums, groups, amounts)
    return sums


def _parts(keys: Sequence[str], bytes_of: NDArray[np.int64], counts: Sequence[NDArray[np.int64]]) -> list[Part]:
    tokens = zip(*(count.tolist() for count in counts), strict=True)
    rows = zip(keys, bytes_of.tolist(), tokens, strict=True)
    return [Part(key, n_bytes, amounts) for key, n_bytes, amounts in rows if n_bytes]


@functools.cache
def _table() -> NDArray[np.uint8]:
    """uint8[1114112]: the place in ``KINDS`` of every code point."""
    table = np.full(N_CODE_POINTS, KINDS.index(SYMBOLS), dtype=np.uint8)
    for kind, pattern in _CLASSES:
        edges = code_point_sets.asked(pattern).edges
        for first, stop in zip(edges[::2], edges[1::2], strict=True):
            table[first:stop] = KINDS.index(kind)
    table.flags.writeable = False
    return table
