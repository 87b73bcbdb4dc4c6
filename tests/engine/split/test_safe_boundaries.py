"""A text cut at a safe cut encodes to the same tokens as the whole, for every encoding and both readings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.split import safe_boundaries
from engine.split.patterns import GPT2_PUBLISHED, KNOWN_EXPRESSIONS, KNOWN_SPLITS, LLAMA3, PATTERNS
from engine.split.safe_boundaries import BoundaryFinder
from tests.engine.strategies import texts, texts_with_surrogates
from tests.thoroughness import examples, mostly_deep, scaled

NAMES = [name for name in engine.list_encoding_names() if "gemma" not in name]  # their pretokens hold punctuation, too


WITH_CUTS = st.one_of(
    st.sampled_from(["word, ", " the", "字、", "1.", "é\n", "x\r\n", "!\n", "\t", "b\t"]), texts_with_surrogates(4)
)


def all_cuts(finder: BoundaryFinder, text: str) -> list[int]:
    cuts, start = [], 0
    while (cut := finder.first(text, start, len(text))) >= 0:
        cuts.append(cut)
        start = cut + 1
    return cuts


def test_every_bundled_encoding_has_a_pattern_that_the_rules_were_made_for():
    bundled = {engine.get_encoding(name)._pattern for name in NAMES}
    assert bundled <= set(PATTERNS)
    assert all(known.trained_as for known in set(PATTERNS) - bundled), "the others are for training"
    assert all(engine.get_encoding(name).has_safe_boundaries for name in NAMES)
    assert {known.expression for known in bundled} <= set(KNOWN_SPLITS) <= KNOWN_EXPRESSIONS


def encoding_with(pattern: str) -> engine.Encoding:
    """A bundled encoding by its name, or one with another pattern."""
    if pattern in NAMES:
        return engine.get_encoding(pattern)
    ranks = engine.get_encoding("gpt2")._mergeable_ranks
    return engine.Encoding("mine", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


@pytest.mark.hypothesis
@pytest.mark.parametrize("pattern", mostly_deep([*NAMES, LLAMA3.expression, GPT2_PUBLISHED]))
def test_both_sides_encode_apart(pattern):
    encoding = encoding_with(pattern)
    assert encoding.has_safe_boundaries
    finder = BoundaryFinder()
    seen = 0

    @examples(150)
    @given(text=st.lists(WITH_CUTS, min_size=2, max_size=8).map("".join))
    def check(text):
        nonlocal seen
        whole = encoding.encode_ordinary(text)
        for cut in all_cuts(finder, text):
            seen += 1
            assert encoding.encode_ordinary(text[:cut]) + encoding.encode_ordinary(text[cut:]) == whole

    check()
    assert seen > scaled(100)


@pytest.mark.deep
@pytest.mark.hypothesis
@pytest.mark.parametrize("name", mostly_deep(NAMES))
def test_both_sides_encode_apart_with_special_tokens(name):
    encoding = engine.get_encoding(name)
    special = sorted(encoding.special_tokens_set)
    finder = BoundaryFinder(special)
    halves = [text[:4] for text in special[:40]] + [text[4:] for text in special[:40]]
    piece = st.one_of(
        st.sampled_from(special[:60]),
        st.sampled_from(halves),
        st.sampled_from(["a ", " b", "1,", "\n", "x", "<", "|"]),
        texts(2),
    )
    seen = 0

    @examples(150)
    @given(text=st.lists(piece, max_size=12).map("".join))
    def check(text):
        nonlocal seen
        whole = encoding.encode(text, allowed_special="all")
        for cut in all_cuts(finder, text):
            seen += 1
            left = encoding.encode(text[:cut], allowed_special="all")
            assert left + encoding.encode(text[cut:], allowed_special="all") == whole

    check()
    assert seen > scaled(100)


@pytest.mark.parametrize("text", ["don't", "a's", "we'LL go", "1'2"])
def test_no_cut_before_an_apostrophe(text):
    assert text.index("'") not in all_cuts(BoundaryFinder(), text)


def test_no_cut_inside_a_special_token():
    text = "a<|fim_prefix|> b"
    assert 1 in all_cuts(BoundaryFinder(["<|fim_prefix|>"]), text)
    assert text.index("|>") in all_cuts(BoundaryFinder(), text)
    assert text.index("|>") not in all_cuts(BoundaryFinder(["<|fim_prefix|>"]), text)


@examples(200)
@given(text=texts(60), data=st.data())
def test_first_and_last_agree(text, data):
    finder = BoundaryFinder(["<|endoftext|>", "a b"])
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text) + 1)] * 2)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(safe_boundaries, "_FIRST_WINDOW", 1)
        patch.setattr(safe_boundaries, "_LAST_WINDOW", 3)
        cuts = [cut for cut in all_cuts(finder, text) if start <= cut < end]
        assert finder.first(text, start, end) == (cuts[0] if cuts else -1)
        assert finder.last(text, start, end) == (cuts[-1] if cuts else -1)


@examples(300)
@given(text=st.lists(WITH_CUTS, max_size=4).map("".join))
def test_asking_first_finds_the_same(text):
    finder = BoundaryFinder()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(safe_boundaries, "_LONG_WINDOW", len(text) + 1)
        cuts = all_cuts(finder, text)
        patch.setattr(safe_boundaries, "_LONG_WINDOW", 1)
        patch.setattr(safe_boundaries, "_FIRST_WINDOW", 2)
        assert all_cuts(finder, text) == cuts


@pytest.mark.deep
def test_every_character_has_its_kind_behind_and_before_a_cut():
    for before in ("a", " ", "-", "😀"):
        for behind in map(chr, (*range(0x3100), 0xD83D, 0xDE00, 0xFF01, 0xFF0C, 0x1F600)):
            for text in (before + behind, behind + before):
                assert safe_boundaries._may_have_cut(text) == (safe_boundaries.CUT.search(text, 1) is not None)


@examples(200)
@given(text=texts(60), size=st.integers(1, 40))
def test_chunks(text, size):
    finder = BoundaryFinder()
    chunks = list(finder.chunks(text, size))
    assert "".join(text[start:end] for start, end in chunks) == text
    cuts = set(all_cuts(finder, text))
    for start, end in chunks:
        assert end == len(text) or end in cuts
        if end - start > size:
            assert not [cut for cut in cuts if start < cut <= start + size]
