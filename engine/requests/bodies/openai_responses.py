"""Parser of OpenAI response bodies.

Source: OpenAI API reference, Create a model response.
"""

from __future__ import annotations

from typing import Any

from engine.requests.bodies.reading import PlaceError, Reader, Step
from engine.requests.types import Image, Message, Request, Tool, ToolCall

TEXT_PARTS = {"input_text": "text", "output_text": "text", "text": "text", "refusal": "refusal"}
"""Types of text parts, with the member that holds the text."""

MESSAGE_KEYS = frozenset({"type", "role", "content", "id", "status", "phase"})
CALL_KEYS = frozenset({"type", "name", "arguments", "call_id", "id", "status", "output"})
"""Members of an item that are read, or that the model does not see."""

BODY_KEYS = frozenset(
    {
        *("input", "instructions", "tools", "model", "text", "previous_response_id", "conversation"),
        *("tool_choice", "metadata", "reasoning", "include", "stream_options", "context_management", "user"),
        "moderation",
    }
)
"""Members of a body that are read, or are settings that are more than a word or a number."""


def read(body: dict[str, Any], reader: Reader) -> Request:
    """Return the request of a body. Raises PlaceError if the body is invalid."""
    messages: list[Message] = []
    instructions = reader.optional_text(body, "instructions", ())
    if instructions:
        messages.append(Message("developer", instructions))
    given = body.get("input", []) if "prompt" in body else reader.required(body, "input", ())
    if isinstance(given, str):
        messages.append(Message("user", given))
    elif isinstance(given, list):
        for number, item in enumerate(given):
            messages += _item(item, ("input", number), reader)
    else:
        raise PlaceError(("input",), "must be a text or a list")
    for key, what in (("previous_response_id", "an earlier response"), ("conversation", "an earlier conversation")):
        if body.get(key):
            reader.keep(body[key], (key,), what)
    form = body.get("text")
    reader.keep_schema(form.get("format") if isinstance(form, dict) else None, ("text", "format"))
    reader.keep_beside_settings(body, BODY_KEYS)
    tools = _tools(reader.items(body.get("tools") or [], ("tools",)), reader)
    return Request(tuple(messages), tuple(tools), reader.optional_text(body, "model", ()), *reader.tool_choice(body))


def _item(value: object, path: Step, reader: Reader) -> list[Message]:
    item = reader.members(value, path)
    kind = reader.optional_text(item, "type", path) or "message"
    if kind == "message":
        role = reader.text(reader.required(item, "role", path), (*path, "role"))
        content, images = _content(reader.required(item, "content", path), (*path, "content"), reader)
        reader.keep_rest(item, MESSAGE_KEYS, path)
        return [Message(role, content, images=images)]
    if kind == "function_call":
        name = reader.text(reader.required(item, "name", path), (*path, "name"))
        arguments = reader.arguments(item.get("arguments", ""))
        reader.keep_rest(item, CALL_KEYS, path)
        call = ToolCall(name, arguments, reader.optional_text(item, "call_id", path))
        return [Message("assistant", tool_calls=(call,))]
    if kind == "function_call_output":
        content, images = _content(reader.required(item, "output", path), (*path, "output"), reader)
        reader.keep_rest(item, CALL_KEYS, path)
        return [Message("tool", content, images=images, call_id=reader.optional_text(item, "call_id", path))]
    reader.keep(item, path, kind)
    return []


def _content(value: object, path: Step, reader: Reader) -> tuple[str, tuple[Image, ...]]:
    if isinstance(value, str):
        return value, ()
    texts, images = [], []
    for number, listed in enumerate(reader.items(value, path)):
        place = (*path, number)
        part = reader.members(listed, place)
        kind = reader.optional_text(part, "type", place)
        if kind in TEXT_PARTS:
            key = TEXT_PARTS[kind]
            texts.append(reader.text(reader.required(part, key, place), (*place, key)))
        elif kind == "input_image":
            url = reader.optional_text(part, "image_url", place) or reader.optional_text(part, "file_id", place)
            images.append(reader.image_at(url, reader.optional_text(part, "detail", place)))
        else:
            reader.keep(part, place, kind or "part")
    return "".join(texts), tuple(images)


def _tools(listed: list[Any], reader: Reader) -> list[Tool]:
    tools: list[Tool] = []
    for number, item in enumerate(listed):
        place = ("tools", number)
        tool = reader.members(item, place)
        kind = reader.optional_text(tool, "type", place)
        if kind == "function":
            tools.append(reader.tool(tool, place))
        else:
            reader.keep(tool, place, kind or "tool")
    return tools
