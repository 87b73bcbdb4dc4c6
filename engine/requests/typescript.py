"""Tools as the TypeScript-like declarations that OpenAI's models are shown.

Source: openai/harmony, docs/format.md, "Function calling"; the same rendering is known from hmarr/openai-chat-tokens.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from engine.requests.schema import choices_of, properties_of, required_of, text_of, type_of
from engine.requests.types import Tool

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
