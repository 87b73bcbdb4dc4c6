"""Texts counted many at once have the tokens that they have one by one."""

from __future__ import annotations

import random

import numpy as np
import pytest

import engine
from engine.encoder import NativeEncoder
from engine.kernels._jit import COMPILED
from engine.scanners import CL100K, PADDING, Scanner
from engine.tables import build_tables, fingerprint_of
from tests.engine.kernels.odd_bytes import odd_bytes
from tests.engine.kernels.odd_texts import odd_text
from tests.engine.kernels.small_vocabularies import learnt_ranks, small_table

NAMES = ("r50k_base", "cl100k_base", "o200k_base", "qwen", "deepseek", "tekken")


@pytest.fixture(scope="module", params=NAMES)
def native(request) -> NativeEncoder:
    if not COMPILED:
        pytest.skip("tables of real vocabularies take minutes uncompiled")
    return engine.get_encoding(request.param).open_native(None)


@pytest.fixture(scope="module")
def small() -> NativeEncoder:
    """A small vocabulary that every build can make, with a scanner of no kernel's."""
    table = small_table(learnt_ranks(random.Random(3), b"abc", 50), first_id=7)

    def scan(text, n_bytes, byte_start, ends):
        ends[0] = min(n_bytes, byte_start + 5)
        return 1

    return NativeEncoder(build_tables(table, fingerprint_of(table)), scan)


def laid_out(contents: list[bytes], behind: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Contents one behind the other, each with something behind it, as an array; and where each is."""
    spans, whole = [], b"in front"
    for content in contents:
        spans.append((len(whole), len(whole) + len(content)))
        whole += content + behind
    return np.frombuffer(whole, dtype=np.uint8), np.array(spans, dtype=np.int64).reshape(-1, 2)


def counted(native: NativeEncoder, contents: list[bytes], behind: bytes = bytes(PADDING)) -> list[int]:
    return native.count_texts(*laid_out(contents, behind))


def one_by_one(native: NativeEncoder, contents: list[bytes]) -> list[int]:
    return [native.count(content) for content in contents]


def test_texts_have_the_tokens_of_each(native):
    rng = random.Random(40)
    contents = [odd_text(rng).encode() * rng.choice((0, 1, 1, 1, 30)) for _ in range(600)]
    assert counted(native, contents) == one_by_one(native, contents)


def test_what_is_not_utf8_does_no_harm(native):
    rng = random.Random(41)
    contents = [odd_bytes(rng) for _ in range(300)]
    assert counted(native, contents) == one_by_one(native, contents)


def test_what_stands_behind_a_text_does_not_matter(native):
    rng = random.Random(42)
    contents = [odd_text(rng).encode() for _ in range(200)]
    expected = one_by_one(native, contents)
    for behind in (b"a", b" ", b"\n", b"'s", b"1", "é".encode(), b"\x80", b"\xff"):
        assert counted(native, contents, behind * PADDING) == expected


def test_a_long_text_among_short_ones(native):
    rng = random.Random(43)
    contents = [b"short", " ".join(odd_text(rng) for _ in range(40_000)).encode(), b"", b"short, too"]
    assert counted(native, contents) == one_by_one(native, contents)


@pytest.mark.parametrize("span", [(-1, 5), (0, 8), (5, 4), (1000, 1001)])
def test_texts_outside_of_their_memory_are_refused(native, span):
    content = np.frombuffer(b"inside!" + bytes(PADDING), dtype=np.uint8)
    with pytest.raises(IndexError):
        native.count_texts(content, np.array([span], dtype=np.int64))


def test_no_texts_have_no_counts(native):
    assert counted(native, []) == []


def test_a_scanner_of_no_kernels_counts_the_same(small):
    rng = random.Random(44)
    contents = [bytes(rng.choices(b"abc", k=rng.randrange(40))) for _ in range(50)]
    assert counted(small, contents) == one_by_one(small, contents)


@pytest.mark.skipif(not COMPILED, reason="tables of real vocabularies take minutes uncompiled")
def test_the_plain_scanner_agrees():
    encoding = engine.get_encoding("cl100k_base")
    native = encoding.open_native(None)
    plain = NativeEncoder(native.tables, Scanner(CL100K, plain=True))
    rng = random.Random(45)
    contents = [odd_text(rng).encode() for _ in range(200)]
    assert counted(plain, contents) == counted(native, contents)


def test_without_a_scanner_there_is_nothing_to_count_with(small):
    with pytest.raises(ValueError, match="no scanner"):
        counted(NativeEncoder(small.tables, None), [b"abc"])
