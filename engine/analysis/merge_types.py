"""Frozen results of looking into merges: what a text is cut into, how a pretoken is merged, why something is no token.

Byte offsets count from the start of a pretoken's UTF-8, character offsets from the start of the cut text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.types import MergeStep

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class CutText:
    """A text as a split pattern cuts it.

    ``text``: prepared as the encoding does it first (``is_prepared`` where that changed it), lone surrogates as U+FFFD.
    ``char_spans``: int64[n, 2], where each pretoken starts and ends; what lies between two of them is left out.
    """

    text: str
    is_prepared: bool
    char_spans: NDArray[np.int64]

    def __len__(self) -> int:
        """Number of pretokens."""
        return len(self.char_spans)

    def pretoken(self, index: int) -> str:
        """A pretoken. IndexError."""
        start, end = self.char_spans[index].tolist()
        return self.text[start:end]


@dataclass(frozen=True, slots=True)
class MergePart:
    """What stands in a pretoken at some moment of merging: a token, and where."""

    byte_start: int
    byte_end: int
    token_id: int


@dataclass(frozen=True, slots=True)
class NeighbourPair:
    """Two neighbours, and the token that they would make; ``token_id`` and ``rank`` are None where there is no such
    token. The pair of the lowest rank is merged next, of equals the leftmost."""

    left: MergePart
    right: MergePart
    token_id: int | None
    rank: int | None


@dataclass(frozen=True, slots=True)
class MergeState:
    """A pretoken after ``done`` merges.

    ``pairs``: the neighbours that compete for the next merge, the winner first, then by rank; those that make no token
    come last, from left to right. ``pairs_left_out``: how many more there are. ``chosen``: the winner, None at the end.
    """

    done: int
    parts: tuple[MergePart, ...]
    pairs: tuple[NeighbourPair, ...]
    pairs_left_out: int
    chosen: NeighbourPair | None


@dataclass(frozen=True, slots=True)
class PretokenAccount:
    """How a pretoken becomes its tokens.

    ``ids``: the tokens at the end. ``steps``: the merges in the order in which they happen. ``is_looked_up``: the whole
    is a token that no merges lead to; encoders look whole pretokens up first. ``first_ends``: where the parts end, in
    bytes, that merging begins with: single bytes, or characters.
    """

    content: bytes
    ids: tuple[int, ...]
    steps: tuple[MergeStep, ...]
    is_looked_up: bool
    first_ends: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class IsToken:
    """It is one token. ``step``: the number of the merge that makes it, 0 where none does: it is a single byte, or
    ``is_looked_up``."""

    token_id: int
    step: int
    is_looked_up: bool


@dataclass(frozen=True, slots=True)
class SplitApart:
    """The split pattern cuts it, and nothing is merged across a cut. ``pieces``: what of it lies in each pretoken;
    ``char_cuts``: where, counted from its start. ``left_out``: characters that the pattern leaves out altogether.
    ``token_id``: of a token with exactly these bytes, which such a text therefore never becomes."""

    pieces: tuple[str, ...]
    char_cuts: tuple[int, ...]
    left_out: int
    token_id: int | None


@dataclass(frozen=True, slots=True)
class LostToken:
    """A token of the vocabulary that a pretoken has the bytes of and that is not made: the merge with number ``step``
    came first and took bytes across one of its ends."""

    token_id: int
    byte_start: int
    byte_end: int
    step: int
    taken_by: MergeStep


@dataclass(frozen=True, slots=True)
class NoSuchToken:
    """No token has these bytes, so there is no merge that would make it. ``missing``: the joins of neighbours that are
    left at the end, none of which is in the vocabulary. ``lost``: longer tokens that are in it, and were not made."""

    missing: tuple[NeighbourPair, ...]
    lost: tuple[LostToken, ...]


@dataclass(frozen=True, slots=True)
class TakenFirst:
    """There is such a token, but another merge came first."""

    lost: LostToken


@dataclass(frozen=True, slots=True)
class MergedOn:
    """It was a token after the merge ``made_at`` (0: from the beginning), and the merge ``step`` made it a part of a
    larger one."""

    token_id: int
    made_at: int
    step: int
    merge: MergeStep


@dataclass(frozen=True, slots=True)
class InsideWhole:
    """It is a part of a pretoken that is looked up as a whole, so nothing in it is merged."""

    whole_id: int
    token_id: int | None


@dataclass(frozen=True, slots=True)
class NeverMade:
    """There is such a token, but no merges lead to it, and only whole pretokens are looked up."""

    token_id: int


Reason = IsToken | SplitApart | NoSuchToken | TakenFirst | MergedOn | InsideWhole | NeverMade


@dataclass(frozen=True, slots=True)
class WhyNotOne:
    """Why a stretch of a text is, or is not, one token.

    ``content``: the stretch. ``special_id``: it spells this special token, which it is only where a text may have
    special tokens; ``reason`` is about ordinary text.
    """

    content: str
    special_id: int | None
    reason: Reason
