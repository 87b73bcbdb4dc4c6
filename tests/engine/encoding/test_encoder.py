"""The native encoder against tiktoken, with every bundled vocabulary and its scanner."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tokenizers.normalizers import NFC

import engine
from engine.encoding import encoder as encoder_module
from engine.encoding.encoder import NativeEncoder, open_encoder
from engine.kernels import layout
from engine.kernels._jit import COMPILED
from engine.vocabulary.tables import build_tables, fingerprint_of
from tests.engine.kernels.odd_pieces import odd_piece
from tests.engine.kernels.odd_texts import odd_text
from tests.engine.kernels.small_vocabularies import learnt_ranks, small_table
from tests.thoroughness import mostly_deep

NAMES = ("r50k_base", "p50k_base", "cl100k_base", "o200k_base", "qwen", "qwen3_5", "kimi", "deepseek", "tekken")


def native(encoding) -> NativeEncoder:
    return encoding.open_native(None)


@pytest.fixture(scope="module", params=mostly_deep(NAMES, 3))
def pair(request):
    if not COMPILED:
        pytest.skip("tables of real vocabularies take minutes uncompiled")
    encoding = engine.get_encoding(request.param)
    return encoding, native(encoding)


@pytest.fixture(scope="module")
def small():
    """A small vocabulary that every build can make, with a scanner that cuts at spaces."""
    table = small_table(learnt_ranks(random.Random(3), b"abc", 50), first_id=7)
    return NativeEncoder(build_tables(table, fingerprint_of(table)), scan_at_spaces)


def scan_at_spaces(text, n_bytes, byte_start, ends):
    spaces = np.flatnonzero(text[byte_start:n_bytes] == ord(" ")) + byte_start
    found = [*(spaces + 1).tolist(), n_bytes]
    if found[-2:] == [n_bytes, n_bytes]:
        found.pop()
    room = min(len(found), len(ends))
    ends[:room] = found[:room]
    return room


def as_encoded(encoding, text):
    """Return what the encoding makes of a text before an encoder gets it."""
    return NFC().normalize_str(text) if encoding.prepares else text


def assert_same(encoding, encoder, text):
    text = as_encoded(encoding, text)
    expected = encoding.encode_ordinary(text)
    content = text.encode()
    assert encoder.encode(content).tolist() == expected
    assert encoder.count(content) == len(expected)
    assert encoder.encode_to_list(content) == expected


def test_texts_have_the_ids_of_tiktoken(pair):
    rng = random.Random(30)
    for _ in range(400):
        assert_same(*pair, odd_text(rng))
    for _ in range(60):
        parts = [odd_piece(rng, 700) if rng.random() < 0.5 else odd_text(rng) for _ in range(rng.randrange(1, 40))]
        assert_same(*pair, "".join(parts))


def test_long_texts_are_cut_into_batches_without_a_trace(pair, monkeypatch):
    monkeypatch.setattr(encoder_module, "ENDS", 256)
    encoding, encoder = pair[0], native(pair[0])
    rng = random.Random(31)
    assert_same(encoding, encoder, " ".join(odd_piece(rng, 60) for _ in range(3000)))


def test_ends_are_those_of_the_tokens(pair):
    encoding, encoder = pair
    rng = random.Random(32)
    text = " ".join(odd_piece(rng, 60) for _ in range(100))
    ends = encoder.token_ends(text.encode())
    assert ends.dtype == np.int64
    sizes = [len(encoding.decode_single_token_bytes(number)) for number in encoding.encode_ordinary(text)]
    assert ends.tolist() == np.cumsum(sizes).tolist()


def test_a_pretoken_is_not_cut(pair):
    encoding, encoder = pair
    rng = random.Random(33)
    for _ in range(50):
        piece = odd_piece(rng, 700).encode()
        assert encoder.encode_pretoken(piece).tolist() == encoding._core_bpe.encode_single_piece(piece)


def test_threads_do_not_disturb_each_other(pair):
    encoding, encoder = pair
    rng = random.Random(34)
    texts = [as_encoded(encoding, " ".join(odd_piece(rng, 60) for _ in range(200))) for _ in range(40)]
    expected = [encoding.encode_ordinary(text) for text in texts]
    with ThreadPoolExecutor(4) as threads:
        counts = list(threads.map(lambda text: encoder.count(text.encode()), texts * 3))
        ids = list(threads.map(lambda text: encoder.encode(text.encode()).tolist(), texts * 3))
    assert counts == [len(one) for one in expected * 3]
    assert ids == expected * 3


def test_texts_that_somebody_else_has_cut(pair):
    encoding, encoder = pair
    rng = random.Random(35)
    pieces = [odd_piece(rng, 100).encode() for _ in range(100)]
    ends = np.cumsum([len(piece) for piece in pieces])
    spans = np.stack([ends - [len(piece) for piece in pieces], ends], axis=1)
    text = b"".join(pieces)
    for chosen in (spans, spans[::2], spans[5:9], spans[:0]):
        expected = [
            number
            for start, end in chosen.tolist()
            for number in encoding._core_bpe.encode_single_piece(text[start:end])
        ]
        assert encoder.encode_pretokens(text, chosen).tolist() == expected
        assert encoder.count_pretokens(text, chosen) == len(expected)


@pytest.mark.parametrize("spans", [[[0, 9]], [[-1, 2]], [[2, 2]], [[0, 2], [1, 3]], [[3, 4], [0, 1]]])
def test_pretokens_outside_of_the_text_are_refused(small, spans):
    with pytest.raises(ValueError, match="within the text"):
        small.encode_pretokens(b"abcabc", np.array(spans, dtype=np.int64))


def test_an_unknown_pattern_takes_pretokens_only():
    table = small_table(learnt_ranks(random.Random(3), b"abc", 50))
    encoder = open_encoder("[a-z]+", fingerprint_of(table), lambda: table, None)
    assert not encoder.can_scan
    encoder.warm_up()
    assert encoder.encode_pretokens(b"x", np.array([[0, 1]])).tolist() == [table.mergeable_ranks()[b"x"]]
    with pytest.raises(ValueError, match="only encodes pretokens"):
        encoder.count(b"x")


def test_what_leaves_the_encoder_is_read_only(small):
    for array in (small.encode(b"abc abc"), small.token_ends(b"abc abc"), small.encode_pretoken(b"abc")):
        assert not array.flags.writeable


def test_a_list_is_made_slice_by_slice(small, monkeypatch):
    monkeypatch.setattr(encoder_module, "_LIST_SLICE", 100)
    for text in (b"", b"abc ab cab", b"a " * 50, b"a " * 500):
        found = small.encode_to_list(text)
        assert found == small.encode(text).tolist()
        assert all(type(token_id) is int for token_id in found)


def test_nothing_has_no_tokens(small):
    small.warm_up()
    assert small.count(b"") == 0
    assert small.encode(b"").tolist() == small.encode_to_list(b"") == small.token_ends(b"").tolist() == []
    assert small.encode_pretoken(b"").tolist() == []


def test_a_text_of_more_tokens_than_expected_finds_room(small):
    text = bytes(range(1, 32)) * (100 if COMPILED else 3)
    assert len(small.encode(text)) == len(small.encode_to_list(text)) == small.count(text) == len(text)


def test_an_error_leaves_the_encoder_usable():
    table = small_table(learnt_ranks(random.Random(3), b"abc", 50))

    def scan(text, n_bytes, byte_start, ends):
        if text[0] == ord("!"):
            raise RuntimeError("scanner failed")
        return scan_at_spaces(text, n_bytes, byte_start, ends)

    encoder = NativeEncoder(build_tables(table, fingerprint_of(table)), scan)
    with pytest.raises(RuntimeError):
        encoder.count(b"!")
    assert encoder.count(b"abc") == len(encoder.encode(b"abc"))


def test_texts_beyond_the_reach_of_ends_are_refused(small, monkeypatch):
    monkeypatch.setattr(encoder_module, "_MAX_BYTES_AT_ONCE", 20)
    assert small.count(b"abc cab " * 2) > 0
    for text in (b"abc cab " * 3, "abc cab " * 3):
        for method in (small.count, small.encode, small.encode_to_list, small.token_ends):
            with pytest.raises(engine.UnsupportedTextError, match="two gigabytes"):
                method(text)
    assert small.count(b"abc cab " * 2) > 0


def test_memory_stays_bounded(small):
    """The state of a call never grows: everything it remembers has its place from the start."""
    small.count(b"abc")
    own = small._idle[-1]
    header = own.state[: layout.HEADER_SIZE].view(np.int64)
    assert own.state.nbytes - own.utf8.nbytes - own.ends.nbytes < 16_000_000
    assert header[layout.SIZE // 8] == own.state.nbytes
