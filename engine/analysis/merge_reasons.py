"""Why a stretch of a text is not one token.

Ordinary text becomes one token in one way: the split pattern leaves it whole, and it is in the vocabulary; for a part
of a pretoken, the merges have to lead to it, too. So what kept it apart is a cut, a token that does not exist, or a
merge that came first and took some of its bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.analysis.merge_steps import account_of, merge_spans, neighbours, state_after
from engine.analysis.merge_types import (
    CutText,
    InsideWhole,
    IsToken,
    LostToken,
    MergedOn,
    NeverMade,
    NoSuchToken,
    PretokenAccount,
    Reason,
    SplitApart,
    TakenFirst,
    WhyNotOne,
)

if TYPE_CHECKING:
    from engine.encoding.encoding import Encoding

MOST_LOST = 4
"""Tokens that were not made and are told of: the longest."""

LONGEST_SEARCHED = 400
"""Bytes of a stretch in which they are looked for: that takes a look at every pair of places."""

MOST_MISSING = 50


def why_not_one(encoding: Encoding, cut: CutText, char_start: int, char_end: int) -> WhyNotOne:
    """Why this stretch of a cut text is, or is not, one token. ValueError where it is empty or outside.

    UnsupportedTextError where its pretoken is longer than can be told (``engine.analysis.merge_steps``).
    """
    if not 0 <= char_start < char_end <= len(cut.text):
        raise ValueError(f"there is nothing from {char_start} to {char_end} in {len(cut.text)} characters")
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
        reason = _inside(encoding, account_of(encoding, pretoken), byte_start, byte_end)
    else:
        reason = _split(encoding, cut, (char_start, char_end), (first, last), len(content) - covered)
    return WhyNotOne(content, encoding._special_tokens.get(content), reason)


def _split(
    encoding: Encoding, cut: CutText, stretch: tuple[int, int], pretokens: tuple[int, int], left_out: int
) -> SplitApart:
    start, end = stretch
    bounds = [(max(start, low), min(end, high)) for low, high in cut.char_spans[slice(*pretokens)].tolist()]
    return SplitApart(
        tuple(cut.text[low:high] for low, high in bounds),
        tuple(low - start for low, _ in bounds[1:]),
        left_out,
        encoding._vocabulary.ids_by_bytes.get(cut.text[start:end].encode("utf-8")),
    )


def _inside(encoding: Encoding, account: PretokenAccount, start: int, end: int) -> Reason:
    """The reason for a stretch of one pretoken, in bytes."""
    token_id = encoding._vocabulary.ids_by_bytes.get(account.content[start:end])
    is_whole = (start, end) == (0, len(account.content))
    if account.is_looked_up:
        if is_whole:
            return IsToken(account.ids[0], 0, True)
        return InsideWhole(account.ids[0], token_id)
    if token_id is None:
        return _no_such_token(encoding, account, start, end)
    spans = [(low, high) for low, _, high in merge_spans(account)]
    is_first = end in account.first_ends and (start == 0 or start in account.first_ends)
    is_first = is_first and not any(start < inner < end for inner in account.first_ends)
    made_at = 0 if is_first else next((n for n, span in enumerate(spans, 1) if span == (start, end)), None)
    if made_at is None:
        lost = _lost(account, spans, token_id, start, end)
        return NeverMade(token_id) if lost is None else TakenFirst(lost)
    for step in range(made_at + 1, len(spans) + 1):
        low, high = spans[step - 1]
        if low <= start and end <= high:
            return MergedOn(token_id, made_at, step, account.steps[step - 1])
    return IsToken(token_id, made_at, False)


def _no_such_token(encoding: Encoding, account: PretokenAccount, start: int, end: int) -> NoSuchToken:
    ranks = encoding._vocabulary.ids_by_bytes
    parts = state_after(encoding, account, len(account.steps)).parts
    touching = tuple(part for part in parts if part.byte_start < end and part.byte_end > start)
    missing = tuple(neighbours(encoding, account.content, touching)[:MOST_MISSING])
    if end - start > LONGEST_SEARCHED:
        return NoSuchToken(missing, ())
    spans = [(low, high) for low, _, high in merge_spans(account)]
    made = set(spans)
    found: list[LostToken] = []
    for size in range(end - start - 1, 1, -1):
        for low in range(start, end - size + 1):
            token_id = ranks.get(account.content[low : low + size])
            if token_id is None or (low, low + size) in made:
                continue
            lost = _lost(account, spans, token_id, low, low + size)
            if lost is not None:
                found.append(lost)
            if len(found) == MOST_LOST:
                return NoSuchToken(missing, tuple(found))
    return NoSuchToken(missing, tuple(found))


def _lost(
    account: PretokenAccount, spans: list[tuple[int, int]], token_id: int, start: int, end: int
) -> LostToken | None:
    """The first merge across one of the ends of a token that is not made; None where there is none."""
    for step, (low, high) in enumerate(spans, 1):
        if low < start < high or low < end < high:
            return LostToken(token_id, start, end, step, account.steps[step - 1])
    return None
