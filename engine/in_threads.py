"""Many calls side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_T = TypeVar("_T")
_R = TypeVar("_R")


def in_threads(work: Callable[[_T], _R], items: Sequence[_T], num_threads: int) -> list[_R]:
    """``work`` of each item, in order. What one of them raises is raised."""
    with ThreadPoolExecutor(num_threads) as pool:
        return list(pool.map(work, items))
