"""OpenAI's chat models: a formula instead of a text, because the rendered messages are not published.

Source: OpenAI's cookbook, "How to count tokens with tiktoken", section 6: 3 for every message, 1 for a name, 3 for the
beginning of the reply. The text shown is the ChatML that each of these threes stands for: beginning, separator and end
of a message. The cookbook's example has 129 tokens in cl100k_base and 124 in o200k_base, equal to the API.

Source of the cost of calls and their results: gpt-tokenizer. A message with the role ``function`` has the name of the
function instead of its role; a call has 3 in addition to its name and arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.requests.template import Surroundings, Template, overhead, written
from engine.requests.tools import SYSTEM_ROLES, UNSURE_TOKENS, json_text, tools_tokens
from engine.requests.types import Grade, Message, Piece, Request

START, SEPARATOR, END = "<|im_start|>", "<|im_sep|>", "<|im_end|>"


def render(request: Request, around: Surroundings) -> Iterator[Piece]:
    """Yield the pieces of a request."""
    tools = tools_tokens(request, around.encoding, around.count)
    padded = _first_system(request) if tools.pads_system else None
    for number, message in enumerate(request.messages):
        yield from _header(message, number)
        yield written(message.content, number)
        if number == padded and message.content and not message.content.endswith("\n"):
            yield overhead("\n", number)
        yield from _calls(message, number, around.count)
        yield overhead(END, number)
    if request.tools:
        listed = json_text([tool.as_json() for tool in request.tools])
        spread = UNSURE_TOKENS * len(request.tools) if tools.grade == "estimate" else 0
        yield Piece(
            *("tools", listed, False, tools.tokens, -1, tools.grade, tools.note),
            less=min(spread, tools.tokens),
            more=spread,
        )
    yield overhead(f"{START}assistant{SEPARATOR}")


def _first_system(request: Request) -> int | None:
    places = (number for number, message in enumerate(request.messages) if message.role in SYSTEM_ROLES)
    return next(places, None)


def _header(message: Message, number: int) -> Iterator[Piece]:
    name = Piece("overhead", message.name, by_template=False, message=number)
    if message.role == "function" and message.name:
        yield overhead(START, number)
        yield name
    else:
        yield overhead(f"{START}{message.role}", number)
        if message.name:
            yield Piece("overhead", " name=", tokens=1, message=number)
            yield name
    yield overhead(SEPARATOR, number)


def _calls(message: Message, number: int, count: Callable[[str], int]) -> Iterator[Piece]:
    """Yield the pieces of a message's calls. The cost of ``tool_calls`` is not published: they are counted like a
    ``function_call``, which has no ID. The range allows for the ID with a mark on each side of it."""
    for call in message.tool_calls:
        grade: Grade = "estimate" if call.call_id else "formula"
        less, more = (2, count(call.call_id) + 2) if call.call_id else (0, 0)
        yield Piece("overhead", " to=functions.", True, 2, number, grade, less=less, more=more)
        yield written(call.name, number)
        yield Piece("overhead", " ", tokens=1, message=number, grade=grade)
        yield written(call.arguments, number)


TEMPLATE = Template(
    key="openai",
    label="OpenAI chat (formula)",
    render=render,
    encoding="o200k_base",
    other_encodings=frozenset({"cl100k_base"}),
    special=frozenset((START, SEPARATOR, END)),
    grade="formula",
    tools="formula",
    images="gpt-4o",
    remark="OpenAI does not publish what messages become. The formula is its own, and, as it says, an approximation.",
    source="OpenAI cookbook, How to count tokens with tiktoken",
)
