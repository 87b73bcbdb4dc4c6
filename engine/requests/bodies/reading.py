"""Parsing of API bodies: JSON from untrusted sources.

``parse`` decodes the JSON and reports errors with line and column. ``Reader`` extracts values: each is checked for its
type, and unknown parts are recorded with their path (``UnknownPart``).
"""

from __future__ import annotations

import json
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from engine.requests.images import size_in_base64, size_in_data_url
from engine.requests.types import Image, RequestError, Tool

MAX_DIGITS = 4000
"""Maximum number of digits of a number. Python refuses longer ones with an error of its own."""

Path = Sequence[str | int]


class BodyError(Exception):
    """Error about the value at ``path``. Never leaves this package: ``located`` converts it to a RequestError."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = tuple(path)


def parse(text: str) -> Any:
    """Return the value of a JSON text. Raises RequestError if it is invalid."""
    try:
        return json.loads(text, parse_int=_whole_number, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise RequestError(f"line {error.lineno}, column {error.colno}: not valid JSON: {error.msg}") from None
    except RecursionError:
        raise RequestError("nested too deeply for a request") from None


def decoded(data: bytes) -> str:
    """Return the text of a file. Raises RequestError if it is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RequestError(f"not valid UTF-8: byte 0x{data[error.start]:02x} at offset {error.start:,}") from None


def located(error: BodyError, text: str) -> RequestError:
    """Return the error with line and column of the value in ``text``."""
    name = spelled(error.path) or "the body"
    offset = offset_of(text, error.path)
    line = text.count("\n", 0, offset) + 1
    column = offset - text.rfind("\n", 0, offset)
    return RequestError(f"line {line}, column {column}: {name} {error}")


def spelled(path: Path) -> str:
    """Return a path in its usual notation: ``messages[2].content``."""
    parts = [f"[{step}]" if isinstance(step, int) else f".{step:.40}" for step in path]
    return "".join(parts).removeprefix(".")


def offset_of(text: str, path: Path) -> int:
    """Return the character offset, in valid JSON, of the value at a path, or of the nearest enclosing value if the path
    does not exist. For a duplicate key, the last one is used."""
    scan = json.JSONDecoder(parse_int=str).raw_decode
    offset = _past_space(text, 0)
    for step in path:
        found = -1
        for key, start in _children(text, offset, scan):
            if key == step:
                found = start
        if found < 0:
            break
        offset = found
    return offset


def _children(text: str, offset: int, scan: Any) -> Any:
    """Yield the keys or indices of the members of the value at ``offset``, with their character offsets."""
    opening = text[offset : offset + 1]
    if opening not in ("{", "["):
        return
    offset = _past_space(text, offset + 1)
    number = 0
    while text[offset : offset + 1] not in ("}", "]", ""):
        key: str | int = number
        if opening == "{":
            key, offset = scan(text, offset)
            offset = _past_space(text, _past_space(text, offset) + 1)
        yield key, offset
        _, offset = scan(text, offset)
        offset = _past_space(text, offset)
        if text[offset : offset + 1] == ",":
            offset = _past_space(text, offset + 1)
        number += 1


def _past_space(text: str, offset: int) -> int:
    while text[offset : offset + 1] in (" ", "\t", "\n", "\r", "\ufeff") and offset < len(text):
        offset += 1
    return offset


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= MAX_DIGITS else float("-inf" if digits[0] == "-" else "inf")


def _refuse(constant: str) -> NoReturn:
    raise RequestError(f"{constant} is not a JSON number")


Step = tuple[str | int, ...]

DEEPEST_SCHEMA = 100
"""Maximum nesting depth of the schema of a tool."""

LONGEST_WORD = 64
"""Maximum length of a setting's value, in characters. A longer text, or one with a space, is not a setting."""


@dataclass(frozen=True, slots=True)
class UnknownPart:
    """A part of a body that is not counted. ``path``: its path in the body, like ``messages[2].content[1]``; ``what``:
    its type; ``json``: the part itself."""

    path: str
    what: str
    json: str


