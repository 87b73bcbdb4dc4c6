"""A library's tokenizer, kept among the user's own encodings.

``NAME.tokenizer`` is what ``LibraryTokenizer.payload`` is, and beside it is ``NAME.tokenizer.json``, which says its
name, which library runs it, and with which version it was tried.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.encoding.library_encoding import LibraryEncoding
from engine.errors import FormatError
from engine.library.formats import json_document
from engine.library.formats.library_data import LibraryData, of_payload
from engine.library.formats.source import Found, Source
from engine.runtime.atomic_files import replacing

SUFFIX = ".tokenizer"
_FORMAT = "tokenloupe library tokenizer"
_BEGINNING = f'{{\n  "format": "{_FORMAT}"'.encode()
"""Of what is written beside one: the format comes first."""


def read_source(source: Source) -> Found | None:
    """Return what is kept in the file, None if it is not called like one. Raises FormatError; OSError."""
    if not looks_like(source.path):
        return None
    return Found(read(source.path, source.content, trusted=source.trusted))


def looks_like(path: Path) -> bool:
    """Whether a file is named like one."""
    return path.suffix == SUFFIX


def companion_of(path: Path) -> Path:
    """The JSON file that belongs to it."""
    return path.with_name(path.name + ".json")


def is_companion(path: Path) -> bool:
    """Whether a file called ``.tokenizer.json`` belongs to a tokenizer, which may be gone if a process was killed:
    other programs' files may be called so as well. OSError."""
    if not path.is_file():
        return False
    if path.with_suffix("").exists():
        return True
    with path.open("rb") as file:
        return file.read(len(_BEGINNING)) == _BEGINNING


def read_companion(path: Path) -> dict[str, Any]:
    """What stands beside it. FormatError; OSError."""
    companion = companion_of(path)
    try:
        document = json_document.parse(companion.read_bytes())
        json_document.refuse_newer(document)
        for key in ("name", "reader", "sha256", "tried"):
            json_document.member(document, key, str)
    except FormatError as error:
        raise FormatError(f"the file beside it, {companion.name}: {error}") from error
    return document


def read(path: Path, content: bytes, *, trusted: bool = False) -> LibraryData:
    """The tokenizer. It is not tried again where that was done with the same content and version; but who made the
    file can write that beside it as well, so it counts only where the file is ``trusted``. FormatError; OSError."""
    described = read_companion(path)
    same_content = described["sha256"] == hashlib.sha256(content).hexdigest()
    was_tried = trusted and same_content and described["tried"] == version_of(described["reader"])
    reader = described["reader"] if same_content else _reader_of(content)
    return replace(of_payload(reader, content), was_tried=was_tried)


def _reader_of(content: bytes) -> str:
    """Which library runs a tokenizer beside which another one is described: of two files that are replaced, a process
    that was killed left the old one."""
    return "tokenizers" if content[:1] == b"{" else "sentencepiece"


def version_of(reader: str) -> str:
    """A library's version; of what is no library, nothing."""
    return importlib.metadata.version(reader) if reader in ("tokenizers", "sentencepiece") else ""


def write(encoding: LibraryEncoding, path: Path) -> None:
    """Keep a tokenizer that was tried just now. OSError."""
    tokenizer = encoding.tokenizer
    document = {
        "format": _FORMAT,
        "name": encoding.name,
        "kind": "imported",
        "reader": tokenizer.reader,
        "model": tokenizer.model,
        "tried": version_of(tokenizer.reader),
        "sha256": hashlib.sha256(tokenizer.payload).hexdigest(),
    }
    with replacing(path) as folder:
        (folder / companion_of(path).name).write_text(
            json.dumps(document, ensure_ascii=False, indent=2) + "\n", "utf-8"
        )
        (folder / path.name).write_bytes(tokenizer.payload)
