"""Split texts into pretokens by any split pattern, with a general regular-expression engine: simple and slow.

Kernels have scanners for a few patterns (``engine.split.scanners``). All others, such as a user's own, are matched by a
``Pretokenizer``, and the tests compare the two. It returns the same pretokens as tiktoken, which drops text that no
match covers. A hostile pattern can take unbounded time: a limit in seconds ends it.

``pretoken_chunks`` and ``pretoken_chunks_in_time`` split a long text chunk by chunk. Each ``PretokenChunk`` has the
pretokens that no later text can change, and the next begins where the last of them ends. So memory is bounded, unless
the pattern looks at the whole text.

How far a pattern looks is its ``Reach``, computed by ``reach_of``. It also gives, for any pattern, the pretokens that
an edit cannot have changed. Matching proceeds by attempts: one at the end of the last match, and after a failed one,
another at the next character. The result of an attempt that starts at s depends on the text it looks at: back to
``behind`` characters before s, and ahead to where every way through the pattern has ended. A pattern is a choice of
*ways* (``Way``); each has

* ``single``: the maximum number of characters it passes outside unbounded repetitions (look-arounds included), and
* ``repeated``: the characters that such repetitions pass.

So an attempt reaches at most the (``single`` + 1)-th character from s on that no repetition passes: each character that
it passes before that counts towards ``single`` or is in ``repeated``. It may look at that character, but not pass it.
This limit never moves left for an attempt that starts later. Three things follow:

* If the text is cut off at f (or changes from f on), take for each way the (``single`` + 1)-th last character before f
  that is not in ``repeated``, and let q be the leftmost of these (``Reach.settled``). Attempts that start at q or
  before do not see f. So all ends of matches up to q are those of the whole text.
* An attempt that starts at least ``behind`` characters after a change does not see it.
* If two texts are equal from some offset on, and both have a match that ends at the same offset, at least ``behind``
  characters after the first, then all their matches from there on are equal: they depend only on the text.

A way whose repetitions pass everything, such as ``.*``, is never settled before the end of the text: then there is no
shortcut, and the whole text is matched. The reach is computed from the pattern as ``engine.split.expression`` rewrites
it.
"""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError, UnsupportedTextError
from engine.runtime.cancellation import ENTRIES, interruptible
from engine.runtime.tiktoken_core import byte_core
from engine.split.expression import rewrite
from engine.text.offsets import AT_A_TIME, byte_offsets, code_points, pairs

# --- reach of a pattern -----------------------------------------------------------------------------------------------

_MAX_WAYS = 64
_TAIL = 256
_SIGN = re.compile(r"\((?:\?(?:[:=!>]|<[=!]))?|\)|\{.*?\}|\\.|.")
_QUANTIFIERS = ("*", "+", "?", "{")


@dataclass(frozen=True, slots=True)
class Way:
    """One way through a pattern. ``repeated``: letters, as in ``engine.split.expression.Rewritten``."""

    single: int
    repeated: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """Range of text that a pattern depends on. ``behind``: number of characters before the start of an attempt; None if
    unlimited."""

    behind: int | None
    singles: tuple[int, ...]
    passed: NDArray[np.bool_]
    """bool[n_ways, n_letters]: the letters that the repetitions of each way pass."""

    def settled(self, letters: NDArray[np.uint16]) -> int:
        """Return the last offset in a chunk of text at which an attempt may start without seeing what follows the
        chunk; -1 if there is none. ``letters``: uint16[n], those of the chunk's characters."""
        offset = len(letters)
        for single, passed in zip(self.singles, self.passed, strict=True):
            offset = min(offset, _last_stop_before(single, passed, letters))
        return offset


def _last_stop_before(single: int, passed: NDArray[np.bool_], letters: NDArray[np.uint16]) -> int:
    """Return the index of the letter that no repetition passes and that ``single`` others follow, or -1."""
    size = _TAIL
    while True:
        start = max(0, len(letters) - size)
        stops = np.flatnonzero(~passed[letters[start:]])
        if len(stops) > single:
            return start + int(stops[-1 - single])
        if start == 0:
            return -1
        size *= 8


