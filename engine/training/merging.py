"""Merging, the second half of training: counted pretokens become merges, and merges an encoding.

``CorpusMerging`` merges a corpus, a time slice at a time, and builds the encoding. ``Merger`` wraps the kernels in
Python: memory, phases, state. All state is in arrays, so a run can stop after any merge. A checkpoint is the slots and
the merges.

``MergeList`` presents the arrays of merges as a list. Passing on 100,000 merges costs nothing, because each is built
when it is first read. Lists of objects made the window and the trainer wait for each other.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from engine.encoding.encoding import Encoding
from engine.kernels import train_merge
from engine.kernels.train_merge import (
    BUCKETS,
    compact,
    count_pairs,
    drop_long_pairs,
    list_positions,
    merge_pairs,
    move_pairs,
    pairs_above,
    rewind_lists,
    start_lists,
)
from engine.text.sentencepiece import SIGN
from engine.training.counting import Counting
from engine.training.settings import TrainingPlan, most_merges
from engine.training.trained_encoding import (
    Alphabet,
    WrittenCorpus,
    build_encoding,
    byte_alphabet,
    character_alphabet,
    spell_tokens,
    write_in_bytes,
    write_in_characters,
)
from engine.training.types import Arrays, Facts, Merge, TrainingCurve


class MergeList(Sequence[Merge]):
    """Consecutive merges. Equal to any sequence of the same merges. Safe to keep on any thread."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, table: NDArray[np.int64], blob: bytes, ends: NDArray[np.int64], first_index: int, first_id: int
    ) -> None:
        """table: int64[n, 4], for each merge the left id, the right id, the count of the pair, the tokens left. blob:
        the concatenated bytes of the tokens. ends: int64[n + 1], offsets of each token's start in ``blob``, and of the
        last end. first_index, first_id: number of the first merge, and the id that it makes."""
        self._table = table
        self._blob = blob
        self._ends = ends
        self._first_index = first_index
        self._first_id = first_id

    def __len__(self) -> int:
        return len(self._table)

    @overload
    def __getitem__(self, position: int) -> Merge: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[Merge]: ...
    def __getitem__(self, position: int | slice) -> Merge | Sequence[Merge]:
        if isinstance(position, slice):
            start, stop, step = position.indices(len(self))
            if step != 1:
                return [self[one] for one in range(start, stop, step)]
            stop = max(start, stop)
            ends = self._ends[start : stop + 1]
            return MergeList(
                self._table[start:stop], self._blob, ends, self._first_index + start, self._first_id + start
            )
        if not -len(self) <= position < len(self):
            raise IndexError(f"merge {position} is out of range: there are {len(self)}")
        position %= len(self)
        left, right, count, tokens_left = self._table[position].tolist()
        start, end = self._ends[position : position + 2].tolist()
        index, token_id = self._first_index + position, self._first_id + position
        return Merge(index, left, right, token_id, self._blob[start:end], count, tokens_left)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == another for one, another in zip(self, other, strict=True))

    def __repr__(self) -> str:
        return f"<{len(self)} merges from {self._first_index} on>"


# --- merging ----------------------------------------------------------------------------------------------------------

NO_LIMIT = (1 << 31) - 1

FIRST_DIVISOR = 3
"""The first threshold is the number of slots, divided by this and by the number of merges to do."""
FALL = 1.75
"""Assumed power by which the counts of later merges fall with their number. Measured on English, Python and
multilingual texts it is 1.35 to 1.6. A threshold that is too low costs less than another phase."""

# Initial sizes of arrays, which grow on demand.
FIRST_PAIR_BITS = 15
FIRST_RECORDS = 1 << 15
SPARE_POSITIONS = 1 << 18


