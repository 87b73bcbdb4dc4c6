"""Has the garbage collector look at everything while no job runs.

By itself it does so in the middle of whatever makes many objects. A tokenizer file that is being read is a million of
them for a moment, which took 80 to 120 ms on the GUI thread, or on another that kept the interpreter meanwhile. Between
two jobs there are some ten thousand, and it takes as many microseconds.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from gui.interpreter import FULL_ROUNDS

if TYPE_CHECKING:
    from gui.jobs import JobRunner

REST_MS = 400
"""How long no job has run when it begins: a key that is typed, or a picture, comes first."""

MOST_ROUNDS = 20 * FULL_ROUNDS
"""After so many rounds of the younger objects it begins between two jobs even where one follows the other."""


class FullCollection(QObject):
    """Watches the jobs, and runs the collector in full once it is due."""

    def __init__(self, runner: JobRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._runner = runner
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._begin)
        runner.lanes_changed.connect(self._on_lanes_changed)

    @Slot()
    def _on_lanes_changed(self) -> None:
        rounds = gc.get_count()[2]
        if self._runner.busy or rounds < FULL_ROUNDS:
            self._rest.stop()
        elif rounds < MOST_ROUNDS:
            self._rest.start()
        else:
            self._begin()

    @Slot()
    def _begin(self) -> None:
        self._rest.stop()
        gc.collect()
