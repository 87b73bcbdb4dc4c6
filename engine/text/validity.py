"""Texts as they are encoded, without lone surrogates.

A long text is processed in parts, between which other threads get a turn: in one call, ten megabytes would keep every
other thread waiting for a tenth of a second.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable

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
