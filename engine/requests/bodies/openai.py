"""Parsers of OpenAI's bodies: chat completions and responses.

That of chat completions is also for compatible APIs, and for training data in the same form.

Source: OpenAI API reference, Create chat completion; Create a model response.
"""

from __future__ import annotations

from typing import Any

from engine.requests.bodies.reading import BodyError, Reader, Step
from engine.requests.types import Image, Message, Request, Tool, ToolCall

CHAT_MESSAGE_KEYS = frozenset(
    {
        *("role", "content", "name", "tool_calls", "tool_call_id", "function_call", "refusal", "weight", "annotations"),
        *("cache_control", "id"),
    }
)
"""Members of a message that are read, or that the model does not see."""

CHAT_KEYS = frozenset(
    {
        *("messages", "tools", "functions", "model", "response_format"),
        *("tool_choice", "function_call", "metadata", "stop", "logit_bias", "modalities", "stream_options"),
        *("audio", "reasoning", "provider", "models", "extra_body", "user", "thinking", "moderation"),
    }
)
"""Members of a body that are read, or are settings that are more than a word or a number."""


def read_chat(body: dict[str, Any], reader: Reader) -> Request:
    """Return the request of a chat completion body. Raises BodyError if the body is invalid."""
    listed = reader.items(reader.required(body, "messages", ()), ("messages",))
    messages = tuple(_message(value, ("messages", number), reader) for number, value in enumerate(listed))
    reader.keep_schema(body.get("response_format"), ("response_format",))
    reader.keep_beside_settings(body, CHAT_KEYS)
    return Request(
        messages, tuple(_chat_tools(body, reader)), reader.optional_text(body, "model", ()), *reader.tool_choice(body)
    )


def _message(value: object, path: Step, reader: Reader) -> Message:
    message = reader.members(value, path)
    role = reader.required_text(message, "role", path)
    content, images = _chat_content(message.get("content"), (*path, "content"), reader)
    refusal = reader.optional_text(message, "refusal", path)
    reader.keep_rest(message, CHAT_MESSAGE_KEYS, path)
    return Message(
        role,
        content + refusal,
        reader.optional_text(message, "name", path),
        images,
        tuple(_calls(message, path, reader)),
        reader.optional_text(message, "tool_call_id", path),
    )


def _chat_content(value: object, path: Step, reader: Reader) -> tuple[str, tuple[Image, ...]]:
    if value is None:
        return "", ()
    if isinstance(value, str):
        return value, ()
    if not isinstance(value, list):
        raise BodyError(path, "must be a text or a list of parts")
    texts, images = [], []
    for number, item in enumerate(value):
        at = (*path, number)
        part = reader.members(item, at)
        kind = reader.required_text(part, "type", at)
        if kind in ("text", "refusal"):
            texts.append(reader.required_text(part, kind, at))
        elif kind == "image_url":
            images.append(_image(part.get("image_url"), (*at, "image_url"), reader))
        else:
            reader.keep(part, at, kind)
    return "".join(texts), tuple(images)


def _image(value: object, path: Step, reader: Reader) -> Image:
    if isinstance(value, str):
        return reader.image_at(value, "")
    described = reader.members(value, path)
    url = reader.required_text(described, "url", path)
    return reader.image_at(url, reader.optional_text(described, "detail", path))


def _calls(message: dict[str, Any], path: Step, reader: Reader) -> list[ToolCall]:
    calls: list[ToolCall] = []
    listed = message.get("tool_calls") or []
    for number, item in enumerate(reader.items(listed, (*path, "tool_calls"))):
        at = (*path, "tool_calls", number)
        call = reader.members(item, at)
        if "function" in call:
            calls.append(_call(call["function"], (*at, "function"), reader.optional_text(call, "id", at), reader))
        else:
            reader.keep(call, at, reader.optional_text(call, "type", at) or "tool call")
    if message.get("function_call") is not None:
        calls.append(_call(message["function_call"], (*path, "function_call"), "", reader))
    return calls


def _call(value: object, path: Step, call_id: str, reader: Reader) -> ToolCall:
    function = reader.members(value, path)
    name = reader.required_text(function, "name", path)
    return ToolCall(name, reader.arguments(function.get("arguments", "")), call_id)


