"""Scanners for the split patterns that kernels implement (``engine.split.patterns``)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.split.patterns import PATTERNS, Family, KnownSplit

PADDING = 64
"""Readable bytes that must follow a text in its buffer."""


KNOWN_SPLITS: Mapping[str, KnownSplit] = MappingProxyType(
    {text: known.scan for known in PATTERNS if known.scan for text in (known.expression, *known.also)}
)
"""Scanner of each pattern that kernels know, by its expression."""

Kernel = Callable[..., int]
BlockTables = tuple[NDArray[np.uint16], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int64]]


def block_kernel(family: Family) -> Kernel:
    """Return the block scanner of a family. Imported on demand: importing numba takes a while."""
    if family is Family.GPT2:
        from engine.kernels.block_scanners import scan_gpt2 as kernel
    elif family is Family.CL100K:
        from engine.kernels.block_scanners import scan_cl100k as kernel
    elif family is Family.O200K:
        from engine.kernels.block_scanners import scan_o200k as kernel
    else:
        from engine.kernels.block_scanners import scan_deepseek as kernel
    return kernel


class Scanner:
    """Finds the ends of pretokens in UTF-8. Holds only constant tables, so it is thread-safe."""

    def __init__(self, split: KnownSplit, crossings: NDArray[np.uint8] | None = None, *, plain: bool = False) -> None:
        """crossings: from ``scan_tables.crossings_of``, to split pretokens further where no token of that vocabulary
        crosses; if None, all ends are ends of pretokens. plain: use the slow scanner, which splits nothing further; it
        is always used if kernels are not compiled. ``block_tables``: tables of a block scanner, for kernels that call
        it; None for the slow scanner."""
        from engine.kernels._jit import COMPILED
        from engine.split import scan_tables

        self.split = split
        tables = {
            Family.GPT2: scan_tables.word_table,
            Family.CL100K: scan_tables.letter_table if split.marks_in_words else scan_tables.word_table,
            Family.O200K: scan_tables.han_table if split.han_apart else scan_tables.mark_table,
            Family.DEEPSEEK: scan_tables.deepseek_table,
        }
        self._classes = tables[split.family]()
        options = split.option + 2 * split.han_apart
        self._split = np.array((split.family, split.most_digits, options), dtype=np.int64)
        self._split.flags.writeable = False
        crossings = scan_tables.no_cuts() if crossings is None else crossings
        self.block_tables: BlockTables | None = None
        if plain or not COMPILED:
            from engine.kernels.plain_scanners import scan_plain

            self._scan: Callable[..., int] = scan_plain
            self._tables: tuple[Any, ...] = (self._classes.pages, self._classes.classes, self._split)
        else:
            self._scan = block_kernel(split.family)
            wide_table = scan_tables.wide_table_of(self._classes, crossings)
            self.block_tables = self._tables = (self._classes.pages, self._classes.classes, wide_table, self._split)

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
