"""How sure counts of requests are: what is not exact says so, and estimates have a range."""

from __future__ import annotations

import json

import pytest

from engine.requests.bodies.reader import read_body
from engine.requests.images import RULES, count_by_any_rule, count_image
from engine.requests.templates import TEMPLATES
from engine.requests.types import GRADES, Image, Message, Part, Request, Tally, TallySum, ToolCall
from tests.engine.requests.samples import WEATHER, counted, tallied

HELLO = Request((Message("user", "Hello there, what is this?"),))


@pytest.mark.parametrize(
    ("template", "encoding", "grade"),
    [
        ("llama3", "o200k_base", "estimate"),
        ("llama3.1", "cl100k_base", "estimate"),
        ("qwen", "o200k_base", "estimate"),
        ("openai", "gpt2", "estimate"),
        ("openai", "o200k_base", "formula"),
        ("openai", "cl100k_base", "formula"),
        ("qwen", "qwen", "exact"),
        ("chatml", "qwen", "exact"),
        ("harmony", "o200k_harmony", "exact"),
        ("mistral", "tekken", "exact"),
        ("deepseek", "deepseek", "exact"),
    ],
)
def test_a_template_in_another_models_encoding_is_an_estimate(template, encoding, grade):
    tally = tallied(HELLO, template, encoding)
    assert tally.grade == grade
    assert counted(HELLO, template, encoding).tally == tally
    text = tally.of("text")
    if grade == "estimate":
        assert f"{encoding} is not the vocabulary of this template's models: an estimate." in tally.notes
        assert text.low == text.tokens // 2
        assert text.high == -(-text.tokens * 21 // 10)
    else:
        assert (tally.low, tally.tokens, tally.high) == (tally.tokens,) * 3


def test_a_message_is_as_sure_as_its_least_sure_piece():
    plain, called = Message("user", "Hello"), Message("assistant", "", tool_calls=(ToolCall("f", "{}", "call00000"),))
    pictured = Message("user", "Look", images=(Image(512, 512, "high"),))
    request = Request((plain, called, pictured))
    assert counted(request, "openai", "o200k_base").message_grades == ("formula", "estimate", "formula")
    assert counted(request, "qwen", "qwen").message_grades[0] == "exact"
    assert counted(Request((plain,)), "llama3", "o200k_base").message_grades == ("estimate",)
    assert counted(Request((plain,)), "alone", "o200k_base").message_grades == ("estimate",)


@pytest.mark.parametrize("key", TEMPLATES)
def test_no_message_is_less_sure_than_the_request(key):
    found = counted(WEATHER, key, TEMPLATES[key].encoding or "cl100k_base")
    assert len(found.message_grades) == len(WEATHER.messages)
    assert all(GRADES.index(grade) <= GRADES.index(found.tally.grade) for grade in found.message_grades)


def test_who_knows_how_the_encoding_counts_can_leave_that_out():
    tally = tallied(HELLO, "llama3", "o200k_base")
    own = tally.without_encoding_range
    assert (own.tokens, own.low, own.high, own.grade) == (tally.tokens,) * 3 + ("exact",)
    total = TallySum([tallied(HELLO, "openai", "o200k_base"), tally, tally]).tally
    assert (total.grade, total.without_encoding_range.grade) == ("estimate", "formula")
    assert total.without_encoding_range.high == total.tokens < total.high


def test_a_framing_that_nobody_publishes_is_never_exact():
    tally = tallied(HELLO, "alone", "o200k_base")
    assert tally.of("overhead").tokens == 0
    assert tally.grade == "estimate"
    assert tally.of("overhead").high == 25
    assert tally.of("text").grade == "estimate", "whose encoding o200k_base is not"
    assert (tally.without_encoding_range.grade, tally.without_encoding_range.high) == ("estimate", tally.tokens + 25)
    with_tools = tallied(WEATHER, "alone", "o200k_base").of("tools")
    assert with_tools.high > with_tools.tokens + 530


@pytest.mark.parametrize("template", ["chatml", "deepseek"])
def test_tools_of_an_unpublished_form_have_a_range_that_holds_the_published_ones(template):
    found = tallied(WEATHER, template, TEMPLATES[template].encoding).of("tools")
    assert found.grade == "estimate"
    for published in ("openai", "harmony", "qwen", "mistral", "llama3.1"):
        encoding = TEMPLATES[published].encoding or "cl100k_base"
        without = tallied(Request(WEATHER.messages), published, encoding).tokens
        assert found.low <= tallied(WEATHER, published, encoding).tokens - without <= found.high


def test_calls_whose_ids_may_count_have_a_range():
    request = Request((Message("assistant", tool_calls=(ToolCall("f", "{}", "call_abcdef"),)),))
    overhead = tallied(request, "openai", "o200k_base").of("overhead")
    assert overhead.grade == "estimate"
    assert overhead.low < overhead.tokens < overhead.high


@pytest.mark.parametrize("rule", sorted(RULES))
def test_an_image_of_unknown_size_has_the_range_of_usual_sizes(rule):
    found = count_image(Image(0, 0), rule)
    assert found.grade == "estimate"
    for size in ((256, 256), (300, 900), (1024, 1024), (2000, 1000), (4096, 4096)):
        one = count_image(Image(*size), rule)
        assert found.tokens - found.less <= one.tokens <= found.tokens + found.more
        assert 0 <= one.less < one.tokens
        assert (one.less or one.more) or one.grade == "formula" or one.tokens < 100


def test_sources_that_disagree_are_a_range():
    found = count_image(Image(1024, 1024), "gpt-5.5")
    assert (found.tokens, found.less, found.more) == (1229, 1229 - 1024, 0)
    found = count_image(Image(4000, 3000), "claude-opus-4.7")  # measured: 2,992 of a cap of 4,784
    assert found.tokens - found.less <= 2992 < found.tokens + found.more
    found = count_image(Image(1024, 1024, "low"), "gpt-5.2")
    assert (found.tokens, found.less, found.more) == (1024, 1024 - 256, 0)


def test_an_image_of_a_model_of_which_no_rule_is_known_is_an_estimate():
    request = Request((Message("user", "", images=(Image(1024, 1024),)),), model="grok-4")
    for template in ("openai", "alone", "harmony"):
        images = tallied(request, template, TEMPLATES[template].encoding).of("images")
        assert images.grade == "estimate"
        found = count_by_any_rule(Image(1024, 1024), TEMPLATES[template].images or "gpt-4o")
        assert (images.tokens, images.low, images.high) == (found.tokens, found.tokens - found.less, 2520)
    named = Request(request.messages, model="gpt-4o")
    assert tallied(named, "openai", "o200k_base").of("images") == Part("images", 765, "formula")


def test_what_is_left_out_makes_it_an_estimate():
    body = {"model": "gpt-5", "input": "Hello", "previous_response_id": "r1"}
    request = read_body(json.dumps(body)).request
    assert not request.is_complete
    assert tallied(request, "openai", "o200k_base").grade == "estimate"
    del body["previous_response_id"]
    assert tallied(read_body(json.dumps(body)).request, "openai", "o200k_base").grade == "formula"


def test_a_sum_is_as_sure_as_its_least_sure_part():
    parts = [
        (("overhead", 2, "exact"), ("tools", 0, "estimate"), ("images", 5, "estimate", 1, 2), ("text", 3, "exact")),
        (("overhead", 4, "formula"), ("tools", 0, "exact"), ("images", 0, "exact"), ("text", 1, "exact")),
    ]
    tallies = [Tally(tuple(Part(*part) for part in one)) for one in parts]
    found = TallySum(tallies).tally
    assert [part.grade for part in found.parts] == ["formula", "exact", "estimate", "exact"]
    assert (found.low, found.tokens, found.high, found.grade) == (14, 15, 17, "estimate")
    assert TallySum([Tally((), is_complete=False)]).tally.grade == "estimate"
