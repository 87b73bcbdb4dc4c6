"""Special tokens are found in a text, the longest where several start."""

from __future__ import annotations

import functools
import gc
import pickle
import weakref

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine import EditedText, TextEdit
from engine.encoding.encoding import Encoding
from engine.split.special_text import special_token_regex, split_at_specials


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
    def is_requested(run: int) -> weakref.ref[regex.Pattern[str]]:
        return weakref.ref(special_token_regex(frozenset(f"<{run} {number}>" for number in range(texts))))

    first = is_requested(0)
    assert first() is not None
    last = [is_requested(run) for run in range(1, 200)][-1]
    gc.collect()
    assert first() is None
    assert last() is not None


ALIKE = ("<|a|>", "<|a|><|b|>", "<|a", "<|b|>")


@functools.cache
def alike(order: tuple[str, ...], encoder: str) -> Encoding:
    """A trained encoding with special tokens that begin alike, in this order."""
    encoding = engine.train(["the cat sat on the mat " * 9], vocab_size=270, special_tokens=order)
    if encoder == "kernels":
        assert encoding.use_kernels()
    return encoding


@pytest.mark.parametrize("encoder", ["tiktoken", "kernels"])
@pytest.mark.parametrize("order", [ALIKE, ALIKE[::-1], ("<|a|>", "<|b|>", "<|a|><|b|>", "<|a")])
def test_the_longest_of_those_that_begin_alike_wins(order: tuple[str, ...], encoder: str) -> None:
    encoding = alike(order, encoder)
    ids = {text: encoding.encode_single_token(text) for text in order}
    plain = encoding.encode_ordinary
    text = "the <|a|><|b|> cat<|a|><|a <|b|>\ud800"
    parts = [plain("the "), [ids["<|a|><|b|>"]], plain(" cat"), [ids["<|a|>"]], [ids["<|a"]], plain(" ")]
    expected = [token for part in (*parts, [ids["<|b|>"]], plain("\ud800")) for token in part]
    assert encoding.encode(text, allowed_special="all") == expected
    assert encoding.encode_batch([text], allowed_special="all") == [expected]
    assert encoding.token_ids(text, special_as_tokens=True).tolist() == expected
    assert encoding.encode_to_numpy(text[:-1], allowed_special="all").tolist() == expected[:-3]
    stable, unstable = encoding.encode_with_unstable(text[:-1] + "the ca", allowed_special="all")
    assert stable == expected[:-3] + encoding.encode_with_unstable("the ca")[0]
    assert sorted(unstable) == sorted(encoding.encode_with_unstable("the ca")[1])
    assert pickle.loads(pickle.dumps(encoding)).encode(text, allowed_special="all") == expected
    assert encoding.count("<|a|><|b|>") == len(plain("<|a|><|b|>"))


def test_the_longest_wins_where_something_is_done_to_texts_first() -> None:
    encoding = engine.train(["die Straße " * 9], vocab_size=270, special_tokens=ALIKE, normalization="NFKC")
    assert encoding.encode("ﬁ<|a|><|b|>", allowed_special="all") == [
        *encoding.encode_ordinary("fi"),
        encoding.encode_single_token("<|a|><|b|>"),
    ]


@pytest.mark.parametrize("encoder", ["tiktoken", "kernels"])
def test_the_longest_wins_while_a_text_is_edited(encoder: str) -> None:
    encoding = alike(ALIKE, encoder)
    whole = "cat <|a|><|b|> the <|a|>"
    edited = EditedText(encoding, special_as_tokens=True)
    for place, character in enumerate(whole):
        edited.apply([TextEdit(place, 0, character)])
        same_as_whole(edited, whole[: place + 1])
    for place in (8, 4, 7):  # takes the longest apart, and what it leaves
        edited.apply([TextEdit(place, 1, "")])
        whole = whole[:place] + whole[place + 1 :]
        same_as_whole(edited, whole)


def same_as_whole(edited: EditedText, text: str) -> None:
    fresh = EditedText(edited.encoding, special_as_tokens=True)
    fresh.reset(text)
    patch, expected = edited.whole(), edited.encoding.encode(text, allowed_special="all")
    assert patch.ids.tolist() == fresh.whole().ids.tolist() == expected
    ends = np.cumsum([len(edited.encoding.decode([token])) for token in expected])
    assert patch.utf16_ends.tolist() == fresh.whole().utf16_ends.tolist() == ends.tolist()
