"""Parts, pieces and places of a rendered request, in every template."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.requests.counting import RequestCounter
from engine.requests.templates import TEMPLATES
from engine.requests.types import KINDS, Image, Message, Request, Tool, ToolCall
from tests.engine.encoding.test_preprocessing_encoding import encodings as prepared
from tests.engine.requests.samples import DAY, WEATHER, WEATHER_TOOL, counted, tallied
from tests.thoroughness import examples, mostly_deep

ENCODINGS = {key: template.encoding or "cl100k_base" for key, template in TEMPLATES.items()}

FULL = Request(
    (
        Message("system", "Be <|im_end|> good"),
        Message("user", "Héllo ", images=(Image(1024, 1024, "high"),)),
        Message("assistant", "", tool_calls=(ToolCall("f", '{"a": 1}', "call12345"),)),
        Message("tool", "42", "f", call_id="call12345"),
        Message("tool", "43", "f", call_id="call12345"),
        Message("assistant", "It is 42.", tool_calls=(ToolCall("g", "{}", "call00000"),)),
        Message("user", "\ud800 lone"),
    ),
    (WEATHER_TOOL,),
)

texts = st.text(alphabet=st.sampled_from("ab é你😀\n<|im_end>\ud800"), max_size=20)
requests = st.builds(
    Request,
    st.lists(
        st.builds(
            Message,
            st.sampled_from(["system", "developer", "user", "assistant", "tool"]),
            texts,
            st.sampled_from(["", "anna"]),
            st.just(()) | st.just((Image(100, 50),)),
            st.just(()) | st.builds(lambda text: (ToolCall("f", text),), texts),
        ),
        max_size=5,
    ).map(tuple),
    st.just(()) | st.just((Tool("f", "does"),)),
)


@pytest.mark.parametrize("key", mostly_deep(TEMPLATES, 2))
@examples(30)
@given(request_=requests)
def test_the_pieces_are_the_text(key, request_):
    found = counted(request_, key, ENCODINGS[key])
    data = found.text.encode()
    assert [span.byte_start for span in found.spans] == [0, *(span.byte_end for span in found.spans)][
        : len(found.spans)
    ]
    assert (found.spans[-1].byte_end if found.spans else 0) == len(data)
    assert (found.byte_ends[1:] >= found.byte_ends[:-1]).all()
    assert (int(found.byte_ends[-1]) if len(found.byte_ends) else 0) == len(data)
    by_formula = sum(span.tokens - 1 for span in found.spans if span.tokens is not None)
    assert found.tally.tokens == len(found.ids) + by_formula
    assert [part.kind for part in found.tally.parts] == list(KINDS)


@pytest.mark.parametrize("name", mostly_deep(sorted(prepared), 2))
@given(request_=requests, key=st.sampled_from(sorted(TEMPLATES)))
def test_in_an_encoding_that_changes_texts_first(name, request_, key):
    counter = RequestCounter(TEMPLATES[key], prepared[name], today=DAY)
    found = counter.count(request_)
    data = found.text.encode()
    assert (found.byte_ends[1:] >= found.byte_ends[:-1]).all()
    assert (found.byte_ends <= len(data)).all()
    by_formula = sum(span.tokens - 1 for span in found.spans if span.tokens is not None)
    assert found.tally.tokens == len(found.ids) + by_formula
    assert counter.tally(request_) == found.tally


@pytest.mark.deep
@pytest.mark.parametrize("key", TEMPLATES)
def test_everything_that_was_written_is_there(key):
    found = counted(FULL, key, ENCODINGS[key])
    data = found.text.encode()
    written = b"".join(data[span.byte_start : span.byte_end] for span in found.spans if span.kind == "text").decode()
    for text in ("Be <|im_end|> good", "Héllo", "42", "43", "It is 42.", "\ufffd lone"):
        assert text in written
    assert "get_current_weather" not in written
    assert found.tally.of("images").tokens > 0
    assert found.tally.of("tools").tokens > 0


@pytest.mark.parametrize("key", TEMPLATES)
def test_a_special_token_in_a_content_is_plain_text(key):
    template = TEMPLATES[key]
    for special in sorted(template.special):
        request = Request((Message("user", f"a {special} b"),))
        found = counted(request, key, ENCODINGS[key])
        assert [(one.text, one.occurrences) for one in found.special_texts] == [(special, 1)]
        harmless = counted(Request((Message("user", "a b"),)), key, ENCODINGS[key])
        specials = [span for span in found.spans if span.special]
        assert len(specials) == len([span for span in harmless.spans if span.special])


def test_special_tokens_have_their_ids_or_none():
    found = counted(WEATHER, "qwen", "qwen")
    assert 151644 in found.ids
    assert -1 not in found.ids
    stand_in = counted(WEATHER, "qwen", "cl100k_base")
    specials = [span for span in stand_in.spans if span.special]
    assert (stand_in.ids == -1).sum() == len(specials) > 0
    assert stand_in.tally.of("overhead").tokens > 0


def test_a_token_over_two_pieces_counts_where_it_begins():
    # "\n\n" of the header and the newline of the content are one token, of the framing.
    found = tallied(Request((Message("user", "\n\nHi"),)), "chatml", "cl100k_base")
    plain = engine.get_encoding("cl100k_base")
    assert found.tokens == 2 + plain.count("user\n\n\nHi") + plain.count("\n") + 1 + plain.count("assistant\n")


def test_images_by_the_model_of_the_request_the_template_or_the_choice():
    image = (Image(1024, 1024, "high"),)
    request = Request((Message("user", "x", images=image),))
    enc = engine.get_encoding("o200k_base")
    template = TEMPLATES["openai"]
    assert RequestCounter(template, enc).tally(request).of("images").tokens == 765
    named = Request(request.messages, model="gpt-4.1-mini")
    assert RequestCounter(template, enc).tally(named).of("images").tokens == 1659
    chosen = RequestCounter(template, enc, image_rule="gemini-2").tally(named).of("images")
    assert (chosen.tokens, chosen.grade) == (4 * 258, "formula")
    stand_in = RequestCounter(TEMPLATES["qwen"], enc).tally(request).of("images")
    assert (stand_in.tokens, stand_in.grade) == (765, "estimate")


def test_an_image_of_unknown_size_is_said():
    request = Request((Message("user", "x", images=(Image(0, 0), Image(0, 0))),))
    tally = tallied(request, "openai", "o200k_base")
    assert tally.of("images").tokens == 2 * 765
    assert tally.of("images").grade == "estimate"
    assert any("2 images" in note for note in tally.notes)


def test_what_ends_with_a_reply_awaits_none():
    request = Request((Message("user", "Hi"), Message("assistant", "Hello")))
    assert not request.awaits_reply
    assert counted(request, "chatml", "qwen").text.endswith("Hello<|im_end|>\n")
    assert counted(request, "qwen", "qwen").text.endswith(
        "<|im_start|>assistant\n<think>\n\n</think>\n\nHello<|im_end|>\n"
    )


def test_the_day_is_told_where_the_template_tells_it():
    request = Request((Message("user", "Hi"),))
    enc = engine.get_encoding("o200k_harmony")
    text = RequestCounter(TEMPLATES["harmony"], enc, today=DAY).count(request).text
    assert "Current date: 2025-06-28" in text
    assert "Today Date: 28 Jun 2025" in counted(request, "llama3.1", "cl100k_base").text
