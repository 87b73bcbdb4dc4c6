"""What OpenAI counts for tools, by the two approximations that are published.

*The cookbook* ("How to count tokens with tiktoken", section 7) was measured on tools that are described, with
parameters that are texts, numbers or enumerations and described too: 101 for its weather example in o200k_base, 105 in
cl100k_base, as the API says. Such tools are counted so.

*The rendering* (hmarr/openai-chat-tokens, gpt-tokenizer) was measured on all others: without descriptions, without
parameters, nested. Those are counted by it, with its constants. Where the schema is nested that is an estimate. The two
disagree by a few tokens on the same tool; ``ToolsCount.note`` tells which one a number follows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from engine.requests.function_rendering import rendered
from engine.requests.schema import choices_of, properties_of, text_of, type_of
from engine.requests.types import Grade, Request, Tool

FUNCTION_TOKENS = 7
FUNCTION_TOKENS_CL100K = 10
"""For each function: of the GPT-4o family, and of GPT-4 and GPT-3.5."""

PROPERTIES_TOKENS = 3
PROPERTY_TOKENS = 3
ENUM_TOKENS = -3
ENUM_ITEM_TOKENS = 3
END_TOKENS = 12
RENDERING_TOKENS = 9
SYSTEM_TOKENS = -4
"""With a system message, the rendering stands in it and not in one of its own."""

NO_TOOL_TOKENS = 1
FORCED_TOOL_TOKENS = 4
"""For a choice of no tool, and of one by its name, which is counted too."""

UNSURE_TOKENS = 10
"""Tokens by which the count of a nested tool may be too high or too low: the largest error on measured tools."""

SYSTEM_ROLES = ("system", "developer")

COOKBOOK_NOTE = "Tools are counted by the rule of OpenAI's cookbook."
RENDERING_NOTE = (
    "Tools are counted as hmarr/openai-chat-tokens and gpt-tokenizer render them: OpenAI's cookbook only covers tools "
    "that are not nested, and described with all their parameters."
)


class ToolsCount(NamedTuple):
    """Tokens of tools, how far they can be trusted, and a sentence that names the rule they follow.

    ``pads_system``: whether the first system message is counted with a line end behind it, as the rendering wants it.
    """

    tokens: int
    grade: Grade
    note: str = ""
    pads_system: bool = False


def tools_tokens(request: Request, encoding: str, count: Callable[[str], int]) -> ToolsCount:
    """Return the count of a request's tools and of its choice among them.

    ``encoding``: the name of the encoding that ``count`` counts with.
    """
    tools = request.tools
    if not tools:
        return ToolsCount(0, "formula")
    chosen = _choice_tokens(request, count)
    if all(_is_described(tool) for tool in tools):
        return ToolsCount(chosen + _by_cookbook(tools, encoding, count), "formula", COOKBOOK_NOTE)
    has_system = any(message.role in SYSTEM_ROLES for message in request.messages)
    tokens = count(rendered(tools)) + RENDERING_TOKENS + SYSTEM_TOKENS * has_system
    is_flat = all(_is_flat(tool) for tool in tools)
    return ToolsCount(chosen + tokens, "formula" if is_flat else "estimate", RENDERING_NOTE, True)


def _choice_tokens(request: Request, count: Callable[[str], int]) -> int:
    """Source: gpt-tokenizer. What ``required`` costs is not published."""
    if request.forced_tool:
        return FORCED_TOOL_TOKENS + count(request.forced_tool)
    return NO_TOOL_TOKENS if request.tool_choice == "none" else 0


def _by_cookbook(tools: Sequence[Tool], encoding: str, count: Callable[[str], int]) -> int:
    total = END_TOKENS
    for tool in tools:
        total += FUNCTION_TOKENS_CL100K if encoding == "cl100k_base" else FUNCTION_TOKENS
        total += count(f"{tool.name}:{tool.description.removesuffix('.')}")
        properties = properties_of(tool.parameters)
        if properties:
            total += PROPERTIES_TOKENS
        for name, schema in properties.items():
            total += PROPERTY_TOKENS
            if "enum" in schema:
                total += ENUM_TOKENS
                total += sum(ENUM_ITEM_TOKENS + count(str(item)) for item in choices_of(schema))
            description = text_of(schema, "description").removesuffix(".")
            total += count(f"{name}:{type_of(schema)}:{description}")
    return total


def _is_described(tool: Tool) -> bool:
    """Return whether a tool is of the kind that the cookbook measured."""
    properties = properties_of(tool.parameters)
    described = all(text_of(schema, "description") for schema in properties.values())
    return bool(tool.description and properties and described) and _is_flat(tool)


def _is_flat(tool: Tool) -> bool:
    return all(_is_plain(schema) for schema in properties_of(tool.parameters).values())


def _is_plain(schema: Mapping[str, Any]) -> bool:
    return not {"properties", "items", "anyOf", "oneOf", "allOf", "$ref"} & set(schema)
