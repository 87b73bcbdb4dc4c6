"""The instructions that kernels are made of do what their plain twins say, at the edges of numbers and of memory."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels import primitives
from engine.kernels._jit import COMPILED, kernel

INT64 = st.one_of(
    st.sampled_from([0, 1, -1, 2, 63, 64, -(1 << 63), (1 << 63) - 1, 1 << 62, 0xFFFFFFFF, 1 << 32]),
    st.integers(-(1 << 63), (1 << 63) - 1),
)
PLACES = st.integers(0, 63)
MASK = (1 << 64) - 1


@kernel
def arithmetic(left, right, places):
    return (
        primitives.add_wrapping(left, right),
        primitives.subtract_wrapping(left, right),
        primitives.multiply_wrapping(left, right),
        primitives.shift_left(left, places),
        primitives.shift_right(left, places),
        primitives.clear_lowest(left),
        primitives.trailing_zeros(left),
        primitives.leading_zeros(left),
        primitives.select(left, right, places),
        primitives.fold_multiply(left, right),
    )


@given(INT64, INT64, PLACES)
def test_arithmetic_wraps_at_64_bits(left, right, places):
    text = f"{left & MASK:064b}"
    product = (left & MASK) * (right & MASK)
    expected = (
        primitives.signed(left + right),
        primitives.signed(left - right),
        primitives.signed(left * right),
        primitives.signed(left << places),
        primitives.signed((left & MASK) >> places),
        primitives.signed(left & (left - 1)),
        len(text) - len(text.rstrip("0")),
        len(text) - len(text.lstrip("0")),
        right if left else places,
        primitives.signed(product ^ (product >> 64)),
    )
    assert arithmetic(left, right, places) == expected


@kernel
def loads(array, byte_offset):
    whole = primitives.span(array)
    return (
        primitives.load8(whole, byte_offset),
        primitives.load16(whole, byte_offset),
        primitives.load32(whole, byte_offset),
        primitives.load64(whole, byte_offset),
        primitives.length(whole),
    )


@given(st.binary(min_size=40, max_size=40), st.integers(0, 32))
def test_loads_are_little_endian_at_any_offset(content, offset):
    array = np.frombuffer(content, dtype=np.uint8)
    unsigned = [int.from_bytes(content[offset : offset + width], "little") for width in (1, 2, 4)]
    signed = int.from_bytes(content[offset : offset + 8], "little", signed=True)
    assert loads(array, offset) == (*unsigned, signed, 40)


@kernel
def stores(array, byte_offset, value):
    inside = primitives.part(primitives.span(array), 8, 32)
    primitives.store64(inside, byte_offset, value)
    primitives.store32(inside, byte_offset + 8, value)
    primitives.store8(inside, byte_offset + 12, value)


@given(INT64, st.integers(0, 19))
def test_stores_write_what_they_are_wide_and_nothing_else(value, offset):
    array = np.zeros(64, dtype=np.uint8)
    stores(array, offset, value)
    low = (value & MASK).to_bytes(8, "little")
    expected = bytearray(64)
    expected[8 + offset : 8 + offset + 13] = low + low[:4] + low[:1]
    assert array.tobytes() == bytes(expected)


@kernel
def line_work(lines, keys, numbers, pair):
    lines, keys, numbers = primitives.span(lines), primitives.span(keys), primitives.span(numbers)
    out = primitives.match_keys(lines, 64, keys, 16), primitives.match_pairs(lines, 64, pair)
    return (*out, primitives.smallest_of_16(numbers, 64), primitives.smallest_of_64(numbers, 0))


@given(
    st.lists(INT64, min_size=8, max_size=8),
    st.integers(0, 7),
    st.lists(st.integers(0, (1 << 32) - 1), min_size=64, max_size=64),
)
def test_lines_are_compared_as_a_whole(words, place, numbers):
    line = np.array(words, dtype=np.int64)
    lines = np.concatenate([np.zeros(8, dtype=np.int64), line])
    keys = np.zeros(4, dtype=np.int64)
    keys[2:4] = line[place & 6], line[(place & 6) + 1]
    pair = (words[place] & MASK) >> 20
    values = np.array(numbers, dtype=np.uint32)
    expected_keys = sum(1 << at for at in (0, 2, 4) if words[at : at + 2] == keys[2:4].tolist())
    expected_pairs = sum(1 << at for at in range(8) if (words[at] & MASK) >> 20 == pair)
    result = line_work(lines, keys, values, pair)
    assert result == (expected_keys, expected_pairs, min(numbers[16:32]), min(numbers))


@kernel
def copies(out, source):
    primitives.fill_ones(primitives.span(out), 4)
    primitives.copy_line(primitives.span(out), 132, primitives.span(source), 3)


@kernel
def spread(out, values):
    primitives.spread_ids(primitives.span(out), 12, primitives.span(values), 8)


@given(st.lists(st.integers(0, (1 << 20) - 1), min_size=6, max_size=6), st.integers(0, 15), st.integers(0, 15))
def test_six_ids_of_a_value_are_spread(ids, first_rest, second_rest):
    """Whatever stands in the four highest bits of the two words."""
    words = [ids[at] | ids[at + 1] << 20 | ids[at + 2] << 40 for at in (0, 3)]
    words = [word | rest << 60 for word, rest in zip(words, (first_rest, second_rest), strict=True)]
    values = np.array([0, *words, 0], dtype=np.uint64)
    out = np.full(12, 7, dtype=np.uint32)
    spread(out, values)
    assert out[3:9].tolist() == ids
    assert out[[0, 1, 2, 11]].tolist() == [7] * 4


def test_lines_are_copied_and_filled_at_any_offset():
    out = np.zeros(200, dtype=np.uint8)
    source = np.arange(80, dtype=np.uint8)
    copies(out, source)
    expected = bytearray(200)
    expected[4:68] = b"\xff" * 64
    expected[132:196] = source[3:67].tobytes()
    assert out.tobytes() == bytes(expected)


ACCESSES = """
import numpy as np
from engine.kernels import primitives
from engine.kernels._jit import kernel

