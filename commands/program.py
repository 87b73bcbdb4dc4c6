"""The click group of all commands, their output, and the conversion of errors."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import click

from gui.core.token_text import visible_line

T = TypeVar("T")

PROGRAM = "tokenloupe"
INTERRUPTED = 130
"""Exit status after Ctrl+C, as in shells."""


class BadInput(click.ClickException):
    """Unusable input from the user. Ends the program with status 2 and one line."""

    exit_code = 2


MODULES = {
    **dict.fromkeys(("count", "encode", "decode"), "tokens"),
    "cost": "cost",
    "train": "train",
    **dict.fromkeys(("vocab", "trace"), "vocabulary"),
    "prices": "prices",
    "warm-up": "warm_up",
}
"""The module that adds each command to the group. Imported when the command is used: all of them take 60 ms."""


class _Group(click.Group):
    """Group of commands. Refuses empty values, which usually come from unset shell variables."""

    group_class = type  # groups inside are of this class, too

    def add_command(self, command: click.Command, name: str | None = None) -> None:
        """Add a command. Its options and arguments refuse empty values that would stand for a default."""
        for parameter in command.params:
            if parameter.name in NEVER_EMPTY:
                parameter.callback = _refuse_empty
        super().add_command(command, name)


class _Program(_Group):
    """Group of all commands."""

    group_class = _Group

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted(MODULES)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return the command with this name, None if there is none."""
        if name in MODULES:
            import_module(f"commands.{MODULES[name]}")
        return super().get_command(context, name)


NEVER_EMPTY = frozenset(
    {
        *("paths", "path", "file", "tables", "name", "template", "lines", "tokenizer", "pattern"),
        *("include", "exclude", "dask", "model", "models"),
    }
)


class FilePath(click.Path):
    """A path. An empty value is refused here: as a path it would be the current folder."""

    def __init__(self, **options: Any) -> None:
        super().__init__(path_type=Path, **options)

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        """Return the path. Raises BadInput."""
        if value == "" and parameter is not None:
            raise BadInput(f"{_named(parameter)}: the value is empty")
        return super().convert(value, parameter, context)


def _refuse_empty(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    given = value if isinstance(value, tuple) else (value,)
    asked = context.get_parameter_source(parameter.name or "") == click.core.ParameterSource.COMMANDLINE
    if asked and any(one is not None and str(one) == "" for one in given):
        raise BadInput(f"{_named(parameter)}: the value is empty")
    return value


def _named(parameter: click.Parameter) -> str:
    return max(parameter.opts, key=len) if isinstance(parameter, click.Option) else parameter.human_readable_name


def _show_version(context: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    if asked:
        from gui.core.about import our_version

        say(f"Tokenloupe {our_version()}")
        context.exit()


@click.group(cls=_Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
)
@click.option("--profile", type=FilePath(), help="Keep settings, data and caches in this folder.")
@click.option("--private", is_flag=True, expose_value=False, help="Save nothing that is typed in the window.")
@click.pass_context
def program(context: click.Context, profile: Path | None) -> None:
    """Count tokens and estimate their cost. Without a command, open the window with the files named."""
    if profile is not None and profile.is_file():
        raise BadInput(f"--profile: {profile} is a file; name a folder")
    context.obj = profile


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")


def usable(use: Callable[[], T], what: str = "") -> T:
    """Call ``use`` and convert engine, pricing and OS errors to BadInput."""
    prefix = f"{what}: " if what else ""
    try:
        return use()
    except OSError as error:
        raise BadInput(f"{prefix or f'{error.filename}: '}{error.strerror or error}") from error
    except Exception as error:
        from engine.errors import EngineError
        from pricing.types import PricingError  # takes 12 ms, which most commands can do without

        if isinstance(error, EngineError | PricingError):
            raise BadInput(f"{prefix}{error}") from error
        raise


def say(text: str = "") -> None:
    """Print a line of the answer. Escapes control characters, which file names may contain."""
    click.echo(visible_line(text))


def remark(text: str) -> None:
    """Print a note on standard error."""
    click.echo(visible_line(text), err=True)


def print_json(document: Mapping[str, Any]) -> None:
    """Print the answer as one JSON document, in ASCII if the output encoding is limited or a file name is not valid
    text."""
    text = json.dumps(document, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        text = json.dumps(document)
    click.echo(text)