def reach_of(signs: Sequence[str | frozenset[int]], n_letters: int) -> Reach:
    """Compute how far a pattern looks. ``signs``: the pattern with sets of letters in place of characters."""
    reader = _Reader(signs)
    ways = reader.choice().ways
    passed = np.zeros((len(ways), n_letters), dtype=np.bool_)
    for number, way in enumerate(ways):
        passed[number, list(way.repeated)] = True
    return Reach(reader.behind, tuple(way.single for way in ways), passed)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a pattern: the ways through it, all letters in it, and the maximum number of characters that it matches
    (None if unlimited). Look-arounds match none."""

    ways: tuple[Way, ...]
    letters: frozenset[int]
    width: int | None


_NOTHING = _Part((Way(0, frozenset()),), frozenset(), 0)


class _Reader:
    """Parses a pattern in one pass. ``behind``: how far it looks back, as found so far."""

    def __init__(self, signs: Sequence[str | frozenset[int]]) -> None:
        self._signs = list(_single_signs(signs))
        self._at = 0
        self.behind: int | None = 0

    def _peek(self) -> str | frozenset[int]:
        return self._signs[self._at] if self._at < len(self._signs) else ""

    def choice(self) -> _Part:
        """Parse alternatives, up to the end of the group."""
        part = self._sequence()
        while self._peek() == "|":
            self._at += 1
            other = self._sequence()
            width = None if part.width is None or other.width is None else max(part.width, other.width)
            part = _Part(_undominated(part.ways + other.ways), part.letters | other.letters, width)
        return part

    def _sequence(self) -> _Part:
        part = _NOTHING
        while self._peek() not in ("", "|", ")"):
            part = _concatenated(part, self._repeated(self._atom()))
        return part

    def _atom(self) -> _Part:
        sign = self._peek()
        self._at += 1
        if isinstance(sign, frozenset):
            return _Part((Way(1, frozenset()),), sign, 1)
        if sign == r"\A":
            self._look_back(1)
        if not sign.startswith("("):
            return _NOTHING
        outer, self.behind = self.behind, 0
        part = self.choice()
        self._at += 1  # the closing parenthesis
        inside, self.behind = self.behind, outer
        back = part.width if sign.startswith("(?<") else 0
        self._look_back(None if inside is None or back is None else inside + back)
        if sign in ("(?=", "(?!", "(?<=", "(?<!"):
            return _Part(part.ways, part.letters, 0)
        return part

    def _look_back(self, characters: int | None) -> None:
        self.behind = None if self.behind is None or characters is None else max(self.behind, characters)

    def _repeated(self, part: _Part) -> _Part:
        """Apply the quantifiers that follow a part. A lazy or possessive suffix does not change its ways."""
        while isinstance(sign := self._peek(), str) and sign.startswith(_QUANTIFIERS):
            self._at += 1
            if self._peek() in ("?", "+"):
                self._at += 1
            if sign == "?":
                continue
            most = "" if sign in ("*", "+") else sign[1:-1].rpartition(",")[2]
            if not most:
                width = 0 if part.width == 0 else None
                part = _Part((Way(0, part.letters),), part.letters, width)
            else:
                one = _one_way(part.ways)
                width = None if part.width is None else part.width * int(most)
                part = _Part((Way(one.single * int(most), one.repeated),), part.letters, width)
        return part


def _single_signs(signs: Sequence[str | frozenset[int]]) -> Iterator[str | frozenset[int]]:
    for sign in signs:
        if isinstance(sign, frozenset):
            yield sign
        else:
            yield from _SIGN.findall(sign)


def _one_way(ways: Sequence[Way]) -> Way:
    """Return a way that reaches as far as any of these."""
    return Way(max(way.single for way in ways), frozenset().union(*(way.repeated for way in ways)))


def _undominated(ways: tuple[Way, ...]) -> tuple[Way, ...]:
    """Return the ways without those that others dominate; a single way for all if there are too many."""
    found: list[Way] = []
    for way in ways:
        if not any(way.single <= other.single and way.repeated <= other.repeated for other in found):
            found = [one for one in found if not (one.single <= way.single and one.repeated <= way.repeated)]
            found.append(way)
    return tuple(found) if len(found) <= _MAX_WAYS else (_one_way(found),)


def _concatenated(left: _Part, right: _Part) -> _Part:
    """Concatenate two parts."""
    ways = [
        Way(first.single + second.single, first.repeated | second.repeated)
        for first in left.ways
        for second in right.ways
    ]
    width = None if left.width is None or right.width is None else left.width + right.width
    return _Part(_undominated(tuple(ways)), left.letters | right.letters, width)


# --- pretokens --------------------------------------------------------------------------------------------------------

SECONDS = 10.0
"""Default time limit for one text."""


class InvalidPatternError(EngineError, ValueError):
    """A split pattern is not valid. The text gives the reason."""


class SplitTimeoutError(UnsupportedTextError):
    """Splitting a text took longer than allowed."""

    @classmethod
    def after(cls, seconds: float) -> SplitTimeoutError:
        """Return the error for a text with a limit of ``seconds``."""
        return cls(f"The split pattern took more than {seconds:g} seconds on this text.")


MAX_OF_A_LITERAL = 500
"""Maximum length of a literal, in characters: ``regex`` prepares a literal in cubic time while it holds the interpreter
lock."""
_LONG_LITERAL = re.compile(rf"(?:\[\\u([0-9a-f]{{4}})-\\u\1\]){{{MAX_OF_A_LITERAL + 1}}}")
"""Matches a longer literal in a rewritten pattern, where each of its characters is a class of one."""


class Pretokenizer:
    """Splits texts with one split pattern. Thread-safe; threads do not wait for each other."""

    def __init__(self, expression: str) -> None:
        """Raises InvalidPatternError or UnsupportedPatternError."""
        import regex

        try:
            byte_core(expression)
        except ValueError as error:
            raise InvalidPatternError(f"The split pattern is not valid: {error}") from error
        self._rewritten = rewrite(expression)
        self._letters = self._rewritten.letters
        if _LONG_LITERAL.search(self._rewritten.expression):
            raise InvalidPatternError(f"The split pattern has more than {MAX_OF_A_LITERAL} plain characters in a row.")
        try:
            self._regex: Any = regex.compile(self._rewritten.expression, regex.VERSION0, cache_pattern=False)
        except (regex.error, OverflowError, RecursionError, MemoryError) as error:
            # A pattern that is valid for tiktoken may exceed a limit of ``regex``, such as a count of repeats.
            raise InvalidPatternError(f"The split pattern is not valid: {error}") from error

    @functools.cached_property
    def reach(self) -> Reach:
        """The reach of the pattern."""
        return reach_of(self._rewritten.signs, self._letters.count)

    def char_spans(self, text: str, seconds: float = SECONDS) -> NDArray[np.int64]:
        """Return int64[n, 2]: start and end of each pretoken, in characters. None is empty. Text that the pattern does
        not match is in none of them. Raises SplitTimeoutError."""
        return self._spans(_as_string(self._letters.of(code_points(text))), 0, seconds)

    def settled_spans(self, text: str, char_start: int, *, to_end: bool, seconds: float = SECONDS) -> NDArray[np.int64]:
        """Return the spans of a chunk of a longer text, from ``char_start`` on, where a pretoken ends or the text
        begins.

        ``text`` must include at least ``reach.behind`` characters before ``char_start``, or all that there are.
        ``to_end``: True if the chunk extends to the end of the text; otherwise only pretokens that the text after the
        chunk cannot change are returned. Raises SplitTimeoutError.
        """
        letters = self._letters.of(code_points(text))
        spans = self._spans(_as_string(letters), char_start, seconds)
        return spans if to_end else spans[: spans[:, 1].searchsorted(self.reach.settled(letters), "right")]

    def settled(self, text: str) -> int:
        """Return the last character offset in a chunk of a longer text up to which ends of pretokens do not depend on
        the text after the chunk; -1 if there is none."""
        return self.reach.settled(self._letters.of(code_points(text)))

    def _spans(self, letters: str, start: int, seconds: float) -> NDArray[np.int64]:
        try:
            # One call, without the interpreter lock. Lengths suffice if the matches cover the text.
            found = self._regex.findall(letters, pos=start, timeout=seconds, concurrent=True)
            sizes = _lengths(found)
            ends = start + np.cumsum(sizes, dtype=np.int64)
            if len(letters) == (ends[-1] if len(ends) else start):
                return np.stack([ends - sizes, ends], axis=1)[sizes > 0]
            found = [
                match.span()
                for match in interruptible(self._regex.finditer(letters, pos=start, timeout=seconds, concurrent=True))
            ]
        except TimeoutError as error:
            raise SplitTimeoutError.after(seconds) from error
        spans = np.array(found, dtype=np.int64).reshape(-1, 2)
        return spans[spans[:, 1] > spans[:, 0]]

    def byte_spans(self, text: str, seconds: float = SECONDS) -> NDArray[np.int64]:
        """Return int64[n, 2]: start and end of each pretoken, in bytes of UTF-8. Lone surrogates count as U+FFFD, which
        has three bytes. Raises SplitTimeoutError."""
        spans: NDArray[np.int64] = byte_offsets(text)[self.char_spans(text, seconds)]
        return spans

    def pretokens(self, text: str, seconds: float = SECONDS) -> list[str]:
        """Return the texts of the pretokens. Raises SplitTimeoutError."""
        return [text[start:end] for start, end in interruptible(pairs(self.char_spans(text, seconds)))]


def _lengths(found: list[str]) -> NDArray[np.int64]:
    """Return int64[n]: the length of each of n strings."""
    sizes = np.empty(len(found), dtype=np.int64)
    for start in interruptible(range(0, len(found), ENTRIES), every=1):
        some = found[start : start + ENTRIES]
        sizes[start : start + len(some)] = np.fromiter(map(len, some), np.int64, len(some))
    return sizes


def _as_string(letters: NDArray[np.uint16]) -> str:
    """Return letters as a string with one character each."""
    stored, codec = ("u1", "latin-1") if letters.max(initial=0) < 0x100 else ("<u2", "utf-16-le")
    starts = interruptible(range(0, len(letters), AT_A_TIME), every=1)
    return "".join(letters[start : start + AT_A_TIME].astype(stored).tobytes().decode(codec) for start in starts)


@functools.lru_cache(maxsize=8)
def pretokenizer(expression: str) -> Pretokenizer:
    """Return the pretokenizer of a pattern. The last eight are cached.

    Raises InvalidPatternError or UnsupportedPatternError.
    """
    return Pretokenizer(expression)


# --- pretokens of long texts ------------------------------------------------------------------------------------------

CHUNK_CHARS = 16_384
"""Characters of a chunk, some milliseconds of work: between two chunks callers can cancel and other threads can run."""
CHARS_A_SECOND = 1_000_000
"""A text may take ``SECONDS``, plus one second per this many characters. A hostile pattern would never end."""

_MIN_CHARS = 256


class PretokenChunk(NamedTuple):
    """Pretokens of a chunk. ``char_spans``: int64[n, 2], start and end of each in ``text``, which may begin before the
    first and end after the last. ``char_start``: offset of ``text`` in the whole text."""

    text: str
    char_start: int
    char_spans: NDArray[np.int64]

    def byte_spans(self) -> NDArray[np.int64]:
        """Return the spans in bytes of UTF-8."""
        spans: NDArray[np.int64] = byte_offsets(self.text)[self.char_spans]
        return spans


def pretoken_chunks(pretokenizer: Pretokenizer, text: str) -> Iterator[PretokenChunk]:
    """Yield all pretokens of a text, chunk by chunk. Raises SplitTimeoutError."""
    allowed = SECONDS + len(text) / CHARS_A_SECOND
    return (chunk for chunk in pretoken_chunks_in_time(pretokenizer, text, allowed, allowed) if chunk is not None)


def pretoken_chunks_in_time(
    pretokenizer: Pretokenizer, text: str, allowed: float, at_a_time: float
) -> Iterator[PretokenChunk | None]:
    """Yield all pretokens of a text, chunk by chunk, in ``allowed`` seconds. Yields None after ``at_a_time`` seconds
    without a result, so that the caller can cancel, and then tries a shorter chunk. Raises SplitTimeoutError."""
    spent = 0.0  # matching only; what the caller does between two chunks does not count
    behind = pretokenizer.reach.behind
    start, size = 0, len(text) if behind is None else CHUNK_CHARS
    while start < len(text):
        low, end = max(0, start - (behind or 0)), start + size
        chunk = text[low:end]
        if spent >= allowed:
            raise SplitTimeoutError.after(allowed)
        began = time.monotonic()
        to_end, seconds = end >= len(text), min(allowed - spent, at_a_time)
        try:
            spans = pretokenizer.settled_spans(chunk, start - low, to_end=to_end, seconds=seconds)
        except SplitTimeoutError:
            spans = None
        spent += time.monotonic() - began
        if spans is None:
            yield None
            size = size if behind is None else max(size // 4, _MIN_CHARS)
            continue
        if len(spans):
            yield PretokenChunk(chunk, low, spans)
        if to_end:
            return
        start, size = (low + int(spans[-1, 1]), CHUNK_CHARS) if len(spans) else (start, 4 * size)
