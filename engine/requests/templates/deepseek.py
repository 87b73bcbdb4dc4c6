"""DeepSeek V3.

Source: the chat template of DeepSeek V3. From V3.1 on, an end of thinking follows the mark of each reply, one token
more.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.requests.template import Surroundings, Template, json_text, overhead, tools_text, written
from engine.requests.types import Message, Piece, Request

BEGIN, END = "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>"
USER, ASSISTANT = "<｜User｜>", "<｜Assistant｜>"
CALLS, CALLS_END = "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"
CALL, CALL_SEPARATOR, CALL_END = "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"
OUTPUTS, OUTPUTS_END = "<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"
OUTPUT, OUTPUT_END = "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"


def render(request: Request, around: Surroundings) -> Iterator[Piece]:
    """Yield the pieces of a request. All system messages are moved to the beginning."""
    yield overhead(BEGIN)
    has_system = False
    for number, message in enumerate(request.messages):
        if message.role in ("system", "developer"):
            if has_system:
                yield overhead("\n\n", number)
            has_system = True
            yield written(message.content, number)
    if request.tools:
        yield tools_text("\n\n" + "\n".join(json_text(tool.as_json()) for tool in request.tools))
    for number, message in enumerate(request.messages):
        if message.role == "assistant":
            yield from _reply(message, number, number > 0 and request.messages[number - 1].role == "tool")
        elif message.role == "tool":
            yield from _answer(request.messages, number)
        elif message.role not in ("system", "developer"):
            yield overhead(USER, number)
            yield written(message.content, number)
    if request.awaits_reply and not (request.messages and request.messages[-1].role == "tool"):
        yield overhead(ASSISTANT)


def _reply(message: Message, number: int, after_tool: bool) -> Iterator[Piece]:
    if not after_tool:
        yield overhead(ASSISTANT, number)
    yield written(message.content.rpartition("</think>")[2], number)
    for place, call in enumerate(message.tool_calls):
        yield overhead(f"{'' if place else CALLS}{CALL}function{CALL_SEPARATOR}", number)
        yield written(call.name, number)
        yield overhead("\n```json\n", number)
        yield written(call.arguments, number)
        yield overhead(f"\n```{CALL_END}", number)
    yield overhead(f"{CALLS_END if message.tool_calls else ''}{END}", number)


def _answer(messages: tuple[Message, ...], number: int) -> Iterator[Piece]:
    first = number == 0 or messages[number - 1].role != "tool"
    last = number == len(messages) - 1 or messages[number + 1].role != "tool"
    yield overhead(f"{OUTPUTS if first else ''}{OUTPUT}", number)
    yield written(messages[number].content, number)
    yield overhead(f"{OUTPUT_END}{OUTPUTS_END if last else ''}", number)


TEMPLATE = Template(
    key="deepseek",
    label="DeepSeek V3",
    render=render,
    encoding="deepseek",
    special=frozenset(
        (
            *(BEGIN, END, USER, ASSISTANT),
            *(CALLS, CALLS_END, CALL, CALL_SEPARATOR, CALL_END),
            *(OUTPUTS, OUTPUTS_END, OUTPUT, OUTPUT_END),
        )
    ),
    grade="exact",
    tools="estimate",
    remark="This template has no form for tools: they are counted as JSON behind the system message.",
    source="the chat template of DeepSeek V3",
)
