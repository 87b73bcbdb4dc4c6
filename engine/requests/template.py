"""Template: turns a request into pieces. With what all templates are made of."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from engine.requests.types import Grade, Piece, Request


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Context that a template may use. ``count``: counts the tokens of a plain text; ``encoding``: name of the encoding
    that ``count`` uses. ``today``: the date that some templates show to the model. ``special``: texts of the special
    tokens of the encoding."""

    count: Callable[[str], int]
    encoding: str
    today: date
    special: frozenset[str] = frozenset()


Render = Callable[[Request, Surroundings], Iterable[Piece]]


@dataclass(frozen=True, slots=True)
class Template:
    """The form in which a family of models receives a request.

    ``encoding``: the bundled encoding of most of its models, None if there is none. ``special``: texts of the special
    tokens that it writes; each counts as one token even if the encoding does not have it. ``grade``: of its overhead,
    ``tools``: of its tools. ``images``: name of the image rule if that of the model is not known (``images.RULES``), or
    None. ``other_encodings``: further encodings of its models; ``foreign_encodings``: encodings that none of them uses.
    ``framing``: maximum overhead in tokens of an unpublished form, for the request and for each message.
    ``tools_prompt``: maximum number of tokens that an unpublished form of tools adds. ``remark``: notes for the user,
    in full sentences. ``source``: where the form is published.
    """

    key: str
    label: str
    render: Render
    encoding: str | None
    special: frozenset[str]
    grade: Grade
    tools: Grade
    images: str | None = None
    remark: str = ""
    source: str = ""
    other_encodings: frozenset[str] = frozenset()
    foreign_encodings: frozenset[str] = frozenset()
    framing: tuple[int, int] = (0, 0)
    tools_prompt: int = 120

    def is_own(self, encoding: str, special: frozenset[str] | set[str]) -> bool:
        """Return whether its models use this encoding, by the name or by the special tokens that the template needs."""
        if encoding in self.foreign_encodings:
            return False
        return encoding == self.encoding or encoding in self.other_encodings or self.special <= special


def overhead(text: str, message: int = -1) -> Piece:
    """Return a piece of framing written by a template."""
    return Piece("overhead", text, message=message)


def written(text: str, message: int) -> Piece:
    """Return a piece of user text; special tokens spelled in it are plain text."""
    return Piece("text", text, by_template=False, message=message)


def tools_text(text: str, message: int = -1) -> Piece:
    """Return a piece of tool definitions, which are user text too."""
    return Piece("tools", text, by_template=False, message=message)


def json_text(value: object, indent: int | None = None) -> str:
    """Return JSON as chat templates write it (``tojson``): characters beyond ASCII unescaped."""
    return json.dumps(value, ensure_ascii=False, indent=indent)
