"""The only threads of the window.

A *job* is a plain callable ``work(request, ticket) -> value``. It runs on a worker thread, takes all it needs from the
immutable ``request``, touches no widget, and reports through its ``ticket``. A *lane* runs the jobs of one kind, one at
a time, and hands every result to the GUI thread:

- a **conflated** lane (counting, filtering, pricing) keeps at most one request waiting. A newer request replaces the
  waiting one, or joins it where the lane has a ``merge``. The running job is never interrupted by a newer request, so
  results keep coming while someone types without pause; each carries its request, and with it the revision.
- an **exclusive** lane (training, scanning) queues requests in order; only the user cancels them. One that is not
  stoppable (writing files) does everything it was asked for, even while the window goes: half would be a loss.

Nothing raised in a job is lost: ``failed`` carries it, ``BaseException`` included (extension modules written in Rust
panic with one). Worker threads emit only private signals of objects that live on the GUI thread; these end in slots of
those objects, where the public signals are emitted from.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from engine.runtime import cancellation
from gui.runtime.event_loop import Heartbeat, OneATurn
from gui.runtime.memory import GcScheduler
from pricing.cancellation import cancellable

PROGRESS_INTERVAL_SECONDS = 0.05
"""Least time between two progress reports of a job: more often than the eye can follow only costs the GUI thread."""

MOST_THREADS = 64
"""More than there are lanes, so that no lane ever waits for another: a save not for a training. Threads are made when
they are needed."""

PROCESSORS = os.cpu_count() or 1

SWITCH_INTERVAL_SECONDS = 0.0005
"""How long a worker may keep the interpreter while the GUI thread wants it. Python's own choice is ten times that: with
a worker or two at work, a key would wait for the better part of a frame. A still shorter one does not help: at 0.1 ms
keys were painted no sooner, at 0.03 ms later, for all the switching."""

WAY_MS = 15
"""How long the GUI thread has the way for an edit: by then it and its tokens have usually been painted, and a key that
is held down comes back in twice the time."""

STAND_BACK_SECONDS = 0.5
"""How long a job stands back for edits at most, in all: who types without pause still wants prices."""

Work = Callable[[Any, "Ticket"], Any]
Merge = Callable[[Any, Any], Any]


class JobCancelled(Exception):
    """Raised inside a job, by ``Ticket.progress``, when the job should end."""


@dataclass(frozen=True, slots=True)
class JobResult:
    """What a job returned, with the request it answers."""

    request: Any
    value: Any


@dataclass(frozen=True, slots=True)
class JobFailure:
    """What a job raised, with the request it did not answer."""

    request: Any
    error: BaseException

    @property
    def why(self) -> str:
        """The reason in words, never empty; for a part of a sentence."""
        if isinstance(self.error, OSError) and self.error.strerror:
            return self.error.strerror
        return str(self.error) or type(self.error).__name__


@dataclass(frozen=True, slots=True)
class JobProgress:
    """How far a job is: ``fraction`` from 0 to 1 (negative when unknown), ``note`` says what it is doing."""

    request: Any
    fraction: float
    note: str


class Ticket:
    """What a running job holds: a place to report progress, to learn that it should end, and to get help."""

    def __init__(
        self,
        report: Callable[[float, str], None],
        pool: ThreadPoolExecutor | None = None,
        way: threading.Event | None = None,
        heartbeat: Heartbeat | None = None,
    ) -> None:
        """``pool``: the threads that help; without, nobody does. ``way``: set while it is free; without, it is.
        ``heartbeat``: that of the GUI thread, whose work the job stands back for."""
        self._report = report
        self._pool = pool
        self._way = way
        self._heartbeat = heartbeat
        self._nothing = threading.Event()  # that is never set: to wait for
        self._patience = STAND_BACK_SECONDS
        self._cancelled = False
        self._reported_at = 0.0

    @property
    def cancelled(self) -> bool:
        """Whether the job should end as soon as it can."""
        return self._cancelled

    def cancel(self) -> None:
        """Ask the job to end. Safe from any thread."""
        self._cancelled = True

    def progress(self, fraction: float, note: str = "") -> None:
        """Report progress; the place where a cancelled job stops, and others stand back while the GUI thread is busy.

        Raises JobCancelled when the job was asked to end.
        """
        if self._cancelled:
            raise JobCancelled
        self.stand_back()
        now = time.monotonic()
        if now - self._reported_at >= PROGRESS_INTERVAL_SECONDS:
            self._reported_at = now
            self._report(fraction, note)

    def give_way(self) -> None:
        """Stand back while the window shows what was just typed: for jobs of pure Python that can come a little later.

        Python runs one thread at a time. Beside a job that never lets go of the interpreter, the GUI thread waits for a
        turn of it behind each call into Qt that releases it, of which a key takes dozens: it came to be painted three
        times as late.
        """
        if self._way is not None and self._patience > 0 and not self._way.is_set():
            since = time.monotonic()
            self._way.wait(self._patience)
            self._patience -= time.monotonic() - since
        self.stand_back()

    def stand_back(self) -> None:
        """Rest while the GUI thread is in the middle of something; for any job, at any place where it holds no lock.

        What the engine does for a job calls this by itself, between the entries and pieces of what is large.
        """
        if self._heartbeat is not None:
            self._heartbeat.stand_back_while_late(self._nothing.wait)

    def side_by_side(self, tasks: Sequence[Callable[[], None]]) -> None:
        """Do these on as many threads as there are processors, this one among them, and return when all are done.

        What a task raises is raised, and those that have not begun are left.
        """
        left = deque(tasks)

        def take() -> None:
            while left:
                try:
                    task = left.popleft()
                except IndexError:
                    return  # another thread took the last one
                try:
                    task()
                except BaseException:
                    left.clear()
                    raise

        helpers: list[Future[None]] = []
        if self._pool is not None:
            with contextlib.suppress(RuntimeError):  # the window closes
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
    """Runs the jobs of one kind, one at a time.

    Signals, all emitted on the GUI thread:

    ``finished(JobResult)``, ``failed(JobFailure)``, ``cancelled(object)`` with the request that is not answered,
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
        self, name: str, work: Work, pool: ThreadPoolExecutor, merge: Merge | None, conflated: bool, parent: JobRunner
    ) -> None:
        super().__init__(parent)
        self.name = name
        self.last_progress: JobProgress | None = None
        self._work = work
        self._pool = pool
        self._way = parent.way
        self._heartbeat = parent.heartbeat
        self._deliveries = parent.deliveries
        self._merge = merge
        self._conflated = conflated
        self.stoppable = True
        self._waiting: deque[Any] = deque()
        self._ticket: Ticket | None = None
        self._running: Future[JobResult | JobFailure] | None = None
        self._closed = False
        self._returned.connect(self._on_returned)
        self._reported.connect(self._on_reported)

    @property
    def busy(self) -> bool:
        """Whether a job runs or waits."""
        return self._ticket is not None

    def submit(self, request: object) -> None:
        """Run a job for ``request`` now, or as soon as the lane's policy lets it."""
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
        """Drop what waits and ask the running job to end. ``cancelled`` tells of each request that gets no answer.

        Does nothing where the lane is not stoppable.
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
        """Wait until everything asked for is done, and deliver it; the GUI thread stands still meanwhile.

        For the moment when the window closes, and for lanes whose jobs end by themselves.
        """
        self._way.set()
        self._heartbeat.stop()
        while self._ticket is not None and self._running is not None and not self._closed:
            self._deliver(self._ticket, self._running.result())

    def close(self) -> None:
        """Take no more requests and deliver nothing more. What waits is dropped; done, if the lane is not stoppable."""
        self._closed = True
        if self.stoppable:
            self._end()
        elif self._running is not None:
            self._pool.submit(self._run_rest, self._running, tuple(self._waiting))
            self._waiting.clear()

    def _start(self, request: object) -> None:
        def report(fraction: float, note: str) -> None:
            self._reported.emit(JobProgress(request, fraction, note))

        self._ticket = ticket = Ticket(report, self._pool, self._way, self._heartbeat)
        self._running = self._pool.submit(self._run, request, ticket)

    def _run(self, request: object, ticket: Ticket) -> JobResult | JobFailure:
        """On a worker thread."""
        outcome: JobResult | JobFailure
        try:
            with cancellation.cancellable(ticket.stand_back), cancellable(ticket.stand_back):
                outcome = JobResult(request, self._work(request, ticket))
        except BaseException as error:  # noqa: BLE001 - delivered to the GUI thread, never swallowed
            outcome = JobFailure(request, error)
        self._returned.emit(ticket, outcome)
        return outcome

    def _run_rest(self, running: Future[JobResult | JobFailure], requests: tuple[object, ...]) -> None:
        """On a worker thread, after the lane was closed: no receiver is left for a failure."""
        running.result()
        for request in requests:
            self._run(request, Ticket(_nobody_listens))

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
            return  # delivered already, by ``drain``
        # The next job starts before the result is shown: receivers may take their time, the worker need not wait.
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


def _nobody_listens(_fraction: float, _note: str) -> None:
    """For jobs whose progress is no longer shown."""


def let_others_first() -> None:
    """Have the thread that calls this never take a processor from another that has one, where the system knows such
    threads: Linux does, and gives them as much of the processors' time as others all the same.

    Each call into Qt gives the interpreter away, and of the threads that wait for it the GUI thread is one. Beside four
    jobs of pure Python it got it back so late that painting a table took it seven times as long, and forty at worst, on
    two processors; with this, as long as alone.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # where a sandbox forbids it, all is as it was
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


