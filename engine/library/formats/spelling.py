"""Spellings of bytes in vocabularies of other programs: GPT-2's letters, ``<0x0A>``, SentencePiece's ``▁`` for a space.

GPT-2's files and tokenizer.json write each byte as a printable letter: printable Latin-1 for itself, every other byte
as a letter from U+0100 on (openai/gpt-2, src/encoder.py: bytes_to_unicode).
"""

from __future__ import annotations

import re

_PRINTABLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_OTHERS = tuple(value for value in range(256) if value not in _PRINTABLE)
_LETTER_OF = {value: value for value in _PRINTABLE} | {value: 0x100 + place for place, value in enumerate(_OTHERS)}
_BYTE_OF = {letter: value for value, letter in _LETTER_OF.items()}
_LETTERS = frozenset(map(chr, _BYTE_OF))


def spelled(token: bytes) -> str:
    """Return the letters of a token."""
    return token.decode("latin-1").translate(_LETTER_OF)


def unspelled(letters: str) -> bytes | None:
    """Return the bytes that letters stand for, None if a letter stands for none."""
    return letters.translate(_BYTE_OF).encode("latin-1") if _LETTERS.issuperset(letters) else None


SPACE_MARK = "▁"
"""The character that SentencePiece and similar tokenizers write for a space (U+2581)."""

_BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def bytes_of_piece(piece: str, *, space_mark: str = "", byte_pieces: bool = False, byte_letters: bool = False) -> bytes:
    """Return the bytes of a piece that is not a special token; b"" if it is empty.

    ``space_mark``: the character for a space. ``byte_pieces``: whether ``<0x0A>`` is a byte. ``byte_letters``: whether
    letters stand for bytes (``unspelled``).
    """
    if byte_pieces and (match := _BYTE_PIECE.fullmatch(piece)):
        return bytes([int(match[1], 16)])
    if byte_letters and (content := unspelled(piece)) is not None:
        return content
    return (piece.replace(space_mark, " ") if space_mark else piece).encode("utf-8")
