"""The group that all commands belong to, what they share, and how the program ends."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

T = TypeVar("T")

PROGRAM = "tokenloupe"


class BadInput(click.ClickException):
    """Something the user gave cannot be used. Ends the program with status 2 and one line."""

    exit_code = 2


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--profile", type=click.Path(path_type=Path), help="Keep settings, data and caches in this folder.")
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
    """One line of the answer."""
    click.echo(text)


def say_json(document: Mapping[str, Any]) -> None:
    """The whole answer as one JSON document."""
    click.echo(json.dumps(document, ensure_ascii=False))


def run(arguments: Sequence[str]) -> int:
    """Run one command. Returns the exit status; whatever is wrong has been said in one line on standard error."""
    from commands import cost, prices, tokens, trace, train, vocab  # noqa: F401 - each adds its commands to the group
    from engine.errors import DamagedVocabularyError

    try:
        return program.main(list(arguments), prog_name=PROGRAM, standalone_mode=False) or 0
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        click.echo(f"{PROGRAM}: {' '.join(error.format_message().split())}", err=True)
        return 2
    except DamagedVocabularyError as error:  # any command that encodes may find that out
        click.echo(f"{PROGRAM}: {error}", err=True)
        return 2
    except (KeyboardInterrupt, click.Abort):
        return 130
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does: no message, and none from the interpreter's last flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
