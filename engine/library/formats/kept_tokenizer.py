"""A library's tokenizer, saved among the user encodings.

``NAME.tokenizer`` is the ``LibraryTokenizer.payload``. Beside it, ``NAME.tokenizer.json`` holds its name, the library
that runs it, and the version of that library with which it was checked.
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
from engine.library.formats import huggingface_document, sentencepiece_model
from engine.library.formats.source import Found, LibraryData, Source, member, parse_json, quoted, refuse_newer
from engine.runtime.atomic_files import replacing

SUFFIX = ".tokenizer"
_FORMAT = "tokenloupe library tokenizer"
_BEGINNING = f'{{\n  "format": "{_FORMAT}"'.encode()
"""First bytes of a companion file: the format comes first."""


def read_source(source: Source) -> Found | None:
    """Return the content of the file, None if it does not have the extension. Raises FormatError, OSError."""
    if source.path.suffix != SUFFIX:
        return None
    return Found(read(source.path, source.content, trusted=source.trusted))


def companion_of(path: Path) -> Path:
    """Return the path of the JSON file that belongs to a tokenizer."""
    return path.with_name(path.name + ".json")


def is_companion(path: Path) -> bool:
    """Return whether a ``.tokenizer.json`` file belongs to a tokenizer, which may be missing if a process was killed:
    files of other programs may have that extension too. Raises OSError."""
    if not path.is_file():
        return False
    if path.with_suffix("").exists():
        return True
    with path.open("rb") as file:
        return file.read(len(_BEGINNING)) == _BEGINNING


def read_companion(path: Path) -> dict[str, Any]:
    """Return the content of the companion file. Raises FormatError, OSError."""
    companion = companion_of(path)
    try:
        document = parse_json(companion.read_bytes())
        refuse_newer(document)
        for key in ("name", "reader", "sha256", "tried"):
            member(document, key, str)
    except FormatError as error:
        raise FormatError(f"the accompanying file {companion.name}: {error}") from error
    return document


def read(path: Path, content: bytes, *, trusted: bool = False) -> LibraryData:
    """Return the tokenizer. A check is not repeated if it was done with the same content and version. The author of a
    file can claim that too, so the claim only counts if the file is ``trusted``. Raises FormatError, OSError."""
    described = read_companion(path)
    same_content = described["sha256"] == hashlib.sha256(content).hexdigest()
    was_tried = trusted and same_content and described["tried"] == version_of(described["reader"])
    reader = described["reader"] if same_content else _reader_of(content)
    return replace(data_of_payload(reader, content), was_tried=was_tried)


def data_of_payload(reader: str, payload: bytes) -> LibraryData:
    """Read the payload of a library: ``reader`` and ``payload`` as in ``LibraryTokenizer``. Raises FormatError, also if
    the reader is unknown."""
    if reader == "tokenizers":
        return huggingface_document.library_data_of(parse_json(payload))
    if reader == "sentencepiece":
        return sentencepiece_model.library_data_of(sentencepiece_model.read(payload))
    raise FormatError(f"it requires {quoted(reader)}, which is not supported")


def _reader_of(content: bytes) -> str:
    """Return the library for a tokenizer whose companion describes another one: a process was killed after it had
    replaced one of the two files."""
    return "tokenizers" if content[:1] == b"{" else "sentencepiece"


def version_of(reader: str) -> str:
    """Return the version of a library, empty if it is unknown."""
    return importlib.metadata.version(reader) if reader in ("tokenizers", "sentencepiece") else ""


def write(encoding: LibraryEncoding, path: Path) -> None:
    """Save a tokenizer that has just been checked. Raises OSError."""
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
