"""Encodings for the tests: learned from a text as the definition says, so that nothing has to be compiled."""

from __future__ import annotations

import functools
from collections import Counter

from engine.encoding.encoding import Encoding
from engine.library.bundled_encodings import expression_named
from engine.split.pretokenization import pretokenizer
from engine.training.reference import learn_merges

TEXT = (
    "The cat in the hat sat on the mat; the other cat did not.\n" * 3
    + "for index in range(1234):\n    print('naïve', index)  # 汉字汉字かな\n\n" * 3
    + "L'été, l'ÉTÉ, 12345 👩\u200d🚀👩\u200d🚀\r\n\t   "
)
SPECIALS = ("<|endoftext|>", "<|pad|>")


@functools.cache
def trained(pattern: str = "cl100k_base", merges: int = 120, special_tokens: tuple[str, ...] = SPECIALS) -> Encoding:
    """An encoding as training gives it: bytes, merges, special tokens."""
    expression = expression_named(pattern)
    pieces = Counter(tuple(piece.encode()) for piece in pretokenizer(expression).pretokens(TEXT))
    tokens = [bytes([value]) for value in range(256)]
    for merge in learn_merges(pieces, [1] * 256, merges):
        tokens.append(tokens[merge.left_id] + tokens[merge.right_id])
    return Encoding(
        "trained",
        pat_str=expression,
        mergeable_ranks={token: token_id for token_id, token in enumerate(tokens)},
        special_tokens={text: len(tokens) + number for number, text in enumerate(special_tokens)},
    )
