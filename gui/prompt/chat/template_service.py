"""The templates and rules that a request can be counted with, as lists to choose from. No Qt."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engine.requests.template import Template


class TemplateChoice(NamedTuple):
    """A template that can be chosen. ``encoding``: the one it usually goes with, empty where there is none."""

    key: str
    label: str
    encoding: str
    remark: str
    source: str


def template_choices() -> tuple[TemplateChoice, ...]:
    """Those that come with Tokenloupe."""
    from engine.requests.templates import TEMPLATES

    return tuple(
        TemplateChoice(one.key, one.label, one.encoding or "", one.remark, one.source) for one in TEMPLATES.values()
    )


def image_rules() -> tuple[str, ...]:
    """The names of the rules by which images are counted."""
    from engine.requests.image_rules import RULES

    return tuple(RULES)


def template_for(model: str) -> str:
    """The key of a model's template; empty where its name tells nothing."""
    from engine.requests.choosing import UNKNOWN, template_for_model

    key = template_for_model(model) if model else UNKNOWN
    return "" if key == UNKNOWN and not model.startswith(("claude", "gemini")) else key


@contextlib.contextmanager
def template_of(key: str, file: Path | None) -> Iterator[Template]:
    """The template of a key, or of the user's file. TemplateError; OSError."""
    from engine.requests.template_file import TemplateFile
    from engine.requests.template_source import read_source
    from engine.requests.templates import TEMPLATES

    if file is None:
        yield TEMPLATES[key]
        return
    with TemplateFile(read_source(file)) as opened:
        yield opened.template
