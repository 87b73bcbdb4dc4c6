"""What OpenAI counts for tools, by the two approximations that are published.

*Flat* tools, whose properties are texts, numbers and enumerations, by OpenAI's cookbook ("How to count tokens with
tiktoken", section 7), which its API confirms: 101 for the weather example in o200k_base, 105 in cl100k_base. The
cookbook's rule does not look into nested schemas; those go by the TypeScript-like rendering with its constant
(hmarr/openai-chat-tokens): good to a few tokens, so an estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.requests.schema import choices_of, properties_of, text_of, type_of
from engine.requests.types import Grade, Tool
from engine.requests.typescript import namespace

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


def tools_tokens(
    tools: Sequence[Tool], encoding: str, count: Callable[[str], int], has_system: bool
) -> tuple[int, Grade]:
    """The tokens of tools, and whether that is by the confirmed formula. ``encoding``: the name of the encoding that
    ``count`` counts with. ``has_system``: whether the request has a system message."""
    if not tools:
        return 0, "formula"
    if all(_is_flat(tool) for tool in tools):
        return _by_cookbook(tools, encoding, count), "formula"
    return count(namespace(tools)) + RENDERING_TOKENS + SYSTEM_TOKENS * has_system, "estimate"


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


def _is_flat(tool: Tool) -> bool:
    return all(_is_plain(schema) for schema in properties_of(tool.parameters).values())


def _is_plain(schema: Mapping[str, Any]) -> bool:
    return not {"properties", "items", "anyOf", "oneOf", "allOf", "$ref"} & set(schema)
