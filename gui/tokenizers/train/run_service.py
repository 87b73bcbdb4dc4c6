"""Training runs: starting, pausing, going on, stopping, and what is heard of them meanwhile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.tokenizers.train.checkpoint_service import free_place
from gui.tokenizers.train.plan import RunControl, RunOutcome, RunRequest, TrainingPlan, TrainingSnapshot
from gui.tokenizers.train.worker_service import TrainingWorker

if TYPE_CHECKING:
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner
    from gui.tokenizers.train.checkpoint_service import Checkpoint
    from gui.tokenizers.train.plan import Trainer

IDLE, RUNNING, PAUSING, PAUSED, STOPPING = "idle", "running", "pausing", "paused", "stopping"
KEEPING = "keeping"
"""The last merge is made, or nobody wants more; an encoding is made of them."""


class TrainingService(QObject):
    """One run at a time. It is worked on in a lane; between the jobs of the lane a paused run waits here.

    Signals:

    ``state_changed(str)``: one of the constants above. ``compiling()``: before the first merge something has to be
    compiled, once. ``advanced(TrainingSnapshot)``: a moment of the run, at most some fifteen a second.
    ``ended(RunOutcome)``: the run is through, or was stopped. ``gave_up()``: it was stopped before it began.
    ``failed(str)``: a sentence; the run is gone, its last checkpoint is not.
    """

    state_changed = Signal(str)
    compiling = Signal()
    advanced = Signal(object)
    ended = Signal(object)
    gave_up = Signal()
    failed = Signal(str)

    _reported = Signal(object)
    _compiles = Signal()

    def __init__(
        self,
        runner: JobRunner,
        trainer: Trainer,
        folder: Path | None = None,
        parent: QObject | None = None,
    ) -> None:
        """``folder``: of the session, where checkpoints go; None where nothing can be written."""
        super().__init__(parent)
        self._folder = folder
        self._worker = TrainingWorker(trainer, self._reported.emit, self._compiles.emit)
        self._lane = runner.exclusive(self.tr("Training"), self._worker.work)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)
        self._lane.cancelled.connect(self._on_cancelled)
        self._reported.connect(self._on_reported)
        self._compiles.connect(self._on_compiling)
        self._request: RunRequest | None = None
        self._state = IDLE

    @property
    def state(self) -> str:
        """What the run is doing: one of the constants of this module."""
        return self._state

    @property
    def plan(self) -> TrainingPlan | None:
        """The plan of the run that is under way, or was last."""
        return None if self._request is None else self._request.plan

    def start(self, plan: TrainingPlan) -> None:
        """Begin a run. Does nothing while another one is under way."""
        if self._state == IDLE:
            place = None if self._folder is None else free_place(self._folder)
            self._submit(RunRequest(plan, RunControl(), place=place))

    def take_up(self, checkpoint: Checkpoint) -> None:
        """Go on with a run of which only its checkpoint is left."""
        if self._state == IDLE:
            self._submit(
                RunRequest(
                    checkpoint.plan,
                    RunControl(),
                    resume_from=checkpoint.state,
                    seconds=checkpoint.seconds,
                    place=checkpoint.state.parent,
                )
            )

    def pause(self) -> None:
        """Stop working on the run, soon; it can go on later."""
        if self._state == RUNNING and self._request is not None:
            self._request.control.pause = True
            self._set_state(PAUSING)

    def resume(self) -> None:
        """Go on with a paused run."""
        if self._state == PAUSED and self._request is not None:
            self._submit(self._request)

    def stop(self) -> None:
        """End the run, soon, and keep what it has learned."""
        if self._request is None or self._state in (IDLE, STOPPING, KEEPING):
            return
        self._request.control.stop = True
        if self._state == PAUSED:
            self._submit(self._request)
        self._set_state(STOPPING)

    def _submit(self, request: RunRequest) -> None:
        self._request = request
        self._set_state(RUNNING)
        self._lane.submit(request)

    def _set_state(self, state: str) -> None:
        if state != self._state:
            self._state = state
            self.state_changed.emit(state)

    @Slot(object)
    def _on_reported(self, snapshot: TrainingSnapshot) -> None:
        if self._request is None:
            return
        if snapshot.keeping:
            self._set_state(KEEPING)
        self.advanced.emit(snapshot)
        self._request.control.taken = True

    @Slot()
    def _on_compiling(self) -> None:
        if self._state == RUNNING:
            self.compiling.emit()

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        outcome: RunOutcome = result.value
        self.advanced.emit(outcome.snapshot)
        request: RunRequest = result.request
        progress = outcome.snapshot.progress
        later = replace(
            request,
            control=RunControl(),
            run=outcome.run,
            known=progress.merges,
            seconds=outcome.snapshot.seconds,
        )
        if outcome.ending == "paused":
            self._request = later
            self._set_state(PAUSED)
        elif outcome.ending == "closing":
            # The job was cancelled and the window is still there: someone stopped it among all jobs. Keep the result.
            later.control.stop = True
            self._request = later
            self._set_state(STOPPING)
            self._lane.submit(later)
        else:
            self._end()
            self.ended.emit(outcome)

    @Slot(object)
    def _on_cancelled(self, _request: RunRequest) -> None:
        self._end()
        self.gave_up.emit()

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self._end()
        self.failed.emit(failure.why)

    def _end(self) -> None:
        """Let go of the run, which may be as large as its corpus; what its plan was can still be asked."""
        if self._request is not None:
            self._request = replace(self._request, run=None)
        self._set_state(IDLE)
