from __future__ import annotations

import itertools

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from gui.editor.soft_breaks import SOFT_LIMIT, cut_points

LIMIT, PIECE = 40, 20
PARTS = [
    "word ", "x", "é", "e\u0301\u0302", "😀", "👩\u200d👩\u200d👧", "🇩🇪", "👍🏽", "한",
    "\u1112\u1161\u11ab", "\ufeff", "\ufffe",
    "क्षि", "ไทย", "กำ", "\u200d", "中", "שלום", "\t", ".", "1️⃣", "\u0600١",
]  # fmt: skip
LINES = st.lists(st.sampled_from(PARTS), max_size=120).map("".join)


def pieces(line: str, cuts: list[int]) -> list[str]:
    raw = line.encode("utf-16-le")
    bounds = [0, *cuts, len(raw) // 2]
    return [raw[2 * a : 2 * b].decode("utf-16-le") for a, b in itertools.pairwise(bounds)]


@given(LINES)
def test_cuts_are_safe_and_pieces_short(line: str) -> None:
    cuts = cut_points(line, limit=LIMIT, piece=PIECE)
    parts = pieces(line, cuts)  # raises inside a surrogate pair
    assert "".join(parts) == line
    bounds = {0}
    for cluster in regex.findall(r"\X", line):
        bounds.add(max(bounds) + len(cluster.encode("utf-16-le")) // 2)
    longest_cluster = max((len(c) for c in regex.findall(r"\X", line)), default=0)
    for cut, part in zip(cuts, parts[1:], strict=True):
        assert part[0] not in "\ufeff\ufffe"
        if longest_cluster < PIECE // 2:
            assert cut in bounds, "cut inside a grapheme cluster"
    assert all(len(part.encode("utf-16-le")) // 2 <= 2 * LIMIT for part in parts)


def test_short_lines_stay_whole() -> None:
    assert cut_points("x" * SOFT_LIMIT) == []
    assert cut_points("x" * (SOFT_LIMIT + 1))


def test_words_stay_whole() -> None:
    line = "several words on a line " * 50
    assert all(part.endswith(" ") for part in pieces(line, cut_points(line, limit=LIMIT, piece=PIECE))[:-1])


@pytest.mark.parametrize("mark", ["\u0301", "\u200d"])
def test_a_character_without_end_is_cut_all_the_same(mark: str) -> None:
    line = "a" + mark * 5000
    parts = pieces(line, cut_points(line))
    assert len(parts) == 1 or max(map(len, parts)) <= 2 * SOFT_LIMIT
    assert max(map(len, parts)) <= 3 * SOFT_LIMIT
