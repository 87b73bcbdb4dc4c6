"""Sums in parts are those of numpy, and others are asked between the parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.runtime.cancellation import cancellable
from engine.text import offsets as module
from engine.text.offsets import running_sums, running_sums_at, running_sums_of

NUMBERS = st.lists(st.integers(-100, 100), max_size=40)


@given(NUMBERS, st.integers(1, 9))
def test_they_are_those_of_numpy(numbers: list[int], at_a_time: int) -> None:
    array = np.array(numbers, dtype=np.int8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "AT_A_TIME", at_a_time)
        sums = running_sums(array, np.empty(len(array), dtype=np.int64))
        parts = running_sums_of(len(array), lambda start, stop: array[start:stop] > 0, np.empty(len(array), np.int32))
        chosen = running_sums_at(array, np.arange(len(array))[::-1])
    assert sums.tolist() == np.cumsum(array, dtype=np.int64).tolist()
    assert chosen.tolist() == np.cumsum(array[::-1], dtype=np.int64).tolist()
    assert parts.tolist() == np.cumsum(array > 0).tolist()


def test_whoever_waits_is_let_in_between_the_parts() -> None:
    times = []
    with cancellable(lambda: times.append(1)):
        running_sums(np.ones(3 * module.AT_A_TIME, dtype=np.int8), np.empty(3 * module.AT_A_TIME, dtype=np.int32))
    assert len(times) == 3
