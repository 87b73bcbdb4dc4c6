"""Tokens in the order of their bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.entries.order import order_of_bytes
from engine.still_wanted import ENTRIES, asking

TOKENS = st.binary(max_size=3) | st.builds(lambda end: b"\0beginning"[: 8 + len(end)] + end, st.binary(max_size=3))


@given(st.lists(TOKENS | st.sampled_from([b"", b"\0", b"a", b"a\0", b"a" * 8, b"a" * 9]), max_size=30))
def test_it_is_that_of_sorted(tokens: list[bytes]) -> None:
    assert order_of_bytes(tokens) == sorted(range(len(tokens)), key=tokens.__getitem__)


def test_whoever_waits_is_let_in_meanwhile() -> None:
    times: list[int] = []
    with asking(lambda: times.append(1)):
        order_of_bytes([b"%d" % number for number in range(3 * ENTRIES)])
    assert len(times) >= 3
