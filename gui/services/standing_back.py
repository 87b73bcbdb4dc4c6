"""Has the engine and the reading of prices stand back for the GUI thread between the parts of what they do for a job:
``gui.runtime.jobs`` says how."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engine import still_wanted
from pricing.between import resting

__all__ = ["asking"]


@contextmanager
def asking(stand_back: Callable[[], None]) -> Iterator[None]:
    """Within this, on this thread, they call ``stand_back``."""
    with still_wanted.asking(stand_back), resting(stand_back):
        yield
