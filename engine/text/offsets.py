"""Texts as UTF-8 and as UTF-16 code units, and offsets in them. UTF-16 units are the offsets of Qt's text classes.

A long text is converted in chunks, and long arrays are added in chunks, so that other threads can run: in one call, ten
megabytes would block them for 0.1 s.
"""

from __future__ import annotations

import codecs
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.runtime.cancellation import interruptible

_CHUNK_CHARS = 65_536
"""Maximum characters or UTF-16 units to convert in one call."""

AT_A_TIME = 1 << 18
"""Numbers to add in one call, which takes less than a millisecond."""

_SPANS_AT_A_TIME = 4096

_N = TypeVar("_N", bound=np.signedinteger[Any])


# --- texts and their code units ---------------------------------------------------------------------------------------


def check_text(text: object) -> None:
    """Raise TypeError unless ``text`` is a str."""
    if not isinstance(text, str):
        raise TypeError(f"a text must be a str, not {type(text).__name__}")


def utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 units."""
    if text.isascii():
        return len(text)
    return sum(len(chunk.encode("utf-16-le", "surrogatepass")) // 2 for chunk in _chunks(text))


def units_of(text: str) -> NDArray[np.uint16]:
    """Return uint16[n], read-only: the units of a text. Keeps lone surrogates; adjacent halves become a pair."""
    if len(text) <= _CHUNK_CHARS:
        return np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype="<u2")
    return np.concatenate(
        [np.frombuffer(chunk.encode("utf-16-le", "surrogatepass"), dtype="<u2") for chunk in _chunks(text)]
    )


def text_of(units: NDArray[np.uint16]) -> str:
    """Return the text of some units. Lone surrogates are kept."""
    return units.tobytes().decode("utf-16-le", "surrogatepass")


def sound_text_of(units: NDArray[np.uint16]) -> str:
    """Return the text of some units as it is encoded: each lone surrogate is replaced by U+FFFD."""
    if len(units) <= _CHUNK_CHARS:
        return units.tobytes().decode("utf-16-le", "replace")
    starts = range(0, len(units), _CHUNK_CHARS)
    return well_formed(units[start : start + _CHUNK_CHARS].tobytes() for start in starts)


def characters_of(units: NDArray[np.uint16]) -> str:
    """Return a string with one character per unit. Surrogate pairs are not joined, so indices are UTF-16 offsets."""
    return units.astype(np.uint32).tobytes().decode("utf-32-le", "surrogatepass")


def _chunks(text: str) -> Iterator[str]:
    """Return the chunks of a text: converting a long text to UTF-16 in one call would block every other thread."""
    return (text[start : start + _CHUNK_CHARS] for start in range(0, len(text), _CHUNK_CHARS))


def without_surrogates(text: str) -> str:
    """Join surrogate pairs and replace lone surrogates by U+FFFD, as tiktoken does."""
    if text.isascii():
        return text
    return well_formed(chunk.encode("utf-16-le", "surrogatepass") for chunk in _chunks(text))


def well_formed(chunks: Iterable[bytes]) -> str:
    """Decode chunks of UTF-16 (little endian), which may end between the halves of a pair. Replaces each lone surrogate
    by U+FFFD."""
    decoder = codecs.getincrementaldecoder("utf-16-le")("replace")
    decoded = [decoder.decode(chunk) for chunk in interruptible(chunks, every=1)]
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


def code_points(text: str) -> NDArray[np.uint32]:
    """Return uint32[n]: the characters of a text, lone surrogates as U+FFFD."""
    points = np.empty(len(text), dtype=np.uint32)
    for start in interruptible(range(0, len(text), AT_A_TIME), every=1):
        encoded = text[start : start + AT_A_TIME].encode("utf-32-le", "surrogatepass")
        some = np.frombuffer(encoded, dtype=np.uint32)
        points[start : start + len(some)] = np.where((some >= 0xD800) & (some < 0xE000), np.uint32(0xFFFD), some)
    return points


# --- sums and offsets -------------------------------------------------------------------------------------------------


def running_sums(numbers: NDArray[Any], out: NDArray[_N]) -> NDArray[_N]:
    """Write the cumulative sums of ``numbers`` to ``out``, of the same length, and return it, like ``np.cumsum``."""
    return running_sums_of(len(numbers), lambda start, stop: numbers[start:stop], out)


def running_sums_of(count: int, numbers: Callable[[int, int], NDArray[Any]], out: NDArray[_N]) -> NDArray[_N]:
    """Like ``running_sums``, for ``numbers(start, stop)``, so that they are never all in memory."""
    for start in interruptible(range(0, count, AT_A_TIME), every=1):
        stop = min(start + AT_A_TIME, count)
        sums = out[start:stop]
        np.cumsum(numbers(start, stop), dtype=out.dtype, out=sums)
        if start:
            sums += out[start - 1]
    return out


def running_sums_at(numbers: NDArray[Any], indices: NDArray[Any]) -> NDArray[np.int64]:
    """Return int64[n]: the cumulative sums of the numbers at n indices, such as token ends from token lengths."""
    sums = np.empty(len(indices), dtype=np.int64)
    return running_sums_of(len(indices), lambda start, stop: numbers[indices[start:stop]], sums)


def byte_offsets(text: str) -> NDArray[np.int64]:
    """Return int64[n + 1]: byte offset of each character in UTF-8, lone surrogates as U+FFFD, and of the end."""
    points = code_points(text)

    def sizes(start: int, stop: int) -> NDArray[np.int8]:
        some = points[start:stop]
        return np.int8(1) + (some >= 0x80).astype(np.int8) + (some >= 0x800) + (some >= 0x10000)

    offsets = np.zeros(len(points) + 1, dtype=np.int64)
    running_sums_of(len(points), sizes, offsets[1:])
    return offsets


def utf16_offsets(text: str) -> NDArray[np.int64]:
    """Return int64[n + 1]: UTF-16 offset of each character and of the end."""
    points = code_points(text)
    offsets = np.zeros(len(points) + 1, dtype=np.int64)
    running_sums_of(len(points), lambda start, stop: (points[start:stop] >= 0x10000) + np.int8(1), offsets[1:])
    return offsets


def pairs(spans: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield the rows of int64[n, 2], created some thousands at a time.

    ``tolist()`` creates a list for each row in one call that cannot be interrupted, and the garbage collector traverses
    all of them: 300,000 rows held the interpreter for 0.2 s.
    """
    for first in range(0, len(spans), _SPANS_AT_A_TIME):
        some = spans[first : first + _SPANS_AT_A_TIME]
        yield from zip(some[:, 0].tolist(), some[:, 1].tolist(), strict=True)


