"""OpenAI's chat models: a formula, not a text, since nobody outside sees what their messages become.

Source: OpenAI's cookbook, "How to count tokens with tiktoken", section 6: 3 for every message, 1 for a name, 3 for the
beginning of the reply. The text shown is the ChatML that those threes are: beginning, separator and end of a message.
The cookbook's example is 129 in cl100k_base and 124 in o200k_base, as the API says.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.requests.openai_tools import tools_tokens
from engine.requests.schema import json_text
from engine.requests.template import Surroundings, Template, overhead, written
from engine.requests.types import Message, Piece, Request

START, SEPARATOR, END = "<|im_start|>", "<|im_sep|>", "<|im_end|>"


def render(request: Request, around: Surroundings) -> Iterator[Piece]:
    """One piece after the other."""
    has_system = any(message.role in ("system", "developer") for message in request.messages)
    tokens, grade = tools_tokens(request.tools, around.encoding, around.count, has_system)
    for number, message in enumerate(request.messages):
        yield overhead(f"{START}{message.role}", number)
        if message.name:
            yield Piece("overhead", " name=", tokens=1, message=number)
            yield Piece("overhead", message.name, by_template=False, message=number)
        yield overhead(SEPARATOR, number)
        yield written(message.content, number)
        yield from _calls(message, number)
        yield overhead(END, number)
    if request.tools:
        listed = json_text([tool.as_json() for tool in request.tools])
        yield Piece("tools", listed, by_template=False, tokens=tokens, grade=grade)
    yield overhead(f"{START}assistant{SEPARATOR}")


def _calls(message: Message, number: int) -> Iterator[Piece]:
    """What calls made before cost is not published: their names and arguments, and a guess for the rest."""
    for call in message.tool_calls:
        yield Piece("overhead", " to=functions.", tokens=3, message=number, grade="estimate")
        yield written(call.name, number)
        yield Piece("overhead", " ", tokens=1, message=number, grade="estimate")
        yield written(call.arguments, number)


TEMPLATE = Template(
    key="openai",
    label="OpenAI chat (formula)",
    render=render,
    encoding="o200k_base",
    special=frozenset((START, SEPARATOR, END)),
    grade="formula",
    tools="formula",
    images="gpt-4o",
    remark="OpenAI does not publish what messages become. The formula is its own, and, as it says, an approximation.",
    source="OpenAI cookbook, How to count tokens with tiktoken",
)
