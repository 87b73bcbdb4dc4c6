"""Edits, proposals and rankings of the search for savings, and its time limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import numpy as np

from engine.runtime.cancellation import ENTRIES, interruptible

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SectionKind = Literal["heading", "paragraph", "fence", "json", "role"]


class Edit(NamedTuple):
    """A replacement of the text between two character offsets by ``replacement``; never an insertion."""

    char_start: int
    char_end: int
    replacement: str


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The consecutive parts of a text and their tokens. The parts cover the whole text.

    ``byte_starts``, ``byte_ends``, ``tokens``: read-only int64[n]. A token that crosses a boundary belongs to the part
    in which it starts, so the tokens of the parts add up to ``total``. ``between``: read-only bool[n], True for text
    between the requested sections; always False for lines.
    """

    byte_starts: NDArray[np.int64]
    byte_ends: NDArray[np.int64]
    tokens: NDArray[np.int64]
    between: NDArray[np.bool_]
    total: int

    def share(self, number: int) -> float:
        """Return the share of part ``number`` in all tokens, 0 to 1; 0 for an empty text."""
        return int(self.tokens[number]) / self.total if self.total else 0.0

    def largest(self, most: int) -> list[int]:
        """Return the numbers of at most ``most`` parts with the most tokens; ties in text order."""
        import numpy as np

        return np.argsort(-self.tokens, kind="stable")[:most].tolist()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of proposal. ``lossless``: True if the edits preserve the meaning for every reader."""

    name: str
    lossless: bool


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of edits, in tokens of one prompt.

    ``edits``: sorted, not overlapping, of the analysed text. The effect is that of all of them together.
    """

    edits: tuple[Edit, ...]
    tokens_before: int
    tokens_after: int

    @property
    def tokens_saved(self) -> int:
        """Tokens saved per prompt; negative if the edits add tokens."""
        return self.tokens_before - self.tokens_after


@dataclass(frozen=True, slots=True)
class Proposal:
    """Edits of one kind that save at least one token."""

    kind: Kind
    effect: Effect


@dataclass(frozen=True, slots=True)
class Advice:
    """Proposals, sorted by tokens saved, largest first. ``unfinished``: kinds whose search ran out of time."""

    tokens: int
    proposals: tuple[Proposal, ...]
    unfinished: tuple[Kind, ...]


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits, which are sorted and do not overlap."""
    stretches: list[str] = []
    parts: list[str] = []
    place = 0
    for start, end, replacement in interruptible(edits):
        parts += (text[place:start], replacement)
        place = end
        if len(parts) > ENTRIES:
            stretches.append("".join(parts))
            parts.clear()
    return "".join((*stretches, *parts, text[place:]))


def apart_from(edits: Sequence[Edit], spans: Sequence[tuple[int, ...]]) -> list[Edit]:
    """Return the edits that overlap no span. Spans begin with (start, end), are sorted and do not overlap."""
    if not edits or not spans:
        return list(edits)
    starts, ends = (np.array([span[side] for span in spans], dtype=np.int64) for side in (0, 1))
    edit_starts, edit_ends = (np.array([edit[side] for edit in edits], dtype=np.int64) for side in (0, 1))
    first = np.searchsorted(ends, edit_starts, "right")  # the first span that ends after the start of the edit
    overlaps = np.append(starts, np.iinfo(np.int64).max)[first] < edit_ends
    return [edits[number] for number in np.flatnonzero(~overlaps).tolist()]


def united_edits(rows: Iterable[Sequence[Edit]]) -> tuple[Edit, ...]:
    """Merge rows of edits into one sorted row. Of overlapping edits, that of the earlier row is kept whole."""
    kept: list[Edit] = []
    for row in rows:
        if added := apart_from(row, kept):
            kept = sorted(kept + added)  # both parts are sorted, so this is a merge
    return tuple(kept)


ITEMS_BETWEEN_CHECKS = 512

Item = TypeVar("Item")


class OutOfTime(Exception):
    """Raised if a search exceeds its time limit."""


class Watch:
    """Time limit and cancellation check of a search through a text."""

    def __init__(
        self, seconds: float, check: Callable[[], None] = lambda: None, now: Callable[[], float] = monotonic
    ) -> None:
        """``check`` is called often; an exception that it raises ends the search. ``now``: a clock, in seconds."""
        self._now, self._check = now, check
        self._end = now() + seconds

    def look(self) -> None:
        """Raise OutOfTime if the time is over, or any exception of the caller's check."""
        self._check()
        if self._now() > self._end:
            raise OutOfTime

    def over(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield the items, checking every ``ITEMS_BETWEEN_CHECKS``."""
        for number, item in enumerate(items):
            if number % ITEMS_BETWEEN_CHECKS == 0:
                self.look()
            yield item
