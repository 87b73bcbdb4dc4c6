"""Registry of the engine's rebuildable caches, and dropping them while the program is idle.

An encoder that has counted ten megabytes has seen 200,000 words and keeps them with their tokens, so the next text is
counted in half the time. A program that runs beside others should not hold that for a dozen encodings. Whatever
is let go of here is made again in milliseconds when it is needed.
"""

from __future__ import annotations

import threading
import weakref
from typing import Protocol


class Keeper(Protocol):
    """Holds something that it can rebuild."""

    def let_go(self) -> None:
        """Hold it no longer. Called on any thread, while others may be using what is held."""


_keepers: weakref.WeakSet[Keeper] = weakref.WeakSet()
_lock = threading.Lock()


def add(keeper: Keeper) -> None:
    """Have ``let_go_of_all`` ask this one, too, for as long as anybody else knows it."""
    with _lock:
        _keepers.add(keeper)


def let_go_of_all() -> None:
    """Have all of them let go of what they hold. Safe from any thread."""
    with _lock:
        keepers = list(_keepers)
    for keeper in keepers:
        keeper.let_go()
