"""JSON objects with a version number, as stored in profile files. No Qt."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

Document = dict[str, Any]
VERSION_KEY = "version"


class DamagedFile(ValueError):
    """Raised for a file that is not a JSON object, or not of the expected kind."""


def read_document(path: Path) -> Document:
    """Read the document in a file; empty if there is none. Raises OSError, DamagedFile."""
    try:
        return document_of(regular_bytes(path))
    except FileNotFoundError:
        return {}


def is_newer(document: Document, version: int) -> bool:
    """Return True if a newer program version wrote the document."""
    there = document.get(VERSION_KEY)
    return isinstance(there, (int, float)) and there > version


def regular_bytes(path: Path) -> bytes:
    """Return the content of a file. Raises OSError, also for a pipe, on which reading would block."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "this is not a regular file", str(path))
    return path.read_bytes()


def document_of(content: bytes) -> Document:
    """Parse a JSON object. Raises DamagedFile."""
    try:
        document = json.loads(content)
    except ValueError as error:
        raise DamagedFile(str(error)) from error
    except RecursionError as error:
        raise DamagedFile("nested too deeply") from error
    if not isinstance(document, dict):
        raise DamagedFile("not a JSON object")
    return document


def document_bytes(document: Document) -> bytes:
    """Serialize a document."""
    try:
        return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()
    except UnicodeEncodeError:  # a file name that is not valid Unicode
        return (json.dumps(document, indent=1) + "\n").encode()
