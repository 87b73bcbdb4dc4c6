"""The block scanners cut where the plain ones cut, wherever blocks begin and calls end."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.kernels._jit import COMPILED
from engine.kernels.text_bytes import PADDING
from engine.split import scanners
from engine.split.scanners import Scanner
from tests.engine.kernels.odd_texts import odd_text
from tests.engine.kernels.scanning import SPLITS, all_ends, padded
from tests.engine.kernels.split_oracle import first_disagreement
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.skipif(not COMPILED, reason="blocks are only read by compiled kernels")

SEED = 314
TEXTS = 800


@pytest.fixture(params=mostly_deep(SPLITS, 2))
def name(request) -> str:
    return request.param


@pytest.fixture
def plain(name) -> Scanner:
    return scanners.plain_scanner(SPLITS[name][0])


@pytest.fixture
def blocks(name) -> Scanner:
    return Scanner(SPLITS[name][0])


def joined(rng: random.Random) -> bytes:
    """A text of one to twenty odd ones, so that everything occurs everywhere in a block."""
    return "".join(odd_text(rng) for _ in range(rng.choice((1, 2, 5, 20)))).encode()


@pytest.mark.deep
def test_random_texts(name, plain, blocks):
    rng = random.Random(f"{SEED} {name}")
    for _ in range(TEXTS):
        content = joined(rng)
        text = padded(content, rng)
        expected = all_ends(plain, text, len(content))
        assert all_ends(blocks, text, len(content), rng.choice((64, 65, 100, 4096))) == expected, content


@pytest.mark.deep
def test_random_texts_against_tiktoken(name, blocks):
    rng = random.Random(f"{SEED + 1} {name}")
    texts = ["".join(odd_text(rng, longest=30) for _ in range(4)) for _ in range(TEXTS // 3)]
    ends = [all_ends(blocks, padded(text.encode(), rng), len(text.encode())) for text in texts]
    short = [number for number, text in enumerate(texts) if len(text.encode()) < 900]
    pattern = SPLITS[name][1]
    assert first_disagreement(pattern, [texts[number] for number in short], [ends[number] for number in short]) is None


def test_every_place_in_a_block(name, plain, blocks):
    """Each trap at each distance from the start of the text, with text behind."""
    for trap in (
        "don't Stop",
        "a  \n\n b",
        "x\n  \n \n\t \n  y",
        "!\n \n z",
        "12345678",
        "漢字ABCd",
        "!\n/\n/x",
        " \u3000 x",
        "é\u0301É",
        "\x01 ・か",
    ):
        for before in range(130):
            content = ("x" * before + trap + " and more of it, " * 5).encode()
            text = padded(content)
            assert all_ends(blocks, text, len(content)) == all_ends(plain, text, len(content)), content


@pytest.mark.parametrize(
    "unit", mostly_deep(["a", "A", " ", "\n", "1", "!", "漢", "é", " \n", "\u3000", "\u0301", "aB", "/", "\n/"], 5)
)
def test_pretokens_longer_than_many_blocks(unit, plain, blocks):
    content = f"x {unit * 5000} y".encode()
    text = padded(content)
    assert all_ends(blocks, text, len(content), 70) == all_ends(plain, text, len(content))


def test_scanning_goes_on_from_any_end(plain, blocks):
    rng = random.Random(SEED)
    for _ in range(60):
        content = joined(rng)
        text = padded(content)
        ends = all_ends(plain, text, len(content))
        for number, end in enumerate(ends[:-1]):
            assert all_ends(blocks, text, len(content), start=end) == ends[number + 1 :]


def test_room_is_kept_within(blocks):
    content = b"a b c d e f " * 100
    ends = np.full(200, -1, dtype=np.int32)
    room = ends[64:128]
    number = blocks(padded(content), len(content), 0, room)
    assert 0 < number <= 64
    assert (ends[:64] == -1).all()
    assert (ends[128:] == -1).all()


def test_nothing_to_scan(blocks, plain):
    for scanner in (blocks, plain):
        ends = np.empty(64, dtype=np.int32)
        assert scanner(padded(b""), 0, 0, ends) == 0
        assert scanner(padded(b"abc"), 3, 3, ends) == 0


def test_texts_without_padding_are_refused(blocks):
    ends = np.empty(64, dtype=np.int32)
    text = np.zeros(100, dtype=np.uint8)
    for n_bytes, start in ((100 - PADDING + 1, 0), (10, 11), (10, -1), (-1, 0)):
        with pytest.raises(IndexError, match="shorter"):
            blocks(text, n_bytes, start, ends)


def test_broken_utf8_ends_within_the_text(blocks, plain):
    """Meaningless cuts, but never outside; the checked build sees any access beyond the arrays."""
    rng = random.Random(SEED + 2)
    for _ in range(400):
        content = bytearray(joined(rng) or b"x")
        kind = rng.randrange(3)
        if kind == 0:
            content = bytearray(rng.randbytes(rng.choice((1, 63, 64, 65, 300))))
        elif kind == 1:
            content = bytearray(rng.choices(b"\xe4\xf4\xf7\xff\xc2\x80\xbf a'\n1A!", k=rng.choice((1, 64, 200))))
        else:
            for _ in range(4):
                content[rng.randrange(len(content))] = rng.randrange(256)
        text = padded(bytes(content), rng)
        for scanner in (blocks, plain):
            ends = all_ends(scanner, text, len(content), 64)
            assert ends[-1] == len(content)
            assert all(first < second for first, second in zip([0, *ends], ends, strict=False))
