"""Frozen results of merge inspection: split texts, merges of a pretoken, and reasons why a span is not one token.

Byte offsets count from the start of a pretoken's UTF-8, character offsets from the start of the split text.
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
    """A text, split into pretokens.

    ``text``: as the encoding prepares it (``is_prepared`` if that changed it), lone surrogates as U+FFFD.
    ``char_spans``: int64[n, 2], start and end of each pretoken; text between two of them is skipped.
    """

    text: str
    is_prepared: bool
    char_spans: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of pretokens."""
        return len(self.char_spans)

    def pretoken(self, index: int) -> str:
        """Return a pretoken. Raises IndexError."""
        start, end = self.char_spans[index].tolist()
        return self.text[start:end]


@dataclass(frozen=True, slots=True)
class MergePart:
    """A token in a pretoken during merging, and its span."""

    byte_start: int
    byte_end: int
    token_id: int


@dataclass(frozen=True, slots=True)
class NeighbourPair:
    """Two neighbours, and the token that they would merge into; ``token_id`` and ``rank`` are None if there is no such
    token. The pair of the lowest rank is merged next, of equals the leftmost."""

    left: MergePart
    right: MergePart
    token_id: int | None
    rank: int | None


@dataclass(frozen=True, slots=True)
class MergeState:
    """A pretoken after ``done`` merges.

    ``pairs``: the neighbours that compete for the next merge, the winner first, then by rank; pairs without a token
    come last, from left to right. ``pairs_left_out``: number of pairs not listed. ``chosen``: the winner, None at the
    end.
    """

    done: int
    parts: tuple[MergePart, ...]
    pairs: tuple[NeighbourPair, ...]
    pairs_left_out: int
    chosen: NeighbourPair | None


@dataclass(frozen=True, slots=True)
class PretokenTrace:
    """The merges by which a pretoken becomes its tokens.

    ``ids``: the final tokens. ``steps``: the merges in order. ``is_looked_up``: the whole is a token that no merges
    produce; encoders look up whole pretokens first. ``first_ends``: ends of the initial parts, in bytes: single bytes,
    or characters.
    """

    content: bytes
    ids: tuple[int, ...]
    steps: tuple[MergeStep, ...]
    is_looked_up: bool
    first_ends: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class IsToken:
    """It is one token. ``step``: the number of the merge that produces it, 0 if none does: it is a single byte, or
    ``is_looked_up``."""

    token_id: int
    step: int
    is_looked_up: bool


@dataclass(frozen=True, slots=True)
class SplitApart:
    """The split pattern divides it, and no merge crosses a pretoken boundary. ``pieces``: its parts by pretoken;
    ``char_cuts``: their boundaries, counted from its start. ``left_out``: number of characters that the pattern skips.
    ``token_id``: a token with exactly these bytes, which such a text therefore never becomes."""

    pieces: tuple[str, ...]
    char_cuts: tuple[int, ...]
    left_out: int
    token_id: int | None


@dataclass(frozen=True, slots=True)
class LostToken:
    """A token of the vocabulary whose bytes occur in a pretoken and that is not produced: the earlier merge with number
    ``step`` took bytes across one of its ends."""

    token_id: int
    byte_start: int
    byte_end: int
    step: int
    taken_by: MergeStep


@dataclass(frozen=True, slots=True)
class NoSuchToken:
    """No token has these bytes, so no merge produces it. ``missing``: the pairs of neighbours that remain at the end,
    none of which has a token. ``lost``: tokens within it that exist, and were not produced; the longest ones."""

    missing: tuple[NeighbourPair, ...]
    lost: tuple[LostToken, ...]


@dataclass(frozen=True, slots=True)
class TakenFirst:
    """The token exists, but another merge came first."""

    lost: LostToken


@dataclass(frozen=True, slots=True)
class MergedOn:
    """It was a token after the merge ``made_at`` (0: initially), and the merge ``step`` made it part of a larger
    one."""

    token_id: int
    made_at: int
    step: int
    merge: MergeStep


@dataclass(frozen=True, slots=True)
class InsideWhole:
    """It is part of a pretoken that is looked up as a whole, so nothing in it is merged."""

    whole_id: int
    token_id: int | None


@dataclass(frozen=True, slots=True)
class NeverMade:
    """The token exists, but no merges produce it, and only whole pretokens are looked up."""

    token_id: int


Reason = IsToken | SplitApart | NoSuchToken | TakenFirst | MergedOn | InsideWhole | NeverMade


@dataclass(frozen=True, slots=True)
class NotOneToken:
    """Why a span of text is, or is not, one token.

    ``content``: the span. ``special_id``: the special token with this text, which applies only if special tokens are
    recognized; ``reason`` is about ordinary text.
    """

    content: str
    special_id: int | None
    reason: Reason
