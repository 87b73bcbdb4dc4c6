"""Parallel calls on threads, and engine modules in child processes."""

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
    """Return ``work`` of each item, in order. If a call raises, no further item is started and the error is raised.

    The calling thread works too; it would otherwise only wait while another thread starts. Raises ValueError if
    ``num_threads`` is less than 1.
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
    """Return the command that runs ``module`` with these arguments, and its environment. ``option``: the program's
    option that does the same in a frozen build, which has no separate interpreter."""
    if getattr(sys, "frozen", False):
        return [sys.executable, option, *arguments], dict(os.environ)
    # Import only from where this module was found, whatever the working directory.
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    return [sys.executable, "-P", "-m", module, *arguments], environment
