"""Parser of request bodies for any of the APIs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from engine.requests.bodies import anthropic, gemini, openai
from engine.requests.bodies.reading import BodyError, Reader, Step, UnknownPart, decoded, located, parse
from engine.requests.types import Request, RequestError, Tool

Api = Literal["openai-chat", "openai-responses", "anthropic", "gemini"]

_READERS: dict[Api, Callable[[dict[str, Any], Reader], Request]] = {
    "openai-chat": openai.read_chat,
    "openai-responses": openai.read_responses,
    "anthropic": anthropic.read,
    "gemini": gemini.read,
}

_WRAPPERS = ("body", "params", "request")
"""Members that hold the body in lines of the batch files of OpenAI, Anthropic and Gemini."""

_PREFERENCES = ("preferred_output", "non_preferred_output")
"""Members of a line for OpenAI's preference tuning beside its ``input``, which then is a body."""

_OF_ANTHROPIC = ("image", "tool_use", "tool_result", "thinking", "document")
_OF_OPENAI = ("image_url", "input_audio", "file", "refusal")
"""Types of parts that only one of the two APIs has. Not sets, because the value looked up may be an unhashable list."""

_ROLES_OF_OPENAI = ("system", "developer", "tool", "function")
_KEYS_OF_OPENAI = frozenset({"tool_calls", "function_call", "tool_call_id"})

LARGEST_BODY = 64 << 20


@dataclass(frozen=True, slots=True)
class ReadBody:
    """A request with its API, and the parts of it that are not counted."""

    request: Request
    api: Api
    unknown: tuple[UnknownPart, ...]


def read_body(body: bytes | str) -> ReadBody:
    """Parse a JSON text: a body, a line of a batch file, or a list of messages. Raises RequestError with line and
    column."""
    if len(body) > LARGEST_BODY:
        raise RequestError(f"the request is larger than {LARGEST_BODY >> 20} MB, the limit for requests")
    text = decoded(body) if isinstance(body, bytes) else body
    value = parse(text)
    lead, shift = _path_to_body(value)
    try:
        found = _at(value, lead)
        api = api_of(found)
        reader = Reader()
        request = _READERS[api](found, reader)
        for key in _PREFERENCES:
            if lead == ("input",) and value.get(key):
                reader.keep(value[key], (key,), key)
    except BodyError as error:
        raise located(BodyError((*lead, *error.path[shift:]), str(error)), text) from None
    except RecursionError:
        raise RequestError("nested too deeply for a request") from None
    return ReadBody(replace(request, is_complete=not reader.unknown), api, tuple(reader.unknown))


def _path_to_body(value: object) -> tuple[tuple[str, ...], int]:
    """Return the path of the body in a JSON value, and how much longer paths are in the body than in the value: a bare
    list is read as the messages of a body."""
    if isinstance(value, list):
        return (), 1
    if isinstance(value, dict):
        if isinstance(value.get("input"), dict) and not value.keys() & {"messages", "contents"}:
            return ("input",), 0
        if _is_body(value) or _is_of_embeddings(value):
            return (), 0
        for key in _WRAPPERS:
            if isinstance(value.get(key), dict):
                return (key,), 0
    return (), 0


def _is_body(value: dict[str, Any]) -> bool:
    return any(key in value for key in ("messages", "contents", "input")) or isinstance(value.get("prompt"), dict)


def _is_of_embeddings(value: dict[str, Any]) -> bool:
    is_sent_there = str(value.get("url", "")).endswith("/embeddings")
    return is_sent_there or ("input" in value and "embedding" in str(value.get("model", "")))


def _at(value: Any, lead: tuple[str, ...]) -> dict[str, Any]:
    if isinstance(value, list):
        return {"messages": value}
    if not isinstance(value, dict):
        raise BodyError((), "is not a request: valid JSON, but neither an object nor a list of messages")
    if _is_of_embeddings(value):
        raise BodyError(
            ("url" if "url" in value else "model",), "is for embeddings, which have texts instead of messages"
        )
    return value[lead[0]] if lead else value


def api_of(body: dict[str, Any]) -> Api:
    """Return the API of a body. Raises BodyError if it fits none."""
    if "contents" in body:
        return "gemini"
    if "messages" in body:
        return "anthropic" if _is_anthropic(body) else "openai-chat"
    if "input" in body or isinstance(body.get("prompt"), dict):
        return "openai-responses"
    raise BodyError((), "is not a request: it has none of 'messages', 'input' and 'contents'")


def _is_anthropic(body: dict[str, Any]) -> bool:
    if "system" in body or "anthropic_version" in body:
        return True
    messages = _objects(body["messages"])
    tools = _objects(body.get("tools"))
    if any(message.get("role") in _ROLES_OF_OPENAI or message.keys() & _KEYS_OF_OPENAI for message in messages):
        return False  # for any model: many vendors accept OpenAI's form
    if any("function" in tool for tool in tools):
        return False
    parts = [part.get("type") for message in messages for part in _objects(message.get("content"))]
    if any(kind in _OF_ANTHROPIC for kind in parts) or any("input_schema" in tool for tool in tools):
        return True
    is_claude = str(body.get("model", "")).startswith("claude")
    return is_claude and not any(kind in _OF_OPENAI for kind in parts)


def _objects(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list. Values of other types are ignored here and reported later."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def read_tools(text: str) -> tuple[Tool, ...]:
    """Parse the tools of a JSON list, or a single tool, in the form of any of the APIs. Raises RequestError with line
    and column, also for a tool that is not a function, because it would not be counted."""
    if not text.strip():
        return ()
    value = parse(text)
    reader = Reader()
    found: list[Tool] = []
    try:
        for number, item in enumerate(value if isinstance(value, list) else [value]):
            path: Step = (number,) if isinstance(value, list) else ()
            found += _tools_in(reader.members(item, path), path, reader)
    except BodyError as error:
        raise located(BodyError(error.path, str(error)), text) from None
    return tuple(found)


def _tools_in(tool: dict[str, Any], path: Step, reader: Reader) -> list[Tool]:
    for key in ("functionDeclarations", "function_declarations"):
        if key in tool:
            listed = reader.items(tool[key], (*path, key))
            paths = [(*path, key, number) for number in range(len(listed))]
            return [reader.tool(reader.members(one, at), at) for one, at in zip(listed, paths, strict=True)]
    if "function" in tool:
        at = (*path, "function")
        return [reader.tool(reader.members(tool["function"], at), at)]
    return [reader.tool(tool, path, "input_schema" if "input_schema" in tool else "parameters")]
