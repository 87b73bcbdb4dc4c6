"""The tokens of a text in a row: ids and where each ends, spliced in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.gap_array import EndsArray, GapArray

if TYPE_CHECKING:
    from numpy.typing import NDArray


class TokenLine:
    """Token ids and their ends in UTF-16 units. A token that only continues a character ends where that ends."""

    def __init__(self, ids: NDArray[np.int32], utf16_ends: NDArray[np.int32], total: int) -> None:
        """``ids`` and ``utf16_ends``: int32[n], of a text of ``total`` units."""
        self._ids = GapArray(ids, np.int32)
        self._ends = EndsArray(utf16_ends, total)

    def __len__(self) -> int:
        return len(self._ids)

    def splice(
        self, start: int, old_end: int, ids: NDArray[np.int32], utf16_ends: NDArray[np.int32], total: int
    ) -> None:
        """Replace the tokens between two token boundaries of the text before. ``utf16_ends`` and ``total`` are of the
        text after; the tokens behind keep their distance from its end."""
        first = self._ends.count_up_to(start)
        last = self._ends.count_up_to(old_end)
        self._ids.replace(first, last, ids)
        self._ends.replace_in_text(first, last, utf16_ends, total)

    def between(self, start: int, end: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Copies of the ids and ends between two token boundaries."""
        first = self._ends.count_up_to(start)
        last = self._ends.count_up_to(end)
        return self._ids.read(first, last), self._ends.read(first, last)
