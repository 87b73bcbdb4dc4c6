"""SentencePiece's sign for a space, and byte fallback: what is trained, encoded and decoded with them."""

from __future__ import annotations

import functools
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.analysis.merge_steps import state_after, trace_of
from engine.encoding.preprocessing_encoding import Preparation, preparation_with
from engine.split.pretokenization import pretokenizer
from engine.split.reference import encode_pretoken, encode_with_byte_fallback
from engine.text.normalization import Normalizer
from engine.text.sentencepiece import SIGN, Metaspace
from tests.engine.strategies import texts

CORPUS = "the cat sat on the mat, the hat on the cat\nthe rat: 漢字 and é, 漢字 and é\n" * 3
odd_texts = st.one_of(texts(), st.text(alphabet="the ca\n漢字汉éèê▁▂😀👩", max_size=30))
both = pytest.mark.parametrize("alphabet", ["bytes", "characters"])
either_way = pytest.mark.parametrize("dummy_prefix", [True, False])


@functools.cache
def learned(alphabet: str, dummy_prefix: bool = True, **options: int) -> engine.Encoding:
    return engine.train(
        [CORPUS], 330, pattern="sentencepiece", alphabet=alphabet, dummy_prefix=dummy_prefix, threads=1, **options
    )


@given(text=texts(), dummy_prefix=st.booleans(), places=st.lists(st.integers(0, 60)))
def test_pieces_get_the_signs_of_the_whole(text, dummy_prefix, places):
    signs = Metaspace(dummy_prefix)
    bounds = sorted({0, len(text), *(min(place, len(text)) for place in places)})
    pieces = [b"", *(text[start:end].encode() for start, end in itertools.pairwise(bounds))]
    signed = list(signs.in_pieces(pieces))
    assert b"".join(piece for piece, _ in signed).decode() == signs(text)
    assert sum(more for _, more in signed) == len(signs(text).encode()) - len(text.encode())
    assert signs.undone(signs(text).encode()) == text.replace(SIGN, " ").encode()


@pytest.mark.parametrize(
    "preparation",
    [Preparation(signs=Metaspace(False)), Preparation(Normalizer(("NFKC", "lowercase")), signs=Metaspace())],
)
def test_a_file_names_what_is_done(preparation):
    assert preparation_with(preparation.steps) == preparation
    assert "is decoded as a space" in preparation.warnings[-1]


def test_what_a_text_becomes():
    encoding = learned("characters")
    assert [token.decode() for token in encoding.decode_tokens_bytes(encoding.encode("the  cat"))] == [
        "▁the▁",
        "▁",
        "cat",
    ]
    without = learned("characters", dummy_prefix=False)
    assert b"".join(without.decode_tokens_bytes(without.encode("the  cat"))).decode() == "the▁▁cat"


@both
def test_words_join_across_spaces(alphabet):
    tokens = [token.decode("utf-8", "replace") for token in learned(alphabet).token_byte_values()]
    assert any(SIGN in token.strip(SIGN) for token in tokens)
    assert not any(" " in token and len(token) > 1 for token in tokens)
    assert not any("\n" in token.strip("\n") for token in tokens)


@both
@either_way
@given(text=odd_texts)
def test_a_text_comes_back(alphabet, dummy_prefix, text):
    encoding = learned(alphabet, dummy_prefix)
    ids = encoding.encode_ordinary(text)
    assert encoding.decode(ids) == text.replace(SIGN, " ")
    assert encoding.count(text) == len(ids)
    assert encoding.decode_with_offsets(ids)[0] == encoding.decode(ids)


@both
@either_way
@given(text=odd_texts)
def test_ids_are_those_of_the_definition(alphabet, dummy_prefix, text):
    encoding = learned(alphabet, dummy_prefix)
    ranks = encoding._mergeable_ranks
    signed = (SIGN if dummy_prefix and text else "") + text.replace(" ", SIGN)
    pieces = pretokenizer(encoding.pattern).pretokens(signed)
    if alphabet == "bytes":
        expected = [encode_pretoken(piece.encode(), ranks) for piece in pieces]
    else:
        expected = [encode_with_byte_fallback(piece, ranks) for piece in pieces]
    assert encoding.encode_ordinary(text) == list(itertools.chain.from_iterable(expected))


@either_way
@given(text=st.text(alphabet="the cat\n漢字é", max_size=30))
def test_tokens_are_shown_where_their_text_is(dummy_prefix, text):
    encoding = learned("characters", dummy_prefix)
    whole = engine.EditedText(encoding).reset(text)
    ends = whole.utf16_ends.tolist()
    shown = [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    spelled = [token.decode().replace(SIGN, " ") for token in encoding.decode_tokens_bytes(whole.ids.tolist())]
    if dummy_prefix and text:
        spelled[0] = spelled[0].removeprefix(" ")
    assert shown == spelled


def test_ids_with_our_kernels_are_the_same():
    encoding = learned("characters", min_count=3)
    text = "the cat: ▂汉👩 on the hat\n" * 2
    before, special = encoding.encode(text), encoding.count(text)
    assert encoding.use_kernels()
    assert encoding.encode(text) == encoding.token_ids(text).tolist() == before
    assert encoding.count(text) == special


def test_an_unknown_character_is_written_in_single_bytes():
    encoding = learned("characters", dummy_prefix=False)
    for unknown in ("▂", "汉", "è", "😀"):
        assert encoding.encode(unknown) == [encoding.encode_single_token(bytes([one])) for one in unknown.encode()]
    assert len(encoding.encode("漢")) == len(encoding.encode("é")) == 1


@given(text=st.text(alphabet="th 漢字汉éè▁▂😀", min_size=1, max_size=12))
def test_the_merges_that_are_told_lead_to_the_tokens(text):
    encoding = learned("characters", dummy_prefix=False)
    pretoken = text.replace(" ", SIGN)
    account = trace_of(encoding, pretoken)
    assert list(account.ids) == encoding.encode_ordinary(text)
    for done, step in enumerate(account.steps):
        chosen = state_after(encoding, account, done).chosen
        assert chosen is not None
        assert (chosen.left.byte_start, chosen.token_id) == (step.byte_start, step.token_id)


@both
@either_way
def test_the_bytes_of_the_corpus_are_those_of_the_texts(alphabet, dummy_prefix):
    run = engine.TrainingRun([CORPUS, "a b"], 320, "sentencepiece", alphabet, dummy_prefix=dummy_prefix)
    while not run.done:
        progress = run.advance(10.0)
    assert round(progress.bytes_per_token * progress.tokens) == len((CORPUS + "a b").encode())


def test_the_prefix_is_part_of_the_hash_where_it_matters():
    def hash_of(pattern: str, dummy_prefix: bool) -> str:
        run = engine.TrainingRun(["aab aab"], 258, pattern, dummy_prefix=dummy_prefix)
        while not run.done:
            run.advance(10.0)
        return run.hash

    assert hash_of("sentencepiece", True) != hash_of("sentencepiece", False)
    assert hash_of("gpt2", True) == hash_of("gpt2", False)
