"""Reading untrusted JSON schemas: a value of the wrong type counts as absent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


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
