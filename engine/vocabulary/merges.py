"""Merges: the steps by which a pretoken is merged, and the pair that each token is merged from.

``merge_steps`` returns the merges of one pretoken in order, in a time that grows little faster than its length. The
steps are those of ``engine.split.reference``, which looks at all pairs before each merge. Here a heap holds the next
pair, and a merge changes only its two neighbouring pairs. It is still plain Python: for inspecting single pretokens and
single tokens, not for encoding texts.

``parents_of``, and for a whole vocabulary ``parents_from_tables`` and ``parents_by_replay``, return the two tokens that
each token is merged from. Published vocabularies list tokens in merge order, without the pairs. But a pair can be
recovered: merge the token's own bytes with all other tokens; if two tokens remain, they are the pair. No text ever
merges another pair into that token: until its last merge, nothing has crossed its ends, so its bytes were merged
exactly as if they were alone.
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
    """Return the merges of one pretoken in order; none if it is looked up as a whole because no merges produce it.

    ``ranks``: token bytes to id, in merge order. Raises KeyError for a byte that is not a token.
    """
    steps = list(merges(pretoken, ranks))
    is_made = len(steps) == len(pretoken) - 1
    return [] if pretoken in ranks and not is_made else steps


def parents_of(token: bytes, ranks: Mapping[bytes, int]) -> tuple[int, int] | None:
    """Return the two tokens that a token is merged from: the result of merging its bytes by all other tokens, if that
    is two. None for a single byte, and for a token that no merge produces."""
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
    """Yield the merges in order. ``first_ends``: ends of the initial parts; if None, each is a byte. ``made_of``:
    returns the token that parts with these concatenated bytes become; if None, any token of that vocabulary.

    A part is identified by the offset of its first byte: ``ends`` holds its end (0 if the part no longer exists),
    ``before`` the start of the previous part. Entries in the heap are verified when popped: their parts may have been
    merged.
    """
    size = len(pretoken)
    made_of = made_of or ids_of.get
    starts = [0, *(first_ends or range(1, size + 1))]
    ends, before, ids = [0] * size, [-1] * size, [0] * size
    for place, end in itertools.pairwise(starts):
        ends[place], ids[place] = end, ids_of[pretoken[place:end]]
        if end < size:
            before[end] = place
    waiting: list[tuple[int, int, int]] = []  # id of the result, start of the left part, end of the right part

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
    """Read the parents of all tokens from the vocabulary's tables (``engine.vocabulary.tables.open_tables``), which
    hold all pairs."""
    from engine.vocabulary.tables import pairs_in

    left, right, numbers = pairs_in(tables)
    return _parents(n_vocab, first_id + numbers, first_id + left, first_id + right)


def parents_by_replay(table: RankTable, n_vocab: int, report: Callable[[float], None] | None = None) -> TokenParents:
    """Compute the parents of all tokens one by one. Takes a second or two for 200,000 tokens. ``report`` is called with
    the progress, from 0 to 1; an exception from it ends the work."""
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
