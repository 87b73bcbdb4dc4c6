"""Works on a training run, slice by slice: the job of the training lane. On a worker thread; no Qt.

Everything the user can do to a run happens between two slices of ``advance``: a pause ends the job and keeps the run,
stopping takes the vocabulary learned so far, and a checkpoint is saved now and then. So none of it can leave a run half
changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

from gui.look.quantities import overall_fraction, stage_words
from gui.runtime.jobs import JobCancelled
from gui.tokenizers.train.checkpoint_service import drop_checkpoint, save_checkpoint
from gui.tokenizers.train.plan import Ending, Run, RunOutcome, RunRequest, Trainer, TrainingSnapshot

if TYPE_CHECKING:
    from engine.training_types import TrainingProgress
    from gui.runtime.jobs import Ticket

SLICE_SECONDS = 0.04
SNAPSHOT_SECONDS = 0.06
"""Least time between two snapshots: some fifteen a second look like a film."""
CHECKPOINT_SECONDS = 20.0
CHECKPOINT_SHARE = 0.05
"""Saving checkpoints may take this part of the time of a run; where one takes long, they are rarer."""


class TrainingWorker:
    """``work`` is the lane's. ``report`` is called with each snapshot, ``compiling`` when kernels have to be compiled
    first."""

    def __init__(
        self, trainer: Trainer, report: Callable[[TrainingSnapshot], None], compiling: Callable[[], None]
    ) -> None:
        self._trainer = trainer
        self._report = report
        self._compiling = compiling

    def work(self, request: RunRequest, ticket: Ticket) -> RunOutcome:
        """Go on with a run until it ends, one way or another. Raises EngineError, OSError; JobCancelled where it was to
        end before it began."""

        def still_wanted() -> None:
            if ticket.cancelled or request.control.stop:
                raise JobCancelled

        if request.run is None:
            self._trainer.prepare(still_wanted, self._compiling)
        with self._trainer.ready():
            return self._work(request, ticket)

    def _work(self, request: RunRequest, ticket: Ticket) -> RunOutcome:
        started = monotonic() - request.seconds
        run = request.run or self._trainer.make_run(request.plan, request.resume_from)
        known, progress, ending = request.known, run.advance(0.0), _ending(run, request, ticket)
        reported = saved = monotonic()
        pause, unsaved = CHECKPOINT_SECONDS, ""
        while ending is None:
            ticket.give_way()
            progress = run.advance(SLICE_SECONDS)
            now = monotonic()
            if now - reported >= SNAPSHOT_SECONDS and request.control.taken:
                reported = now
                snapshot = _snapshot(run, progress, known, now - started, unsaved)
                known += len(snapshot.merges)
                request.control.taken = False
                self._report(snapshot)
                _tell(ticket, progress.stage, overall_fraction(progress))
            ending = _ending(run, request, ticket)
            if ending is None and now - saved >= pause:
                unsaved = _save(request, run, progress.merges, now - started)
                saved = monotonic()
                pause = max(CHECKPOINT_SECONDS, (saved - now) / CHECKPOINT_SHARE)
        if ending in ("paused", "closing"):
            unsaved = _save(request, run, progress.merges, monotonic() - started)
        snapshot = _snapshot(run, progress, known, monotonic() - started, unsaved)
        return self._end(ending, request, run, snapshot, ticket)

    def _end(
        self, ending: Ending, request: RunRequest, run: Run, snapshot: TrainingSnapshot, ticket: Ticket
    ) -> RunOutcome:
        if ending in ("paused", "closing"):
            return RunOutcome(ending, run, snapshot)
        kept = None
        if snapshot.progress.merges or run.done:
            self._report(replace(snapshot, keeping=True))
            _tell(ticket, "keeping", overall_fraction(snapshot.progress))
            kept = self._trainer.keep(run, request.plan)
            snapshot = replace(snapshot, merges=())
        if kept is not None and kept.unkept:
            # What was learned is in memory alone: the next start can make it again from here.
            _save(request, run, snapshot.progress.merges, snapshot.seconds)
        elif request.place is not None:
            drop_checkpoint(request.place)
        return RunOutcome(ending, run, snapshot, kept)


def _save(request: RunRequest, run: Run, merges: int, seconds: float) -> str:
    """Save a checkpoint; returns why that failed. A run does not end because the disk is full."""
    if request.place is None:
        return ""
    try:
        save_checkpoint(request.place, request.plan, run, merges, seconds)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _ending(run: Run, request: RunRequest, ticket: Ticket) -> Ending | None:
    if run.done:
        return "done"
    if request.control.stop:
        return "stopped"
    if request.control.pause:
        return "paused"
    return "closing" if ticket.cancelled else None


def _snapshot(run: Run, progress: TrainingProgress, known: int, seconds: float, unsaved: str) -> TrainingSnapshot:
    merges = run.merges(known) if progress.merges > known else ()
    return TrainingSnapshot(progress, merges, run.curve(), seconds, unsaved)


def _tell(ticket: Ticket, stage: str, fraction: float) -> None:
    """Say how far it is to whoever watches all jobs. Being asked to stop is found out by ``_ending``."""
    try:
        ticket.progress(fraction, stage_words(stage))
    except JobCancelled:
        return
