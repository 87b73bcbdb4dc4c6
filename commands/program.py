"""The group that all commands belong to, what they share, and how the program ends."""

from __future__ import annotations

import io
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from gui.core.token_text import visible_line

T = TypeVar("T")

PROGRAM = "tokenloupe"
INTERRUPTED = 130
FAULT = 70
"""Exit statuses: after Ctrl+C, as shells have it; and where the program itself is wrong (sysexits.h)."""

LONGEST_WORD = 300


class BadInput(click.ClickException):
    """Something the user gave cannot be used. Ends the program with status 2 and one line."""

    exit_code = 2


class _Program(click.Group):
    """The commands. An empty value is refused for all of them: it is what a variable holds that is not set."""

    def add_command(self, command: click.Command, name: str | None = None) -> None:
        """Add a command, its options and arguments refusing empty values where those would stand for a default."""
        for parameter in command.params:
            if parameter.name in NEVER_EMPTY:
                parameter.callback = _refuse_empty
        super().add_command(command, name)


NEVER_EMPTY = frozenset(
    {
        *("paths", "path", "file", "tables", "name", "template", "lines", "tokenizer", "prices", "report_file"),
        *("out", "checkpoint", "resume", "pattern", "include", "exclude", "dask"),
    }
)


def _refuse_empty(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    given = value if isinstance(value, tuple) else (value,)
    asked = context.get_parameter_source(parameter.name or "") == click.core.ParameterSource.COMMANDLINE
    if asked and any(one is not None and str(one) == "" for one in given):
        raise BadInput(f"{_named(parameter)}: the value is empty")
    return value


def _named(parameter: click.Parameter) -> str:
    return max(parameter.opts, key=len) if isinstance(parameter, click.Option) else parameter.human_readable_name


@click.group(cls=_Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--profile", type=click.Path(path_type=Path), help="Keep settings, data and caches in this folder.")
@click.option("--private", is_flag=True, expose_value=False, help="The window keeps nothing of the text.")
@click.pass_context
def program(context: click.Context, profile: Path | None) -> None:
    """Tokens and their cost. Without a command: opens the window, with the files named."""
    context.obj = profile


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")


def usable(use: Callable[[], T], what: str = "") -> T:
    """What ``use`` returns, or BadInput with the sentence of the error that engine, pricing or the system raised."""
    from engine.errors import EngineError
    from pricing.types import PricingError

    prefix = f"{what}: " if what else ""
    try:
        return use()
    except OSError as error:
        raise BadInput(f"{prefix or f'{error.filename}: '}{error.strerror or error}") from error
    except (EngineError, PricingError) as error:
        raise BadInput(f"{prefix}{error}") from error


def say(text: str = "") -> None:
    """One line of the answer. Names of files stand in it: what could give orders to a terminal is made visible."""
    click.echo(visible_line(text))


def remark(text: str) -> None:
    """A line beside the answer, on standard error."""
    click.echo(visible_line(text), err=True)


def say_json(document: Mapping[str, Any]) -> None:
    """The whole answer as one JSON document, in plain ASCII where the output takes no more, or a file name is no
    text."""
    text = json.dumps(document, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        text = json.dumps(document)
    click.echo(text)


def run(arguments: Sequence[str]) -> int:
    """Run one command. Returns the exit status; whatever is wrong has been said in one line on standard error."""
    from commands import cost, prices, tokens, train, vocabulary, warm_up  # noqa: F401 - each adds its commands to the group
    from engine import kernel_use
    from engine.errors import DamagedVocabularyError

    kernel_use.leave_to_caller()
    try:
        _open_streams()
        status = program.main(list(arguments), prog_name=PROGRAM, standalone_mode=False) or 0
        sys.stdout.flush()
        return status
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        return _refuse(error.format_message())
    except DamagedVocabularyError as error:  # any command that encodes may find that out
        return _refuse(str(error))
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # The reader of our output has gone, as `head` does; click makes a SystemExit of that, and of nothing else.
        _drop_output()
        return 0
    except MemoryError:
        return _refuse("there is not enough memory for this input")
    except OverflowError as error:
        return _refuse(f"a number is too large: {error}")
    except OSError as error:
        if error.filename is None:
            _drop_output()
        return _refuse(f"{error.filename or 'standard output'}: {error.strerror or error}")
    except Exception as error:  # noqa: BLE001 - a fault of ours: a sentence that can be reported, no traceback
        place = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({Path(place.filename).name}, line {place.lineno})"
        _refuse(f"a fault of the program, not of its input; please report it: {what}")
        return FAULT


def _open_streams() -> None:
    """What the output has no characters for is written as an escape. A closed output is one that nobody reads."""
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - as long as the process lives
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Have the interpreter's last flush say nothing either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(sentence: str) -> int:
    """Say on one line why nothing can be done; of very long words their ends. Returns the exit status."""
    words = (word if len(word) <= LONGEST_WORD else f"{word[:60]}…{word[-20:]}" for word in sentence.split())
    remark(f"{PROGRAM}: {' '.join(words)}")
    return 2
