"""Search for the heaviest parts of the prompt and for edits that save tokens, with the labels of these edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, get_args

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from engine.runtime.cancellation import ENTRIES, interruptible
from gui.core.savings import MAX_SECONDS, Advice, Preview, advise, previews, together
from gui.core.text_chunks import ChunkedText
from gui.core.text_structure import RankedPart, SectionKind, Watch, rank_lines, rank_sections, ranked_parts
from gui.editor.text_transfer import Piece, gathered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine import Encoding
    from gui.core.user_encodings import OpenEncoding
    from gui.runtime.jobs import Ticket


class KindWords(NamedTuple):
    """Labels of a kind of suggestion. ``title``: the edit; ``why``: why nothing is lost, or what is lost."""

    title: str
    why: str


_KINDS = {
    "repeated": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Remove repeated text"),
        QT_TRANSLATE_NOOP(
            "Advisor", "Keeps the first of identical paragraphs and lines. Repetition can be deliberate emphasis."
        ),
    ),
    "repeated_lines": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Remove short repeated lines"),
        QT_TRANSLATE_NOOP(
            "Advisor", "Keeps the first of identical lines. Headings, lists, tables and code are left alone."
        ),
    ),
    "json_csv": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Write JSON lists as CSV"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "Names appear once instead of in each object. CSV cannot distinguish text from numbers, or null from "
            "empty.",
        ),
    ),
    "capitals": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Write capitals in normal case"),
        QT_TRANSLATE_NOOP(
            "Advisor", "Words in capitals take more tokens. They can be deliberate emphasis, names or abbreviations."
        ),
    ),
    "comments": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Remove HTML comments"),
        QT_TRANSLATE_NOOP("Advisor", "Readers of the page do not see them, but the model does."),
    ),
    "base64": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Remove base64"),
        QT_TRANSLATE_NOOP(
            "Advisor", "The encoded content is lost. Models can seldom read it; attach images and files instead."
        ),
    ),
    "names": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Shorten UUIDs and digests"),
        QT_TRANSLATE_NOOP(
            "Advisor", "Eight digits still distinguish them within this text, but no longer identify the original."
        ),
    ),
    "json": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Minify JSON"),
        QT_TRANSLATE_NOOP(
            "Advisor", "Whitespace between JSON tokens has no meaning (RFC 8259). Names, values and order are kept."
        ),
    ),
    "table": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Unpad Markdown tables"),
        QT_TRANSLATE_NOOP(
            "Advisor", "Markdown ignores the spaces around the text of a cell, and dashes beyond the third."
        ),
    ),
    "blank_lines": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Collapse blank lines"),
        QT_TRANSLATE_NOOP(
            "Advisor", "One blank line ends a paragraph as well as several; fenced code and JSON are left alone."
        ),
    ),
    "trailing": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Trim trailing spaces"),
        QT_TRANSLATE_NOOP(
            "Advisor", "They are invisible. Fenced code, JSON and Markdown line breaks (two spaces) are left alone."
        ),
    ),
    "indentation": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Remove code indentation"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "Code with braces still runs, but is harder to read, and multi-line strings change. Languages that need "
            "indentation are left alone.",
        ),
    ),
    "invisible": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Remove invisible characters"),
        QT_TRANSLATE_NOOP("Advisor", "They show nothing, but may mark word breaks, as in Thai and Khmer."),
    ),
    "nfc": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Compose accents (NFC)"),
        QT_TRANSLATE_NOOP(
            "Advisor", "Unicode treats both spellings as the same text; only file names and hashes may differ."
        ),
    ),
    "look_alikes": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Replace ligatures and wide letters"),
        QT_TRANSLATE_NOOP("Advisor", "It reads the same, but the original letter forms are lost."),
    ),
    "typographic": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Use ASCII quotes and dashes"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "Opening and closing quotes, and dashes of different lengths, become the same; spaces may break lines.",
        ),
    ),
}


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("Advisor", text)


def kind_text(name: str) -> KindWords:
    """Return the labels of a kind of suggestion, by its name."""
    words = _KINDS[name]
    return KindWords(tr(words.title), tr(words.why))


LINES = "line"
ADVISING_SHARE = 0.7
"""Fraction of the work that finding edits takes; the rest is ranking."""


@dataclass(frozen=True, slots=True)
class AdviceRequest:
    """Text of ``revision`` to search, and how its tokens are counted."""

    revision: int
    text: ChunkedText
    encoding: str
    special_as_tokens: bool


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """Result of a search. ``rankings`` by kind of part, including ``LINES``; empty if the positions of the tokens are
    unknown. ``previews`` by kind of suggestion."""

    request: AdviceRequest
    advice: Advice
    rankings: Mapping[str, tuple[RankedPart, ...]]
    previews: Mapping[str, tuple[Preview, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class CombineRequest:
    """Request to count these suggestions together."""

    findings: Findings
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Combination:
    """Effect of several suggestions, counted on the edited text, and the edits that apply them in the editor."""

    revision: int
    names: frozenset[str]
    tokens_before: int
    tokens_after: int
    pieces: tuple[Piece, ...]


def look(open_encoding: OpenEncoding, request: AdviceRequest, ticket: Ticket) -> Findings:
    """Find heaviest parts and suggestions. Runs on a worker thread. Raises EngineError and JobCancelled."""
    stage = [0.0, ""]
    watch = Watch(MAX_SECONDS, check=lambda: ticket.progress(*stage))

    def begin(share: float, name: str) -> None:
        stage[:] = share * ADVISING_SHARE, kind_text(name).title
        ticket.progress(*stage)

    text = request.text.text(ticket.wait_while_busy)
    encoding = open_encoding(request.encoding)
    advice = advise(text, _counter(encoding, request.special_as_tokens), watch, begin)
    shown = {one.kind.name: previews(text, one.effect.edits) for one in advice.proposals}
    return Findings(request, advice, _rankings(text, encoding, request.special_as_tokens, ticket), shown)


def combine(open_encoding: OpenEncoding, request: CombineRequest, ticket: Ticket) -> Combination:
    """Count the effect of several suggestions. Runs on a worker thread. Raises EngineError and JobCancelled."""
    asked = request.findings.request
    ticket.progress(0.0)
    text = asked.text.text(ticket.wait_while_busy)
    chosen = [one for one in request.findings.advice.proposals if one.kind.name in request.names]
    effect = together(text, chosen, _counter(open_encoding(asked.encoding), asked.special_as_tokens))
    pieces = gathered(text, interruptible(effect.edits), ticket.wait_while_busy)
    return Combination(asked.revision, request.names, effect.tokens_before, effect.tokens_after, pieces)


def _counter(encoding: Encoding, special_as_tokens: bool) -> Callable[[str], int]:
    if not special_as_tokens:
        return encoding.count
    return lambda text: len(encoding.token_ids(text, special_as_tokens=True))


def _rankings(
    text: str, encoding: Encoding, special_as_tokens: bool, ticket: Ticket
) -> dict[str, tuple[RankedPart, ...]]:
    kinds: tuple[SectionKind, ...] = get_args(SectionKind)
    ends = _token_ends(text, encoding, special_as_tokens)
    found = {}
    for number, kind in enumerate((LINES, *kinds)):
        ticket.progress(ADVISING_SHARE + (1 - ADVISING_SHARE) * number / (len(kinds) + 1))
        try:
            ranking = rank_lines(text, ends) if kind == LINES else rank_sections(text, ends, kind)
        except ValueError:
            return {}
        found[kind] = ranked_parts(text, ranking)
    return found


def _token_ends(text: str, encoding: Encoding, special_as_tokens: bool) -> NDArray[np.int64]:
    if not special_as_tokens:
        return encoding.token_ends(text)
    import numpy as np

    from engine.encoding.preprocessing_encoding import NormalizingEncoding
    from engine.text.offsets import ByteMap, running_sums, without_surrogates

    text = without_surrogates(text)
    ids = encoding.token_ids(text, special_as_tokens=True)
    if isinstance(encoding, NormalizingEncoding):
        return ByteMap(text).of_units(encoding.utf16_ends(text, ids, special_as_tokens=True))
    pieces = (ids[first : first + ENTRIES].tolist() for first in range(0, len(ids), ENTRIES))  # there may be millions
    lengths = (len(token) for piece in interruptible(pieces, every=1) for token in encoding.decode_tokens_bytes(piece))
    return running_sums(np.fromiter(lengths, np.int64, len(ids)), np.empty(len(ids), np.int64))
