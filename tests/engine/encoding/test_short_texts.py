"""Short texts are encoded without tiktoken's encoder of all tokens, to the same ids."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine import EditedText, Encoding, TextEdit
from engine.runtime.tiktoken_core import (
    LONG,
    MAX_AWAITING_BYTES,
    MAX_AWAITING_TOTAL,
    MAX_SHORT_BYTES,
    MIN_COUNTED_BYTES,
    RARE,
    TokenFinder,
)
from tests.thoroughness import mostly_deep

TEXTS = [
    "",
    "a",
    "The quick brown fox jumps over the lazy dog.",
    "naïve 漢字 😀 \u200b\x00 é́\r\n\r\n\t  x",
    " " * 300,
    "=" * 500 + "ab" * 90,
    "<|endoftext|> and <|endofprompt|> and <|endof",
    "\n".join(f"    def name_{n}(self): return {n * 7919}" for n in range(40)),
]


def opened_anew(name: str) -> Encoding:
    """An encoding that nobody has used."""
    known = engine.get_encoding(name)
    return Encoding.of_ranks(name, known._pat_str, known._mergeable_ranks, known._special_tokens)


@pytest.mark.deep
@pytest.mark.parametrize("name", mostly_deep(engine.list_encoding_names()))
def test_the_ids_are_those_of_the_whole_encoder(name: str) -> None:
    encoding = opened_anew(name)
    encoding.awaits_kernels = True  # so that all of these are short
    short = [
        (encoding.encode(text, disallowed_special=()), encoding.token_ids(text, special_as_tokens=True).tolist())
        for text in TEXTS
    ]
    assert encoding._core is None, "none was built"
    whole = encoding._core_bpe
    assert short == [(whole.encode(text, set()), whole.encode(text, encoding.special_tokens_set)) for text in TEXTS]


CORES = opened_anew("cl100k_base")


@given(st.text(max_size=200) | st.text("ab \n'ſst1", max_size=200))
def test_any_short_text(text: str) -> None:
    text = text.encode("utf-8", "replace").decode("utf-8")
    core = CORES._short_text_cores.core_for(text, CORES._make_short_core, awaiting=True)
    assert core.encode(text, set()) == CORES._core_bpe.encode(text, set())


def test_tokens_with_null_bytes_and_with_the_same_bytes_are_told_apart() -> None:
    longest = b"a\0" * LONG
    tokens = [b"a", b"\0", b"a\0", b"", b"a\0\0", b"\0a", b"\xff\0", b"a", b"absent", longest]
    offsets = np.cumsum([0, *map(len, tokens)])
    finder = TokenFinder(b"".join(tokens), offsets, np.arange(len(tokens)) * 10)
    short = {b"a": 70, b"\0": 10, b"a\0": 20, b"a\0\0": 40, b"\0a": 50}
    assert finder.tokens_within(b"aa\0\0a") == short
    assert finder.tokens_within(b"aa\0\0a" * RARE) == short
    assert finder.tokens_within(b"a\0" + longest + b"\0") == short | {longest: 90}


@pytest.mark.parametrize("text", ["x" * (MAX_SHORT_BYTES + 1), "字" * (MAX_SHORT_BYTES // 2)], ids=["letters", "bytes"])
def test_a_long_text_has_all_tokens(text: str) -> None:
    encoding = opened_anew("r50k_base")
    ids = encoding.encode(text)
    assert encoding._core is not None
    assert ids == encoding._core.encode(text, set())


def test_many_short_texts_have_all_tokens() -> None:
    encoding = opened_anew("r50k_base")
    encoding.encode("a word " * (MAX_SHORT_BYTES // 14))
    for number in range(MAX_SHORT_BYTES // 2 // MIN_COUNTED_BYTES):
        encoding.encode("a word" * (number % 2))
    assert encoding._core is None
    encoding.encode("a word")
    assert encoding._core is not None
    assert "_short_text_cores" not in encoding.__dict__, "its table of tokens is not kept twice"


def test_many_short_texts_do_not_have_all_tokens_while_kernels_are_awaited() -> None:
    encoding = opened_anew("r50k_base")
    encoding.awaits_kernels = True
    edited = EditedText(encoding)
    edited.reset("some words " * 9)
    for number in range(2 * MAX_SHORT_BYTES // MIN_COUNTED_BYTES):
        assert encoding.count(f"a word {number}") == 3
        edited.apply([TextEdit(5, 0, "s")])
    encoding.encode("字" * (MAX_AWAITING_BYTES // 3))
    assert encoding._core is None
    encoding.awaits_kernels = False
    assert encoding.count("a word") == 2
    assert encoding._core is not None


@pytest.mark.parametrize("method", ["encode", "count"])
def test_a_long_text_has_all_tokens_while_kernels_are_awaited(method: str) -> None:
    encoding = opened_anew("r50k_base")
    encoding.awaits_kernels = True
    text = "字 " * (MAX_AWAITING_TOTAL // 4 + 1)  # counted in chunks
    getattr(encoding, method)(text)
    assert encoding._core is not None
    assert "_short_text_cores" not in encoding.__dict__


def test_no_table_of_tokens_is_made_for_a_long_text() -> None:
    encoding = opened_anew("r50k_base")
    encoding._core_for("x" * (MAX_SHORT_BYTES + 1))
    assert "_short_text_cores" not in encoding.__dict__
    encoding._core = None
    encoding._core_for("x" * (MAX_SHORT_BYTES - 1))
    assert encoding._short_text_cores._finder is not None


def test_ids_that_are_not_whole_numbers_are_refused() -> None:
    single = {bytes([value]): float(value) for value in range(256)}
    with pytest.raises(TypeError):
        Encoding.of_ranks("odd", r"\w+", single, {}).encode("a")


def test_an_empty_special_token_is_none(capfd: pytest.CaptureFixture[str]) -> None:
    ids = opened_anew("r50k_base").encode("hello", allowed_special={""}, disallowed_special=())
    assert ids == engine.get_encoding("r50k_base").encode("hello")
    assert not capfd.readouterr().err
