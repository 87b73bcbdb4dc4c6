"""A text under edit and its tokens, in blocks: an edit costs as much as one block, at any offset in the text.

A block is some thousand UTF-16 units and their tokens, in arrays with a little spare space. Offsets within a block
count from its start, so an edit shifts only the rest of its own block, and the starts of the blocks after it. Blocks
begin and end at token boundaries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

import numpy as np

from engine.kernels import block_layout as layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

LAST_OF_PRETOKEN = 1 << 30
"""Flag bit of an id in a block: the token is the last of its pretoken. Only some readers set it."""
ID_BITS = LAST_OF_PRETOKEN - 1

BLOCK_UNITS = 16_384
"""Approximate number of units in a block."""
_MAX_UNITS = 3 * BLOCK_UNITS
"""Maximum number of units in a block, before it is divided: well above the size of two joined neighbours."""
_MIN_SPARE = 64


class UnitsText(Protocol):
    """A text that can be read by UTF-16 offsets."""

    def __len__(self) -> int: ...

    def read_units(self, start: int, stop: int) -> NDArray[np.uint16]:
        """Return uint16[n]: the units between two offsets."""
        ...


class EditedUnits:
    """A text with an edit that is not applied yet: ``units`` replace those from ``start`` to ``old_end``."""

    def __init__(self, before: UnitsText, start: int, old_end: int, units: NDArray[np.uint16]) -> None:
        self._before = before
        self._units = units
        self.start = start
        self.old_end = old_end
        self.new_end = start + len(units)

    def __len__(self) -> int:
        return len(self._before) + self.growth

    @property
    def growth(self) -> int:
        """Number of units that the edit adds; negative if it removes more."""
        return self.new_end - self.old_end

    def read_units(self, start: int, stop: int) -> NDArray[np.uint16]:
        """Return uint16[n]: the units between two offsets."""
        inside = slice(max(start - self.start, 0), max(stop - self.start, 0))
        parts = [self._units[inside]]
        if start < self.start:
            parts.insert(0, self._before.read_units(start, min(stop, self.start)))
        if stop > self.new_end:
            parts.append(self._before.read_units(max(start, self.new_end) - self.growth, stop - self.growth))
        return np.concatenate(parts)


class TokenBlock:
    """A span of text and its tokens, in one buffer that kernels can work on (``engine.kernels.block_layout``).

    ``buffer``: uint8[n]. ``header``: int64[8], a view of it.
    """

    __slots__ = ("_all_ends", "_all_ids", "_all_units", "buffer", "header")

    def __init__(
        self,
        units: NDArray[np.uint16],
        ids: NDArray[np.int32],
        ends: NDArray[np.int32],
        least_units: int = 0,
        least_tokens: int = 0,
    ) -> None:
        """``units``: uint16[n]; ``ids``, ``ends``: int32[m]; ends count from the start of the block. ``least_units``,
        ``least_tokens``: minimum capacity; some is added."""
        unit_capacity = _with_spare(max(len(units), least_units))
        token_capacity = _with_spare(max(len(ids), least_tokens))
        ids_at = layout.UNITS_AT + 2 * unit_capacity
        ends_at = ids_at + 4 * token_capacity
        self.buffer = np.empty(ends_at + 4 * token_capacity, dtype=np.uint8)
        self.header = self.buffer[: layout.UNITS_AT].view(np.int64)
        self.header[:] = (len(units), len(ids), unit_capacity, token_capacity, ids_at, ends_at, 0, 0)
        self._all_units = self.buffer[layout.UNITS_AT : ids_at].view(np.uint16)
        self._all_ids = self.buffer[ids_at:ends_at].view(np.int32)
        self._all_ends = self.buffer[ends_at:].view(np.int32)
        self._all_units[: len(units)] = units
        self._all_ids[: len(ids)] = ids
        self._all_ends[: len(ids)] = ends

    @property
    def units(self) -> NDArray[np.uint16]:
        """uint16[n], a view."""
        return self._all_units[: self.header[0]]

    @property
    def ids(self) -> NDArray[np.int32]:
        """int32[m], a view."""
        return self._all_ids[: self.header[1]]

    @property
    def ends(self) -> NDArray[np.int32]:
        """int32[m], a view: the end of each token, in units from the start of the block. A token that only continues a
        character ends where the character does."""
        return self._all_ends[: self.header[1]]

    def tokens_up_to(self, position: int) -> int:
        """Return the number of tokens that end at ``position`` or before. 0 at the start of the block, where only signs
        prepended to a text end (``engine.text.sentencepiece``), which belong to the text after them."""
        if position == 0:
            return 0
        # A Python int as the key would make numpy convert the whole array to int64.
        return int(self.ends.searchsorted(np.int32(position), "right"))


class TokenBlocks:
    """The blocks of a text, in order. All offsets are UTF-16 units of the text."""

    def __init__(self, blocks: Iterable[TokenBlock] = ()) -> None:
        self._blocks: list[TokenBlock] = []
        self._starts = np.zeros(1, dtype=np.int64)  # of each block, then the length of the text
        self._freed = 0  # number of freed blocks at the start
        self.token_count = 0
        self._put(0, 0, list(blocks))

    def __len__(self) -> int:
        """Return the length of the text in UTF-16 units."""
        return int(self._starts[-1])

    # Reading

    def read_units(self, start: int, stop: int) -> NDArray[np.uint16]:
        """Return uint16[n]: a copy of the text between two offsets."""
        spans = [block.units[low:high] for block, low, high in self._block_spans(start, stop)]
        return np.concatenate([np.empty(0, dtype=np.uint16), *spans])

    def all_units(self) -> Iterator[NDArray[np.uint16]]:
        """Yield the whole text, block by block, as views."""
        return (block.units for block in self._blocks)

    def tokens_in(self, start: int, end: int) -> int:
        """Return the number of tokens that end after ``start`` and at ``end`` or before."""
        return sum(
            block.tokens_up_to(high) - block.tokens_up_to(low) for block, low, high in self._block_spans(start, end)
        )

    def borders_between(self, start: int, end: int) -> NDArray[np.int64]:
        """Return int64[n]: the ends of pretokens after ``start`` and at ``end`` or before, as the tokens are
        flagged."""
        ids, ends = self.tokens_between(start, end)
        borders: NDArray[np.int64] = ends[ids & LAST_OF_PRETOKEN != 0].astype(np.int64)
        return borders

    def last_border(self, position: int) -> int:
        """Return the last end of a pretoken at ``position`` or before; 0 if there is none."""
        number = self.block_at(position) if self._blocks else -1
        while number >= 0:
            block, origin = self.block(number)
            borders = block.ends[: block.tokens_up_to(position - origin)]
            borders = borders[block.ids[: len(borders)] & LAST_OF_PRETOKEN != 0]
            if len(borders):
                return origin + int(borders[-1])
            number -= 1
        return 0

    def tokens_between(self, start: int, end: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return copies of the ids and ends of the tokens that end after ``start`` and at ``end`` or before."""
        count = self.tokens_in(start, end)
        ids, ends = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
        done = 0
        for block, low, high in self._block_spans(start, end):
            first, last = block.tokens_up_to(low), block.tokens_up_to(high)
            copied = slice(done, done + last - first)
            ids[copied] = block.ids[first:last]
            np.add(block.ends[first:last], np.int32(start - low), out=ends[copied])
            done, start = copied.stop, start + high - low
        return ids, ends

    def _block_spans(self, start: int, stop: int) -> Iterator[tuple[TokenBlock, int, int]]:
        """Yield the blocks between two offsets, and the offsets within each block."""
        number = self.block_at(start)
        while start < stop:
            origin, end = self._starts[number : number + 2].tolist()
            yield self._blocks[number], start - origin, min(stop, end) - origin
            start, number = end, number + 1

    # Blocks

    def block_at(self, position: int) -> int:
        """Return the number of the block with the unit at an offset; at the end of the text, the last block."""
        number = int(self._starts.searchsorted(position, "right")) - 1
        return max(0, min(number, len(self._blocks) - 1))

    def block(self, number: int) -> tuple[TokenBlock, int]:
        """Return a block, and its start in the text."""
        return self._blocks[number], int(self._starts[number])

    def is_last(self, number: int) -> bool:
        """Return True if a block is the last."""
        return number + 1 == len(self._blocks)

    def note_edit(self, number: int, more_units: int, more_tokens: int) -> None:
        """Update the index after a block was changed in place; a block that has become too long is divided."""
        self._starts[number + 1 :] += more_units
        self.token_count += more_tokens
        length = int(self._starts[number + 1] - self._starts[number])
        if length == 0 or length > _MAX_UNITS:
            block = self._blocks[number]
            self._put(number, number + 1, blocks_of(block.units, block.ids, block.ends))

    def grow(self, number: int, units: int, tokens: int) -> TokenBlock:
        """Move a block into a buffer with a capacity of at least ``units`` and ``tokens`` in total."""
        block = self._blocks[number]
        block = self._blocks[number] = TokenBlock(block.units, block.ids, block.ends, units, tokens)
        return block

    def join_neighbours(self, number: int) -> int:
        """Join a block and its neighbours into one. Returns its number."""
        first, behind = max(0, number - 1), min(number + 2, len(self._blocks))
        start, end = self._starts[[first, behind]].tolist()
        ids, ends = self.tokens_between(start, end)
        self._put(first, behind, [TokenBlock(self.read_units(start, end), ids, ends - np.int32(start))])
        return first

    def forget_before(self, position: int) -> None:
        """Free the blocks that end at ``position`` or before. They must not be accessed again."""
        for number in range(self._freed, int(self._starts.searchsorted(position, "right")) - 1):
            self._blocks[number] = _NOTHING
            self._freed = number + 1

    # Changing

    def splice(
        self, start: int, old_end: int, units: NDArray[np.uint16], ids: NDArray[np.int32], ends: NDArray[np.int32]
    ) -> None:
        """Replace the text between two token boundaries, and its tokens. ``ends`` count from ``start``."""
        if not self._blocks:
            self._put(0, 0, blocks_of(units, ids, ends))
            return
        first, last = self.block_at(start), self.block_at(max(start, old_end - 1))
        left, origin = self.block(first)
        right, right_origin = self.block(last)
        low, high = start - origin, old_end - right_origin
        n_kept, n_dropped = left.tokens_up_to(low), right.tokens_up_to(high)
        joined = blocks_of(
            np.concatenate([left.units[:low], units, right.units[high:]]),
            np.concatenate([left.ids[:n_kept], ids, right.ids[n_dropped:]]),
            np.concatenate(
                [left.ends[:n_kept], ends + np.int32(low), right.ends[n_dropped:] + np.int32(low + len(units) - high)]
            ),
        )
        self._put(first, last + 1, joined)

    def _put(self, first: int, behind: int, blocks: list[TokenBlock]) -> None:
        """Replace blocks by other blocks."""
        self.token_count += sum(len(block.ids) for block in blocks)
        self.token_count -= sum(len(block.ids) for block in self._blocks[first:behind])
        start = self._starts[first]
        new_ends = start + np.cumsum([len(block.units) for block in blocks], dtype=np.int64)
        growth = (new_ends[-1] if blocks else start) - self._starts[behind]
        self._starts = np.concatenate([self._starts[: first + 1], new_ends, self._starts[behind + 1 :] + growth])
        self._blocks[first:behind] = blocks


