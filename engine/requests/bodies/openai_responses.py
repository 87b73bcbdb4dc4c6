"""OpenAI's responses.

Source: OpenAI API reference, Create a model response.
"""

from __future__ import annotations

from typing import Any

from engine.requests.bodies.json_text import PlaceError
from engine.requests.bodies.reading import Reader, Step
from engine.requests.types import Image, Message, Request, Tool, ToolCall

TEXT_PARTS = ("input_text", "output_text", "text", "summary_text")


def read(body: dict[str, Any], reader: Reader) -> Request:
    """The request of a body. PlaceError."""
    messages: list[Message] = []
    instructions = reader.optional_text(body, "instructions", ())
    if instructions:
        messages.append(Message("developer", instructions))
    given = reader.required(body, "input", ())
    if isinstance(given, str):
        messages.append(Message("user", given))
    elif isinstance(given, list):
        for number, item in enumerate(given):
            messages += _item(item, ("input", number), reader)
    else:
        raise PlaceError(("input",), "must be a text or a list")
    if body.get("previous_response_id"):
        reader.keep(body["previous_response_id"], ("previous_response_id",), "an earlier response")
    tools = _tools(reader.items(body.get("tools") or [], ("tools",)), reader)
    return Request(tuple(messages), tuple(tools), reader.optional_text(body, "model", ()))


def _item(value: object, path: Step, reader: Reader) -> list[Message]:
    item = reader.members(value, path)
    kind = reader.optional_text(item, "type", path) or "message"
    if kind == "message":
        role = reader.text(reader.required(item, "role", path), (*path, "role"))
        content, images = _content(reader.required(item, "content", path), (*path, "content"), reader)
        return [Message(role, content, images=images)]
    if kind == "function_call":
        name = reader.text(reader.required(item, "name", path), (*path, "name"))
        arguments = reader.arguments(item.get("arguments", ""))
        call = ToolCall(name, arguments, reader.optional_text(item, "call_id", path))
        return [Message("assistant", tool_calls=(call,))]
    if kind == "function_call_output":
        content, images = _content(reader.required(item, "output", path), (*path, "output"), reader)
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
            texts.append(reader.text(reader.required(part, "text", place), (*place, "text")))
        elif kind == "input_image":
            url = reader.optional_text(part, "image_url", place)
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
