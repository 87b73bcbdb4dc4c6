"""Texts counted many at once have the tokens that they have one by one."""

from __future__ import annotations

import random

import numpy as np
import pytest

import engine
from engine.encoding import encoder as encoder_module
from engine.encoding.encoder import NativeEncoder
from engine.kernels import cache_folder
from engine.kernels._jit import COMPILED, NotCompiledError
from engine.kernels.batch import NOT_UTF8
from engine.kernels.text_bytes import PADDING
from engine.runtime.threads import in_threads
from engine.split.patterns import CL100K, DEEPSEEK, GPT2, KIMI, O200K, QWEN, QWEN3_5, TEKKEN
from engine.split.scanners import Scanner
from engine.text.offsets import is_utf8
from engine.vocabulary.tables import build_tables, fingerprint_of
from tests.engine.kernels.odd_bytes import odd_bytes
from tests.engine.kernels.odd_texts import odd_text
from tests.engine.kernels.small_vocabularies import learnt_ranks, small_table
from tests.thoroughness import mostly_deep, scaled

SPLITS = {
    "r50k_base": GPT2.scan,
    "cl100k_base": CL100K.scan,
    "o200k_base": O200K.scan,
    "qwen": QWEN.scan,
    "qwen3_5": QWEN3_5.scan,
    "kimi": KIMI.scan,
    "deepseek": DEEPSEEK.scan,
    "tekken": TEKKEN.scan,
}


@pytest.fixture(scope="module", params=mostly_deep(SPLITS, 2))
def name(request) -> str:
    if not COMPILED:
        pytest.skip("tables of real vocabularies take minutes uncompiled")
    return str(request.param)


@pytest.fixture(scope="module")
def native(name) -> NativeEncoder:
    return engine.get_encoding(name).open_native(None)


@pytest.fixture(scope="module")
def plain(name, native) -> NativeEncoder:
    """The same, text by text and step by step: with the slow scanner, and Python's decoder."""
    return NativeEncoder(native.tables, Scanner(SPLITS[name], plain=True))


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
    counts = native.count_texts(*laid_out(contents, behind))
    assert counts.dtype == np.int64
    return counts.tolist()


def one_by_one(native: NativeEncoder, contents: list[bytes]) -> list[int]:
    return [native.count(content) if is_utf8(content) else NOT_UTF8 for content in contents]


def odd_batch(rng: random.Random) -> list[bytes]:
    """Contents of which most are odd: empty, no UTF-8, NUL bytes, special tokens, the halves of characters and words,
    now and then one that is longer than a chunk."""

    def one() -> bytes:
        text = odd_text(rng).encode()
        return rng.choice(
            (
                text,
                text * 20,
                text[: rng.randrange(len(text) + 1)],
                text[rng.randrange(len(text) + 1) :],
                odd_bytes(rng),
                text + rng.randbytes(1) + text,
                b"\0" * rng.randrange(80),
                text + b"\0" + text,
                b"<|endoftext|>" + text,
                "\ufeffa\u2028\x85b".encode(),
                b" " * rng.randrange(200),
                b"",
            )
        )

    contents = [one() for _ in range(rng.randrange(60))]
    if rng.random() < 0.1:
        contents.insert(rng.randrange(len(contents) + 1), b"".join(odd_text(rng).encode() for _ in range(20_000)))
    return contents


def test_texts_have_the_tokens_of_each(native):
    rng = random.Random(40)
    contents = [odd_text(rng).encode() * rng.choice((0, 1, 1, 1, 30)) for _ in range(600)]
    assert counted(native, contents) == one_by_one(native, contents)


@pytest.mark.deep
def test_odd_batches_have_the_counts_of_the_plain_twin(native, plain):
    rng = random.Random(39)
    for _ in range(scaled(40)):
        contents = odd_batch(rng)
        expected = counted(plain, contents)
        assert counted(native, contents) == expected
        assert counted(native, contents, rng.randbytes(PADDING)) == expected


