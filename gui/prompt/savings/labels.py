"""Labels of the suggestions."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication


class KindWords(NamedTuple):
    """Labels of a kind of suggestion. ``title``: the edit; ``why``: why nothing is lost, or what is lost."""

    title: str
    why: str


_KINDS = {
    "repeated": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Remove repeated text"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "Keeps the first of identical paragraphs and lines. Repetition can be deliberate emphasis.",
        ),
    ),
    "repeated_lines": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Remove short repeated lines"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "Keeps the first of identical lines. Headings, lists, tables and code are left alone.",
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
            "Advisor",
            "Words in capitals take more tokens. They can be deliberate emphasis, names or abbreviations.",
        ),
    ),
    "comments": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Remove HTML comments"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "Readers of the page do not see them, but the model does.",
        ),
    ),
    "base64": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Remove base64"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "The encoded content is lost. Models can seldom read it; attach images and files instead.",
        ),
    ),
    "names": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Shorten UUIDs and digests"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "Eight digits still distinguish them within this text, but no longer identify the original.",
        ),
    ),
    "json": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Minify JSON"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "Whitespace between JSON tokens has no meaning (RFC 8259). Names, values and order are kept.",
        ),
    ),
    "table": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Unpad Markdown tables"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "Markdown ignores the spaces around the text of a cell, and dashes beyond the third.",
        ),
    ),
    "blank_lines": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Collapse blank lines"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "One blank line ends a paragraph as well as several; fenced code and JSON are left alone.",
        ),
    ),
    "trailing": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Trim trailing spaces"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "They are invisible. Fenced code, JSON and Markdown line breaks (two spaces) are left alone.",
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
        QT_TRANSLATE_NOOP(
            "Advisor",
            "They show nothing, but may mark word breaks, as in Thai and Khmer.",
        ),
    ),
    "nfc": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Compose accents (NFC)"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "Unicode treats both spellings as the same text; only file names and hashes may differ.",
        ),
    ),
    "look_alikes": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Replace ligatures and wide letters"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "It reads the same, but the original letter forms are lost.",
        ),
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


def kind_words(name: str) -> KindWords:
    """Return the labels of a kind of suggestion, by its name."""
    words = _KINDS[name]
    return KindWords(tr(words.title), tr(words.why))
