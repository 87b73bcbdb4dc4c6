"""What a text is made into before it is encoded; the encodings that do so have tests of their own."""

from __future__ import annotations

import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.encoding import preprocessing_encoding
from engine.encoding.preprocessing_encoding import mark_words

PATTERN = r"\S+|\s+"


@given(st.text(alphabet="ab \n\u3000字", max_size=60))
def test_each_word_gets_a_mark(text):
    assert mark_words(text, PATTERN) == "".join(f"{word} " for word in re.findall(r"\S+", text))


def test_words_are_marked_some_at_a_time(monkeypatch):
    monkeypatch.setattr(preprocessing_encoding, "ENTRIES", 2)
    for count in range(6):
        assert mark_words(" a" * count, PATTERN) == "a " * count


@pytest.mark.deep
def test_the_words_of_a_long_text_are_never_all_there():
    text = "a of " * 60_000
    mark_words(text[:100], PATTERN)
    tracemalloc.start()
    try:
        mark_words(text, PATTERN)
        assert tracemalloc.get_traced_memory()[1] < 9 * len(text)
    finally:
        tracemalloc.stop()
