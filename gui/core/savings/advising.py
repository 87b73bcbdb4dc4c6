"""What could be done to save tokens. Nothing is offered whose saving was not counted on the edited text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gui.core.savings import characters, left_out, long_strings, rewriting, white_space
from gui.core.savings.edits import edited, united_edits
from gui.core.savings.searched_text import Prompt
from gui.core.savings.types import Advice, Edit, Effect, Kind, Proposal
from gui.core.savings.watch import OutOfTime, Watch

MOST_SECONDS = 20.0

Count = Callable[[str], int]
"""The tokens of a text in the encoding that is shown, such as ``Encoding.count``."""

KINDS: tuple[tuple[Kind, Callable[[Prompt], list[Edit]]], ...] = (
    (Kind("repeated", lossless=False), left_out.repeated_passages),
    (Kind("repeated_lines", lossless=False), left_out.repeated_lines),
    (Kind("comments", lossless=False), left_out.comments),
    (Kind("base64", lossless=False), long_strings.base64_blobs),
    (Kind("names", lossless=False), long_strings.long_names),
    (Kind("json_csv", lossless=False), rewriting.json_as_csv),
    (Kind("json", lossless=True), white_space.json_white_space),
    (Kind("table", lossless=True), white_space.table_padding),
    (Kind("blank_lines", lossless=True), white_space.blank_lines),
    (Kind("trailing", lossless=True), white_space.trailing_spaces),
    (Kind("indentation", lossless=False), white_space.indentation),
    (Kind("invisible", lossless=False), characters.invisible),
    (Kind("nfc", lossless=True), characters.decomposed),
    (Kind("look_alikes", lossless=False), characters.look_alikes),
    (Kind("typographic", lossless=False), characters.typographic),
    (Kind("capitals", lossless=False), rewriting.capitals),
)
"""In the order in which they go before each other where their edits overlap."""


def advise(
    text: str, count: Count, watch: Watch | None = None, begin: Callable[[float, str], None] = lambda share, name: None
) -> Advice:
    """All proposals for a text, each with its effect if it is done alone. Of two that save the same, the one that
    ``KINDS`` has first. What ``count`` and the check of ``watch`` raise goes through.

    ``begin`` is told what share of the work is done, and the name of the kind that is looked for next.
    """
    watch = watch or Watch(MOST_SECONDS)
    before = count(text)
    prompt = Prompt(text, watch)
    proposals, unfinished = [], []
    for number, (kind, search) in enumerate(KINDS):
        begin(number / len(KINDS), kind.name)
        try:
            watch.look()
            found = search(prompt)
        except OutOfTime:
            unfinished.append(kind)
            continue
        effect = _effect(text, found, before, count)
        if effect.tokens_saved > 0:
            proposals.append(Proposal(kind, effect))
    proposals.sort(key=lambda proposal: -proposal.effect.tokens_saved)
    return Advice(before, tuple(proposals), tuple(unfinished))


def together(text: str, proposals: Iterable[Proposal], count: Count) -> Effect:
    """The effect of several proposals for this text at once, counted anew.

    Where edits overlap, the proposal whose kind ``KINDS`` has first keeps its own, whole; in what order the proposals
    are given makes no difference.
    """
    order = [kind for kind, _search in KINDS]
    rows = sorted(proposals, key=lambda proposal: order.index(proposal.kind))
    return _effect(text, united_edits(one.effect.edits for one in rows), count(text), count)


def _effect(text: str, edits: Sequence[Edit], before: int, count: Count) -> Effect:
    return Effect(tuple(edits), before, count(edited(text, edits)) if edits else before)
