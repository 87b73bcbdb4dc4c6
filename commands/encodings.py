"""The encoding that a command works with: by its name, or from a tokenizer file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

import engine
from commands.program import BadInput, usable
from engine import Encoding
from gui.core.paths import profile_paths

_Command = TypeVar("_Command", bound=Callable[..., Any])


def tokenizer_options(command: _Command) -> _Command:
    """Options of a command that takes ``tokenizer`` and ``pattern``."""
    command = click.option(
        "--pattern", help="For a FILE that does not say it (.tiktoken, .gguf): name or expression of its split pattern."
    )(command)
    return click.option(
        "--tokenizer", metavar="FILE", help="A tokenizer file: .tiktoken, tokenizer.json, tekken.json, .model, .gguf."
    )(command)


def own_encodings(profile: Path | None) -> tuple[list[str], tuple[str, ...]]:
    """Make the user's own encodings known: their names, and a sentence for each unusable file. Raises BadInput."""
    problems = usable(lambda: engine.add_folder(profile_paths(profile).encodings, trusted=True))
    return [entry.name for entry in engine.encoding_entries() if entry.kind != "bundled"], problems


def named_encoding(name: str, profile: Path | None) -> Encoding:
    """The encoding of a name, bundled or the user's own. Raises BadInput."""
    if name in engine.list_encoding_names():
        return usable(lambda: engine.get_encoding(name))
    _, problems = own_encodings(profile)
    try:
        return engine.get_encoding(name)
    except engine.EngineError as error:
        raise BadInput(" ".join([str(error), *problems])) from error


def encoding_of_file(file: str, pattern: str | None) -> Encoding:
    """The encoding in a tokenizer file. Raises BadInput."""
    try:
        return engine.open_tokenizer(file, pattern=pattern, checked=True).encoding
    except engine.FormatError as error:
        raise BadInput(str(error)) from error
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror or error}") from error


def required_encoding(profile: Path | None, name: str | None, tokenizer: str | None, pattern: str | None) -> Encoding:
    """The encoding that one of ``--encoding`` and ``--tokenizer`` names. Raises BadInput."""
    if (name is None) == (tokenizer is None):
        raise BadInput("name one of --encoding NAME and --tokenizer FILE")
    if tokenizer is not None:
        return encoding_of_file(tokenizer, pattern)
    assert name is not None
    return named_encoding(name, profile)
