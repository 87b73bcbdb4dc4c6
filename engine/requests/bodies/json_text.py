"""JSON that strangers send: what is wrong ends in a sentence with line and column."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NoReturn

from engine.requests.errors import RequestError

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
