"""Has the garbage collector look at everything while no job runs.

By itself it did so in the middle of whatever made many objects, and held the window for 100 to 200 ms: that is as many
as a job is working on, or has just left. Between two jobs there are some twenty thousand, and it took 17 to 47 ms.
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
