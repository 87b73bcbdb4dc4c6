"""How long the tokens of a vocabulary are: the figures of the two pictures. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.entries.table import EntryTable

STRETCHES = 200
"""Into so many stretches the ids are cut for the curve of lengths."""


@dataclass(frozen=True, slots=True, eq=False)
class Lengths:
    """Byte and merge tokens by their lengths; special tokens, which nobody learned, are left out.

    ``counts``: int64[k], how many tokens have ``i`` bytes, for ``i`` from 0 to the longest. ``ids``: float64[m], the
    middles of stretches of ids; ``means``, ``longest``: float64[m], mean and greatest length in each.
    """

    counts: NDArray[np.int64]
    ids: NDArray[np.float64]
    means: NDArray[np.float64]
    longest: NDArray[np.float64]

    @property
    def total(self) -> int:
        """How many tokens there are."""
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        """Their mean length in bytes, 0.0 where there is none."""
        total = self.total
        return float((self.counts * range(len(self.counts))).sum()) / total if total else 0.0

    @property
    def median(self) -> int:
        """The length that half of them do not exceed."""
        return int((self.counts.cumsum() * 2 < self.total).sum())


def lengths_of(entries: EntryTable) -> Lengths:
    """The figures of a vocabulary: a few milliseconds."""
    import numpy as np

    from engine.entries.table import BYTE, MERGE

    ids = np.flatnonzero((entries.kinds == BYTE) | (entries.kinds == MERGE))
    lengths = entries.byte_lengths[ids]
    parts = [part for part in np.array_split(np.arange(len(ids)), min(STRETCHES, max(1, len(ids)))) if len(part)]
    return Lengths(
        np.bincount(lengths),
        np.array([ids[part].mean() for part in parts], dtype=np.float64),
        np.array([lengths[part].mean() for part in parts], dtype=np.float64),
        np.array([lengths[part].max() for part in parts], dtype=np.float64),
    )
