"""The token arrays against a plain list of tokens."""

from __future__ import annotations

import random
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gui.editor import token_spans
from gui.editor.token_spans import CONTINUES, NO_COLOUR, NO_TOKEN, STALE, TokenSlice, TokenSpans, rebase, rebase_once


def arrays(ends: list[int], ids: list[int] | None = None, continues: list[bool] | None = None) -> tuple:
    count = len(ends)
    return (
        np.array(ends, np.int32),
        np.array(ids if ids is not None else range(count), np.int32),
        np.array(continues if continues is not None else [False] * count, np.bool_),
    )


def whole(spans: TokenSpans):
    return spans.slice(0, len(spans))


def check(spans: TokenSpans) -> None:
    """Tokens tile the text, and no two neighbours look the same."""
    view = whole(spans)
    assert len(view.ids) == len(spans)
    if spans.length == 0:
        return
    assert view.starts[0] == 0
    assert view.ends[-1] == spans.length
    assert (np.diff(view.ends) >= 0).all()
    assert (view.starts[1:] == view.ends[:-1]).all()
    same = (view.colours[1:] == view.colours[:-1]) & (view.colours[1:] != NO_COLOUR)
    assert not same.any()
    assert ((view.ids == NO_TOKEN) == (view.colours == NO_COLOUR)).all()
    for index in range(len(spans)):
        assert spans.start_of(index) == view.starts[index]
        assert spans.end_of(index) == view.ends[index]


