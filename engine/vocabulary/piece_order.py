"""SentencePiece pieces in the order in which Tokenloupe's encoders merge them, which is from single bytes.

SentencePiece's BPE starts from characters: while any two neighbours together are a piece, it merges those whose piece
has the lowest id. A character that is not a piece is written as bytes, which never merge. (google/sentencepiece,
src/bpe_model.cc.) Tokenloupe's encoders start from bytes. So everything that they produce has a *number*: first the 256
bytes, then the beginnings of the multi-byte characters that are pieces, then these characters, then all longer pieces
in the order of their ids. Thus a character is complete before anything else is merged with it. Beginnings are in no
vocabulary and never a token of a text: the scanner passes on the bytes of an unknown character one by one.

Runs of newlines, tabs and spaces are pieces that are matched whole, before merging, and so are the tags of some
encodings; their numbers come last. No text is encoded to the rest of the vocabulary (controls, other tags, pieces that
no merges produce).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.vocabulary.bundle import RankTable, table_of_tokens

RUNS = range(107, 168)
"""Ids of runs: 1 to 31 newlines, then 2 to 31 spaces."""
BYTES = range(238, 494)
"""Ids of the single bytes."""
FIRST_PIECE = 494
"""Id of the first character or merged piece."""
UNKNOWN = 3
NEVER_MERGED = (146179, 160098, 189366, 220206)
"""Ids of pieces that no merges produce, such as `` YYYY``."""


@dataclass(frozen=True, eq=False)
class PieceOrder:
    """The pieces by number. ``table``: the tokens by number. ``ids``: uint32[n], read-only, the id of each; ``UNKNOWN``
    for beginnings. ``beginnings``: their numbers; ``first_merge``: the number of the first piece of several characters.
    ``characters``: pieces of one character; ``pieces``: those of several; ``tags``: tokens that are matched whole."""

    table: RankTable
    ids: NDArray[np.uint32]
    beginnings: range
    first_merge: int
    characters: str
    pieces: tuple[str, ...]
    tags: tuple[bytes, ...]

    @functools.cached_property
    def scan(self) -> NDArray[np.uint8]:
        """uint8[SCAN_SIZE], read-only: table that ``engine.kernels.plain_scanners`` reads. Imports numba, unlike the
        rest."""
        scan = _scan_data(self.characters, self.pieces)
        _put_tags(scan, self.tags)
        scan.flags.writeable = False
        return scan


def piece_order(contents: Mapping[int, bytes], tags: Sequence[str] = ()) -> PieceOrder:
    """Order the pieces of a vocabulary, or of a part of it, in which spaces are spaces. ``contents``: id to bytes, in
    the order of the ids. ``tags``: tokens that are matched whole."""
    pieces = {token_id: token.decode("utf-8") for token_id, token in contents.items() if token_id >= FIRST_PIECE}
    characters = {text: token_id for token_id, text in pieces.items() if len(text) == 1}
    tokens, ids = [bytes([value]) for value in range(256)], list(BYTES)
    for value in range(128):
        ids[value] = characters.get(chr(value), ids[value])
    ids[0x0A] = RUNS[0]
    wide = [text.encode("utf-8") for text in characters if ord(text) >= 0x80]
    beginnings = sorted(
        {text[:size] for text in wide for size in range(2, len(text))}, key=lambda part: (len(part), part)
    )
    tokens += beginnings
    ids += [UNKNOWN] * len(beginnings)
    tokens += wide
    ids += [characters[text.decode("utf-8")] for text in wide]
    first_merge = len(tokens)
    several = [token_id for token_id, text in pieces.items() if len(text) > 1 and token_id not in NEVER_MERGED]
    tokens += [contents[token_id] for token_id in several]
    ids += several
    runs = [token_id for token_id in RUNS if len(contents.get(token_id, b"")) > 1]
    tokens += [contents[token_id] for token_id in runs]
    ids += runs
    reserved = {token: token_id for token_id, token in contents.items() if token_id < FIRST_PIECE}
    whole = [tag for tag in (tag.encode("ascii") for tag in tags) if tag in reserved]
    tokens += whole
    ids += map(reserved.__getitem__, whole)
    numbered = np.array(ids, dtype=np.uint32)
    numbered.flags.writeable = False
    return PieceOrder(
        table_of_tokens(tokens),
        numbered,
        range(256, 256 + len(beginnings)),
        first_merge,
        "".join(characters),
        tuple(pieces[token_id] for token_id in several),
        tuple(whole),
    )


def _scan_data(characters: str, pieces: Sequence[str]) -> NDArray[np.uint8]:
    """Return flags of the characters that are pieces, and of the pairs of characters that are adjacent in some
    piece."""
    from engine.kernels._jit import uncompiled
    from engine.kernels.plain_scanners import ASCII_PAIRS, PAIRS, SCAN_SIZE, pair_bit

    scan = np.zeros(SCAN_SIZE, dtype=np.uint8)
    _set_bits(scan, 0, _points(characters))
    points = _points("\n".join(pieces))
    left, right = points[:-1], points[1:]
    inside = (left != 0x0A) & (right != 0x0A)
    left, right = left[inside], right[inside]
    narrow = (left < 0x80) & (right < 0x80)
    _set_bits(scan, ASCII_PAIRS, left[narrow] << 7 | right[narrow])
    hashed: Any = uncompiled(pair_bit)  # also works on arrays
    _set_bits(scan, PAIRS, hashed(left[~narrow], right[~narrow]))
    return scan


def _put_tags(scan: NDArray[np.uint8], tags: Sequence[bytes]) -> None:
    """Add the hash table of tags to the scan table."""
    from engine.kernels._jit import uncompiled
    from engine.kernels.plain_scanners import LONGEST_TAG, TAG_SLOTS, TAGS, next_slot

    slots = scan[TAGS : TAGS + TAG_SLOTS * 16].reshape(TAG_SLOTS, 16)
    following: Any = uncompiled(next_slot)
    for tag in tags:
        assert len(tag) <= LONGEST_TAG
        slot = functools.reduce(following, tag, 0)
        while slots[slot].any():
            slot = (slot + 1) % TAG_SLOTS
        slots[slot, : len(tag)] = list(tag)


def _points(text: str) -> NDArray[np.int64]:
    return np.frombuffer(text.encode("utf-32-le"), dtype="<u4").astype(np.int64)


def _set_bits(data: NDArray[np.uint8], byte_offset: int, numbers: NDArray[np.int64]) -> None:
    np.bitwise_or.at(data, byte_offset + (numbers >> 3), (1 << (numbers & 7)).astype(np.uint8))
