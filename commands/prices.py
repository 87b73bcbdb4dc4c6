"""``prices check``: every problem of a price file."""

from __future__ import annotations

from pathlib import Path

import click

import pricing
from commands.encodings import own_encodings
from commands.program import json_option, program, say, say_json, usable


@program.group()
def prices() -> None:
    """Price files."""


@prices.command()
@click.argument("file")
@json_option
@click.pass_obj
def check(profile: Path | None, file: str, as_json: bool) -> None:
    """Name every problem of a price file as FILE:LINE:COLUMN: what is wrong."""
    usable(lambda: Path(file).stat(), file)
    problems = pricing.check_file(Path(file), tokenizers=own_encodings(profile)[0])
    if as_json:
        say_json({"problems": [str(problem) for problem in problems]})
    else:
        for problem in problems:
            say(str(problem))
        if not problems:
            say(f"{file}: no problems")
    if problems:
        raise click.exceptions.Exit(1)