def tokenised(rnd: random.Random, start: int, end: int) -> list[int]:
    return sorted({rnd.randint(start + 1, end) for _ in range((end - start) // 3 + 1)} | {end}) if end > start else []


@pytest.mark.deep
def test_edits_and_patches_in_any_order() -> None:
    for seed in range(60):
        rnd = random.Random(seed)
        length = rnd.choice([0, 1, 40, 200])
        spans = TokenSpans(length)
        for _ in range(60):
            if rnd.random() < 0.6:
                start = rnd.randint(0, length)
                removed = min(rnd.choice([0, 0, 1, 3, 50]), length - start)
                added = rnd.choice([0, 1, 1, 2, 63, 64, 100])
                dirty_from, dirty_to = spans.edit(start, removed, added)
                length += added - removed
                assert 0 <= dirty_from <= min(start, length)
                assert min(length, start + added) <= dirty_to <= length
            else:
                start, end = sorted((rnd.randint(0, length), rnd.randint(0, length)))
                ends = tokenised(rnd, start, end)
                ids = [rnd.randint(0, 5) for _ in ends]
                before = whole(spans)
                looks = {}
                for b, e, c in zip(before.starts.tolist(), before.ends.tolist(), before.colours.tolist(), strict=True):
                    looks[b, e] = c
                dirty = spans.apply(start, end, *arrays(ends, ids))
                view = whole(spans)
                inside = (view.starts >= start) & (view.ends <= end) & (view.ends > view.starts)
                assert view.ends[inside].tolist() == ends
                assert view.ids[inside].tolist() == ids
                assert not (view.flags[inside] & STALE).any()
                # Whatever lies outside what is said to look different looks as before.
                for b, e, c in zip(view.starts.tolist(), view.ends.tolist(), view.colours.tolist(), strict=True):
                    if dirty is None or e <= dirty[0] or b >= dirty[1]:
                        assert looks.get((b, e)) == c or b == e or (dirty is None and (b < start or e > end))
            assert spans.length == length
            check(spans)


def test_looking_up() -> None:
    spans = TokenSpans(10)
    # 0-3, 3-5 begins a character that two tokens without width end, 5-10
    spans.apply(0, 10, *arrays([3, 5, 5, 5, 10], [7, 8, 9, 10, 11], [False, False, True, True, True]))
    assert [spans.index_at(offset) for offset in (0, 2, 3, 4, 5, 9, 10)] == [0, 0, 1, 1, 4, 4, 4]
    assert spans.touching(0, 3) == 1
    assert spans.touching(3, 4) == 1
    assert spans.touching(3, 5) == 4 - 1
    assert spans.touching(0, 10) == 5
    assert spans.touching(5, 6) == 1
    assert spans.touching(4, 4) == 0
    shared = spans.span(2)
    assert (shared.utf16_start, shared.utf16_end, shared.continues) == (5, 5, True)
    assert shared.partners == ((1, 8), (3, 10), (4, 11))
    assert spans.span(4).partners == ((1, 8), (2, 9), (3, 10))
    assert spans.span(0).partners == ()
    with pytest.raises(IndexError):
        spans.span(5)


def test_a_token_that_shares_both_its_ends_has_partners_on_both_sides() -> None:
    spans = TokenSpans(6)
    spans.apply(0, 6, *arrays([2, 4, 6], [1, 2, 3], [False, True, True]))
    assert spans.span(1).partners == ((0, 1), (2, 3))
    assert spans.span(0).partners == ((1, 2),)


def test_no_text_no_token() -> None:
    spans = TokenSpans(0)
    assert spans.index_at(0) == -1
    assert len(spans) == 0
    spans.edit(0, 0, 5)
    assert spans.index_at(2) == -1
    spans.edit(0, 5, 0)
    assert len(spans) == 0
    assert len(spans.covering(0, 0).ids) == 0


def test_typing_touches_one_token() -> None:
    spans = TokenSpans(30)
    spans.apply(0, 30, *arrays([10, 20, 30]))
    before = whole(spans).colours.tolist()
    assert spans.edit(10, 0, 1) == (0, 21)
    view = whole(spans)
    assert view.ends.tolist() == [11, 21, 31]
    assert view.colours.tolist() == before
    assert (view.flags & STALE).tolist() == [STALE, STALE, 0]


def test_a_pasted_text_is_a_stretch_of_its_own() -> None:
    spans = TokenSpans(30)
    spans.apply(0, 30, *arrays([10, 20, 30]))
    spans.edit(15, 0, 500)
    view = whole(spans)
    assert view.ends.tolist() == [10, 15, 515, 520, 530]
    assert view.ids.tolist() == [0, 1, NO_TOKEN, 1, 2]


def test_tokens_come_into_room_that_was_made_for_them() -> None:
    spans = TokenSpans(30)
    spans.apply(0, 30, *arrays([10, 20, 30]))
    spans.make_room(100_000)
    before = spans._ends
    for start in range(30, 40_030, 2000):
        spans.edit(start, 0, 2000)
        spans.apply(start, start + 2000, *arrays(list(range(start + 1, start + 2001))))
    assert len(spans) == 40_003
    assert spans._ends is before, "nothing was copied"


def test_the_same_tokens_change_nothing() -> None:
    spans = TokenSpans(9)
    spans.apply(0, 9, *arrays([3, 6, 9], [1, 2, 3]))
    assert spans.apply(0, 9, *arrays([3, 6, 9], [1, 2, 3])) is None
    assert spans.apply(3, 6, *arrays([6], [5])) is None, "another id in the same place looks the same"
    assert whole(spans).ids.tolist() == [1, 5, 3]


def test_an_odd_number_of_new_tokens_takes_the_third_colour() -> None:
    spans = TokenSpans(12)
    spans.apply(0, 12, *arrays([3, 6, 9, 12]))
    assert whole(spans).colours.tolist() == [0, 1, 0, 1]
    assert spans.apply(3, 6, *arrays([4, 6], [8, 9])) is not None
    assert whole(spans).colours.tolist() == [0, 1, 2, 0, 1]


def test_late_patches_are_moved_as_the_tokens_are() -> None:
    """Moving a patch over an edit and putting it in gives the same bounds as putting it in before the edit."""
    for seed in range(300):
        rnd = random.Random(seed)
        length = 60
        early, late = TokenSpans(length), TokenSpans(length)
        first = tokenised(rnd, 0, length)
        for spans in (early, late):
            spans.apply(0, length, *arrays(first))
        bounds = [0, *first]
        start, end = sorted(rnd.sample(bounds, 2))
        ends = tokenised(rnd, start, end)
        stretch = TokenSlice(start, end, *arrays(ends, [100 + n for n in range(len(ends))]))
        early.apply(start, end, *stretch[2:])
        at = rnd.randint(0, length)
        removed = min(rnd.choice([0, 1, 5, 20]), length - at)
        added = rnd.choice([0, 1, 4])
        early.edit(at, removed, added)
        late.edit(at, removed, added)
        moved = rebase_once(stretch, at, removed, added)
        assert 0 <= moved.start <= moved.end <= length + added - removed
        if len(moved.ends):
            assert moved.ends[-1] == moved.end
        late.apply(moved.start, moved.end, moved.ends, moved.ids, moved.continues)
        check(late)
        if not start < at < end or removed or not added:
            continue
        assert whole(early).ends.tolist() == whole(late).ends.tolist()
        assert whole(early).ids.tolist() == whole(late).ids.tolist()


def test_tokens_without_width_survive_typing_behind_them() -> None:
    spans = TokenSpans(4)
    spans.apply(0, 4, *arrays([2, 2, 4], [1, 2, 3], [False, True, False]))
    spans.edit(2, 0, 1)
    view = whole(spans)
    assert view.ids.tolist() == [1, 2, 3]
    assert view.ends.tolist() == [2, 3, 5]
    assert (view.flags & CONTINUES).tolist() == [0, 1, 0]


def test_tokens_without_width_go_with_their_character() -> None:
    stretch = TokenSlice(0, 6, *arrays([2, 2, 4, 4, 6], [1, 2, 3, 4, 5], [False, True, False, True, False]))
    moved = rebase_once(stretch, 0, 4, 0)
    assert (moved.start, moved.end, moved.ids.tolist()) == (0, 2, [5])
    moved = rebase_once(stretch, 2, 2, 0)
    assert moved.ids.tolist() == [1, 2, 5]
    moved = rebase_once(stretch, 2, 2, 3)
    assert moved.end == moved.ends[-1] == 7


@given(
    edits=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 6), st.integers(0, 9), st.booleans()), max_size=8),
    widths=st.lists(st.integers(0, 4), min_size=1, max_size=12),
)
def test_joined_insertions_carry_tokens_as_one_by_one(edits, widths):
    """Insertions that continue each other, made into one edit, move a stretch as they do apart."""

    from gui.editor.token_tracker import _joined

    ends = (10 + np.cumsum(widths)).astype(np.int32)
    count = len(widths)
    stretch = TokenSlice(10, int(ends[-1]), ends, np.arange(count, dtype=np.int32), np.zeros(count, dtype=bool))
    made: list[tuple[int, int, int, int]] = []
    for start, removed, added, goes_on in edits:
        if goes_on and made:
            start, removed = made[-1][1] + made[-1][3], 0
        made.append((len(made), start, removed, added))
    apart = together = stretch
    for _, start, removed, added in made:
        apart = rebase_once(apart, start, removed, added)
    for start, removed, added in _joined(made):
        together = rebase_once(together, start, removed, added)
    assert together[:2] == apart[:2]
    assert [array.tolist() for array in together[2:]] == [array.tolist() for array in apart[2:]]