@dataclass(slots=True)
class Reader:
    """Extracts the values of one body, and collects unknown parts. Every method raises BodyError."""

    unknown: list[UnknownPart] = field(default_factory=list)

    def keep(self, value: object, path: Step, what: str) -> None:
        """Record a part that is not counted."""
        self.unknown.append(UnknownPart(spelled(path), what, json.dumps(value, ensure_ascii=False)))

    def keep_rest(self, of: dict[str, Any], known: Set[str], path: Step) -> None:
        """Record the unknown members of a message or a part. Numbers and booleans are skipped, as they are not text."""
        for key, value in of.items():
            if key not in known and value and not isinstance(value, bool | int | float):
                self.keep(value, (*path, key), key)

    def keep_beside_settings(self, body: dict[str, Any], known: Set[str]) -> None:
        """Record the unknown members of a body. A single word is skipped, as it is a setting or a name."""
        self.keep_rest({key: value for key, value in body.items() if not _is_word(value)}, known, ())

    def keep_schema(self, value: object, path: Step) -> None:
        """Record the response format if it has a schema, which the model is shown."""
        if isinstance(value, dict) and any(isinstance(value.get(key), dict) for key in ("schema", "json_schema")):
            self.keep(value, path, "schema of the reply")

    def members(self, value: object, path: Step) -> dict[str, Any]:
        """Return a value that must be a JSON object."""
        if not isinstance(value, dict):
            raise BodyError(path, f"must be an object, not {_kind(value)}")
        return value

    def items(self, value: object, path: Step) -> list[Any]:
        """Return a value that must be a JSON array."""
        if not isinstance(value, list):
            raise BodyError(path, f"must be a list, not {_kind(value)}")
        return value

    def text(self, value: object, path: Step) -> str:
        """Return a value that must be a JSON string."""
        if not isinstance(value, str):
            raise BodyError(path, f"must be a text, not {_kind(value)}")
        return value

    def optional_text(self, of: dict[str, Any], key: str, path: Step) -> str:
        """Return a member that must be a string; "" if it is absent or null."""
        value = of.get(key)
        return "" if value is None else self.text(value, (*path, key))

    def required(self, of: dict[str, Any], key: str, path: Step) -> Any:
        """Return a member that must be present."""
        if key not in of:
            raise BodyError(path, f"has no {key!r}")
        return of[key]

    def required_text(self, of: dict[str, Any], key: str, path: Step) -> str:
        """Return a member that must be present and a string."""
        return self.text(self.required(of, key, path), (*path, key))

    def tool(self, function: dict[str, Any], path: Step, schema_key: str = "parameters") -> Tool:
        """Return a tool with its name, description and schema."""
        name = self.required_text(function, "name", path)
        schema = function.get(schema_key)
        if schema is not None:
            self.members(schema, (*path, schema_key))
            if _is_deeper(schema, DEEPEST_SCHEMA):
                raise BodyError((*path, schema_key), f"is nested more than {DEEPEST_SCHEMA} deep")
        return Tool(name, self.optional_text(function, "description", path), schema)

    def tool_choice(self, body: dict[str, Any]) -> tuple[Literal["auto", "none"], str]:
        """Return the tools that an OpenAI body allows, ``none`` or ``auto``, and the name of a tool that the model must
        call, empty for any. The choice is in ``tool_choice``, or in the older ``function_call``."""
        choice = body.get("tool_choice") or body.get("function_call")
        if isinstance(choice, dict):
            inner = choice.get("function")
            name = (inner if isinstance(inner, dict) else choice).get("name")
            return "auto", name if isinstance(name, str) else ""
        return "none" if choice == "none" else "auto", ""

    def arguments(self, value: object) -> str:
        """Return the arguments of a call as JSON text. OpenAI sends them as text, other APIs as an object."""
        if value is None:
            return ""
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    def image_at(self, url: str, detail: str) -> Image:
        """Return an image by its URL, with its size if the URL contains the image."""
        width, height = size_in_data_url(url) or (0, 0)
        name = "embedded" if url.startswith("data:") else url[:200]
        return Image(width, height, detail or "auto", name)

    def image_of(self, data: str) -> Image:
        """Return an image that is embedded in base64."""
        width, height = size_in_base64(data) or (0, 0)
        return Image(width, height, name="embedded")


def _is_word(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_WORD and len(value.split()) == 1


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    names = {dict: "an object", list: "a list", str: "a text", int: "a number", float: "a number"}
    return names[type(value)]


def _is_deeper(value: object, most: int) -> bool:
    """Return whether a JSON value is nested more than ``most`` deep. Visits each value once, without recursion."""
    level = [value]
    for _ in range(most):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True
