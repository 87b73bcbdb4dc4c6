"""The header of a GGUF file, llama.cpp's format of models: its keys and values, of which the tokenizer's are kept. What
follows, the tensors, is never read.

Source: ggml-org/ggml, docs/gguf.md (versions 2 and 3).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from engine.errors import FormatError
from engine.library.formats.quoting import quoted
from engine.runtime.cancellation import while_wanted

MAGIC = b"GGUF"
LONGEST_HEADER = 64 << 20
"""Bytes. That of a model with 260,000 tokens and 600,000 merges has 20 MB."""

MOST_KEYS = 10_000
MOST_TEXTS = 2_500_000
"""Texts in all lists together."""

_TEXT, _LIST = 8, 9
_NUMBERS: Mapping[int, str] = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_KEPT = ("tokenizer.ggml.", "general.name", "general.architecture")


def looks_like(content: bytes) -> bool:
    """Whether a file's content begins as one."""
    return content[:4] == MAGIC


def read(header: bytes) -> dict[str, Any]:
    """The values that have to do with the tokenizer, by their keys: numbers, texts (bytes), and lists of these.

    ``header``: the file from its start on; it may end anywhere behind the last value. FormatError, with the place.
    """
    version, _, keys = _Reader(header, 4).numbers("<IQQ")
    if version >> 16:
        raise FormatError("its numbers are written the other way round (big-endian), which is not supported")
    if version not in (2, 3):
        raise FormatError(f"it is of version {version} of the format; 2 and 3 are known")
    if keys > MOST_KEYS:
        raise FormatError(f"it says that it has {keys:,} keys; up to {MOST_KEYS:,} are read")
    reader = _Reader(header, 24)
    values: dict[str, Any] = {}
    for _ in range(keys):
        key = reader.text().decode("utf-8", "replace")
        kept = key.startswith(_KEPT)
        value = reader.value(kept, f"the value of {quoted(key)}")
        if kept:
            if key in values:
                raise FormatError(f"the key {quoted(key)} is there twice")
            values[key] = value
    return values


class _Reader:
    """Reads forward, and never behind the end."""

    def __init__(self, content: bytes, place: int) -> None:
        self._content = content
        self._place = place
        self._texts = 0

    def numbers(self, form: str) -> tuple[Any, ...]:
        start = self._skip(struct.calcsize(form))
        return struct.unpack_from(form, self._content, start)

    def text(self) -> bytes:
        (size,) = self.numbers("<Q")
        start = self._skip(size)
        return self._content[start : start + size]

    def value(self, kept: bool, what: str) -> object:
        (kind,) = self.numbers("<I")
        if kind in _NUMBERS:
            return self.numbers("<" + _NUMBERS[kind])[0]
        if kind == _TEXT:
            return self.text()
        if kind != _LIST:
            raise FormatError(f"{what} has unknown type {kind}")
        kind, count = self.numbers("<IQ")
        if kind in _NUMBERS:
            size = struct.calcsize("<" + _NUMBERS[kind])
            start = self._skip(size * count)
            return struct.unpack_from(f"<{count}{_NUMBERS[kind]}", self._content, start) if kept else None
        if kind != _TEXT:
            raise FormatError(f"{what} is a list of the kind {kind}, which is not known")
        self._texts += count
        if self._texts > MOST_TEXTS:
            raise FormatError(f"{what}: its lists have more than {MOST_TEXTS:,} texts")
        texts = [self.text() for _ in while_wanted(range(count))]
        return texts if kept else None

    def _skip(self, size: int) -> int:
        """Where that many bytes start that are read now."""
        start = self._place
        if size > len(self._content) - start:
            if len(self._content) >= LONGEST_HEADER:
                raise FormatError(f"its header has more than {LONGEST_HEADER >> 20} MB, which none has")
            raise FormatError(f"it ends at offset {len(self._content):,}, before {size:,} bytes at offset {start:,}")
        self._place += size
        return start
