"""Which bytes the pieces of other programs' vocabularies stand for, as far as each stands for some by itself."""

from __future__ import annotations

import re

from engine.library.formats.byte_alphabet import unspelled

SPACE_MARK = "▁"
"""What SentencePiece and its like write for a space (U+2581)."""

_BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def bytes_of_piece(piece: str, *, space_mark: str = "", byte_pieces: bool = False, byte_letters: bool = False) -> bytes:
    """The bytes of a piece that is no special token; of one that is empty, none.

    ``space_mark``: what stands for a space. ``byte_pieces``: whether ``<0x0A>`` is a byte. ``byte_letters``: whether
    letters stand for bytes (``engine.library.formats.byte_alphabet``).
    """
    if byte_pieces and (match := _BYTE_PIECE.fullmatch(piece)):
        return bytes([int(match[1], 16)])
    if byte_letters and (content := unspelled(piece)) is not None:
        return content
    return (piece.replace(space_mark, " ") if space_mark else piece).encode("utf-8")
