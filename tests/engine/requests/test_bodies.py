"""Bodies of API calls, good and bad."""

from __future__ import annotations

import base64
import contextlib
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.requests.bodies.reader import LARGEST_BODY, read_body
from engine.requests.bodies.reading import offset_of
from engine.requests.types import Image, Message, Request, RequestError, Tool, ToolCall
from tests.engine.requests.test_images import GIF, PNG
from tests.thoroughness import examples

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
DEEP_TOOL = (
    '{"messages": [], "tools": [{"function": {"name": "f", "parameters": ' + '{"a":' * 300 + "1" + "}" * 300 + "}}]}"
)
PNG_URL = "data:image/png;base64," + base64.b64encode(PNG).decode()

CHAT = {
    "model": "gpt-4o",
    "temperature": 0.5,
    "messages": [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "name": "anna",
            "content": [
                {"type": "text", "text": "What is "},
                {"type": "text", "text": "this?"},
                {"type": "image_url", "image_url": {"url": PNG_URL, "detail": "low"}},
                {"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "hm",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "A cat"},
    ],
    "tools": [
        {"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": SCHEMA}},
        {"type": "custom", "custom": {"name": "other"}},
    ],
}
RESPONSES = {
    "model": "gpt-5",
    "instructions": "Be brief.",
    "input": [
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "What is this?"},
                {"type": "input_image", "image_url": "https://example.org/cat.png", "detail": "high"},
                {"type": "input_file", "file_id": "f"},
            ],
        },
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "A cat"},
    ],
    "tools": [{"type": "function", "name": "look", "parameters": SCHEMA}, {"type": "web_search"}],
}
ANTHROPIC = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 10,
    "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/gif",
                                             "data": base64.b64encode(GIF).decode()}},
                {"type": "text", "text": "What is this?"},
                {"type": "document", "source": {"type": "url", "url": "https://example.org/a.pdf"}},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "tool_use", "id": "c1", "name": "look", "input": {"city": "Paris"}},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "A cat"}]}],
        },
    ],
    "tools": [{"name": "look", "input_schema": SCHEMA}, {"type": "web_search_20250305", "name": "web_search"}],
}  # fmt: skip
GEMINI = {
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "contents": [
        {
            "role": "user",
            "parts": [
                {"text": "What is this?"},
                {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(PNG).decode()}},
                {"fileData": {"mimeType": "video/mp4", "fileUri": "gs://a"}},
            ],
        },
        {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {"city": "Paris"}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"text": "A cat"}}}]},
    ],
    "tools": [{"functionDeclarations": [{"name": "look", "parameters": SCHEMA}]}, {"googleSearch": {}}],
}


def unknown(body):
    return {part.path: part.what for part in read_body(json.dumps(body)).unknown}


def test_a_chat():
    read = read_body(json.dumps(CHAT))
    assert read.api == "openai-chat"
    assert read.request == Request(
        (
            Message("system", "Be brief."),
            Message("user", "What is this?", "anna", (Image(640, 480, "low", "embedded"),)),
            Message("assistant", tool_calls=(ToolCall("look", "{}", "c1"),)),
            Message("tool", "A cat", call_id="c1"),
        ),
        (Tool("look", "Looks.", SCHEMA),),
        "gpt-4o",
        is_complete=False,
    )
    assert unknown(CHAT) == {
        "messages[1].content[3]": "input_audio",
        "messages[2].reasoning_content": "reasoning_content",
        "tools[1]": "custom",
    }
    kept = next(part for part in read.unknown if part.what == "input_audio")
    assert json.loads(kept.json)["input_audio"]["format"] == "wav"


def test_a_response():
    read = read_body(json.dumps(RESPONSES))
    assert read.api == "openai-responses"
    assert read.request.messages == (
        Message("developer", "Be brief."),
        Message("user", "What is this?", images=(Image(0, 0, "high", "https://example.org/cat.png"),)),
        Message("assistant", tool_calls=(ToolCall("look", "{}", "c1"),)),
        Message("tool", "A cat", call_id="c1"),
    )
    assert unknown(RESPONSES) == {
        "input[0].content[2]": "input_file",
        "input[1]": "reasoning",
        "tools[1]": "web_search",
    }
    assert read_body('{"input": "Hi"}').request.messages == (Message("user", "Hi"),)


def test_messages_of_anthropic():
    read = read_body(json.dumps(ANTHROPIC))
    assert read.api == "anthropic"
    assert read.request.messages == (
        Message("system", "Be brief."),
        Message("user", "What is this?", images=(Image(320, 200, name="embedded"),)),
        Message("assistant", tool_calls=(ToolCall("look", '{"city": "Paris"}', "c1"),)),
        Message("tool", "A cat", call_id="c1"),
    )
    assert read.request.tools == (Tool("look", "", SCHEMA),)
    assert unknown(ANTHROPIC) == {
        "messages[0].content[2]": "document",
        "messages[1].content[0]": "thinking",
        "tools[1]": "web_search_20250305",
    }


