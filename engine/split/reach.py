r"""How far a split pattern looks: which pretokens an edit cannot have changed, for any pattern.

Matching goes through a text attempt by attempt: at the end of the last match, and where there is no match, at each
character behind it. What an attempt that starts at s finds depends on the text it looks at: back to ``behind``
characters before s, and ahead to where every way through the pattern has ended. A pattern is a choice of *ways*, and
of each is known

* ``single``: how many characters it passes at most outside of unbounded repetitions (within look-arounds, too), and
* ``repeated``: what such repetitions pass.

So an attempt gets no further than to the (``single`` + 1)-th character from s on that no repetition passes: before it,
every character it passes is one of ``single`` or is in ``repeated``, and that character it may look at, but not pass.
That place never lies further left for an attempt that starts further right. Three things follow:

* Where the text is cut off at f (or changes from f on), take for each way the (``single`` + 1)-th last character before
  f that is not in ``repeated``, and of these the leftmost, q (``settled``). Attempts that start at q or before do not
  see f. So all ends of matches up to q are what they are in the whole text.
* An attempt that starts ``behind`` characters or more behind a change does not see it.
* Once two texts that are the same from some place on have a match that ends at the same place, ``behind`` characters
  behind the first, all their matches from there on are the same: what comes next is decided by the text alone.

A way whose repetitions pass everything, as ``.*``, is never settled before the end of the text: then there is no short
cut, and none is taken. It is read from the pattern as ``engine.split.expression`` rewrites it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MOST_WAYS = 64
_TAIL = 256
_SIGN = re.compile(r"\((?:\?(?:[:=!>]|<[=!]))?|\)|\{.*?\}|\\.|.")
_QUANTIFIERS = ("*", "+", "?", "{")


@dataclass(frozen=True, slots=True)
class Way:
    """One way through a pattern. ``repeated``: letters, as in ``split_expression.Rewritten``."""

    single: int
    repeated: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """How far a pattern looks. ``behind``: characters before the start of an attempt, None where there is no limit."""

    behind: int | None
    singles: tuple[int, ...]
    passed: NDArray[np.bool_]
    """bool[n_ways, n_letters]: which letters the repetitions of each way pass."""

    def settled(self, letters: NDArray[np.uint16]) -> int:
        """The place in a stretch of text up to which an attempt may start and not see what comes behind the stretch;
        -1 if there is none. ``letters``: uint16[n], those of its characters."""
        place = len(letters)
        for single, passed in zip(self.singles, self.passed, strict=True):
            place = min(place, _last_but(single, passed, letters))
        return place


def _last_but(single: int, passed: NDArray[np.bool_], letters: NDArray[np.uint16]) -> int:
    """Where the last but ``single`` letter is that is not passed, or -1."""
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
    """How far a pattern looks. ``signs``: the pattern with sets of letters in place of characters."""
    reader = _Reader(signs)
    ways = reader.choice().ways
    passed = np.zeros((len(ways), n_letters), dtype=np.bool_)
    for number, way in enumerate(ways):
        passed[number, list(way.repeated)] = True
    return Reach(reader.behind, tuple(way.single for way in ways), passed)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a pattern: the ways through it, all letters it names, and how many characters it takes at most (None
    where there is no limit). Look-arounds take none."""

    ways: tuple[Way, ...]
    letters: frozenset[int]
    width: int | None


_NOTHING = _Part((Way(0, frozenset()),), frozenset(), 0)


class _Reader:
    """Reads a pattern once. ``behind``: what has been found so far of how far it looks back."""

    def __init__(self, signs: Sequence[str | frozenset[int]]) -> None:
        self._signs = list(_single_signs(signs))
        self._at = 0
        self.behind: int | None = 0

    def _peek(self) -> str | frozenset[int]:
        return self._signs[self._at] if self._at < len(self._signs) else ""

    def choice(self) -> _Part:
        """Alternatives, up to the end of the group."""
        part = self._sequence()
        while self._peek() == "|":
            self._at += 1
            other = self._sequence()
            width = None if part.width is None or other.width is None else max(part.width, other.width)
            part = _Part(_fewer(part.ways + other.ways), part.letters | other.letters, width)
        return part

    def _sequence(self) -> _Part:
        part = _NOTHING
        while self._peek() not in ("", "|", ")"):
            part = _behind(part, self._repeated(self._atom()))
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
        self._at += 1  # its closing parenthesis
        inside, self.behind = self.behind, outer
        back = part.width if sign.startswith("(?<") else 0
        self._look_back(None if inside is None or back is None else inside + back)
        if sign in ("(?=", "(?!", "(?<=", "(?<!"):
            return _Part(part.ways, part.letters, 0)
        return part

    def _look_back(self, characters: int | None) -> None:
        self.behind = None if self.behind is None or characters is None else max(self.behind, characters)

    def _repeated(self, part: _Part) -> _Part:
        """A part with the quantifiers that stand behind it; what makes one lazy or possessive is no other way."""
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
    """A way that reaches as far as any of some."""
    return Way(max(way.single for way in ways), frozenset().union(*(way.repeated for way in ways)))


def _fewer(ways: tuple[Way, ...]) -> tuple[Way, ...]:
    """The same ways, without those that others reach further than; one for all where they are many."""
    found: list[Way] = []
    for way in ways:
        if not any(way.single <= other.single and way.repeated <= other.repeated for other in found):
            found = [one for one in found if not (one.single <= way.single and one.repeated <= way.repeated)]
            found.append(way)
    return tuple(found) if len(found) <= _MOST_WAYS else (_one_way(found),)


def _behind(left: _Part, right: _Part) -> _Part:
    """One part behind the other."""
    ways = [
        Way(first.single + second.single, first.repeated | second.repeated)
        for first in left.ways
        for second in right.ways
    ]
    width = None if left.width is None or right.width is None else left.width + right.width
    return _Part(_fewer(tuple(ways)), left.letters | right.letters, width)
