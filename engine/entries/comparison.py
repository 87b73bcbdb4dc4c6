"""Two vocabularies side by side: which tokens both have, at which ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.entries.table import SPECIAL, UNUSED, EntryTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

NOWHERE = -1
GROUPS = ("same id", "another id", "only here", "only there")
"""What an entry of two vocabularies can be: in both at the same id, in both at different ones, in one of them."""

SAME_ID, ANOTHER_ID, ONLY_HERE, ONLY_THERE = range(len(GROUPS))


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Arrays are read-only. ``there``: int32[n], for each id of the first vocabulary the id of the same bytes in the
    second; -1 where it has none, and for unused ids. ``only_there``: int32[m], the ids of the second whose bytes the
    first has not. Special tokens and others are different things, whatever their bytes."""

    first: EntryTable
    second: EntryTable
    there: NDArray[np.int32]
    only_there: NDArray[np.int32]

    def pairs(self, group: int) -> NDArray[np.int32]:
        """int32[k, 2]: the entries of a group (a place in ``GROUPS``) as id here and id there, -1 for none, in the
        order of ids."""
        if group == ONLY_THERE:
            return np.column_stack([np.full_like(self.only_there, NOWHERE), self.only_there])
        here = np.arange(len(self.there), dtype=np.int32)
        chosen = {
            SAME_ID: self.there == here,
            ANOTHER_ID: (self.there != here) & (self.there != NOWHERE),
            ONLY_HERE: (self.there == NOWHERE) & (self.first.kinds != UNUSED),
        }[group]
        return np.column_stack([here[chosen], self.there[chosen]])

    def counts(self) -> tuple[int, ...]:
        """How many entries each of ``GROUPS`` has."""
        return tuple(len(self.pairs(group)) for group in range(len(GROUPS)))


def compare(first: EntryTable, second: EntryTable) -> Comparison:
    """Find the tokens of each vocabulary in the other, by their bytes."""
    places: dict[tuple[bytes, bool], int] = {}
    for token_id, key in _keys(second):
        places.setdefault(key, token_id)
    there = np.full(len(first), NOWHERE, dtype=np.int32)
    known: set[tuple[bytes, bool]] = set()
    for token_id, key in _keys(first):
        there[token_id] = places.get(key, NOWHERE)
        known.add(key)
    only_there = np.array([token_id for token_id, key in _keys(second) if key not in known], dtype=np.int32)
    for array in (there, only_there):
        array.flags.writeable = False
    return Comparison(first, second, there, only_there)


def _keys(entries: EntryTable) -> Iterator[tuple[int, tuple[bytes, bool]]]:
    """The ids that are used, and what each is told by."""
    for token_id, (token, kind) in enumerate(zip(entries.tokens(), entries.kinds.tolist(), strict=True)):
        if kind != UNUSED:
            yield token_id, (token, kind == SPECIAL)
