"""Ctrl+C as a wish, not as an exception in the middle of something: it is noticed, and acted on between two steps."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType


class Notice:
    """False until somebody asked to stop. A second Ctrl+C does not wait: it raises KeyboardInterrupt as usual."""

    def __init__(self) -> None:
        self._given = False

    def __bool__(self) -> bool:
        return self._given

    def raise_if_any(self) -> None:
        """Raise KeyboardInterrupt if somebody asked to stop."""
        if self._given:
            raise KeyboardInterrupt

    def take(self, number: int, frame: FrameType | None) -> None:
        """A signal has come."""
        self.raise_if_any()
        self._given = True


@contextlib.contextmanager
def noticed() -> Iterator[Notice]:
    """Notice Ctrl+C, and being asked to end (SIGTERM), as long as the context lasts. On the main thread."""
    notice = Notice()
    before = {number: signal.signal(number, notice.take) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield notice
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
