"""Memory of the process: garbage collection on the GUI thread, and return of freed memory to the system.

Python's cyclic collector runs on whichever thread allocates, and destroys Qt objects there. Qt objects must be
destroyed on their own thread: a timer freed on a worker stays in the event loop, which then crashes. So automatic
collection is off while there are worker threads, and the GUI thread collects between two events:

- young objects by their number, on each heartbeat while jobs run and otherwise once a second;
- all objects when no job has run for a moment. A full collection visits every object, and between jobs there are
  fewest: some twenty thousand, which takes 17 to 47 ms. During a job there are also those that it works on, and the
  window froze for 100 to 200 ms.

Modules are never garbage, and importing them creates many objects. So nothing is collected until the window has
started, and objects that exist by then are excluded from all later collections (``settle``).

Counting ten megabytes in half a dozen encodings briefly takes buffers of a hundred megabytes. The C library keeps freed
memory for reuse; glibc can be asked to return it, but not below a small block still in use, so big blocks are kept
apart from small ones. Encoders cache the words they have seen, up to 23 MB each. And the pages of memory-mapped files
count as memory of the process until they are released. All of this is returned when it is not needed.
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


# --- garbage collection -----------------------------------------------------------------------------------------------

YOUNG_OBJECTS = 2_000
"""Number of new objects that triggers a young collection."""

MIDDLE_OBJECTS = 20_000
"""Number of new objects after which survivors of young collections are collected too."""

FULL_OBJECTS = 1_000_000
"""Number of new objects after which a full collection is due."""

URGENT_OBJECTS = 20 * FULL_OBJECTS
"""Number of new objects after which a full collection waits only for the end of a job, not for a rest."""

REST_MS = 400
"""How long no job must have run before a full collection, so that key presses and repaints come first."""

IDLE_CHECK_MS = 1000
"""Interval of checks while no job runs."""

_YOUNG, _MIDDLE = 0, 1  # generations of the collector

_active: list[GcScheduler] = []
"""Schedulers of all windows; automatic collection is off while there is one."""
_was_enabled = False


class GcScheduler(QObject):
    """Garbage collection for the worker threads of one ``JobRunner``. Automatic collection is off until ``stop``."""

    def __init__(self, runner: JobRunner) -> None:
        super().__init__(runner)
        global _was_enabled  # noqa: PLW0603 - the collector's setting is process-wide
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
        """Start collecting."""
        if not self._idle_check.isActive():
            self._idle_check.start()
            self._runner.heartbeat.beaten.connect(self._check)
            self._runner.lanes_changed.connect(self._check)

    def stop(self) -> None:
        """Stop collecting. The last scheduler to stop restores the setting of automatic collection."""
        self._idle_check.stop()
        self._rest.stop()
        if self in _active:
            _active.remove(self)
            if not _active and _was_enabled:
                gc.enable()

    @Slot()
    def settle(self) -> None:
        """Exclude all existing objects, garbage or not, from later collections.

        Only for a process with a single window: when it has started, and when the compiled kernels have imported the
        compiler, which doubles the number of objects. Young garbage is collected first, except at the start, when
        everything is young: that took 30 ms and freed 513 of a hundred thousand objects.
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


# --- return of memory -------------------------------------------------------------------------------------------------

NOTABLE_UNITS = 1_000_000
"""Minimum change of the text size after which memory is returned, in UTF-16 units."""

AFTERMATH_MS = 8000
"""Delay of a second return: by then the session has been saved, which briefly copies the text once or twice."""

IDLE_MS = 3000
"""How long no job must have run before work counts as finished."""

NOTABLE_BYTES = 32_000_000
"""Minimum growth since the last return after which memory is returned."""

BIG_BLOCK_BYTES = 1 << 20
"""Minimum size of blocks that are returned to the system when freed."""

_M_MMAP_THRESHOLD = -3  # from glibc's malloc.h
_M_ARENA_MAX = -8
_ARENAS = 1
"""Number of malloc arenas, for all threads. With a second one for the workers, some fifty megabytes could not be
returned after a quarter of an hour of mixed work, since live blocks lay between freed ones; with one arena, one
megabyte."""

_STATM = Path("/proc/self/statm")


@functools.cache
def _c_library() -> ctypes.CDLL:
    """Return the C library. Cached: each ``CDLL`` creates classes that only a full collection frees."""
    import ctypes

    return ctypes.CDLL(None)


def keep_big_blocks_apart() -> bool:
    """Make the C library map each big block separately. Returns False if unsupported. Call it before any thread starts,
    including Qt's: an existing arena of a thread stays, and later threads share it.

    glibc does this at first but stops at the first big block that is freed: the holes that blocks of megabytes leave
    between small ones then add up to half of a big text. Threads get no arenas of their own either, which would have
    further holes.
    """
    if not sys.platform.startswith("linux"):
        return False
    library = _c_library()
    if not hasattr(library, "mallopt"):
        return False
    arenas = library.mallopt(_M_ARENA_MAX, _ARENAS)
    return bool(library.mallopt(_M_MMAP_THRESHOLD, BIG_BLOCK_BYTES) and arenas)


def resident_bytes() -> int:
    """Return the resident memory of this process, in bytes; 0 if unknown, as only Linux reports it cheaply."""
    try:
        return int(_STATM.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def return_memory(release: Callable[[], None], _request: object, _ticket: Ticket) -> bool:
    """Release rebuildable caches and make the C library return free memory. Returns False if unsupported."""
    release()
    if not sys.platform.startswith("linux"):
        return False
    library = _c_library()  # ctypes releases the GIL during calls, so the window does not wait
    if not hasattr(library, "malloc_trim"):  # missing in musl, which keeps less
        return False
    library.malloc_trim(0)
    return True


class MemoryReturn(QObject):
    """Trigger for returning memory: after a text was counted completely, be it another text or another encoding.

    On Linux it also returns memory when all jobs are done, if usage has grown since the last return.
    """

    def __init__(
        self,
        prompt: Prompt,
        runner: JobRunner,
        release: Callable[[], None],
        release_here: Callable[[], None],
        parent: QObject,
    ) -> None:
        """``release``: drops whatever is restored on use, such as caches. Thread-safe. ``release_here``: the same for
        what belongs to the GUI thread; not called while jobs run or the user types."""
        super().__init__(parent)
        self._runner = runner
        self._release_here = release_here
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
        self._aftermath.timeout.connect(self.begin_at_rest)
        prompt.counted.connect(self._on_counted)
        self._typing = QTimer(self, singleShot=True, interval=IDLE_MS)
        prompt.editor.typing.connect(self._typing.start)

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
            if not self._editor.is_loading:  # the rest of a loading text would need again what is released now
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
            self.begin_at_rest()
        else:
            self._rested = min(self._rested, now)

    @Slot(object)
    def _on_returned(self, _result: JobResult) -> None:
        self._rested = resident_bytes()

    @Slot()
    def begin_at_rest(self) -> None:
        """Return memory now; also that of the GUI thread, which takes 8 ms, unless jobs run or the user types."""
        if not self._runner.busy and not self._typing.isActive():
            self._release_here()
        self.begin()

    @Slot()
    def begin(self) -> None:
        """Return memory now."""
        self._lane.submit(self._units)
