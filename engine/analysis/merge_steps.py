"""The merges of a text: its pretokens, each step by step, and why a span is not one token.

``cut_text`` splits a text into pretokens, and ``trace_of`` returns the merges of one. ``engine.vocabulary.tokens``
explains how the merges of a published vocabulary are known, though only its ranks are published.

``why_not_one`` explains why a span of text is not one token. Ordinary text becomes one token in only one way: the split
pattern keeps it whole, and it is in the vocabulary; for part of a pretoken, merges must produce it, too. So the reason
is a boundary, a token that does not exist, or an earlier merge that took some of its bytes.
"""

from __future__ import annotations

import heapq
import itertools
from typing import TYPE_CHECKING

import numpy as np

from engine.analysis.merge_types import (
    CutText,
    InsideWhole,
    IsToken,
    LostToken,
    MergedOn,
    MergePart,
    MergeState,
    NeighbourPair,
    NeverMade,
    NoSuchToken,
    NotOneToken,
    PretokenTrace,
    Reason,
    SplitApart,
    TakenFirst,
)
from engine.encoding.preprocessing_encoding import PreprocessingEncoding
from engine.errors import UnsupportedTextError
from engine.split.pretokenization import pretoken_chunks, pretokenizer
from engine.text.offsets import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.encoding.encoding import Encoding
    from engine.types import MergeStep


LONGEST_BYTES = 200_000
"""Maximum size of a pretoken whose merges are shown, in bytes: about a second of work and as many steps."""

MAX_PAIRS = 300
"""Maximum number of competing pairs in a state; the first in merge order are listed."""


def cut_text(encoding: Encoding, text: str) -> CutText:
    """Split a text in which special tokens are plain text by the pattern of an encoding.

    Raises UnsupportedTextError if the encoding has no merges, UnsupportedPatternError
    (``engine.split.pretokenization``) for a pattern that only tiktoken can match, and SplitTimeoutError.
    """
    if encoding.no_merges:
        raise UnsupportedTextError(encoding.no_merges)
    whole = without_surrogates(text)
    prepared = encoding.preparation(whole) if isinstance(encoding, PreprocessingEncoding) else whole
    chunks = pretoken_chunks(pretokenizer(encoding.pattern), prepared)
    spans = [chunk.char_spans + chunk.char_start for chunk in chunks]
    char_spans = np.concatenate([np.empty((0, 2), dtype=np.int64), *spans])
    char_spans.flags.writeable = False
    return CutText(prepared, prepared != whole, char_spans)


def trace_of(encoding: Encoding, pretoken: str) -> PretokenTrace:
    """Return all merges by which a pretoken without surrogates becomes its tokens.

    Raises UnsupportedTextError if it is longer than ``LONGEST_BYTES``, or has a byte that is not a token.
    """
    content = pretoken.encode("utf-8")
    if len(content) > LONGEST_BYTES:
        raise UnsupportedTextError(
            f"This pretoken has {len(content):,} bytes. The limit for showing merges is {LONGEST_BYTES:,}."
        )
    ranks = encoding._vocabulary.ids_by_bytes
    try:
        steps = encoding.merge_steps(content)
    except KeyError as error:
        raise UnsupportedTextError(f"{encoding.name} has no token for the byte {error.args[0].hex()}.") from error
    first_ends = tuple(encoding.first_ends(content))
    is_looked_up = not steps and len(first_ends) > 1 and content in ranks and encoding.looks_up(content)
    if is_looked_up:
        return PretokenTrace(content, (ranks[content],), (), True, first_ends)
    ids = tuple(part.token_id for part in _parts_after(content, first_ends, tuple(steps), len(steps), ranks))
    return PretokenTrace(content, ids, tuple(steps), False, first_ends)


