"""Changes of a text, gathered into few pieces that the editor takes one at a time. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gui.editor.offsets import char_to_utf16

MOST_BETWEEN = 4096
LARGEST_PIECE = 32_768
"""In characters. Pieces of this size are put into a text of any length within a few milliseconds each."""


@dataclass(frozen=True, slots=True)
class Piece:
    """``text`` stands for what was between two UTF-16 offsets."""

    utf16_start: int
    utf16_end: int
    text: str


def gathered(
    text: str, changes: Iterable[tuple[int, int, str]], stand_back: Callable[[], None] | None = None
) -> tuple[Piece, ...]:
    """Changes of ``text`` (start and end in characters, and what stands there instead), in order and apart from each
    other, as pieces: of many changes near each other few pieces, of few changes small ones. ``stand_back`` is called
    between parts of the text: a place where a job can rest."""
    groups: list[tuple[int, int, str]] = []
    start = end = 0
    parts: list[str] = []
    for change_start, change_end, replacement in changes:
        if parts and change_start - end <= MOST_BETWEEN and change_end - start <= LARGEST_PIECE:
            parts += (text[end:change_start], replacement)
        else:
            if parts:
                groups.append((start, end, "".join(parts)))
            start, parts = change_start, [replacement]
        end = change_end
    if parts:
        groups.append((start, end, "".join(parts)))
    return _pieces(text, groups, stand_back)


def between(before: str, after: str) -> tuple[Piece, ...]:
    """What makes ``before`` to ``after``: all from the first difference to the last, cut into pieces; none where they
    are equal."""
    start = common_prefix(before, after)
    rest = min(len(before), len(after)) - start
    end = common_prefix(before[: -rest - 1 : -1], after[: -rest - 1 : -1]) if rest else 0
    old_end, new_end = len(before) - end, len(after) - end
    if start == old_end and start == new_end:
        return ()
    count = max(1, -(-max(old_end - start, new_end - start) // LARGEST_PIECE))
    old = [start + (old_end - start) * number // count for number in range(count + 1)]
    new = [start + (new_end - start) * number // count for number in range(count + 1)]
    return _pieces(
        before, [(old[number], old[number + 1], after[new[number] : new[number + 1]]) for number in range(count)]
    )


def _pieces(
    text: str, groups: list[tuple[int, int, str]], stand_back: Callable[[], None] | None = None
) -> tuple[Piece, ...]:
    import numpy as np

    places = np.array([group[:2] for group in groups], dtype=np.int32).reshape(-1, 2)
    utf16 = char_to_utf16(places.ravel(), text, stand_back).reshape(-1, 2).tolist()
    return tuple(Piece(start, end, group[2]) for (start, end), group in zip(utf16, groups, strict=True))


def common_prefix(one: str, other: str) -> int:
    """Return how many characters both texts begin with. By bisection: slices are compared at the speed of memory."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
