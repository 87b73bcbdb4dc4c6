from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from gui.core import token_diff
from gui.core.token_diff import Comparison, Difference, Hunk, TokenLines, compare, difference, fewest_edits
from gui.core.token_text import ADDED, REMOVED, WRAPPED, Run, wrapped

ids = st.lists(st.integers(0, 4), max_size=40)
LINE_END = 0


def diff(a: list[int], b: list[int]) -> Difference:
    """Tokens 0 end a line."""
    arrays = [np.array(one, dtype=np.int32) for one in (a, b)]
    return difference(*arrays, *(np.flatnonzero(one == LINE_END) + 1 for one in arrays))


def patched(a: list[int], b: list[int], hunks: tuple[Hunk, ...]) -> list[int]:
    """The first text with what the hunks take from the second."""
    result, place = [], 0
    for hunk in hunks:
        result += [*a[place : hunk.a_start], *b[hunk.b_start : hunk.b_end]]
        place = hunk.a_end
    return result + a[place:]


def distance(a: list[int], b: list[int]) -> int:
    """Insertions and deletions, by the table that everybody learns."""
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            before, row[j] = row[j], before if one == other else 1 + min(row[j], row[j - 1])
    return row[-1]


@given(ids, ids)
def test_the_hunks_make_one_text_to_the_other(a: list[int], b: list[int]):
    found = diff(a, b)
    assert patched(a, b, found.hunks) == b
    assert bool(found.hunks) == (a != b)
    for one, other in pairwise(found.hunks):
        assert one.a_end <= other.a_start
        assert one.b_end <= other.b_start
        assert (one.a_end, one.b_end) != (other.a_start, other.b_start)


@given(ids, ids)
def test_a_stretch_is_compared_with_the_fewest_edits(a: list[int], b: list[int]):
    found, _steps = fewest_edits(a, b, 100)
    assert found is not None
    assert patched(a, b, tuple(found)) == b
    assert sum(hunk.a_end - hunk.a_start + hunk.b_end - hunk.b_start for hunk in found) == distance(a, b)


@given(ids, ids, st.integers(0, 10))
def test_too_many_edits_are_not_looked_for(a: list[int], b: list[int], most: int):
    found, _steps = fewest_edits(a, b, most)
    if a and b:
        assert (found is None) == (distance(a, b) > most)


def test_what_takes_too_long_is_replaced_as_a_whole_and_said(monkeypatch: pytest.MonkeyPatch):
    a, b = [1, 2, 3, 1, 2, 3, 0, 4], [3, 2, 1, 3, 2, 1, 0, 4]
    assert not diff(a, b).simplified
    monkeypatch.setattr(token_diff, "MAX_EDITS", 1)
    assert diff(a, b) == Difference((Hunk(0, 6, 0, 6),), True)
    monkeypatch.setattr(token_diff, "MAX_EDITS", 500)
    monkeypatch.setattr(token_diff, "MAX_STEPS", 0)
    assert diff(a, b).simplified


def test_equal_texts_do_not_differ():
    assert diff([1, 2], [1, 2]) == diff([], []) == Difference((), False)


def unmarked(comparison: Comparison, side: str) -> str:
    return "".join(run.text for row in comparison.rows for run in getattr(row, side) if not run.mark)


lines = st.lists(st.sampled_from(["a b c\n", "x\n", "\n", "one two three\n", "é😀\n", "end"]), max_size=8).map("".join)


@given(lines, lines)
def test_rows_hold_both_texts_with_what_differs_marked(before: str, after: str):
    encoding = engine.get_encoding("o200k_base")
    comparison = compare(encoding, before, after)
    assert (comparison.tokens_before, comparison.tokens_after) == (encoding.count(before), encoding.count(after))
    assert comparison.tokens_after - comparison.tokens_before == comparison.added - comparison.removed
    for mark, side, total in ((REMOVED, "before", comparison.removed), (ADDED, "after", comparison.added)):
        marked = [run for row in comparison.rows for run in getattr(row, side) if run.mark]
        assert {run.mark for run in marked} <= {mark}
        assert len(marked) == total
    if (before + after).isascii():
        assert unmarked(comparison, "before") == unmarked(comparison, "after")


