"""Where in a text the tokens of the prepared text are (``engine.encoding.preparation``): for showing them in the text
itself.

Both texts are divided into as many units, one standing for the other. Inside of a unit that has the same length in
both, places correspond one by one; of a unit that changed its length, a token that ends inside of it ends at a place
that is as far from its start, or at its end. All lengths and places are UTF-16 units.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.encoding.preparation import Preparation, words_of_text
from engine.runtime.cancellation import while_wanted
from engine.runtime.running_sums import AT_A_TIME, running_sums, running_sums_at
from engine.split.special_text import split_at_specials
from engine.text.normalization import Normalizer, clusters
from engine.text.utf16 import utf16_length

if TYPE_CHECKING:
    from engine.encoding.prepared_encoding import PreparedEncoding

_ASKING = 128
"""After so many lines or characters it is asked whether the work is still wanted: normalising each takes a while."""

_LINES_CHARACTERS = 1 << 16
"""Lines are cut out of so many characters at a time, and a few more."""

_BEYOND_ASCII = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
"""What may change its length, with the character in front that it may be joined to."""

_Units = tuple["array[int]", "array[int]"]
"""The lengths of all units in the text as it is, and in the other one: as numbers of 64 bits, there may be millions."""


def aligned_ends(encoding: PreparedEncoding, text: str, ids: NDArray[np.int32], allowed: Set[str]) -> NDArray[np.int32]:
    """int32[n]: where the tokens of a text end in it, the last one at its end; nothing is before where it should be.

    ids: int32[n], of ``encoding``, with texts of ``allowed`` as special tokens.
    """
    ends = running_sums_at(encoding.utf16_lengths, ids)
    if encoding.takes_as_is(text):
        return ends.astype(np.int32)
    marked, normalized = _no_units(), _no_units()
    for segment, special in split_at_specials(text, allowed):
        for units, more in zip((normalized, marked), _units_of_segment(segment, encoding.preparation), strict=True):
            for lengths_of_one, of_segment in zip(units, more, strict=True):
                lengths_of_one.extend(of_segment)
                lengths_of_one.append(utf16_length(special))
    for units in (marked, normalized):
        ends = _moved_back(ends, units)
    if len(ends):
        ends[-1] = utf16_length(text)
    return ends.astype(np.int32)


def _units_of_segment(text: str, preparation: Preparation) -> tuple[_Units, _Units]:
    changed = preparation.normalizer(text)
    normalized = _normalized_units(text, changed, preparation.normalizer)
    if preparation.words_of is None:
        whole = utf16_length(changed)
        in_front = int(preparation.signs is not None and preparation.signs.dummy_prefix and whole > 0)
        return normalized, (array("q", [0, whole]), array("q", [in_front, whole]))
    return normalized, _marked_units(changed, preparation.words_of)


def _no_units() -> _Units:
    return array("q"), array("q")


def _normalized_units(text: str, changed: str, normalizer: Normalizer) -> _Units:
    """Neighbours of the same length in both texts are one unit: of ten million characters that is most."""
    before, after = _no_units()
    same = 0
    for old, new in _corresponding(text, changed, normalizer):
        if old == new:
            same += old
            continue
        before.extend((same, old))
        after.extend((same, new))
        same = 0
    before.append(same)
    after.append(same)
    return before, after


def _corresponding(text: str, changed: str, normalizer: Normalizer) -> Iterator[tuple[int, int]]:
    """The lengths of units, one behind the other."""
    if text == changed:
        yield (utf16_length(text),) * 2
        return
    for line in while_wanted(_lines(text), _ASKING):
        if normalizer(line) == line:
            yield (utf16_length(line),) * 2
            continue
        place = 0
        for match in while_wanted(_BEYOND_ASCII.finditer(line), _ASKING):
            # ASCII may have become other letters, but not more or fewer; and whatever begins with it stands alone.
            yield (match.start() - place,) * 2
            place = match.end()
            part = match.group()
            if normalizer(part) == part:
                yield (utf16_length(part),) * 2
                continue
            for cluster in while_wanted(clusters(part), _ASKING):
                yield utf16_length(cluster), utf16_length(normalizer(cluster))
        yield (len(line) - place,) * 2


def _lines(text: str) -> Iterator[str]:
    """The lines of a text with their ends, which are not all made at once."""
    start = 0
    while start < len(text):
        stop = text.find("\n", start + _LINES_CHARACTERS) + 1 or len(text)
        yield from text[start:stop].splitlines(keepends=True)
        start = stop


def _marked_units(text: str, words_of: str) -> _Units:
    """Of each word and its mark, behind which white space may stand in the text as it is."""
    before, after = _no_units()
    place = 0
    for start, end in words_of_text(text, words_of):
        if place == 0:
            before.append(utf16_length(text[:start]))
            after.append(0)
        elif start >= place:
            before.append(utf16_length(text[place:start]))
            after.append(1)
        size = utf16_length(text[start:end])
        before.append(size)
        after.append(size)
        place = end
    before.append(utf16_length(text[place:]))
    after.append(1 if place else 0)
    return before, after


def _moved_back(ends: NDArray[np.int64], units: _Units) -> NDArray[np.int64]:
    lengths = np.frombuffer(units[0], np.int64)
    before, after = _starts(lengths), _starts(np.frombuffer(units[1], np.int64))
    room = np.append(lengths, 0)
    moved = np.empty(len(ends), dtype=np.int64)
    highest = 0
    for first in while_wanted(range(0, len(ends), AT_A_TIME), every=1):
        some = ends[first : first + AT_A_TIME]
        unit = np.maximum(np.searchsorted(after, some, side="right") - 1, 0)
        part = before[unit] + np.minimum(some - after[unit], room[unit])
        part = np.maximum(np.minimum(part, before[-1]), highest)
        np.maximum.accumulate(part, out=moved[first : first + AT_A_TIME])
        highest = int(moved[first + len(part) - 1])
    return moved


def _starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n + 1]: where units of these lengths start, and where the last one ends."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    running_sums(lengths, starts[1:])
    return starts
