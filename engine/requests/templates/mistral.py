"""Mistral's instruct models with the Tekken vocabulary, version 7 of their format.

Source: mistral-common, tokens/tokenizers/instruct.py (InstructTokenizerV7): no whitespace around marks, tools before
the last user message, an end mark after each reply.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.requests.template import Surroundings, Template, json_text, overhead, tools_text, written
from engine.requests.types import Message, Piece, Request

BEGIN, END = "<s>", "</s>"
SYSTEM, SYSTEM_END = "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"
USER, USER_END = "[INST]", "[/INST]"
TOOLS, TOOLS_END = "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"
CALLS = "[TOOL_CALLS]"
RESULTS, RESULTS_END = "[TOOL_RESULTS]", "[/TOOL_RESULTS]"


def render(request: Request, around: Surroundings) -> Iterator[Piece]:
    """Yield the pieces of a request."""
    yield overhead(BEGIN)
    last_query = max((at for at, message in enumerate(request.messages) if message.role == "user"), default=-1)
    for number, message in enumerate(request.messages):
        if message.role in ("system", "developer"):
            yield overhead(SYSTEM, number)
            yield written(message.content, number)
            yield overhead(SYSTEM_END, number)
        elif message.role == "assistant":
            yield from _reply(message, number)
        elif message.role == "tool":
            yield overhead(f'{RESULTS}{{"content": ', number)
            yield written(json_text(message.content), number)
            yield overhead(', "call_id": ', number)
            yield written(json_text(message.call_id), number)
            yield overhead(f"}}{RESULTS_END}", number)
        else:
            if request.tools and number == last_query:
                yield Piece("tools", TOOLS)
                yield tools_text(json_text([tool.as_json() for tool in request.tools]))
                yield Piece("tools", TOOLS_END)
            yield overhead(USER, number)
            yield written(message.content, number)
            yield overhead(USER_END, number)


def _reply(message: Message, number: int) -> Iterator[Piece]:
    yield written(message.content, number)
    if message.tool_calls:
        yield overhead(f"{CALLS}[", number)
    for place, call in enumerate(message.tool_calls):
        yield overhead(f'{", " if place else ""}{{"name": ', number)
        yield written(json_text(call.name), number)
        yield overhead(', "arguments": ', number)
        yield written(call.arguments, number)
        yield overhead(', "id": ', number)
        yield written(json_text(call.call_id), number)
        yield overhead("}", number)
    yield overhead(f"]{END}" if message.tool_calls else END, number)


TEMPLATE = Template(
    key="mistral",
    label="Mistral (Tekken, V7)",
    render=render,
    encoding="tekken",
    special=frozenset((BEGIN, END, SYSTEM, SYSTEM_END, USER, USER_END, TOOLS, TOOLS_END, CALLS, RESULTS, RESULTS_END)),
    grade="exact",
    tools="exact",
    source="mistral-common, InstructTokenizerV7",
)
