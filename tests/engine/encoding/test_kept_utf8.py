"""The UTF-8 that Python keeps of a text is read in place, and none is made."""

from __future__ import annotations

import random
import sqlite3
import sys
import threading

import numpy as np
import pytest

import engine
from engine.encoding import text_work
from engine.encoding import text_work as kept_module
from engine.encoding.chunked_encoder import ChunkedEncoder
from engine.encoding.text_work import kept_utf8
from engine.kernels._jit import COMPILED
from engine.split.quick_cuts import text_cuts
from tests.engine.kernels.odd_texts import odd_text

WIDTHS = {"latin": "caf\xe9 au lait, ", "two": "\u6f22\u5b57 and words, ", "four": "a \U0001f600 and words, "}
LONG = 70_000

on_cpython = pytest.mark.skipif(kept_module._place() is None, reason="this Python does not show what it keeps")


def have_utf8_made(text):
    """What many extensions do: SQLite asks Python for the UTF-8 of a text, which then is kept beside it."""
    connection = sqlite3.connect(":memory:")
    connection.execute("select ?", (text,)).fetchall()
    connection.close()


def long_text(part):
    """A text that nobody else has."""
    return part * (LONG // len(part))


def test_every_python_that_is_supported_shows_what_it_keeps():
    with_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    known = sys.implementation.name == "cpython" and sys.version_info < (3, 14) and with_lock
    assert (kept_module._place() is not None) >= known


@on_cpython
@pytest.mark.parametrize("part", WIDTHS.values(), ids=WIDTHS)
def test_what_is_kept_is_read_and_what_is_not_is_not_made(part):
    text = long_text(part)
    size = sys.getsizeof(text)
    assert kept_utf8(text) is None
    assert sys.getsizeof(text) == size
    have_utf8_made(text)
    found = kept_utf8(text)
    assert found.tobytes() == text.encode()
    assert found.dtype == np.uint8
    assert not found.flags.writeable
    assert np.shares_memory(found, kept_utf8(text))


def test_ascii_is_its_own_utf8():
    text = long_text("plain words ")
    size = sys.getsizeof(text)
    assert kept_utf8(text).tobytes() == text.encode()
    assert sys.getsizeof(text) == size


def test_what_was_read_keeps_the_text():
    text = long_text("plain words ")
    content, count = text.encode(), sys.getrefcount(text)
    found = kept_utf8(text)
    assert sys.getrefcount(text) == count + 1
    del text
    assert found.tobytes() == content


def test_nothing_is_kept_of_what_is_no_plain_text():
    class Name(str):
        __slots__ = ()

    assert kept_utf8(Name(long_text("caf\xe9 "))) is None
    assert kept_utf8(Name(long_text("cafe "))) is None
    assert kept_utf8("") is None
    assert kept_utf8(long_text("caf\xe9 ") + "\ud800") is None


def test_where_nothing_is_known_of_the_header_only_ascii_is_read(monkeypatch):
    monkeypatch.setattr(kept_module, "_place", lambda: None)
    text = long_text("caf\xe9 au lait, ")
    have_utf8_made(text)
    assert kept_utf8(text) is None
    assert kept_utf8("ascii") is not None


@pytest.mark.parametrize(("implementation", "free_threaded"), [("other", 0), ("cpython", 1)])
def test_another_python_is_not_looked_into(monkeypatch, implementation, free_threaded):
    monkeypatch.setattr(kept_module.sys.implementation, "name", implementation)
    monkeypatch.setattr(kept_module.sysconfig, "get_config_var", {"Py_GIL_DISABLED": free_threaded}.get)
    assert kept_module._place.__wrapped__() is None


@on_cpython
def test_a_header_that_is_another_is_found_out(monkeypatch):
    """Words that are where they should be in some texts only, or not there at all, are not trusted."""
    found = iter((48, 48, 40))
    monkeypatch.setattr(kept_module, "_found_in", lambda character: next(found))
    assert kept_module._place.__wrapped__() is None
    monkeypatch.undo()
    monkeypatch.setattr(kept_module, "_asked_for", lambda text: (1, 2))
    assert kept_module._place.__wrapped__() is None


@on_cpython
@pytest.mark.parametrize("name", ["r50k_base", "cl100k_base", "o200k_base", "deepseek"])
def test_counting_makes_none_and_gives_the_same_of_what_is_kept(name, monkeypatch):
    monkeypatch.setattr(text_work, "_SHORT_CHARS", 50)
    monkeypatch.setattr(text_work, "_MANY_BYTES", 200)
    monkeypatch.setattr(text_work, "_LAST_BYTES", 100)
    native = engine.get_encoding(name).open_native(None)
    rng = random.Random(83)
    in_place = 0
    for _ in range(60):
        text = " ".join(odd_text(rng) for _ in range(30)).encode("utf-8", "replace").decode() + "\xe9 "
        chunks = text_cuts().spans(text, 70)
        size = sys.getsizeof(text)
        expected = native.encode(text, chunks).tolist()
        assert native.count(text) == native.count(text, chunks) == len(expected)
        assert sys.getsizeof(text) == size
        have_utf8_made(text)
        in_place += len(text_work._at_once(text, chunks)) == 2
        assert native.encode(text, chunks).tolist() == native.encode(text).tolist() == expected
        assert native.count(text) == native.count(text, chunks) == len(expected)
        if len(chunks) > 1:
            parts = [native.encode(text, chunks[:1]), native.encode(text, chunks[1:])]
            assert np.concatenate(parts).tolist() == expected
    assert in_place > 30


@on_cpython
def test_a_text_without_a_cut_at_its_end_is_taken_as_any_other():
    text = long_text("\xe9")
    have_utf8_made(text)
    assert text_work._at_once(text, None) == ()
    text += " two words" * 10
    have_utf8_made(text)
    assert len(text_work._at_once(text, None)) == 2


@pytest.mark.skipif(not COMPILED, reason="what is not compiled takes minutes for so much")
def test_other_threads_may_have_it_made_meanwhile():
    encoder = ChunkedEncoder(engine.get_encoding("cl100k_base").open_native(None))
    part = WIDTHS["four"]
    expected = encoder.native.count(long_text(part).encode())
    for _ in range(20):
        text = long_text(part)
        other = threading.Thread(target=have_utf8_made, args=(text,))
        other.start()
        found = encoder.count(text)
        other.join()
        assert found == encoder.count(text) == expected
