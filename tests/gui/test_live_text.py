"""The worker's copy of the text: edits, stored files, other encodings, failures."""

from __future__ import annotations

import pytest

import engine
from engine.types import TextEdit
from gui.editor.offsets import document_text
from gui.prompt.counting_service import LiveText, TextLost, TextRequest, joined
from gui.runtime.jobs import JobCancelled, Ticket

CL100K = "cl100k_base"


@pytest.fixture
def ticket():
    return Ticket(lambda fraction, note: None)


def answer(live, ticket, **what):
    return live.answer(TextRequest(**({"revision": 1, "encoding": CL100K} | what)), ticket)


def tokens(text, name=CL100K):
    return engine.get_encoding(name).encode_ordinary(text)


def test_a_new_text_is_counted_and_its_tokens_cover_it(ticket):
    reply = answer(LiveText(), ticket, new_text="naïve 🚀 text")
    assert reply.counts.tokens == len(tokens("naïve 🚀 text"))
    assert reply.patch.ids.tolist() == tokens("naïve 🚀 text")
    assert (reply.patch.utf16_start, reply.patch.utf16_new_end) == (0, 13)
    assert reply.counts.statistics.words == 3


def test_a_new_text_may_come_in_pieces(ticket):
    reply = answer(LiveText(), ticket, new_text=("naï", "ve ", "🚀 text"), want_text=True)
    assert reply.patch.ids.tolist() == tokens("naïve 🚀 text")
    assert reply.text.text() == "naïve 🚀 text"


def test_edits_follow_each_other(ticket):
    live = LiveText()
    answer(live, ticket, new_text="one two")
    reply = answer(live, ticket, edits=(TextEdit(3, 1, ", "), TextEdit(8, 0, "!")), revision=3, want_text=True)
    assert reply.text.text() == "one, two!"
    assert reply.counts.tokens == len(tokens("one, two!"))
    assert reply.counts.revision == 3


def test_a_text_that_is_asked_for_gives_way_between_its_parts(ticket):
    class Counting(Ticket):
        given_way = 0

        def yield_to_gui(self):
            self.given_way += 1

    live, counting, text = LiveText(), Counting(lambda fraction, note: None), "word " * 200_000
    answer(live, ticket, new_text=text)
    reply = answer(live, counting, want_text=True)
    assert reply.text.text() == text
    assert counting.given_way > 5


def test_joining_requests_drops_nothing(ticket):
    def request(**what):
        return TextRequest(**({"revision": 1, "encoding": CL100K} | what))

    both = joined(
        request(new_text="abc", stored=True, want_text=True),
        request(revision=2, edits=(TextEdit(3, 0, "d"),), encoding="gpt2"),
    )
    both = joined(both, request(revision=3, edits=(TextEdit(4, 0, "e"),), encoding="gpt2"))
    reply = LiveText().answer(both, ticket)
    assert reply.text.text() == "abcde"
    assert reply.patch.ids.tolist() == tokens("abcde", "gpt2")
    assert reply.counts.revision == 3
    newest = joined(both, request(revision=4, new_text="x"))
    assert (newest.new_text, newest.edits, newest.want_text) == ("x", (), True)


def test_a_stored_text_is_counted_as_stored_until_its_first_edit(ticket):
    stored = "one\r\ntwo\rthree\u2029\r\n"
    live = LiveText()
    reply = answer(live, ticket, new_text=stored, stored=True, want_text=True)
    assert reply.counts.counted_as_stored
    assert reply.counts.tokens == len(tokens(stored)) != len(tokens(document_text(stored)))
    assert reply.patch.utf16_ends[-1] == reply.patch.utf16_new_end == len(document_text(stored))
    assert reply.text.text() == document_text(stored)
    reply = answer(live, ticket, edits=(TextEdit(0, 0, "x"),), revision=2)
    assert not reply.counts.counted_as_stored
    assert reply.patch.ids.tolist() == tokens("x" + document_text(stored))


def test_a_stored_text_that_the_editor_can_hold_is_nothing_special(ticket):
    assert not answer(LiveText(), ticket, new_text="one\ntwo", stored=True).counts.counted_as_stored


