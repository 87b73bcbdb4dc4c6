"""The merges of a training run as a list over arrays: handing on a hundred thousand of them costs nothing, and each is
made when somebody looks at it. Lists of objects made window and trainer wait for each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from engine.training.types import Merge


class MergeList(Sequence[Merge]):
    """Merges one after the other. Equal to any sequence of the same merges. Any thread may keep it."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, table: NDArray[np.int64], blob: bytes, ends: NDArray[np.int64], first_index: int, first_id: int
    ) -> None:
        """table: int64[n, 4], of each merge the left id, the right id, how often the pair occurred, the tokens left.
        blob: the bytes of the tokens one after the other; ends: int64[n + 1], where each begins there and the last
        ends. first_index, first_id: number of the first merge, and the id that it makes."""
        self._table = table
        self._blob = blob
        self._ends = ends
        self._first_index = first_index
        self._first_id = first_id

    def __len__(self) -> int:
        return len(self._table)

    @overload
    def __getitem__(self, place: int) -> Merge: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Merge]: ...
    def __getitem__(self, place: int | slice) -> Merge | Sequence[Merge]:
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            if step != 1:
                return [self[one] for one in range(start, stop, step)]
            stop = max(start, stop)
            ends = self._ends[start : stop + 1]
            return MergeList(
                self._table[start:stop], self._blob, ends, self._first_index + start, self._first_id + start
            )
        if not -len(self) <= place < len(self):
            raise IndexError(f"there is no merge {place} among {len(self)}")
        place %= len(self)
        left, right, count, tokens_left = self._table[place].tolist()
        start, end = self._ends[place : place + 2].tolist()
        index, token_id = self._first_index + place, self._first_id + place
        return Merge(index, left, right, token_id, self._blob[start:end], count, tokens_left)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == another for one, another in zip(self, other, strict=True))

    def __repr__(self) -> str:
        return f"<{len(self)} merges from {self._first_index} on>"
