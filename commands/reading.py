"""The texts that a command works on: files, folders, standard input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from commands.program import usable
from engine.corpus_walk import FolderWalk, FoundFile
from engine.text_files import StoredText, decode_stored, read_bytes, read_stored
from engine.training_types import CorpusRules, SkippedFile

STANDARD_INPUT = "-"

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Given(NamedTuple):
    """What one argument names: a text, or what a walk through a folder found."""

    path: str
    text: StoredText | None = None
    found: Sequence[FoundFile | SkippedFile] = ()

    @property
    def size(self) -> int:
        """File bytes to count."""
        if self.text is not None:
            return self.text.size
        return sum(file.file_bytes for file in self.found if isinstance(file, FoundFile))


def folder_options(command: _Command) -> _Command:
    """The option of a command that takes ``ignored``, for ``read_given``."""
    return click.option("--ignored", is_flag=True, help="Of folders also the files that a .gitignore names.")(command)


def read_text(path: str) -> StoredText:
    """The text of a file, or of standard input for ``-``. Raises BadInput."""
    if path != STANDARD_INPUT:
        return usable(lambda: read_stored(Path(path)), path)
    return usable(lambda: decode_stored(sys.stdin.buffer.read()), "standard input")


def bytes_option(command: _Command) -> _Command:
    """The option of a command that takes ``as_bytes``, for ``read_raw`` and ``raw_given``."""
    words = "Take files as bytes, whatever they are: no character encoding, no binary files left out."
    return click.option("--bytes", "as_bytes", is_flag=True, help=words)(command)


def read_raw(path: str) -> bytes:
    """The bytes of a file, or of standard input for ``-``. Raises BadInput."""
    if path != STANDARD_INPUT:
        return usable(lambda: read_bytes(Path(path)), path)
    return sys.stdin.buffer.read()


def raw_given(paths: Sequence[str], *, ignored: bool) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of each file that the arguments name, found as by ``read_given``. Raises BadInput."""
    rules = CorpusRules(honour_gitignore=not ignored)
    for path in paths or (STANDARD_INPUT,):
        if path == STANDARD_INPUT or not usable(Path(path).is_dir, path):
            yield path, read_raw(path)
            continue
        for found in usable(lambda path=path: list(FolderWalk(rules).found([Path(path)]))):
            if isinstance(found, FoundFile):
                yield str(found.path), read_raw(str(found.path))


def read_given(paths: Sequence[str], *, ignored: bool) -> list[Given]:
    """What the arguments name, nothing being standard input. A file named outright must be readable; of folders it is
    only known which files they have: hidden ones are left out, and those that a .gitignore names unless ``ignored``.
    Raises BadInput.
    """
    rules = CorpusRules(honour_gitignore=not ignored)
    given = []
    for path in paths or (STANDARD_INPUT,):
        if path == STANDARD_INPUT or not usable(Path(path).is_dir, path):
            given.append(Given(path, read_text(path)))
        else:
            found = usable(lambda path=path: list(FolderWalk(rules).found([Path(path)])))
            given.append(Given(path, found=found))
    return given
