"""Special tokens are found in a text, the longest where several start."""

from __future__ import annotations

import gc
import weakref

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.special_text import special_token_regex, split_at_specials


def plain(texts: frozenset[str]) -> regex.Pattern[str]:
    return regex.compile("|".join(map(regex.escape, sorted(texts, key=len, reverse=True))))


def found(pattern: regex.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(text)]


FEW = st.text("ab<|.*", min_size=1, max_size=6)


@given(st.frozensets(FEW, min_size=1, max_size=12), st.lists(FEW | st.text(max_size=4), max_size=30))
def test_the_same_is_found_as_by_trying_each(texts: frozenset[str], parts: list[str]) -> None:
    text = "".join(parts)
    assert found(special_token_regex(texts), text) == found(plain(texts), text)


@pytest.mark.parametrize("name", engine.list_encoding_names())
def test_those_of_an_encoding(name: str) -> None:
    texts = frozenset(engine.get_encoding(name).special_tokens_set)
    text = "".join(sorted(texts)) + "<" + "".join(text[:-1] for text in sorted(texts))
    assert found(special_token_regex(texts), text) == found(plain(texts), text)


def test_many_that_begin_with_each_other() -> None:
    texts = frozenset("a" * length for length in range(1, 400))
    assert found(special_token_regex(texts), "a" * 1000) == [(0, 399), (399, 798), (798, 1000)]


def test_they_are_cut_out() -> None:
    assert list(split_at_specials("x<a>y<ab", {"<a>", "<a", "<"})) == [("x", "<a>"), ("y", "<a"), ("b", "")]


@pytest.mark.deep
@pytest.mark.parametrize("texts", [3, 300])
def test_expressions_that_nobody_asks_for_any_more_go(texts: int) -> None:
    def asked_for(run: int) -> weakref.ref[regex.Pattern[str]]:
        return weakref.ref(special_token_regex(frozenset(f"<{run} {number}>" for number in range(texts))))

    first = asked_for(0)
    assert first() is not None
    last = [asked_for(run) for run in range(1, 200)][-1]
    gc.collect()
    assert first() is None
    assert last() is not None