class ByteMap:
    """Byte map of a text without surrogates. Offsets are byte offsets from 0 to ``len``, inclusive."""

    def __init__(self, text: str) -> None:
        encoded = b"".join([chunk.encode("utf-8") for chunk in interruptible(_chunks(text), every=1)])
        self.bytes = np.frombuffer(encoded, dtype=np.uint8)
        self.begins = (self.bytes & 0xC0) != 0x80
        """bool[n]: True for the first byte of each character."""

    def __len__(self) -> int:
        return len(self.bytes)

    @functools.cached_property
    def char_of(self) -> NDArray[np.int32]:
        """int32[n]: number of the character that each byte belongs to."""
        chars = running_sums(self.begins, np.empty(len(self), dtype=np.int32))
        chars -= 1
        return chars

    @functools.cached_property
    def units_before(self) -> NDArray[np.int32]:
        """int32[n + 1]: UTF-16 units of the characters that begin before each byte offset."""
        before = np.zeros(len(self) + 1, dtype=np.int32)
        running_sums_of(len(self), self._units, before[1:])
        return before

    def _units(self, start: int, stop: int) -> NDArray[np.int8]:
        """Return int8: the UTF-16 units of the character that begins at each byte, else 0."""
        units: NDArray[np.int8] = self.begins[start:stop].astype(np.int8) + (self.bytes[start:stop] >= 0xF0)
        return units

    def continues(self, ends: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return bool[n]: True for each token that begins inside a character. ``ends``: byte offsets at which
        consecutive tokens end. A token without width at the end of the text does not count."""
        starts = np.concatenate([np.zeros(1, dtype=np.int64), ends[:-1]])[: len(ends)]
        found = np.zeros(len(ends), dtype=np.bool_)
        inside = starts < len(self)
        found[inside] = ~self.begins[starts[inside]]
        return found

    @functools.cached_property
    def line_ends(self) -> NDArray[np.int64]:
        """int64[lines]: byte offset after each newline, and the end of the text if its last line has none."""
        ends = np.flatnonzero(self.bytes == 0x0A) + 1
        return ends if len(ends) and ends[-1] == len(self) else np.append(ends, len(self))

    def of_units(self, utf16_offsets: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return int64[n]: the byte offsets of UTF-16 offsets; inside a character, the start of that character."""
        return self.units_before.searchsorted(utf16_offsets, "right") - 1


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
