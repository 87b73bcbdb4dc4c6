"""Calls side by side: all of them, in order, and none begun after one has failed."""

from __future__ import annotations

import threading

import pytest

from engine.runtime.threads import in_threads
from tests.patience import PATIENCE_SECONDS


@pytest.mark.parametrize("num_threads", [1, 2, 3, 8])
@pytest.mark.parametrize("size", [0, 1, 2, 50])
def test_results_are_in_order(num_threads: int, size: int):
    assert in_threads(lambda item: item * item, range(size), num_threads) == [item * item for item in range(size)]


def test_the_thread_that_calls_takes_part():
    """Both have to be there at the same time, or neither call ever ends."""
    both = threading.Barrier(2, timeout=PATIENCE_SECONDS)

    def work(_item: int) -> threading.Thread:
        both.wait()
        return threading.current_thread()

    threads = in_threads(work, [0, 1], 2)
    assert threading.current_thread() in threads
    assert len(set(threads)) == 2


@pytest.mark.parametrize("error", [LookupError, IndexError, KeyboardInterrupt])
@pytest.mark.parametrize("num_threads", [1, 2])
def test_what_one_raises_is_raised_and_no_further_one_begun(error: type[BaseException], num_threads: int):
    begun = []

    def work(item: int) -> None:
        begun.append(item)
        raise error("told")

    with pytest.raises(error, match="told"):
        in_threads(work, range(100), num_threads)
    assert len(begun) <= num_threads


def test_what_another_thread_raises_is_raised():
    mine = threading.current_thread()
    has_failed = threading.Event()

    def work(_item: int) -> None:
        if threading.current_thread() is mine:
            assert has_failed.wait(PATIENCE_SECONDS)
        else:
            has_failed.set()
            raise LookupError("told")

    with pytest.raises(LookupError, match="told"):
        in_threads(work, [0, 1], 2)


def test_less_than_one_thread_is_refused():
    with pytest.raises(ValueError, match="num_threads"):
        in_threads(str, [1], 0)
