"""Requests with functions, whose counts gpt-tokenizer 4.0.0 publishes (MIT; its ``functionCallingTestCases``)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.requests.bodies.reader import read_body
from engine.requests.templates.openai import COOKBOOK_NOTE, RENDERING_NOTE, rendered
from engine.requests.types import Message, Request, Tool
from tests.engine.requests.samples import WEATHER, tallied

CASES = [json.loads(line) for line in (Path(__file__).parent / "function_counts.jsonl").read_text("utf-8").splitlines()]


def tokens_of(body):
    return tallied(read_body(json.dumps(body)).request, "openai", "o200k_base").tokens


def test_all_published_counts():
    assert len(CASES) == 32
    found = [tokens_of(case["body"]) for case in CASES]
    assert found == [case["tokens"] for case in CASES]


@pytest.mark.parametrize(
    ("choice", "more"),
    [
        ({"tool_choice": "none"}, 1),
        ({"tool_choice": "auto"}, 0),
        ({"tool_choice": {"type": "function", "function": {"name": "foo"}}}, 5),
        ({"function_call": {"name": "foo"}}, 5),
    ],
)
def test_a_choice_among_tools(choice, more):
    body = {
        "messages": [{"role": "user", "content": "hello"}],
        "tools": [{"type": "function", "function": {"name": "foo", "parameters": {"type": "object"}}}],
    }
    assert tokens_of(body | choice) == tokens_of(body) + more


def test_a_choice_in_a_body_of_responses():
    tools = [{"type": "function", "name": "foo"}]
    body = {"input": "hello", "tools": tools, "tool_choice": {"type": "function", "name": "foo"}}
    assert read_body(json.dumps(body)).request.forced_tool == "foo"


def test_a_count_names_the_rule_it_follows():
    assert COOKBOOK_NOTE in tallied(WEATHER, "openai", "o200k_base").notes
    bare = Request((Message("user", "hello"),), (Tool("foo"),))
    assert RENDERING_NOTE in tallied(bare, "openai", "o200k_base").notes


def test_descriptions_inside_of_objects_are_left_out():
    inner = {"type": "object", "properties": {"b": {"type": "string", "description": "Dropped"}}}
    tool = Tool("f", "", {"properties": {"a": {**inner, "description": "Kept"}}})
    assert rendered([tool]) == (
        "namespace functions {\n\ntype f = (_: {\n// Kept\na?: {\n  b?: string,\n},\n}) => any;\n\n"
        "} // namespace functions"
    )
