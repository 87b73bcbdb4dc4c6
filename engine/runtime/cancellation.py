"""Cooperative cancellation of long loops.

The caller of long work sets, for its thread, a function that is called now and then: it raises to cancel the work, or
waits for a moment so that other threads get a turn of the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

CancelCheck = Callable[[], None]
"""Called often by long work; what it raises cancels the work."""

ENTRIES = 1024
"""Entries between two checks. Reading a line of a file and validating it takes some microseconds."""

_T = TypeVar("_T")


def _never() -> None:
    """Default check: never cancels."""


_check: ContextVar[CancelCheck] = ContextVar("check", default=_never)


@contextmanager
def cancellable(cancel_check: CancelCheck | None) -> Iterator[None]:
    """Have ``check_cancelled`` and ``interruptible`` call ``cancel_check`` on this thread; None changes nothing."""
    if cancel_check is None:
        yield
        return
    token = _check.set(cancel_check)
    try:
        yield
    finally:
        _check.reset(token)


def is_cancellable() -> bool:
    """Return True if a check is set, for which work is divided that else would be done in one call."""
    return _check.get() is not _never


def check_cancelled() -> None:
    """Call the check that is set. Raises what that raises."""
    _check.get()()


def interruptible(entries: Iterable[_T], every: int = ENTRIES) -> Iterator[_T]:
    """Yield the same entries; call the check before the first of them, and again after ``every`` entries."""
    cancel_check = _check.get()
    for number, entry in enumerate(entries):
        if number % every == 0:
            cancel_check()
        yield entry
