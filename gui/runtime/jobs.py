"""Worker threads of the window; it has no others.

A *job* is a plain callable ``work(request, ticket) -> value``. It runs on a worker thread, reads only the immutable
``request``, touches no widget, and reports through its ``ticket``. A *lane* runs the jobs of one kind, one at a time,
and delivers every result to the GUI thread:

- a **conflated** lane (counting, filtering, pricing) keeps at most one waiting request. A newer request replaces it, or
  is combined with it by ``merge``. A newer request never interrupts the running job, so results keep arriving during
  continuous typing; each carries its request, and with it the revision.
- an **exclusive** lane (training, scanning) queues requests in order; only the user cancels them. A lane that is not
  stoppable (writing files) finishes all its requests, even while the window closes: half of a file is useless.

No exception of a job is lost: ``failed`` carries it, including ``BaseException`` (Rust extension modules panic with
one). Worker threads emit only private signals of objects that live on the GUI thread; these are connected to slots of
the same objects, which emit the public signals.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import os
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from engine.runtime import cancellation
from gui.runtime.event_loop import GuiMonitor, OneATurn
from gui.runtime.memory import GcScheduler
from pricing.cancellation import cancellable

PROGRESS_INTERVAL_SECONDS = 0.05
"""Minimum interval between two progress reports of a job: more frequent ones are invisible and only load the GUI
thread."""

MAX_THREADS = 64
"""Maximum number of worker threads. Larger than the number of lanes, so that no lane waits for another, such as a save
for a training. Threads are created on demand."""

PROCESSORS = os.cpu_count() or 1

SWITCH_INTERVAL_SECONDS = 0.0005
"""GIL switch interval: how long a worker may keep the GIL while the GUI thread waits for it. Python's default is ten
times that; with one or two busy workers, a key press would wait for most of a frame. A shorter interval does not help:
at 0.1 ms keys were painted no sooner, at 0.03 ms later, because of the switching."""

EDIT_PRIORITY_MS = 15
"""Time for which the GUI thread has priority after an edit, in milliseconds. By then the edit and its tokens are
usually painted; a key that is held down repeats after twice that time."""

MAX_YIELD_SECONDS = 0.5
"""Maximum total time a job yields to edits; prices must appear even while the user types."""

Work = Callable[[Any, "Ticket"], Any]
Merge = Callable[[Any, Any], Any]


class JobCancelled(Exception):
    """Raised inside a job by ``Ticket.progress`` after cancellation."""


@dataclass(frozen=True, slots=True)
class JobResult:
    """The value returned by a job, with its request."""

    request: Any
    value: Any


@dataclass(frozen=True, slots=True)
class JobFailure:
    """The exception raised by a job, with its request."""

    request: Any
    error: BaseException

    @property
    def why(self) -> str:
        """Reason as a sentence fragment, never empty."""
        if isinstance(self.error, OSError) and self.error.strerror:
            return self.error.strerror
        return str(self.error) or type(self.error).__name__


@dataclass(frozen=True, slots=True)
class JobProgress:
    """Progress of a job: ``fraction`` from 0 to 1 (negative if unknown), ``note`` describes the current step."""

    request: Any
    fraction: float
    note: str


class Ticket:
    """Handle of a running job: for progress reports, cancellation, yielding to the GUI thread and helper threads."""

    def __init__(
        self,
        report: Callable[[float, str], None],
        pool: ThreadPoolExecutor | None = None,
        free_to_run: threading.Event | None = None,
        heartbeat: GuiMonitor | None = None,
    ) -> None:
        """``pool``: provides helper threads; None for no help. ``free_to_run``: set while jobs need not yield to edits;
        None for never.

        ``heartbeat``: heartbeat of the GUI thread, to which the job yields while it is late.
        """
        self._report = report
        self._pool = pool
        self._free_to_run = free_to_run
        self._heartbeat = heartbeat
        self._never_set = threading.Event()  # never set; used to sleep
        self._yield_seconds = MAX_YIELD_SECONDS
        self._cancelled = False
        self._reported_at = 0.0

    @property
    def cancelled(self) -> bool:
        """True if cancellation was requested."""
        return self._cancelled

    def cancel(self) -> None:
        """Request cancellation. Thread-safe."""
        self._cancelled = True

    def progress(self, fraction: float, note: str = "") -> None:
        """Report progress, and yield while the GUI thread is busy. Raises JobCancelled after cancellation."""
        if self._cancelled:
            raise JobCancelled
        self.wait_while_busy()
        now = time.monotonic()
        if now - self._reported_at >= PROGRESS_INTERVAL_SECONDS:
            self._reported_at = now
            self._report(fraction, note)

    def yield_to_gui(self) -> None:
        """Yield to the GUI thread until the last edit is painted. For pure-Python jobs that can wait.

        Python runs one thread at a time. Next to a job that never releases the GIL, the GUI thread waits for it after
        each call into Qt that releases it; a key press makes dozens of these and was painted three times as late.
        """
        if self._free_to_run is not None and self._yield_seconds > 0 and not self._free_to_run.is_set():
            since = time.monotonic()
            self._free_to_run.wait(self._yield_seconds)
            self._yield_seconds -= time.monotonic() - since
        self.wait_while_busy()

    def wait_while_busy(self) -> None:
        """Yield while the GUI thread is busy. For any job, wherever it holds no lock.

        Engine functions call this automatically, between the entries and chunks of large data.
        """
        if self._heartbeat is not None:
            self._heartbeat.wait_while_late(self._never_set.wait)

    def side_by_side(self, tasks: Sequence[Callable[[], None]]) -> None:
        """Run the tasks on as many threads as there are processors, including this one, and return when all are done.

        An exception of a task is raised; tasks not yet started are dropped.
        """
        left = deque(tasks)

        def take() -> None:
            while left:
                try:
                    task = left.popleft()
                except IndexError:
                    return  # another thread took the last task
                try:
                    task()
                except BaseException:
                    left.clear()
                    raise

        helpers: list[Future[None]] = []
        if self._pool is not None:
            with contextlib.suppress(RuntimeError):  # the pool is shut down while the window closes
                for _ in range(min(len(tasks), PROCESSORS) - 1):
                    helpers.append(self._pool.submit(contextvars.copy_context().run, take))
        try:
            take()
        finally:
            begun = [helper for helper in helpers if not helper.cancel()]
            wait(begun)
        for helper in begun:
            helper.result()


class Lane(QObject):
    """Queue and runner for jobs of one kind, one at a time.

    Signals, all emitted on the GUI thread:

    ``finished(JobResult)``, ``failed(JobFailure)``, ``cancelled(object)`` with the unanswered request,
    ``progressed(JobProgress)``, ``busy_changed(bool)``.
    """

    finished = Signal(object)
    failed = Signal(object)
    cancelled = Signal(object)
    progressed = Signal(object)
    busy_changed = Signal(bool)

    _returned = Signal(object, object)
    _reported = Signal(object)

    def __init__(
        self,
        name: str,
        work: Work,
        runner: JobRunner,
        *,
        merge: Merge | None = None,
        conflated: bool = False,
        stoppable: bool = True,
        hidden: bool = False,
    ) -> None:
        super().__init__(runner)
        self.name, self.stoppable, self.hidden = name, stoppable, hidden
        self.last_progress: JobProgress | None = None
        self._work, self._merge, self._conflated = work, merge, conflated
        self._pool, self._free_to_run = runner.pool, runner.free_to_run
        self._heartbeat, self._deliveries = runner.heartbeat, runner.deliveries
        self._waiting: deque[Any] = deque()
        self._ticket: Ticket | None = None
        self._running: Future[JobResult | JobFailure] | None = None
        self._closed = False
        self._returned.connect(self._on_returned)
        self._reported.connect(self._on_reported)

    @property
    def busy(self) -> bool:
        """True if a job is running or waiting."""
        return self._ticket is not None

    def submit(self, request: object) -> None:
        """Run a job for ``request`` now, or as soon as the lane's policy permits."""
        if self._closed:
            return
        if self._ticket is None:
            self._start(request)
            self.busy_changed.emit(True)
        elif self._conflated and self._waiting:
            waiting = self._waiting.pop()
            self._waiting.append(self._merge(waiting, request) if self._merge else request)
        else:
            self._waiting.append(request)

    def cancel(self) -> None:
        """Drop waiting requests and cancel the running job. Emits ``cancelled`` for each request without a result.

        A no-op if the lane is not stoppable.
        """
        if not self.stoppable:
            return
        dropped = list(self._waiting)
        self._end()
        for request in dropped:
            self.cancelled.emit(request)

    def _end(self) -> None:
        self._waiting.clear()
        if self._ticket is not None:
            self._ticket.cancel()

    def drain(self) -> None:
        """Wait until all requests are done, and deliver their results. Blocks the GUI thread.

        Only for the closing of the window, and for lanes whose jobs end by themselves.
        """
        self._free_to_run.set()
        self._heartbeat.stop()
        while self._ticket is not None and self._running is not None and not self._closed:
            self._deliver(self._ticket, self._running.result())

    def close(self) -> None:
        """Accept no more requests and deliver no more results. Waiting requests are dropped, or run if the lane is not
        stoppable."""
        self._closed = True
        if self.stoppable:
            self._end()
        elif self._running is not None:
            self._pool.submit(self._run_rest, self._running, tuple(self._waiting))
            self._waiting.clear()

    def _start(self, request: object) -> None:
        def report(fraction: float, note: str) -> None:
            self._reported.emit(JobProgress(request, fraction, note))

        self._ticket = ticket = Ticket(report, self._pool, self._free_to_run, self._heartbeat)
        self._running = self._pool.submit(self._run, request, ticket)

    def _run(self, request: object, ticket: Ticket) -> JobResult | JobFailure:
        """Run a job. On a worker thread."""
        outcome: JobResult | JobFailure
        try:
            with cancellation.cancellable(ticket.wait_while_busy), cancellable(ticket.wait_while_busy):
                outcome = JobResult(request, self._work(request, ticket))
        except BaseException as error:  # noqa: BLE001 - delivered to the GUI thread, never swallowed
            _release_locals(error)
            outcome = JobFailure(request, error)
        self._returned.emit(ticket, outcome)
        return outcome

    def _run_rest(self, running: Future[JobResult | JobFailure], requests: tuple[object, ...]) -> None:
        """Run the remaining requests of a closed lane, on a worker thread. No receiver is left for failures."""
        running.result()
        for request in requests:
            self._run(request, Ticket(_ignore_progress))

    @Slot(object)
    def _on_reported(self, progress: JobProgress) -> None:
        if not self._closed and self._ticket is not None:
            self.last_progress = progress
            self.progressed.emit(progress)

    @Slot(object, object)
    def _on_returned(self, ticket: Ticket, outcome: JobResult | JobFailure) -> None:
        self._deliveries.call(functools.partial(self._deliver, ticket, outcome))

    def _deliver(self, ticket: Ticket, outcome: JobResult | JobFailure) -> None:
        if self._closed or ticket is not self._ticket:
            return  # already delivered by ``drain``
        # Start the next job before delivering the result: receivers may be slow, and the worker need not wait for them.
        self.last_progress = None
        self._ticket = self._running = None
        if self._waiting:
            self._start(self._waiting.popleft())
        if isinstance(outcome, JobResult):
            self.finished.emit(outcome)
        elif isinstance(outcome.error, JobCancelled):
            self.cancelled.emit(outcome.request)
        else:
            self.failed.emit(outcome)
        if self._ticket is None and not self._closed:
            self.busy_changed.emit(False)


