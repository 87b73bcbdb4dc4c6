"""Classes of characters: the category of each code point, in the Unicode version of tiktoken's split engine.

Which characters are letters decides where a split pattern sets boundaries. So the tables must be those of the engine
whose boundaries are reproduced, not those of the running Python (3.11 has Unicode 14, 3.13 has 15.1).
``packaging/probe_unicode.py`` reads them from tiktoken itself; a test compares them with the installed tiktoken, code
point by code point. The version comes from the property ``Age``: exactly the code points that it calls assigned have a
category.

``UnicodeTable`` holds the categories and the case folding; ``load`` returns the bundled one. Its file (``pack``,
``unpack``) is one zlib stream of: ``TLUNICD1`` (8 bytes); the Unicode version (two bytes); the number of blocks and of
fold entries (little-endian uint16 each); for each of the 8,704 pages of 128 code points the number of its block
(uint16); the blocks (128 bytes each: indices into ``CATEGORIES``); the fold entries (uint32: the size of an orbit, then
its code points, and so on).

``CharacterClasses`` maps code points to the letters of a small alphabet; split patterns are rewritten over such
alphabets. A flat table of all code points would take two megabytes for each pattern. Most of it is repetition: storing
equal blocks of neighbouring code points once reduces it to a twentieth.
"""

from __future__ import annotations

import functools
import importlib.resources
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.runtime.cancellation import interruptible
from engine.text.offsets import AT_A_TIME

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
            places = self.starts[some >> np.uint32(_BLOCK_BITS)]
            places += (some & np.uint32(_BLOCK - 1)).astype(np.int32)
            letters[start : start + AT_A_TIME] = self.blocks[places]
        return letters


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
        import numpy as np

        wanted = np.zeros(len(CATEGORIES), dtype=np.bool_)
        for name in names:
            wanted[CATEGORIES.index(name)] = True
        members: NDArray[np.bool_] = wanted[self.categories()]
        return members


def pack(version: tuple[int, int], categories: NDArray[np.uint8], orbits: Sequence[Sequence[int]]) -> bytes:
    """Return the content of a table file. ``categories``: uint8[1114112]."""
    import numpy as np

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
    import numpy as np

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
    place = 0
    while place < n_folds:
        orbits.append(tuple(folds[place + 1 : place + 1 + folds[place]]))
        place += 1 + folds[place]
    return UnicodeTable((major, minor), pages, blocks.reshape(-1, PAGE), tuple(orbits))


@functools.lru_cache(maxsize=1)
def load() -> UnicodeTable:
    """Return the bundled table."""
    return unpack(importlib.resources.files("engine").joinpath("data", "unicode.classes").read_bytes())
