"""The service between the editor and the engine, with a real worker thread."""

from __future__ import annotations

import pytest

import engine
from engine.types import TextEdit
from gui.core.text_chunks import chunked
from gui.editor.token_editor import TokenEditor
from gui.prompt import counting_service
from gui.prompt.counting_service import EncodingService
from gui.prompt.prompt import Prompt


@pytest.fixture
def service(runner):
    return EncodingService(runner, "cl100k_base")


def counted(qtbot, service, act):
    """Do something, wait until the newest counts are there, and return them."""
    seen = []
    service.counted.connect(seen.append)
    act()
    qtbot.waitUntil(lambda: bool(seen) and seen[-1].complete and not service.busy)
    service.counted.disconnect(seen.append)
    return seen[-1]


def test_a_text_is_counted_and_patched(qtbot, service):
    with qtbot.waitSignal(service.patched) as patched:
        counts = counted(qtbot, service, lambda: service.replace_text(7, "some words"))
    revision, patch = patched.args
    assert revision == counts.revision == 7
    assert patch.ids.tolist() == engine.get_encoding("cl100k_base").encode_ordinary("some words")


def test_fast_typing_ends_in_the_count_of_the_last_state(qtbot, service):
    def type_away():
        service.replace_text(0, "")
        for number in range(300):
            service.submit(number + 1, (TextEdit(number, 0, "a b"[number % 3]),))

    counts = counted(qtbot, service, type_away)
    qtbot.waitUntil(lambda: not service.busy)
    assert counts.revision == 300
    assert counts.tokens == engine.get_encoding("cl100k_base").count("a b" * 100)


def test_jobs_stand_back_for_an_edit_until_it_is_painted(qtbot, runner):
    service = EncodingService(runner, "cl100k_base")
    counted(qtbot, service, lambda: service.replace_text(0, "some words"))
    assert runner.free_to_run.is_set()
    service.submit(1, (TextEdit(0, 0, "a"),))
    assert not runner.free_to_run.is_set()
    qtbot.waitUntil(lambda: runner.free_to_run.is_set() and not service.busy)


def test_jobs_stand_back_for_a_key_from_its_first_moment(qtbot, runner):
    editor = TokenEditor()
    qtbot.addWidget(editor)
    prompt = Prompt(editor)
    prompt.start(EncodingService(runner, "cl100k_base"))
    qtbot.waitUntil(lambda: prompt.counts is not None and not runner.busy)
    assert runner.free_to_run.is_set()
    editor.typing.emit()
    assert not runner.free_to_run.is_set()
    qtbot.waitUntil(runner.free_to_run.is_set)


def test_an_edit_is_counted_once_it_is_painted(qtbot, service):
    counted(qtbot, service, lambda: service.replace_text(0, "one"))
    service.submit(1, (TextEdit(3, 0, " two"),))
    assert not service._lane.busy
    assert service.busy
    service.submit(2, (TextEdit(7, 0, " three"),))
    counts = counted(qtbot, service, lambda: None)
    assert (counts.revision, counts.tokens) == (2, 3)


@pytest.mark.parametrize("what", ["text", "encoding", "another text"])
def test_what_is_asked_for_comes_after_the_edits_before_it(qtbot, service, what):
    counted(qtbot, service, lambda: service.replace_text(0, "one"))
    service.submit(1, (TextEdit(3, 0, " two"),))
    if what == "text":
        with qtbot.waitSignal(service.text_ready) as ready:
            service.request_text()
        assert ready.args == [1, chunked(["one two"])]
    elif what == "encoding":
        counts = counted(qtbot, service, lambda: service.set_encoding("gpt2"))
        assert (counts.revision, counts.encoding, counts.tokens) == (1, "gpt2", 2)
    else:
        counts = counted(qtbot, service, lambda: service.replace_text(2, "a whole new text"))
        assert (counts.revision, counts.tokens) == (2, 4)


def test_another_encoding_recounts_the_same_text(qtbot, service):
    counted(qtbot, service, lambda: service.replace_text(1, "Grüße aus Köln"))
    with qtbot.waitSignal(service.encoding_changed):
        counts = counted(qtbot, service, lambda: service.set_encoding("gpt2"))
    assert counts.encoding == "gpt2"
    assert counts.tokens == engine.get_encoding("gpt2").count("Grüße aus Köln")


def test_watched_encodings_are_counted_to_the_end(qtbot, service):
    service.watch(("o200k_base", "gpt2"))
    text = "word " * 30_000
    counts = counted(qtbot, service, lambda: service.replace_text(1, text))
    assert counts.by_encoding == {name: engine.get_encoding(name).count(text) for name in ("o200k_base", "gpt2")}


