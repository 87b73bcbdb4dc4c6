"""Bytes that a tokenizer is trained on as they are, whatever they are.

They are split as ``Encoding.encode_bytes`` splits them, which is tiktoken's way: what is UTF-8 is cut by the pattern
like any text; what follows the first byte that is not is a single pretoken, in which pairs merge wherever they stand.
Encoding merges the word before that byte with it, too; here the two are apart, which can be a token of a document.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator

MOST_UNCUT_BYTES = 32 << 20
"""A longer rest is more than one pretoken."""


class Uncut(bytes):
    """A piece of a document that no pattern cuts: one pretoken."""


class TextAtStart:
    """The UTF-8 at the start of a document, in blocks of whole characters. ``rest``: what the last block that was read
    has behind it."""

    def __init__(self, blocks: Iterator[bytes], is_valid: Callable[[bytes], bool]) -> None:
        self.rest = b""
        self._blocks = blocks
        self._is_valid = is_valid

    def __iter__(self) -> Iterator[bytes]:
        """Yield the blocks."""
        for block in self._blocks:
            content = self.rest + block
            if self._is_valid(content):
                self.rest = b""
                yield content
                continue
            end, is_text = _end_of_text(content)
            self.rest = content[end:]
            yield content[:end]
            if not is_text:
                return


def _end_of_text(content: bytes) -> tuple[int, bool]:
    """Return where UTF-8 ends, and whether what follows may be the beginning of a character."""
    try:
        _, end = codecs.utf_8_decode(content, "strict", False)
    except UnicodeDecodeError as error:
        return error.start, False
    return end, True


def uncut_pieces(start: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield ``start`` and the blocks as one pretoken, or as several if it is long.

    Yields an empty piece for each block that is only collected, so that the caller can cancel in between.
    """
    held, size = [start], len(start)
    for block in blocks:
        held.append(block)
        size += len(block)
        if size < MOST_UNCUT_BYTES:
            yield b""
            continue
        yield Uncut(b"".join(held))
        held, size = [], 0
    if size:
        yield Uncut(b"".join(held))
