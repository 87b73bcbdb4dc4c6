"""Merging: from counted pretokens to merges, a stretch at a time. Python around the kernels: room, phases, state.

Everything is in arrays, so a run can stop after any merge; a checkpoint is the slots and the merges.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import train_layout as layout
from engine.kernels.train_merge import merge_pairs
from engine.kernels.train_pairs import move_pairs
from engine.kernels.train_phase import (
    compact,
    count_pairs,
    drop_long_pairs,
    list_places,
    pairs_above,
    rewind_lists,
    start_lists,
)

NO_LIMIT = (1 << 31) - 1

_FIRST_DIVISOR = 16
"""The first threshold is the highest count, divided by this and by the size of the vocabulary."""
_DIVISOR = 8
"""Later thresholds are divided by this."""


class Merger:
    """Merges the pairs of a text in slots. One thread at a time."""

    def __init__(
        self,
        slots: NDArray[np.uint32],
        byte_lengths: NDArray[np.uint32],
        most_merges: int,
        tokens: int,
        *,
        min_count: int,
        max_token_bytes: int | None,
    ) -> None:
        """slots: see ``train_layout``; taken over. byte_lengths: uint32[n], bytes of each symbol of the alphabet.
        tokens: how many symbols the corpus has."""
        most_ids = len(byte_lengths) + most_merges
        state = np.zeros(layout.STATE_SIZE, dtype=np.int64)
        state[layout.FIRST_ID] = len(byte_lengths)
        state[layout.TOKENS] = tokens
        state[layout.LONGEST] = NO_LIMIT if max_token_bytes is None else max_token_bytes
        lengths = np.ones(most_ids, dtype=np.uint32)
        lengths[: len(byte_lengths)] = byte_lengths
        empty = np.empty(0, dtype=np.int64)
        self._work = layout.Merging(
            slots=slots,
            widths=np.ones(most_ids, dtype=np.uint32),
            byte_lengths=lengths,
            pairs=empty,
            lists=empty,
            places=empty,
            heap=empty,
            sums=np.zeros(4 * most_ids, dtype=np.int64),
            neighbours=np.empty(2 * most_ids, dtype=np.int64),
            records=np.empty(1 << 16, dtype=np.int64),
            merges=np.empty(layout.MERGE_FIELDS * most_merges, dtype=np.int64),
            state=state,
        )
        self._min_count = min_count
        self._most_merges = most_merges
        self.is_done = most_merges == 0
        self.ran_out = False

    @property
    def merged(self) -> int:
        """Merges done."""
        return int(self._work.state[layout.MERGED])

    @property
    def tokens(self) -> int:
        """Tokens of the corpus now."""
        return int(self._work.state[layout.TOKENS])

    @property
    def merges(self) -> NDArray[np.int64]:
        """int64[n, 4], a view: left id, right id, how often the pair occurred, tokens of the corpus afterwards."""
        return self._work.merges.reshape(-1, layout.MERGE_FIELDS)[: self.merged]

    def advance(self, budget: int) -> None:
        """Merge until about ``budget`` places were looked at, or all is done."""
        if self.is_done:
            return
        state = self._work.state
        if state[layout.THRESHOLD] == 0:
            self._start_phase()
        before = self.merged
        status = merge_pairs(self._work, self._most_merges - self.merged, budget)
        if status == layout.BELOW_THRESHOLD:
            if state[layout.THRESHOLD] <= self._min_count:
                self.is_done = self.ran_out = True
            else:
                self._start_phase()
        elif status != layout.PAUSED:
            self._make_room(status)
        if self.merged == self._most_merges:
            self.is_done = True
        del before

    def _start_phase(self) -> None:
        """Count all pairs, choose a threshold, and list the places of the pairs above it."""
        state, threshold = self._work.state, int(self._work.state[layout.THRESHOLD])
        self._let_go()
        if self.merged:
            self._pack()
        self._count_pairs()
        highest = drop_long_pairs(self._work)
        if threshold == 0:
            wanted = highest // (_FIRST_DIVISOR * max(self._most_merges, 1))
        else:
            wanted = min(highest, threshold - 1) // _DIVISOR
        threshold = max(min(wanted, highest), self._min_count, 1)
        state[layout.THRESHOLD] = threshold
        number, places = pairs_above(self._work, threshold)
        self._resize_pairs(max(16, number.bit_length() + 2), threshold)
        self._work = self._work._replace(
            heap=np.empty(2 * max(1 << 16, 2 * number), dtype=np.int64),
            places=np.empty(places + places // 2 + (1 << 18), dtype=np.int64),
        )
        start_lists(self._work)
        list_places(self._work, 0, len(self._work.slots) - 1)
        rewind_lists(self._work)

    def _let_go(self) -> None:
        """Give back what the phase before needed."""
        empty = np.empty(0, dtype=np.int64)
        self._work = self._work._replace(pairs=empty, lists=empty, places=empty, heap=empty)

    def _pack(self) -> None:
        used = compact(self._work.slots, self._work.widths)
        self._work = self._work._replace(slots=self._work.slots[:used])
        self._work.widths[:] = 1

    def _count_pairs(self) -> None:
        last = len(self._work.slots) - 1
        self._new_pairs(max(16, (last // 4).bit_length()))
        at = count_pairs(self._work, 0, last)
        while at < last:
            self._resize_pairs(64 - int(self._work.state[layout.PAIR_SHIFT]) + 1, 0)
            at = count_pairs(self._work, at, last)

    def _new_pairs(self, bits: int) -> None:
        self._work.state[layout.PAIR_SHIFT] = 64 - bits
        self._work.state[layout.PAIRS_USED] = 0
        self._work = self._work._replace(
            pairs=np.zeros(2 << bits, dtype=np.int64), lists=np.zeros(2 << bits, dtype=np.int64)
        )

    def _resize_pairs(self, bits: int, least: int) -> None:
        """Another size for the table of pairs, and in it those that occur so often."""
        pairs, lists = self._work.pairs, self._work.lists
        self._new_pairs(bits)
        work = self._work
        work.state[layout.PAIRS_USED] = move_pairs(pairs, lists, work.pairs, work.lists, 64 - bits, least)

    def _make_room(self, status: int) -> None:
        work = self._work
        needed = int(work.state[layout.NEEDED])
        if status == layout.NO_ROOM_PLACES:
            used = int(work.state[layout.PLACES_USED])
            self._work = work._replace(places=_larger(work.places, used, max(used * 3 // 2, used + 2 * needed)))
        elif status == layout.NO_ROOM_PAIRS:
            self._resize_pairs(64 - int(work.state[layout.PAIR_SHIFT]) + 1, 0)
        elif status == layout.NO_ROOM_HEAP:
            used = 2 * int(work.state[layout.HEAP_SIZE])
            self._work = work._replace(heap=_larger(work.heap, used, 2 * len(work.heap)))
        else:
            self._work = work._replace(records=np.empty(2 * needed * 5 // 4 + 2, dtype=np.int64))


def _larger(array: NDArray[np.int64], used: int, size: int) -> NDArray[np.int64]:
    larger = np.empty(size, dtype=np.int64)
    larger[:used] = array[:used]
    return larger
