"""Rows of edits: put together without overlaps, and done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from engine.still_wanted import ENTRIES, while_wanted
from gui.core.savings.types import Edit


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits done, which are in order and do not overlap."""
    stretches: list[str] = []
    parts: list[str] = []
    place = 0
    for start, end, replacement in while_wanted(edits):
        parts += (text[place:start], replacement)
        place = end
        if len(parts) > ENTRIES:
            stretches.append("".join(parts))
            parts.clear()
    return "".join((*stretches, *parts, text[place:]))


def apart_from(edits: Sequence[Edit], spans: Sequence[tuple[int, ...]]) -> list[Edit]:
    """The edits that overlap none of the spans, which begin with start and end, are in order and do not overlap."""
    if not edits or not spans:
        return list(edits)
    starts, ends = (np.array([span[side] for span in spans], dtype=np.int64) for side in (0, 1))
    edit_starts, edit_ends = (np.array([edit[side] for edit in edits], dtype=np.int64) for side in (0, 1))
    first = np.searchsorted(ends, edit_starts, "right")  # the first span that ends behind the start of the edit
    overlaps = np.append(starts, np.iinfo(np.int64).max)[first] < edit_ends
    return [edits[number] for number in np.flatnonzero(~overlaps).tolist()]


def united_edits(rows: Iterable[Sequence[Edit]]) -> tuple[Edit, ...]:
    """One row, in order. Of edits that overlap, that of the earlier row stays, whole, and the other is left out."""
    kept: list[Edit] = []
    for row in rows:
        if added := apart_from(row, kept):
            kept = sorted(kept + added)  # of two rows in order: a merge
    return tuple(kept)
