"""Counting on in further encodings, in threads or one after the other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.editing.edited_text import EditedText
from engine.kernels._jit import COMPILED
from engine.library.bundled_encodings import DATA_DIR, Catalog
from engine.types import TextEdit

NAMES = ("r50k_base", "cl100k_base", "o200k_base", "qwen", "qwen3_5") if COMPILED else ("r50k_base",)
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


def test_tiktokens_encoders_do_not_count_side_by_side():
    def side_by_side(tasks):
        raise AssertionError("they hold the interpreter too much")

    catalog = Catalog(DATA_DIR)
    edited = EditedText(catalog.get("gpt2"))
    edited.reset("some text")
    edited.watch([catalog.get("p50k_base")])
    assert edited.catch_up(FOREVER, side_by_side)
    assert edited.counts() == {"p50k_base": 2}
