"""Validation of SentencePiece's normalization table before the library reads it.

The table is a double-array trie that maps each replaced text to the offset of its replacement. The library follows its
links without bounds checks, so they are checked here.

Source: google/sentencepiece, src/normalizer.cc (EncodePrecompiledCharsMap) and third_party/darts_clone/darts.h: four
bytes for the length of the trie, the units of the trie (uint32), and the replacements, each followed by a NUL.
"""

from __future__ import annotations

import base64
import binascii

from engine.errors import FormatError

LARGEST = 4 << 20
"""Maximum size of a table in bytes; those of SentencePiece's own normalizations have up to 400,000."""


def check_base64(text: object, where: str) -> None:
    """Raise FormatError if a text is not a valid table in base64. None means that there is no table."""
    if text is None:
        return
    if not isinstance(text, str) or len(text) > 2 * LARGEST:
        raise FormatError(f"{where}: precompiled_charsmap is not a text of up to {2 * LARGEST >> 20} MB")
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise FormatError(f"{where}: precompiled_charsmap is not base64") from None
    check(content, where)


def check(content: bytes, where: str) -> None:
    """Raise FormatError if a table is damaged, or has links out of itself. An empty table means that there is none."""
    if not content:
        return
    import numpy as np

    if len(content) > LARGEST:
        raise FormatError(f"{where}: the table of its normalization is larger than {LARGEST >> 20} MB")
    size = int.from_bytes(content[:4], "little")
    if size % 4 or size < 1024 or 4 + size >= len(content) or content[-1]:
        raise FormatError(f"{where}: the table of its normalization is cut short")
    units = np.frombuffer(content, dtype="<u4", count=size // 4, offset=4)
    replacements = len(content) - 4 - size
    places = np.arange(len(units), dtype=np.uint32)
    is_value = units >> 31 == 1
    leads_to = places ^ ((units >> 10) << ((units & 0x200) >> 6))
    inner = ~is_value
    with_value = inner & (units & 0x100 != 0)
    # The children of a node are at its target XOR any byte; its value is at the target itself.
    if ((leads_to[inner] | 0xFF) >= len(units)).any():
        raise FormatError(f"{where}: the table of its normalization leads out of itself")
    if ((units[leads_to[with_value]] & 0x7FFFFFFF) >= replacements).any():
        raise FormatError(f"{where}: the table of its normalization names replacements that are not there")
