"""Frozen results that leave the editor. Importing this module costs nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TokenSpan:
    """One token and where it lies in the logical text.

    ``utf16_start`` and ``utf16_end`` count UTF-16 units; they are equal when the token holds only the rest of a
    character that an earlier token began. ``continues`` says that its first byte is such a rest. ``partners`` are
    (index, id) of the other tokens that share a character with this one, in order, empty when it holds whole
    characters only.
    """

    index: int
    token_id: int
    utf16_start: int
    utf16_end: int
    continues: bool
    partners: tuple[tuple[int, int], ...] = ()