def _chat_tools(body: dict[str, Any], reader: Reader) -> list[Tool]:
    tools: list[Tool] = []
    for key in ("tools", "functions"):
        for number, item in enumerate(reader.items(body.get(key) or [], (key,))):
            at = (key, number)
            tool = reader.members(item, at)
            if key == "functions":
                tools.append(reader.tool(tool, at))
            elif "function" in tool:
                tools.append(reader.tool(reader.members(tool["function"], (*at, "function")), (*at, "function")))
            else:
                reader.keep(tool, at, reader.optional_text(tool, "type", at) or "tool")
    return tools


# --- responses --------------------------------------------------------------------------------------------------------


TEXT_PARTS = {"input_text": "text", "output_text": "text", "text": "text", "refusal": "refusal"}
"""Types of text parts, with the member that holds the text."""

ITEM_KEYS = frozenset({"type", "role", "content", "id", "status", "phase"})
CALL_KEYS = frozenset({"type", "name", "arguments", "call_id", "id", "status", "output"})
"""Members of an item that are read, or that the model does not see."""

RESPONSE_KEYS = frozenset(
    {
        *("input", "instructions", "tools", "model", "text", "previous_response_id", "conversation"),
        *("tool_choice", "metadata", "reasoning", "include", "stream_options", "context_management", "user"),
        "moderation",
    }
)
"""Members of a body that are read, or are settings that are more than a word or a number."""


def read_responses(body: dict[str, Any], reader: Reader) -> Request:
    """Return the request of a response body. Raises BodyError if the body is invalid."""
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
        raise BodyError(("input",), "must be a text or a list")
    for key, what in (("previous_response_id", "an earlier response"), ("conversation", "an earlier conversation")):
        if body.get(key):
            reader.keep(body[key], (key,), what)
    form = body.get("text")
    reader.keep_schema(form.get("format") if isinstance(form, dict) else None, ("text", "format"))
    reader.keep_beside_settings(body, RESPONSE_KEYS)
    tools = _response_tools(reader.items(body.get("tools") or [], ("tools",)), reader)
    return Request(tuple(messages), tuple(tools), reader.optional_text(body, "model", ()), *reader.tool_choice(body))


def _item(value: object, path: Step, reader: Reader) -> list[Message]:
    item = reader.members(value, path)
    kind = reader.optional_text(item, "type", path) or "message"
    if kind == "message":
        role = reader.required_text(item, "role", path)
        content, images = _item_content(reader.required(item, "content", path), (*path, "content"), reader)
        reader.keep_rest(item, ITEM_KEYS, path)
        return [Message(role, content, images=images)]
    if kind == "function_call":
        name = reader.required_text(item, "name", path)
        arguments = reader.arguments(item.get("arguments", ""))
        reader.keep_rest(item, CALL_KEYS, path)
        call = ToolCall(name, arguments, reader.optional_text(item, "call_id", path))
        return [Message("assistant", tool_calls=(call,))]
    if kind == "function_call_output":
        content, images = _item_content(reader.required(item, "output", path), (*path, "output"), reader)
        reader.keep_rest(item, CALL_KEYS, path)
        return [Message("tool", content, images=images, call_id=reader.optional_text(item, "call_id", path))]
    reader.keep(item, path, kind)
    return []


def _item_content(value: object, path: Step, reader: Reader) -> tuple[str, tuple[Image, ...]]:
    if isinstance(value, str):
        return value, ()
    texts, images = [], []
    for number, listed in enumerate(reader.items(value, path)):
        at = (*path, number)
        part = reader.members(listed, at)
        kind = reader.optional_text(part, "type", at)
        if kind in TEXT_PARTS:
            key = TEXT_PARTS[kind]
            texts.append(reader.required_text(part, key, at))
        elif kind == "input_image":
            url = reader.optional_text(part, "image_url", at) or reader.optional_text(part, "file_id", at)
            images.append(reader.image_at(url, reader.optional_text(part, "detail", at)))
        else:
            reader.keep(part, at, kind or "part")
    return "".join(texts), tuple(images)


def _response_tools(listed: list[Any], reader: Reader) -> list[Tool]:
    tools: list[Tool] = []
    for number, item in enumerate(listed):
        at = ("tools", number)
        tool = reader.members(item, at)
        kind = reader.optional_text(tool, "type", at)
        if kind == "function":
            tools.append(reader.tool(tool, at))
        else:
            reader.keep(tool, at, kind or "tool")
    return tools
