"""Texts and bytes that are not valid UTF-8: encoded without lone surrogates, or trained on unchanged.

A long text is processed in chunks so that other threads can run: in one call, ten megabytes would block them for 0.1 s.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator

from engine.runtime.cancellation import interruptible

AT_A_TIME = 1 << 16
"""Maximum characters or UTF-16 units to convert in one call."""


def without_surrogates(text: str) -> str:
    """Join surrogate pairs and replace lone surrogates by U+FFFD, as tiktoken does."""
    if text.isascii():
        return text
    starts = range(0, len(text), AT_A_TIME)
    return well_formed(text[start : start + AT_A_TIME].encode("utf-16-le", "surrogatepass") for start in starts)


def well_formed(parts: Iterable[bytes]) -> str:
    """Decode chunks of UTF-16 (little endian), which may end between the halves of a pair. Replaces each lone surrogate
    by U+FFFD."""
    decoder = codecs.getincrementaldecoder("utf-16-le")("replace")
    decoded = [decoder.decode(part) for part in interruptible(parts, every=1)]
    return "".join([*decoded, decoder.decode(b"", final=True)])


def is_utf8(content: bytes) -> bool:
    """Return True if bytes are valid UTF-8. Plain ASCII is not even decoded."""
    if content.isascii():
        return True
    try:
        codecs.utf_8_decode(content, "strict", True)
    except UnicodeDecodeError:
        return False
    return True


# --- invalid UTF-8 that a tokenizer is trained on ---------------------------------------------------------------------
#
# It is split as ``Encoding.encode_bytes`` and tiktoken split it: the pattern splits the valid UTF-8 like any text;
# everything from the first invalid byte on is a single pretoken, in which pairs merge at any offset. ``Encoding`` also
# merges across the boundary between the word before that byte and the rest. Here the two stay separate, which can
# change one token per document.


MAX_UNCUT_BYTES = 32 << 20
"""Maximum size of an uncut pretoken, in bytes. A longer rest is divided."""


class Uncut(bytes):
    """A chunk of a document that no pattern splits: one pretoken."""


class TextAtStart:
    """The valid UTF-8 at the start of a document, in blocks of whole characters. ``rest``: the bytes that follow it in
    the last block read."""

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
    """Return the offset at which valid UTF-8 ends, and True if the rest may be the beginning of a character."""
    try:
        _, end = codecs.utf_8_decode(content, "strict", False)
    except UnicodeDecodeError as error:
        return error.start, False
    return end, True


def uncut_pieces(start: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield ``start`` and the blocks as one pretoken, or as several if it is long.

    Yields an empty chunk for each block that is only collected, so that the caller can cancel in between.
    """
    held, size = [start], len(start)
    for block in blocks:
        held.append(block)
        size += len(block)
        if size < MAX_UNCUT_BYTES:
            yield b""
            continue
        yield Uncut(b"".join(held))
        held, size = [], 0
    if size:
        yield Uncut(b"".join(held))