class Merger:
    """Merges the pairs of a text in slots. Use it on one thread at a time."""

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
        """slots: see ``train_merge``; owned by the merger from now on. symbols: those of the alphabet, by id. tokens:
        their number in the corpus. merges: int64[m, 4], already applied to the slots, if any; every token then has one
        slot."""
        earlier = np.empty((0, train_merge.MERGE_FIELDS), dtype=np.int64) if merges is None else merges
        most_merges = min(most_merges, len(earlier) + len(slots))  # each merge removes at least one slot
        most_ids = len(symbols) + most_merges
        state = np.zeros(train_merge.STATE_SIZE, dtype=np.int64)
        state[train_merge.FIRST_ID] = len(symbols)
        state[train_merge.MERGED] = len(earlier)
        state[train_merge.TOKENS] = tokens
        state[train_merge.LONGEST] = NO_LIMIT if max_token_bytes is None else max_token_bytes
        empty = np.empty(0, dtype=np.int64)
        self._work = train_merge.Merging(
            slots=slots,
            widths=np.ones(most_ids, dtype=np.uint32),
            byte_lengths=np.ones(most_ids, dtype=np.uint32),
            pairs=empty,
            lists=empty,
            positions=empty,
            heap=empty,
            waiting=empty,
            buckets=np.zeros(BUCKETS, dtype=np.int64),
            sums=np.zeros(4 * most_ids, dtype=np.int64),
            neighbours=np.empty(2 * most_ids, dtype=np.int64),
            records=np.empty(2 * FIRST_RECORDS, dtype=np.int64),
            merges=np.empty(train_merge.MERGE_FIELDS * most_merges, dtype=np.int64),
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
        """Number of merges done."""
        return int(self._work.state[train_merge.MERGED])

    @property
    def tokens(self) -> int:
        """Current number of tokens of the corpus."""
        return int(self._work.state[train_merge.TOKENS])

    @property
    def merges(self) -> NDArray[np.int64]:
        """int64[n, 4], a view: left id, right id, count of the pair, tokens of the corpus afterwards."""
        return self._work.merges.reshape(-1, train_merge.MERGE_FIELDS)[: self.merged]

    def advance(self, budget: int) -> None:
        """Merge until about ``budget`` positions were visited, or all merges are done."""
        if self.is_done:
            return
        state = self._work.state
        if state[train_merge.THRESHOLD] == 0:
            self._start_phase()
        status = merge_pairs(self._work, self._most_merges - self.merged, budget)
        if status == train_merge.BELOW_THRESHOLD:
            if state[train_merge.THRESHOLD] <= self._min_count:
                self.is_done = True
            else:
                self._start_phase()
        elif status != train_merge.PAUSED:
            self._make_room(status)
        if self.merged == self._most_merges:
            self.is_done = True

    def packed_slots(self) -> NDArray[np.uint32]:
        """Return uint32[n]: the slots, one per token. With ``merges`` and ``tokens``, all that is needed to resume."""
        slots = self._work.slots.copy()
        return slots[: compact(slots, self._work.widths)]

    def _start_phase(self) -> None:
        """Count all pairs, choose a threshold, and list the positions of the pairs above it."""
        state, threshold = self._work.state, int(self._work.state[train_merge.THRESHOLD])
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
        state[train_merge.THRESHOLD] = threshold
        number, positions = pairs_above(self._work, threshold)
        self._resize_pairs(max(FIRST_PAIR_BITS, number.bit_length() + 2), threshold)
        self._work = self._work._replace(
            positions=np.empty(positions + positions // 2 + SPARE_POSITIONS, dtype=np.int64)
        )
        self._new_queue()
        start_lists(self._work, highest)
        list_positions(self._work, 0, len(self._work.slots) - 1)
        rewind_lists(self._work)

    def _let_go(self) -> None:
        """Free the arrays of the phase before."""
        empty = np.empty(0, dtype=np.int64)
        self._work = self._work._replace(pairs=empty, lists=empty, positions=empty, heap=empty, waiting=empty)

    def _pack(self) -> None:
        used = compact(self._work.slots, self._work.widths)
        self._work = self._work._replace(slots=self._work.slots[:used])
        self._work.widths[:] = 1

    def _count_pairs(self) -> None:
        last = len(self._work.slots) - 1
        # There are few unique pairs of symbols, but many of tokens.
        self._new_pairs(max(FIRST_PAIR_BITS, (last // 4).bit_length()) if self.merged else FIRST_PAIR_BITS)
        at = count_pairs(self._work, 0, last)
        while at < last:
            self._resize_pairs(64 - int(self._work.state[train_merge.PAIR_SHIFT]) + 1, 0)
            at = count_pairs(self._work, at, last)

    def _new_pairs(self, bits: int) -> None:
        self._work.state[train_merge.PAIR_SHIFT] = 64 - bits
        self._work.state[train_merge.PAIRS_USED] = 0
        self._work = self._work._replace(
            pairs=np.zeros(2 << bits, dtype=np.int64), lists=np.zeros(2 << bits, dtype=np.int64)
        )

    def _resize_pairs(self, bits: int, least: int) -> None:
        """Rebuild the table of pairs at another size, keeping the pairs with a count of at least ``least``."""
        pairs, lists = self._work.pairs, self._work.lists
        self._new_pairs(bits)
        work = self._work
        work.state[train_merge.PAIRS_USED] = move_pairs(pairs, lists, work.pairs, work.lists, 64 - bits, least)

    def _new_queue(self) -> None:
        self._work.buckets[:] = 0
        self._work.state[[train_merge.HEAP_SIZE, train_merge.WAITING_USED, train_merge.WAITING_FREE]] = 0
        self._widen_queue()

    def _widen_queue(self) -> None:
        """Make room in the queue for all pairs that fit in the table."""
        work, size = self._work, len(self._work.pairs) // 2
        heap, waiting = 2 * int(work.state[train_merge.HEAP_SIZE]), 2 * int(work.state[train_merge.WAITING_USED])
        self._work = work._replace(heap=_larger(work.heap, heap, size), waiting=_larger(work.waiting, waiting, size))

    def _make_room(self, status: int) -> None:
        work = self._work
        needed = int(work.state[train_merge.NEEDED])
        if status == train_merge.NO_ROOM_POSITIONS:
            used = int(work.state[train_merge.POSITIONS_USED])
            self._work = work._replace(positions=_larger(work.positions, used, max(used * 3 // 2, used + 2 * needed)))
        elif status == train_merge.NO_ROOM_PAIRS:
            self._resize_pairs(64 - int(work.state[train_merge.PAIR_SHIFT]) + 1, 0)
            self._widen_queue()
        else:
            self._work = work._replace(records=np.empty(2 * needed * 5 // 4 + 2, dtype=np.int64))


def _larger(array: NDArray[np.int64], used: int, size: int) -> NDArray[np.int64]:
    larger = np.empty(size, dtype=np.int64)
    larger[:used] = array[:used]
    return larger


# --- a whole corpus ---------------------------------------------------------------------------------------------------

_BUDGET = 100_000
"""Positions visited between two checks of the clock, about a millisecond."""

_CURVE_POINTS = 2048


class CorpusMerging:
    """Merges the pretokens of a corpus, a time slice at a time, and returns what was learned."""

    def __init__(self, plan: TrainingPlan, corpus: WrittenCorpus, merges: NDArray[np.int64] | None = None) -> None:
        """merges: already applied to the corpus, as from ``pack``. Raises TrainingError."""
        self._plan = plan
        self._alphabet = corpus.alphabet
        self._text_bytes = corpus.text_bytes
        self.merges_wanted = most_merges(plan.settings, len(corpus.alphabet))
        self._merger = Merger(
            corpus.slots,
            corpus.alphabet.inner_symbols(),
            self.merges_wanted,
            corpus.symbols,
            min_count=plan.settings.min_count,
            max_token_bytes=plan.settings.max_token_bytes,
            merges=merges,
        )

    @classmethod
    def of(cls, counting: Counting, plan: TrainingPlan) -> CorpusMerging:
        """Return a counted corpus, ready for merging. Raises TrainingError."""
        table = counting.gathered().table
        if plan.writes_characters:
            corpus = write_in_characters(table, SIGN if plan.byte_fallback else "")
        else:
            corpus = write_in_bytes(table, plan.settings.tie_order)
        return cls(plan, replace(corpus, text_bytes=corpus.text_bytes - counting.sign_bytes))

    def advance(self, deadline: float) -> bool:
        """Merge until ``time.perf_counter()`` reaches ``deadline``. Return True if all merges are done."""
        while not self._merger.is_done:
            self._merger.advance(_BUDGET)
            if time.perf_counter() >= deadline:
                break
        return self._merger.is_done

    # State

    @property
    def merged(self) -> int:
        """Number of merges done."""
        return self._merger.merged

    @property
    def tokens(self) -> int:
        """Current number of tokens of the corpus."""
        return self._merger.tokens

    @property
    def bytes_per_token(self) -> float:
        """Compression of the corpus."""
        return self._text_bytes / self.tokens if self.tokens else 0.0

    @property
    def vocab_size(self) -> int:
        """Entries of the vocabulary, including special tokens."""
        return len(self._alphabet) + self.merged + len(self._plan.settings.special_tokens)

    @property
    def why_done(self) -> str:
        """Reason why merging ended before the vocabulary was full, or ""."""
        if not self._merger.is_done or self.vocab_size == self._plan.settings.vocab_size:
            return ""
        times = self._plan.settings.min_count
        return f"No remaining pair occurs {'more than once' if times == 2 else f'{times:,} times or more'}."

    @property
    def last_merge(self) -> Merge | None:
        """The latest merge, or None."""
        if not self.merged:
            return None
        index = self.merged - 1
        left, right, count, tokens = self.merge_table(index)[0].tolist()
        content = self._content(left) + self._content(right)
        return Merge(index, left, right, len(self._alphabet) + index, content, count, tokens)

    def _content(self, token_id: int) -> bytes:
        """Return the bytes of a token."""
        first_id, merges = len(self._alphabet), self._merger.merges
        parts, waiting = [], [token_id]
        while waiting:
            token_id = waiting.pop()
            if token_id < first_id:
                parts.append(self._alphabet.symbols[token_id])
            else:
                waiting += self._alphabet.outer(merges[token_id - first_id, :2])[::-1].tolist()
        return b"".join(parts)

    def merge_table(self, since: int = 0) -> NDArray[np.int64]:
        """Return int64[n, 4], read-only: for each merge from number ``since`` the left id, the right id, the count of
        the pair, and the tokens of the corpus afterwards."""
        table = self._merger.merges[since:].copy()
        table[:, :2] = self._alphabet.outer(table[:, :2])
        table.flags.writeable = False
        return table

    def merges(self, since: int = 0) -> MergeList:
        """Return the merges from number ``since``."""
        table = self.merge_table()
        since = min(since, len(table))
        blob, offsets = spell_tokens(self._alphabet, table)
        first_id = len(self._alphabet)
        ends = offsets[first_id + since :]
        return MergeList(table[since:].copy(), blob[int(ends[0]) :], ends - ends[0], since, first_id + since)

    def curve(self) -> TrainingCurve:
        """Return compression against vocabulary size so far."""
        merges = self._merger.merges
        points = np.linspace(0, max(len(merges) - 1, 0), min(len(merges), _CURVE_POINTS))
        chosen = np.unique(points.astype(np.int64))
        sizes = chosen + (len(self._alphabet) + 1 + len(self._plan.settings.special_tokens))
        values = self._text_bytes / np.maximum(merges[chosen, 3], 1)
        sizes.flags.writeable = values.flags.writeable = False
        return TrainingCurve(sizes, values)

    def encoding(self, name: str) -> Encoding:
        """Return the encoding learned so far."""
        return build_encoding(name, self._plan, self._alphabet, self.merge_table())

    # Checkpoints

    def pack(self) -> tuple[Facts, Arrays]:
        """Return all that is needed to resume."""
        characters = "".join(symbol.decode() for symbol in self._alphabet.characters)
        facts = {
            "text_bytes": self._text_bytes,
            "tokens": self.tokens,
            "characters": characters,
            "merging_is_done": self._merger.is_done,
        }
        return facts, {"slots": self._merger.packed_slots(), "merges": self._merger.merges}

    @classmethod
    def unpack(cls, plan: TrainingPlan, facts: dict[str, Any], arrays: Arrays) -> CorpusMerging:
        """Return the state from ``pack``. Raises KeyError, ValueError, TypeError or IndexError if it is damaged."""
        alphabet: Alphabet = byte_alphabet(plan.settings.tie_order)
        if plan.writes_characters:
            alphabet = character_alphabet(np.array([ord(one) for one in facts["characters"]], dtype=np.int64))
        corpus = WrittenCorpus(alphabet, arrays["slots"], int(facts["tokens"]), int(facts["text_bytes"]))
        merging = cls(plan, corpus, arrays["merges"])
        merging._merger.is_done |= bool(facts["merging_is_done"])
        return merging
