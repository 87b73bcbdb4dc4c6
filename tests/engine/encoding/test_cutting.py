"""What is left of a text has at most as many tokens as were asked for, and is a part of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.encoding.encoding import cut

TEXT = "Tokenization is the first step. Überraschung! 字符串处理 😀👩‍👧 " * 20


@pytest.mark.parametrize("name", ["o200k_base", "r50k_base", "deepseek"])
@pytest.mark.parametrize("keep", ["start", "end", "ends"])
def test_what_is_left_fits_and_uses_the_room(name: str, keep: str) -> None:
    encoding = engine.get_encoding(name)
    whole = encoding.count(TEXT)
    assert cut(encoding, TEXT, whole, keep) == TEXT
    assert cut(encoding, TEXT, 0, keep) == ""
    for most in (1, 2, 7, 50, whole - 1):
        left = cut(encoding, TEXT, most, keep)
        tokens = encoding.count(left)
        assert most - 3 <= tokens <= most
        if keep == "start":
            assert TEXT.startswith(left)
        elif keep == "end":
            assert TEXT.endswith(left)
        else:
            half = next(size for size in range(len(left) + 1) if TEXT.endswith(left[size:]))
            assert TEXT.startswith(left[:half])


@pytest.mark.hypothesis
@given(text=st.text(max_size=60), most=st.integers(0, 20), keep=st.sampled_from(["start", "end", "ends"]))
def test_any_text(text: str, most: int, keep: str) -> None:
    encoding = engine.get_encoding("r50k_base")
    left = cut(encoding, text, most, keep)
    assert encoding.count(left) <= most
    assert len(left) <= len(text)


def test_odd_texts() -> None:
    encoding = engine.get_encoding("o200k_base")
    assert cut(encoding, "", 3) == ""
    assert cut(engine.get_encoding("r50k_base"), "😀" * 3, 1) == "", "a character is not cut through"
    assert encoding.count(cut(encoding, "\ud800" * 50, 2, "end")) <= 2
    with pytest.raises(ValueError, match="-1 tokens"):
        cut(encoding, "a", -1)