def test_contents_of_gemini():
    read = read_body(json.dumps(GEMINI))
    assert read.api == "gemini"
    assert read.request.messages == (
        Message("system", "Be brief."),
        Message("user", "What is this?", images=(Image(640, 480, name="embedded"),)),
        Message("assistant", tool_calls=(ToolCall("look", '{"city": "Paris"}'),)),
        Message("tool", '{"text": "A cat"}', "look"),
    )
    assert read.request.tools == (Tool("look", "", SCHEMA),)
    assert unknown(GEMINI) == {"contents[0].parts[2]": "fileData", "tools[1].googleSearch": "googleSearch"}
    snake = json.dumps(GEMINI)
    for name in ("systemInstruction", "inlineData", "mimeType", "functionCall", "functionResponse", "fileData",
                 "functionDeclarations"):  # fmt: skip
        snake = snake.replace(name, re.sub("[A-Z]", lambda capital: "_" + capital[0].lower(), name))
    assert read_body(snake).request == read.request


@pytest.mark.parametrize(
    "wrap",
    [
        lambda body: {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": body},
        lambda body: {"custom_id": "1", "params": body},
        lambda body: {"key": "1", "request": body},
    ],
)
@pytest.mark.parametrize("body", [CHAT, RESPONSES, ANTHROPIC, GEMINI])
def test_a_line_of_a_batch_is_its_body(wrap, body):
    assert read_body(json.dumps(wrap(body))).request == read_body(json.dumps(body)).request


def test_a_list_of_messages_is_a_chat():
    assert read_body('\ufeff[{"role": "user", "content": "Hi"}]'.encode()).request.messages == (Message("user", "Hi"),)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("", "line 1, column 1: not valid JSON"),
        ('{\n "messages": [\n', "line 3, column 1: not valid JSON"),
        ('{"messages": 5}', "line 1, column 14: messages must be a list, not a number"),
        ('{"messages": [\n {"role": 5}]}', "line 2, column 11: messages[0].role must be a text, not a number"),
        ('{"messages": [{"content": "x"}]}', "line 1, column 15: messages[0] has no 'role'"),
        ('{"body":\n {"messages": [null]}}', "line 2, column 16: body.messages[0] must be an object, not null"),
        ('[{"role": "user", "content": true}]', "line 1, column 30: [0].content must be a text or a list of parts"),
        ('{"contents": [{"parts": [7]}]}', "line 1, column 26: contents[0].parts[0] must be an object"),
        ('{"input": 7}', "line 1, column 11: input must be a text or a list"),
        ('{"system": 7, "messages": []}', "line 1, column 12: system must be a text or a list of blocks"),
        ('{"messages": [{"role": "user", "content": "a", "content": 7}]}', "line 1, column 59"),
        ("7", "neither an object nor a list"),
        ("{}", "none of 'messages', 'input' and 'contents'"),
        ("NaN", "NaN is not a JSON number"),
        ('{"url": "/v1/embeddings", "body": {"input": "x"}}', "url is for embeddings"),
        ('{"messages": [], "tools": [{"function": {"name": "f", "parameters": []}}]}', "parameters must be an object"),
        (b"\xff\xfe", "not valid UTF-8: byte 0xff at offset 0"),
        ("[" * 200_000, "nested too deeply"),
        (DEEP_TOOL, "more than 100 deep"),
    ],
)  # fmt: skip
def test_what_is_no_request(body, said):
    with pytest.raises(RequestError) as caught:
        read_body(body)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("kind", [[], {}, 7, None])
def test_a_part_whose_type_is_no_text_ends_in_a_sentence(kind):
    body = {"messages": [{"role": "user", "content": [{"type": kind, "text": "x"}]}]}
    with pytest.raises(RequestError, match="type"):
        read_body(json.dumps(body))


def test_a_body_that_is_too_large_is_not_read():
    with pytest.raises(RequestError, match="larger than 64 MB"):
        read_body(b" " * (LARGEST_BODY + 1))


def test_a_huge_number_is_no_obstacle():
    body = '{"seed": ' + "9" * 100_000 + ', "messages": [{"role": "user", "content": "Hi"}]}'
    assert read_body(body).request.messages == (Message("user", "Hi"),)


@examples(200)
@given(data=st.data())
def test_a_damaged_body_ends_in_a_sentence_or_a_request(data):
    text = json.dumps(data.draw(st.sampled_from([CHAT, RESPONSES, ANTHROPIC, GEMINI])))
    at = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 20))
    new = data.draw(st.sampled_from(["", "null", "[]", "{}", "7", '"x"', ",", "\x00", "\ud800", "1e999", "[[[["]))
    read_or_refused(text[:at] + new + text[at + cut :])


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


@examples(200)
@given(data=st.data(), value=json_values)
def test_any_value_in_any_place_ends_in_a_sentence_or_a_request(data, value):
    body = json.loads(json.dumps(data.draw(st.sampled_from([CHAT, RESPONSES, ANTHROPIC, GEMINI]))))
    at = body
    while True:
        key = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        if not isinstance(at[key], dict | list) or not at[key] or data.draw(st.booleans()):
            at[key] = value
            break
        at = at[key]
    read_or_refused(json.dumps(body))


@given(value=json_values.filter(lambda value: isinstance(value, list | dict)), data=st.data())
def test_where_a_value_begins(value, data):
    text = json.dumps(value, indent=data.draw(st.sampled_from([None, 1])), allow_nan=True)
    path, at = [], value
    while isinstance(at, dict | list) and at and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        path.append(key)
        at = at[key]
    found, _ = json.JSONDecoder().raw_decode(text, offset_of(text, path))
    assert json.dumps(found) == json.dumps(at)


def read_or_refused(text):
    """Whatever else is raised fails the test."""
    with contextlib.suppress(RequestError):
        read_body(text)
