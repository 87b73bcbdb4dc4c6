"""Edits, proposals and rankings of the search for savings, and how long it may search."""

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
    """``replacement`` for what stands between two places of the text; never an insertion."""

    char_start: int
    char_end: int
    replacement: str


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The parts of a text, in its order, and their tokens. The parts make up the whole text.

    ``byte_starts``, ``byte_ends``, ``tokens``: read-only int64[n]. A token that crosses a border belongs to the part
    in which it starts, so the tokens of the parts add up to ``total``. ``between``: read-only bool[n], whether a part
    is what stands between the sections asked for; never true of lines.
    """

    byte_starts: NDArray[np.int64]
    byte_ends: NDArray[np.int64]
    tokens: NDArray[np.int64]
    between: NDArray[np.bool_]
    total: int

    def share(self, number: int) -> float:
        """The part of all tokens that part ``number`` has, 0 to 1; 0 of an empty text."""
        return int(self.tokens[number]) / self.total if self.total else 0.0

    def largest(self, most: int) -> list[int]:
        """The numbers of the parts with the most tokens, at most ``most``; of equals the first in the text first."""
        import numpy as np

        return np.argsort(-self.tokens, kind="stable")[:most].tolist()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of proposal. ``lossless``: whether the text says the same to every reader afterwards."""

    name: str
    lossless: bool


@dataclass(frozen=True, slots=True)
class Effect:
    """What edits do, in tokens of one prompt.

    ``edits``: in order, not overlapping, of the text that was looked at. Their effect is that of all together.
    """

    edits: tuple[Edit, ...]
    tokens_before: int
    tokens_after: int

    @property
    def tokens_saved(self) -> int:
        """Tokens of one prompt; negative where edits cost some."""
        return self.tokens_before - self.tokens_after


@dataclass(frozen=True, slots=True)
class Proposal:
    """Edits of one kind, which save at least one token."""

    kind: Kind
    effect: Effect


@dataclass(frozen=True, slots=True)
class Advice:
    """Proposals, that which saves the most first. ``unfinished``: what was not looked for to the end, for the text took
    too long."""

    tokens: int
    proposals: tuple[Proposal, ...]
    unfinished: tuple[Kind, ...]


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits done, which are in order and do not overlap."""
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
    """The edits that overlap none of the spans, which begin with start and end, are in order and do not overlap."""
    if not edits or not spans:
        return list(edits)
    starts, ends = (np.array([span[side] for span in spans], dtype=np.int64) for side in (0, 1))
    edit_starts, edit_ends = (np.array([edit[side] for edit in edits], dtype=np.int64) for side in (0, 1))
    first = np.searchsorted(ends, edit_starts, "right")  # the first span that ends behind the start of the edit
    overlaps = np.append(starts, np.iinfo(np.int64).max)[first] < edit_ends
    return [edits[number] for number in np.flatnonzero(~overlaps).tolist()]


def united_edits(rows: Iterable[Sequence[Edit]]) -> tuple[Edit, ...]:
    """One row, in order. Of edits that overlap, that of the earlier row stays, whole, and the other is left out."""
    kept: list[Edit] = []
    for row in rows:
        if added := apart_from(row, kept):
            kept = sorted(kept + added)  # of two rows in order: a merge
    return tuple(kept)


ITEMS_BETWEEN_CHECKS = 512

Item = TypeVar("Item")


class OutOfTime(Exception):
    """A search took longer than it may."""


class Watch:
    """Looked at by everything that goes through a text."""

    def __init__(
        self, seconds: float, check: Callable[[], None] = lambda: None, now: Callable[[], float] = monotonic
    ) -> None:
        """``check`` is called often; what it raises ends the search. ``now``: a clock, in seconds."""
        self._now, self._check = now, check
        self._end = now() + seconds

    def look(self) -> None:
        """Raises OutOfTime, or what the caller's check raises."""
        self._check()
        if self._now() > self._end:
            raise OutOfTime

    def over(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items, with a look every few hundred."""
        for number, item in enumerate(items):
            if number % ITEMS_BETWEEN_CHECKS == 0:
                self.look()
            yield item
