r"""Scanners for the split patterns that kernels implement (``engine.split.patterns``), and their tables.

A scanner looks up the class of each character, in one of two classifications (``engine.kernels.blocks``). They come
from the Unicode categories of ``engine.text.character_classes``: White_Space is the categories Z and six control
characters. Another table, of one vocabulary, says where it allows additional boundaries (``crossings_of``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels import blocks as characters
from engine.kernels._jit import COMPILED
from engine.kernels.block_scanners import (
    CROSSED,
    CROSSED_PAIRS,
    INNER_STARTS,
    PAIRS_AT,
    mark_crossings,
    scan_cl100k,
    scan_deepseek,
    scan_gpt2,
    scan_o200k,
)
from engine.kernels.plain_scanners import scan_plain
from engine.split.patterns import Family, KnownSplit
from engine.text import character_classes
from engine.text.character_classes import CATEGORIES, N_CODE_POINTS, PAGE

N_PAGES = 0x200000 // PAGE
"""Number of pages for all values that four bytes can decode to, valid UTF-8 or not."""

EAST_RANGES = ((0x3040, 0x3100), (0x4E00, 0x9FA6))
"""Hiragana, katakana and Han, which DeepSeek's second stage splits off, as half-open ranges."""

HAN_RANGES = (
    *((0x2E80, 0x2E9A), (0x2E9B, 0x2EF4), (0x2F00, 0x2FD6), (0x3005, 0x3006), (0x3007, 0x3008), (0x3021, 0x302A)),
    *((0x3038, 0x303C), (0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFA6E), (0xFA70, 0xFADA), (0x16FE2, 0x16FE4)),
    *((0x16FF0, 0x16FF2), (0x20000, 0x2A6E0), (0x2A700, 0x2B73A), (0x2B740, 0x2B81E), (0x2B820, 0x2CEA2)),
    *((0x2CEB0, 0x2EBE1), (0x2EBF0, 0x2EE5E), (0x2F800, 0x2FA1E), (0x30000, 0x3134B), (0x31350, 0x323B0)),
)
r"""``\p{Han}`` in Unicode 16.0."""

CROSSINGS_BITS = 18
"""log2 of the number of bits that character pairs are hashed to: 32 KB, of which large vocabularies set up to an
eighth."""

CROSSINGS_SIZE = CROSSED_PAIRS + (1 << (CROSSINGS_BITS - 3))
"""Size of the result of ``crossings_of``, in bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassTable:
    """``pages``: uint16[16384]; ``classes``: uint8[128 * n]; read-only. See ``engine.kernels.blocks``."""

    pages: NDArray[np.uint16]
    classes: NDArray[np.uint8]

    def of_all(self) -> NDArray[np.uint8]:
        """Return uint8[1114112]: the class of every code point, without flags."""
        classes = self.classes.reshape(-1, PAGE)[self.pages[: N_CODE_POINTS // PAGE]].reshape(-1)
        return classes & np.uint8(characters.CLASS)


@functools.lru_cache(maxsize=1)
def word_table() -> ClassTable:
    """Return the classification for words, for gpt2, cl100k and similar patterns. Caseless letters are splittable."""
    return _table(_word_class, (characters.CASELESS,), ())


@functools.lru_cache(maxsize=1)
def mark_table() -> ClassTable:
    """Like ``word_table``, for o200k and similar patterns, whose words contain marks: those are splittable, too."""
    return _table(_word_class, (characters.CASELESS, characters.MARK), ())


@functools.lru_cache(maxsize=1)
def han_table() -> ClassTable:
    """Like ``mark_table``, for Kimi, with a second set of all classes for Han."""
    return _table(_word_class, (characters.CASELESS, characters.MARK), HAN_RANGES)


@functools.lru_cache(maxsize=1)
def letter_table() -> ClassTable:
    """Like ``word_table``, for Qwen 3.5, in which marks are caseless letters."""
    return _table(_letter_class, (characters.CASELESS,), ())


@functools.lru_cache(maxsize=1)
def deepseek_table() -> ClassTable:
    """Return the classification for DeepSeek's three stages."""
    return _table(_deepseek_class, (characters.CASELESS, characters.MARK), EAST_RANGES)


