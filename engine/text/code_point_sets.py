r"""Sets of code points: the meaning of character classes in split patterns.

Named sets are those of tiktoken's split engine, the Rust crates ``regex`` and ``fancy-regex``: general categories and
case folding come from the bundled table (``engine.text.character_classes``). Any other property (scripts,
``Alphabetic``) is read from tiktoken itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.runtime.cancellation import interruptible
from engine.runtime.tiktoken_core import byte_core
from engine.text import character_classes
from engine.text.character_classes import CATEGORIES, N_CODE_POINTS

_SURROGATES = range(0xD800, 0xE000)
_AT_A_TIME = 8192


@dataclass(frozen=True, slots=True)
class CodePoints:
    """A set stored as its edges in ascending order: code points at which membership changes, starting outside."""

    edges: tuple[int, ...] = ()

    @classmethod
    def of(cls, *points: int) -> CodePoints:
        """Return the set of these code points."""
        return cls.union(cls((point, point + 1)) for point in points)

    @classmethod
    def between(cls, first: int, last: int) -> CodePoints:
        """Return the set of code points from ``first`` to ``last``, both inclusive."""
        return cls((first, last + 1))

    @classmethod
    def union(cls, sets: Iterable[CodePoints]) -> CodePoints:
        """Return the union of the sets."""
        return _combined(list(sets), lambda members: np.logical_or.reduce(members, axis=0))

    @classmethod
    def from_flags(cls, flags: NDArray[np.bool_]) -> CodePoints:
        """Return the set of indices at which ``flags`` is True."""
        padded = np.concatenate([[False], flags, [False]])
        return cls(tuple(np.flatnonzero(padded[1:] != padded[:-1]).tolist()))

    def __and__(self, other: CodePoints) -> CodePoints:
        return _combined([self, other], lambda members: np.logical_and.reduce(members, axis=0))

    def __sub__(self, other: CodePoints) -> CodePoints:
        return _combined([self, other], lambda members: members[0] & ~members[1])

    def __xor__(self, other: CodePoints) -> CodePoints:
        return _combined([self, other], lambda members: members[0] ^ members[1])

    def __invert__(self) -> CodePoints:
        return EVERYTHING - self

    def contains(self, points: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return bool[n]: True for code points in the set."""
        inside: NDArray[np.bool_] = np.searchsorted(self.edges, points, side="right") % 2 == 1
        return inside

    def ignoring_case(self) -> CodePoints:
        """Return the set extended by all characters that equal a member under simple case folding."""
        orbits = character_classes.load().orbits
        touched = self.contains(np.array([point for orbit in orbits for point in orbit]))
        starts = np.cumsum([0, *(len(orbit) for orbit in orbits[:-1])])
        chosen = np.flatnonzero(np.add.reduceat(touched.astype(np.int64), starts))
        return CodePoints.union([self, *(CodePoints.of(*orbits[number]) for number in chosen.tolist())])


def _combined(sets: Sequence[CodePoints], rule: Callable[[NDArray[np.bool_]], NDArray[np.bool_]]) -> CodePoints:
    """Return the set given by ``rule``, which maps bool[n_sets, n] (membership between edges) to bool[n]."""
    places = np.unique(np.concatenate([[0], *(np.array(one.edges, dtype=np.int64) for one in sets)]).astype(np.int64))
    members = np.array([one.contains(places) for one in sets], dtype=np.bool_).reshape(len(sets), len(places))
    inside = rule(members)
    changes = np.flatnonzero(inside != np.concatenate([[False], inside[:-1]]))
    return CodePoints(tuple(places[changes].tolist()))


EVERYTHING = CodePoints((0, N_CODE_POINTS))

WHITE_SPACE = CodePoints.union(CodePoints.of(point) for point in character_classes.WHITE_SPACE)


@functools.lru_cache(maxsize=256)
def category(name: str) -> CodePoints | None:
    """Return the characters of a general category (``Lu``) or group of categories (``L``), None if it is unknown."""
    names = [one for one in CATEGORIES if one == name or one[0] == name]
    return CodePoints.from_flags(character_classes.load().members(names)) if names else None


def _every_character() -> Iterator[str]:
    """Yield all characters, some thousands at a time: a call on all of them would block every other thread."""
    points = np.delete(np.arange(N_CODE_POINTS, dtype="<u4"), _SURROGATES)
    for start in range(0, len(points), _AT_A_TIME):
        yield points[start : start + _AT_A_TIME].tobytes().decode("utf-32-le")


@functools.lru_cache(maxsize=256)
def asked(expression: str) -> CodePoints:
    """Return the characters that tiktoken matches with an expression for a single character. Raises ValueError if
    tiktoken rejects it. Takes about 50 ms."""
    flags = np.zeros(N_CODE_POINTS, dtype=np.bool_)
    core = byte_core(expression)
    for characters in interruptible(_every_character(), every=1):
        matched = bytes(core.encode_ordinary(characters)).decode("utf-8")
        flags[np.frombuffer(matched.encode("utf-32-le"), dtype=np.uint32)] = True
    flags[_SURROGATES.start : _SURROGATES.stop] = flags[0xFFFD]
    return CodePoints.from_flags(flags)


def cells(sets: Sequence[CodePoints]) -> tuple[NDArray[np.uint16], list[list[int]]]:
    """Group the characters that no set distinguishes into cells. Returns uint16[1114112], the cell of every code point;
    and for each set the cells that it consists of."""
    edges = [np.array(one.edges, dtype=np.int64) for one in sets]
    places = np.unique(np.concatenate([[0], *edges]).astype(np.int64))
    places = places[places < N_CODE_POINTS]
    members = np.array([one.contains(places) for one in sets], dtype=np.bool_).reshape(len(sets), len(places))
    kinds, kind_of = np.unique(members, axis=1, return_inverse=True)
    table = np.repeat(kind_of.reshape(-1).astype(np.uint16), np.diff(places, append=N_CODE_POINTS))
    return table, [np.flatnonzero(kinds[number]).tolist() for number in range(len(sets))]
