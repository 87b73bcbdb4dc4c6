"""What long work calls between its steps: whoever began it can rest there, or end it by what is raised."""

from __future__ import annotations

from collections.abc import Callable

Between = Callable[[], None]


def go_on() -> None:
    """Nothing is to be done between two steps."""
