"""From merges to an Encoding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.encoding import Encoding
from engine.kernels.train_spelling import spell
from engine.training_types import TrainingSettings


def spell_tokens(merges: NDArray[np.int64]) -> tuple[bytes, NDArray[np.int64]]:
    """The bytes of all tokens one after the other, and int64[256 + n + 1]: where each begins and the last ends.

    merges: int64[n, 4], as ``TrainingRun.merge_table``.
    """
    offsets = np.arange(256 + len(merges) + 1, dtype=np.int64)
    blob = spell(np.ascontiguousarray(merges), offsets)
    return blob.tobytes(), offsets


def build_encoding(name: str, settings: TrainingSettings, expression: str, merges: NDArray[np.int64]) -> Encoding:
    """An encoding of the 256 bytes, the merged tokens and the special tokens, in this order.

    Where two merges spell the same bytes, the second one's id stays unused: text never leads to it.
    """
    blob, offsets = spell_tokens(merges)
    ends = offsets.tolist()
    ranks: dict[bytes, int] = {}
    for token_id in range(len(ends) - 1):
        ranks.setdefault(blob[ends[token_id] : ends[token_id + 1]], token_id)
    specials = {text: len(ends) - 1 + number for number, text in enumerate(settings.special_tokens)}
    return Encoding(name, pat_str=expression, mergeable_ranks=ranks, special_tokens=specials)
