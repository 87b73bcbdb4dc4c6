"""Messages without framing, for models with unpublished overhead, such as Claude and Gemini.

Anthropic documents that framing and tools add tokens, and offers a service that counts them; so does Google with
``countTokens``. All tokens beyond the text are therefore an estimate here. For "Hi" Anthropic counts 8 and Bedrock 24,
so up to 23 are framing; each further message takes a few more.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.library.bundled_encodings import ENTRIES
from engine.requests.template import Surroundings, Template, overhead, tools_text, written
from engine.requests.tools import json_text
from engine.requests.types import Piece, Request

VOCABULARIES = frozenset({"gemma", "gemma3", "kimi", "qwen3_5"})
"""Bundled vocabularies of models whose framing is not published: Gemini, Kimi, Qwen 3.5 and later."""


def render(request: Request, around: Surroundings) -> Iterator[Piece]:
    """Yield the pieces of a request, with a blank line between messages."""
    for number, message in enumerate(request.messages):
        if number:
            yield overhead("\n\n", number)
        yield written(message.content, number)
        for call in message.tool_calls:
            yield overhead("\n", number)
            yield written(f"{call.name}({call.arguments})", number)
    for tool in request.tools:
        yield overhead("\n\n")
        yield tools_text(json_text(tool.as_json()))


TEMPLATE = Template(
    key="alone",
    label="Messages alone (Claude, Gemini)",
    render=render,
    encoding="o200k_base",
    special=frozenset(),
    grade="estimate",
    tools="estimate",
    images="claude",
    other_encodings=VOCABULARIES,
    foreign_encodings=frozenset(entry.name for entry in ENTRIES) - VOCABULARIES,
    framing=(20, 5),
    tools_prompt=530,
    remark=(
        "How this vendor frames messages and tools is not published. Tools also bring a system prompt of the vendor's: "
        "159 to 530 tokens with Claude 3."
    ),
    source="Anthropic, Token counting",
)
