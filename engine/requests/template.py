"""What a template is: a request in, pieces out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from engine.requests.types import Grade, Piece, Request


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a template may ask for. ``count``: tokens of a plain text; ``encoding``: the name of the encoding it counts
    with. ``today``: the day that some templates tell the model. ``special``: texts of its special tokens."""

    count: Callable[[str], int]
    encoding: str
    today: date
    special: frozenset[str] = frozenset()


Render = Callable[[Request, Surroundings], Iterable[Piece]]


@dataclass(frozen=True, slots=True)
class Template:
    """How a family of models is shown a request.

    ``encoding``: the bundled encoding it usually goes with, None where there is none. ``special``: texts of special
    tokens that it writes; where an encoding lacks them, each still counts one. ``grade``: of its overhead, ``tools``:
    of its tools. ``images``: the name of the rule for images where the model's own is not known (``image_rules``), None
    where there is none. ``other_encodings``: further ones of its models; ``foreign_encodings``: those that none of them
    has. ``framing``: the most tokens that overhead of an unpublished form takes, for the request and for each message.
    ``tools_prompt``: the most that an unpublished form of tools adds. ``remark``: what should be known of it, a
    sentence or more. ``source``: where its form is published.
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
        """Return whether its models have this encoding, by the name or by the special tokens that it needs."""
        if encoding in self.foreign_encodings:
            return False
        return encoding == self.encoding or encoding in self.other_encodings or self.special <= special


def overhead(text: str, message: int = -1) -> Piece:
    """Framing that a template writes."""
    return Piece("overhead", text, message=message)


def written(text: str, message: int) -> Piece:
    """User text: special tokens spelled in it are plain text."""
    return Piece("text", text, by_template=False, message=message)


def tools_text(text: str, message: int = -1) -> Piece:
    """Definitions of tools, which are user text too."""
    return Piece("tools", text, by_template=False, message=message)
