"""Byte-pair encoding exactly as defined: simple and slow.

The fast kernels, and the merges that the merge inspector shows, are tested against this module.

A vocabulary maps the bytes of tokens to their ids; pairs are merged in the order of the ids. A text is first split into
pretokens by the encoding's split pattern; each is then encoded separately:

1. A pretoken that is a token becomes that token.
2. Otherwise it starts as single bytes. While any two neighbours together are a token, merge the pair whose token has
  the lowest id; of equals, the leftmost.

(tiktoken: ``src/lib.rs``, ``encode_ordinary_native`` and ``byte_pair_merge``.)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from engine.types import MergeStep


def encode_pretoken(pretoken: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    """Return the token ids of one pretoken. Raises KeyError for a byte that is not a token."""
    if pretoken in ranks:
        return [ranks[pretoken]]
    return [ranks[part] for part in merge(pretoken, ranks)]


def encode_with_byte_fallback(pretoken: str, ranks: Mapping[bytes, int]) -> list[int]:
    """Return the token ids of one pretoken in a vocabulary of characters. It starts as characters; those that are not
    tokens become bytes, which never merge. (huggingface/tokenizers, src/models/bpe/model.rs: ``merge_word``.)"""
    parts: list[bytes] = []
    for character in pretoken:
        content = character.encode("utf-8")
        parts += [content] if content in ranks else [bytes([value]) for value in content]
    for _ in _merges(parts, {token: token_id for token, token_id in ranks.items() if _is_text(token)}):
        pass
    return [ranks[part] for part in parts]


def _is_text(token: bytes) -> bool:
    return token.decode("utf-8", "ignore").encode("utf-8") == token


def merge(pretoken: bytes, ranks: Mapping[bytes, int]) -> list[bytes]:
    """Return the tokens that remain when no two neighbours can be merged. Does not look up the whole pretoken first."""
    parts = [bytes([value]) for value in pretoken]
    for _ in _merges(parts, ranks):
        pass
    return parts


def merge_steps(pretoken: bytes, ranks: Mapping[bytes, int]) -> list[MergeStep]:
    """Return the merges of one pretoken in order; none if the pretoken is looked up as a whole. Raises KeyError for a
    byte that is not a token."""
    parts = [bytes([value]) for value in pretoken]
    steps = list(_merges(parts, ranks))
    return [] if pretoken in ranks and len(parts) > 1 else steps


def parents_of(token: bytes, ranks: Mapping[bytes, int]) -> tuple[int, int] | None:
    """Return the two tokens that a token is merged from: the result of merging its bytes by all other tokens, if that
    is two. None for a single byte, and for a token that no merge produces."""
    others = {part: token_id for part, token_id in ranks.items() if part != token}
    parts = merge(token, others)
    return (ranks[parts[0]], ranks[parts[1]]) if len(parts) == 2 else None


def _merges(parts: list[bytes], ranks: Mapping[bytes, int]) -> Iterator[MergeStep]:
    """Merge ``parts`` in place and yield each merge."""
    while True:
        joined = [ranks.get(left + right) for left, right in itertools.pairwise(parts)]
        found = [rank for rank in joined if rank is not None]
        if not found:
            return
        index = joined.index(min(found))
        left, right = parts[index : index + 2]
        parts[index : index + 2] = [left + right]
        yield MergeStep(sum(map(len, parts[:index])), ranks[left], ranks[right], ranks[left + right])
