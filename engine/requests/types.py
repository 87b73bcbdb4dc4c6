"""Requests, the pieces that they are rendered to, and their counts. Importing this module is cheap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from engine.errors import EngineError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["overhead", "tools", "images", "text"]
"""Purposes of tokens: framing of messages, definitions of tools, images, user text."""

KINDS: tuple[Kind, ...] = ("overhead", "tools", "images", "text")

Grade = Literal["exact", "formula", "estimate"]
"""Reliability of the count of a part, best first.

``exact``: the tokens of the rendered text. ``formula``: a published arithmetic rule. ``estimate``: no rule is
published, or it does not cover the case.
"""

GRADES: tuple[Grade, ...] = ("exact", "formula", "estimate")


def least_sure_grade(grades: Iterable[Grade]) -> Grade:
    """Return the grade of a sum whose parts have these grades; ``exact`` if there are none."""
    return max(grades, key=GRADES.index, default="exact")


@dataclass(frozen=True, slots=True)
class Image:
    """An image by its size in pixels; 0 by 0 if unknown. ``detail``: ``auto``, ``low``, ``high``, or a value of the
    vendor's own. ``name``: its source."""

    width: int
    height: int
    detail: str = "auto"
    name: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call made by the model. ``arguments``: JSON text, as it was sent."""

    name: str
    arguments: str
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. ``role``: as in the API (``system``, ``developer``, ``user``, ``assistant``, ``tool``). ``name``: of
    the speaker, or of the tool that answers. ``call_id``: ID of the call that a tool answers."""

    role: str
    content: str = ""
    name: str = ""
    images: tuple[Image, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the model may call. ``parameters``: a JSON schema, None if it has no parameters."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the form that chat templates expect: ``{"type": "function", "function": {...}}``."""
        function: dict[str, Any] = {"name": self.name}
        if self.description:
            function["description"] = self.description
        if self.parameters is not None:
            function["parameters"] = dict(self.parameters)
        return {"type": "function", "function": function}


@dataclass(frozen=True, slots=True)
class Request:
    """Input of one API call. ``model``: as named in the body, empty if it is not. ``tool_choice``: ``none`` if no tool
    may be called. ``forced_tool``: name of the tool that must be called, empty if there is none. ``is_complete``: False
    if parts of the body are missing because they cannot be counted."""

    messages: tuple[Message, ...] = ()
    tools: tuple[Tool, ...] = ()
    model: str = ""
    tool_choice: Literal["auto", "none"] = "auto"
    forced_tool: str = ""
    is_complete: bool = True

    @property
    def awaits_reply(self) -> bool:
        """True if the model is to speak next. A line of training data ends with its reply."""
        return not self.messages or self.messages[-1].role not in ("assistant", "model")


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a rendered request.

    ``by_template``: True if the template wrote the text, so that special tokens spelled in it are special tokens;
    elsewhere they are plain text. ``tokens``: the count by a formula, None if the text is encoded; the true count may
    be up to ``less`` lower or ``more`` higher. ``message``: index of its message, -1 if it has none. ``note``: remarks
    on the count, in full sentences.
    """

    kind: Kind
    text: str
    by_template: bool = True
    tokens: int | None = None
    message: int = -1
    grade: Grade | None = None
    note: str = ""
    less: int = 0
    more: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """All tokens of one kind, and their reliability: the true count may be up to ``less`` lower or ``more`` higher."""

    kind: Kind
    tokens: int
    grade: Grade
    less: int = 0
    more: int = 0

    @property
    def low(self) -> int:
        """Minimum number of tokens."""
        return self.tokens - self.less

    @property
    def high(self) -> int:
        """Maximum number of tokens."""
        return self.tokens + self.more


@dataclass(frozen=True, slots=True)
class Span:
    """Span of a piece in the rendered text, in UTF-8 bytes. ``special``: True for a special token. ``tokens``: the
    count by a formula, None if the text was encoded."""

    kind: Kind
    byte_start: int
    byte_end: int
    message: int = -1
    special: bool = False
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class SpecialText:
    """Text of a special token in user text. It is counted as plain text, not as the token. ``message``: index of the
    message."""

    message: int
    text: str
    occurrences: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Token counts of a request. ``parts``: one for each of ``KINDS``, in order.

    ``is_complete``: False if parts of the request are not counted. ``own``: the same counts without the range for a
    foreign encoding, None if the encoding is that of the template's models.
    """

    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()
    is_complete: bool = True
    own: Tally | None = None

    @property
    def without_encoding_range(self) -> Tally:
        """The tally without the range for a foreign encoding, for callers whose counting rule already covers it."""
        return self.own or self

    @property
    def tokens(self) -> int:
        """Sum of all parts."""
        return sum(part.tokens for part in self.parts)

    @property
    def grade(self) -> Grade:
        """Grade of the least reliable part that has tokens, or may have; ``estimate`` if parts are not counted."""
        if not self.is_complete:
            return "estimate"
        return least_sure_grade(part.grade for part in self.parts if part.high)

    @property
    def low(self) -> int:
        """Minimum number of tokens of all parts."""
        return sum(part.low for part in self.parts)

    @property
    def high(self) -> int:
        """Maximum number of tokens of all parts; parts that are not counted may add to it."""
        return sum(part.high for part in self.parts)

    def of(self, kind: Kind) -> Part:
        """Return the part of a kind."""
        return self.parts[KINDS.index(kind)]


class TallySum:
    """Sum of several requests. The grade of each part is the lowest of its kind."""

    def __init__(self, tallies: Iterable[Tally] = ()) -> None:
        self._tokens, self._less, self._more = ([0] * len(KINDS) for _ in range(3))
        self._grades: list[Grade] = ["exact"] * len(KINDS)
        self._is_complete = True
        self._own: TallySum | None = None
        for tally in tallies:
            self.add(tally)

    def add(self, tally: Tally) -> None:
        """Add a tally."""
        if tally.own is not None and self._own is None:
            self._own = TallySum([self.tally])
        if self._own is not None:
            self._own.add(tally.without_encoding_range)
        self._is_complete &= tally.is_complete
        for index, part in enumerate(tally.parts):
            self._tokens[index] += part.tokens
            self._less[index] += part.less
            self._more[index] += part.more
            if part.grade != self._grades[index] and part.high:
                self._grades[index] = least_sure_grade((self._grades[index], part.grade))

    @property
    def tally(self) -> Tally:
        """The sum so far, without notes."""
        rows = zip(KINDS, self._tokens, self._grades, self._less, self._more, strict=True)
        own = None if self._own is None else self._own.tally
        return Tally(tuple(Part(*row) for row in rows), (), self._is_complete, own)


@dataclass(frozen=True, slots=True, eq=False)
class CountedRequest:
    """A rendered request with its tokens, in two parallel read-only arrays.

    ``ids``: int32[n], token IDs; -1 for a special token of the template that the encoding does not have, and for a
    count by a formula. ``byte_ends``: int64[n], end offset of each token in ``text``, in UTF-8 bytes. A count by a
    formula is one entry, however many tokens it stands for: ``tally`` has the number. ``span_tokens``: number of tokens
    that begin in each span, by formula or not. ``message_grades``: the grade of the count of each message, overhead
    included.
    """

    text: str
    spans: tuple[Span, ...]
    ids: NDArray[np.int32]
    byte_ends: NDArray[np.int64]
    span_tokens: tuple[int, ...]
    tally: Tally
    special_texts: tuple[SpecialText, ...] = ()
    notes: tuple[str, ...] = field(default=())
    message_grades: tuple[Grade, ...] = ()


# --- errors -----------------------------------------------------------------------------------------------------------


class RequestError(EngineError, ValueError):
    """A body, a line or a file is not a request. The text states the error and its position."""


class TemplateError(EngineError, ValueError):
    """A template cannot be used, or refuses the request. The text states the reason, with the line if it is known."""
