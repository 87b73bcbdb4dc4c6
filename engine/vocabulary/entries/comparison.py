"""Comparison of two vocabularies: which tokens both have, and at which ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.runtime.cancellation import interruptible
from engine.vocabulary.entries.table import SPECIAL, UNUSED, EntryTable
from engine.vocabulary.tables import none_of, tokens_by_length

if TYPE_CHECKING:
    from numpy.typing import NDArray

NOWHERE = -1
GROUPS = ("same id", "another id", "only here", "only there")
"""Groups of the entries of two vocabularies: in both at the same id, in both at different ids, in only one."""

SAME_ID, ANOTHER_ID, ONLY_HERE, ONLY_THERE = range(len(GROUPS))


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Result of a comparison. Arrays are read-only. ``there``: int32[n], for each id of the first vocabulary the id of
    the same bytes in the second; -1 if it has none, and for unused ids. ``only_there``: int32[m], the ids of the second
    whose bytes the first does not have. A special token never matches another kind of token, even with the same
    bytes."""

    first: EntryTable
    second: EntryTable
    there: NDArray[np.int32]
    only_there: NDArray[np.int32]

    def pairs(self, group: int) -> NDArray[np.int32]:
        """Return int32[k, 2]: the entries of a group (an index into ``GROUPS``) as id here and id there, -1 for none,
        in the order of ids."""
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
        """Return the number of entries in each of ``GROUPS``."""
        return tuple(len(self.pairs(group)) for group in range(len(GROUPS)))


def compare(first: EntryTable, second: EntryTable) -> Comparison:
    """Match the tokens of two vocabularies by their bytes."""
    there = np.full(len(first), NOWHERE, dtype=np.int32)
    only_there = np.zeros(len(second), dtype=np.bool_)
    for special in (False, True):
        ours, theirs = (
            tokens_by_length(one.blob, one.offsets, (one.kinds == SPECIAL) == special) for one in (first, second)
        )
        for length, other in interruptible(theirs.items(), every=1):
            own = ours.get(length, none_of(length))
            distinct, earliest = np.unique(other.tokens, return_index=True)
            places = np.minimum(np.searchsorted(distinct, own.tokens), len(distinct) - 1)
            found = distinct[places] == own.tokens
            there[own.places[found]] = other.places[earliest[places[found]]]
            only_there[other.places] = ~np.isin(other.tokens, own.tokens)
    left = np.flatnonzero(only_there).astype(np.int32)
    for array in (there, left):
        array.flags.writeable = False
    return Comparison(first, second, there, left)
