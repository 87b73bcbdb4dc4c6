"""Frozen results that leave the engine.

They hold numbers and read-only arrays, never engines or widgets, so that any thread may keep them. Importing this
module costs nothing: numpy is named in annotations only.

Units are in the names: ``byte_`` counts UTF-8 bytes, ``char_`` Python characters (code points), ``utf16_`` UTF-16
code units, which are the positions of Qt's text classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TextEdit:
    """One replacement in a text: drop ``utf16_removed`` units at ``utf16_start``, put ``inserted`` there."""

    utf16_start: int
    utf16_removed: int
    inserted: str


@dataclass(frozen=True, slots=True)
class TextStatistics:
    """What a text measures, apart from tokens.

    ``words`` counts runs of characters that are not white space; ``lines`` counts newlines plus one (0 when empty).
    """

    characters: int
    utf16_units: int
    utf8_bytes: int
    words: int
    lines: int


@dataclass(frozen=True, slots=True, eq=False)
class TokenPatch:
    """New tokens for one stretch of a text, everything outside it unchanged but for the shift.

    The stretch was ``utf16_start`` to ``utf16_old_end`` before the edits and is ``utf16_start`` to ``utf16_new_end``
    after them; both ends are token boundaries. Three parallel read-only arrays describe its tokens:

    ``ids``: int32[n], token ids.
    ``utf16_ends``: int32[n], where each token ends in the new text, counted from the start of the text. A token that
    ends inside a character ends, in UTF-16 units, behind that character; those that hold only the rest of its bytes
    have no width.
    ``continues``: bool[n], whether the token's first byte continues a character begun by the token before.
    """

    utf16_start: int
    utf16_old_end: int
    utf16_new_end: int
    ids: NDArray[np.int32]
    utf16_ends: NDArray[np.int32]
    continues: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TokenInfo:
    """One entry of a vocabulary.

    ``rank`` is the merge priority (lower merges first), None for special tokens and unused ids. ``kind`` is one of
    ``byte``, ``merge``, ``special``, ``unused``; or ``piece``, of a tokenizer that a library runs, which has no rank.
    """

    token_id: int
    token_bytes: bytes
    rank: int | None
    kind: str


@dataclass(frozen=True, slots=True)
class MergeStep:
    """One merge in a pretoken: the tokens ``left_id`` and ``right_id``, side by side, become ``token_id``. The lower
    the id, the earlier a merge is done.

    ``byte_start``: where the left one starts in its pretoken.
    """

    byte_start: int
    left_id: int
    right_id: int
    token_id: int


@dataclass(frozen=True, slots=True)
class MergeTree:
    """A token, and the two tokens it is merged from, down to single bytes.

    ``rank``: as in ``TokenInfo``. ``left``, ``right``: None for a single byte, for a special token, and for a token
    that merging never makes (``is_merged``). A token that occurs twice in a tree is the same object.
    """

    token_id: int
    token_bytes: bytes
    rank: int | None
    left: MergeTree | None
    right: MergeTree | None

    @property
    def is_merged(self) -> bool:
        """Whether merging makes it, rather than looking its bytes up as a whole. True for single bytes."""
        return self.left is not None or (self.rank is not None and len(self.token_bytes) == 1)


@dataclass(frozen=True, slots=True, eq=False)
class TokenParents:
    """Which two tokens each token of a vocabulary is merged from: two read-only arrays, int32[n_vocab], indexed by
    token id; -1 for single bytes, special tokens, unused ids, and tokens that merging never makes."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
