"""What the advisor proposes, in words."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication


class KindWords(NamedTuple):
    """``title``: what is done. ``why``: why nothing is lost, or what is."""

    title: str
    why: str


_KINDS = {
    "repeated": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Leave out what is said twice"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "The first of equal paragraphs and lines stays; whoever repeats something may mean to stress it.",
        ),
    ),
    "comments": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Leave out HTML comments"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "Readers of the page do not see them, but the model does.",
        ),
    ),
    "base64": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Leave out base64"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "What it encodes is gone; a model can seldom read it, and images and files have ways of their own.",
        ),
    ),
    "names": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Shorten UUIDs and digests"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "Eight digits still tell those of this text apart, but lead nobody to the thing itself.",
        ),
    ),
    "json": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "JSON without white space"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "White space between the tokens of JSON means nothing (RFC 8259); names, values and their order stay.",
        ),
    ),
    "table": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Tables without padding"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "Markdown ignores the spaces around the text of a cell, and dashes beyond the third.",
        ),
    ),
    "blank_lines": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "One of several blank lines"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "One blank line ends a paragraph as well as several; fenced code and JSON are left alone.",
        ),
    ),
    "trailing": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "No spaces at ends of lines"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "Nobody sees them; fenced code, JSON and the two spaces that break a line in Markdown are left alone.",
        ),
    ),
    "indentation": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Code without indentation"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "Code in braces runs without it but is harder to read, and strings over several lines change; languages "
            "that need indentation are left alone.",
        ),
    ),
    "invisible": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "No invisible characters"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "They show nothing, but may say where a word can be parted, which Thai and Khmer have no spaces for.",
        ),
    ),
    "nfc": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Compose accents (NFC)"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "To Unicode both spellings are the same text; only names of files and hashes may tell them apart.",
        ),
    ),
    "look_alikes": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Plain letters for joined and wide"),
        QT_TRANSLATE_NOOP(
            "Advisor",
            "It reads the same, but which letters were joined or wide is lost.",
        ),
    ),
    "typographic": KindWords(
        QT_TRANSLATE_NOOP("Advisor", "Quotes and dashes in ASCII"),
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
    """The words for a kind of proposal, by its name."""
    words = _KINDS[name]
    return KindWords(tr(words.title), tr(words.why))
