"""What the advisor answers. Offsets say their unit: ``char_`` Python characters, ``byte_`` UTF-8 bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

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
