"""Ask in the middle of long work whether somebody still wants it.

Whoever starts the work sets, for its thread, what is to be asked; loops over many entries ask now and then. What is
asked may raise, which ends the work, or pause for a moment, so that other threads get a turn of the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

StillWanted = Callable[[], None]
"""Called all the time by what takes long; what it raises ends that."""

ENTRIES = 1024
"""After so many entries it is asked again. Reading a line of a file and checking it takes some microseconds."""

_T = TypeVar("_T")


def _nobody_minds() -> None:
    """Where nobody said who is to be asked."""


_asked: ContextVar[StillWanted] = ContextVar("asked", default=_nobody_minds)


@contextmanager
def asking(still_wanted: StillWanted | None) -> Iterator[None]:
    """Within this, on this thread, ``ask`` and ``while_wanted`` call ``still_wanted``; None changes nothing."""
    if still_wanted is None:
        yield
        return
    token = _asked.set(still_wanted)
    try:
        yield
    finally:
        _asked.reset(token)


def is_asked() -> bool:
    """Whether there is somebody to ask, for whom work is divided that would else be done in one call."""
    return _asked.get() is not _nobody_minds


def ask() -> None:
    """Call who is to be asked. Raises what that raises."""
    _asked.get()()


def while_wanted(entries: Iterable[_T], every: int = ENTRIES) -> Iterator[_T]:
    """The same entries; asks before the first of them, and again after so many."""
    still_wanted = _asked.get()
    for number, entry in enumerate(entries):
        if number % every == 0:
            still_wanted()
        yield entry
