"""Rows of a text on a screen: where they begin, and their text as it is drawn. No widgets.

What a layout would break a line at, or draw nothing for, is replaced by a sign of one unit, so that places stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SIGNS = {code: 0x2400 + code for code in range(0x20) if code != 0x09} | {
    0x7F: 0x2421,
    **dict.fromkeys((0x85, 0x2028, 0x2029), 0x23CE),
}


class AlignedRows:
    """``units``: uint16[n], the text. ``starts``: int32[rows], where each row begins."""

    def __init__(self, units: NDArray[np.uint16], starts: NDArray[np.int32]) -> None:
        self._units, self._starts = units, starts

    def __len__(self) -> int:
        return len(self._starts)

    def bounds(self, row: int) -> tuple[int, int]:
        """UTF-16 offsets of a row; with its newline, if it ends with one."""
        start = int(self._starts[row])
        return start, int(self._starts[row + 1]) if row + 1 < len(self._starts) else len(self._units)

    def ends_line(self, row: int) -> bool:
        """Whether a row ends with a newline."""
        start, end = self.bounds(row)
        return end > start and int(self._units[end - 1]) == 0x0A

    def shown(self, row: int) -> str:
        """What is drawn for a row; its newline is not."""
        start, end = self.bounds(row)
        return self.text(start, end - self.ends_line(row)).translate(_SIGNS)

    def text(self, utf16_start: int, utf16_end: int) -> str:
        """The text between two places."""
        return self._units[utf16_start:utf16_end].tobytes().decode("utf-16-le", "replace")

    def row_at(self, utf16_offset: int) -> int:
        """The row that holds a place."""
        return max(0, int(self._starts.searchsorted(utf16_offset, "right")) - 1)