def state_after(encoding: Encoding, trace: PretokenTrace, done: int) -> MergeState:
    """Return a pretoken after ``done`` of its merges, and the pairs that compete for the next. Raises ValueError if it
    has fewer merges."""
    if not 0 <= done <= len(trace.steps):
        raise ValueError(f"{done} is out of range: the number of merges is {len(trace.steps)}")
    if trace.is_looked_up:
        whole = MergePart(0, len(trace.content), trace.ids[0])
        return MergeState(0, (whole,), (), 0, None)
    vocabulary = encoding._vocabulary
    parts = _parts_after(trace.content, trace.first_ends, trace.steps, done, vocabulary.ids_by_bytes)
    pairs = neighbours(encoding, trace.content, parts)
    candidates = heapq.nsmallest(MAX_PAIRS, pairs, key=_merge_order)
    chosen = candidates[0] if done < len(trace.steps) else None
    return MergeState(done, parts, tuple(candidates), len(pairs) - len(candidates), chosen)


def merge_spans(trace: PretokenTrace) -> list[tuple[int, int, int]]:
    """Return for each merge, in bytes, the start of the left token, and the start and end of the right one."""
    ends = _ends_by_start(trace.content, trace.first_ends)
    spans = []
    for step in trace.steps:
        start, middle = step.byte_start, ends[step.byte_start]
        ends[start] = ends[middle]
        spans.append((start, middle, ends[start]))
    return spans


def neighbours(encoding: Encoding, content: bytes, parts: tuple[MergePart, ...]) -> list[NeighbourPair]:
    """Return all pairs of neighbours, from left to right."""
    vocabulary = encoding._vocabulary
    first_id = vocabulary.table.first_id
    pairs = []
    for left, right in itertools.pairwise(parts):
        made = encoding.joined_id(content, left.byte_start, right.byte_end)
        pairs.append(NeighbourPair(left, right, made, None if made is None else made - first_id))
    return pairs


def _ends_by_start(content: bytes, first_ends: tuple[int, ...]) -> list[int]:
    """Return for each byte the end of the part that starts there; 0 if none does."""
    ends = [0] * len(content)
    for start, end in itertools.pairwise((0, *first_ends)):
        ends[start] = end
    return ends


def _merge_order(pair: NeighbourPair) -> tuple[bool, int, int]:
    """Return the sort key of a pair: its merge order."""
    return pair.token_id is None, pair.token_id or 0, pair.left.byte_start


def _parts_after(
    content: bytes,
    first_ends: tuple[int, ...],
    steps: tuple[MergeStep, ...],
    done: int,
    ranks: Mapping[bytes, int],
) -> tuple[MergePart, ...]:
    ends = _ends_by_start(content, first_ends)
    ids = [ranks[content[start:end]] if end else 0 for start, end in enumerate(ends)]
    for step in steps[:done]:
        ids[step.byte_start] = step.token_id
        ends[step.byte_start] = ends[ends[step.byte_start]]
    parts = []
    start = 0
    while start < len(content):
        parts.append(MergePart(start, ends[start], ids[start]))
        start = ends[start]
    return tuple(parts)


MAX_LOST = 4
"""Maximum number of lost tokens to report: the longest."""

LONGEST_SEARCHED = 400
"""Maximum size of a span that is searched for lost tokens, in bytes: the search tries every pair of offsets."""

MAX_MISSING = 50


def why_not_one(encoding: Encoding, cut: CutText, char_start: int, char_end: int) -> NotOneToken:
    """Return why this span of a split text is, or is not, one token. Raises ValueError if it is empty or out of range.

    Raises UnsupportedTextError if its pretoken has more than ``LONGEST_BYTES``.
    """
    if not 0 <= char_start < char_end <= len(cut.text):
        raise ValueError(
            f"the span {char_start} to {char_end} is empty or outside the {len(cut.text)} characters of the text"
        )
    content = cut.text[char_start:char_end]
    starts, ends = cut.char_spans.T
    first, last = int(ends.searchsorted(char_start, "right")), int(starts.searchsorted(char_end, "left"))
    covered = sum(min(end, char_end) - max(start, char_start) for start, end in cut.char_spans[first:last].tolist())
    reason: Reason
    if last - first == 1 and covered == len(content):
        pretoken = cut.pretoken(first)
        before = char_start - int(starts[first])
        byte_start = len(pretoken[:before].encode("utf-8"))
        byte_end = byte_start + len(content.encode("utf-8"))
        reason = _inside(encoding, trace_of(encoding, pretoken), byte_start, byte_end)
    else:
        reason = _split(encoding, cut, (char_start, char_end), (first, last), len(content) - covered)
    return NotOneToken(content, encoding._special_tokens.get(content), reason)