def test_switching_encodings_of_a_stored_text_keeps_it_as_stored(ticket):
    stored = "a\r\n\r\nb"
    live = LiveText()
    answer(live, ticket, new_text=stored, stored=True)
    reply = answer(live, ticket, encoding="gpt2")
    assert reply.counts.tokens == len(tokens(stored, "gpt2"))
    assert reply.patch.utf16_new_end == len(document_text(stored))


def test_special_tokens_are_read_both_ways(ticket):
    text = "a <|endoftext|> b"
    live = LiveText()
    plain = answer(live, ticket, new_text=text).counts
    special = answer(live, ticket, special_as_tokens=True).counts
    as_tokens = len(engine.get_encoding(CL100K).encode(text, allowed_special="all"))
    assert plain.special_occurrences == special.special_occurrences == 1
    assert plain.tokens == plain.tokens_plain == special.tokens_plain == len(tokens(text))
    assert special.tokens == special.tokens_special == plain.tokens_special == as_tokens


def test_other_encodings_are_counted_bit_by_bit(ticket):
    text = "some text of several words. " * 40
    live = LiveText()
    watched = (CL100K, "gpt2", "o200k_base")
    reply = answer(live, ticket, new_text=text, watched=watched)
    for _ in range(50):
        if reply.counts.complete:
            break
        reply = answer(live, ticket, watched=watched)
    assert reply.counts.by_encoding == {name: len(tokens(text, name)) for name in watched}
    reply = answer(live, ticket, watched=watched, edits=(TextEdit(4, 0, "x"),))
    edited = text[:4] + "x" + text[4:]
    assert reply.counts.by_encoding == {name: len(tokens(edited, name)) for name in watched}


def test_an_encoding_that_cannot_be_opened_leaves_the_others(ticket, monkeypatch):
    opened = engine.get_encoding

    def broken(name):
        if name == "gpt2":
            raise engine.DamagedVocabularyError("r50k.ranks is damaged")
        return opened(name)

    monkeypatch.setattr(engine, "get_encoding", broken, raising=False)
    live = LiveText()
    watched = ("gpt2", "o200k_base")
    reply = answer(live, ticket, new_text="some text", watched=watched)
    for _ in range(10):
        reply = answer(live, ticket, watched=watched)
    assert reply.counts.unavailable == {"gpt2": "r50k.ranks is damaged"}
    assert reply.counts.by_encoding == {"o200k_base": 2}
    assert reply.counts.complete


def test_edits_without_a_text_ask_for_it(ticket):
    with pytest.raises(TextLost):
        answer(LiveText(), ticket, edits=(TextEdit(0, 0, "x"),))


def test_a_failure_leaves_no_half_edited_copy(ticket):
    live = LiveText()
    answer(live, ticket, new_text="text")
    with pytest.raises(ValueError, match="outside"):
        answer(live, ticket, edits=(TextEdit(99, 0, "x"),))
    with pytest.raises(TextLost):
        answer(live, ticket, edits=(TextEdit(0, 0, "x"),))
    assert answer(live, ticket, new_text="text").counts.tokens == 1


def test_a_cancelled_job_asks_for_the_text_again(ticket):
    live = LiveText()
    ticket.cancel()
    with pytest.raises(JobCancelled):
        answer(live, ticket, new_text="text")
    with pytest.raises(TextLost):
        answer(live, Ticket(lambda fraction, note: None))


def test_encodings_that_are_no_longer_watched_are_let_go(ticket):
    opened = []

    def open_encoding(name):
        opened.append(name)
        if name == "mine":
            raise engine.UnknownEncodingError("It is gone.")
        return engine.get_encoding(name)

    live = LiveText(open_encoding)
    answer(live, ticket, new_text="one two")
    for _ in range(6):
        reply = answer(live, ticket, watched=("gpt2", "mine"))
    assert reply.counts.by_encoding == {"gpt2": len(tokens("one two", "gpt2"))}
    assert reply.counts.unavailable == {"mine": "It is gone."}
    reply = answer(live, ticket, watched=())
    assert live._opened == {}
    assert reply.counts.unavailable == {}
    for _ in range(6):
        reply = answer(live, ticket, watched=("gpt2",))
    assert reply.counts.complete
    assert [name for name in opened if name != CL100K] == ["gpt2", "mine", "gpt2"]
