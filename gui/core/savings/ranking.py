"""Which lines and sections of a text have how many tokens. Nothing here is done token by token in Python."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from gui.core.savings.byte_places import byte_places, utf8
from gui.core.savings.structure import sections
from gui.core.savings.types import Ranking, SectionKind


def rank_lines(text: str, token_byte_ends: NDArray[np.int64]) -> Ranking:
    """The lines of a text, each with the line feed that ends it.

    ``token_byte_ends``: int64[n], what ``Encoding.token_ends`` gives for this text. A token belongs to the line in
    which it starts. ValueError where a token ends behind the text, as those of an encoding that changes texts may.
    """
    content = np.frombuffer(utf8(text), np.uint8)
    borders = np.flatnonzero(content == ord("\n")).astype(np.int64) + 1
    return _ranking(borders, len(content), None, token_byte_ends)


def rank_sections(text: str, token_byte_ends: NDArray[np.int64], by: SectionKind) -> Ranking:
    """The sections of one kind, and what stands between them (``Ranking.between``). As ``rank_lines`` otherwise."""
    spans = sections(text, by)
    # An array made of pairs takes more than twice as long, and every other thread waits meanwhile.
    ends = np.fromiter(chain.from_iterable(spans), dtype=np.int64, count=2 * len(spans))
    places = byte_places(text, np.append(ends, len(text)))
    starts, size = places[:-1:2], int(places[-1])
    return _ranking(np.unique(places), size, starts, token_byte_ends)


def _ranking(
    borders: NDArray[np.int64], size: int, section_starts: NDArray[np.int64] | None, token_byte_ends: NDArray[np.int64]
) -> Ranking:
    """The parts between ``borders``, which are in order, of a text of ``size`` bytes. Without section starts, every
    part is what was asked for."""
    total = len(token_byte_ends)
    if total and token_byte_ends[-1] > size:
        raise ValueError(f"A token ends at byte {token_byte_ends[-1]} of a text of {size} bytes.")
    inner = borders[(borders > 0) & (borders < size)]
    edges = np.concatenate([[0], inner, [size]]).astype(np.int64) if size else np.zeros(1, dtype=np.int64)
    token_starts = np.concatenate([[0], token_byte_ends[:-1]])[:total]
    before = np.searchsorted(token_starts, edges)
    before[-1] = total
    starts, ends, tokens = edges[:-1].copy(), edges[1:].copy(), np.diff(before).astype(np.int64)
    between = ~np.isin(starts, section_starts) if section_starts is not None else starts < 0
    for array in (starts, ends, tokens, between):
        array.flags.writeable = False
    return Ranking(starts, ends, tokens, between, total)
