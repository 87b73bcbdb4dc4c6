from __future__ import annotations

import json
from pathlib import Path

import pytest

from gui.state.session import STATE_FILE, TEXT_FILE, SessionState, read_session, state_bytes


def write(folder: Path, state: bytes | None, text: bytes | None) -> None:
    if state is not None:
        (folder / STATE_FILE).write_bytes(state)
    if text is not None:
        (folder / TEXT_FILE).write_bytes(text)


def test_nothing_there_is_the_first_start(tmp_path: Path):
    assert read_session(tmp_path / "1", 1000).is_first


def test_what_was_written_is_read(tmp_path: Path):
    state = SessionState(closed=True, caret_utf16=7, encoding="cl100k_base", scenario={"calls": 3}, file="/a/b")
    write(tmp_path, state_bytes(state), "line\r\nß\ud800".encode("utf-8", "surrogatepass"))
    restored = read_session(tmp_path, 1000)
    assert restored.state == state
    assert restored.text == "line\r\nß\ud800"
    assert not restored.crashed
    assert not restored.problems
    assert not restored.is_first


def test_a_state_that_is_nested_too_deep_is_damaged(tmp_path: Path):
    write(tmp_path, b"[" * 100_000, b"text")
    restored = read_session(tmp_path, 1000)
    assert restored.text == "text"
    assert "state.json.damaged" in restored.problems[0]


def test_a_window_that_did_not_close_has_crashed(tmp_path: Path):
    write(tmp_path, state_bytes(SessionState(closed=False)), b"text")
    assert read_session(tmp_path, 1000).crashed


def test_a_text_too_big_is_left_for_later(tmp_path: Path):
    write(tmp_path, state_bytes(SessionState()), b"x" * 1001)
    restored = read_session(tmp_path, 1000)
    assert restored.text is None
    assert restored.text_bytes == 1001


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\xff\xfe"])
def test_a_damaged_state_is_set_aside_and_the_text_survives(tmp_path: Path, damage: bytes):
    write(tmp_path, damage, b"the text")
    restored = read_session(tmp_path, 1000)
    assert restored.text == "the text"
    assert restored.state == SessionState()
    [problem] = restored.problems
    assert "state.json.damaged" in problem
    assert (tmp_path / "state.json.damaged").read_bytes() == damage
    assert not restored.is_first


def test_a_damaged_text_is_set_aside(tmp_path: Path):
    write(tmp_path, state_bytes(SessionState(caret_utf16=3)), b"good \xff bad")
    restored = read_session(tmp_path, 1000)
    assert restored.text is None
    assert restored.state.caret_utf16 == 3
    assert "text.txt.damaged" in restored.problems[0]
    assert (tmp_path / "text.txt.damaged").read_bytes() == b"good \xff bad"


def test_a_folder_in_the_way_is_told(tmp_path: Path):
    (tmp_path / TEXT_FILE).mkdir()
    (tmp_path / STATE_FILE).mkdir()
    problems = read_session(tmp_path, 1_000_000).problems
    assert len(problems) == 2
    assert f"moved to {tmp_path / TEXT_FILE}.damaged" in problems[1]
    assert not (tmp_path / TEXT_FILE).exists(), "the next save would fail over it, or go over it"


def test_values_of_the_wrong_kind_are_left_out_one_by_one(tmp_path: Path):
    raw = json.loads(state_bytes(SessionState(scroll=4)))
    raw |= {"caret_utf16": "seven", "scenario": [1], "closed": "no", "of_the_future": 1}
    write(tmp_path, json.dumps(raw).encode(), b"")
    state = read_session(tmp_path, 1000).state
    assert state.caret_utf16 == 0
    assert state.scenario == {}
    assert state.closed is True
    assert state.scroll == 4
