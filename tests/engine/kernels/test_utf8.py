"""Python texts become UTF-8 in a kernel as they do in Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels import text_bytes
from engine.kernels._jit import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="only compiled kernels read the memory of a text")

EDGES = "\0\x7f\x80\xff\u0100\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff"


def written(text: str, start: int = 0, end: int | None = None) -> bytes | None:
    """What the kernel writes, or None for a surrogate; checks what stands behind it."""
    end = len(text) if end is None else end
    out = np.full(text_bytes.room_for(text, end - start), 7, dtype=np.uint8)
    size = text_bytes.write_utf8(text, start, end, out)
    if size < 0:
        return None
    assert not out[size : size + text_bytes.PADDING].any()
    return out[:size].tobytes()


def expected(text: str) -> bytes | None:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return None


@given(st.lists(st.tuples(st.one_of(st.sampled_from(EDGES + "a\ud800\udfff"), st.characters()), st.integers(1, 70))))
def test_all_texts(runs):
    text = "".join(character * count for character, count in runs)
    assert written(text) == expected(text)


@pytest.mark.parametrize("widest", ["a", "é", "ж", "你", "🚀"])
@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 63, 64, 65, 80, 127, 128, 129, 1000])
def test_every_place_of_a_wide_character(widest, size):
    for place in range(0, size, 7):
        text = "x" * place + widest + "y" * (size - place)
        assert written(text) == text.encode()
    assert written(widest * size) == (widest * size).encode()


def test_every_code_point():
    for width in (0x100, 0x10000, 0x110000):
        text = "".join(map(chr, (point for point in range(width) if not 0xD800 <= point < 0xE000)))
        assert written(text) == text.encode()


@given(st.text(max_size=200), st.data())
def test_parts_of_a_text(text, data):
    end = data.draw(st.integers(0, len(text)))
    start = data.draw(st.integers(0, end))
    assert written(text, start, end) == text[start:end].encode()


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2), (0, 6), (6, 6)])
def test_characters_outside_of_the_text_are_refused(start, end):
    with pytest.raises(IndexError):
        text_bytes.write_utf8("hello", start, end, np.empty(1000, dtype=np.uint8))


def test_too_little_room_is_refused():
    for text, most_bytes in (("hello", 1), ("añoes", text_bytes.MAX_BYTES)):
        with pytest.raises(IndexError):
            text_bytes.write_utf8(text, 0, 5, np.empty(most_bytes * 5 + text_bytes.ROOM - 1, dtype=np.uint8))


class Text(str):
    """A text of a kind of one's own."""


def test_texts_of_another_class():
    assert written(Text("añ" * 100)) == ("añ" * 100).encode()
