"""What could be done to save tokens. Nothing is offered whose saving was not counted on the edited text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

from gui.services.advisor import characters, left_out, long_strings, white_space
from gui.services.advisor.edits import edited, united_edits
from gui.services.advisor.prompt import Prompt
from gui.services.advisor.types import Advice, Edit, Effect, Kind, Proposal
from gui.services.advisor.watch import OutOfTime, Watch

MOST_SECONDS = 20.0

Count = Callable[[str], int]
"""The tokens of a text in the encoding that is shown, such as ``Encoding.count``."""

UsdPerMonth = Callable[[int], Decimal | None]
"""What prompts of so many tokens cost in a month; None where the price is not known."""

KINDS: tuple[tuple[Kind, Callable[[Prompt], list[Edit]]], ...] = (
    (
        Kind(
            "repeated",
            "Leave out what is said twice",
            False,
            "The first of equal paragraphs and lines stays; whoever repeats something may mean to stress it.",
        ),
        left_out.repeated_passages,
    ),
    (
        Kind("comments", "Leave out HTML comments", False, "Readers of the page do not see them, but the model does."),
        left_out.comments,
    ),
    (
        Kind(
            "base64",
            "Leave out base64",
            False,
            "What it encodes is gone; a model can seldom read it, and images and files have ways of their own.",
        ),
        long_strings.base64_blobs,
    ),
    (
        Kind(
            "names",
            "Shorten UUIDs and digests",
            False,
            "Eight digits still tell those of this text apart, but lead nobody to the thing itself.",
        ),
        long_strings.long_names,
    ),
    (
        Kind(
            "json",
            "Write JSON without white space",
            True,
            "White space between the tokens of JSON means nothing (RFC 8259); names, values and their order stay.",
        ),
        white_space.json_white_space,
    ),
    (
        Kind(
            "table",
            "Take the padding out of tables",
            True,
            "Markdown ignores the spaces around the text of a cell, and dashes beyond the third.",
        ),
        white_space.table_padding,
    ),
    (
        Kind(
            "blank_lines",
            "Keep one of several blank lines",
            True,
            "One blank line ends a paragraph as well as several; fenced code and JSON are left alone.",
        ),
        white_space.blank_lines,
    ),
    (
        Kind(
            "trailing",
            "Remove spaces at ends of lines",
            True,
            "Nobody sees them; fenced code, JSON and the two spaces that break a line in Markdown are left alone.",
        ),
        white_space.trailing_spaces,
    ),
    (
        Kind(
            "indentation",
            "Remove indentation of code",
            False,
            "Code in braces runs without it but is harder to read, and strings over several lines change; languages "
            "that need indentation are left alone.",
        ),
        white_space.indentation,
    ),
    (
        Kind(
            "invisible",
            "Remove invisible characters",
            False,
            "They show nothing, but may say where a word can be parted, which Thai and Khmer have no spaces for.",
        ),
        characters.invisible,
    ),
    (
        Kind(
            "nfc",
            "Compose accents (NFC)",
            True,
            "To Unicode both spellings are the same text; only names of files and hashes may tell them apart.",
        ),
        characters.decomposed,
    ),
    (
        Kind(
            "look_alikes",
            "Write ligatures and full-width letters plainly",
            False,
            "It reads the same, but which letters were joined or wide is lost.",
        ),
        characters.look_alikes,
    ),
    (
        Kind(
            "typographic",
            "Write quotes and dashes in ASCII",
            False,
            "Opening and closing quotes, and dashes of different lengths, become the same; spaces may break lines.",
        ),
        characters.typographic,
    ),
)
"""In the order in which they go before each other where their edits overlap."""


def advise(
    text: str, count: Count, usd_per_month: UsdPerMonth = lambda tokens: None, watch: Watch | None = None
) -> Advice:
    """All proposals for a text, each with its effect if it is done alone. Of two that save the same, the one that
    ``KINDS`` has first. What ``count``, ``usd_per_month`` and the check of ``watch`` raise goes through."""
    watch = watch or Watch(MOST_SECONDS)
    before = count(text)
    prompt = Prompt(text, watch)
    proposals, remarks = [], []
    for kind, search in KINDS:
        try:
            watch.look()
            found = search(prompt)
        except OutOfTime:
            remarks.append(
                f"“{kind.title}” was not looked for to the end: the text took too long. A part of it may do."
            )
            continue
        effect = _effect(text, found, before, count, usd_per_month)
        if effect.tokens_saved > 0:
            proposals.append(Proposal(kind, effect))
    proposals.sort(key=lambda proposal: -proposal.effect.tokens_saved)
    return Advice(before, tuple(proposals), tuple(remarks))


def together(
    text: str, proposals: Iterable[Proposal], count: Count, usd_per_month: UsdPerMonth = lambda tokens: None
) -> Effect:
    """The effect of several proposals for this text at once, counted anew.

    Where edits overlap, the proposal whose kind ``KINDS`` has first keeps its own, whole; in what order the proposals
    are given makes no difference.
    """
    order = [kind for kind, _search in KINDS]
    rows = sorted(proposals, key=lambda proposal: order.index(proposal.kind))
    return _effect(text, united_edits(one.effect.edits for one in rows), count(text), count, usd_per_month)


def _effect(text: str, edits: Sequence[Edit], before: int, count: Count, usd_per_month: UsdPerMonth) -> Effect:
    after = count(edited(text, edits)) if edits else before
    return Effect(tuple(edits), before, after, usd_per_month(before), usd_per_month(after))
