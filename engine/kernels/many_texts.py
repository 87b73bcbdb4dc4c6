"""Many texts, checked and counted in one call.

A call of a kernel gives the interpreter lock away and takes it back: threads that count one short text after the other
wait for each other all the time. So the texts of many small files stand in one stretch of memory, and one call does for
all of them what ``whole_texts`` does for one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.utf8 import PADDING
from engine.kernels.valid_utf8 import is_valid_utf8
from engine.kernels.whole_texts import Fixed, Own, count_utf8

NOT_UTF8 = -1
"""Stands for the tokens of what is no text."""


@kernel
def count_many(
    content: NDArray[np.uint8], byte_spans: NDArray[np.int64], fixed: Fixed, own: Own, counts: NDArray[np.int64]
) -> None:
    """Write how many tokens each of n texts has, ``NOT_UTF8`` for one that is not valid UTF-8. Nothing of what stands
    in front of a text or behind it has a part in that, be it the next text.

    ``content``: uint8[m], read-only, all of the texts, with ``PADDING`` readable bytes of anything behind each.
    ``byte_spans``: int64[n, 2], where each starts and ends there. ``fixed``, ``own``: as for ``whole_texts``.
    ``counts``: int64[k], k >= n. IndexError where a text is not in ``content``, or ``counts`` is too short.
    """
    if len(counts) < len(byte_spans):
        raise IndexError("no room for the counts")
    for index in range(len(byte_spans)):
        start, end = byte_spans[index, 0], byte_spans[index, 1]
        if start < 0 or end < start or end > len(content) - PADDING:
            raise IndexError("the texts are not within their memory")
        if is_valid_utf8(content[start:end]):
            counts[index] = count_utf8(content[start : end + PADDING], end - start, fixed, own)
        else:
            counts[index] = NOT_UTF8
