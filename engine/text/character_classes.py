"""Classes of characters: categories and case folding, sets of code points, and scripts.

*Categories.* Which characters are letters decides where a split pattern sets boundaries. So the tables must be those of
the engine whose boundaries are reproduced, not those of the running Python (3.11 has Unicode 14, 3.13 has 15.1).
``packaging/probe_unicode.py`` reads them from tiktoken itself; a test compares them with the installed tiktoken, code
point by code point. The version comes from the property ``Age``: exactly the code points that it calls assigned have a
category.

``UnicodeTable`` holds the categories and the case folding; ``load`` returns the bundled one. Its file (``pack``,
``unpack``) is one zlib stream of: ``TLUNICD1`` (8 bytes); the Unicode version (two bytes); the number of blocks and of
fold entries (little-endian uint16 each); for each of the 8,704 pages of 128 code points the number of its block
(uint16); the blocks (128 bytes each: indices into ``CATEGORIES``); the fold entries (uint32: the size of an orbit, then
its code points, and so on).

*Sets.* ``CodePoints`` is the meaning of a character class in a split pattern. Named sets are those of tiktoken's split
engine, the Rust crates ``regex`` and ``fancy-regex``: general categories and case folding come from the bundled table.
Any other property (scripts, ``Alphabetic``) is read from tiktoken itself.

``CharacterClasses`` maps code points to the letters of a small alphabet; split patterns are rewritten over such
alphabets. A flat table of all code points would take two megabytes for each pattern. Most of it is repetition: storing
equal blocks of neighbouring code points once reduces it to a twentieth.

*Scripts.* The script of the lines of a text is the part of language detection that needs no dictionary.
"""

from __future__ import annotations

import functools
import importlib.resources
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.runtime.cancellation import check_cancelled, interruptible
from engine.runtime.tiktoken_core import byte_core
from engine.text.offsets import AT_A_TIME, running_sums

# --- categories -------------------------------------------------------------------------------------------------------


CATEGORIES = (
    *("Cn", "Cc", "Cf", "Co"),
    *("Lu", "Ll", "Lt", "Lm", "Lo"),
    *("Mn", "Mc", "Me", "Nd", "Nl", "No"),
    *("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"),
    *("Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp"),
)
"""General categories. Surrogates have the category of U+FFFD, because they are encoded as U+FFFD."""

N_CODE_POINTS = 0x110000
PAGE = 128
_N_PAGES = N_CODE_POINTS // PAGE
_MAGIC = b"TLUNICD1"
_HEADER = struct.Struct("<8sBBHH")
WHITE_SPACE = (
    *range(0x09, 0x0E),
    *(0x20, 0x85, 0xA0, 0x1680),
    *range(0x2000, 0x200B),
    *(0x2028, 0x2029, 0x202F, 0x205F, 0x3000),
)
r"""The property White_Space, which is ``\s`` in the Rust crates. Unicode guarantees that it does not change."""


@dataclass(frozen=True, slots=True, eq=False)
class UnicodeTable:
    """General categories and case folding of one Unicode version. Arrays are read-only.

    ``pages``: uint16[8704], the block of each page of 128 code points. ``blocks``: uint8[n, 128], categories.
    ``orbits``: sets of two to four characters that are equal under simple case folding.
    """

    version: tuple[int, int]
    pages: NDArray[np.uint16]
    blocks: NDArray[np.uint8]
    orbits: tuple[tuple[int, ...], ...]

    def categories(self) -> NDArray[np.uint8]:
        """Return uint8[1114112]: the index in ``CATEGORIES`` of every code point."""
        return self.blocks[self.pages].reshape(-1)

    def members(self, names: Iterable[str]) -> NDArray[np.bool_]:
        """Return bool[1114112]: True for code points of these categories."""
        members: NDArray[np.bool_] = np.isin(CATEGORIES, list(names))[self.categories()]
        return members


