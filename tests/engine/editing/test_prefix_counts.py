"""Counting on in further encodings, in threads or one after the other."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.editing import readers
from engine.editing.edited_text import EditedText
from engine.kernels._jit import COMPILED
from engine.library.bundled_encodings import DATA_DIR, Catalog
from engine.text.offsets import utf16_length
from engine.types import TextEdit

ALL = ("r50k_base", "cl100k_base", "o200k_base", "qwen", "qwen3_5", "gemma", "gemma3")
NAMES = ALL if COMPILED else ALL[:1]
TEXT = "Several words, 12345 numbers; naïve 你好 \n\n\tand so on. " * (3_000 if COMPILED else 20)
FOREVER = 1e9


@pytest.fixture(scope="module")
def encodings():
    catalog = Catalog(DATA_DIR)
    opened = [catalog.get(name) for name in NAMES]
    for encoding in opened:
        assert encoding.use_kernels()
    return opened


def test_what_is_counted_side_by_side_is_the_same(encodings):
    asked = []
    with ThreadPoolExecutor(4) as pool:

        def side_by_side(tasks):
            asked.append(len(tasks))
            list(pool.map(lambda task: task(), tasks))

        edited = EditedText(encodings[0])
        edited.reset(TEXT)
        edited.watch(encodings)
        assert not edited.catch_up(0, side_by_side) or len(NAMES) == 1
        edited.apply([TextEdit(1000, 3, "something else"), TextEdit(0, 0, "<|endoftext|>")])
        while not edited.catch_up(0.001, side_by_side):
            pass
        assert edited.catch_up(FOREVER, side_by_side)
    text = edited.text()
    assert edited.counts() == {encoding.name: encoding.count(text) for encoding in encodings}
    assert max(asked) == len(NAMES) - 1


@pytest.mark.skipif(not COMPILED, reason="needs several encodings with kernels")
def test_one_encoding_is_counted_after_the_other(encodings, monkeypatch):
    released = []
    kind = type(encodings[0])
    monkeypatch.setattr(kind, "release_kernel_memory", lambda self: released.append(self.name))
    edited = EditedText(encodings[0])
    edited.reset(TEXT * 8)
    edited.watch(encodings)
    begun = []
    while not edited.catch_up(0):
        counts = edited._others._counts.values()
        begun = [count.encoding.name for count in counts if count.steps and count.counted(len(edited._blocks)) is None]
        assert len(begun) <= 1, "each that has begun holds 40 MB"
    assert begun
    assert released == list(NAMES[1:]), "once each, in order"


@pytest.mark.skipif(not COMPILED, reason="needs several encodings with kernels")
def test_a_text_replaced_by_a_large_one_is_counted_later(encodings, monkeypatch):
    edited = EditedText(encodings[0])
    edited.reset("a short text")
    edited.watch(encodings)
    assert edited.catch_up(FOREVER)
    with monkeypatch.context() as patched:
        for encoding in encodings[1:]:
            patched.setattr(encoding, "count", lambda text: pytest.fail("counted at once"))
        edited.apply([TextEdit(0, len("a short text"), TEXT[:5000])])
    assert edited.catch_up(FOREVER)
    assert edited.counts() == {encoding.name: encoding.count(TEXT[:5000]) for encoding in encodings}


@pytest.mark.skipif(not COMPILED, reason="needs several encodings with kernels")
def test_long_pieces_can_be_left_out(encodings):
    line = "one line without an end " * 2_000
    edited = EditedText(encodings[0])
    edited.reset(line)
    edited.watch(encodings)
    assert edited.can_catch_up(len(line) - 1)
    assert not edited.catch_up(FOREVER, longest=len(line) - 1)
    assert not edited.can_catch_up(len(line) - 1)
    unknown = [name for name, tokens in edited.counts().items() if tokens is None]
    assert unknown == ["gemma", "gemma3"], "these can only be divided between lines"
    assert edited.can_catch_up()
    assert edited.catch_up(FOREVER)
    assert not edited.can_catch_up()
    assert edited.counts() == {encoding.name: encoding.count(line) for encoding in encodings}
    lines = "a line, and another\n" * 3_000
    edited.reset(lines)
    while not edited.catch_up(0, longest=len(lines) - 1):
        assert edited.can_catch_up(len(lines) - 1), "these lines are short"


def test_tiktokens_encoders_do_not_count_side_by_side():
    def side_by_side(tasks):
        raise AssertionError("they hold the interpreter too much")

    catalog = Catalog(DATA_DIR)
    edited = EditedText(catalog.get("gpt2"))
    edited.reset("some text")
    edited.watch([catalog.get("p50k_base")])
    assert edited.catch_up(FOREVER, side_by_side)
    assert edited.counts() == {"p50k_base": 2}


@pytest.mark.skipif(not COMPILED, reason="tiktoken's encoder of so many pieces takes seconds to build")
@pytest.mark.parametrize("seed", range(5))
def test_counts_between_lines_follow_every_edit(encodings, monkeypatch, seed):
    monkeypatch.setattr(readers, "PIECE_UNITS", 8)
    pick = random.Random(seed)
    gemma = encodings[NAMES.index("gemma")]
    counted = []
    monkeypatch.setattr(gemma, "count", lambda text: counted.append(len(text)) or type(gemma).count(gemma, text))

    def text_of(size: int) -> str:
        return "".join(pick.choice(("a", " ", "\n", "the", "\n\n", "\t", "😀", "</div>", "\r\n")) for _ in range(size))

    edited = EditedText(encodings[0])
    edited.reset(text_of(200))
    edited.watch(encodings)
    for _ in range(60):
        while not edited.catch_up(0 if pick.random() < 0.5 else FOREVER) and pick.random() < 0.9:
            pass
        size = utf16_length(edited.text())
        start = pick.randrange(size + 1)
        removed = pick.choice((0, 1, 2, min(40, size)))
        edited.apply([TextEdit(start, min(removed, size - start), text_of(pick.randrange(4)))])
        assert edited.catch_up(FOREVER)
        text = edited.text()
        assert edited.counts() == {encoding.name: encoding.count(text) for encoding in encodings}
    edited.reset("several words\n" * 50)
    assert edited.catch_up(FOREVER)
    counted.clear()
    edited.apply([TextEdit(300, 0, "word")])
    assert edited.catch_up(FOREVER)
    assert sum(counted) < 50, "only the spans that were touched"
