"""JSON objects with the number of the version that wrote them: what files of the profile hold. No Qt."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

Document = dict[str, Any]
VERSION_KEY = "version"


class DamagedFile(ValueError):
    """What is in a file is no JSON object, or none of the kind that it should be."""


def read_document(path: Path) -> Document:
    """What is in a file, nothing where there is none. Raises OSError, DamagedFile."""
    try:
        return document_of(regular_bytes(path))
    except FileNotFoundError:
        return {}


def is_newer(document: Document, version: int) -> bool:
    """Whether a document was written by a program that writes a later version than this one."""
    there = document.get(VERSION_KEY)
    return isinstance(there, (int, float)) and there > version


def regular_bytes(path: Path) -> bytes:
    """Return what is in a file. Raises OSError, also for a pipe, which would be waited for."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "this is not a regular file", str(path))
    return path.read_bytes()


def document_of(content: bytes) -> Document:
    """The JSON object that a file holds. Raises DamagedFile."""
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
    """A document as it is written."""
    try:
        return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()
    except UnicodeEncodeError:  # a file name that is no text
        return (json.dumps(document, indent=1) + "\n").encode()
