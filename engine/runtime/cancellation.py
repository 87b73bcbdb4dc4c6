"""Cooperative cancellation of long loops.

The caller of long work sets a check function for its thread, which the work calls regularly. The check raises to cancel
the work, or waits briefly to yield the interpreter to other threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

CancelCheck = Callable[[], None]
"""Called often by long work. Any exception it raises cancels the work."""

ENTRIES = 1024
"""Entries between two checks. Reading and validating a line of a file takes a few microseconds."""

_T = TypeVar("_T")


def _never() -> None:
    """Default check: never cancels."""


_check: ContextVar[CancelCheck] = ContextVar("check", default=_never)


@contextmanager
def cancellable(cancel_check: CancelCheck | None) -> Iterator[None]:
    """Make ``check_cancelled`` and ``interruptible`` call ``cancel_check`` on this thread. None changes nothing."""
    if cancel_check is None:
        yield
        return
    token = _check.set(cancel_check)
    try:
        yield
    finally:
        _check.reset(token)


def is_cancellable() -> bool:
    """Return True if a check is set. Work that would otherwise be one call is then split into steps."""
    return _check.get() is not _never


def check_cancelled() -> None:
    """Call the current check. Raises whatever the check raises."""
    _check.get()()


def interruptible(entries: Iterable[_T], every: int = ENTRIES) -> Iterator[_T]:
    """Yield the entries, calling the check before the first and then every ``every`` entries."""
    cancel_check = _check.get()
    for number, entry in enumerate(entries):
        if number % every == 0:
            cancel_check()
        yield entry
