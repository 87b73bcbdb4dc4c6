"""The columns of the vocabulary table: what they are called, what they say, and how they are sorted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

if TYPE_CHECKING:
    from engine.entries.search import SortKey


class EntryColumn(NamedTuple):
    """A column. ``key``: what it is sorted by. ``widest``: a text as wide as its usual ones."""

    title: str
    hint: str
    numeric: bool
    widest: str
    key: SortKey


COLUMNS = (
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "Id"),
        QT_TRANSLATE_NOOP("Vocabulary", "The number that a model is given for the token"),
        True,
        "200,000  ",
        "id",
    ),
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "Token"),
        QT_TRANSLATE_NOOP(
            "Vocabulary",
            "Its text, made visible: a space is shown as ·, a newline as ⏎, bytes that are no character as \\x and hex",
        ),
        False,
        "·tokenization·of·texts",
        "bytes",
    ),
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "Bytes"),
        QT_TRANSLATE_NOOP("Vocabulary", "Its bytes in hexadecimal"),
        False,
        "20 74 6f 6b 65 6e 69",
        "bytes",
    ),
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "Length"),
        QT_TRANSLATE_NOOP("Vocabulary", "How many bytes it has"),
        True,
        "Length ▼",
        "length",
    ),
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "Kind"),
        QT_TRANSLATE_NOOP(
            "Vocabulary", "A single byte, a token merged from two others, a special token, or an id not used"
        ),
        False,
        "unused id ",
        "kind",
    ),
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "Script"),
        QT_TRANSLATE_NOOP("Vocabulary", "What most of its letters are written in"),
        False,
        "Devanagari ",
        "script",
    ),
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "Merged from"),
        QT_TRANSLATE_NOOP("Vocabulary", "The ids of the two tokens that it is merged from"),
        False,
        "100000 + 100000 ",
        "left",
    ),
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "Built on it"),
        QT_TRANSLATE_NOOP("Vocabulary", "How many tokens have it in the tree of their merges"),
        True,
        "Built on it ▼",
        "built_in_all",
    ),
    EntryColumn(
        QT_TRANSLATE_NOOP("Vocabulary", "Remarks"),
        QT_TRANSLATE_NOOP("Vocabulary", "What a look at the whole vocabulary found out about it"),
        False,
        "unreachable, control ",
        "findings",
    ),
)
ID, TOKEN, BYTES, LENGTH, KIND, SCRIPT, PARENTS, BUILT, REMARKS = range(len(COLUMNS))

NEED_DIAGNOSIS = (SCRIPT, PARENTS, BUILT, REMARKS)
"""What they say is known when somebody has looked at the whole vocabulary."""

FIXED_FONT = (TOKEN, BYTES)

KINDS = {
    "byte": QT_TRANSLATE_NOOP("Vocabulary", "byte"),
    "merge": QT_TRANSLATE_NOOP("Vocabulary", "merged"),
    "special": QT_TRANSLATE_NOOP("Vocabulary", "special"),
    "unused": QT_TRANSLATE_NOOP("Vocabulary", "unused id"),
    "piece": QT_TRANSLATE_NOOP("Vocabulary", "piece"),
}
"""Kinds of ids in words, by the names of ``engine.entries.table``."""

FINDINGS = {
    "unreachable": QT_TRANSLATE_NOOP("Vocabulary", "unreachable"),
    "partial UTF-8": QT_TRANSLATE_NOOP("Vocabulary", "part of a character"),
    "white space": QT_TRANSLATE_NOOP("Vocabulary", "white space"),
    "control": QT_TRANSLATE_NOOP("Vocabulary", "control"),
    "unused id": QT_TRANSLATE_NOOP("Vocabulary", "unused id"),
}
"""Findings in words, by the names of ``engine.entries.diagnostics``, in its order."""

FINDING_HINTS = {
    "unreachable": QT_TRANSLATE_NOOP("Vocabulary", "No text is encoded to it: its own text is encoded to other ids"),
    "partial UTF-8": QT_TRANSLATE_NOOP("Vocabulary", "Its bytes are not whole characters (partial UTF-8)"),
    "white space": QT_TRANSLATE_NOOP("Vocabulary", "White space and nothing else"),
    "control": QT_TRANSLATE_NOOP("Vocabulary", "It has control or format characters that are not white space"),
    "unused id": QT_TRANSLATE_NOOP("Vocabulary", "The id stands for nothing"),
}

SCRIPTS = (
    *("no letters", "Japanese"),
    *("Latin", "Cyrillic", "Greek", "Armenian", "Georgian", "Hebrew", "Arabic", "Ethiopic"),
    *("Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala"),
    *("Thai", "Lao", "Khmer", "Myanmar", "Tibetan", "Mongolian", "Hangul", "Han"),
    "other scripts",
)
"""The names of ``engine.scripts.SCRIPT_NAMES``, here so that a list of them needs no engine; a test compares them."""


def tr(text: str) -> str:
    """Translate in the context of the vocabulary browser."""
    return QCoreApplication.translate("Vocabulary", text)
