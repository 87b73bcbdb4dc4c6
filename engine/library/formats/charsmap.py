"""The table by which SentencePiece normalizes texts, looked at before its library sees it.

It is a double-array trie from what is replaced to where its replacement stands. The library follows it without looking
where it leads, so that is checked here.

Source: google/sentencepiece, src/normalizer.cc (EncodePrecompiledCharsMap) and third_party/darts_clone/darts.h:
four bytes of the trie's length, the trie's units (uint32), and the replacements, each with a NUL behind it.
"""

from __future__ import annotations

import base64
import binascii

from engine.errors import FormatError

LARGEST = 4 << 20
"""Bytes; those of all normalizations that SentencePiece knows have up to 400,000."""


def check_base64(text: object, where: str) -> None:
    """FormatError where a text is not such a table in base64. None is no table."""
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
    """FormatError where a table is damaged, or leads out of itself. An empty one is none."""
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
    # Of a node, the children are at the place it leads to with any byte flipped in; its value is there itself.
    if ((leads_to[inner] | 0xFF) >= len(units)).any():
        raise FormatError(f"{where}: the table of its normalization leads out of itself")
    if ((units[leads_to[with_value]] & 0x7FFFFFFF) >= replacements).any():
        raise FormatError(f"{where}: the table of its normalization names replacements that are not there")
