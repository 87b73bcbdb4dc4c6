"""The texts that a command works on: files, folders, standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from commands.program import usable
from engine.text_files import StoredText, decode_stored, read_stored, texts_below
from engine.training_types import SkippedFile

STANDARD_INPUT = "-"


def read_text(path: str) -> StoredText:
    """The text of a file, or of standard input for ``-``. Raises BadInput."""
    if path != STANDARD_INPUT:
        return usable(lambda: read_stored(Path(path)), path)
    return usable(lambda: decode_stored(sys.stdin.buffer.read()), "standard input")


def read_texts(paths: Sequence[str], skipped: list[SkippedFile]) -> Iterator[tuple[str, StoredText]]:
    """The texts of files and of everything below folders, with their paths.

    A file named outright must be readable; those below a folder that are not join ``skipped``.
    """
    for path in paths or (STANDARD_INPUT,):
        if path == STANDARD_INPUT or not Path(path).is_dir():
            yield path, read_text(path)
            continue
        for found in texts_below(Path(path)):
            if isinstance(found, SkippedFile):
                skipped.append(found)
            else:
                yield found
