"""Input of commands: files, folders, standard input, option types, and deferred Ctrl+C."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, TypeVar

import click

from commands.program import BadInput, usable
from engine.corpus.files import StoredText, decode_stored, read_bytes, read_stored
from engine.corpus.types import CorpusRules, SkippedFile
from engine.corpus.walk import FolderWalk, FoundFile
from engine.requests.templates import TEMPLATES

STANDARD_INPUT = "-"

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Given(NamedTuple):
    """Input named by one argument: a text, or the files found in a folder."""

    path: str
    text: StoredText | None = None
    found: Sequence[FoundFile | SkippedFile] = ()

    @property
    def size(self) -> int:
        """Total size to count, in file bytes."""
        if self.text is not None:
            return self.text.size
        return sum(file.file_bytes for file in self.found if isinstance(file, FoundFile))


def folder_options(command: _Command) -> _Command:
    """Add the option for the parameter ``ignored`` of a command, used by ``read_given``."""
    return click.option("--ignored", is_flag=True, help="Include files ignored by .gitignore.")(command)


def read_text(path: str) -> StoredText:
    """Return the text of a file, or of standard input for ``-``. Raises BadInput."""
    if path != STANDARD_INPUT:
        return usable(lambda: read_stored(Path(path)), path)
    return usable(lambda: decode_stored(sys.stdin.buffer.read()), "standard input")


def bytes_option(command: _Command) -> _Command:
    """Add the option for the parameter ``as_bytes`` of a command, used by ``read_raw`` and ``raw_given``."""
    words = "Read files as raw bytes, including binary files."
    return click.option("--bytes", "as_bytes", is_flag=True, help=words)(command)


def read_raw(path: str) -> bytes:
    """Return the bytes of a file, or of standard input for ``-``. Raises BadInput."""
    if path != STANDARD_INPUT:
        return usable(lambda: read_bytes(Path(path)), path)
    return sys.stdin.buffer.read()


def raw_given(paths: Sequence[str], *, ignored: bool) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of each file that the arguments name, found as by ``read_given``. Raises BadInput."""
    rules = CorpusRules(honour_gitignore=not ignored)
    for path in paths or (STANDARD_INPUT,):
        if path == STANDARD_INPUT or not usable(Path(path).is_dir, path):
            yield path, read_raw(path)
            continue
        for found in usable(lambda path=path: list(FolderWalk(rules).found([Path(path)]))):
            if isinstance(found, FoundFile):
                yield str(found.path), read_raw(str(found.path))


def read_given(paths: Sequence[str], *, ignored: bool) -> list[Given]:
    """Return the input that the arguments name; without arguments, standard input.

    A file named directly must be readable. Folders are only listed, without hidden files, and without files ignored by
    .gitignore unless ``ignored``. Raises BadInput.
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


MAX_DIGITS = 100


class WholeNumber(click.ParamType):
    """A whole number of ``least`` or more, in ASCII digits."""

    name = "integer"

    def __init__(self, least: int) -> None:
        self._least = least

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> int:
        """Return the number, or fail with a usage error."""
        if isinstance(value, int):
            return value
        text = str(value).strip()
        digits = text.removeprefix("+").removeprefix("-")
        # Python raises for numbers of thousands of digits. No option takes numbers that large.
        number = int(text) if digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS else None
        if number is None or number < self._least:
            self.fail(f"{value!r} is not a whole number of {self._least} or more", parameter, context)
        return number


class Day(click.ParamType):
    """A day, as ``datetime.date``."""

    name = "day"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> date:
        """Return the day, or fail with a usage error."""
        if isinstance(value, date):
            return value
        try:
            return datetime.strptime(value, "%Y-%m-%d").date()
        except ValueError:
            self.fail(f"{value!r} is not a date like 2026-01-31", parameter, context)


class DecimalNumber(click.ParamType):
    """A decimal number, parsed from its text without conversion to float."""

    name = "number"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Decimal:
        """Return the number, or fail with a usage error."""
        if isinstance(value, Decimal):
            return value
        try:
            number = Decimal(value)
        except InvalidOperation:
            number = Decimal("NaN")
        if not number.is_finite() or number < 0:
            self.fail(f"{value!r} is not a non-negative number like 1.10", parameter, context)
        return number


class Notice:
    """False until the user asks to stop. A second Ctrl+C raises KeyboardInterrupt at once, as usual."""

    def __init__(self) -> None:
        self._given = False

    def __bool__(self) -> bool:
        return self._given

    def raise_if_any(self) -> None:
        """Raise KeyboardInterrupt if the user asked to stop."""
        if self._given:
            raise KeyboardInterrupt

    def take(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        self.raise_if_any()
        self._given = True


@contextlib.contextmanager
def noticed() -> Iterator[Notice]:
    """Defer Ctrl+C and SIGTERM to the notice until the context ends. Call on the main thread."""
    notice = Notice()
    before = {number: signal.signal(number, notice.take) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield notice
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def request_options(command: _Command) -> _Command:
    """Add the options for the parameters ``request`` and ``template`` of a command."""
    keys = ", ".join(TEMPLATES)
    command = click.option(
        "--template", metavar="NAME|FILE", help=f"With --request: {keys}, or a Jinja chat template; else the model's."
    )(command)
    return click.option(
        "--request", is_flag=True, help="PATH holds the body of an API call; a .jsonl file one on each line."
    )(command)


def check_template_use(request: bool, template: str | None) -> None:
    """Raise BadInput for a template without a request."""
    if template is not None and not request:
        raise BadInput("--template requires --request")
