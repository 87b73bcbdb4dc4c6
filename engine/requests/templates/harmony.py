"""Harmony, the format of gpt-oss.

Source: openai/harmony, docs/format.md. Its standard system message has 61 tokens, 75 with the sentence on tools; the
developer message adds 7 to its instructions.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from engine.requests.template import Surroundings, Template, overhead, tools_text, written
from engine.requests.tools import namespace
from engine.requests.types import Message, Piece, Request

START, CHANNEL, CONSTRAIN, BODY = "<|start|>", "<|channel|>", "<|constrain|>", "<|message|>"
END, CALL = "<|end|>", "<|call|>"


def render(request: Request, around: Surroundings) -> Iterator[Piece]:
    """Yield the pieces of a request. Instructions and tools go into one developer message."""
    yield overhead(f"{START}system{BODY}{system_text(around.today, bool(request.tools))}{END}")
    yield from _developer(request)
    called = {call.call_id: call.name for message in request.messages for call in message.tool_calls}
    for number, message in enumerate(request.messages):
        if message.role in ("system", "developer"):
            continue
        if message.role == "tool":
            yield overhead(f"{START}", number)
            yield written(f"functions.{message.name or called.get(message.call_id, '')}", number)
            yield overhead(f" to=assistant{CHANNEL}commentary{BODY}", number)
        elif message.role == "assistant":
            yield from _calls(message, number)
            if message.tool_calls and not message.content:
                continue
            yield overhead(f"{START}assistant{CHANNEL}final{BODY}", number)
        else:
            yield overhead(f"{START}{message.role}{BODY}", number)
        yield written(message.content, number)
        yield overhead(END, number)
    if request.awaits_reply:
        yield overhead(f"{START}assistant")


def system_text(today: date, with_tools: bool) -> str:
    """Return the standard system message for a date."""
    text = (
        "You are ChatGPT, a large language model trained by OpenAI.\nKnowledge cutoff: 2024-06\n"
        f"Current date: {today.isoformat()}\n\nReasoning: medium\n\n"
        "# Valid channels: analysis, commentary, final. Channel must be included for every message."
    )
    return f"{text}\nCalls to these tools must go to the commentary channel: 'functions'." if with_tools else text


def _developer(request: Request) -> Iterator[Piece]:
    instructions = [
        (number, message.content)
        for number, message in enumerate(request.messages)
        if message.role in ("system", "developer")
    ]
    if not instructions and not request.tools:
        return
    yield overhead(f"{START}developer{BODY}")
    for place, (number, content) in enumerate(instructions):
        yield overhead("\n\n" if place else "# Instructions\n\n", number)
        yield written(content, number)
    if request.tools:
        if instructions:
            yield overhead("\n\n")
        yield tools_text(f"# Tools\n\n## functions\n\n{namespace(request.tools)}")
    yield overhead(END)


def _calls(message: Message, number: int) -> Iterator[Piece]:
    for call in message.tool_calls:
        yield overhead(f"{START}assistant{CHANNEL}commentary to=functions.", number)
        yield written(call.name, number)
        yield overhead(f" {CONSTRAIN}json{BODY}", number)
        yield written(call.arguments, number)
        yield overhead(CALL, number)


TEMPLATE = Template(
    key="harmony",
    label="Harmony (gpt-oss)",
    render=render,
    encoding="o200k_harmony",
    special=frozenset((START, CHANNEL, CONSTRAIN, BODY, END, CALL)),
    grade="exact",
    tools="exact",
    remark="With the standard system message, which tells the day and asks for medium reasoning.",
    source="openai/harmony, docs/format.md",
)
