"""How many tokens are built on each token: directly, as one of the two that they are merged from, and in all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.runtime.cancellation import while_wanted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.types import TokenParents

PIECE = 4096
"""So many trees fit into the processor's caches while they are gone through."""


def built_directly(parents: TokenParents) -> NDArray[np.int32]:
    """int32[n_vocab], read-only: how many tokens have each id as a parent; one merged from two of the same is one."""
    made = parents.left >= 0
    left, right = parents.left[made], parents.right[made]
    n_vocab = len(parents.left)
    counts = np.bincount(left, minlength=n_vocab) + np.bincount(right[right != left], minlength=n_vocab)
    return _read_only(counts)


def built_in_all(parents: TokenParents, piece: int = PIECE) -> NDArray[np.int32]:
    """int32[n_vocab], read-only: how many tokens have each id somewhere in the tree of their merges, themselves not
    counted. ``piece``: tokens whose trees are gone through at a time."""
    n_vocab = len(parents.left)
    counts = np.zeros(n_vocab, dtype=np.int64)
    made = np.flatnonzero(parents.left >= 0)
    for first in while_wanted(range(0, len(made), piece), every=1):
        counts += np.bincount(_in_trees(made[first : first + piece], parents) % n_vocab, minlength=n_vocab)
    return _read_only(counts)


def _in_trees(tokens: NDArray[np.int64], parents: TokenParents) -> NDArray[np.int64]:
    """int64[m]: ``token * n_vocab + id`` for every id in the tree of each token, once each. Goes down all trees at
    once, a level at a time."""
    level = _pairs(tokens, tokens, parents)
    seen = [level]
    while len(level):
        token, inside = np.divmod(level, len(parents.left))
        made = parents.left[inside] >= 0
        level = _pairs(token[made], inside[made], parents)
        seen.append(level)
    return np.unique(np.concatenate(seen))


def _pairs(tokens: NDArray[np.int64], inside: NDArray[np.int64], parents: TokenParents) -> NDArray[np.int64]:
    """int64[m]: ``token * n_vocab + parent`` for both parents of the ids ``inside`` the trees of ``tokens``, once
    each."""
    n_vocab = len(parents.left)
    above = np.concatenate([parents.left[inside], parents.right[inside]]).astype(np.int64)
    return np.unique(np.concatenate([tokens, tokens]) * n_vocab + above)


def children_of(token_id: int, parents: TokenParents) -> NDArray[np.int64]:
    """int64[m]: the ids of the tokens that an id is a parent of, in the order of merging."""
    return np.flatnonzero((parents.left == token_id) | (parents.right == token_id))


def _read_only(counts: NDArray[np.int64]) -> NDArray[np.int32]:
    narrow = counts.astype(np.int32)
    narrow.flags.writeable = False
    return narrow
