"""Bytes that are no UTF-8: kept out by the face of an encoding, harmless to the kernels behind it.

In the checked build every access outside of a kernel's memory is an IndexError, so these tests are what says that there
is none.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

import engine
from engine.encoding.encoder import NativeEncoder
from engine.kernels._jit import COMPILED
from engine.kernels.cache_folder import current_folder
from engine.library.bundled_encodings import DATA_DIR, Catalog
from tests.engine.kernels.odd_bytes import odd_bytes
from tests.thoroughness import mostly_deep

ALL_NAMES = ("r50k_base", "cl100k_base", "o200k_base", "qwen", "qwen3_5", "kimi", "deepseek", "tekken")
NAMES = ALL_NAMES if COMPILED else ALL_NAMES[:1]
TEXTS = 400 if COMPILED else 20


@pytest.fixture(scope="module", params=mostly_deep(NAMES, 3))
def opened(request) -> tuple[engine.Encoding, NativeEncoder]:
    encoding = Catalog(DATA_DIR).get(request.param)
    return encoding, encoding.open_native(current_folder())


def test_a_text_is_not_bytes():
    with pytest.raises(TypeError):
        engine.get_encoding("gpt2").encode_bytes("text")


@pytest.mark.deep
def test_the_tokens_of_any_bytes_have_these_bytes(opened):
    encoding, native = opened
    rng = random.Random(f"bytes {encoding.name}")
    lengths = encoding._vocabulary.byte_lengths
    for _ in range(TEXTS):
        content = odd_bytes(rng)
        ids = native.encode(content)
        assert b"".join(map(encoding._vocabulary.token_bytes, ids.tolist())) == content
        assert native.count(content) == len(ids)
        assert native.encode_to_list(content) == ids.tolist()
        assert native.token_ends(content).tolist() == np.cumsum(lengths[ids]).tolist()


def test_pretokens_of_any_bytes_have_the_tokens_of_tiktoken(opened):
    """How a pretoken is merged does not depend on characters."""
    encoding, native = opened
    rng = random.Random(f"pretokens {encoding.name}")
    for _ in range(TEXTS // 2):
        content = odd_bytes(rng)
        assert native.encode_pretoken(content).tolist() == encoding._core_bpe.encode_single_piece(content)


@pytest.mark.parametrize("with_kernels", [False, True])
def test_an_encoding_reads_bytes_as_utf8(with_kernels):
    encoding = Catalog(DATA_DIR).get(NAMES[-1])
    if with_kernels:
        assert encoding.use_kernels()
    rng = random.Random(9)
    for content in (b"", b"\xff", b"a\x80\x80b", b"\xed\xa0\xbd", b"\xf0\x9f", *(odd_bytes(rng) for _ in range(60))):
        text = content.decode("utf-8", "replace")
        assert encoding.count(content) == encoding.count(text) == len(encoding.encode_ordinary(text))


@pytest.mark.parametrize("with_kernels", [False, True])
def test_nothing_but_text_is_encoded(with_kernels):
    encoding = Catalog(DATA_DIR).get(NAMES[0])
    if with_kernels:
        assert encoding.use_kernels()
    for wrong in (None, 5, b"bytes", ["a"], bytearray(b"ab")):
        for call in (encoding.encode_ordinary, encoding.encode, encoding.token_ids, encoding.token_ends):
            with pytest.raises((TypeError, AttributeError)):
                call(wrong)
    for wrong in (None, 5, ["a"], bytearray(b"ab"), memoryview(b"ab")):
        with pytest.raises((TypeError, AttributeError)):
            encoding.count(wrong)


class Text(str):
    """A text of a class of its own."""

    __slots__ = ()


@pytest.mark.parametrize("size", [10, 5_000, 300_000 if COMPILED else 12_000])
def test_texts_of_other_classes_are_texts(size):
    encoding = Catalog(DATA_DIR).get(NAMES[0])
    assert encoding.use_kernels()
    for unit in ("ab c ", "é 漢字 ", "🚀 "):
        text = unit * (size // 8)
        assert encoding.encode_ordinary(Text(text)) == encoding.encode_ordinary(text)
        assert encoding.count(Text(text)) == encoding.count(text)


def test_what_is_no_text_is_named():
    for method in (engine.get_encoding("gpt2").encode, engine.get_encoding("gpt2").count):
        with pytest.raises(TypeError, match="a text must be a str, not NoneType"):
            method(None)
