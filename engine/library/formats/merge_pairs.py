"""Between ranks and merges: which two tokens each token is made of.

Ranks (as tiktoken has them) join any two neighbours whose bytes together are a token; merges (as Hugging Face and
minbpe have them) join only the pair they name. Both give the same tokens as long as each merge joins the very parts
that its token's bytes come to just before it: up to then nothing outside of those bytes has touched them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from engine.runtime.cancellation import interruptible

Pair = tuple[int, int]
Merge = tuple[Pair, int]
"""Two tokens, and the one that they become."""


class MergeTable:
    """Merges in the order in which they apply, which is that of the ids they make. Other tokens are single bytes."""

    def __init__(self) -> None:
        self.parts: dict[int, Pair] = {}
        self._made: dict[Pair, int] = {}

    def add(self, pair: Pair, token_id: int) -> None:
        """The next merge. ``token_id`` is above all before it."""
        self.parts[token_id] = pair
        self._made[pair] = token_id

    def keeps_apart(self, left: int, right: int) -> bool:
        """Whether two tokens stay next to each other until all merges so far were made: none joins something of the
        left with something of the right. Undoes their merges, the later one first, and looks at the border."""
        parts, made = self.parts, self._made
        limit = 1 << 62
        while True:
            if made.get((left, right), limit) < limit:
                return False
            left_parts, right_parts = parts.get(left), parts.get(right)
            if left_parts is not None and (right_parts is None or left > right):
                limit = left
                left = left_parts[1]
            elif right_parts is not None:
                limit = right + 1  # of equal pairs the left one merges first
                right = right_parts[0]
            else:
                return True


def merges_of_ranks(ranks: Mapping[bytes, int]) -> list[Merge]:
    """The merges that do what the ranks do, in the order of the ids they make.

    A token that its own merge order does not lead to, but a later one might, has a merge for each way to cut it in two
    tokens; there may be none. Text that is such a token as a whole comes to it without merging.
    """
    table = MergeTable()
    merges: list[Merge] = []
    for token, token_id in interruptible(sorted(ranks.items(), key=lambda item: item[1])):
        ways = list(_ways(token, ranks))
        fitting = [pair for pair in ways if _is_earlier(pair, token, token_id, ranks) and table.keeps_apart(*pair)]
        if fitting:
            table.add(fitting[0], token_id)
        merges += [(pair, token_id) for pair in fitting[:1] or ways]
    return merges


def _ways(token: bytes, ranks: Mapping[bytes, int]) -> Iterator[Pair]:
    for place in range(1, len(token)):
        left = ranks.get(token[:place])
        right = None if left is None else ranks.get(token[place:])
        if left is not None and right is not None:
            yield left, right


def _is_earlier(pair: Pair, token: bytes, token_id: int, ranks: Mapping[bytes, int]) -> bool:
    """Whether both tokens of a pair are made before the one that they make. Bytes are there from the start."""
    left, right = pair
    return (left < token_id or ranks[token[:1]] == left) and (right < token_id or ranks[token[-1:]] == right)


def agree(merges: Sequence[Merge], ranks: Mapping[bytes, int]) -> bool:
    """Whether merges, in the order of the ids they make, do what the ranks do."""
    table = MergeTable()
    for pair, token_id in interruptible(merges):
        if token_id in table.parts or not table.keeps_apart(*pair):
            break
        table.add(pair, token_id)
    else:
        if len(merges) == sum(len(token) > 1 for token in ranks):
            return True
    return merges_of_ranks(ranks) == list(merges)


def agree_where_words_are_first(merges: Sequence[Merge], ranks: Mapping[bytes, int]) -> bool:
    """Return whether merges, in the order of the ids they make, do what the ranks do, if a text that is a token as a
    whole is that token (``ignore_merges``).

    Converters of ranks write a merge for each way to cut a token in two tokens (Llama 3, gpt-oss, Mistral Nemo). Of a
    token that its own merge order leads to, only one of them ever applies, and the others change nothing: whenever its
    turn comes, its bytes are cut that way or cross its border for good. Of every other token, all ways must be there.
    """
    table = MergeTable()
    tokens = {token_id: token for token, token_id in ranks.items()}
    made: set[int] = set()
    for token_id, group in groupby(interruptible(merges), key=itemgetter(1)):
        if token_id in made:
            return False
        made.add(token_id)
        token, pairs = tokens[token_id], [pair for pair, _ in group]
        fitting = [pair for pair in pairs if _is_earlier(pair, token, token_id, ranks) and table.keeps_apart(*pair)]
        if fitting:
            table.add(fitting[0], token_id)
        elif set(pairs) != set(_ways(token, ranks)):
            return False
    unmade = (token for token, token_id in ranks.items() if len(token) > 1 and token_id not in made)
    return not any(next(_ways(token, ranks), None) for token in interruptible(unmade))
