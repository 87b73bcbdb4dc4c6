"""Counting the pretokens of texts, in memory that follows the number of different ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.kernels import train_table
from engine.kernels.lookup import KEY_MASKS
from engine.kernels.train_table import CountTable, add_entries, count_pretokens, fill_index
from engine.split.long_texts import Stretch, stretches_in_time
from engine.split.pretokenization import pretokenizer
from engine.split.scanners import KNOWN_SPLITS, PADDING, Scanner
from engine.text.raw_bytes import Uncut
from engine.text.spans import pairs
from engine.training.checkpoint import Arrays

SPLIT_SECONDS = 10.0
"""How long a pattern may take to cut a piece of about a megabyte."""
_SECONDS_AT_A_TIME = 0.7
"""How long nobody can stop it meanwhile. What a working pattern takes for a stretch is a twentieth of that."""

_ENDS = 1 << 18
"""Pretokens between two calls of a kernel: about those of a piece. With fewer, threads often wait for each other."""
_FIRST_BITS = 18
"""The index takes a megabyte. Growing from less takes three per cent of a run over twenty megabytes."""


class PretokenCounter:
    """Counts pretokens, for one thread at a time."""

    def __init__(self, expression: str) -> None:
        """expression: the split pattern. InvalidPatternError; UnsupportedPatternError."""
        self.expression = expression
        split = KNOWN_SPLITS.get(expression)
        self._scanner = None if split is None else Scanner(split)
        self._pretokenizer = pretokenizer(expression) if split is None else None
        self._left: Iterator[Stretch | None] | None = None
        self._ends = np.empty(_ENDS, dtype=np.int32)
        self._table = _new_table(_FIRST_BITS)

    @property
    def different(self) -> int:
        """How many different pretokens were counted."""
        return int(self._table.state[train_table.ENTRIES_USED])

    @property
    def table(self) -> CountTable:
        """The table itself."""
        return self._table

    def add(self, text: bytes) -> None:
        """Count the pretokens of a text in UTF-8, or bytes that are ``Uncut`` as one. SplitTimeoutError."""
        self.begin(text)
        self.finish()

    def begin(self, text: bytes) -> None:
        """As ``add``; where no kernel knows the pattern, a text is counted as ``go_on`` is called."""
        if isinstance(text, Uncut):
            self._count(np.frombuffer(text + bytes(PADDING), dtype=np.uint8), np.array([len(text)], np.int32), 1, 0)
        elif self._scanner is not None:
            self._add_scanned(text, self._scanner)
        elif self._pretokenizer is not None:
            self._left = stretches_in_time(self._pretokenizer, text.decode("utf-8"), SPLIT_SECONDS, _SECONDS_AT_A_TIME)

    @property
    def has_begun(self) -> bool:
        """Whether there is a text that is not counted to its end."""
        return self._left is not None

    def go_on(self) -> None:
        """Count a stretch of the text that was begun, or try for most of a second. SplitTimeoutError."""
        for stretch in itertools.islice(self._left or (), 1):
            if stretch is not None:
                self._add_stretch(stretch)
            return
        self._left = None

    def finish(self) -> None:
        """Count the text that was begun to its end. SplitTimeoutError."""
        while self.has_begun:
            self.go_on()

    def _add_scanned(self, text: bytes, scanner: Scanner) -> None:
        array = np.frombuffer(text + bytes(PADDING), dtype=np.uint8)
        start = 0
        while start < len(text):
            found = scanner(array, len(text), start, self._ends)
            self._count(array, self._ends, found, start)
            start = int(self._ends[found - 1])

    def _add_stretch(self, stretch: Stretch) -> None:
        spans = stretch.byte_spans()
        text = stretch.text.encode("utf-8")
        ends = np.cumsum(spans[:, 1] - spans[:, 0])
        if ends[-1] != spans[-1, 1]:
            text = b"".join([text[start:stop] for start, stop in pairs(spans)])
        self._count(np.frombuffer(text + bytes(PADDING), dtype=np.uint8), ends.astype(np.int32), len(ends), 0)

    def _count(self, array: NDArray[np.uint8], ends: NDArray[np.int32], count: int, start: int) -> None:
        first, start = count_pretokens(array, ends, 0, count, start, KEY_MASKS, self._table)
        while first < count:
            self._table = _larger(self._table)
            first, start = count_pretokens(array, ends, first, count, start, KEY_MASKS, self._table)

    def pack(self) -> Arrays:
        """What was counted, as arrays."""
        table = self._table
        entries = table.entries[: train_table.ENTRY_WORDS * self.different]
        return {"entries": entries, "arena": table.arena[: int(table.state[train_table.ARENA_USED])]}

    def unpack(self, arrays: Arrays) -> None:
        """Count what another one packed. KeyError or ValueError where that is not whole."""
        entries, arena = arrays["entries"], arrays["arena"]
        count = len(entries) // train_table.ENTRY_WORDS
        packed = _new_table(max(_FIRST_BITS, (2 * count + 2).bit_length()))
        packed.entries[: len(entries)] = entries
        packed.state[train_table.ENTRIES_USED] = count
        packed.state[train_table.ARENA_USED] = len(arena)
        self._table = packed._replace(arena=arena.astype(np.uint8))
        fill_index(self._table)

    def absorb(self, other: PretokenCounter) -> None:
        """Add what another one counted."""
        first = add_entries(other.table, 0, self._table)
        while first < other.different:
            self._table = _larger(self._table)
            first = add_entries(other.table, first, self._table)


def _new_table(bits: int) -> CountTable:
    state = np.zeros(train_table.STATE_SIZE, dtype=np.int64)
    state[train_table.INDEX_SHIFT] = 64 - bits
    return CountTable(
        buckets=np.zeros(1 << bits, dtype=np.uint32),
        entries=np.empty(train_table.ENTRY_WORDS << (bits - 1), dtype=np.int64),
        arena=np.empty(1 << 16, dtype=np.uint8),
        state=state,
    )


def _larger(table: CountTable) -> CountTable:
    """The table with room for what it had none for."""
    state = table.state
    if needed := int(state[train_table.NEEDED]):
        used = int(state[train_table.ARENA_USED])
        arena = np.empty(max(2 * len(table.arena), used + needed), dtype=np.uint8)
        arena[:used] = table.arena[:used]
        return table._replace(arena=arena)
    bits = 65 - int(state[train_table.INDEX_SHIFT])
    larger = _new_table(bits)
    used = train_table.ENTRY_WORDS * int(state[train_table.ENTRIES_USED])
    larger.entries[:used] = table.entries[:used]
    larger = larger._replace(arena=table.arena, state=state)
    state[train_table.INDEX_SHIFT] = 64 - bits
    fill_index(larger)
    return larger
