"""A text held in pieces is the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from gui.core import text_chunks
from gui.core.text_chunks import ChunkedText, chunked
from gui.state.storage import WriteRequest, write_now

TEXT = "one 😀\n\ud800 lone, \ufeff two\n" * 20


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_chunks, "CHUNK_CHARACTERS", 7)


def test_it_is_the_text_in_small_pieces():
    text = chunked([TEXT, "", "end"])
    assert text.text() == TEXT + "end"
    assert b"".join(text) == (TEXT + "end").encode("utf-8", "surrogatepass")
    assert max(map(len, text)) <= 7 * 4


def test_strings_are_encoded_when_they_are_gone_through():
    parts = (TEXT, "", "end")
    text = ChunkedText(parts)
    assert [*text] == [*text] == [*chunked(parts)]
    assert text.text() == TEXT + "end"
    assert text.with_crlf().text() == (TEXT + "end").replace("\n", "\r\n")


def test_nothing_is_nothing():
    assert chunked([]) == chunked([""]) == ChunkedText()
    assert ChunkedText().text() == ""


def test_line_ends_become_crlf_wherever_pieces_end():
    assert chunked([TEXT]).with_crlf().text() == TEXT.replace("\n", "\r\n")


def test_it_is_written_as_a_string_would_be(tmp_path: Path):
    write_now(WriteRequest(tmp_path / "pieces", chunked([TEXT])))
    write_now(WriteRequest(tmp_path / "string", TEXT))
    assert (tmp_path / "pieces").read_bytes() == (tmp_path / "string").read_bytes() == b"".join(chunked([TEXT]))