@pytest.mark.deep
def test_texts_that_touch_have_no_tokens_in_common(native, plain):
    """Each ends where the next begins, be that in the middle of a word or of a character."""
    rng = random.Random(46)
    for _ in range(40):
        contents = odd_batch(rng)
        ends = np.cumsum([0, *map(len, contents)])
        spans = np.stack((ends[:-1], ends[1:]), axis=1)
        whole = np.frombuffer(b"".join(contents) + b"a" * PADDING, dtype=np.uint8)
        assert native.count_texts(whole, spans).tolist() == counted(plain, contents)


def test_the_parts_of_a_word_are_words_of_their_own(native):
    word = b" internationalization's"
    whole = np.frombuffer(word + bytes(PADDING), dtype=np.uint8)
    for cut in range(len(word) + 1):
        spans = np.array([[0, cut], [cut, len(word)], [0, len(word)]], dtype=np.int64)
        assert native.count_texts(whole, spans).tolist() == one_by_one(native, [word[:cut], word[cut:], word])


def test_what_is_not_utf8_is_said_to_be_so(native):
    rng = random.Random(41)
    contents = [odd_bytes(rng) for _ in range(300)]
    expected = one_by_one(native, contents)
    assert NOT_UTF8 in expected
    assert max(expected) > 0
    assert counted(native, contents) == expected


def test_what_stands_behind_a_text_does_not_matter(native):
    rng = random.Random(42)
    contents = [odd_text(rng).encode() for _ in range(200)]
    expected = one_by_one(native, contents)
    for behind in (b"a", b" ", b"\n", b"'s", b"1", "é".encode(), b"\x80", b"\xff"):
        assert counted(native, contents, behind * PADDING) == expected


@pytest.mark.deep
def test_a_long_text_among_short_ones(native):
    rng = random.Random(43)
    contents = [b"short", " ".join(odd_text(rng) for _ in range(40_000)).encode(), b"", b"short, too"]
    assert counted(native, contents) == one_by_one(native, contents)


@pytest.mark.parametrize("span", [(-1, 5), (0, 8), (5, 4), (1000, 1001)])
def test_texts_outside_of_their_memory_are_refused(native, plain, span):
    content = np.frombuffer(b"inside!" + bytes(PADDING), dtype=np.uint8)
    for encoder in (native, plain):
        with pytest.raises(IndexError, match="not within"):
            encoder.count_texts(content, np.array([span], dtype=np.int64))
        assert encoder.count_texts(content, np.array([[7, 7]], dtype=np.int64)).tolist() == [0]


def test_no_texts_have_no_counts(native):
    assert counted(native, []) == []


def test_a_scanner_of_no_kernels_counts_the_same(small):
    rng = random.Random(44)
    contents = [bytes(rng.choices(b"abc", k=rng.randrange(40))) for _ in range(50)] + [b"\xff", "aé".encode()[:2]]
    assert counted(small, contents) == one_by_one(small, contents)


@pytest.mark.skipif(not COMPILED, reason="nothing is loaded")
def test_a_kernel_whose_file_is_gone_is_done_without(native, monkeypatch):
    def gone(*_: object) -> None:
        raise NotCompiledError("The kernel is not compiled.")

    contents = odd_batch(random.Random(47))
    expected = counted(native, contents)
    monkeypatch.setattr(encoder_module, "count_many", gone)
    assert counted(native, contents) == expected


@pytest.mark.skipif(not COMPILED, reason="nothing is loaded")
def test_the_kernel_is_looked_for_where_the_others_were(tmp_path, monkeypatch):
    """However late, and on whatever thread: a window has a folder of its own, and compiles nothing in its process."""
    chosen = []

    def noting(*_: object) -> None:
        chosen.append((cache_folder.current_folder(), cache_folder.is_compiled_only()))

    monkeypatch.delenv(cache_folder.VARIABLE, raising=False)
    monkeypatch.setattr(encoder_module, "count_many", noting)
    encoding = engine.get_encoding("r50k_base")
    with cache_folder.kept_in(tmp_path, compiled_only=True):
        expected = (cache_folder.current_folder(), True)
        native = NativeEncoder(encoding.open_native(None).tables, Scanner(GPT2.scan))
    in_threads(lambda _: counted(native, [b"text"]), [0, 1], 2)
    assert chosen == [expected, expected]


def test_without_a_scanner_there_is_nothing_to_count_with(small):
    with pytest.raises(ValueError, match="no scanner"):
        counted(NativeEncoder(small.tables, None), [b"abc"])