class JobRunner(QObject):
    """Owns the worker threads and the lanes. One a window; ``shutdown`` before the window goes.

    Signals: ``lanes_changed()`` when a lane becomes busy or idle.
    """

    lanes_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="tokenloupe", initializer=let_others_first)
        self._switch_interval_before = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_INTERVAL_SECONDS)
        self.way = threading.Event()
        """Set unless jobs should stand back; for lanes."""
        self.way.set()
        self.heartbeat = Heartbeat(self)
        """Says whether the GUI thread is busy, while any job runs; for lanes."""
        self.collector = GcScheduler(self)
        """Keeps garbage collection off the worker threads. The owner of the event loop starts it."""
        self.deliveries = OneATurn(self)
        """Hands over what jobs bring; for lanes."""
        self._give_back = QTimer(self, singleShot=True, interval=WAY_MS)
        self._give_back.timeout.connect(self.way.set)
        self._lanes: list[Lane] = []
        self._unlisted: list[Lane] = []

    def stand_back(self) -> None:
        """Have jobs that ``give_way`` do so until what is about to change on the screen has been painted."""
        self.way.clear()
        self._give_back.start()

    def conflated(self, name: str, work: Work, merge: Merge | None = None) -> Lane:
        """A lane that keeps the newest request; ``merge(waiting, newer)`` joins two where nothing may be dropped."""
        return self._add(Lane(name, work, self._pool, merge, True, self))

    def exclusive(self, name: str, work: Work, *, stoppable: bool = True) -> Lane:
        """A lane that answers every request, in order; ``stoppable`` says whether the user may cancel."""
        lane = self._add(Lane(name, work, self._pool, None, False, self))
        lane.stoppable = stoppable
        return lane

    def background(self, name: str, work: Work) -> Lane:
        """An exclusive lane of which nobody is told: for what nobody asked for and nobody waits for. It is not listed
        among the busy ones, and the user cannot cancel it; it ends with the window."""
        lane = Lane(name, work, self._pool, None, False, self)
        self._unlisted.append(lane)
        lane.busy_changed.connect(self._keep_beating)
        return lane

    def _add(self, lane: Lane) -> Lane:
        self._lanes.append(lane)
        lane.busy_changed.connect(self._on_busy_changed)
        lane.busy_changed.connect(self._keep_beating)
        return lane

    @Slot(bool)
    def _on_busy_changed(self, _busy: bool) -> None:
        self.lanes_changed.emit()

    @Slot(bool)
    def _keep_beating(self, busy: bool) -> None:
        if busy:
            self.heartbeat.start()
        elif not self.at_work:
            self.heartbeat.stop()

    @property
    def busy_lanes(self) -> list[Lane]:
        """The lanes in which a job runs, in the order in which they were made."""
        return [lane for lane in self._lanes if lane.busy]

    @property
    def busy(self) -> bool:
        """Whether any job runs or waits."""
        return any(lane.busy for lane in self._lanes)

    @property
    def at_work(self) -> bool:
        """True if any lane is running, including hidden background lanes."""
        return self.busy or any(lane.busy for lane in self._unlisted)

    def shutdown(self) -> None:
        """Cancel what may be cancelled and wait until no job runs.

        Here and in ``Lane.drain``, and nowhere else, the GUI thread waits for a worker.
        """
        for lane in (*self._lanes, *self._unlisted):
            lane.close()
        self._give_back.stop()
        self.heartbeat.stop()
        self.way.set()
        self._pool.shutdown(wait=True)
        self.collector.stop()
        sys.setswitchinterval(self._switch_interval_before)
