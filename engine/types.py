"""Frozen results of the engine.

They hold numbers and read-only arrays, never engines or widgets, so any thread may keep them. Importing this module is
cheap: numpy occurs in annotations only.

Units are in the names: ``byte_`` counts UTF-8 bytes, ``char_`` Python characters (code points), ``utf16_`` UTF-16 code
units, which are the offsets of Qt's text classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TextEdit:
    """One replacement in a text: remove ``utf16_removed`` units at ``utf16_start`` and insert ``inserted`` there."""

    utf16_start: int
    utf16_removed: int
    inserted: str


@dataclass(frozen=True, slots=True)
class TextStatistics:
    """Sizes of a text other than tokens.

    ``words`` counts runs of non-whitespace characters; ``lines`` counts newlines plus one (0 for an empty text).
    """

    characters: int
    utf16_units: int
    utf8_bytes: int
    words: int
    lines: int


@dataclass(frozen=True, slots=True, eq=False)
class TokenPatch:
    """New tokens for one span of a text. Tokens outside the span are only shifted.

    The span was ``utf16_start`` to ``utf16_old_end`` before the edits and is ``utf16_start`` to ``utf16_new_end`` after
    them. Both ends are token boundaries. Three parallel read-only arrays describe its tokens:

    ``ids``: int32[n], token ids.
    ``utf16_ends``: int32[n], offset in the new text at which each token ends. A token that ends inside a character
    counts as ending after it; tokens that hold only the remaining bytes of that character have no width.
    ``continues``: bool[n], True if the token's first byte continues a character that an earlier token began.
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

    ``rank`` is the merge priority (lower merges first), None for special tokens and unused ids. ``kind`` is ``byte``,
    ``merge``, ``special`` or ``unused``; or ``piece`` if a library runs the tokenizer, and then there is no rank.
    """

    token_id: int
    token_bytes: bytes
    rank: int | None
    kind: str


@dataclass(frozen=True, slots=True)
class MergeStep:
    """One merge in a pretoken: the adjacent tokens ``left_id`` and ``right_id`` become ``token_id``. Lower ids are
    merged first.

    ``byte_start``: byte offset of the left token in its pretoken.
    """

    byte_start: int
    left_id: int
    right_id: int
    token_id: int


@dataclass(frozen=True, slots=True)
class MergeTree:
    """A token and the two tokens that it is merged from, down to single bytes.

    ``rank``: as in ``TokenInfo``. ``left``, ``right``: None for a single byte, for a special token, and for a token
    that no merge produces (``is_merged``). A token that occurs twice in a tree is the same object.
    """

    token_id: int
    token_bytes: bytes
    rank: int | None
    left: MergeTree | None
    right: MergeTree | None

    @property
    def is_merged(self) -> bool:
        """True if merges produce the token, rather than a look-up of its whole bytes. Also True for single bytes."""
        return self.left is not None or (self.rank is not None and len(self.token_bytes) == 1)


@dataclass(frozen=True, slots=True, eq=False)
class TokenParents:
    """The two tokens that each token of a vocabulary is merged from: two read-only arrays, int32[n_vocab], indexed by
    token id; -1 for single bytes, special tokens, unused ids, and tokens that no merge produces."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
