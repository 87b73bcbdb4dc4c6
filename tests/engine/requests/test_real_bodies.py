"""Bodies as programs send them: all of it is read, or listed as not counted; nothing is lost without a word."""

from __future__ import annotations

import json
import re

import pytest

import engine
from engine.requests.bodies.reader import read_body
from engine.requests.counting import RequestCounter
from engine.requests.templates import TEMPLATES
from engine.requests.types import RequestError
from tests.engine.requests.bodies_of_openai import CHATS, RESPONSES
from tests.engine.requests.bodies_of_others import ANTHROPIC, GEMINI
from tests.engine.requests.test_bodies import SCHEMA

BODIES = {
    f"{api}: {name}": body
    for api, bodies in (("chat", CHATS), ("responses", RESPONSES), ("Anthropic", ANTHROPIC), ("Gemini", GEMINI))
    for name, body in bodies.items()
}


@pytest.mark.parametrize("name", BODIES)
def test_what_is_read_of_a_body(name):
    body, api, messages, unknown = BODIES[name]
    read = read_body(json.dumps(body))
    assert read.api == api
    assert [
        (message.role, message.content, len(message.images), len(message.tool_calls))
        for message in read.request.messages
    ] == messages
    assert {part.path: part.what for part in read.unknown} == unknown


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("template", ["openai", "alone", "harmony", "llama3.1", "mistral"])
def test_every_text_of_a_body_is_counted(name, template):
    request = read_body(json.dumps(BODIES[name][0])).request
    found = RequestCounter(TEMPLATES[template], engine.get_encoding("o200k_base")).count(request)
    # Word by word: some templates write the JSON of calls and answers in their own way.
    written = [word for message in request.messages for word in re.findall(r"\w+", message.content + _calls(message))]
    assert all(word in found.text for word in written)
    assert found.tally.of("images").tokens > 0 or not any(message.images for message in request.messages)


def _calls(message):
    return " ".join(["", *(call.name + call.arguments for call in message.tool_calls)])


@pytest.mark.parametrize("key", ["parameters", "parametersJsonSchema", "parameters_json_schema"])
def test_a_function_of_gemini_has_its_schema_under_three_names(key):
    body = {"contents": "Hi", "tools": [{"functionDeclarations": [{"name": "f", key: SCHEMA}]}]}
    (tool,) = read_body(json.dumps(body)).request.tools
    assert tool.parameters == SCHEMA


def test_a_body_of_embeddings_is_no_request():
    with pytest.raises(RequestError, match="line 1, column 11: model is for embeddings"):
        read_body('{"model": "text-embedding-3-small", "input": ["a", "b"]}')