def test_lines_stand_beside_each_other_and_the_rest_is_folded():
    encoding = engine.get_encoding("o200k_base")
    before = "".join(f"line {number}\n" for number in range(100))
    after = before.replace("line 50\n", "row 50\nnew\n")
    rows = compare(encoding, before, after).rows
    assert [(row.before_line, row.after_line) for row in rows] == [
        *((0, 0), (49, 49), (50, 50), (51, 51), (0, 52), (52, 53), (53, 54), (0, 0))
    ]
    assert rows[0].folded == TokenLines(encoding, "".join(f"line {number}\n" for number in range(48))).ids.size
    changed = rows[3]
    assert [run.text for run in changed.before if run.mark] == ["line"]
    assert next(run.text for run in changed.after if run.mark) == "row"


def test_lines_before_what_was_added_at_the_end_are_shown():
    encoding = engine.get_encoding("o200k_base")
    before = "".join(f"line {number}\n" for number in range(10))
    rows = compare(encoding, before, before + "new\n").rows
    assert [(row.before_line, row.after_line) for row in rows] == [(0, 0), (9, 9), (10, 10), (0, 11)]
    rows = compare(encoding, before, "new\n" + before).rows
    assert [(row.before_line, row.after_line) for row in rows] == [(0, 1), (1, 2), (2, 3), (0, 0)]


def test_one_long_line_is_many_rows_and_two_such_find_each_other():
    encoding = engine.get_encoding("o200k_base")
    before = " ".join(f"word{number * 7919 % 1000}" for number in range(3000))
    after = before.replace("word500 ", "something else ", 1)
    comparison = compare(encoding, before, after)
    assert not comparison.simplified
    assert 0 < comparison.removed < 10
    assert len(comparison.rows) < 30


def test_rows_end_somewhere(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(token_diff, "MAX_ROWS", 10)
    encoding = engine.get_encoding("o200k_base")
    comparison = compare(encoding, "a\n" * 50, "b\n" * 50)
    assert comparison.cut
    assert len(comparison.rows) == 10


def test_the_caller_can_stop_it():
    class Stopped(Exception):
        pass

    def stop(_share: float) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        compare(engine.get_encoding("o200k_base"), "a", "b", stop)


def test_the_caller_can_stop_it_within_one_hunk():
    shares: list[float] = []
    found = compare(engine.get_encoding("gpt2"), "".join(f"line {n}\n" for n in range(300)), "", shares.append)
    assert len(found.rows) >= 300
    assert len(shares) > len(found.rows)


def wide(character: str) -> int:
    return 2 if character == "中" else 1


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("", [""]),
        ("one·two", ["one·two"]),
        ("one·two·three", ["one·two·", "three"]),
        ("incomprehensible", ["incompre", "hensible"]),
        ("中中中中中", ["中中中中", "中"]),
        ("abcdefge\u0301", ["abcdefg", "e\u0301"]),
    ],
)
def test_long_lines_are_broken_behind_words(text: str, rows: list[str]):
    runs = tuple(Run(character, ADDED) for character in text)
    broken = wrapped(runs, 8, wide)
    assert ["".join(run.text for run in row) for row in broken] == rows
    assert all(run.mark == ADDED for row in broken for run in row)


def test_both_sides_of_a_broken_line_stay_beside_each_other():
    comparison = compare(engine.get_encoding("gpt2"), "a b c d e f g h\nsame\n", "a b c d X f\nsame\n")
    changed = next(row for row in comparison.rows if row.changed)
    parts = changed.wrapped(lambda runs: wrapped(runs, 5, wide))
    lines = [(part.before_line, part.after_line) for part in parts]
    assert lines == [(1, 1), (WRAPPED, WRAPPED), (WRAPPED, WRAPPED), (WRAPPED, 0)]
    for side in ("before", "after"):
        whole = "".join(run.text for part in parts for run in getattr(part, side))
        assert whole == "".join(run.text for run in getattr(changed, side))


def test_a_line_of_many_runs_is_broken_in_one_walk():
    """Rows and runs of a line were gone through for each other: seconds on the thread of the window."""
    runs = tuple(Run("word ", REMOVED if number % 2 else "") for number in range(5_000))
    rows = wrapped(runs, 43, lambda _character: 1)
    assert [run for row in rows for run in row if run.mark] == [run for run in runs if run.mark]
    assert "".join(run.text for row in rows for run in row) == "word " * 5_000
    assert {sum(len(run.text) for run in row) for row in rows} == {40}
    (first, *_rest) = wrapped((Run("abcdefgh", ""), Run("ij", ADDED)), 4, lambda _character: 1)
    assert first == (Run("abcd", ""),)
    assert wrapped((Run("abc", ""), Run("def", ADDED)), 4, lambda _character: 1) == [
        (Run("abc", ""), Run("d", ADDED)),
        (Run("ef", ADDED),),
    ]
