"""Reading tokenizer files of any known format, recognized by their content. The result is not yet an encoding."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.errors import FormatError
from engine.library.formats import tiktoken_ranks
from engine.library.formats.source import Found, Source, content_of
from engine.library.formats.table import FORMATS


def read(path: Path, pattern: str | None, *, trusted: bool) -> Found:
    """Return the content of a file. ``pattern``, ``trusted``: as in ``engine.library.formats.opening.open_tokenizer``.
    Raises FormatError, PatternNeededError, UnknownNormalizationError, OSError."""
    headers = {one.magic: one.header_bytes for one in FORMATS if one.magic}
    source = Source(path, content_of(path, headers), pattern, trusted)
    for one in FORMATS:
        found = one.reader().read_source(source)
        if found is not None:
            return replace(found, kind=one.name)
    if source.is_json:
        if "pattern" in source.document:
            raise FormatError("this file only describes a ranks file; open that one")
        known = [one.title for one in FORMATS if one.keys]
        raise FormatError(f"it is JSON, but neither {', nor '.join(known)}")
    if b"\0" in source.content[:4096]:
        raise FormatError("it is a binary file of no known format")
    return replace(tiktoken_ranks.read_ranks_of(source), kind="tiktoken")  # its error names the line
