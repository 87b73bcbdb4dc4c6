"""The merge inspector's worker: what it finds out, in the places of the text as it is shown."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

import engine
from engine.analysis.merge_types import IsToken, MergedOn, NoSuchToken, SplitApart, TakenFirst
from gui.runtime.jobs import JobRunner, Ticket
from gui.tokenizers.merges.service import FROM_END, MergeReply, MergeRequest, MergeService, _Known, _look, explained


def look(text: str, known: _Known | None = None, **what: object) -> MergeReply:
    request = MergeRequest(str(what.pop("encoding", "cl100k_base")), text, **what)
    return _look(engine.get_encoding, known or _Known(), request, Ticket(lambda *_: None))


def words(reply: MergeReply) -> list[str]:
    return [explained(why, reply.tokens) for why in reply.whys]


def test_an_answer_has_all_that_is_shown():
    reply = look("strawberry", done=4)
    assert reply.text.document == "strawberry"
    assert reply.text.patch.utf16_ends.tolist() == [10]
    assert [reply.trace.content[slice(*span[::2])] for span in reply.spans][:4] == [b"er", b"st", b"str", b"err"]
    assert (reply.state.done, len(reply.state.parts)) == (4, 6)
    assert len(reply.forest.nodes) == 10 + 7
    assert reply.problem == ""


def test_pretokens_have_their_place_as_their_id():
    reply = look("a b\r\nc🚀d", pretoken=3)
    assert reply.text.document == "a b\nc🚀d"
    patch = reply.text.patch
    assert patch.ids.tolist() == list(range(len(reply.text.cut)))
    assert patch.utf16_ends.tolist()[-1] == 8
    assert reply.trace.content == reply.text.cut.pretoken(3).encode()


def test_what_is_asked_too_far_is_taken_for_the_end():
    reply = look("ab cd", pretoken=99, done=FROM_END)
    assert reply.pretoken == 1
    assert reply.state.done == len(reply.trace.steps)


def test_a_stretch_is_that_of_the_document():
    reply = look("x\r\n🚀strawberry", span=(4, 14))
    assert reply.whys[0].content == "strawberry"
    reply = look("x\r\n🚀strawberry", span=(900, 1000))
    assert reply.whys[0].content == "x\r\n🚀strawberry"


def test_the_worker_looks_only_at_what_is_new():
    known = _Known()
    first, second = (look("strawberry", known, done=done) for done in (1, 2))
    assert first.text is second.text
    assert first.forest is second.forest
    other = look("strawberry", known, encoding="o200k_base")
    assert other.text is not first.text
    assert other.trace.ids != first.trace.ids


@pytest.mark.parametrize(
    ("text", "span", "kind", "said"),
    [
        (" strawberry", None, IsToken, "one token, 73700, made by merge 10."),
        ("z", None, IsToken, "“z”: one token, 89: a single byte."),
        (
            "don't",
            None,
            SplitApart,
            "splits it into 2 pretokens, and merges never cross a pretoken boundary: don  |  't",
        ),
        ("strawberry", None, NoSuchToken, "The remaining tokens do not merge: str + aw, aw + berry."),
        ("strawberry", None, NoSuchToken, "exists, but another merge came first: merge "),
        ("strawberry", (2, 5), TakenFirst, "Another merge came first: merge 3 took st + r → str."),
        ("strawberry", (6, 8), MergedOn, "after merge 1; merge 4 made it part of a larger one: er + r → err."),
        ("berry", (0, 1), MergedOn, "was token 65 from the beginning; merge 4"),
        ("<|endoftext|>", None, SplitApart, "it is special token 100257."),
    ],
)
def test_the_reason_is_said(text, span, kind, said):
    reply = look(text, span=span)
    assert isinstance(reply.whys[0].reason, kind)
    assert said in words(reply)[0]


def test_the_split_of_a_token_that_exists_is_said():
    said = words(look("\n//", encoding="o200k_base"))[0]
    assert "The vocabulary has a token for exactly this text, 3914" in said
    assert "It is split after character 1." in said


def test_of_several_pretokens_the_one_at_hand_is_explained_too():
    whys = look("strawberry pie", pretoken=1).whys
    assert [why.content for why in whys] == ["strawberry pie", " pie"]


@pytest.mark.deep
@pytest.mark.parametrize("text", ["", "\ud83d", "👩\u200d🚀", "\0", "\u2029x", "a" * 20_000])
def test_every_text_has_an_answer(text):
    reply = look(text, done=3)
    assert (reply.trace is None) == (not text)
    assert bool(words(reply)) == bool(text)


def test_text_that_the_pattern_leaves_out():
    ranks = {bytes([value]): value for value in range(256)}
    own = engine.Encoding("own", pat_str=r"\w+", mergeable_ranks=ranks, special_tokens={})
    reply = _look(lambda _: own, _Known(), MergeRequest("own", "!!"), Ticket(lambda *_: None))
    assert reply.trace is None
    assert "drops 2 of its characters" in words(reply)[0]


def test_a_pretoken_that_is_too_long_is_refused_in_words(monkeypatch):
    from engine.analysis import merge_steps

    monkeypatch.setattr(merge_steps, "LONGEST_BYTES", 10)
    reply = look("a" * 11)
    assert "11 bytes" in reply.problem
    assert reply.trace is None


@pytest.fixture
def service(qtbot: QtBot):
    runner = JobRunner()
    parent = QObject()
    yield MergeService(runner, engine.get_encoding, parent)
    runner.shutdown()


def test_only_the_newest_question_is_answered(qtbot, service):
    answers: list[MergeReply] = []
    service.answered.connect(answers.append)
    for text in ("a", "b", "strawberry"):
        service.ask("cl100k_base", text, 0, FROM_END)
    qtbot.waitUntil(lambda: bool(answers))
    qtbot.waitUntil(lambda: not service._lane.busy)
    assert [answer.request.text for answer in answers] == ["strawberry"]


def test_an_encoding_that_is_not_there(qtbot, service):
    with qtbot.waitSignal(service.failed) as failed:
        service.ask("nope", "a", 0, FROM_END)
    assert "nope" in failed.args[0]
