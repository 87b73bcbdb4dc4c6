"""What a stretch of a text measures, so that the figures of the whole follow from those of its stretches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.runtime.cancellation import while_wanted
from engine.text.utf16 import utf16_length
from engine.types import TextStatistics


@dataclass(frozen=True, slots=True)
class Measures:
    """Sums over a stretch of text. ``words`` counts the words that start in it, ``newlines`` its ``\\n``."""

    characters: int = 0
    utf16_units: int = 0
    utf8_bytes: int = 0
    words: int = 0
    newlines: int = 0

    def __add__(self, other: Measures) -> Measures:
        return Measures(
            self.characters + other.characters,
            self.utf16_units + other.utf16_units,
            self.utf8_bytes + other.utf8_bytes,
            self.words + other.words,
            self.newlines + other.newlines,
        )

    def __sub__(self, other: Measures) -> Measures:
        return Measures(
            self.characters - other.characters,
            self.utf16_units - other.utf16_units,
            self.utf8_bytes - other.utf8_bytes,
            self.words - other.words,
            self.newlines - other.newlines,
        )

    def statistics(self) -> TextStatistics:
        """The figures of a whole text. Words are what ``str.split`` gives."""
        lines = self.newlines + 1 if self.utf16_units else 0
        return TextStatistics(self.characters, self.utf16_units, self.utf8_bytes, self.words, lines)


_PART_CHARACTERS = 1 << 15


def _words(piece: str, char_before: str) -> int:
    """How many words start in a piece. Bit by bit: the words of ten megabytes are a million and a half of objects, and
    while they are made no other thread gets a turn."""
    words = 0
    for start in while_wanted(range(0, len(piece), _PART_CHARACTERS), every=1):
        part = piece[start : start + _PART_CHARACTERS]
        goes_on = bool(char_before) and not char_before.isspace() and not part[0].isspace()
        words += len(part.split()) - goes_on
        char_before = part[-1]
    return words


def measure_pieces(pieces: Iterable[str], char_before: str) -> Measures:
    """Measures of pieces without lone surrogates that stand one after the other behind ``char_before`` (or ``""``)."""
    total = Measures()
    for piece in pieces:
        total += _measure(piece, char_before)
        char_before = piece[-1]
    return total


def _measure(piece: str, char_before: str) -> Measures:
    words = _words(piece, char_before)
    newlines = piece.count("\n")
    if piece.isascii():
        return Measures(len(piece), len(piece), len(piece), words, newlines)
    return Measures(len(piece), utf16_length(piece), len(piece.encode("utf-8")), words, newlines)