def _split(
    encoding: Encoding, cut: CutText, span: tuple[int, int], pretokens: tuple[int, int], n_skipped: int
) -> SplitApart:
    start, end = span
    bounds = [(max(start, low), min(end, high)) for low, high in cut.char_spans[slice(*pretokens)].tolist()]
    return SplitApart(
        tuple(cut.text[low:high] for low, high in bounds),
        tuple(low - start for low, _ in bounds[1:]),
        n_skipped,
        encoding._vocabulary.ids_by_bytes.get(cut.text[start:end].encode("utf-8")),
    )


def _inside(encoding: Encoding, trace: PretokenTrace, start: int, end: int) -> Reason:
    """Return the reason for a span within one pretoken, in bytes."""
    token_id = encoding._vocabulary.ids_by_bytes.get(trace.content[start:end])
    is_whole = (start, end) == (0, len(trace.content))
    if trace.is_looked_up:
        if is_whole:
            return IsToken(trace.ids[0], 0, True)
        return InsideWhole(trace.ids[0], token_id)
    if token_id is None:
        return _no_such_token(encoding, trace, start, end)
    spans = [(low, high) for low, _, high in merge_spans(trace)]
    is_first = end in trace.first_ends and (start == 0 or start in trace.first_ends)
    is_first = is_first and not any(start < inner < end for inner in trace.first_ends)
    made_at = 0 if is_first else next((n for n, span in enumerate(spans, 1) if span == (start, end)), None)
    if made_at is None:
        lost = _lost(trace, spans, token_id, start, end)
        return NeverMade(token_id) if lost is None else TakenFirst(lost)
    for step in range(made_at + 1, len(spans) + 1):
        low, high = spans[step - 1]
        if low <= start and end <= high:
            return MergedOn(token_id, made_at, step, trace.steps[step - 1])
    return IsToken(token_id, made_at, False)


def _no_such_token(encoding: Encoding, trace: PretokenTrace, start: int, end: int) -> NoSuchToken:
    ranks = encoding._vocabulary.ids_by_bytes
    parts = state_after(encoding, trace, len(trace.steps)).parts
    touching = tuple(part for part in parts if part.byte_start < end and part.byte_end > start)
    missing = tuple(neighbours(encoding, trace.content, touching)[:MAX_MISSING])
    if end - start > LONGEST_SEARCHED:
        return NoSuchToken(missing, ())
    spans = [(low, high) for low, _, high in merge_spans(trace)]
    made = set(spans)
    found: list[LostToken] = []
    for size in range(end - start - 1, 1, -1):
        for low in range(start, end - size + 1):
            token_id = ranks.get(trace.content[low : low + size])
            if token_id is None or (low, low + size) in made:
                continue
            lost = _lost(trace, spans, token_id, low, low + size)
            if lost is not None:
                found.append(lost)
            if len(found) == MAX_LOST:
                return NoSuchToken(missing, tuple(found))
    return NoSuchToken(missing, tuple(found))


def _lost(trace: PretokenTrace, spans: list[tuple[int, int]], token_id: int, start: int, end: int) -> LostToken | None:
    """Return the first merge across an end of a token that is not produced; None if there is none."""
    for step, (low, high) in enumerate(spans, 1):
        if low < start < high or low < end < high:
            return LostToken(token_id, start, end, step, trace.steps[step - 1])
    return None
