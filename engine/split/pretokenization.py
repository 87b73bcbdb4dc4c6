"""Any split pattern, by a general engine of regular expressions: text to pretokens, plain and slow.

The kernels know a few patterns by heart (``engine.split.scanners``). Every other one, such as a user's own, goes this
way, and the tests compare the two. It gives the pretokens that tiktoken would, which drops text that no match covers.

A hostile pattern can take time that grows without bounds: a limit in seconds ends it.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError, UnsupportedTextError
from engine.runtime.cancellation import ENTRIES, while_wanted
from engine.runtime.running_sums import AT_A_TIME, running_sums_of
from engine.runtime.tiktoken_core import byte_core
from engine.split.expression import UnsupportedPatternError, rewrite
from engine.split.reach import Reach, reach_of
from engine.text.spans import pairs

SECONDS = 10.0
"""How long one text may take, unless the caller says otherwise."""


class InvalidPatternError(EngineError, ValueError):
    """A split pattern is not a valid one. The text says why."""


class SplitTimeoutError(UnsupportedTextError):
    """Cutting a text with a pattern took longer than allowed."""

    @classmethod
    def after(cls, seconds: float) -> SplitTimeoutError:
        """The error for a text that was allowed so many seconds."""
        return cls(f"The split pattern took more than {seconds:g} seconds on this text.")


MOST_OF_A_LITERAL = 500
"""Characters: ``regex`` prepares a literal in time cubic in its length, holding the interpreter meanwhile."""
_LONG_LITERAL = re.compile(rf"(?:\[\\u([0-9a-f]{{4}})-\\u\1\]){{{MOST_OF_A_LITERAL + 1}}}")
"""In a rewritten pattern, where each is a class of one."""


class Pretokenizer:
    """Cuts texts with one split pattern. Safe to use from several threads at once, which do not wait for each other."""

    def __init__(self, expression: str) -> None:
        """InvalidPatternError; UnsupportedPatternError."""
        import regex  # type: ignore[import-untyped]

        try:
            byte_core(expression)
        except ValueError as error:
            raise InvalidPatternError(f"The split pattern is not valid: {error}") from error
        self._rewritten = rewrite(expression)
        self._letters = self._rewritten.letters
        if _LONG_LITERAL.search(self._rewritten.expression):
            raise InvalidPatternError(f"The split pattern has more than {MOST_OF_A_LITERAL} plain characters in a row.")
        try:
            self._regex: Any = regex.compile(self._rewritten.expression, regex.VERSION0, cache_pattern=False)
        except (regex.error, OverflowError, RecursionError, MemoryError) as error:
            # Two engines: what is too much for one, such as a count of repeats, need not be for the other.
            raise InvalidPatternError(f"The split pattern is not valid: {error}") from error

    @functools.cached_property
    def reach(self) -> Reach:
        """How far the pattern looks."""
        return reach_of(self._rewritten.signs, self._letters.count)

    def char_spans(self, text: str, seconds: float = SECONDS) -> NDArray[np.int64]:
        """int64[n, 2]: where each pretoken starts and ends, in characters. None is empty; text that the pattern does
        not match is in none of them. SplitTimeoutError."""
        return self._spans(_in_unicode(self._letters.of(code_points(text))), 0, seconds)

    def settled_spans(self, text: str, char_start: int, *, to_end: bool, seconds: float = SECONDS) -> NDArray[np.int64]:
        """The spans of a stretch of a longer text, from ``char_start`` on, where a pretoken ends or the text begins.

        What stands before must be ``reach.behind`` characters, or all that there are. ``to_end``: the stretch ends
        where the text does; otherwise only those pretokens are given that nothing behind the stretch can change.
        SplitTimeoutError.
        """
        letters = self._letters.of(code_points(text))
        spans = self._spans(_in_unicode(letters), char_start, seconds)
        return spans if to_end else spans[: spans[:, 1].searchsorted(self.reach.settled(letters), "right")]

    def settled(self, text: str) -> int:
        """The place in a stretch of a longer text up to which ends of pretokens do not depend on what stands behind the
        stretch, in characters; -1 if there is none."""
        return self.reach.settled(self._letters.of(code_points(text)))

    def _spans(self, letters: str, start: int, seconds: float) -> NDArray[np.int64]:
        try:
            # In one call, without the interpreter lock. Lengths are enough where the matches cover the text.
            found = self._regex.findall(letters, pos=start, timeout=seconds, concurrent=True)
            sizes = _lengths(found)
            ends = start + np.cumsum(sizes, dtype=np.int64)
            if len(letters) == (ends[-1] if len(ends) else start):
                return np.stack([ends - sizes, ends], axis=1)[sizes > 0]
            found = [
                match.span()
                for match in while_wanted(self._regex.finditer(letters, pos=start, timeout=seconds, concurrent=True))
            ]
        except TimeoutError as error:
            raise SplitTimeoutError.after(seconds) from error
        spans = np.array(found, dtype=np.int64).reshape(-1, 2)
        return spans[spans[:, 1] > spans[:, 0]]

    def byte_spans(self, text: str, seconds: float = SECONDS) -> NDArray[np.int64]:
        """int64[n, 2]: where each pretoken starts and ends, in bytes of UTF-8; lone surrogates count as U+FFFD, which
        has three bytes. SplitTimeoutError."""
        spans: NDArray[np.int64] = byte_offsets(text)[self.char_spans(text, seconds)]
        return spans

    def pretokens(self, text: str, seconds: float = SECONDS) -> list[str]:
        """The pretokens themselves. SplitTimeoutError."""
        return [text[start:end] for start, end in while_wanted(pairs(self.char_spans(text, seconds)))]


def _lengths(found: list[str]) -> NDArray[np.int64]:
    """int64[n]: how long each of n strings is."""
    sizes = np.empty(len(found), dtype=np.int64)
    for start in while_wanted(range(0, len(found), ENTRIES), every=1):
        some = found[start : start + ENTRIES]
        sizes[start : start + len(some)] = np.fromiter(map(len, some), np.int64, len(some))
    return sizes


def _in_unicode(letters: NDArray[np.uint16]) -> str:
    """Letters as characters."""
    stored, codec = ("u1", "latin-1") if letters.max(initial=0) < 0x100 else ("<u2", "utf-16-le")
    starts = while_wanted(range(0, len(letters), AT_A_TIME), every=1)
    return "".join(letters[start : start + AT_A_TIME].astype(stored).tobytes().decode(codec) for start in starts)


def code_points(text: str) -> NDArray[np.uint32]:
    """uint32[n]: the characters of a text, lone surrogates as U+FFFD."""
    points = np.empty(len(text), dtype=np.uint32)
    for start in while_wanted(range(0, len(text), AT_A_TIME), every=1):
        encoded = text[start : start + AT_A_TIME].encode("utf-32-le", "surrogatepass")
        some = np.frombuffer(encoded, dtype=np.uint32)
        points[start : start + len(some)] = np.where((some >= 0xD800) & (some < 0xE000), np.uint32(0xFFFD), some)
    return points


def byte_offsets(text: str) -> NDArray[np.int64]:
    """int64[n + 1]: where each character starts in the UTF-8 of a text, lone surrogates as U+FFFD, and its end."""
    points = code_points(text)

    def sizes(start: int, stop: int) -> NDArray[np.int8]:
        some = points[start:stop]
        return np.int8(1) + (some >= 0x80).astype(np.int8) + (some >= 0x800) + (some >= 0x10000)

    offsets = np.zeros(len(points) + 1, dtype=np.int64)
    running_sums_of(len(points), sizes, offsets[1:])
    return offsets


def utf16_offsets(text: str) -> NDArray[np.int64]:
    """int64[n + 1]: where each character starts in UTF-16 units, and where the text ends."""
    points = code_points(text)
    offsets = np.zeros(len(points) + 1, dtype=np.int64)
    running_sums_of(len(points), lambda start, stop: (points[start:stop] >= 0x10000) + np.int8(1), offsets[1:])
    return offsets


@functools.lru_cache(maxsize=8)
def pretokenizer(expression: str) -> Pretokenizer:
    """The pretokenizer of a pattern, kept while few others are asked for.

    InvalidPatternError; UnsupportedPatternError.
    """
    return Pretokenizer(expression)


__all__ = [
    "SECONDS",
    "InvalidPatternError",
    "Pretokenizer",
    "SplitTimeoutError",
    "UnsupportedPatternError",
    "byte_offsets",
    "pretokenizer",
    "utf16_offsets",
]
