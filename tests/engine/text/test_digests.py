"""Digests of contents: the same however they are made, and another one for any change or secret."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.encoding import encoder
from engine.encoding.encoder import NativeEncoder
from engine.kernels._jit import NotCompiledError
from engine.kernels.block_layout import FACTOR_BYTES, SUM_BLOCK, SUMS
from engine.kernels.text_bytes import sum_blocks
from engine.text.digests import DIGEST_BYTES, ContentDigests, RunningDigest, new_secret, sum_blocks_plainly
from engine.vocabulary.tables import build_tables, fingerprint_of
from tests.engine.kernels.small_vocabularies import learnt_ranks, small_table

SECRET = bytes(range(32))
SIZES = (0, 1, 3, 4, 63, SUM_BLOCK // 2, SUM_BLOCK - 1, SUM_BLOCK, SUM_BLOCK + 1, 3 * SUM_BLOCK, 5 * SUM_BLOCK + 17)


@pytest.fixture(params=[sum_blocks, sum_blocks_plainly], ids=["kernel", "twin"])
def digests(request) -> ContentDigests:
    return ContentDigests(SECRET, request.param)


def laid_out(contents: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    ends = np.cumsum([3, *(len(content) + 3 for content in contents)])[1:] - 3
    starts = ends - [len(content) for content in contents]
    whole = b"".join(b"..." + content for content in contents) + b"..."
    return np.frombuffer(whole, dtype=np.uint8), np.stack((starts, ends), axis=1).astype(np.int64).reshape(-1, 2)


def plain_sums(content: bytes, factors: bytes) -> list[list[int]]:
    """NH as it is defined, word by word."""
    rows = []
    for at in range(0, len(content), SUM_BLOCK):
        words = np.frombuffer(content[at : at + SUM_BLOCK].ljust(SUM_BLOCK, b"\0"), dtype="<u4").tolist()
        row = []
        for number in range(SUMS):
            keys = np.frombuffer(factors, dtype="<u4")[number * SUM_BLOCK // 4 :].tolist()
            half = len(words) // 2
            total = sum(
                ((words[i] + keys[i]) % 2**32) * ((words[i + half] + keys[i + half]) % 2**32) for i in range(half)
            )
            row.append(total % 2**64)
        rows.append(row)
    return rows


@pytest.mark.parametrize("sums_of", [sum_blocks, sum_blocks_plainly])
@pytest.mark.parametrize("size", SIZES)
def test_sums_are_those_of_the_definition(sums_of, size):
    chance = random.Random(size)
    # The largest words there are carry the most.
    for content in (chance.randbytes(size), b"\xff" * size):
        factors = chance.randbytes(FACTOR_BYTES)
        expected = plain_sums(content, factors)
        sums = np.zeros((len(expected), SUMS), dtype=np.int64)
        spans = np.array([[0, size]], dtype=np.int64)
        sums_of(np.frombuffer(content, dtype=np.uint8), spans, np.frombuffer(factors, dtype=np.uint8), sums)
        assert sums.view(np.uint64).tolist() == expected


@given(st.lists(st.binary(max_size=3 * SUM_BLOCK), max_size=5))
def test_many_have_the_digests_of_each(contents):
    one, other = ContentDigests(SECRET, sum_blocks), ContentDigests(SECRET)
    expected = [other.of(content) for content in contents]
    assert one.of_many(*laid_out(contents)) == expected
    assert other.of_many(*laid_out(contents)) == expected
    assert [one.of(content) for content in contents] == expected


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("step", [1, 37, SUM_BLOCK, SUM_BLOCK + 1])
def test_pieces_have_the_digest_of_the_whole(digests, size, step):
    content = random.Random(size).randbytes(size)
    running = RunningDigest(digests)
    for start in range(0, size, step):
        running.update(content[start : start + step])
    assert running.digest() == digests.of(content)


def test_every_change_makes_another_digest(digests):
    content = bytes(2 * SUM_BLOCK + 10)
    changed = [content, content[:-1], content + b"\0", content[SUM_BLOCK:], b""]
    for place in range(0, len(content), 97):
        for bit in (1, 0x80):
            changed.append(content[:place] + bytes([bit]) + content[place + 1 :])
    moved = b"a" * SUM_BLOCK + b"b" * SUM_BLOCK
    changed += [moved, moved[SUM_BLOCK:] + moved[:SUM_BLOCK]]
    made = digests.of_many(*laid_out(changed))
    assert len(set(made)) == len(changed)
    assert {len(digest) for digest in made} == {DIGEST_BYTES}


def test_another_secret_makes_other_digests():
    assert new_secret() != new_secret()
    contents = [b"", b"text", bytes(SUM_BLOCK)]
    both = [ContentDigests(secret).of_many(*laid_out(contents)) for secret in (SECRET, new_secret())]
    assert not set(both[0]) & set(both[1])


@pytest.mark.parametrize("span", [(-1, 5), (0, 8), (5, 4), (1000, 1001)])
def test_contents_outside_of_their_memory_are_refused(span):
    content = np.frombuffer(b"inside!", dtype=np.uint8)
    with pytest.raises(IndexError, match="not within"):
        sum_blocks(
            content, np.array([span], dtype=np.int64), factors(FACTOR_BYTES), np.zeros((2, SUMS), dtype=np.int64)
        )


def test_too_little_room_is_refused():
    content = np.frombuffer(bytes(SUM_BLOCK + 1), dtype=np.uint8)
    spans = np.array([[0, SUM_BLOCK + 1]], dtype=np.int64)
    with pytest.raises(IndexError, match="no room"):
        sum_blocks(content, spans, factors(FACTOR_BYTES), np.zeros((1, SUMS), dtype=np.int64))
    with pytest.raises(IndexError, match="too few"):
        sum_blocks(content, spans, factors(FACTOR_BYTES - 1), np.zeros((2, SUMS), dtype=np.int64))


def factors(size: int) -> np.ndarray:
    return np.frombuffer(bytes(size), dtype=np.uint8)


def test_a_kernel_whose_file_is_gone_is_done_without(monkeypatch):
    def gone(*_: object) -> None:
        raise NotCompiledError("The kernel is not compiled.")

    table = small_table(learnt_ranks(random.Random(3), b"abc", 50))
    native = NativeEncoder(build_tables(table, fingerprint_of(table)), None)
    expected = ContentDigests(SECRET, native.sum_blocks).of(b"text")
    monkeypatch.setattr(encoder, "sum_blocks", gone)
    assert ContentDigests(SECRET, native.sum_blocks).of(b"text") == expected == ContentDigests(SECRET).of(b"text")
