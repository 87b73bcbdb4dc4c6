"""Texts and bytes that are no valid UTF-8: encoded without lone surrogates, or trained on as they are.

A long text is processed in parts, between which other threads get a turn: in one call, ten megabytes would keep every
other thread waiting for a tenth of a second.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator

from engine.runtime.cancellation import interruptible

AT_A_TIME = 1 << 16
"""Characters, or UTF-16 units, that are turned in one call."""


def without_surrogates(text: str) -> str:
    """Surrogate pairs joined, lone surrogates replaced by U+FFFD, as tiktoken does."""
    if text.isascii():
        return text
    starts = range(0, len(text), AT_A_TIME)
    return sound_text(text[start : start + AT_A_TIME].encode("utf-16-le", "surrogatepass") for start in starts)


def sound_text(parts: Iterable[bytes]) -> str:
    """The text of UTF-16 (little endian) in parts, which may end between the halves of a pair; each lone surrogate is
    replaced by U+FFFD."""
    decoder = codecs.getincrementaldecoder("utf-16-le")("replace")
    decoded = [decoder.decode(part) for part in interruptible(parts, every=1)]
    return "".join([*decoded, decoder.decode(b"", final=True)])


def is_utf8(content: bytes) -> bool:
    """Whether bytes are valid UTF-8. Plain ASCII is not even decoded."""
    if content.isascii():
        return True
    try:
        codecs.utf_8_decode(content, "strict", True)
    except UnicodeDecodeError:
        return False
    return True


# --- bytes that a tokenizer is trained on as they are -----------------------------------------------------------------
#
# They are split as ``Encoding.encode_bytes`` splits them, which is tiktoken's way: what is UTF-8 is cut by the pattern
# like any text; what follows the first byte that is not is a single pretoken, in which pairs merge wherever they stand.
# Encoding merges the word before that byte with it, too; here the two are apart, which can be a token of a document.


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