@kernel
def access(which, array, offset):
    whole = primitives.span(array)
    inside = primitives.part(whole, 8, 64)
    if which == 0:
        primitives.load8(inside, offset + 63)
    elif which == 1:
        primitives.load64(inside, offset + 56)
    elif which == 2:
        primitives.store32(inside, offset + 60, 7)
    elif which == 3:
        primitives.match_pairs(inside, offset, 1)
    elif which == 4:
        primitives.part(inside, offset, 64)
    elif which == 5:
        primitives.part(inside, 32, 32 + offset)
    elif which == 6:
        primitives.copy_line(inside, offset, whole, 0)
    elif which == 7:
        primitives.spread_ids(inside, offset + 32, whole, 0)
    elif which == 8:
        primitives.spread_ids(whole, 0, inside, offset + 48)

array = np.zeros(200, dtype=np.uint8)
for which in range(9):
    access(which, array, 0)
    for offset in (1, -64):
        try:
            access(which, array, offset)
        except IndexError:
            continue
        raise SystemExit(f"access {which} at {offset} was let through")
"""


@pytest.mark.deep
@pytest.mark.parametrize("variables", [{"TOKENLOUPE_CHECKED": "1"}, {"NUMBA_DISABLE_JIT": "1"}])
def test_the_checked_and_the_uncompiled_build_let_no_access_outside_through(variables):
    environment = {**os.environ, "TOKENLOUPE_KERNEL_CACHE": "", **variables}
    done = subprocess.run(
        [sys.executable, "-c", ACCESSES], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_a_kernel_is_compiled_once_whatever_constants_it_is_called_with():
    @kernel
    def callee(number):
        return number + 1

    @kernel
    def caller(number):
        return callee(1) + callee(2) + callee(number)

    assert caller(3) == 9
    assert len(callee.signatures) == 1
