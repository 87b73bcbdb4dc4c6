"""Parser of Anthropic message bodies.

Source: Anthropic API reference, Create a Message.
"""

from __future__ import annotations

from typing import Any

from engine.requests.bodies.reading import BodyError, Reader, Step
from engine.requests.types import Image, Message, Request, Tool, ToolCall

MESSAGE_KEYS = frozenset({"role", "content", "id", "type"})
BODY_KEYS = frozenset(
    {
        *("messages", "system", "tools", "model", "anthropic_version", "anthropic_beta", "output_format"),
        *("output_config", "tool_choice", "metadata", "stop_sequences", "thinking", "betas", "cache_control"),
        "context_management",
    }
)
"""Members that are read, or are settings that the model does not see and that are more than a word or a number."""

TOOL_KEYS = frozenset({"name", "description", "input_schema", "type", "cache_control", "allowed_callers"})


def read(body: dict[str, Any], reader: Reader) -> Request:
    """Return the request of a body. Raises BodyError if the body is invalid."""
    messages: list[Message] = []
    if body.get("system") is not None:
        messages += _blocks(body["system"], ("system",), "system", reader)
    listed = reader.items(reader.required(body, "messages", ()), ("messages",))
    for number, item in enumerate(listed):
        path = ("messages", number)
        message = reader.members(item, path)
        role = reader.required_text(message, "role", path)
        messages += _blocks(reader.required(message, "content", path), (*path, "content"), role, reader)
        reader.keep_rest(message, MESSAGE_KEYS, path)
    reader.keep_schema(body.get("output_format"), ("output_format",))
    form = body.get("output_config")
    reader.keep_schema(form.get("format") if isinstance(form, dict) else None, ("output_config", "format"))
    reader.keep_beside_settings(body, BODY_KEYS)
    tools = _tools(reader.items(body.get("tools") or [], ("tools",)), reader)
    return Request(tuple(messages), tuple(tools), reader.optional_text(body, "model", ()))


def _blocks(value: object, path: Step, role: str, reader: Reader) -> list[Message]:
    """Return a message, preceded by a message for each tool result, which the API puts into blocks of the user's
    message."""
    if isinstance(value, str):
        return [Message(role, value)]
    if not isinstance(value, list):
        raise BodyError(path, "must be a text or a list of blocks")
    answers: list[Message] = []
    texts: list[str] = []
    images: list[Image] = []
    calls: list[ToolCall] = []
    for number, item in enumerate(value):
        item_path = (*path, number)
        block = reader.members(item, item_path)
        kind = reader.required_text(block, "type", item_path)
        if kind == "text":
            texts.append(reader.required_text(block, "text", item_path))
        elif kind == "image":
            images.append(_image(block.get("source"), (*item_path, "source"), reader))
        elif kind == "tool_use":
            name = reader.required_text(block, "name", item_path)
            arguments = reader.arguments(block.get("input", {}))
            calls.append(ToolCall(name, arguments, reader.optional_text(block, "id", item_path)))
        elif kind == "tool_result":
            answers += _answer(block, item_path, reader)
        else:
            reader.keep(block, item_path, kind)
    if texts or images or calls or not answers:
        return [*answers, Message(role, "".join(texts), images=tuple(images), tool_calls=tuple(calls))]
    return answers


def _answer(block: dict[str, Any], path: Step, reader: Reader) -> list[Message]:
    call_id = reader.optional_text(block, "tool_use_id", path)
    content = block.get("content")
    if content is None:
        return [Message("tool", call_id=call_id)]
    found = _blocks(content, (*path, "content"), "tool", reader)
    return [Message("tool", message.content, images=message.images, call_id=call_id) for message in found]


def _image(value: object, path: Step, reader: Reader) -> Image:
    source = reader.members(value, path)
    if source.get("type") == "base64":
        return reader.image_of(reader.required_text(source, "data", path))
    key = "url" if "url" in source else "file_id"
    return Image(0, 0, name=reader.optional_text(source, key, path)[:200])


def _tools(listed: list[Any], reader: Reader) -> list[Tool]:
    tools: list[Tool] = []
    for number, item in enumerate(listed):
        item_path = ("tools", number)
        tool = reader.members(item, item_path)
        if "input_schema" in tool:
            tools.append(reader.tool(tool, item_path, "input_schema"))
            reader.keep_rest(tool, TOOL_KEYS, item_path)
        else:
            reader.keep(tool, item_path, reader.optional_text(tool, "type", item_path) or "tool")
    return tools