def blocks_of(units: NDArray[np.uint16], ids: NDArray[np.int32], ends: NDArray[np.int32]) -> list[TokenBlock]:
    """Divide a span of text and its tokens into blocks: none if it is empty. ``ends`` count from its start."""
    blocks = []
    start = first = 0
    while len(units) - start > _MAX_UNITS and first < len(ends):
        behind = int(ends.searchsorted(np.int32(start), "right")) + 1
        last = max(int(ends.searchsorted(np.int32(start + BLOCK_UNITS), "right")), behind)
        end = int(ends[last - 1])
        last = int(ends.searchsorted(np.int32(end), "right"))
        blocks.append(TokenBlock(units[start:end], ids[first:last], ends[first:last] - np.int32(start)))
        start, first = end, last
    if start < len(units):
        blocks.append(TokenBlock(units[start:], ids[first:], ends[first:] - np.int32(start)))
    return blocks


def retokenized(blocks: TokenBlocks, tokens: list[tuple[int, NDArray[np.int32], NDArray[np.int32]]]) -> TokenBlocks:
    """Return the text of ``blocks`` with other tokens: the length, ids and ends of consecutive pieces, as in
    ``blocks_of``. Both arguments are unusable afterwards: each part of them is freed once it is copied, so that a text
    and its tokens are never in memory twice."""
    start = 0
    made: list[TokenBlock] = []
    tokens.reverse()
    while tokens:
        length, ids, ends = tokens.pop()
        made += blocks_of(blocks.read_units(start, start + length), ids, ends)
        start += length
        blocks.forget_before(start)
    return TokenBlocks(made)


def _with_spare(length: int) -> int:
    """Return the number of elements to allocate, a multiple of eight."""
    return (length + max(_MIN_SPARE, length // 16) + 7) & -8


_NOTHING = TokenBlock(np.empty(0, np.uint16), np.empty(0, np.int32), np.empty(0, np.int32))
