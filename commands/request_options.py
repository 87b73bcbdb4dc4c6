"""The options of commands that take requests. Apart from what they do, which loads the encoders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from commands.program import BadInput
from engine.requests.templates import TEMPLATES

_Command = TypeVar("_Command", bound=Callable[..., Any])


def request_options(command: _Command) -> _Command:
    """Options of a command that takes ``request`` and ``template``."""
    keys = ", ".join(TEMPLATES)
    command = click.option(
        "--template", metavar="NAME|FILE", help=f"With --request: {keys}, or a Jinja chat template; else the model's."
    )(command)
    return click.option(
        "--request", is_flag=True, help="PATH holds the body of an API call; a .jsonl file one on each line."
    )(command)


def check_template_use(request: bool, template: str | None) -> None:
    """Raises BadInput for a template without a request."""
    if template is not None and not request:
        raise BadInput("--template goes with --request")
