"""The kernel that checks UTF-8 says what Python's decoder says."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels._jit import COMPILED
from engine.text.offsets import is_utf8
from engine.training.counting import is_valid
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.skipif(not COMPILED, reason="only the compiled kernel reads blocks")

EDGES = (0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF)
EDGES += (0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF)
"""Bytes at both sides of every limit of UTF-8."""


@pytest.mark.parametrize("before", mostly_deep([0, 1, 60, 61, 62, 63, 64, 127], 2))
def test_every_sequence_of_limits(before):
    """Up to three bytes, alone and with one that continues behind them, at all places where a block may end."""
    for size in (1, 2, 3):
        for found in itertools.product(EDGES, repeat=size):
            for behind in (b"", b"\x80", b"a"):
                content = b"x" * before + bytes(found) + behind
                assert is_valid(content) == is_utf8(content), content[before:]


@given(
    st.lists(
        st.one_of(
            st.text(st.characters(codec="utf-8"), max_size=30).map(str.encode),
            st.binary(max_size=3),
            st.just(b"a" * 64),
        )
    )
)
def test_any_bytes(parts):
    content = b"".join(parts)
    assert is_valid(content) == is_utf8(content)


def test_every_code_point():
    whole = "".join(chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000).encode()
    assert is_valid(whole)
    assert not is_valid(whole[:-1])
    assert not is_valid(whole + b"\xed\xa0\x80")
