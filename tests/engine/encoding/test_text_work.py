"""One call for a whole text gives what one call for each step gives."""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest

import engine
from engine.encoding import encoder as encoder_module
from engine.encoding.encoder import NativeEncoder
from engine.kernels._jit import COMPILED
from engine.kernels.batch import OUT_SLACK, count_text, encode_text, encode_utf8
from engine.split.patterns import GPT2, KNOWN_SPLITS
from engine.split.safe_boundaries import text_boundaries
from engine.split.scanners import Scanner
from engine.vocabulary.tables import crossings_in
from tests.engine.kernels.odd_bytes import odd_bytes
from tests.engine.kernels.odd_pieces import odd_piece
from tests.engine.kernels.odd_texts import odd_text
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.skipif(not COMPILED, reason="without compiled kernels each step is a call")

NAMES = ("r50k_base", "cl100k_base", "o200k_base", "qwen", "qwen3_5", "kimi", "deepseek", "tekken")


@pytest.fixture(scope="module", params=mostly_deep(NAMES, 3))
def both(request):
    """One encoder that does a text at once, and one with the same scanner in a disguise."""
    encoding = engine.get_encoding(request.param)
    quick = encoding.open_native(None)
    scanner = Scanner(KNOWN_SPLITS[encoding._pat_str], crossings_in(quick.tables))
    return quick, NativeEncoder(quick.tables, scanner.__call__)


@pytest.fixture
def small_room(monkeypatch):
    """Everything is too small: there are many chunks, many batches and many times more room for ids."""
    monkeypatch.setattr(encoder_module, "ENDS", 64)
    monkeypatch.setattr(encoder_module, "RESERVED_BYTES", 1000)
    monkeypatch.setattr(encoder_module, "_SHORT_CHARS", 10)
    monkeypatch.setattr(encoder_module, "_first_capacity", lambda text, chunks: OUT_SLACK)


def assert_same(both, text, chunks=None):
    quick, plain = both
    expected = plain.encode(text, chunks).tolist()
    assert quick.encode(text, chunks).tolist() == expected
    assert quick.count(text, chunks) == plain.count(text, chunks) == len(expected)


@pytest.mark.usefixtures("small_room")
def test_texts_in_chunks_of_every_size(both):
    for encoder in both:
        encoder._idle.clear()
    rng = random.Random(80)
    for _ in range(30):
        text = "".join(odd_piece(rng, 400) if rng.random() < 0.3 else odd_text(rng) for _ in range(rng.randrange(30)))
        text = text.encode("utf-8", "replace").decode() or "nothing"
        for size in (20, 200, 1000):
            assert_same(both, text, text_boundaries().spans(text, size))
        assert_same(both, text)
        assert_same(both, text.encode())
    for encoder in both:
        encoder._idle.clear()


@pytest.mark.deep
def test_of_many_bytes_the_last_are_taken_apart(both, monkeypatch):
    monkeypatch.setattr(encoder_module, "_MANY_BYTES", 200)
    monkeypatch.setattr(encoder_module, "_LAST_BYTES", 100)
    rng = random.Random(82)
    sizes = []
    for _ in range(200):
        content = " ".join(odd_text(rng) for _ in range(30)).encode("utf-8", "replace")
        sizes.append(len(encoder_module._at_once(content)))
        expected = both[0].encode(content.decode(), text_boundaries().spans(content.decode(), 10_000_000))
        for encoder in both:
            assert encoder.encode(content).tolist() == expected.tolist()
            assert encoder.count(content) == len(expected)
    assert set(sizes) == {1, 2}


def test_bytes_that_are_no_text(both):
    rng = random.Random(81)
    for _ in range(200):
        assert_same(both, odd_bytes(rng))


def test_a_surrogate_in_a_later_chunk_is_refused(both):
    text = "many words " * 1000 + "\ud800"
    for call in (both[0].count, both[0].encode):
        with pytest.raises(UnicodeEncodeError):
            call(text, text_boundaries().spans(text, 300))


def test_kernels_say_where_they_stopped(both):
    quick = both[0]
    own, fixed = quick._take_workspace(), quick._work._fixed
    text = "one two three " * 50 + "\ud800" + " four five" * 50
    chunks = np.array([[0, 139], [139, 699], [699, 709], [709, len(text)]], dtype=np.int64)
    counted = [quick.count(text[start:end]) for start, end in chunks.tolist() if start != 699]
    assert count_text(text, chunks, 0, fixed, own.own) == (2, counted[0] + counted[1])
    assert count_text(text, chunks, 3, fixed, own.own) == (4, counted[2])
    out = np.empty(counted[0] + 300, dtype=np.uint32)
    assert encode_text(text, chunks, 0, fixed, own.own, out, 0) == (1, counted[0])
    assert encode_text(text, chunks, 2, fixed, own.own, out, 5) == (2, 5)
    array, n_bytes = encoder_module.padded(text[:699].encode())
    assert encode_utf8(array, n_bytes, 0, fixed, own.own, out[:100], 0) == (0, 0)
    full = np.empty(n_bytes + OUT_SLACK, dtype=np.uint32)
    assert encode_utf8(array, n_bytes, 0, fixed, own.own, full, 0) == (n_bytes, counted[0] + counted[1])


def test_room_for_no_ends_is_an_error(both):
    quick = both[0]
    own, fixed = quick._take_workspace(), quick._work._fixed
    array, n_bytes = encoder_module.padded(b"some words")
    small = (own.state, own.ends[:10], own.utf8, own.readable)
    with pytest.raises(IndexError, match="no room for the ends"):
        encode_utf8(array, n_bytes, 0, fixed, small, np.empty(100, dtype=np.uint32), 0)


def test_a_slow_scanner_works_step_by_step(both):
    scanner = Scanner(GPT2.scan, plain=True)
    assert scanner.block_tables is None
    encoder = NativeEncoder(both[0].tables, scanner)
    assert encoder.count("some words") == len(encoder.encode(b"some words"))


def test_python_keeps_no_utf8_of_a_text_that_was_counted(both):
    text = "caf\xe9 au lait, " * 5000
    size = sys.getsizeof(text)
    for encoder in both:
        assert encoder.count(text, text_boundaries().spans(text, 10_000)) == len(encoder.encode(text.encode()))
    assert sys.getsizeof(text) == size
