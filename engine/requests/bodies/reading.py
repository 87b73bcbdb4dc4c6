"""Taking the body of an API call apart: JSON that strangers send.

``parse`` reads the JSON: what is wrong ends in a sentence with line and column. ``Reader`` takes the body apart: every
value is checked for its kind, and what is not known here is kept and named (``UnknownPart``).
"""

from __future__ import annotations

import json
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from engine.requests.images import size_in_base64, size_in_data_url
from engine.requests.types import Image, RequestError, Tool

MOST_DIGITS = 4000
"""Python refuses to read a number of more digits, with an error of its own."""

Path = Sequence[str | int]


class PlaceError(Exception):
    """Something about the value at ``path``. Never leaves this package: ``located`` turns it into a RequestError."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = tuple(path)


def parse(text: str) -> Any:
    """The value. RequestError."""
    try:
        return json.loads(text, parse_int=_whole_number, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise RequestError(f"line {error.lineno}, column {error.colno}: it is not JSON: {error.msg}") from None
    except RecursionError:
        raise RequestError("it is nested deeper than any request") from None


def decoded(data: bytes) -> str:
    """The text of a file. RequestError."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RequestError(f"it is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start:,}") from None


def located(error: PlaceError, text: str) -> RequestError:
    """The same error with line and column of its value in ``text``."""
    name = spelled(error.path) or "the body"
    offset = offset_of(text, error.path)
    line = text.count("\n", 0, offset) + 1
    column = offset - text.rfind("\n", 0, offset)
    return RequestError(f"line {line}, column {column}: {name} {error}")


def spelled(path: Path) -> str:
    """A path as people write it: ``messages[2].content``."""
    parts = [f"[{step}]" if isinstance(step, int) else f".{step:.40}" for step in path]
    return "".join(parts).removeprefix(".")


def offset_of(text: str, path: Path) -> int:
    """Where in a text of valid JSON the value at a path begins; the nearest one around it where there is none. Of a key
    that is there twice, the last."""
    scan = json.JSONDecoder(parse_int=str).raw_decode
    place = _past_space(text, 0)
    for step in path:
        found = -1
        for key, start in _children(text, place, scan):
            if key == step:
                found = start
        if found < 0:
            break
        place = found
    return place


def _children(text: str, place: int, scan: Any) -> Any:
    """Keys or numbers of the members of the value at ``place``, with where they begin."""
    opening = text[place : place + 1]
    if opening not in ("{", "["):
        return
    place = _past_space(text, place + 1)
    number = 0
    while text[place : place + 1] not in ("}", "]", ""):
        key: str | int = number
        if opening == "{":
            key, place = scan(text, place)
            place = _past_space(text, _past_space(text, place) + 1)
        yield key, place
        _, place = scan(text, place)
        place = _past_space(text, place)
        if text[place : place + 1] == ",":
            place = _past_space(text, place + 1)
        number += 1


def _past_space(text: str, place: int) -> int:
    while text[place : place + 1] in (" ", "\t", "\n", "\r", "\ufeff") and place < len(text):
        place += 1
    return place


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= MOST_DIGITS else float("-inf" if digits[0] == "-" else "inf")


def _refuse(constant: str) -> NoReturn:
    raise RequestError(f"{constant} is no JSON number")


Step = tuple[str | int, ...]

DEEPEST_SCHEMA = 100
"""No schema of a tool is nested deeper."""

LONGEST_WORD = 64
"""Characters. What is longer, or has a space in it, is no value of a setting."""


@dataclass(frozen=True, slots=True)
class UnknownPart:
    """A part of a body that is not counted. ``place``: like ``messages[2].content[1]``; ``what``: its type; ``json``:
    the part itself."""

    place: str
    what: str
    json: str


