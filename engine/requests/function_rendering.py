"""Functions as hmarr/openai-chat-tokens and gpt-tokenizer write them, to count what OpenAI bills for them.

Like ``engine.requests.typescript``, which is what gpt-oss is really shown, but nested objects are indented, and the
descriptions inside of them are left out: only functions and their own parameters keep theirs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from engine.requests.schema import choices_of, properties_of, required_of, text_of, type_of
from engine.requests.types import Tool
from engine.requests.typescript import DEEPEST

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
        lines.append(f"{margin}{name}{'' if name in required else '?'}: {_type(value, indent)},")
    return "\n".join(lines)


def _type(schema: Mapping[str, Any], indent: int, depth: int = 0) -> str:
    if indent + depth > _INDENT * DEEPEST:
        return "any"
    variants = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(variants, list) and variants:
        return " | ".join(_type(one, indent, depth + 1) for one in variants if isinstance(one, Mapping)) or "any"
    name = type_of(schema)
    if choices := choices_of(schema):
        return " | ".join(_choice(choice, name) for choice in choices)
    if name == "array":
        items = schema.get("items")
        return f"{_type(items, indent, depth + 1)}[]" if isinstance(items, Mapping) else "any[]"
    if name == "object":
        return f"{{\n{_properties(schema, indent + _INDENT)}\n{' ' * indent}}}"
    return {"integer": "number"}.get(name, name) or "any"


def _choice(choice: object, type_name: str) -> str:
    if type_name in ("integer", "number") and isinstance(choice, str):
        return choice
    return json.dumps(choice, ensure_ascii=False)