def test_others_wait_while_a_text_grows(qtbot, service):
    counted(qtbot, service, lambda: service.replace_text(0, "one"))
    service.watch(("o200k_base", "gpt2"))
    qtbot.waitUntil(lambda: not service.busy)
    growing = [True]
    service.is_growing = lambda: growing[0]
    seen = []
    service.counted.connect(seen.append)
    service.submit(1, (TextEdit(3, 0, " two" * 2000),))
    qtbot.waitUntil(lambda: bool(seen) and not service.busy and service._growing_timer.isActive())
    checks = []
    service._growing_timer.timeout.connect(lambda: checks.append(None))
    qtbot.waitUntil(lambda: len(checks) == 3)
    assert seen[-1].tokens == 2001
    assert not seen[-1].complete
    growing.clear()
    growing.append(False)
    qtbot.waitUntil(lambda: seen[-1].complete)
    assert dict(seen[-1].by_encoding) == {"o200k_base": 2001, "gpt2": 2001}


def test_long_lines_are_counted_again_when_no_key_is_pressed(qtbot, service, monkeypatch):
    monkeypatch.setattr(counting_service, "LONG_UNITS", 10)
    counted(qtbot, service, lambda: service.replace_text(0, "one two three four"))
    service.watch(("gemma", "gpt2"))
    qtbot.waitUntil(lambda: service._lane.busy)
    qtbot.waitUntil(lambda: not service.busy)
    seen = []
    service.counted.connect(seen.append)
    service._rest_timer.setInterval(600_000)
    for revision in range(1, 4):
        service.submit(revision, (TextEdit(3, 0, " two"),))
        qtbot.waitUntil(lambda: not service.busy and service._rest_timer.isActive())
        assert seen[-1].revision == revision
        assert seen[-1].by_encoding["gpt2"] == 4 + revision
        assert seen[-1].by_encoding["gemma"] is None
    service._rest_timer.start(0)
    qtbot.waitUntil(lambda: seen[-1].complete)
    assert seen[-1].by_encoding["gemma"] == 7


def test_a_cancelled_count_of_a_long_line_stays_cancelled(qtbot, service, monkeypatch):
    monkeypatch.setattr(counting_service, "LONG_UNITS", 10)
    counted(qtbot, service, lambda: service.replace_text(0, "one two three four"))
    service.watch(("gemma",))
    qtbot.waitUntil(lambda: not service.busy)
    service._rest_timer.setInterval(600_000)
    service.submit(1, (TextEdit(3, 0, " two"),))
    qtbot.waitUntil(lambda: not service.busy and service._rest_timer.isActive())
    wanted = []
    service.text_wanted.connect(lambda: wanted.append(None))
    service._on_cancelled(counting_service.TextRequest(1, "cl100k_base"))
    service._on_rest()
    assert not service.busy
    assert not wanted
    service.replace_text(2, "one")
    assert not service._rest_timer.isActive()


def test_the_text_can_be_asked_for(qtbot, service):
    service.replace_text(3, "hello")
    service.submit(4, (TextEdit(5, 0, "!"),))
    with qtbot.waitSignal(service.text_ready) as ready:
        service.request_text()
    assert ready.args == [4, chunked(["hello!"])]


def test_an_unknown_encoding_is_said_and_the_last_one_kept(qtbot, service):
    counted(qtbot, service, lambda: service.replace_text(1, "text"))
    with qtbot.waitSignals([service.failed, service.text_wanted]):
        service.set_encoding("no such encoding")
    assert service.encoding_name == "cl100k_base"
    counts = counted(qtbot, service, lambda: service.replace_text(1, "text"))
    assert counts.tokens == 1


def test_a_lost_text_is_asked_for(qtbot, service):
    with qtbot.waitSignal(service.text_wanted):
        service.submit(1, (TextEdit(0, 0, "x"),))


def test_token_info_after_the_first_answer(qtbot, service):
    assert service.token_info(5) is None
    counted(qtbot, service, lambda: service.replace_text(1, "text"))
    assert service.token_info(1342).token_bytes == b"text"
    assert service.token_info(-1) is None
    assert service.token_info(10**9) is None


def test_stopping_the_count_loses_no_edit(qtbot, service, held_edits):
    counted(qtbot, service, lambda: service.replace_text(0, "one"))
    holding = held_edits()
    service.submit(1, (TextEdit(3, 0, " two"),))
    qtbot.waitUntil(holding.begun.is_set)
    service.submit(2, (TextEdit(7, 0, " three"),))
    qtbot.waitUntil(lambda: not service._edits)
    service._lane.cancel()
    holding.may_end.set()
    qtbot.waitUntil(lambda: not service.busy)
    with qtbot.waitSignal(service.text_wanted):
        service.submit(3, (TextEdit(13, 0, " four"),))
    counts = counted(qtbot, service, lambda: service.replace_text(3, "one two three four"))
    assert (counts.revision, counts.tokens) == (3, 4)
    with qtbot.waitSignal(service.text_ready) as ready:
        service.request_text()
    assert ready.args == [3, chunked(["one two three four"])]
