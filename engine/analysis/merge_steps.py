"""The merges of a text, to be looked at: what it is cut into, and each pretoken step by step.

How the merges of a published vocabulary are known, though only its ranks are published: ``engine.vocabulary.parents``.
"""

from __future__ import annotations

import heapq
import itertools
from typing import TYPE_CHECKING

import numpy as np

from engine.analysis.merge_types import CutText, MergePart, MergeState, NeighbourPair, PretokenAccount
from engine.errors import UnsupportedTextError
from engine.split.long_texts import stretches
from engine.split.pretokenization import pretokenizer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.encoding.encoding import Encoding
    from engine.types import MergeStep

LONGEST_BYTES = 200_000
"""Of a pretoken whose merges are told: about a second's work, and a list of as many steps."""

MOST_PAIRS = 300
"""Competing pairs that a state lists, the first in line of them."""


def cut_text(encoding: Encoding, text: str) -> CutText:
    """What the split pattern of an encoding makes of a text in which special tokens are plain text.

    UnsupportedTextError where it knows no merges; UnsupportedPatternError (``engine.split.pretokenization``) for a
    pattern that only tiktoken can read; SplitTimeoutError.
    """
    if encoding.no_merges:
        raise UnsupportedTextError(encoding.no_merges)
    from engine.encoding.prepared_encoding import PreparedEncoding

    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    prepared = encoding.preparation(whole) if isinstance(encoding, PreparedEncoding) else whole
    spans = [stretch.char_spans + stretch.char_start for stretch in stretches(pretokenizer(encoding.pattern), prepared)]
    char_spans = np.concatenate([np.empty((0, 2), dtype=np.int64), *spans])
    char_spans.flags.writeable = False
    return CutText(prepared, prepared != whole, char_spans)


def account_of(encoding: Encoding, pretoken: str) -> PretokenAccount:
    """How a pretoken without surrogates becomes its tokens, with every merge.

    UnsupportedTextError where it is longer than ``LONGEST_BYTES``, or has a byte that is no token.
    """
    content = pretoken.encode("utf-8")
    if len(content) > LONGEST_BYTES:
        raise UnsupportedTextError(
            f"This pretoken has {len(content):,} bytes. Merges are told of pretokens up to {LONGEST_BYTES:,} bytes."
        )
    ranks = encoding._vocabulary.ids_by_bytes
    try:
        steps = encoding.merge_steps(content)
    except KeyError as error:
        raise UnsupportedTextError(f"{encoding.name} has no token for the byte {error.args[0].hex()}.") from error
    first_ends = tuple(encoding.first_ends(content))
    is_looked_up = not steps and len(first_ends) > 1 and content in ranks and encoding.looks_up(content)
    if is_looked_up:
        return PretokenAccount(content, (ranks[content],), (), True, first_ends)
    ids = tuple(part.token_id for part in _parts_after(content, first_ends, tuple(steps), len(steps), ranks))
    return PretokenAccount(content, ids, tuple(steps), False, first_ends)


def state_after(encoding: Encoding, account: PretokenAccount, done: int) -> MergeState:
    """A pretoken after ``done`` of its merges, and the pairs that compete for the next. ValueError where it has not so
    many."""
    if not 0 <= done <= len(account.steps):
        raise ValueError(f"{done} is no number of merges: there are {len(account.steps)}")
    if account.is_looked_up:
        whole = MergePart(0, len(account.content), account.ids[0])
        return MergeState(0, (whole,), (), 0, None)
    vocabulary = encoding._vocabulary
    parts = _parts_after(account.content, account.first_ends, account.steps, done, vocabulary.ids_by_bytes)
    pairs = neighbours(encoding, account.content, parts)
    in_line = heapq.nsmallest(MOST_PAIRS, pairs, key=_turn)
    chosen = in_line[0] if done < len(account.steps) else None
    return MergeState(done, parts, tuple(in_line), len(pairs) - len(in_line), chosen)


def merge_spans(account: PretokenAccount) -> list[tuple[int, int, int]]:
    """Of each merge, in bytes: where the left token starts, where the right one does, and where that ends."""
    ends = _ends_by_start(account.content, account.first_ends)
    spans = []
    for step in account.steps:
        start, middle = step.byte_start, ends[step.byte_start]
        ends[start] = ends[middle]
        spans.append((start, middle, ends[start]))
    return spans


def neighbours(encoding: Encoding, content: bytes, parts: tuple[MergePart, ...]) -> list[NeighbourPair]:
    """All pairs of neighbours, from left to right."""
    vocabulary = encoding._vocabulary
    first_id = vocabulary.table.first_id
    pairs = []
    for left, right in itertools.pairwise(parts):
        made = encoding.joined_id(content, left.byte_start, right.byte_end)
        pairs.append(NeighbourPair(left, right, made, None if made is None else made - first_id))
    return pairs


def _ends_by_start(content: bytes, first_ends: tuple[int, ...]) -> list[int]:
    """For each byte where the part ends that starts there; 0 where none does."""
    ends = [0] * len(content)
    for start, end in itertools.pairwise((0, *first_ends)):
        ends[start] = end
    return ends


def _turn(pair: NeighbourPair) -> tuple[bool, int, int]:
    """What pairs are ordered by."""
    return pair.token_id is None, pair.token_id or 0, pair.left.byte_start


def _parts_after(
    content: bytes,
    first_ends: tuple[int, ...],
    steps: tuple[MergeStep, ...],
    done: int,
    ranks: Mapping[bytes, int],
) -> tuple[MergePart, ...]:
    ends = _ends_by_start(content, first_ends)
    ids = [ranks[content[place:end]] if end else 0 for place, end in enumerate(ends)]
    for step in steps[:done]:
        ids[step.byte_start] = step.token_id
        ends[step.byte_start] = ends[ends[step.byte_start]]
    parts = []
    place = 0
    while place < len(content):
        parts.append(MergePart(place, ends[place], ids[place]))
        place = ends[place]
    return tuple(parts)