@dataclass(slots=True)
class Reader:
    """Reads one body; collects what it does not know. Every method raises PlaceError."""

    unknown: list[UnknownPart] = field(default_factory=list)

    def keep(self, value: object, path: Step, what: str) -> None:
        """Keep a part that is not counted."""
        self.unknown.append(UnknownPart(spelled(path), what, json.dumps(value, ensure_ascii=False)))

    def keep_rest(self, of: dict[str, Any], known: Set[str], path: Step) -> None:
        """Keep the members of a message or a part that are not known here. Numbers and switches are no text."""
        for key, value in of.items():
            if key not in known and value and not isinstance(value, bool | int | float):
                self.keep(value, (*path, key), key)

    def keep_beside_settings(self, body: dict[str, Any], known: Set[str]) -> None:
        """Keep the members of a body that are not known here. A single word is a setting or a name."""
        self.keep_rest({key: value for key, value in body.items() if not _is_word(value)}, known, ())

    def keep_schema(self, value: object, path: Step) -> None:
        """Keep the form of the reply, where it has a schema, which the model is shown."""
        if isinstance(value, dict) and any(isinstance(value.get(key), dict) for key in ("schema", "json_schema")):
            self.keep(value, path, "schema of the reply")

    def members(self, value: object, path: Step) -> dict[str, Any]:
        """A JSON object."""
        if not isinstance(value, dict):
            raise PlaceError(path, f"must be an object, not {_kind(value)}")
        return value

    def items(self, value: object, path: Step) -> list[Any]:
        """A JSON array."""
        if not isinstance(value, list):
            raise PlaceError(path, f"must be a list, not {_kind(value)}")
        return value

    def text(self, value: object, path: Step) -> str:
        """A JSON string."""
        if not isinstance(value, str):
            raise PlaceError(path, f"must be a text, not {_kind(value)}")
        return value

    def optional_text(self, of: dict[str, Any], key: str, path: Step) -> str:
        """A member that is a text, or absent, or null."""
        value = of.get(key)
        return "" if value is None else self.text(value, (*path, key))

    def required(self, of: dict[str, Any], key: str, path: Step) -> Any:
        """A member that must be there."""
        if key not in of:
            raise PlaceError(path, f"has no {key!r}")
        return of[key]

    def tool(self, function: dict[str, Any], path: Step, schema_key: str = "parameters") -> Tool:
        """A tool by its name, description and schema."""
        name = self.text(self.required(function, "name", path), (*path, "name"))
        schema = function.get(schema_key)
        if schema is not None:
            self.members(schema, (*path, schema_key))
            if _is_deeper(schema, DEEPEST_SCHEMA):
                raise PlaceError((*path, schema_key), f"is nested more than {DEEPEST_SCHEMA} deep")
        return Tool(name, self.optional_text(function, "description", path), schema)

    def tool_choice(self, body: dict[str, Any]) -> tuple[Literal["auto", "none"], str]:
        """Return what an OpenAI body lets the model call: ``none`` or ``auto``, and the name of a tool that it must
        call, empty for any. The choice is ``tool_choice``, or the older ``function_call``."""
        choice = body.get("tool_choice") or body.get("function_call")
        if isinstance(choice, dict):
            inner = choice.get("function")
            name = (inner if isinstance(inner, dict) else choice).get("name")
            return "auto", name if isinstance(name, str) else ""
        return "none" if choice == "none" else "auto", ""

    def arguments(self, value: object) -> str:
        """The arguments of a call as JSON text: OpenAI sends them as such, others as an object."""
        if value is None:
            return ""
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    def image_at(self, url: str, detail: str) -> Image:
        """An image by its URL: its size where the URL holds it."""
        width, height = size_in_data_url(url) or (0, 0)
        name = "embedded" if url.startswith("data:") else url[:200]
        return Image(width, height, detail or "auto", name)

    def image_of(self, data: str) -> Image:
        """An image that is there in base64."""
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
    """Whether a JSON value is nested more than ``most`` deep. Looks at each value once, without recursion."""
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
