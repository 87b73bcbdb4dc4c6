"""Where encodings differ most: stretches of a text, the greatest difference of tokens first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.analysis.comparison.places import Ends, counts_between
from engine.analysis.comparison.types import Difference
from engine.text.byte_map import ByteMap

MOST_LISTED = 500
BEGINNING_CHARS = 200


def greatest_differences(
    text: str, places: ByteMap, cuts: Ends, ends: Sequence[Ends], most: int = MOST_LISTED
) -> tuple[Difference, ...]:
    """Of the stretches between ``cuts``, those in which not all encodings have as many tokens; of equal differences the
    first in the text first, at most ``most``."""
    if not len(places):
        return ()
    counts = np.empty((len(ends), len(cuts)), dtype=np.int32)
    for row, one in zip(counts, ends, strict=True):
        row[:] = counts_between(one, cuts)
    spread = counts.max(axis=0) - counts.min(axis=0)
    differing = np.flatnonzero(spread)
    order = differing[np.argsort(-spread[differing], kind="stable")][:most]
    starts = np.concatenate([[0], cuts[:-1]])[order]
    stops = cuts[order]
    lines = places.line_ends.searchsorted(starts, "right") + 1
    units = places.units_before
    found = []
    for number, start, stop, line in zip(order.tolist(), starts.tolist(), stops.tolist(), lines.tolist(), strict=True):
        shown = _beginning(text, places, start, stop)
        found.append(Difference(int(units[start]), int(units[stop]), line, tuple(counts[:, number].tolist()), shown))
    return tuple(found)


def _beginning(text: str, places: ByteMap, start: int, stop: int) -> str:
    first = int(places.char_of[start])
    return text[first : min(int(places.char_of[stop - 1]) + 1, first + BEGINNING_CHARS)]
