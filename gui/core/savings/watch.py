"""How long a search may take, and whether anybody still wants it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import TypeVar

ITEMS_BETWEEN_CHECKS = 512

Item = TypeVar("Item")


class OutOfTime(Exception):
    """A search took longer than it may."""


class Watch:
    """Looked at by everything that goes through a text."""

    def __init__(
        self, seconds: float, check: Callable[[], None] = lambda: None, now: Callable[[], float] = monotonic
    ) -> None:
        """``check`` is called often; what it raises ends the search. ``now``: a clock, in seconds."""
        self._now, self._check = now, check
        self._end = now() + seconds

    def look(self) -> None:
        """Raises OutOfTime, or what the caller's check raises."""
        self._check()
        if self._now() > self._end:
            raise OutOfTime

    def over(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items, with a look every few hundred."""
        for number, item in enumerate(items):
            if number % ITEMS_BETWEEN_CHECKS == 0:
                self.look()
            yield item
