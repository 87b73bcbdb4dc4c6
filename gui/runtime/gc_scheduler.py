"""Garbage collection on the GUI thread, and on no other.

Python's cyclic collector runs on whichever thread allocates, and frees Qt objects there. Qt objects must be destroyed
on the thread that they live on: a timer freed on a worker stays in the event loop, which then ends the process. So
automatic collection is off while there are worker threads, and the GUI thread collects between two events:

- young objects by their number, while jobs run with each heartbeat and otherwise once a second;
- everything when no job has run for a moment. It looks at all objects, and between two jobs there are fewest: some
  twenty thousand, which takes 17 to 47 ms. In the middle of a job there are as many as it works on, and the window
  stood still for 100 to 200 ms.

Modules are never garbage, and loading them makes many objects. So nothing is collected until the window has started,
and what exists by then is left out of all later collections (``settle``).
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Slot

if TYPE_CHECKING:
    from gui.runtime.jobs import JobRunner

YOUNG_OBJECTS = 2_000
"""Number of new objects that is worth a collection of those."""

MIDDLE_OBJECTS = 20_000
"""Number of new objects after which the survivors of the last young collections are collected, too."""

FULL_OBJECTS = 1_000_000
"""Number of new objects after which a full collection is due."""

URGENT_OBJECTS = 20 * FULL_OBJECTS
"""Number of new objects after which it no longer waits for a rest, only for the end of a job."""

REST_MS = 400
"""How long no job has run when a full collection starts: a key press or a repaint comes first."""

IDLE_CHECK_MS = 1000
"""Time between two checks while no job runs."""

_YOUNG, _MIDDLE = 0, 1  # the collector's generations

_active: list[GcScheduler] = []
"""The schedulers of all windows; automatic collection is off while there is one."""
_was_enabled = False


class GcScheduler(QObject):
    """Collects garbage for the worker threads of one ``JobRunner``. Automatic collection is off until ``stop``."""

    def __init__(self, runner: JobRunner) -> None:
        super().__init__(runner)
        global _was_enabled  # noqa: PLW0603 - the collector's setting is one of the process
        if not _active:
            _was_enabled = gc.isenabled()
            gc.disable()
        _active.append(self)
        self._runner = runner
        self._settled = False
        self._since_middle = 0
        self._since_full = 0
        self._idle_check = QTimer(self, interval=IDLE_CHECK_MS)
        self._idle_check.setTimerType(Qt.TimerType.VeryCoarseTimer)
        self._idle_check.timeout.connect(self._check)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._collect_all)

    def start(self) -> None:
        """Collect from now on."""
        if not self._idle_check.isActive():
            self._idle_check.start()
            self._runner.heartbeat.beaten.connect(self._check)
            self._runner.lanes_changed.connect(self._check)

    def stop(self) -> None:
        """Collect no more. With the last scheduler automatic collection is as it was before the first."""
        self._idle_check.stop()
        self._rest.stop()
        if self in _active:
            _active.remove(self)
            if not _active and _was_enabled:
                gc.enable()

    @Slot()
    def settle(self) -> None:
        """Leave everything that exists by now, garbage or not, out of all later collections.

        For a process that is this window's alone: when it has started, and when the compiled kernels have brought the
        compiler's modules, which are as many objects again. Young garbage is collected first except at the start,
        where everything is young: that took 30 ms and found 513 of a hundred thousand objects.
        """
        if self._settled:
            gc.collect(_MIDDLE)
        self._settled = True
        gc.freeze()

    @Slot()
    def _check(self) -> None:
        new = gc.get_count()[_YOUNG]
        if new >= YOUNG_OBJECTS:
            self._since_full += new
            self._since_middle += new
            if self._since_middle < MIDDLE_OBJECTS:
                gc.collect(_YOUNG)
            else:
                self._since_middle = 0
                gc.collect(_MIDDLE)
        if self._runner.busy or self._since_full < FULL_OBJECTS:
            self._rest.stop()
        elif self._since_full >= URGENT_OBJECTS:
            self._collect_all()
        elif not self._rest.isActive():
            self._rest.start()

    @Slot()
    def _collect_all(self) -> None:
        self._rest.stop()
        self._since_middle = self._since_full = 0
        gc.collect()
