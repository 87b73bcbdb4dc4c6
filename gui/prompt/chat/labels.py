"""Texts about the counts of a request: the kinds of its parts with their count quality, and the part at the caret."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QLocale

from gui.look.quantities import figure

if TYPE_CHECKING:
    from engine.requests.types import Message, Part, SpecialText, Tally
    from gui.prompt.chat.draft_service import RequestPiece

KIND_WORDS = {
    "overhead": QT_TRANSLATE_NOOP("Request", "overhead"),
    "tools": QT_TRANSLATE_NOOP("Request", "tools"),
    "images": QT_TRANSLATE_NOOP("Request", "images"),
    "text": QT_TRANSLATE_NOOP("Request", "text"),
}
GRADE_WORDS = {
    "exact": QT_TRANSLATE_NOOP("Request", "exact"),
    "formula": QT_TRANSLATE_NOOP("Request", "formula"),
    "estimate": QT_TRANSLATE_NOOP("Request", "estimate"),
}
MAX_NAMED = 4
MAX_KINDS = 12


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("Request", text)


def kind_word(kind: str) -> str:
    """Return the name of a kind of part."""
    return tr(KIND_WORDS[kind])


def breakdown(tally: Tally, locale: QLocale) -> str:
    """Return for example "overhead 43 (formula), tools 61 (formula), images 765 (formula), text 512 (exact)"."""
    return ", ".join(_part(part, locale) for part in tally.parts if part.tokens or part.kind in ("overhead", "text"))


def total(tally: Tally, locale: QLocale) -> str:
    """Return for example "1,381 tokens, formula" or "776 tokens (266 to 1,116), estimate"."""
    words = tr("1 token") if tally.tokens == 1 else tr("{n} tokens").format(n=figure(locale, tally.tokens))
    if tally.low < tally.high:
        ends = figure(locale, tally.low), figure(locale, tally.high)
        words = tr("{tokens} ({low} to {high})").format(tokens=words, low=ends[0], high=ends[1])
    return tr("{tokens}, {grade}").format(tokens=words, grade=tr(GRADE_WORDS[tally.grade]))


def message_count(tokens: int, grade: str, locale: QLocale) -> str:
    """Like "16 tokens, exact"."""
    words = tr("1 token") if tokens == 1 else tr("{n} tokens").format(n=figure(locale, tokens))
    return tr("{tokens}, {grade}").format(tokens=words, grade=tr(GRADE_WORDS[grade]))


def _part(part: Part, locale: QLocale) -> str:
    return tr("{kind} {n} ({grade})").format(
        kind=tr(KIND_WORDS[part.kind]), n=figure(locale, part.tokens), grade=tr(GRADE_WORDS[part.grade])
    )


def place_words(piece: RequestPiece, messages: Sequence[Message], locale: QLocale) -> str:
    """Describe the part of the request at the caret."""
    words = tr(KIND_WORDS[piece.kind])
    if 0 <= piece.message < len(messages):
        words = tr("{kind} of message {n}, {role}").format(
            kind=words, n=figure(locale, piece.message + 1), role=messages[piece.message].role
        )
    if piece.tokens is not None:
        words = tr("{what}: {n} by formula").format(what=words, n=figure(locale, piece.tokens))
    return words


def special_words(found: Sequence[SpecialText]) -> str:
    """Return a warning if user text spells special tokens, else ""."""
    if not found:
        return ""
    named = [
        tr("{text} in message {n}").format(text=one.text, n=one.message + 1)
        if one.message >= 0
        else tr("{text} in the tools").format(text=one.text)
        for one in found[:MAX_NAMED]
    ]
    more = ", …" if len(found) > MAX_NAMED else ""
    return tr("Special-token text: {named}. It is counted as plain text and has no special effect here.").format(
        named=", ".join(named) + more
    )


def unknown_words(not_counted: Sequence[tuple[str, str]]) -> str:
    """Describe the parts of a body that are not counted, by position and kind; "" if all of it is counted."""
    if not not_counted:
        return ""
    places: dict[str, list[str]] = {}
    for place, what in not_counted:
        places.setdefault(what, []).append(place)
    named = [_places_words(what, found) for what, found in list(places.items())[:MAX_KINDS]]
    more = tr(", and parts of {n} more kinds").format(n=len(places) - MAX_KINDS) if len(places) > MAX_KINDS else ""
    return tr("Not counted: {named}.").format(named=", ".join(named) + more)


def _places_words(what: str, places: Sequence[str]) -> str:
    if len(places) == 1:
        return tr("{place} ({what})").format(place=places[0], what=what)
    named = ", ".join(places[:MAX_NAMED]) + (", …" if len(places) > MAX_NAMED else "")
    return tr("{n} × {what} ({places})").format(n=len(places), what=what, places=named)
