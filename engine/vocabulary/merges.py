"""The merges behind tokens: one pretoken merged step by step, and the pair that each token is made of.

``merge_steps`` gives the merges of one pretoken, one by one, in a time that grows little faster than its length. The
steps are those of ``engine.split.reference``, which looks at all pairs before each merge. Here a heap knows which pair
is next, and a merge changes only the two pairs beside it. It is plain Python all the same: for looking at single
pretokens and single tokens, not for encoding texts.

``parents_of``, and for a whole vocabulary ``parents_from_tables`` and ``parents_by_replay``, tell which two tokens each
token is merged from. Published vocabularies list tokens in the order of merging, not the pairs. But a pair can be found
again: merge the token's own bytes with all other tokens; if two are left, these are the pair. No text ever merges
another pair into that token: until its last merge happens, nothing has crossed its ends, so its bytes were merged just
as they are when alone.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from engine.types import MergeStep, TokenParents
from engine.vocabulary.bundle import RankTable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def merge_steps(pretoken: bytes, ranks: Mapping[bytes, int]) -> list[MergeStep]:
    """The merges of one pretoken in the order in which they happen; none where it is looked up as a whole because no
    merges lead to it.

    ``ranks``: token bytes to id, in the order of merging. KeyError for a byte that is no token.
    """
    steps = list(merges(pretoken, ranks))
    is_made = len(steps) == len(pretoken) - 1
    return [] if pretoken in ranks and not is_made else steps


def parents_of(token: bytes, ranks: Mapping[bytes, int]) -> tuple[int, int] | None:
    """The two tokens that a token is merged from: what all others merge its bytes into, if that is two. None for a
    single byte, and for a token that merging never makes."""
    if any(token[place : place + 1] not in ranks for place in range(len(token))):
        return None
    own_id = ranks[token]
    steps = list(merges(token, ranks))
    return (steps[-1].left_id, steps[-1].right_id) if steps and steps[-1].token_id == own_id else None


def merges(
    pretoken: bytes,
    ids_of: Mapping[bytes, int],
    first_ends: Sequence[int] | None = None,
    made_of: Callable[[bytes], int | None] | None = None,
) -> Iterator[MergeStep]:
    """The merges one by one. ``first_ends``: where the parts end that they begin with; without, each is a byte.
    ``made_of``: the token that parts become which have these bytes together; without, any of that vocabulary.

    A part is named by the place of its first byte: ``ends`` says where it ends (0: it is no part any more), ``before``
    where the one before it starts. What waits is looked at again when its turn comes: its parts may be gone.
    """
    size = len(pretoken)
    made_of = made_of or ids_of.get
    starts = [0, *(first_ends or range(1, size + 1))]
    ends, before, ids = [0] * size, [-1] * size, [0] * size
    for place, end in itertools.pairwise(starts):
        ends[place], ids[place] = end, ids_of[pretoken[place:end]]
        if end < size:
            before[end] = place
    waiting: list[tuple[int, int, int]] = []  # id that is made, place of the left part, end of the right part

    def consider(place: int) -> None:
        if place >= 0 and ends[place] < size:
            end = ends[ends[place]]
            made = made_of(pretoken[place:end])
            if made is not None:
                heapq.heappush(waiting, (made, place, end))

    for place in starts[:-1]:
        consider(place)
    while waiting:
        made, place, end = heapq.heappop(waiting)
        right = ends[place]
        if not 0 < right < size or ends[right] != end:
            continue
        yield MergeStep(place, ids[place], ids[right], made)
        ids[place] = made
        ends[place] = end
        ends[right] = 0
        if end < size:
            before[end] = place
        consider(place)
        consider(before[place])


NO_PARENT = -1
BETWEEN_REPORTS = 1024


def parents_from_tables(tables: NDArray[np.uint8], first_id: int, n_vocab: int) -> TokenParents:
    """Read them from the tables of the vocabulary (``engine.vocabulary.tables.open_tables``), which hold all pairs
    anyway."""
    from engine.vocabulary.tables import pairs_in

    left, right, numbers = pairs_in(tables)
    return _parents(n_vocab, first_id + numbers, first_id + left, first_id + right)


def parents_by_replay(table: RankTable, n_vocab: int, report: Callable[[float], None] | None = None) -> TokenParents:
    """Find them token by token. Takes a second or two for 200,000 tokens. ``report`` is called with how far it is, from
    0 to 1; what it raises ends it."""
    import numpy as np

    ranks = table.mergeable_ranks()
    found = []
    for number, (token, token_id) in enumerate(ranks.items()):
        if report is not None and number % BETWEEN_REPORTS == 0:
            report(number / len(ranks))
        if len(token) > 1 and (parents := parents_of(token, ranks)):
            found.append((token_id, *parents))
    ids, left, right = np.array(found, dtype=np.int64).reshape(-1, 3).T
    return _parents(n_vocab, ids, left, right)


def _parents(n_vocab: int, ids: NDArray[np.int64], left: NDArray[np.int64], right: NDArray[np.int64]) -> TokenParents:
    import numpy as np

    arrays = []
    for parents in (left, right):
        array = np.full(n_vocab, NO_PARENT, dtype=np.int32)
        array[ids] = parents
        array.flags.writeable = False
        arrays.append(array)
    return TokenParents(*arrays)