def pack(version: tuple[int, int], categories: NDArray[np.uint8], orbits: Sequence[Sequence[int]]) -> bytes:
    """Return the content of a table file. ``categories``: uint8[1114112]."""
    blocks, pages = np.unique(categories.reshape(-1, PAGE), axis=0, return_inverse=True)
    folds = [number for orbit in orbits for number in (len(orbit), *orbit)]
    return zlib.compress(
        _HEADER.pack(_MAGIC, *version, len(blocks), len(folds))
        + pages.astype("<u2").tobytes()
        + blocks.tobytes()
        + np.array(folds, dtype="<u4").tobytes(),
        level=9,
    )


def unpack(content: bytes) -> UnicodeTable:
    """Parse the content of a table file. Raises ValueError if it is not one."""
    try:
        raw = zlib.decompress(content)
    except zlib.error as error:
        raise ValueError(f"not a zlib stream: {error}") from error
    if len(raw) < _HEADER.size:
        raise ValueError("too short")
    magic, major, minor, n_blocks, n_folds = _HEADER.unpack_from(raw)
    size = _HEADER.size + 2 * _N_PAGES + PAGE * n_blocks + 4 * n_folds
    if magic != _MAGIC or len(raw) != size:
        raise ValueError("not a table of Unicode classes")
    pages = np.frombuffer(raw, dtype="<u2", count=_N_PAGES, offset=_HEADER.size)
    blocks = np.frombuffer(raw, dtype=np.uint8, count=PAGE * n_blocks, offset=_HEADER.size + 2 * _N_PAGES)
    folds = np.frombuffer(raw, dtype="<u4", count=n_folds, offset=size - 4 * n_folds).tolist()
    orbits = []
    index = 0
    while index < n_folds:
        orbits.append(tuple(folds[index + 1 : index + 1 + folds[index]]))
        index += 1 + folds[index]
    return UnicodeTable((major, minor), pages, blocks.reshape(-1, PAGE), tuple(orbits))


@functools.lru_cache(maxsize=1)
def load() -> UnicodeTable:
    """Return the bundled table."""
    return unpack(importlib.resources.files("engine").joinpath("data", "unicode.classes").read_bytes())


# --- sets of code points ----------------------------------------------------------------------------------------------


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
        orbits = load().orbits
        touched = self.contains(np.array([point for orbit in orbits for point in orbit]))
        starts = np.cumsum([0, *(len(orbit) for orbit in orbits[:-1])])
        chosen = np.flatnonzero(np.add.reduceat(touched.astype(np.int64), starts))
        return CodePoints.union([self, *(CodePoints.of(*orbits[number]) for number in chosen.tolist())])


def _combined(sets: Sequence[CodePoints], rule: Callable[[NDArray[np.bool_]], NDArray[np.bool_]]) -> CodePoints:
    """Return the set given by ``rule``, which maps bool[n_sets, n] (membership between edges) to bool[n]."""
    edges, members = _members_between_edges(sets)
    inside = rule(members)
    changes = np.flatnonzero(inside != np.concatenate([[False], inside[:-1]]))
    return CodePoints(tuple(edges[changes].tolist()))