@functools.lru_cache(maxsize=1)
def no_cuts() -> NDArray[np.uint8]:
    """Return crossings that allow no boundary: every pair is crossed."""
    crossings = np.full(CROSSED_PAIRS + 1, 0xFF, dtype=np.uint8)
    crossings.flags.writeable = False
    return crossings


def crossings_of(
    token_bytes: NDArray[np.uint8], token_offsets: NDArray[np.int64], unmade: NDArray[np.uint32] | None = None
) -> NDArray[np.uint8]:
    """Return uint8[16384 + 2**15], read-only: the pairs of adjacent characters that a vocabulary does not allow to
    split.

    token_bytes: uint8[n], the concatenated tokens; token_offsets: int64[m + 1]. unmade: uint32[l], the numbers of the
    tokens that no merge produces.
    """
    crossings = np.zeros(CROSSINGS_SIZE, dtype=np.uint8)
    unmade = np.empty(0, dtype=np.uint32) if unmade is None else unmade
    mark_crossings(token_bytes, token_offsets, unmade, crossings)
    crossings.flags.writeable = False
    return crossings


def wide_table_of(table: ClassTable, crossings: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return uint8[65536 + 2**k], read-only: the flags that ``engine.kernels.block_scanners`` looks up for
    characters of two and three bytes and for pairs of adjacent ones, for one classification and the crossings of one
    vocabulary."""
    flags = table.classes.reshape(-1, PAGE)[table.pages[: PAIRS_AT // PAGE]].reshape(-1)
    flags[:0x800] &= characters.CLASS
    crossed = np.unpackbits(crossings[INNER_STARTS:CROSSED_PAIRS], bitorder="little")
    flags &= ~(crossed * np.uint8(characters.SPLITTABLE))
    flags |= np.unpackbits(crossings[:INNER_STARTS], bitorder="little") * np.uint8(CROSSED)
    whole = np.concatenate([flags, crossings[CROSSED_PAIRS:]])
    whole.flags.writeable = False
    return whole


def _word_class(category: str) -> int:
    if category in ("Lu", "Lt"):
        return characters.UPPER
    if category == "Ll":
        return characters.LOWER
    if category in ("Lm", "Lo"):
        return characters.CASELESS
    by_group = {"M": characters.MARK, "N": characters.NUMBER, "Z": characters.SPACE}
    return by_group.get(category[0], characters.OTHER)


def _letter_class(category: str) -> int:
    return characters.CASELESS if category[0] == "M" else _word_class(category)


def _deepseek_class(category: str) -> int:
    if category in ("Lu", "Lt", "Ll"):
        return characters.CASED
    if category[0] in "PS":
        return characters.SYMBOL
    return _word_class(category)


def _table(
    class_of: Callable[[str], int], splittable: tuple[int, ...], east: tuple[tuple[int, int], ...]
) -> ClassTable:
    unicode = character_classes.load()
    of_category = np.array([class_of(category) for category in CATEGORIES], dtype=np.uint8)
    of_category |= np.where(np.isin(of_category, splittable), characters.SPLITTABLE, 0).astype(np.uint8)
    blocks = of_category[unicode.blocks]
    pages = np.full(N_PAGES, unicode.pages[-1], dtype=np.uint16)
    pages[: len(unicode.pages)] = unicode.pages
    for first, stop in east:
        blocks = _marked_east(blocks, pages, first, stop)
    # Below U+0100, only control characters need distinguishing; no other page shares those two pages' blocks.
    low = blocks[pages[:2]].reshape(-1)
    low[[point for point in character_classes.WHITE_SPACE if point < len(low)]] = characters.SPACE
    low[[0x0A, 0x0D]] = characters.NEWLINE
    blocks[pages[:2]] = low.reshape(2, PAGE)
    classes = blocks.reshape(-1)
    pages.flags.writeable = classes.flags.writeable = False
    return ClassTable(pages, classes)


def _marked_east(blocks: NDArray[np.uint8], pages: NDArray[np.uint16], first: int, stop: int) -> NDArray[np.uint8]:
    """Return the blocks plus new ones in which a range of code points is EAST. Updates ``pages``."""
    added: dict[bytes, int] = {}
    for page in range(first // PAGE, (stop - 1) // PAGE + 1):
        block = blocks[pages[page]].copy()
        block[max(first - page * PAGE, 0) : stop - page * PAGE] += characters.EAST
        pages[page] = added.setdefault(block.tobytes(), len(blocks) + len(added))
    return np.concatenate([blocks, *(np.frombuffer(block, dtype=np.uint8).reshape(1, PAGE) for block in added)])


Kernel = Callable[..., int]
BlockTables = tuple[NDArray[np.uint16], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int64]]


_BLOCK_KERNELS: Mapping[Family, Kernel] = {
    Family.GPT2: scan_gpt2,
    Family.CL100K: scan_cl100k,
    Family.O200K: scan_o200k,
    Family.DEEPSEEK: scan_deepseek,
}


class Scanner:
    """Finds the ends of pretokens in UTF-8. Holds only constant tables, so it is thread-safe."""

    def __init__(self, split: KnownSplit, crossings: NDArray[np.uint8] | None = None, *, plain: bool = False) -> None:
        """crossings: from ``crossings_of``, to split pretokens further where no token of that vocabulary crosses; if
        None, all ends are ends of pretokens. plain: use the slow scanner, which splits nothing further; it is always
        used if kernels are not compiled. ``block_tables``: tables of a block scanner, for kernels that call it; None
        for the slow scanner."""
        self.split = split
        tables = {
            Family.GPT2: word_table,
            Family.CL100K: letter_table if split.marks_in_words else word_table,
            Family.O200K: han_table if split.han_apart else mark_table,
            Family.DEEPSEEK: deepseek_table,
        }
        classes = tables[split.family]()
        options = split.option + 2 * split.han_apart
        self._split = np.array((split.family, split.most_digits, options), dtype=np.int64)
        self._split.flags.writeable = False
        crossings = no_cuts() if crossings is None else crossings
        self.block_tables: BlockTables | None = None
        if plain or not COMPILED:
            self._scan: Kernel = scan_plain
            self._tables: tuple[Any, ...] = (classes.pages, classes.classes, self._split)
        else:
            self._scan = _BLOCK_KERNELS[split.family]
            wide_table = wide_table_of(classes, crossings)
            self.block_tables = self._tables = (classes.pages, classes.classes, wide_table, self._split)

    def __call__(self, text: NDArray[np.uint8], n_bytes: int, byte_start: int, ends: NDArray[np.int32]) -> int:
        """Write the ends of the pretokens from ``byte_start`` on. Returns the number of ends: at least one, unless
        ``byte_start`` is ``n_bytes``.

        text: uint8[n], n >= n_bytes + PADDING, contiguous, valid UTF-8 up to n_bytes < 2**31. byte_start: start of a
        pretoken, or the last end of a previous call. ends: int32[m], m >= 64. Raises IndexError if the text is shorter
        than n_bytes + PADDING or byte_start is outside it.
        """
        if text.flags.writeable:
            # Writable arrays would make the kernel compile again.
            text = text.view()
            text.flags.writeable = False
        return self._scan(text, n_bytes, byte_start, *self._tables, ends)


@functools.lru_cache(maxsize=16)
def plain_scanner(split: KnownSplit) -> Scanner:
    """Return the slow scanner of a split."""
    return Scanner(split, plain=True)
