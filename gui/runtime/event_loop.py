"""Calling something in the next turn of the event loop."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer, SignalInstance


def in_next_turn(context: QObject, call: Callable[[], Any] | SignalInstance) -> None:
    """Call a slot, or emit a signal, of ``context`` in the next turn; never, where it has gone by then.

    Not by ``QTimer.singleShot``: where the context goes first, PySide 6.11 keeps what was to be called for good, and a
    method keeps its whole window.
    """
    timer = QTimer(context, singleShot=True)
    timer.timeout.connect(call)
    timer.timeout.connect(partial(QTimer.deleteLater, timer))  # of each connection to a slot of Qt's, 60 bytes stay
    timer.start(0)
