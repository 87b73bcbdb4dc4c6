"""Why something is not one token, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from engine.merge_types import (
    InsideWhole,
    IsToken,
    LostToken,
    MergedOn,
    NeverMade,
    NoSuchToken,
    SplitApart,
    TakenFirst,
    WhyNotOne,
)
from gui.core.token_text import visible, visible_text

if TYPE_CHECKING:
    from engine.types import MergeStep

MOST_CHARACTERS = 40
MOST_NAMED = 12


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("MergeWords", text)


def explained(why: WhyNotOne, tokens: Mapping[int, bytes]) -> str:
    """An answer in a paragraph of plain text. ``tokens``: the bytes of those that it names."""
    lines = [_reason(why, tokens)]
    if why.special_id is not None:
        words = tr(
            "Where special tokens are allowed it is the special token {id}. As ordinary text, which is the rule for "
            "what users type, it is not."
        )
        lines.insert(0, words.format(id=why.special_id))
    return f"{_quoted(why.content)}: " + "\n".join(lines)


def _reason(why: WhyNotOne, tokens: Mapping[int, bytes]) -> str:
    reason = why.reason
    match reason:
        case IsToken():
            return _is_token(reason)
        case SplitApart():
            return _split_apart(reason)
        case NoSuchToken():
            return _no_such_token(reason, tokens)
        case TakenFirst():
            words = tr("not one token here, though the vocabulary has it as {id}. Another merge came first: {lost}.")
            return words.format(id=reason.lost.token_id, lost=_lost(reason.lost, tokens))
        case MergedOn():
            made = tr("from the beginning") if not reason.made_at else tr("after merge {n}").format(n=reason.made_at)
            words = tr("was token {id} {made}, and merge {n} made it a part of a larger one: {merge}.")
            merge = _merge(reason.merge, tokens)
            return words.format(id=reason.token_id, made=made, n=reason.step, merge=merge)
        case InsideWhole():
            words = tr("a part of {whole} (token {id}), which is looked up as a whole: nothing is merged in it.")
            return words.format(whole=_shown(tokens[reason.whole_id]), id=reason.whole_id)
        case NeverMade():
            words = tr(
                "not one token here. The vocabulary has it as {id}, but no merges lead to it: it is found only where "
                "it is a whole pretoken."
            )
            return words.format(id=reason.token_id)


def _is_token(reason: IsToken) -> str:
    if reason.is_looked_up:
        words = tr("one token, {id}. It is looked up as a whole; no merges lead to it.")
        return words.format(id=reason.token_id)
    if not reason.step:
        return tr("one token, {id}: a single byte.").format(id=reason.token_id)
    return tr("one token, {id}, made by merge {n}.").format(id=reason.token_id, n=reason.step)


def _split_apart(reason: SplitApart) -> str:
    lines = []
    if len(reason.pieces) > 1:
        named = "  |  ".join(_shown(piece.encode("utf-8")) for piece in reason.pieces[:MOST_NAMED])
        more = "  |  …" if len(reason.pieces) > MOST_NAMED else ""
        words = tr("the split pattern cuts it into {n} pretokens, and nothing is merged across a cut: {pieces}")
        lines.append(words.format(n=f"{len(reason.pieces):,}", pieces=named + more))
        places = ", ".join(f"{cut:,}" for cut in reason.char_cuts[:MOST_NAMED])
        words = (
            tr("It is cut behind character {places}.")
            if len(reason.char_cuts) == 1
            else tr("It is cut behind the characters {places}.")
        )
        lines.append(words.format(places=places + (", …" if len(reason.char_cuts) > MOST_NAMED else "")))
    if reason.left_out:
        words = tr("The split pattern leaves {n} of its characters out: no token stands for them.")
        lines.append(words.format(n=f"{reason.left_out:,}"))
    if reason.token_id is not None:
        words = tr("The vocabulary has a token for just this, {id}, but the cut keeps this text from becoming it.")
        lines.append(words.format(id=reason.token_id))
    return "\n".join(lines)


def _no_such_token(reason: NoSuchToken, tokens: Mapping[int, bytes]) -> str:
    joins = [
        f"{_shown(tokens[pair.left.token_id])} + {_shown(tokens[pair.right.token_id])}"
        for pair in reason.missing[:MOST_NAMED]
    ]
    more = tr(", and others") if len(reason.missing) > MOST_NAMED else ""
    lines = [tr("the merge that would be needed does not exist: the vocabulary has no such token.")]
    if joins:
        words = tr("What is left at the end does not join: {joins}.")
        lines.append(words.format(joins=", ".join(joins) + more))
    for lost in reason.lost:
        words = tr("{token} (token {id}) exists, but another merge came first: {lost}.")
        lines.append(words.format(token=_shown(tokens[lost.token_id]), id=lost.token_id, lost=_lost(lost, tokens)))
    return "\n".join(lines)


def _lost(lost: LostToken, tokens: Mapping[int, bytes]) -> str:
    return tr("merge {n} took {merge}").format(n=lost.step, merge=_merge(lost.taken_by, tokens))


def _merge(step: MergeStep, tokens: Mapping[int, bytes]) -> str:
    left, right, made = (_shown(tokens[token_id]) for token_id in (step.left_id, step.right_id, step.token_id))
    return f"{left} + {right} → {made}"


def _shown(data: bytes) -> str:
    text = visible(data[: 4 * MOST_CHARACTERS])
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


def _quoted(text: str) -> str:
    cut = visible_text(text[: MOST_CHARACTERS + 1])
    return f"“{cut[:MOST_CHARACTERS]}…”" if len(text) > MOST_CHARACTERS else f"“{cut}”"
