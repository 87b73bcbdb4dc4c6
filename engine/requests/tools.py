"""Rendering of tools for models, and OpenAI's token counts for tools by the published approximations.

``namespace`` renders tools as the TypeScript-like declarations that OpenAI's models are shown. Source: openai/harmony,
docs/format.md, "Function calling"; hmarr/openai-chat-tokens documents the same rendering.

``rendered`` renders functions like hmarr/openai-chat-tokens and gpt-tokenizer, to count the tokens that OpenAI bills
for them. It differs from ``namespace``, which is the text that gpt-oss actually receives, in two ways: nested objects
are indented, and descriptions inside them are omitted. Only functions and their own parameters keep theirs.

``tools_tokens`` returns OpenAI's count for tools by the two published approximations:

* *The cookbook* ("How to count tokens with tiktoken", section 7) was measured on tools with a description, whose
  parameters are strings, numbers or enumerations, also described: 101 for its weather example in o200k_base, 105 in
  cl100k_base, equal to the API. Such tools are counted by it.
* *The rendering* (hmarr/openai-chat-tokens, gpt-tokenizer) was measured on all others: without descriptions, without
  parameters, nested. Those are counted by it (``rendered``), with its constants. For a nested schema the count is an
  estimate.

The two differ by a few tokens on the same tool; ``ToolsCount.note`` names the one that was used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from engine.requests.types import Grade, Request, Tool


def text_of(schema: Mapping[str, Any], key: str) -> str:
    """Return a member that should be a string, "" if it is not."""
    value = schema.get(key)
    return value if isinstance(value, str) else ""


def properties_of(schema: Mapping[str, Any] | None) -> dict[str, Mapping[str, Any]]:
    """Return the properties of an object by name."""
    found = (schema or {}).get("properties")
    if not isinstance(found, Mapping):
        return {}
    return {name: value if isinstance(value, Mapping) else {} for name, value in found.items()}


def required_of(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the required properties."""
    found = schema.get("required")
    return frozenset(name for name in found if isinstance(name, str)) if isinstance(found, list) else frozenset()


def choices_of(schema: Mapping[str, Any]) -> list[Any]:
    """Return the values of an enumeration."""
    found = schema.get("enum")
    return found if isinstance(found, list) else []


def type_of(schema: Mapping[str, Any]) -> str:
    """Return the name of the type; several are joined by `` | ``."""
    found = schema.get("type")
    if isinstance(found, list):
        return " | ".join(name for name in found if isinstance(name, str))
    return found if isinstance(found, str) else ""


def json_text(value: object, indent: int | None = None) -> str:
    """Return JSON as chat templates write it (``tojson``): characters beyond ASCII unescaped."""
    return json.dumps(value, ensure_ascii=False, indent=indent)


# --- tools ------------------------------------------------------------------------------------------------------------


DEEPEST = 40
"""Maximum nesting depth of types; deeper ones are rendered as ``any``."""


def namespace(tools: Sequence[Tool]) -> str:
    """Render all tools in the namespace ``functions``, as the models are shown them."""
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
    """Render all tools in the namespace ``functions``, to count them as OpenAI bills them."""
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
"""Tokens for each function: for the GPT-4o family, and for GPT-4 and GPT-3.5."""

PROPERTIES_TOKENS = 3
PROPERTY_TOKENS = 3
ENUM_TOKENS = -3
ENUM_ITEM_TOKENS = 3
END_TOKENS = 12
RENDERING_TOKENS = 9
SYSTEM_TOKENS = -4
"""If there is a system message, the rendering is in it rather than in a message of its own."""

NO_TOOL_TOKENS = 1
FORCED_TOOL_TOKENS = 4
"""Tokens for the choice of no tool, and for the choice of one by name, in addition to those of the name."""

UNSURE_TOKENS = 10
"""Maximum error of the count of a nested tool, in tokens: the largest error on measured tools."""

SYSTEM_ROLES = ("system", "developer")

COOKBOOK_NOTE = "Tools are counted by the rule of OpenAI's cookbook."
RENDERING_NOTE = (
    "Tools are counted as hmarr/openai-chat-tokens and gpt-tokenizer render them: OpenAI's cookbook only covers tools "
    "that are not nested, and described with all their parameters."
)


class ToolsCount(NamedTuple):
    """Token count of tools, its grade, and a note that names the rule used.

    ``pads_system``: True if the first system message is counted with a line end after it, as the rendering requires.
    """

    tokens: int
    grade: Grade
    note: str = ""
    pads_system: bool = False


def tools_tokens(request: Request, encoding: str, count: Callable[[str], int]) -> ToolsCount:
    """Return the token count of a request's tools and of its tool choice.

    ``encoding``: name of the encoding that ``count`` uses.
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
    """Return the tokens of the tool choice. Source: gpt-tokenizer. The cost of ``required`` is not published."""
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
    """Return whether a tool is of the kind on which the cookbook was measured."""
    properties = properties_of(tool.parameters)
    described = all(text_of(schema, "description") for schema in properties.values())
    return bool(tool.description and properties and described) and _is_flat(tool)


def _is_flat(tool: Tool) -> bool:
    return all(_is_plain(schema) for schema in properties_of(tool.parameters).values())


def _is_plain(schema: Mapping[str, Any]) -> bool:
    return not {"properties", "items", "anyOf", "oneOf", "allOf", "$ref"} & set(schema)
