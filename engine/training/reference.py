"""Reference training of a byte-pair encoding: slow, and as plain as its definition. The fast trainer is tested against
it.

Pretokens are counted; each is a sequence of symbols. Repeatedly, the most frequent pair of neighbouring symbols becomes
a new symbol, where a pair counts as often as its pretoken. Of equally frequent pairs, the one with the smaller left id
wins, then the one with the smaller right id. In each pretoken it is merged from left to right, without overlaps.
(Sennrich, Haddow and Birch 2016; minbpe: ``basic.py``, with ties made definite.)
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.runtime.cancellation import interruptible


@dataclass(frozen=True, slots=True)
class PlainMerge:
    """``left_id`` and ``right_id`` became a token. ``count``: count of the pair. ``tokens_left``: tokens of the whole
    corpus afterwards."""

    left_id: int
    right_id: int
    count: int
    tokens_left: int


def learn_merges(
    pretokens: Mapping[Sequence[int], int],
    symbols: Sequence[bytes],
    most_merges: int,
    *,
    min_count: int = 2,
    max_token_bytes: int | None = None,
    first_seen: bool = False,
) -> list[PlainMerge]:
    """Return the merges of counted pretokens, which are sequences of ids of the alphabet.

    ``symbols``: the bytes of each symbol of the alphabet. The first merge gets the next id after the last symbol.
    ``first_seen``: of equally frequent pairs, take the one that comes first in ``pretokens``, as most tutorials do.
    """
    words = [(list(word), count) for word, count in pretokens.items()]
    contents = list(symbols)
    merges: list[PlainMerge] = []
    for _ in interruptible(range(most_merges), every=1):
        pairs: Counter[tuple[int, int]] = Counter()
        for word, count in words:
            for pair in itertools.pairwise(word):
                pairs[pair] += count
        allowed = [
            (-count, pair)
            for pair, count in pairs.items()
            if count >= min_count and (max_token_bytes is None or len(_joined(pair, contents)) <= max_token_bytes)
        ]
        if not allowed:
            break
        negative_count, pair = min(allowed, key=_count) if first_seen else min(allowed)
        for word, _ in words:
            merge_pair(word, pair, len(contents))
        contents.append(_joined(pair, contents))
        merges.append(PlainMerge(*pair, -negative_count, sum(len(word) * count for word, count in words)))
    return merges


def _joined(pair: tuple[int, int], contents: Sequence[bytes]) -> bytes:
    return contents[pair[0]] + contents[pair[1]]


def _count(candidate: tuple[int, tuple[int, int]]) -> int:
    return candidate[0]


def merge_pair(word: list[int], pair: tuple[int, int], token_id: int) -> None:
    """Merge all occurrences of a pair in a word, from left to right, in place."""
    index = 0
    while index < len(word) - 1:
        if (word[index], word[index + 1]) == pair:
            word[index : index + 2] = [token_id]
        index += 1
