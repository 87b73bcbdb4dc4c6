"""How the tests call the merging kernels: pretokens in, ids out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.kernels.batch import OUT_SLACK, count_tokens, encode_tokens

PADDING = bytes(64)


def as_text(pretokens: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Pretokens as the kernels take them: a padded text and the ends."""
    text = np.frombuffer(b"".join(pretokens) + PADDING, dtype=np.uint8)
    return text, np.cumsum([len(piece) for piece in pretokens], dtype=np.int64).astype(np.int32)


def encoded(pretokens: Sequence[bytes], tables: NDArray[np.uint8], state: NDArray[np.uint8]) -> list[int]:
    """The ids of all pretokens."""
    text, ends = as_text(pretokens)
    out = np.empty(len(text) + OUT_SLACK, dtype=np.uint32)
    used = encode_tokens(text, ends, len(ends), 0, tables, state, out, 0)
    return out[:used].tolist()


def counted(pretokens: Sequence[bytes], tables: NDArray[np.uint8], state: NDArray[np.uint8]) -> int:
    """How many tokens all pretokens have."""
    text, ends = as_text(pretokens)
    return count_tokens(text, ends, len(ends), 0, tables, state)
