"""Cancellation hook for long-running pricing work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Between = Callable[[], None]


def _nothing() -> None:
    """Where nobody said anything."""


_between: ContextVar[Between] = ContextVar("between", default=_nothing)


@contextmanager
def resting(between: Between) -> Iterator[None]:
    """Within this, on this thread, all work for which nothing else was said calls ``between``."""
    token = _between.set(between)
    try:
        yield
    finally:
        _between.reset(token)


def go_on() -> None:
    """Call what was said for this thread, if anything was."""
    _between.get()()
