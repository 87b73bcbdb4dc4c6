"""Merging: from counted pretokens to merges, a stretch at a time. Python around the kernels: room, phases, state.

Everything is in arrays, so a run can stop after any merge; a checkpoint is the slots and the merges.
"""

from __future__ import annotations

from collections.abc import Sequence

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
from engine.kernels.train_queue import BUCKETS

NO_LIMIT = (1 << 31) - 1

FIRST_DIVISOR = 3
"""The first threshold is the number of slots, divided by this and by the merges that are wanted."""
FALL = 1.75
"""The counts of later merges are guessed to fall with this power of their number. Measured on English, Python and
multilingual texts it is 1.35 to 1.6; a threshold that is too low costs less than another phase."""

# How large arrays begin; each grows when it has to.
FIRST_PAIR_BITS = 15
FIRST_RECORDS = 1 << 15
SPARE_PLACES = 1 << 18


class Merger:
    """Merges the pairs of a text in slots. One thread at a time."""

    def __init__(
        self,
        slots: NDArray[np.uint32],
        symbols: Sequence[bytes],
        most_merges: int,
        tokens: int,
        *,
        min_count: int,
        max_token_bytes: int | None = None,
        merges: NDArray[np.int64] | None = None,
    ) -> None:
        """slots: see ``train_layout``; taken over. symbols: those of the alphabet, by id. tokens: how many the corpus
        has. merges: int64[m, 4], those that the slots have had already, if any; then every token has one slot."""
        earlier = np.empty((0, layout.MERGE_FIELDS), dtype=np.int64) if merges is None else merges
        most_merges = min(most_merges, len(earlier) + len(slots))  # a merge takes a slot at least
        most_ids = len(symbols) + most_merges
        state = np.zeros(layout.STATE_SIZE, dtype=np.int64)
        state[layout.FIRST_ID] = len(symbols)
        state[layout.MERGED] = len(earlier)
        state[layout.TOKENS] = tokens
        state[layout.LONGEST] = NO_LIMIT if max_token_bytes is None else max_token_bytes
        empty = np.empty(0, dtype=np.int64)
        self._work = layout.Merging(
            slots=slots,
            widths=np.ones(most_ids, dtype=np.uint32),
            byte_lengths=np.ones(most_ids, dtype=np.uint32),
            pairs=empty,
            lists=empty,
            places=empty,
            heap=empty,
            waiting=empty,
            buckets=np.zeros(BUCKETS, dtype=np.int64),
            sums=np.zeros(4 * most_ids, dtype=np.int64),
            neighbours=np.empty(2 * most_ids, dtype=np.int64),
            records=np.empty(2 * FIRST_RECORDS, dtype=np.int64),
            merges=np.empty(layout.MERGE_FIELDS * most_merges, dtype=np.int64),
            state=state,
        )
        self._work.merges[: earlier.size] = earlier.reshape(-1)
        lengths = [len(symbol) for symbol in symbols]
        for left, right in earlier[:, :2].tolist():
            lengths.append(lengths[left] + lengths[right])
        self._work.byte_lengths[: len(lengths)] = lengths
        self._min_count = min_count
        self._most_merges = most_merges
        self.is_done = self.merged == most_merges

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
        status = merge_pairs(self._work, self._most_merges - self.merged, budget)
        if status == layout.BELOW_THRESHOLD:
            if state[layout.THRESHOLD] <= self._min_count:
                self.is_done = True
            else:
                self._start_phase()
        elif status != layout.PAUSED:
            self._make_room(status)
        if self.merged == self._most_merges:
            self.is_done = True

    def packed_slots(self) -> NDArray[np.uint32]:
        """uint32[n]: the slots, with one for each token: with ``merges`` and ``tokens`` all that is needed to go on."""
        slots = self._work.slots.copy()
        return slots[: compact(slots, self._work.widths)]

    def _start_phase(self) -> None:
        """Count all pairs, choose a threshold, and list the places of the pairs above it."""
        state, threshold = self._work.state, int(self._work.state[layout.THRESHOLD])
        self._let_go()
        if self.merged:
            self._pack()
        self._count_pairs()
        highest = drop_long_pairs(self._work)
        if threshold == 0:
            wanted = int(len(self._work.slots) / (FIRST_DIVISOR * self._most_merges))
        else:
            wanted = int(min(highest, threshold - 1) * (self.merged / self._most_merges) ** FALL)
        threshold = max(min(wanted, highest), self._min_count, 1)
        state[layout.THRESHOLD] = threshold
        number, places = pairs_above(self._work, threshold)
        self._resize_pairs(max(FIRST_PAIR_BITS, number.bit_length() + 2), threshold)
        self._work = self._work._replace(places=np.empty(places + places // 2 + SPARE_PLACES, dtype=np.int64))
        self._new_queue()
        start_lists(self._work, highest)
        list_places(self._work, 0, len(self._work.slots) - 1)
        rewind_lists(self._work)

    def _let_go(self) -> None:
        """Give back what the phase before needed."""
        empty = np.empty(0, dtype=np.int64)
        self._work = self._work._replace(pairs=empty, lists=empty, places=empty, heap=empty, waiting=empty)

    def _pack(self) -> None:
        used = compact(self._work.slots, self._work.widths)
        self._work = self._work._replace(slots=self._work.slots[:used])
        self._work.widths[:] = 1

    def _count_pairs(self) -> None:
        last = len(self._work.slots) - 1
        # Symbols make few different pairs, tokens make many.
        self._new_pairs(max(FIRST_PAIR_BITS, (last // 4).bit_length()) if self.merged else FIRST_PAIR_BITS)
        at = count_pairs(self._work, 0, last)
        while at < last:
            self._resize_pairs(64 - int(self._work.state[layout.PAIR_SHIFT]) + 1, 0)
            at = count_pairs(self._work, at, last)

    def _new_pairs(self, bits: int) -> None:
        self._work.state[layout.PAIR_SHIFT] = 64 - bits
        self._work.state[layout.PAIRS_USED] = 0
        self._work = self._work._replace(pairs=zeros(2 << bits), lists=zeros(2 << bits))

    def _resize_pairs(self, bits: int, least: int) -> None:
        """Another size for the table of pairs, and in it those that occur so often."""
        pairs, lists = self._work.pairs, self._work.lists
        self._new_pairs(bits)
        work = self._work
        work.state[layout.PAIRS_USED] = move_pairs(pairs, lists, work.pairs, work.lists, 64 - bits, least)

    def _new_queue(self) -> None:
        self._work.buckets[:] = 0
        self._work.state[[layout.HEAP_SIZE, layout.WAITING_USED, layout.WAITING_FREE]] = 0
        self._widen_queue()

    def _widen_queue(self) -> None:
        """Room in the queue for all the pairs that the table has room for."""
        work, size = self._work, len(self._work.pairs) // 2
        heap, waiting = 2 * int(work.state[layout.HEAP_SIZE]), 2 * int(work.state[layout.WAITING_USED])
        self._work = work._replace(heap=_larger(work.heap, heap, size), waiting=_larger(work.waiting, waiting, size))

    def _make_room(self, status: int) -> None:
        work = self._work
        needed = int(work.state[layout.NEEDED])
        if status == layout.NO_ROOM_PLACES:
            used = int(work.state[layout.PLACES_USED])
            self._work = work._replace(places=_larger(work.places, used, max(used * 3 // 2, used + 2 * needed)))
        elif status == layout.NO_ROOM_PAIRS:
            self._resize_pairs(64 - int(work.state[layout.PAIR_SHIFT]) + 1, 0)
            self._widen_queue()
        else:
            self._work = work._replace(records=np.empty(2 * needed * 5 // 4 + 2, dtype=np.int64))


def zeros(size: int) -> NDArray[np.int64]:
    """int64[size], zero."""
    return np.zeros(size, dtype=np.int64)


def _larger(array: NDArray[np.int64], used: int, size: int) -> NDArray[np.int64]:
    larger = np.empty(size, dtype=np.int64)
    larger[:used] = array[:used]
    return larger
