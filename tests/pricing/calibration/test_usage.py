"""Usage as providers answer it: one form for all, the whole prompt with its cached parts."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pricing
from pricing.calibration import Usage, UsageError, parse_usage
from pricing.scenarios import exactly
from pricing.types import Scenario
from tests.pricing.build import TODAY, Price, model, rates

CHAT = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "model": "gpt-5.1-2026-01-01",
    "choices": [],
    "usage": {
        "prompt_tokens": 1_200,
        "completion_tokens": 350,
        "total_tokens": 1_550,
        "prompt_tokens_details": {"cached_tokens": 1_024, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 192, "audio_tokens": 0},
    },
}
RESPONSES = {
    "type": "response.completed",
    "response": {
        "model": "gpt-6.1-sol",
        "usage": {
            "input_tokens": 900,
            "input_tokens_details": {"cached_tokens": 512},
            "output_tokens": 80,
            "output_tokens_details": {"reasoning_tokens": 64},
            "total_tokens": 980,
        },
    },
}
ANTHROPIC = {
    "type": "message",
    "model": "claude-opus-5-5",
    "usage": {
        "input_tokens": 50,
        "cache_creation_input_tokens": 300,
        "cache_read_input_tokens": 2_000,
        "cache_creation": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 200},
        "output_tokens": 120,
        "service_tier": "standard",
    },
}
GEMINI = {
    "candidates": [],
    "usageMetadata": {
        "promptTokenCount": 700,
        "candidatesTokenCount": 90,
        "thoughtsTokenCount": 400,
        "cachedContentTokenCount": 256,
        "toolUsePromptTokenCount": 30,
        "totalTokenCount": 1_220,
    },
    "modelVersion": "gemini-3.8-flash",
}
FORMS = [
    (CHAT, Usage("OpenAI chat", "gpt-5.1-2026-01-01", 1_200, 158, cached_tokens=1_024, reasoning_tokens=192)),
    (RESPONSES, Usage("OpenAI responses", "gpt-6.1-sol", 900, 16, cached_tokens=512, reasoning_tokens=64)),
    (
        ANTHROPIC,  # 50 + 300 + 2000 in the prompt
        Usage(
            "Anthropic",
            "claude-opus-5-5",
            2_350,
            120,
            cached_tokens=2_000,
            cache_write_tokens=100,
            cache_write_1h_tokens=200,
        ),
    ),
    (GEMINI, Usage("Gemini", "gemini-3.8-flash", 730, 90, cached_tokens=256, reasoning_tokens=400)),
]


@pytest.mark.parametrize(("answer", "usage"), FORMS, ids=[usage.api for _, usage in FORMS])
def test_each_form(answer: dict, usage: Usage) -> None:
    assert parse_usage(json.dumps(answer)) == usage


def test_the_usage_alone_and_the_line_as_it_is_copied() -> None:
    alone = parse_usage(json.dumps(ANTHROPIC["usage"]))
    assert (alone.input_tokens, alone.model) == (2_350, "")
    line = parse_usage('  "usage": ' + json.dumps(CHAT["usage"], indent=2) + ",\n")
    assert (line.input_tokens, line.api) == (1_200, "OpenAI chat")


def test_thinking_of_claude_is_part_of_its_output() -> None:
    raw = {"input_tokens": 5, "output_tokens": 100, "output_tokens_details": {"thinking_tokens": 60}}
    usage = parse_usage(json.dumps(raw))
    assert (usage.api, usage.output_tokens, usage.reasoning_tokens) == ("Anthropic", 40, 60)


def test_the_names_of_the_python_library_for_gemini() -> None:
    usage = parse_usage('{"usage_metadata": {"prompt_token_count": 7, "candidates_token_count": 2}}')
    assert (usage.api, usage.input_tokens, usage.output_tokens) == ("Gemini", 7, 2)


def test_a_call_is_priced_as_it_was() -> None:
    usage = parse_usage(json.dumps(ANTHROPIC))
    one = model(Price(rates(input="4", output="20", cached="0.2", cache_write="5", cache_write_1h="8")))
    call = Scenario(
        on=TODAY,
        output_tokens=usage.output_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        cached_tokens=usage.cached_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        cache_write_1h_tokens=usage.cache_write_1h_tokens,
    )
    cost = pricing.estimate(one, exactly(usage.input_tokens), call)
    # 50 × 4 + 2000 × 0.2 + 100 × 5 + 200 × 8 + 120 × 20 = 200 + 400 + 500 + 1600 + 2400
    assert cost.usd == Decimal("0.0051")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "this is not JSON"),
        ("hello", "this is not JSON"),
        ('\n\n {"usage": }', "in line 3, column 12"),
        ('  "usage": {\n  "prompt_tokens": 5 6}', "in line 2, column 22"),
        ('"usage": {"prompt_tokens" 5}', "in line 1, column 27"),
        ("[1]", "no usage found"),
        ('{"usage": 3}', "no usage found"),
        ('{"prompt_tokens": "many"}', "prompt_tokens is not a number of tokens"),
        ('{"prompt_tokens": -1}', "prompt_tokens is not a number"),
        ('{"prompt_tokens": true}', "prompt_tokens is not a number"),
        ('{"prompt_tokens": 1.5}', "prompt_tokens is not a number"),
        ('{"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 6}}', "more than the 5 of the prompt"),
        ('{"prompt_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 6}}', "more than the 0 of the output"),
        ('{"input_tokens": 5, "output_tokens_details": {"thinking_tokens": 6}}', "more than the 0 of the output"),
        ('{"input_tokens": 5, "cache_creation": {"ephemeral_1h_input_tokens": 6}}', "more than the 0 written"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_what_is_no_usage_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        parse_usage(text)


@given(
    st.recursive(
        st.none() | st.integers(-2, 9) | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(
                st.sampled_from(
                    ["usage", "model", "prompt_tokens", "input_tokens", "cache_creation", "promptTokenCount"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_nothing_pasted_breaks_it(document: object) -> None:
    try:
        usage = parse_usage(json.dumps(document))
    except UsageError:
        return
    assert usage.input_tokens >= usage.cached_tokens + usage.cache_write_tokens + usage.cache_write_1h_tokens
