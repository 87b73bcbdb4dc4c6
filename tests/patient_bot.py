"""pytest-qt's ``QtBot`` with the patience of the suite: its own five seconds are over too soon on a busy machine."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat
from typing import Any

from pytestqt.qtbot import QtBot

from tests.patience import PATIENCE_MS


class PatientBot(QtBot):
    """Every wait lasts up to ``PATIENCE_MS`` unless the test asks for less, and ends soon after its condition holds."""

    _pauses: Iterator[int] | None = None  # milliseconds between two looks at a condition

    def waitSignal(self, signal: Any, **options: Any) -> Any:
        return super().waitSignal(signal, **{"timeout": PATIENCE_MS, **options})

    def waitSignals(self, signals: Any, **options: Any) -> Any:
        return super().waitSignals(signals, **{"timeout": PATIENCE_MS, **options})

    def waitUntil(self, callback: Any, **options: Any) -> None:
        # pytest-qt looks every 10 ms. Most of what is waited for takes one or two, and there are thousands of waits.
        before, self._pauses = self._pauses, chain(repeat(1, 20), repeat(3, 20), repeat(10))
        try:
            super().waitUntil(callback, **{"timeout": PATIENCE_MS, **options})
        finally:
            self._pauses = before

    def wait(self, ms: int) -> None:
        super().wait(ms if self._pauses is None else next(self._pauses))

    def waitCallback(self, **options: Any) -> Any:
        return super().waitCallback(**{"timeout": PATIENCE_MS, **options})

    def waitExposed(self, widget: Any, **options: Any) -> Any:
        return super().waitExposed(widget, **{"timeout": PATIENCE_MS, **options})

    def waitActive(self, widget: Any, **options: Any) -> Any:
        return super().waitActive(widget, **{"timeout": PATIENCE_MS, **options})
