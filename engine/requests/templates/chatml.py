"""ChatML as open models use it: a line with the role, the content, an end mark and a newline.

Source: the chat template named ``chatml`` in Hugging Face's libraries.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.requests.template import Surroundings, Template, overhead, tools_text, written
from engine.requests.tools import json_text
from engine.requests.types import Piece, Request

START, END = "<|im_start|>", "<|im_end|>"


def render(request: Request, around: Surroundings) -> Iterator[Piece]:
    """Yield the pieces of a request."""
    if request.tools:
        yield overhead(f"{START}system\n")
        yield tools_text("\n".join(json_text(tool.as_json()) for tool in request.tools))
        yield overhead(f"{END}\n")
    for number, message in enumerate(request.messages):
        yield overhead(f"{START}{message.role}\n", number)
        yield written(message.content, number)
        for call in message.tool_calls:
            yield overhead("\n", number)
            yield written(json_text({"name": call.name, "arguments": call.arguments}), number)
        yield overhead(f"{END}\n", number)
    if request.awaits_reply:
        yield overhead(f"{START}assistant\n")


TEMPLATE = Template(
    key="chatml",
    label="ChatML",
    render=render,
    encoding="qwen",
    special=frozenset((START, END)),
    grade="exact",
    tools="estimate",
    remark="ChatML has no form for tools: they are counted as JSON in a system message of their own.",
    source="Hugging Face chat templates, chatml",
)
