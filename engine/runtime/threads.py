"""Calls in parallel on threads, and modules of the engine in a process of their own."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")
_R = TypeVar("_R")


def in_threads(work: Callable[[_T], _R], items: Sequence[_T], num_threads: int) -> list[_R]:
    """``work`` of each item, in order. What one of them raises is raised, and no further one is begun.

    One of the threads is that which calls: it would only wait, while another is being started. ValueError for less than
    one thread.
    """
    if num_threads < 1:
        raise ValueError(f"num_threads must be 1 or more, not {num_threads}")
    left = deque(enumerate(items))
    results: dict[int, _R] = {}

    def take() -> None:
        while left:
            try:
                index, item = left.popleft()
            except IndexError:
                return  # another thread took the last one
            try:
                results[index] = work(item)
            except BaseException:
                left.clear()
                raise

    others = min(num_threads, len(items)) - 1
    if others < 1:
        take()
    else:
        with ThreadPoolExecutor(others) as pool:
            helpers = [pool.submit(take) for _ in range(others)]
            take()
        for helper in helpers:
            helper.result()
    return [results[index] for index in range(len(items))]


# --- child processes --------------------------------------------------------------------------------------------------


def child_command(module: str, option: str, arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The command that runs ``module`` with these arguments, and its environment. ``option``: of the program, for where
    it is frozen and has no interpreter beside it: makes it do what the module does."""
    if getattr(sys, "frozen", False):
        return [sys.executable, option, *arguments], dict(os.environ)
    # Found where this module was found, whatever folder the program was started in, and nothing else there is.
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    return [sys.executable, "-P", "-m", module, *arguments], environment
