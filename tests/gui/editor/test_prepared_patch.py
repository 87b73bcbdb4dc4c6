"""A big text's tokens, laid out by a worker, are what the editor would have made of its patch."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from engine.types import TextEdit, TokenPatch
from gui.editor import token_spans, token_tracker
from gui.editor import token_tracker as ready_patch_module
from gui.editor.token_spans import CONTINUES, NO_COLOUR, NO_TOKEN, TokenSpans
from gui.editor.token_tracker import PreparedPatch, TokenTracker, prepared_patch

LENGTH = 600


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ready_patch_module, "MANY_TOKENS", 100)
    monkeypatch.setattr(token_spans, "_MANY", 100)


def patch(step: int) -> TokenPatch:
    ends = np.array([*range(step, LENGTH, step), LENGTH], np.int32)
    ids = np.arange(len(ends), dtype=np.int32) + step
    continues = np.zeros(len(ends), np.bool_)
    for array in (ends, ids, continues):
        array.flags.writeable = False
    return TokenPatch(0, LENGTH, LENGTH, ids, ends, continues)


def shown(tracker: TokenTracker) -> Iterator[list[int]]:
    assert tracker.spans is not None
    view = tracker.spans.slice(0, len(tracker.spans))
    return (array.tolist() for array in view[1:])


def tracker_of(length: int = LENGTH) -> TokenTracker:
    tracker = TokenTracker()
    tracker.replace_text(1, length)
    return tracker


def test_few_tokens_are_not_worth_it() -> None:
    few = patch(50)
    assert prepared_patch(few) is few


@pytest.mark.parametrize("before", [None, 3])
def test_the_arrays_of_the_worker_are_taken_over(before: int | None) -> None:
    tracker, plain = tracker_of(), tracker_of()
    if before is not None:
        tracker.apply(1, patch(before))
        plain.apply(1, patch(before))
    ready = prepared_patch(patch(2))
    assert isinstance(ready, PreparedPatch)
    ends = ready.spans._ends
    assert tracker.apply(1, ready) == plain.apply(1, patch(2)) == (0, LENGTH)
    assert tracker.spans is not None
    assert tracker.spans._ends is ends
    assert [*shown(tracker)] == [*shown(plain)]
    assert len(ready.spans) == 0, "two editors must not have the same arrays"


def test_there_is_room_for_edits() -> None:
    tracker = tracker_of()
    tracker.apply(1, prepared_patch(patch(2)))
    assert tracker.spans is not None
    ends = tracker.spans._ends
    for number in range(50):
        tracker.edit(2 + number, [TextEdit(300, 0, "a long text" * 10)])
    assert tracker.spans._ends is ends, "nothing was copied"
    assert tracker.spans.length == LENGTH + 50 * 110


def test_tokens_that_stay_the_same_keep_their_colours() -> None:
    tracker = tracker_of()
    tracker.apply(1, patch(2))
    tracker.edit(2, [TextEdit(100, 0, "x")])
    tracker.edit(3, [TextEdit(100, 1, "")])
    before = [*shown(tracker)]
    ready = prepared_patch(patch(2))
    assert tracker.apply(3, ready) is None
    assert [*shown(tracker)][:4] == before[:4]
    assert isinstance(ready, PreparedPatch)
    assert len(ready.spans) == LENGTH // 2, "not taken"


def looks(tracker: TokenTracker) -> list[list[int]]:
    """Ends, ids, and which tokens continue a character. Neighbours differ in colour, whichever they have."""
    ends, ids, colours, flags = [*shown(tracker)][-4:]
    assert all(one != other for one, other in itertools.pairwise(colours))
    return [ends, ids, [flag & CONTINUES for flag in flags]]


def test_a_late_patch_is_moved_over_newer_edits_as_any_other() -> None:
    tracker, plain = tracker_of(), tracker_of()
    for one in (tracker, plain):
        one.edit(2, [TextEdit(300, 0, "newer")])
    assert tracker.apply(1, prepared_patch(patch(2))) == plain.apply(1, patch(2))
    assert looks(tracker) == looks(plain)
    assert tracker.spans is not None
    assert tracker.spans.length == LENGTH + 5
    assert tracker.spans.span(149).utf16_end == 305, "the token before has what was inserted"


EDITS = [TextEdit(start, start % 5, "abc"[: start % 4]) for start in range(0, LENGTH - 200, 7)]


def edit_each(tracker: TokenTracker) -> None:
    for number, edit in enumerate(EDITS):
        tracker.edit(2 + number, [edit])


def catch_up(tracker: TokenTracker) -> int:
    """Go on until all is in; in how many turns."""
    turns = 0
    while tracker.is_catching_up:
        tracker.catch_up()
        turns += 1
    return turns


@pytest.fixture
def short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_tracker, "TURN_SECONDS", -1.0)


def test_many_edits_are_followed_over_several_turns(short_turns) -> None:
    tracker, plain = tracker_of(), tracker_of()
    for one in (tracker, plain):
        edit_each(one)
    plain.apply(1, patch(2))
    assert tracker.apply(1, prepared_patch(patch(2))) is None
    assert tracker.is_catching_up
    assert tracker.spans is None, "half of it is for nobody"
    assert catch_up(tracker) > 10
    assert looks(tracker) == looks(plain)


def test_what_is_edited_meanwhile_is_followed_too(short_turns) -> None:
    tracker, plain = tracker_of(), tracker_of()
    for one in (tracker, plain):
        edit_each(one)
    tracker.apply(1, prepared_patch(patch(2)))
    for one in (tracker, plain):
        one.edit(500, [TextEdit(10, 3, "x")])
    catch_up(tracker)
    plain.apply(1, patch(2))
    assert looks(tracker) == looks(plain)


def small(start: int, end: int, new_end: int) -> TokenPatch:
    ends = np.array([new_end], np.int32)
    return TokenPatch(start, end, new_end, np.array([7], np.int32), ends, np.zeros(1, np.bool_))


def test_later_patches_wait_for_a_late_one(short_turns) -> None:
    tracker, plain = tracker_of(), tracker_of()
    for one in (tracker, plain):
        edit_each(one)
    last = 1 + len(EDITS)
    tracker.apply(1, prepared_patch(patch(2)))
    plain.apply(1, patch(2))
    for one in (tracker, plain):
        one.apply(last, small(20, 26, 26))
    catch_up(tracker)
    assert not tracker.stale
    assert looks(tracker) == looks(plain)


def test_a_newer_one_takes_the_place_of_a_late_one(short_turns) -> None:
    tracker = tracker_of()
    edit_each(tracker)
    tracker.apply(1, prepared_patch(patch(2)))
    length = tracker._length
    assert length is not None
    ends = np.arange(1, length + 1, dtype=np.int32)
    newer = TokenPatch(0, length, length, ends, ends, np.zeros(length, np.bool_))
    assert tracker.apply(1 + len(EDITS), prepared_patch(newer)) == (0, length)
    assert not tracker.is_catching_up
    assert not tracker.stale
    assert tracker.spans is not None
    assert len(tracker.spans) == length


@pytest.mark.parametrize("how", ["another text", "no tokens", "another length"])
def test_a_late_one_of_what_is_gone_is_forgotten(short_turns, how: str) -> None:
    tracker = tracker_of()
    edit_each(tracker)
    tracker.apply(1, prepared_patch(patch(2)))
    if how == "another text":
        tracker.replace_text(900, 50)
    elif how == "no tokens":
        tracker.clear()
    else:
        tracker.set_length(50)
    assert not tracker.is_catching_up
    assert tracker.catch_up() is None
    assert tracker.spans is None


def test_text_that_came_meanwhile_has_no_tokens_yet(short_turns) -> None:
    tracker = tracker_of()
    tracker.apply(1, patch(2))
    edit_each(tracker)
    tracker.edit(500, [TextEdit(40, 0, "much " * 40)])
    same = patch(2)
    tracker.apply(1, prepared_patch(same))
    catch_up(tracker)
    spans = tracker.spans
    assert spans is not None
    view = spans.slice(0, len(spans))
    (uncovered,) = np.flatnonzero(view.ids == NO_TOKEN)
    assert view.colours[uncovered] == NO_COLOUR
    assert spans.index_at(int(view.starts[uncovered])) == -1


def test_the_editor_shows_a_late_one_when_it_is_in(editor, qtbot, short_turns) -> None:
    editor.setPlainText("w" * LENGTH)
    revision = editor.revision
    for edit in EDITS:
        editor.replace_range(edit.utf16_start, edit.utf16_start + edit.utf16_removed, edit.inserted)
    editor.apply_patch(revision, prepared_patch(patch(2)))
    assert editor.token_count == 0
    qtbot.waitUntil(lambda: editor.token_count > 0)
    assert editor.tokens_stale
    assert editor.token_at(0) is not None


def test_spans_of_another_text_are_left_alone() -> None:
    spans, other = TokenSpans(LENGTH), TokenSpans(LENGTH + 1)
    tokens = patch(2)
    spans.apply(0, LENGTH, tokens.utf16_ends, tokens.ids, tokens.continues, other)
    assert len(other) == 1
    assert len(spans) == LENGTH // 2
