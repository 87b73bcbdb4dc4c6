"""How tools are written for models, and what OpenAI counts for them by the published approximations.

``namespace`` writes tools as the TypeScript-like declarations that OpenAI's models are shown. Source: openai/harmony,
docs/format.md, "Function calling"; the same rendering is known from hmarr/openai-chat-tokens.

``rendered`` writes functions as hmarr/openai-chat-tokens and gpt-tokenizer do, to count what OpenAI bills for them. It
is like ``namespace``, which is what gpt-oss is really shown, but nested objects are indented, and the descriptions
inside of them are left out: only functions and their own parameters keep theirs.

``tools_tokens`` gives what OpenAI counts for tools, by the two approximations that are published:

* *The cookbook* ("How to count tokens with tiktoken", section 7) was measured on tools that are described, with
  parameters that are texts, numbers or enumerations and described too: 101 for its weather example in o200k_base, 105
  in cl100k_base, as the API says. Such tools are counted so.
* *The rendering* (hmarr/openai-chat-tokens, gpt-tokenizer) was measured on all others: without descriptions, without
  parameters, nested. Those are counted by it (``rendered``), with its constants. Where the schema is nested that is an
  estimate.

The two disagree by a few tokens on the same tool; ``ToolsCount.note`` tells which one a number follows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from engine.requests.types import Grade, Request, Tool


def text_of(schema: Mapping[str, Any], key: str) -> str:
    """A member that should be a text."""
    value = schema.get(key)
    return value if isinstance(value, str) else ""


def properties_of(schema: Mapping[str, Any] | None) -> dict[str, Mapping[str, Any]]:
    """The properties of an object, by name."""
    found = (schema or {}).get("properties")
    if not isinstance(found, Mapping):
        return {}
    return {name: value if isinstance(value, Mapping) else {} for name, value in found.items()}


def required_of(schema: Mapping[str, Any]) -> frozenset[str]:
    """The names of the properties that must be there."""
    found = schema.get("required")
    return frozenset(name for name in found if isinstance(name, str)) if isinstance(found, list) else frozenset()


def choices_of(schema: Mapping[str, Any]) -> list[Any]:
    """What an enumeration lists."""
    found = schema.get("enum")
    return found if isinstance(found, list) else []


def type_of(schema: Mapping[str, Any]) -> str:
    """The name of the type; of several, joined by `` | ``."""
    found = schema.get("type")
    if isinstance(found, list):
        return " | ".join(name for name in found if isinstance(name, str))
    return found if isinstance(found, str) else ""


def json_text(value: object, indent: int | None = None) -> str:
    """JSON as chat templates write it (``tojson``): characters beyond ASCII as they are."""
    return json.dumps(value, ensure_ascii=False, indent=indent)


# --- tools ------------------------------------------------------------------------------------------------------------


DEEPEST = 40
"""Types that are nested deeper are written as ``any``."""


def namespace(tools: Sequence[Tool]) -> str:
    """All tools in the namespace ``functions``."""
    body = "\n\n".join(_declaration(tool) for tool in tools)
    return f"namespace functions {{\n\n{body}\n\n}} // namespace functions"


def _declaration(tool: Tool) -> str:
    lines = [f"// {line}" for line in tool.description.splitlines()]
    if properties_of(tool.parameters):
        lines.append(f"type {tool.name} = (_: {_object(tool.parameters or {}, 0)}) => any;")
    else:
        lines.append(f"type {tool.name} = () => any;")
    return "\n".join(lines)


def _object(schema: Mapping[str, Any], depth: int) -> str:
    required = required_of(schema)
    lines = ["{"]
    for name, value in properties_of(schema).items():
        lines += [f"// {line}" for line in text_of(value, "description").splitlines()]
        mark = "" if name in required else "?"
        default = f" // default: {_plain(value['default'])}" if "default" in value else ""
        lines.append(f"{name}{mark}: {_type(value, depth + 1)},{default}")
    return "\n".join([*lines, "}"])


def _type(schema: Mapping[str, Any], depth: int) -> str:
    if depth > DEEPEST:
        return "any"
    choices = choices_of(schema)
    if choices:
        return " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)
    variants = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(variants, list) and variants:
        return " | ".join(_type(variant, depth + 1) for variant in variants if isinstance(variant, Mapping)) or "any"
    name = type_of(schema)
    if name == "object":
        return _object(schema, depth) if properties_of(schema) else "object"
    if name == "array":
        items = schema.get("items")
        return f"{_type(items, depth + 1)}[]" if isinstance(items, Mapping) else "any[]"
    return {"integer": "number"}.get(name, name) or "any"


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_INDENT = 2


def rendered(tools: Sequence[Tool]) -> str:
    """Return all tools in the namespace ``functions``."""
    lines = ["namespace functions {", ""]
    for tool in tools:
        if tool.description:
            lines.append(f"// {tool.description}")
        if properties_of(tool.parameters):
            lines += [f"type {tool.name} = (_: {{", _properties(tool.parameters or {}, 0), "}) => any;", ""]
        else:
            lines += [f"type {tool.name} = () => any;", ""]
    return "\n".join([*lines, "} // namespace functions"])


def _properties(schema: Mapping[str, Any], indent: int) -> str:
    required, margin = required_of(schema), " " * indent
    lines = []
    for name, value in properties_of(schema).items():
        description = text_of(value, "description")
        if description and indent < _INDENT:
            lines.append(f"{margin}// {description}")
        lines.append(f"{margin}{name}{'' if name in required else '?'}: {_function_type(value, indent)},")
    return "\n".join(lines)


def _function_type(schema: Mapping[str, Any], indent: int, depth: int = 0) -> str:
    if indent + depth > _INDENT * DEEPEST:
        return "any"
    variants = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(variants, list) and variants:
        return (
            " | ".join(_function_type(one, indent, depth + 1) for one in variants if isinstance(one, Mapping)) or "any"
        )
    name = type_of(schema)
    if choices := choices_of(schema):
        return " | ".join(_choice(choice, name) for choice in choices)
    if name == "array":
        items = schema.get("items")
        return f"{_function_type(items, indent, depth + 1)}[]" if isinstance(items, Mapping) else "any[]"
    if name == "object":
        return f"{{\n{_properties(schema, indent + _INDENT)}\n{' ' * indent}}}"
    return {"integer": "number"}.get(name, name) or "any"


def _choice(choice: object, type_name: str) -> str:
    if type_name in ("integer", "number") and isinstance(choice, str):
        return choice
    return json.dumps(choice, ensure_ascii=False)


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
