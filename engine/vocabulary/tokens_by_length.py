"""The tokens of a vocabulary in groups of one length: arrays that are sorted and compared as they are.

Two hundred thousand tokens take 10 MB as Python objects, and 30 MB as keys of dictionaries. Small, short-lived objects
among long-lived ones also leave holes that the interpreter cannot give back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.runtime.cancellation import interruptible


class Alike(NamedTuple):
    """Tokens of one length. ``places``: int64[k], ascending, where they stand in the vocabulary. ``tokens``:
    void[k] of that length: their bytes, which are ordered as ``bytes`` are."""

    places: NDArray[np.int64]
    tokens: NDArray[np.void]


def tokens_by_length(
    blob: bytes, offsets: NDArray[np.int64], wanted: NDArray[np.bool_] | None = None
) -> dict[int, Alike]:
    """The tokens ``blob[offsets[i]:offsets[i + 1]]`` by their length in bytes, empty ones left out, and those that are
    not ``wanted`` (bool[n])."""
    values = np.frombuffer(blob, dtype=np.uint8)
    lengths = np.diff(offsets)
    if wanted is not None:
        lengths = np.where(wanted, lengths, 0)
    found: dict[int, Alike] = {}
    for length in interruptible(np.unique(lengths[lengths > 0]).tolist(), every=1):
        places = np.flatnonzero(lengths == length)
        content = values[offsets[places][:, np.newaxis] + np.arange(length)]
        found[length] = Alike(places, content.view(f"V{length}").reshape(-1))
    return found


def none_of(length: int) -> Alike:
    """No tokens of a length."""
    return Alike(np.empty(0, dtype=np.int64), np.empty(0, dtype=f"V{length}"))
