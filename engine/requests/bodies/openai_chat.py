"""Parser of OpenAI chat completion bodies, also for compatible APIs and for training data in the same form.

Source: OpenAI API reference, Create chat completion.
"""

from __future__ import annotations

from typing import Any

from engine.requests.bodies.reading import PlaceError, Reader, Step
from engine.requests.types import Image, Message, Request, Tool, ToolCall

MESSAGE_KEYS = frozenset(
    {
        *("role", "content", "name", "tool_calls", "tool_call_id", "function_call", "refusal", "weight", "annotations"),
        *("cache_control", "id"),
    }
)
"""Members of a message that are read, or that the model does not see."""

BODY_KEYS = frozenset(
    {
        *("messages", "tools", "functions", "model", "response_format"),
        *("tool_choice", "function_call", "metadata", "stop", "logit_bias", "modalities", "stream_options"),
        *("audio", "reasoning", "provider", "models", "extra_body", "user", "thinking", "moderation"),
    }
)
"""Members of a body that are read, or are settings that are more than a word or a number."""


def read(body: dict[str, Any], reader: Reader) -> Request:
    """Return the request of a body. Raises PlaceError if the body is invalid."""
    listed = reader.items(reader.required(body, "messages", ()), ("messages",))
    messages = tuple(_message(value, ("messages", number), reader) for number, value in enumerate(listed))
    reader.keep_schema(body.get("response_format"), ("response_format",))
    reader.keep_beside_settings(body, BODY_KEYS)
    return Request(
        messages, tuple(_tools(body, reader)), reader.optional_text(body, "model", ()), *reader.tool_choice(body)
    )


def _message(value: object, path: Step, reader: Reader) -> Message:
    message = reader.members(value, path)
    role = reader.text(reader.required(message, "role", path), (*path, "role"))
    content, images = _content(message.get("content"), (*path, "content"), reader)
    refusal = reader.optional_text(message, "refusal", path)
    reader.keep_rest(message, MESSAGE_KEYS, path)
    return Message(
        role,
        content + refusal,
        reader.optional_text(message, "name", path),
        images,
        tuple(_calls(message, path, reader)),
        reader.optional_text(message, "tool_call_id", path),
    )


def _content(value: object, path: Step, reader: Reader) -> tuple[str, tuple[Image, ...]]:
    if value is None:
        return "", ()
    if isinstance(value, str):
        return value, ()
    if not isinstance(value, list):
        raise PlaceError(path, "must be a text or a list of parts")
    texts, images = [], []
    for number, item in enumerate(value):
        place = (*path, number)
        part = reader.members(item, place)
        kind = reader.text(reader.required(part, "type", place), (*place, "type"))
        if kind in ("text", "refusal"):
            texts.append(reader.text(reader.required(part, kind, place), (*place, kind)))
        elif kind == "image_url":
            images.append(_image(part.get("image_url"), (*place, "image_url"), reader))
        else:
            reader.keep(part, place, kind)
    return "".join(texts), tuple(images)


def _image(value: object, path: Step, reader: Reader) -> Image:
    if isinstance(value, str):
        return reader.image_at(value, "")
    described = reader.members(value, path)
    url = reader.text(reader.required(described, "url", path), (*path, "url"))
    return reader.image_at(url, reader.optional_text(described, "detail", path))


def _calls(message: dict[str, Any], path: Step, reader: Reader) -> list[ToolCall]:
    calls: list[ToolCall] = []
    listed = message.get("tool_calls") or []
    for number, item in enumerate(reader.items(listed, (*path, "tool_calls"))):
        place = (*path, "tool_calls", number)
        call = reader.members(item, place)
        if "function" in call:
            calls.append(_call(call["function"], (*place, "function"), reader.optional_text(call, "id", place), reader))
        else:
            reader.keep(call, place, reader.optional_text(call, "type", place) or "tool call")
    if message.get("function_call") is not None:
        calls.append(_call(message["function_call"], (*path, "function_call"), "", reader))
    return calls


def _call(value: object, path: Step, call_id: str, reader: Reader) -> ToolCall:
    function = reader.members(value, path)
    name = reader.text(reader.required(function, "name", path), (*path, "name"))
    return ToolCall(name, reader.arguments(function.get("arguments", "")), call_id)


def _tools(body: dict[str, Any], reader: Reader) -> list[Tool]:
    tools: list[Tool] = []
    for key in ("tools", "functions"):
        for number, item in enumerate(reader.items(body.get(key) or [], (key,))):
            place = (key, number)
            tool = reader.members(item, place)
            if key == "functions":
                tools.append(reader.tool(tool, place))
            elif "function" in tool:
                tools.append(reader.tool(reader.members(tool["function"], (*place, "function")), (*place, "function")))
            else:
                reader.keep(tool, place, reader.optional_text(tool, "type", place) or "tool")
    return tools