@given(
    edits=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9), st.integers(0, 9)), max_size=8),
    widths=st.lists(st.integers(0, 4), max_size=12),
    start=st.sampled_from((0, 10)),
)
@example(edits=[(0, 1, 0), (0, 1, 1)], widths=[1, 1, 1], start=0)
@example(edits=[(0, 1, 0), (0, 2, 1)], widths=[1, 1, 1], start=0)
@example(edits=[(0, 1, 0), (0, 0, 2), (0, 1, 0)], widths=[1, 0, 1], start=0)
@example(edits=[(9, 2, 1), (9, 2, 0), (9, 1, 1)], widths=[0, 1, 0, 2], start=10)
def test_many_edits_carry_tokens_as_one_by_one(edits, widths, start):
    ends = (start + np.cumsum(widths)).astype(np.int32)
    count = len(widths)
    stretch = TokenSlice(
        start, int(ends[-1]) if count else start, ends, np.arange(count, dtype=np.int32), ends % 2 == 0
    )
    alone = stretch
    for edit in edits:
        alone = rebase_once(alone, *edit)
    together = rebase(stretch, edits)
    assert together[:2] == alone[:2]
    assert [(array.dtype, array.tolist()) for array in together[2:]] == [
        (array.dtype, array.tolist()) for array in alone[2:]
    ]
    assert stretch.ends.tolist() == (start + np.cumsum(widths)).tolist(), "a patch belongs to others, too"


