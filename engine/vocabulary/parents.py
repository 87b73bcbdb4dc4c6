"""Which two tokens each token of a vocabulary is merged from.

Published vocabularies list tokens in the order of merging, not the pairs. But a pair can be found again: merge the
token's own bytes with all other tokens; if two are left, these are it. No text ever merges another pair into that
token: until its last merge happens, nothing has crossed its ends, so its bytes were merged just as they are when alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.types import TokenParents
from engine.vocabulary import merge_replay
from engine.vocabulary.bundle_format import RankTable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
        if len(token) > 1 and (parents := merge_replay.parents_of(token, ranks)):
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
