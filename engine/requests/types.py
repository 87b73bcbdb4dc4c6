"""What a request is, what it is rendered to, and what that counts. Importing this module costs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["overhead", "tools", "images", "text"]
"""What tokens are for: the framing of messages, the definitions of tools, images, what somebody wrote."""

KINDS: tuple[Kind, ...] = ("overhead", "tools", "images", "text")

Grade = Literal["exact", "formula", "estimate"]
"""How far the count of a part can be trusted, best first.

``exact``: the tokens of the rendered text. ``formula``: a published rule of arithmetic. ``estimate``: nobody has
published a rule, or it does not cover the case.
"""

GRADES: tuple[Grade, ...] = ("exact", "formula", "estimate")


@dataclass(frozen=True, slots=True)
class Image:
    """An image by its size in pixels; 0 by 0 where nobody knows. ``detail``: ``auto``, ``low``, ``high``, or a word of
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
    where no tool may be called. ``forced_tool``: the name of the one that must be, empty for none."""

    messages: tuple[Message, ...] = ()
    tools: tuple[Tool, ...] = ()
    model: str = ""
    tool_choice: Literal["auto", "none"] = "auto"
    forced_tool: str = ""

    @property
    def awaits_reply(self) -> bool:
        """Whether the model is to speak next. A line of training data ends with its reply."""
        return not self.messages or self.messages[-1].role not in ("assistant", "model")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a rendered request.

    ``by_template``: whether the template wrote it, so that text of special tokens in it is special tokens; elsewhere it
    is plain text. ``tokens``: what a formula counts for it, None where the text is encoded. ``message``: the place of
    the message it belongs to, -1 for none. ``note``: what should be known of the count, a sentence or more.
    """

    kind: Kind
    text: str
    by_template: bool = True
    tokens: int | None = None
    message: int = -1
    grade: Grade | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """All tokens of one kind, and how far their number can be trusted."""

    kind: Kind
    tokens: int
    grade: Grade


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
    """Text of a special token in what somebody wrote. It is counted as plain text, which keeps it from being taken for
    the token. ``message``: the place of the message."""

    message: int
    text: str
    occurrences: int


@dataclass(frozen=True, slots=True)
class Tally:
    """What a request counts. ``parts``: one for each of ``KINDS``, in that order."""

    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """All tokens."""
        return sum(part.tokens for part in self.parts)

    @property
    def grade(self) -> Grade:
        """That of the least trusted part which has tokens."""
        worst = max((GRADES.index(part.grade) for part in self.parts if part.tokens), default=0)
        return GRADES[worst]

    def of(self, kind: Kind) -> Part:
        """The part of a kind."""
        return self.parts[KINDS.index(kind)]


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