class NewestRequest(QObject):
    """The newest request to a lane: answers to older ones are dropped.

    Signals: ``answered(object)`` with the value, ``failed(str)`` with the reason, ``cancelled(object)`` with the
    request, ``progressed(float, str)`` with fraction and note.
    """

    answered = Signal(object)
    failed = Signal(str)
    cancelled = Signal(object)
    progressed = Signal(float, str)

    def __init__(self, lane: Lane) -> None:
        super().__init__(lane)
        self._lane = lane
        self._request: object = None
        lane.finished.connect(self._on_finished)
        lane.failed.connect(self._on_failed)
        lane.cancelled.connect(self._on_cancelled)
        lane.progressed.connect(self._on_progressed)

    @property
    def busy(self) -> bool:
        """True if a job is running or waiting."""
        return self._lane.busy

    def submit(self, request: object, *, cancel: bool = False) -> None:
        """Replace the request. ``cancel``: also cancel the running job."""
        self._request = request
        if cancel:
            self._lane.cancel()
        self._lane.submit(request)

    def forget(self) -> None:
        """Cancel the request; no signal follows."""
        self._request = None
        self._lane.cancel()

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        if result.request is self._request:
            self.answered.emit(result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        if failure.request is self._request:
            self.failed.emit(failure.why)

    @Slot(object)
    def _on_cancelled(self, request: object) -> None:
        if request is self._request:
            self.cancelled.emit(request)

    @Slot(object)
    def _on_progressed(self, progress: JobProgress) -> None:
        if progress.request is self._request:
            self.progressed.emit(progress.fraction, progress.note)


def _release_locals(error: BaseException) -> None:
    """Clear the local variables in the tracebacks of an exception and its causes.

    The frames refer to the exception, as a part of the failure. In such a cycle all data of the job, up to a hundred
    megabytes, would wait for a full garbage collection.
    """
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        traceback.clear_frames(one.__traceback__)
        one = one.__cause__ or one.__context__


def _ignore_progress(_fraction: float, _note: str) -> None:
    """Ignore progress that is no longer shown."""


def let_others_first() -> None:
    """Schedule the calling thread as SCHED_BATCH on Linux: it never preempts a running thread, but gets its normal
    share of processor time.

    Each call into Qt releases the GIL, and the GUI thread then competes for it. Next to four pure-Python jobs on two
    processors it got the GIL back so late that painting a table took seven times as long, at worst forty times; with
    this, as long as without jobs.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # forbidden in some sandboxes; scheduling then stays as it was
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


class JobRunner(QObject):
    """Owner of the worker threads and the lanes. One per window; call ``shutdown`` before the window is destroyed.

    Signals: ``lanes_changed()`` when a lane becomes busy or idle.
    """

    lanes_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.pool = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="tokenloupe", initializer=let_others_first)
        """The worker threads; for lanes."""
        self._switch_interval_before = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_INTERVAL_SECONDS)
        self.free_to_run = threading.Event()
        """Set unless jobs should yield to an edit; for lanes."""
        self.free_to_run.set()
        self.heartbeat = GuiMonitor(self)
        """Beats on the GUI thread while any job runs; for lanes."""
        self.collector = GcScheduler(self)
        """Keeps garbage collection off the worker threads. Started by the owner of the event loop."""
        self.deliveries = OneATurn(self)
        """Delivers job results one per turn; for lanes."""
        self._edit_painted = QTimer(self, singleShot=True, interval=EDIT_PRIORITY_MS)
        self._edit_painted.timeout.connect(self.free_to_run.set)
        self._lanes: list[Lane] = []

    def wait_while_busy(self) -> None:
        """Make jobs that call ``yield_to_gui`` wait until the imminent change on the screen has been painted."""
        self.free_to_run.clear()
        self._edit_painted.start()

    def conflated(self, name: str, work: Work, merge: Merge | None = None) -> Lane:
        """Create a lane that keeps the newest request; ``merge(waiting, newer)`` combines two instead."""
        return self._add(Lane(name, work, self, merge=merge, conflated=True))

    def exclusive(self, name: str, work: Work, *, stoppable: bool = True) -> Lane:
        """Create a lane that answers every request, in order; ``stoppable``: True if the user may cancel."""
        return self._add(Lane(name, work, self, stoppable=stoppable))

    def background(self, name: str, work: Work) -> Lane:
        """Create a hidden exclusive lane. It is not listed and users cannot cancel it; it stops with the window."""
        return self._add(Lane(name, work, self, hidden=True))

    def _add(self, lane: Lane) -> Lane:
        self._lanes.append(lane)
        if not lane.hidden:
            lane.busy_changed.connect(self.lanes_changed)
        lane.busy_changed.connect(self._keep_beating)
        return lane

    @Slot(bool)
    def _keep_beating(self, busy: bool) -> None:
        if busy:
            self.heartbeat.start()
        elif not self.any_busy:
            self.heartbeat.stop()

    @property
    def busy_lanes(self) -> list[Lane]:
        """Busy lanes that are listed, in order of creation."""
        return [lane for lane in self._lanes if lane.busy and not lane.hidden]

    @property
    def busy(self) -> bool:
        """True if any listed lane has a running or waiting job."""
        return any(lane.busy and not lane.hidden for lane in self._lanes)

    @property
    def any_busy(self) -> bool:
        """True if any lane is running, including hidden background lanes."""
        return any(lane.busy for lane in self._lanes)

    def shutdown(self) -> None:
        """Cancel stoppable lanes and wait until no job runs.

        Only here and in ``Lane.drain`` does the GUI thread wait for a worker.
        """
        for lane in self._lanes:
            lane.close()
        self._edit_painted.stop()
        self.heartbeat.stop()
        self.free_to_run.set()
        self.pool.shutdown(wait=True)
        self.collector.stop()
        sys.setswitchinterval(self._switch_interval_before)
