"""pytest-qt's ``QtBot`` with the patience of the suite: its own five seconds are over too soon on a busy machine."""

from __future__ import annotations

from typing import Any

from pytestqt.qtbot import QtBot

from tests.patience import PATIENCE_MS


class PatientBot(QtBot):
    """Every wait lasts up to ``PATIENCE_MS`` unless the test asks for less."""

    def waitSignal(self, signal: Any, **options: Any) -> Any:
        return super().waitSignal(signal, **{"timeout": PATIENCE_MS, **options})

    def waitSignals(self, signals: Any, **options: Any) -> Any:
        return super().waitSignals(signals, **{"timeout": PATIENCE_MS, **options})

    def waitUntil(self, callback: Any, **options: Any) -> None:
        super().waitUntil(callback, **{"timeout": PATIENCE_MS, **options})

    def waitCallback(self, **options: Any) -> Any:
        return super().waitCallback(**{"timeout": PATIENCE_MS, **options})

    def waitExposed(self, widget: Any, **options: Any) -> Any:
        return super().waitExposed(widget, **{"timeout": PATIENCE_MS, **options})

    def waitActive(self, widget: Any, **options: Any) -> Any:
        return super().waitActive(widget, **{"timeout": PATIENCE_MS, **options})
