"""Does tiktoken cut texts where we say it does? tiktoken tells ids, not cuts; this makes ids that tell the cuts.

A pretoken that is itself a token becomes that one token, whatever the merges would do. So encode with two vocabularies
made for the texts at hand:

A   all bytes; our pretokens of three bytes and more; and, where short pretokens (one or two bytes) of ours stand in a
    row, every stretch of three bytes and more that starts where one of them starts and ends within the row.
B   A, our pretokens of two bytes, and in the rows every stretch of two bytes that starts where a pretoken starts.

A has no token of two bytes, so nothing ever merges: a pretoken of tiktoken's is one token if it is in A, else single
bytes. We expect one token for our long pretokens and single bytes for short ones under A, and one token for each
pretoken under B. Both streams are as expected if and only if all cuts agree. Suppose they do not, and take the first
place i from which our pretoken ends at j and tiktoken's at k, with j and k not the same:

* Ours has three bytes or more: A has a token for it, tiktoken gives another token or a single byte there.
* Ours is short and k is within the row: tiktoken's pretoken is in A or B by construction (or it is one byte, and ours,
  of two bytes, is in B), so tiktoken gives one token where we expect another.
* Ours is short and k is behind the end e of the row: tiktoken's pretoken covers the start of the long pretoken of
  ours at e. Under A it gives one token at i where we expect a byte, or a byte at e where we expect a token.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.runtime.tiktoken_core import build_core

LONGEST_ROW = 400
"""Bytes of short pretokens in a row that are still looked through: the vocabularies grow with the square of it."""


def _rows(ends: Sequence[int]) -> list[tuple[int, int, list[int]]]:
    """Maximal rows of short pretokens: start, end, starts of the pretokens in it."""
    rows: list[tuple[int, int, list[int]]] = []
    start = 0
    for end in ends:
        if end - start < 3:
            if rows and rows[-1][1] == start:
                first, _, starts = rows[-1]
                starts.append(start)
                rows[-1] = (first, end, starts)
            else:
                rows.append((start, end, [start]))
        start = end
    return rows


def first_disagreement(pattern: str, texts: Sequence[str], all_ends: Sequence[Sequence[int]]) -> str | None:
    """None when tiktoken cuts every text at ``all_ends`` (byte offsets of the ends of pretokens) under ``pattern``;
    else a description of the first text that it cuts elsewhere."""
    contents = [text.encode("utf-8") for text in texts]
    long_tokens: dict[bytes, int] = {}
    pairs: dict[bytes, int] = {}
    for content, ends in zip(contents, all_ends, strict=True):
        if (ends[-1] if len(ends) else 0) != len(content):
            return f"the ends do not reach the end of {content!r}: {list(ends)}"
        start = 0
        for end in ends:
            piece = content[start:end]
            if end - start >= 3:
                long_tokens[piece] = 0
            elif end - start == 2:
                pairs[piece] = 0
            start = end
        for _, row_end, starts in _rows(ends):
            if row_end - starts[0] > LONGEST_ROW:
                raise ValueError("a row of short pretokens is too long for this comparison")
            for first in starts:
                if first + 2 <= row_end:
                    pairs[content[first : first + 2]] = 0
                for end in range(first + 3, row_end + 1):
                    long_tokens[content[first:end]] = 0
    ranks = {bytes([value]): value for value in range(256)}
    for token in long_tokens:
        ranks[token] = len(ranks)
    without_pairs = build_core(ranks, {}, pattern)
    ranks_with_pairs = dict(ranks)
    for token in pairs:
        ranks_with_pairs[token] = len(ranks_with_pairs)
    with_pairs = build_core(ranks_with_pairs, {}, pattern)
    for text, content, ends in zip(texts, contents, all_ends, strict=True):
        expected_a: list[int] = []
        expected_b: list[int] = []
        start = 0
        for end in ends:
            piece = content[start:end]
            if end - start >= 3:
                expected_a.append(ranks[piece])
            else:
                expected_a.extend(piece)
            expected_b.append(ranks_with_pairs[piece])
            start = end
        if without_pairs.encode_ordinary(text) != expected_a or with_pairs.encode_ordinary(text) != expected_b:
            pieces = [content[a:b] for a, b in zip([0, *ends], ends, strict=False)]
            return f"cut differently by tiktoken: {text!r}, ours {pieces}"
    return None
