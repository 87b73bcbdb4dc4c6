"""How other programs' vocabularies spell bytes: GPT-2's letters, ``<0x0A>``, SentencePiece's sign for a space.

The printable letters that stand for bytes in GPT-2's files and in tokenizer.json: printable Latin-1 for itself,
every other byte for a letter from U+0100 on (openai/gpt-2, src/encoder.py: bytes_to_unicode).
"""

from __future__ import annotations

import re

_PRINTABLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_OTHERS = tuple(value for value in range(256) if value not in _PRINTABLE)
_LETTER_OF = {value: value for value in _PRINTABLE} | {value: 0x100 + place for place, value in enumerate(_OTHERS)}
_BYTE_OF = {letter: value for value, letter in _LETTER_OF.items()}
_LETTERS = frozenset(map(chr, _BYTE_OF))


def spelled(token: bytes) -> str:
    """A token in letters."""
    return token.decode("latin-1").translate(_LETTER_OF)


def unspelled(letters: str) -> bytes | None:
    """The bytes that letters stand for, None where one of them stands for none."""
    return letters.translate(_BYTE_OF).encode("latin-1") if _LETTERS.issuperset(letters) else None


SPACE_MARK = "▁"
"""What SentencePiece and its like write for a space (U+2581)."""

_BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def bytes_of_piece(piece: str, *, space_mark: str = "", byte_pieces: bool = False, byte_letters: bool = False) -> bytes:
    """The bytes of a piece that is no special token; of one that is empty, none.

    ``space_mark``: what stands for a space. ``byte_pieces``: whether ``<0x0A>`` is a byte. ``byte_letters``: whether
    letters stand for bytes (``unspelled``).
    """
    if byte_pieces and (match := _BYTE_PIECE.fullmatch(piece)):
        return bytes([int(match[1], 16)])
    if byte_letters and (content := unspelled(piece)) is not None:
        return content
    return (piece.replace(space_mark, " ") if space_mark else piece).encode("utf-8")
