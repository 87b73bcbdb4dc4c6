"""Byte-pair encoding as the definition says, slowly and plainly.

The fast kernels are tested against this module, and the merge inspector shows what it does.

A vocabulary is a mapping from the bytes of tokens to their ids; the order of the ids is the order of merging. A text is
first cut into pretokens by the encoding's split pattern; each is then encoded by itself:

1. A pretoken that is a token is that token.
2. Otherwise it starts as single bytes. As long as two neighbours joined are a token, join the pair whose token has the
   lowest id; of equals, the leftmost.

(tiktoken: ``src/lib.rs``, ``encode_ordinary_native`` and ``byte_pair_merge``.)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from engine.types import MergeStep


def encode_pretoken(pretoken: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    """Token ids of one pretoken. KeyError for a byte that is no token."""
    if pretoken in ranks:
        return [ranks[pretoken]]
    return [ranks[part] for part in merge(pretoken, ranks)]


def encode_with_byte_fallback(pretoken: str, ranks: Mapping[bytes, int]) -> list[int]:
    """Token ids of one pretoken in a vocabulary of characters: it starts as characters, those that are no tokens as
    their bytes, which never merge. (huggingface/tokenizers, src/models/bpe/model.rs: ``merge_word``.)"""
    parts: list[bytes] = []
    for character in pretoken:
        content = character.encode("utf-8")
        parts += [content] if content in ranks else [content[place : place + 1] for place in range(len(content))]
    for _ in _merges(parts, {token: token_id for token, token_id in ranks.items() if _is_text(token)}):
        pass
    return [ranks[part] for part in parts]


def _is_text(token: bytes) -> bool:
    return token.decode("utf-8", "ignore").encode("utf-8") == token


def merge(pretoken: bytes, ranks: Mapping[bytes, int]) -> list[bytes]:
    """The parts that are left when no two neighbours can be merged, without looking the whole up first."""
    parts = [pretoken[place : place + 1] for place in range(len(pretoken))]
    for _ in _merges(parts, ranks):
        pass
    return parts


def merge_steps(pretoken: bytes, ranks: Mapping[bytes, int]) -> list[MergeStep]:
    """The merges of one pretoken in the order in which they happen; none for one that is looked up as a whole and
    that no merges lead to. KeyError for a byte that is no token."""
    parts = [pretoken[place : place + 1] for place in range(len(pretoken))]
    steps = list(_merges(parts, ranks))
    return [] if pretoken in ranks and len(parts) > 1 else steps


def parents_of(token: bytes, ranks: Mapping[bytes, int]) -> tuple[int, int] | None:
    """The two tokens that a token is merged from: what all others merge its bytes into, if that is two. None for a
    single byte, and for a token that merging never makes."""
    others = {part: token_id for part, token_id in ranks.items() if part != token}
    parts = merge(token, others)
    return (ranks[parts[0]], ranks[parts[1]]) if len(parts) == 2 else None


def _merges(parts: list[bytes], ranks: Mapping[bytes, int]) -> Iterator[MergeStep]:
    """Merge ``parts`` in place, and tell of each merge."""
    while True:
        joined = [ranks.get(left + right) for left, right in itertools.pairwise(parts)]
        found = [rank for rank in joined if rank is not None]
        if not found:
            return
        place = joined.index(min(found))
        left, right = parts[place : place + 2]
        parts[place : place + 2] = [left + right]
        yield MergeStep(sum(map(len, parts[:place])), ranks[left], ranks[right], ranks[left + right])
