"""Tokens of given pretokens, by either encoder, and the pretoken that each belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.split.expression import UnsupportedPatternError
from engine.split.pretokenization import pretoken_chunks, pretokenizer
from engine.text.offsets import pairs

if TYPE_CHECKING:
    from engine.encoding.encoding import Encoding


def ids_of_pretokens(encoding: Encoding, content: bytes, byte_spans: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return int32[n]: the token ids of pretokens. ``byte_spans``: int64[m, 2], start and end of each in UTF-8."""
    quick = encoding.ids_of_pretokens(content, byte_spans)
    if quick is not None:
        return quick
    known: dict[bytes, list[int]] = {}
    ids: list[int] = []
    for start, end in pairs(byte_spans):
        pretoken = content[start:end]
        if pretoken not in known:
            known[pretoken] = encoding._encode_single_piece(pretoken)
        ids += known[pretoken]
    return np.array(ids, dtype=np.int32)


def pretokens_of_tokens(
    token_sizes: NDArray[np.int32], pretoken_sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return for each token the number of its pretoken, int64[n], and whether it is the last one there, bool[n]. Sizes
    are bytes, of tokens and of the pretokens that they make up."""
    ends = np.cumsum(token_sizes, dtype=np.int64)
    borders = np.cumsum(pretoken_sizes)
    numbers = borders.searchsorted(ends, "left")
    return numbers, borders[numbers] == ends


def token_ends(encoding: Encoding, text: str) -> NDArray[np.int64]:
    """Return int64[n]: the end of each token of a text without surrogates, in bytes of UTF-8. Also for a pattern that
    skips text. Raises UnsupportedPatternError or SplitTimeoutError."""
    parts = [np.empty(0, dtype=np.int64)]
    char_start = byte_start = 0
    for stretch in pretoken_chunks(pretokenizer(encoding.pattern), text):
        byte_start += len(text[char_start : stretch.char_start].encode("utf-8"))
        char_start = stretch.char_start
        spans = stretch.byte_spans()
        sizes = spans[:, 1] - spans[:, 0]
        token_sizes = encoding.byte_lengths[ids_of_pretokens(encoding, stretch.text.encode("utf-8"), spans)]
        numbers, _ = pretokens_of_tokens(token_sizes, sizes)
        left_out = spans[:, 1] - np.cumsum(sizes)
        parts.append(byte_start + np.cumsum(token_sizes, dtype=np.int64) + left_out[numbers])
    return np.concatenate(parts)


__all__ = ["UnsupportedPatternError", "ids_of_pretokens", "pretokens_of_tokens", "token_ends"]
