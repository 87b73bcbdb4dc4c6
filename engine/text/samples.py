"""Some of a text, spread evenly over it: what is looked at of texts that are too long to be looked at as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

PIECES = 40
PIECE_UTF16 = 1_000
"""A text of no more than ``PIECES`` such pieces is looked at as a whole."""


@dataclass(frozen=True, slots=True)
class TextSample:
    """Pieces of a text in their order. ``whole``: together they are all of it."""

    pieces: tuple[str, ...] = ()
    whole: bool = True


def sample_of(utf16_units: int, text_between: Callable[[int, int], str]) -> TextSample:
    """The sample of a text of so many UTF-16 units; ``text_between`` gives the text between two of them."""
    spans = _spans(utf16_units)
    whole = utf16_units <= PIECES * PIECE_UTF16
    return TextSample(tuple(text_between(start, end) for start, end in spans), whole)


def sample_of_texts(texts: Sequence[str]) -> TextSample:
    """The sample of several texts, one after the other."""
    if len(texts) == 1 and texts[0].isascii():
        return sample_of(len(texts[0]), lambda start, end: texts[0][start:end])
    stored = b"".join(text.encode("utf-16-le", "surrogatepass") for text in texts)
    return sample_of(
        len(stored) // 2, lambda start, end: stored[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")
    )


def _spans(units: int) -> Iterator[tuple[int, int]]:
    """Start and end of each piece."""
    if units <= PIECES * PIECE_UTF16:
        for start in range(0, units, PIECE_UTF16):
            yield start, min(units, start + PIECE_UTF16)
        return
    for number in range(PIECES):
        start = number * (units - PIECE_UTF16) // (PIECES - 1)
        yield start, start + PIECE_UTF16