@pytest.mark.parametrize("before", ["nothing", "other tokens", "nothing behind an edit"])
def test_tokens_of_a_whole_text_take_little_more_than_their_own_place(before: str, monkeypatch) -> None:
    """A big text arrives as one patch: what is made on the way must not be several times as big."""
    count = 300_000
    spans = TokenSpans(2 * count)
    if before != "nothing":
        spans.apply(0, 2 * count, *arrays([*list(range(3, 2 * count, 3)), 2 * count]))
    if before == "nothing behind an edit":
        spans.edit(count, 0, 1)
        spans.edit(count, 1, 0)
    ends, ids, continues = arrays(list(range(2, 2 * count + 1, 2)))
    tracemalloc.start()
    try:
        spans.apply(0, 2 * count, ends, ids, continues)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    check_ends(spans, ends)
    assert peak < 14 * count, "ten bytes a token for the arrays, two for flags and colours; and some room"


def check_ends(spans: TokenSpans, ends: np.ndarray) -> None:
    view = whole(spans)
    assert np.array_equal(view.ends, ends)
    assert not (view.colours[1:] == view.colours[:-1]).any()


@pytest.mark.parametrize(("old", "new"), [(1, 300), (300, 1), (70, 3), (3, 70), (64, 64), (65, 64)])
def test_few_tokens_in_the_place_of_many_and_the_other_way_round(old: int, new: int) -> None:
    rnd = random.Random(old * new)
    for _ in range(30):
        length = 1000
        spans = TokenSpans(length)
        kept = sorted(rnd.sample(range(1, length), max(old, new) - 1))
        olds = [*sorted(rnd.sample(kept, old - 1)), length]
        news = [*sorted(rnd.sample(kept, new - 1)), length]
        spans.apply(0, length, *arrays(olds, olds))
        spans.apply(0, length, *arrays(news, news))
        check(spans)
        assert whole(spans).ends.tolist() == whole(spans).ids.tolist() == news


MANY_EDITS = {
    "before the tokens": (700, [(place, 2, 5) for place in range(0, 2700, 50)]),
    "in their midst": (0, [(place, 2, 5) for place in range(0, 2000, 50)]),
    "at their beginning": (0, [(0, 2, 1)] * 20 + [(0, 3, 0)] * 20),
    "over their beginning": (700, [(699, 2, 1)] * 20 + [(690, 5, 3)] * 20),
}


@pytest.mark.parametrize(("start", "edits"), MANY_EDITS.values(), ids=MANY_EDITS)
def test_many_edits_copy_no_tokens(start: int, edits: list[tuple[int, int, int]], monkeypatch) -> None:
    """To copy a million takes milliseconds, and something replaced everywhere is thousands of edits."""
    copies = []
    monkeypatch.setattr(token_spans, "rebase_once", lambda *edit: copies.append(edit) or rebase_once(*edit))
    ends = np.arange(start + 9, start + 9 + 3000, 3, dtype=np.int32)
    stretch = TokenSlice(start, int(ends[-1]), *arrays(ends.tolist()))
    moved = rebase(stretch, edits)
    assert copies == []
    for edit in edits:
        stretch = rebase_once(stretch, *edit)
    assert moved[:2] == stretch[:2]
    assert moved.ends.tolist() == stretch.ends.tolist()