def _members_between_edges(sets: Sequence[CodePoints]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return 0 and the edges of all sets, int64[n], and for each set whether it has those points, bool[n_sets, n]."""
    edges = np.unique(np.concatenate([[0], *(np.array(one.edges, dtype=np.int64) for one in sets)]).astype(np.int64))
    members = np.array([one.contains(edges) for one in sets], dtype=np.bool_).reshape(len(sets), len(edges))
    return edges, members


EVERYTHING = CodePoints((0, N_CODE_POINTS))


@functools.lru_cache(maxsize=256)
def category(name: str) -> CodePoints | None:
    """Return the characters of a general category (``Lu``) or group of categories (``L``), None if it is unknown."""
    names = [one for one in CATEGORIES if one == name or one[0] == name]
    return CodePoints.from_flags(load().members(names)) if names else None


def _every_character() -> Iterator[str]:
    """Yield all characters, some thousands at a time: a call on all of them would block every other thread."""
    points = np.delete(np.arange(N_CODE_POINTS, dtype="<u4"), _SURROGATES)
    for start in range(0, len(points), _AT_A_TIME):
        yield points[start : start + _AT_A_TIME].tobytes().decode("utf-32-le")


@functools.lru_cache(maxsize=256)
def matching(expression: str) -> CodePoints:
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
    edges, members = _members_between_edges(sets)
    edges, members = edges[edges < N_CODE_POINTS], members[:, edges < N_CODE_POINTS]
    kinds, kind_of = np.unique(members, axis=1, return_inverse=True)
    table = np.repeat(kind_of.reshape(-1).astype(np.uint16), np.diff(edges, append=N_CODE_POINTS))
    return table, [np.flatnonzero(kinds[number]).tolist() for number in range(len(sets))]


_BLOCK_BITS = 8
_BLOCK = 1 << _BLOCK_BITS


@dataclass(frozen=True, slots=True, eq=False)
class CharacterClasses:
    """``starts``: int32[4352], the offset in ``blocks`` of the block of every 256 code points. ``blocks``: uint16[256 *
    n]. Both are read-only. ``count``: number of letters; they are numbered from 0."""

    starts: NDArray[np.int32]
    blocks: NDArray[np.uint16]
    count: int

    @classmethod
    def from_table(cls, table: NDArray[np.uint16]) -> CharacterClasses:
        """Build from ``table``: uint16[1114112], the letter of every code point."""
        numbers: dict[bytes, int] = {}  # np.unique sorts rows, which takes a hundred times as long
        number_of = [numbers.setdefault(block.tobytes(), len(numbers)) for block in table.reshape(-1, _BLOCK)]
        starts = np.array(number_of, dtype=np.int32) << _BLOCK_BITS
        flat = np.frombuffer(b"".join(numbers), dtype=np.uint16)
        starts.flags.writeable = False
        return cls(starts, flat, int(table.max(initial=0)) + 1)

    def of(self, points: NDArray[np.uint32]) -> NDArray[np.uint16]:
        """Return uint16[n]: the letters of these code points."""
        letters = np.empty(len(points), dtype=np.uint16)
        for start in interruptible(range(0, len(points), AT_A_TIME), every=1):
            some = points[start : start + AT_A_TIME]
            indices = self.starts[some >> np.uint32(_BLOCK_BITS)]
            indices += (some & np.uint32(_BLOCK - 1)).astype(np.int32)
            letters[start : start + AT_A_TIME] = self.blocks[indices]
        return letters


# --- scripts ----------------------------------------------------------------------------------------------------------


JAPANESE = "Japanese"
"""Lines with kana; most of their letters may be Han characters."""

NO_LETTERS = "no letters"
_KANA = ("Hiragana", "Katakana")
_SCRIPTS = (
    *("Latin", "Cyrillic", "Greek", "Armenian", "Georgian", "Hebrew", "Arabic", "Ethiopic"),
    *("Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala"),
    *("Thai", "Lao", "Khmer", "Myanmar", "Tibetan", "Mongolian", "Hangul", "Han"),
)
NAMED_SCRIPTS = (*_KANA, *_SCRIPTS)
"""Scripts that are distinguished, by their Unicode names."""

SCRIPT_NAMES = (NO_LETTERS, JAPANESE, *_SCRIPTS, "other scripts")
"""Possible results for a line of text."""

_GROUPS_A_TIME = 1 << 13
_POINTS_A_TIME = 1 << 18
"""Characters counted at a time: for a text of millions of lines, the counts of all would not fit in memory."""

_FEWEST_KANA = 0.1
"""Minimum share of kana among the Han characters and kana of a Japanese text."""


def lines_by_script(text: str) -> dict[str, str]:
    """Return, for each script, the text of the lines (with their ends) in which most letters are of that script."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    starts = np.concatenate([[0], np.flatnonzero(points == 0x0A) + 1])
    starts = starts[starts < len(points)]
    if len(starts) == 0:
        return {}
    ends = np.append(starts[1:], len(points))
    chosen = scripts_of(points, lines_of(ends), len(starts))
    found: dict[str, str] = {}
    for number in np.unique(chosen).tolist():
        lines = np.flatnonzero(chosen == number)
        spans = zip(starts[lines].tolist(), ends[lines].tolist(), strict=True)
        found[SCRIPT_NAMES[number]] = "".join([text[start:end] for start, end in spans])
    return found


def lines_of(ends: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
    """Return int32[ends[-1]]: the line number of each character. ``ends``: the offset after each line; no empty
    line."""
    begins = np.zeros(int(ends[-1]), dtype=np.int8)
    begins[ends[:-1]] = 1
    return running_sums(begins, np.empty(len(begins), dtype=np.int32))


def scripts_of(points: NDArray[np.uint32], groups: NDArray[np.integer[Any]], n_groups: int) -> NDArray[np.int64]:
    """Return int64[n_groups]: the index in ``SCRIPT_NAMES`` of the script of most letters of each group.

    ``points``: uint32[m], code points; ``groups``: int32 or int64[m], the group of each, ascending. The first call in a
    process takes about a second.
    """
    chosen = np.empty(n_groups, dtype=np.int64)
    firsts = np.arange(0, n_groups, _GROUPS_A_TIME, dtype=groups.dtype)
    starts = [*groups.searchsorted(firsts).tolist(), len(groups)]
    for first, start, stop in zip(firsts.tolist(), starts, starts[1:], strict=False):
        some = min(n_groups - first, _GROUPS_A_TIME)
        counts = np.zeros(some * len(SCRIPT_NAMES), dtype=np.int64)
        for at in range(start, stop, _POINTS_A_TIME):
            end = min(stop, at + _POINTS_A_TIME)
            indices = (groups[at:end] - first) * len(SCRIPT_NAMES) + _script_table()[points[at:end]]
            counts += np.bincount(indices, minlength=len(counts))
        chosen[first : first + some] = _most_frequent(counts.reshape(some, len(SCRIPT_NAMES)))
    return chosen


def _most_frequent(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int64[n]: the script of each line, given its letters per script (int64[n, scripts])."""
    letters = counts.copy()
    letters[:, 0] = 0  # non-letters decide only if there are no letters
    kana, han = letters[:, 1], letters[:, SCRIPT_NAMES.index("Han")]
    is_japanese = (kana > 0) & (kana >= _FEWEST_KANA * (kana + han))
    letters[is_japanese, 1] += han[is_japanese]
    letters[is_japanese, SCRIPT_NAMES.index("Han")] = 0
    chosen: NDArray[np.int64] = np.argmax(letters, axis=1)
    return chosen


@functools.cache
def _script_table() -> NDArray[np.uint8]:
    """Return uint8[1114112]: the script of every letter, 0 for non-letters."""
    table = np.zeros(N_CODE_POINTS, dtype=np.uint8)
    fill_matching(table, r"\p{L}", len(SCRIPT_NAMES) - 1)
    for number, name in enumerate(SCRIPT_NAMES[2:-1], 2):
        fill_matching(table, rf"\p{{{name}}}", number)
    for name in _KANA:
        fill_matching(table, rf"\p{{{name}}}", 1)
    table.flags.writeable = False
    return table


def fill_matching(table: NDArray[np.uint8], pattern: str, number: int) -> None:
    """Set the entries of all characters that a pattern matches to ``number``. ``table``: uint8[1114112]."""
    check_cancelled()
    edges = matching(pattern).edges
    for first, stop in zip(edges[::2], edges[1::2], strict=True):
        table[first:stop] = number
