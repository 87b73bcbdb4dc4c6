"""Pieces of a big text make it up, whatever it is and however it came."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gui.editor import text_transfer
from gui.editor.text_transfer import StringSource, TextSource, Utf8Source

Make = Callable[[str], TextSource]
SOURCES = {
    "string": StringSource,
    "utf-8": lambda text: Utf8Source(memoryview(text.encode())),
}
texts = st.text(st.sampled_from("a\r\né\u2028中\ufeff😀\0") | st.characters(exclude_categories=["Cs"]), max_size=60)


@pytest.fixture(params=SOURCES)
def make(request, monkeypatch) -> Make:
    monkeypatch.setattr(text_transfer, "CHUNK", 3)
    return SOURCES[request.param]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=texts)
def test_pieces_make_up_the_text(make: Make, text: str) -> None:
    source = make(text)
    assert source.size == source.left == len(text if isinstance(source, StringSource) else text.encode())
    pieces: list[str] = []
    while source.left:
        assert "".join([*pieces, *source.rest()]) == text
        left = source.left
        source.drop()
        assert source.left == left
        pieces.append(source.next())
        assert pieces[-1]
        assert all(len(piece) <= 5 for piece in source.rest()), "a bounded piece at a time"
        assert source.left < left
    assert source.next() == "".join(source.rest()) == ""
    assert "".join(pieces) == text
    assert not any(piece.endswith("\r") and behind.startswith("\n") for piece, behind in pairwise(pieces))


@given(data=st.binary(max_size=40) | texts.map(lambda text: text.encode("utf-16-le")))
def test_what_is_no_utf_8_is_replaced(data: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_transfer, "CHUNK", 3)
        source = Utf8Source(memoryview(data))
        assert "".join(iter(source.next, "")) == data.decode("utf-8", "replace")


def test_a_string_that_is_let_go_of_goes(monkeypatch) -> None:
    monkeypatch.setattr(text_transfer, "CHUNK", 10)
    source = StringSource("x" * 95)
    for _ in range(10):
        source.drop()
    assert source._whole == ""
    assert "".join(source.rest()) == "x" * 95
