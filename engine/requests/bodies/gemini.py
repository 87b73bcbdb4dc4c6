"""Parser of Gemini contents, in the spelling of the API or of Google's Python library.

Source: Gemini API reference, generateContent.
"""

from __future__ import annotations

from typing import Any

from engine.requests.bodies.reading import Reader, Step
from engine.requests.types import Image, Message, Request, Tool, ToolCall

CONTENT_KEYS = frozenset({"role", "parts"})
BODY_KEYS = frozenset(
    {
        *("contents", "systemInstruction", "system_instruction", "tools", "model"),
        *("generationConfig", "generation_config", "toolConfig", "tool_config", "safetySettings", "safety_settings"),
        *("labels", "cachedContent", "cached_content"),
    }
)
"""Members that are read, or are settings that are more than a word or a number."""

PART_KEYS = frozenset(
    {
        *("text", "thought", "inlineData", "inline_data", "fileData", "file_data", "functionCall", "function_call"),
        *("functionResponse", "function_response", "mediaResolution", "media_resolution"),
    }
)
CALL_KEYS = frozenset({"name", "args", "id", "response", "scheduling"})
FUNCTION_KEYS = frozenset(
    {"name", "description", "parameters", "parametersJsonSchema", "parameters_json_schema", "behavior"}
)


def read(body: dict[str, Any], reader: Reader) -> Request:
    """Return the request of a body. Raises BodyError if the body is invalid."""
    messages: list[Message] = []
    key, instruction = _either(body, "systemInstruction", "system_instruction")
    if instruction is not None:
        messages += _content(instruction, (key,), "system", reader)
    given = reader.required(body, "contents", ())
    contents = given if isinstance(given, list) else [given]
    for number, value in enumerate(contents):
        path: Step = ("contents", number) if isinstance(given, list) else ("contents",)
        messages += _content(value, path, "user", reader)
    key, cached = _either(body, "cachedContent", "cached_content")
    if cached:
        reader.keep(cached, (key,), "cached content")
    _keep_schema(body, reader)
    reader.keep_beside_settings(body, BODY_KEYS)
    tools = _tools(reader.items(body.get("tools") or [], ("tools",)), reader)
    return Request(tuple(messages), tuple(tools), reader.optional_text(body, "model", ()))


def _content(value: object, path: Step, role: str, reader: Reader) -> list[Message]:
    """Return a message, preceded by a message for each function response."""
    if isinstance(value, str):
        return [Message(role, value)]
    content, parts = _parts_of(value, path, reader)
    role = reader.optional_text(content, "role", path) or role
    answers: list[Message] = []
    texts: list[str] = []
    images: list[Image] = []
    calls: list[ToolCall] = []
    for item_path, item in parts:
        part = {"text": item} if isinstance(item, str) else reader.members(item, item_path)
        if part.get("thought") and "text" in part:
            reader.keep(part, item_path, "thought")
        elif "text" in part:
            texts.append(reader.text(part["text"], (*item_path, "text")))
        elif (image := _image(part, item_path, reader)) is not None:
            images.append(image)
        elif (call := _either(part, "functionCall", "function_call"))[1] is not None:
            calls.append(_call(call[1], (*item_path, call[0]), reader))
        elif (answer := _either(part, "functionResponse", "function_response"))[1] is not None:
            answers.append(_answer(answer[1], (*item_path, answer[0]), reader))
        else:
            reader.keep(part, item_path, next(iter(part), "part"))
            continue
        reader.keep_rest(part, PART_KEYS, item_path)
    role = "assistant" if role == "model" else role
    if texts or images or calls or not answers:
        return [*answers, Message(role, "".join(texts), images=tuple(images), tool_calls=tuple(calls))]
    return answers


def _parts_of(value: object, path: Step, reader: Reader) -> tuple[dict[str, Any], list[tuple[Step, Any]]]:
    """Return the members of a content, and its parts with their paths. Google's Python library also accepts bare parts:
    one, or a list of them."""
    if isinstance(value, list):
        return {}, [((*path, number), part) for number, part in enumerate(value)]
    content = reader.members(value, path)
    if "parts" not in content and content.keys() & PART_KEYS:
        return {}, [(path, content)]
    given = reader.required(content, "parts", path)
    reader.keep_rest(content, CONTENT_KEYS, path)
    if not isinstance(given, list):
        return content, [((*path, "parts"), given)]
    return content, [((*path, "parts", number), part) for number, part in enumerate(given)]


def _keep_schema(body: dict[str, Any], reader: Reader) -> None:
    key, settings = _either(body, "generationConfig", "generation_config")
    for name in ("responseSchema", "response_schema", "responseJsonSchema", "response_json_schema"):
        if isinstance(settings, dict) and settings.get(name):
            reader.keep(settings[name], (key, name), "schema of the reply")


def _image(part: dict[str, Any], path: Step, reader: Reader) -> Image | None:
    """Return the image of a part, None if it has none. Other media are not images."""
    key, data = _either(part, "inlineData", "inline_data")
    if data is None:
        key, data = _either(part, "fileData", "file_data")
    if data is None:
        return None
    media = reader.members(data, (*path, key))
    kind = reader.optional_text(media, _either(media, "mimeType", "mime_type")[0], (*path, key))
    if not kind.startswith("image/"):
        return None
    if "data" in media:
        return reader.image_of(reader.text(media["data"], (*path, key, "data")))
    return Image(0, 0, name=reader.optional_text(media, _either(media, "fileUri", "file_uri")[0], (*path, key))[:200])


def _call(value: object, path: Step, reader: Reader) -> ToolCall:
    call = reader.members(value, path)
    reader.keep_rest(call, CALL_KEYS, path)
    name = reader.required_text(call, "name", path)
    return ToolCall(name, reader.arguments(call.get("args", {})), reader.optional_text(call, "id", path))


def _answer(value: object, path: Step, reader: Reader) -> Message:
    answer = reader.members(value, path)
    reader.keep_rest(answer, CALL_KEYS, path)
    name = reader.optional_text(answer, "name", path)
    content = reader.arguments(answer.get("response", {}))
    return Message("tool", content, name, call_id=reader.optional_text(answer, "id", path))


def _tools(listed: list[Any], reader: Reader) -> list[Tool]:
    tools: list[Tool] = []
    for number, item in enumerate(listed):
        item_path = ("tools", number)
        tool = reader.members(item, item_path)
        key, functions = _either(tool, "functionDeclarations", "function_declarations")
        for at, function in enumerate(reader.items(functions or [], (*item_path, key))):
            where = (*item_path, key, at)
            described = reader.members(function, where)
            tools.append(reader.tool(described, where, _schema_key(described)))
            reader.keep_rest(described, FUNCTION_KEYS, where)
        for other in tool.keys() - {key}:
            reader.keep(tool[other], (*item_path, other), other)
    return tools


def _schema_key(function: dict[str, Any]) -> str:
    """Return the name under which a function has its schema."""
    keys = ("parameters", "parametersJsonSchema", "parameters_json_schema")
    return next((key for key in keys if function.get(key) is not None), keys[0])


def _either(of: dict[str, Any], one: str, other: str) -> tuple[str, Any]:
    """Return a member under either of its spellings, after the spelling that is present; None if neither is."""
    key = other if other in of else one
    return key, of.get(key)
