"""A big text's tokens, laid out by a worker, are what the editor would have made of its patch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from engine.types import TextEdit, TokenPatch
from gui.editor import ready_patch as ready_patch_module
from gui.editor import token_spans
from gui.editor.ready_patch import ReadyPatch, ready_patch
from gui.editor.token_spans import TokenSpans
from gui.editor.token_tracker import TokenTracker

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
    assert ready_patch(few) is few


@pytest.mark.parametrize("before", [None, 3])
def test_the_arrays_of_the_worker_are_taken_over(before: int | None) -> None:
    tracker, plain = tracker_of(), tracker_of()
    if before is not None:
        tracker.apply(1, patch(before))
        plain.apply(1, patch(before))
    ready = ready_patch(patch(2))
    assert isinstance(ready, ReadyPatch)
    ends = ready.spans._ends
    assert tracker.apply(1, ready) == plain.apply(1, patch(2)) == (0, LENGTH)
    assert tracker.spans is not None
    assert tracker.spans._ends is ends
    assert [*shown(tracker)] == [*shown(plain)]
    assert len(ready.spans) == 0, "two editors must not have the same arrays"


def test_there_is_room_for_edits() -> None:
    tracker = tracker_of()
    tracker.apply(1, ready_patch(patch(2)))
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
    ready = ready_patch(patch(2))
    assert tracker.apply(3, ready) is None
    assert [*shown(tracker)][:4] == before[:4]
    assert isinstance(ready, ReadyPatch)
    assert len(ready.spans) == LENGTH // 2, "not taken"


def test_a_late_patch_is_moved_over_newer_edits_as_any_other() -> None:
    tracker, plain = tracker_of(), tracker_of()
    for one in (tracker, plain):
        one.edit(2, [TextEdit(300, 0, "newer")])
    assert tracker.apply(1, ready_patch(patch(2))) == plain.apply(1, patch(2))
    assert [*shown(tracker)] == [*shown(plain)]
    assert tracker.spans is not None
    assert tracker.spans.length == LENGTH + 5


def test_spans_of_another_text_are_left_alone() -> None:
    spans, other = TokenSpans(LENGTH), TokenSpans(LENGTH + 1)
    tokens = patch(2)
    spans.apply(0, LENGTH, tokens.utf16_ends, tokens.ids, tokens.continues, other)
    assert len(other) == 1
    assert len(spans) == LENGTH // 2
