"""Long texts, taken in chunks and by several threads, have the tokens of the whole."""

from __future__ import annotations

import random

import pytest

import engine
from engine.encoding import encoder as encoder_module
from engine.encoding import text_encoders
from engine.kernels._jit import COMPILED
from engine.library.bundled_encodings import DATA_DIR, Catalog
from tests.engine.kernels.odd_pieces import odd_piece
from tests.engine.kernels.odd_texts import odd_text
from tests.thoroughness import mostly_deep

NAMES = ("cl100k_base", "o200k_base", "deepseek", "r50k_base")


@pytest.fixture(scope="module", params=mostly_deep(NAMES, 3))
def pair(request, tmp_path_factory):
    """An encoding by tiktoken's encoder, and the same by our own."""
    if not COMPILED:
        pytest.skip("tables of real vocabularies take minutes uncompiled")
    own = Catalog(DATA_DIR).get(request.param)
    assert own.use_kernels(tmp_path_factory.mktemp("tables"))
    return engine.get_encoding(request.param), own


@pytest.fixture
def small_chunks(monkeypatch):
    """Chunks, kept memory and large texts of some hundred characters."""
    monkeypatch.setattr(text_encoders, "CHUNK_CHARS", 300)
    monkeypatch.setattr(encoder_module, "_SHORT_CHARS", 100)
    monkeypatch.setattr(encoder_module, "RESERVED_BYTES", 2000)
    monkeypatch.setattr(encoder_module, "_LARGE_TEXT", 5000)
    monkeypatch.setattr(encoder_module, "_LIST_SLICE", 700)


def long_text(rng: random.Random, parts: int) -> str:
    return "".join(odd_piece(rng, 500) if rng.random() < 0.3 else odd_text(rng) for _ in range(parts))


def assert_same(pair, text):
    plain, own = pair
    ids = plain.encode_ordinary(text)
    assert own.encode_ordinary(text) == ids
    assert own.count(text) == len(ids)
    assert own.token_ends(text).tolist() == plain.token_ends(text).tolist()
    for num_threads in (1, 2, 5):
        assert own.count(text, num_threads=num_threads) == len(ids)
        found = own.token_ids(text, num_threads=num_threads)
        assert found.tolist() == ids
        assert not found.flags.writeable


@pytest.mark.usefixtures("small_chunks")
def test_chunks_and_threads_change_nothing(pair):
    rng = random.Random(60)
    for parts in (1, 3, 10, 40, 200):
        assert_same(pair, long_text(rng, parts))


@pytest.mark.usefixtures("small_chunks")
def test_a_text_without_a_cut(pair):
    assert_same(pair, "the start, " + "一二三四" * 1000 + " the end")
    assert_same(pair, "x" * 5000)


@pytest.mark.usefixtures("small_chunks")
def test_surrogates_in_some_chunk(pair):
    words = "so many words that they make some chunks " * 30
    for text in (words + "\ud800 " + words, words + "\ud83d\ude80\udc00 " + words, "\udfff" * 1000):
        assert_same(pair, text)
        with pytest.raises(UnicodeEncodeError):
            pair[1].encode_to_numpy(text)


@pytest.mark.usefixtures("small_chunks")
def test_special_tokens_between_long_texts(pair):
    plain, own = pair
    special = min(plain.special_tokens_set)
    text = f"{special}".join(long_text(random.Random(seed), 20) for seed in range(61, 64))
    ids = plain.token_ids(text, special_as_tokens=True).tolist()
    for num_threads in (1, 3):
        assert own.token_ids(text, special_as_tokens=True, num_threads=num_threads).tolist() == ids
    assert own.encode(text, allowed_special="all") == ids


def test_texts_of_every_size_around_a_chunk(pair):
    size = text_encoders.CHUNK_CHARS
    line = "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. "
    text = (line * (3 * size // len(line)))[: 2 * size + 10]
    for end in (size - 1, size, size + 1, 2 * size + 5):
        assert pair[1].count(text[:end]) == len(pair[0].encode_ordinary(text[:end]))
