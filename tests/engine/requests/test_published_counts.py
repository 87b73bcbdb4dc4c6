"""Counts that vendors have published."""

from __future__ import annotations

import pytest

import engine
from engine.requests.templates import TEMPLATES, template_for_model
from engine.requests.templates.openai import system_text
from engine.requests.types import Message, Request, Tool
from tests.engine.requests.samples import COOKBOOK, DAY, WEATHER, WEATHER_TOOL, counted, tallied

HARMONY_EXAMPLE = [200006, 1428, 200008, 4827, 382, 220, 17, 659, 220, 17, 30, 200007, 200006, 173781]


@pytest.mark.parametrize(("encoding", "tokens"), [("cl100k_base", 129), ("o200k_base", 124)])
def test_the_cookbook_messages(encoding, tokens):
    tally = tallied(COOKBOOK, "openai", encoding)
    assert tally.tokens == tokens
    assert tally.grade == "formula"
    # 3 for each of six messages, 1 for its role, 1 for each of four names and the name itself, 3 for the reply.
    names = sum(engine.get_encoding(encoding).count(message.name) for message in COOKBOOK.messages)
    assert tally.of("overhead").tokens == 6 * 4 + 4 + names + 3
    assert tally.of("text").grade == "exact"


@pytest.mark.parametrize(("encoding", "tokens"), [("cl100k_base", 105), ("o200k_base", 101)])
def test_the_cookbook_tools(encoding, tokens):
    tally = tallied(WEATHER, "openai", encoding)
    assert tally.tokens == tokens
    assert tally.of("tools").grade == "formula"


def test_three_messages():
    # The third is the S4 lesson's example of the same rule: 23 in both encodings.
    request = Request((Message("system", "You are helpful."), Message("user", "Hi!"), Message("assistant", "Hello!")))
    for encoding in ("cl100k_base", "o200k_base"):
        enc = engine.get_encoding(encoding)
        expected = 3 + sum(3 + enc.count(m.role) + enc.count(m.content) for m in request.messages)
        assert tallied(request, "openai", encoding).tokens == expected


def test_the_harmony_example():
    found = counted(Request((Message("user", "What is 2 + 2?"),)), "harmony", "o200k_harmony")
    assert found.ids.tolist()[61:] == HARMONY_EXAMPLE
    assert found.text.endswith("<|start|>user<|message|>What is 2 + 2?<|end|><|start|>assistant")
    # As the documentation prints it, on two lines, it has one token more: the newline.
    printed = "<|start|>user<|message|>What is 2 + 2?<|end|>\n<|start|>assistant"
    with_newline = engine.get_encoding("o200k_harmony").encode(printed, allowed_special="all")
    assert len(with_newline) == 15
    assert [token for token in with_newline if token != 198] == HARMONY_EXAMPLE


@pytest.mark.parametrize(("with_tools", "tokens"), [(False, 61), (True, 75)])
def test_the_standard_system_message_of_harmony(with_tools, tokens):
    enc = engine.get_encoding("o200k_harmony")
    text = f"<|start|>system<|message|>{system_text(DAY, with_tools)}<|end|>"
    assert len(enc.encode(text, allowed_special="all")) == tokens
    tools = (Tool("f"),) if with_tools else ()
    found = counted(Request((), tools), "harmony", "o200k_harmony")
    assert found.text.startswith(text)


def test_the_developer_message_of_harmony_takes_seven_around_its_instructions():
    plain = tallied(Request((Message("user", "Hi"),)), "harmony", "o200k_harmony")
    with_instructions = tallied(
        Request((Message("system", "Be brief."), Message("user", "Hi"))), "harmony", "o200k_harmony"
    )
    assert with_instructions.of("overhead").tokens - plain.of("overhead").tokens == 7
    assert with_instructions.of("text").tokens - plain.of("text").tokens == 3


def test_llama_3_by_its_formula():
    # 1 + (5 + content) for each message + 4 for the reply, with roles of one token.
    request = Request((Message("system", " Be brief.\n"), Message("user", "Hi there")))
    enc = engine.get_encoding("cl100k_base")
    found = tallied(request, "llama3", "cl100k_base")
    assert found.tokens == 1 + (5 + enc.count("Be brief.")) + (5 + enc.count("Hi there")) + 4
    assert found.of("overhead").tokens == 15


def test_chatml_takes_five_around_a_content_and_three_for_the_reply():
    found = tallied(Request((Message("user", "Hi there"),)), "qwen", "qwen")
    assert found.of("overhead").tokens == 5 + 3


def test_nested_schemas_are_an_estimate():
    nested = Tool("f", "", {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}})
    tally = tallied(Request((Message("user", "Hi"),), (nested,)), "openai", "o200k_base")
    assert tally.of("tools").grade == "estimate"
    assert tally.grade == "estimate"
    namespace = "namespace functions {\n\ntype f = (_: {\na?: string[],\n}) => any;\n\n} // namespace functions"
    assert tally.of("tools").tokens == engine.get_encoding("o200k_base").count(namespace) + 9
    flat = tallied(Request((Message("user", "Hi"),), (WEATHER_TOOL,)), "openai", "o200k_base")
    assert flat.grade == "formula"


@pytest.mark.parametrize(
    ("model", "template"),
    [
        ("openai/gpt-4o", "openai"),
        ("openai/gpt-oss-120b", "harmony"),
        ("o3-mini", "openai"),
        ("alibaba/qwen3-max", "qwen"),
        ("anthropic/claude-opus-4.6", "alone"),
        ("meta/llama-3.3-70b", "llama3.1"),
        ("Meta-Llama-3-8B", "llama3"),
        ("nobody/knows", "alone"),
    ],
)
def test_the_template_of_a_model(model, template):
    assert template_for_model(model) == template


def test_every_template_names_an_encoding_that_exists():
    for template in TEMPLATES.values():
        assert template.encoding is None or template.encoding in engine.list_encoding_names()
