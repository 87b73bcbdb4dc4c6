"""Values as YAML on one line, the way people write price files."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal

from pricing.types import EditError

Value = str | int | bool | Decimal | date | list["Value"] | dict[str, "Value"] | None
"""What a field can be set to. None is written as ``null``: unknown, or for a model hidden. Text stands as it is where
YAML takes it for the same text, else in quotes. No float: 0.1 is not what it says."""

_PLAIN = re.compile(r"[A-Za-z0-9_./$][^\x00-\x1f:#,\[\]{}\"'&*!|>%@`]*")
_PLAIN_ADDRESS = re.compile(r"https?://[^\s#,\[\]{}\"']+")


def rendered(value: Value) -> str:
    """A value as YAML on one line. Raises EditError for what is no ``Value``, a float for example."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{rendered(name)}: {rendered(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(rendered(item) for item in value) + "]"
    if not isinstance(value, str):
        raise EditError(f"{value!r} cannot be written: give text, a Decimal, a date, a list or a table of such")
    cleaned = " ".join(value.split())
    if (_PLAIN.fullmatch(cleaned) or _PLAIN_ADDRESS.fullmatch(cleaned)) and cleaned.lower() not in {"null", "~"}:
        return cleaned
    return "'" + cleaned.replace("'", "''") + "'"
