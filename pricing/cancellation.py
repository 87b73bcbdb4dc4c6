"""Cancellation hook for long-running pricing work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

CancelCheck = Callable[[], None]
"""Called between the steps of long work. Any exception it raises cancels the work. It may also wait."""


def _never() -> None:
    """Default check: never cancels."""


_check: ContextVar[CancelCheck] = ContextVar("cancel_check", default=_never)


@contextmanager
def cancellable(check: CancelCheck) -> Iterator[None]:
    """Make all pricing work on this thread call ``check`` between its steps, unless it gets a check as an argument."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def check_cancelled() -> None:
    """Call the check that ``cancellable`` set for this thread, if any."""
    _check.get()()
