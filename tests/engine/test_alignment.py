"""How a text and what its preparation makes of it are divided; where tokens come to be is tried with the encodings."""

from __future__ import annotations

from itertools import product

import pytest

from engine import alignment


@pytest.mark.parametrize("characters", [0, 1, 2, 100])
def test_lines_are_cut_out_a_few_at_a_time(monkeypatch, characters):
    monkeypatch.setattr(alignment, "_LINES_CHARACTERS", characters)
    for pieces in product(("a", "\r", "\n", "\u2028"), repeat=5):
        text = "".join(pieces)
        assert list(alignment._lines(text)) == text.splitlines(keepends=True)
