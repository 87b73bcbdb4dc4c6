"""Where tokens end and what stands between, in bytes: what several encodings have in common is the text alone.

A stretch is the text between two places, and a token belongs to the stretch that it ends in: so every token is counted
once, wherever the places are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.text.byte_map import ByteMap

Ends = NDArray[np.int64]
"""int64[n]: where the tokens of a text end, in order, none at 0, and the last one at the text's end."""


def tidy_ends(ends: NDArray[np.int64], utf8_bytes: int) -> Ends:
    """What ``Encoding.token_ends`` says, so that every byte belongs to one token.

    Encodings that change a text before they read it may put a token in front of it, or leave the end of it out.
    """
    tidied: Ends = np.maximum.accumulate(np.clip(ends, min(1, utf8_bytes), utf8_bytes))
    tidied[-1:] = utf8_bytes
    return tidied


def common_cuts(ends: Sequence[Ends], places: ByteMap) -> Ends:
    """int64[m]: the places between characters at which a token ends in every encoding; the last is the text's end."""
    # Marks instead of sets: numpy's sets of millions of numbers take many times as long.
    common = np.append(places.begins, True)
    for one in ends:
        marks = np.zeros(len(places) + 1, dtype=np.bool_)
        marks[one] = True
        common &= marks
    common[-1] = True
    common[0] = False
    return np.flatnonzero(common)


def counts_between(ends: Ends, cuts: Ends) -> NDArray[np.int64]:
    """int64[m]: the tokens that end in each stretch up to the next cut. The last cut is the text's end."""
    return np.diff(ends.searchsorted(cuts, "right"), prepend=0)
