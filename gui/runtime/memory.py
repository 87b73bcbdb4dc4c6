"""Memory of the process: garbage collection on the GUI thread, and freed memory that goes back to the system.

Python's cyclic collector runs on whichever thread allocates, and frees Qt objects there. Qt objects must be destroyed
on the thread that they live on: a timer freed on a worker stays in the event loop, which then ends the process. So
automatic collection is off while there are worker threads, and the GUI thread collects between two events:

- young objects by their number, while jobs run with each heartbeat and otherwise once a second;
- everything when no job has run for a moment. It looks at all objects, and between two jobs there are fewest: some
  twenty thousand, which takes 17 to 47 ms. In the middle of a job there are as many as it works on, and the window
  stood still for 100 to 200 ms.

Modules are never garbage, and loading them makes many objects. So nothing is collected until the window has started,
and what exists by then is left out of all later collections (``settle``).

Counting ten megabytes in half a dozen encodings takes buffers of a hundred megabytes for a moment. The C library keeps
what it was given back, for the next time; glibc can be asked to let go of it. It cannot where something small lies
behind it, so big blocks are kept apart from small ones. The encoders keep the words that they have seen, each of them
up to 23 MB. And the pages of files that were read through a map count as memory of the process until they are let go
of. All of that is given back when it is of no use for now.
"""

from __future__ import annotations

import functools
import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Slot

if TYPE_CHECKING:
    import ctypes
    from collections.abc import Callable

    from gui.prompt.counting_service import PromptCounts
    from gui.prompt.prompt import Prompt
    from gui.runtime.jobs import JobResult, JobRunner, Ticket

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


NOTABLE_UNITS = 1_000_000
"""By how many UTF-16 units a text must grow or shrink to be worth the effort."""

AFTERMATH_MS = 8000
"""When to ask once more: by then the session has been saved, which takes a copy or two of the text for a moment."""

IDLE_MS = 3000
"""How long no job has run when work is taken to be over."""

NOTABLE_BYTES = 32_000_000
"""By how much more memory than after the last time is worth the effort."""

BIG_BLOCK_BYTES = 1 << 20
"""Blocks of this size and larger go back to the system as soon as they are free."""

_M_MMAP_THRESHOLD = -3  # of glibc's malloc.h
_M_ARENA_MAX = -8
_ARENAS = 1
"""Room for small blocks, for all threads. With one more for the workers some fifty megabytes could not be given back
after a quarter of an hour of all kinds of work, since blocks that stay lay among those that went; with one, a megabyte.
"""

_STATM = Path("/proc/self/statm")


@functools.cache
def _c_library() -> ctypes.CDLL:
    """The C library. Once: each ``CDLL`` makes classes that only a full collection frees."""
    import ctypes

    return ctypes.CDLL(None)


def keep_big_blocks_apart() -> bool:
    """Have the C library map each big block by itself. False where it cannot be told. To be called before there are
    threads, Qt's among them: room of its own that one already has stays, and is shared by those that come.

    glibc begins with that, and gives it up for good at the first big block that is freed: the holes that blocks of
    megabytes leave between small ones then add up to half of a big text. Threads get no room of their own for small
    ones, either, which would have holes of its own.
    """
    if not sys.platform.startswith("linux"):
        return False
    library = _c_library()
    if not hasattr(library, "mallopt"):
        return False
    arenas = library.mallopt(_M_ARENA_MAX, _ARENAS)
    return bool(library.mallopt(_M_MMAP_THRESHOLD, BIG_BLOCK_BYTES) and arenas)


def resident_bytes() -> int:
    """Memory that this process holds; 0 where the system does not tell, as only Linux does at no cost."""
    try:
        return int(_STATM.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def return_memory(release: Callable[[], None], _request: object, _ticket: Ticket) -> bool:
    """Let go of what comes back by itself, and ask the C library for what is free. False where it cannot be asked."""
    release()
    if not sys.platform.startswith("linux"):
        return False
    library = _c_library()  # calls release the interpreter: the window does not wait
    if not hasattr(library, "malloc_trim"):  # musl has none, and keeps less
        return False
    library.malloc_trim(0)
    return True


class MemoryReturn(QObject):
    """Watches the text, and returns memory once it was counted as a whole: another one, or the same in another way.
    And watches the jobs, and returns memory once they are done, where there is seen to be more than after the last
    time: on Linux, that is."""

    def __init__(self, prompt: Prompt, runner: JobRunner, release: Callable[[], None], parent: QObject) -> None:
        """``release``: lets go of what comes back where it is used, such as caches, on any thread."""
        super().__init__(parent)
        self._runner = runner
        self._lane = runner.conflated(self.tr("Returning memory"), functools.partial(return_memory, release))
        self._lane.finished.connect(self._on_returned)
        self._rested = resident_bytes()
        self._idle = QTimer(self, singleShot=True, interval=IDLE_MS)
        self._idle.timeout.connect(self._on_idle)
        runner.lanes_changed.connect(self._on_lanes_changed)
        self._editor = prompt.editor
        self._units = 0
        self._read_as = ("", False)
        self._aftermath = QTimer(self, singleShot=True, interval=AFTERMATH_MS)
        self._aftermath.timeout.connect(self.begin)
        prompt.counted.connect(self._on_counted)

    @Slot(object)
    def _on_counted(self, counts: PromptCounts) -> None:
        if not counts.complete:
            return
        units = counts.statistics.utf16_units
        read_as = (counts.encoding, counts.counted_as_stored)
        counted_anew = read_as != self._read_as and units > NOTABLE_UNITS
        self._read_as = read_as
        if counted_anew or abs(units - self._units) > NOTABLE_UNITS:
            self._units = units
            if not self._editor.is_loading:  # the rest of it would need again what is let go of now
                self.begin()
            self._aftermath.start()

    @Slot()
    def _on_lanes_changed(self) -> None:
        if self._runner.busy:
            self._idle.stop()
        else:
            self._idle.start()

    @Slot()
    def _on_idle(self) -> None:
        now = resident_bytes()
        if now > self._rested + NOTABLE_BYTES:
            self.begin()
        else:
            self._rested = min(self._rested, now)

    @Slot(object)
    def _on_returned(self, _result: JobResult) -> None:
        self._rested = resident_bytes()

    @Slot()
    def begin(self) -> None:
        """Return memory now."""
        self._lane.submit(self._units)
