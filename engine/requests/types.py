"""What a request is, what it is rendered to, and what that counts. Importing this module costs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from engine.errors import EngineError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["overhead", "tools", "images", "text"]
"""What tokens are for: the framing of messages, the definitions of tools, images, user text."""

KINDS: tuple[Kind, ...] = ("overhead", "tools", "images", "text")

Grade = Literal["exact", "formula", "estimate"]
"""How far the count of a part can be trusted, best first.

``exact``: the tokens of the rendered text. ``formula``: a published rule of arithmetic. ``estimate``: nobody has
published a rule, or it does not cover the case.
"""

GRADES: tuple[Grade, ...] = ("exact", "formula", "estimate")


def least_sure_grade(grades: Iterable[Grade]) -> Grade:
    """Return the grade of a sum whose parts have these grades; ``exact`` if there are none."""
    return max(grades, key=GRADES.index, default="exact")


@dataclass(frozen=True, slots=True)
class Image:
    """An image by its size in pixels; 0 by 0 if unknown. ``detail``: ``auto``, ``low``, ``high``, or a word of
    the vendor's. ``name``: where it comes from."""

    width: int
    height: int
    detail: str = "auto"
    name: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model made. ``arguments``: JSON text, as it was sent."""

    name: str
    arguments: str
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. ``role``: as in the API (``system``, ``developer``, ``user``, ``assistant``, ``tool``). ``name``: of
    who speaks, or of the tool that answers. ``call_id``: of the call that a tool answers."""

    role: str
    content: str = ""
    name: str = ""
    images: tuple[Image, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the model may call. ``parameters``: a JSON schema, None where it takes none."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """As chat templates take it: ``{"type": "function", "function": {...}}``."""
        function: dict[str, Any] = {"name": self.name}
        if self.description:
            function["description"] = self.description
        if self.parameters is not None:
            function["parameters"] = dict(self.parameters)
        return {"type": "function", "function": function}


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent in one call. ``model``: as the body names it, empty where it does not. ``tool_choice``: ``none``
    where no tool may be called. ``forced_tool``: the name of the one that must be, empty for none. ``is_complete``:
    False where parts of the body are left out, because nothing here can count them."""

    messages: tuple[Message, ...] = ()
    tools: tuple[Tool, ...] = ()
    model: str = ""
    tool_choice: Literal["auto", "none"] = "auto"
    forced_tool: str = ""
    is_complete: bool = True

    @property
    def awaits_reply(self) -> bool:
        """Whether the model is to speak next. A line of training data ends with its reply."""
        return not self.messages or self.messages[-1].role not in ("assistant", "model")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a rendered request.

    ``by_template``: whether the template wrote it, so that text of special tokens in it is special tokens; elsewhere it
    is plain text. ``tokens``: what a formula counts for it, None where the text is encoded; it may be ``less`` fewer or
    ``more`` more. ``message``: the place of the message it belongs to, -1 for none. ``note``: what should be known of
    the count, a sentence or more.
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
    """All tokens of one kind, and how far their number can be trusted: it may be ``less`` fewer or ``more`` more."""

    kind: Kind
    tokens: int
    grade: Grade
    less: int = 0
    more: int = 0

    @property
    def low(self) -> int:
        """The fewest tokens."""
        return self.tokens - self.less

    @property
    def high(self) -> int:
        """The most tokens."""
        return self.tokens + self.more


@dataclass(frozen=True, slots=True)
class Span:
    """Where a piece is in the rendered text, in UTF-8 bytes. ``special``: it is one special token. ``tokens``: what was
    counted for it by formula, None where its tokens are those of the text."""

    kind: Kind
    byte_start: int
    byte_end: int
    message: int = -1
    special: bool = False
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class SpecialText:
    """Text of a special token in user text. It is counted as plain text, which keeps it from being taken for
    the token. ``message``: the place of the message."""

    message: int
    text: str
    occurrences: int


@dataclass(frozen=True, slots=True)
class Tally:
    """What a request counts. ``parts``: one for each of ``KINDS``, in order.

    ``is_complete``: False where parts of the request are left out. ``own``: the same tokens without the range for a
    foreign encoding, where the encoding is not that of the template's models; None where it is.
    """

    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()
    is_complete: bool = True
    own: Tally | None = None

    @property
    def without_encoding_range(self) -> Tally:
        """The tally without the range for a foreign encoding: for callers whose counting rule already covers that."""
        return self.own or self

    @property
    def tokens(self) -> int:
        """All tokens."""
        return sum(part.tokens for part in self.parts)

    @property
    def grade(self) -> Grade:
        """That of the least trusted part which has tokens, or may have; an estimate where parts are left out."""
        if not self.is_complete:
            return "estimate"
        return least_sure_grade(part.grade for part in self.parts if part.high)

    @property
    def low(self) -> int:
        """The fewest tokens of all parts."""
        return sum(part.low for part in self.parts)

    @property
    def high(self) -> int:
        """The most tokens of all parts; parts that are left out may be more."""
        return sum(part.high for part in self.parts)

    def of(self, kind: Kind) -> Part:
        """The part of a kind."""
        return self.parts[KINDS.index(kind)]


class TallySum:
    """The sum of several requests, each part as trusted as the worst of its kind."""

    def __init__(self, tallies: Iterable[Tally] = ()) -> None:
        self._tokens, self._less, self._more = ([0] * len(KINDS) for _ in range(3))
        self._grades: list[Grade] = ["exact"] * len(KINDS)
        self._is_complete = True
        self._own: TallySum | None = None
        for tally in tallies:
            self.add(tally)

    def add(self, tally: Tally) -> None:
        """Add one more."""
        if tally.own is not None and self._own is None:
            self._own = TallySum([self.tally])
        if self._own is not None:
            self._own.add(tally.without_encoding_range)
        self._is_complete &= tally.is_complete
        for place, part in enumerate(tally.parts):
            self._tokens[place] += part.tokens
            self._less[place] += part.less
            self._more[place] += part.more
            if part.grade != self._grades[place] and part.high:
                self._grades[place] = least_sure_grade((self._grades[place], part.grade))

    @property
    def tally(self) -> Tally:
        """What they count by now, without notes."""
        rows = zip(KINDS, self._tokens, self._grades, self._less, self._more, strict=True)
        own = None if self._own is None else self._own.tally
        return Tally(tuple(Part(*row) for row in rows), (), self._is_complete, own)


@dataclass(frozen=True, slots=True, eq=False)
class CountedRequest:
    """A rendered request with its tokens. Two parallel read-only arrays:

    ``ids``: int32[n], token ids; -1 where the encoding does not have the special token of the template, and for what
    a formula counts. ``byte_ends``: int64[n], where each token ends in ``text``, in UTF-8 bytes. What a formula counts
    is one entry, however many tokens it is: ``tally`` has the number. ``span_tokens``: how many tokens begin in each of
    the spans, by formula or not.
    """

    text: str
    spans: tuple[Span, ...]
    ids: NDArray[np.int32]
    byte_ends: NDArray[np.int64]
    span_tokens: tuple[int, ...]
    tally: Tally
    special_texts: tuple[SpecialText, ...] = ()
    notes: tuple[str, ...] = field(default=())


# --- errors -----------------------------------------------------------------------------------------------------------


class RequestError(EngineError, ValueError):
    """A body, a line or a file is no request. The text says what is wrong with it, and where."""


class TemplateError(EngineError, ValueError):
    """A template cannot be used, or refuses the request. The text says why, with the line where that is known."""
