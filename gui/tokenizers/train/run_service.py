"""Training runs: their requests and reports, checkpoints, the engine's trainer, the worker, and the service.

Compiling takes most of a minute and would hold the GIL, and so block the window. It therefore happens once, in its own
process, before the first run on a computer; usually the window has done it by then.

Everything the user can do to a run takes effect between two slices of ``advance``: a pause ends the job and keeps the
run, stopping keeps the vocabulary learned so far, and checkpoints are saved at intervals. So no action can leave a run
half changed.

A checkpoint is two files in the session's folder: the state of the run as the engine writes it, and a small JSON file
with the plan, so that a start can describe the run without reading the state. Each is replaced atomically, the JSON
last. A run that starts while another checkpoint is pending has its own subfolder.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QObject, Signal, Slot

from engine.corpus.types import CorpusFile, CorpusRules
from engine.runtime.atomic_files import make_folder, write_atomic
from engine.training.types import TrainingSettings
from gui.core.profile_files import DamagedFile, is_newer, read_document
from gui.look.quantities import overall_fraction, stage_text
from gui.runtime.jobs import JobCancelled

if TYPE_CHECKING:
    from engine import TrainingRun
    from engine.corpus.types import CorpusSurvey
    from engine.training.types import Merge, TrainingCurve, TrainingProgress
    from gui.core.user_encodings import UserEncodings
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket


# --- requests and reports ---------------------------------------------------------------------------------------------

Ending = Literal["done", "stopped", "paused", "closing"]
"""Outcome of a job on a run.

``done``: the run is complete. ``stopped``: the user wants the result so far. ``paused``: it may be resumed.
``closing``: the window closes; a checkpoint holds the run.
"""


@dataclass(frozen=True, slots=True)
class KeptEncoding:
    """Result of a run: the encoding, and its name among all encodings.

    ``unkept``: why it will be missing at the next start, empty if it was saved. ``hash``: identical for identical texts
    and settings.
    """

    encoding: Any
    name: str
    unkept: str = ""
    hash: str = ""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """A run to start: ``name`` of the encoding, ``paths`` of the texts, their rules, and the settings.

    ``survey``: the scan of the paths, if they were already scanned; then only its files are used. ``threads``: None for
    one per core. ``dask``: address of a scheduler whose workers count instead of this machine; a resumed run counts
    here. ``held_out``: files held out of training, to evaluate the result on.
    """

    name: str
    paths: tuple[Path, ...]
    settings: TrainingSettings
    rules: CorpusRules = field(default_factory=CorpusRules)
    threads: int | None = None
    dask: str = ""
    held_out: tuple[CorpusFile, ...] = ()
    survey: CorpusSurvey | None = None


class RunControl:
    """The user's requests to a running job. Written by the GUI thread, read by the worker between time slices.

    ``taken``: True if the newest snapshot has been shown. The worker sends the next one only then, so that a busy
    window gets fewer snapshots instead of a queue.
    """

    def __init__(self) -> None:
        self.pause = False
        self.stop = False
        self.taken = True


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Advance a run until it is complete or the control requests otherwise.

    ``run``: None for a new one. ``resume_from``: the checkpoint to resume instead. ``known``: number of merges that the
    window already has. ``folder``: of the checkpoints, None if nothing can be written.
    """

    plan: TrainingPlan
    control: RunControl
    run: TrainingRun | None = None
    resume_from: Path | None = None
    known: int = 0
    seconds: float = 0.0
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class TrainingSnapshot:
    """The state of a run at one moment. ``merges``: those since the previous snapshot.

    ``seconds``: work so far, without pauses. ``unsaved``: why the newest checkpoint could not be written, empty if it
    was. ``keeping``: True if no merge follows and the encoding is being built.
    """

    progress: TrainingProgress
    merges: Sequence[Merge]
    curve: TrainingCurve
    seconds: float
    unsaved: str = ""
    keeping: bool = False


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """Outcome of a job on a run. ``run``: the run to resume after a pause.

    ``kept``: the result; None after a pause, or if no merge was made yet.
    """

    ending: Ending
    run: TrainingRun
    snapshot: TrainingSnapshot
    kept: KeptEncoding | None = None


# --- checkpoints ------------------------------------------------------------------------------------------------------

STATE = "training.run"
PLAN = "training.json"
VERSION = 1
MAX_CHECKPOINTS = 9


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A run that can be resumed: its plan, when it was saved, and its progress."""

    state: Path
    plan: TrainingPlan
    saved: datetime
    merges: int
    seconds: float


def save_checkpoint(folder: Path, plan: TrainingPlan, run: TrainingRun, merges: int, seconds: float) -> None:
    """Replace the checkpoint; the old one stays valid until the new one is complete. Raises OSError."""
    make_folder(folder)
    run.save(folder / STATE)
    lines = {
        "version": VERSION,
        "saved": datetime.now(UTC).isoformat(timespec="seconds"),
        "merges": merges,
        "seconds": seconds,
        "plan": _as_json(plan),
    }
    write_atomic(folder / PLAN, json.dumps(lines, indent=1).encode())


def find_checkpoint(folder: Path) -> Checkpoint | None:
    """Return the checkpoint in a folder; None if there is none or it is invalid."""
    try:
        raw = json.loads((folder / PLAN).read_bytes())
        if raw["version"] != VERSION or not (folder / STATE).is_file():
            return None
        saved = datetime.fromisoformat(raw["saved"])
        return Checkpoint(folder / STATE, _plan_of(raw["plan"]), saved, int(raw["merges"]), float(raw["seconds"]))
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def find_checkpoints(session: Path) -> list[Checkpoint]:
    """Return all checkpoints in the folder of a session, in the order in which their runs started."""
    found = (find_checkpoint(folder) for folder in _checkpoint_folders(session))
    return [checkpoint for checkpoint in found if checkpoint is not None]


def newer_checkpoints(session: Path) -> list[Path]:
    """Return the folders of checkpoints that a newer version of the program wrote, and that only it can resume."""
    return [folder for folder in _checkpoint_folders(session) if _is_newer(folder)]


def _is_newer(folder: Path) -> bool:
    try:
        return is_newer(read_document(folder / PLAN), VERSION)
    except (OSError, DamagedFile):
        return False


def free_folder(session: Path) -> Path:
    """Return the folder for the checkpoints of a new run.

    Checkpoints of newer versions are never overwritten, other pending ones only if all folders are in use.
    """
    folders = _checkpoint_folders(session)
    *folders, last = [folder for folder in folders if not _is_newer(folder)] or folders[-1:]
    return next((folder for folder in folders if not (folder / PLAN).exists()), last)


def _checkpoint_folders(session: Path) -> list[Path]:
    return [session, *(session / f"run-{number}" for number in range(2, MAX_CHECKPOINTS + 1))]


def drop_checkpoint(folder: Path) -> None:
    """Remove the checkpoint of a run that ended or was discarded. If it cannot be removed, it is offered again."""
    from engine.runtime.atomic_files import clear_half_written

    with contextlib.suppress(OSError):
        (folder / PLAN).unlink(missing_ok=True)
        (folder / STATE).unlink(missing_ok=True)
    clear_half_written(folder)


def _as_json(plan: TrainingPlan) -> dict[str, Any]:
    """Return the plan as JSON data, without its survey, which the state of the run contains."""
    return {
        "name": plan.name,
        "paths": [str(path) for path in plan.paths],
        "settings": dataclasses.asdict(plan.settings),
        "rules": dataclasses.asdict(plan.rules),
        "threads": plan.threads,
        "held_back": [[str(file.path), file.file_bytes, file.encoding] for file in plan.held_out],
    }


def _plan_of(raw: dict[str, Any]) -> TrainingPlan:
    rules, settings = dict(raw["rules"]), dict(raw["settings"])
    for values, names in ((rules, ("include", "exclude")), (settings, ("special_tokens",))):
        for name in names:
            values[name] = tuple(values[name])
    return TrainingPlan(
        name=str(raw["name"]),
        paths=tuple(Path(path) for path in raw["paths"]),
        settings=TrainingSettings(**settings),
        rules=CorpusRules(**rules),
        threads=raw["threads"],
        held_out=tuple(CorpusFile(Path(path), size, encoding) for path, size, encoding in raw["held_back"]),
    )


# --- the worker -------------------------------------------------------------------------------------------------------

FAMILY = "train"


class EngineTrainer:
    """Factory of runs, which also saves their results. Called on a worker thread.

    ``kernels``: the folder of compiled kernels. ``own``: the encodings to add new ones to.
    """

    def __init__(self, kernels: Path, own: UserEncodings) -> None:
        self._kernels = kernels
        self._own = own

    def prepare(self, cancel_check: Callable[[], None], compiling_begins: Callable[[], None]) -> None:
        """Compile the kernels of a run unless they exist. If that fails, the run compiles them itself, slowly.

        Calls ``compiling_begins`` first, and ``cancel_check`` repeatedly; an exception that it raises cancels.
        """
        from engine.encoding import compiling

        folder = self._kernels
        if compiling.keeps_nothing(folder) or compiling.is_compiled(folder, FAMILY):
            return
        compiling_begins()
        try:
            compiling.compile_in_child(folder, [FAMILY], cancel_check)
        except compiling.CompilingFailedError:
            return

    def ready(self) -> AbstractContextManager[None]:
        """Return a context in which compiled kernels are found."""
        from engine.kernels.cache_folder import kept_in

        return kept_in(self._kernels)

    def make_run(self, plan: TrainingPlan, resume_from: Path | None) -> TrainingRun:
        """Return a new run, or the run of a checkpoint. Raises EngineError or OSError."""
        import engine

        if resume_from is not None:
            return engine.TrainingRun.resume(resume_from)
        settings = plan.settings
        return engine.TrainingRun(
            plan.paths if plan.survey is None else plan.survey,
            settings.vocab_size,
            pattern=settings.pattern,
            alphabet=settings.alphabet,
            normalization=settings.normalization,
            lowercase=settings.lowercase,
            strip_accents=settings.strip_accents,
            min_count=settings.min_count,
            max_token_bytes=settings.max_token_bytes,
            special_tokens=settings.special_tokens,
            threads=plan.threads,
            tie_order=settings.tie_order,
            dummy_prefix=settings.dummy_prefix,
            max_space_run=settings.max_space_run,
            rules=plan.rules,
            dask=plan.dask,
        )

    def keep(self, run: Any, plan: TrainingPlan) -> KeptEncoding:
        """Build an encoding from the merges of a run, save it in the profile, and register it."""
        import engine

        name = self._own.free_name(plan.name)
        encoding = run.encoding(name)
        with contextlib.suppress(engine.EngineError):  # until they are compiled, tiktoken's encoder is enough
            encoding.use_kernels(compiled_only=True)
        unkept = ""
        try:
            self._own.keep(encoding)
        except engine.EngineError as error:
            unkept = str(error)
            self._own.lend(encoding)
        return KeptEncoding(encoding, name, unkept, run.hash)


SLICE_SECONDS = 0.04
SNAPSHOT_SECONDS = 0.06
"""Minimum time between snapshots, in seconds: about fifteen per second look continuous."""
CHECKPOINT_SECONDS = 20.0
CHECKPOINT_SHARE = 0.05
"""Maximum share of a run's time spent on checkpoints; slow checkpoints are saved less often."""


class TrainingWorker:
    """Worker that advances runs in a lane.

    ``work``: the function of the lane. ``report``: called with each snapshot. ``compiling``: called before kernels are
    compiled.
    """

    def __init__(
        self, trainer: EngineTrainer, report: Callable[[TrainingSnapshot], None], compiling: Callable[[], None]
    ) -> None:
        self._trainer = trainer
        self._report = report
        self._compiling = compiling

    def work(self, request: RunRequest, ticket: Ticket) -> RunOutcome:
        """Advance a run until it ends or is paused.

        Raises EngineError or OSError; JobCancelled if it was cancelled before it began.
        """

        def cancel_check() -> None:
            if ticket.cancelled or request.control.stop:
                raise JobCancelled

        if request.run is None:
            self._trainer.prepare(cancel_check, self._compiling)
        with self._trainer.ready():
            return self._work(request, ticket)

    def _work(self, request: RunRequest, ticket: Ticket) -> RunOutcome:
        started = monotonic() - request.seconds
        run = request.run or self._trainer.make_run(request.plan, request.resume_from)
        known, progress, ending = request.known, run.advance(0.0), _ending(run, request, ticket)
        reported = saved = monotonic()
        pause, unsaved = CHECKPOINT_SECONDS, ""
        while ending is None:
            ticket.yield_to_gui()
            progress = run.advance(SLICE_SECONDS)
            now = monotonic()
            if now - reported >= SNAPSHOT_SECONDS and request.control.taken:
                reported = now
                snapshot = _snapshot(run, progress, known, now - started, unsaved)
                known += len(snapshot.merges)
                request.control.taken = False
                self._report(snapshot)
                _report_progress(ticket, progress.stage, overall_fraction(progress))
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
        self, ending: Ending, request: RunRequest, run: TrainingRun, snapshot: TrainingSnapshot, ticket: Ticket
    ) -> RunOutcome:
        if ending in ("paused", "closing"):
            return RunOutcome(ending, run, snapshot)
        kept = None
        if snapshot.progress.merges or run.done:
            self._report(replace(snapshot, keeping=True))
            _report_progress(ticket, "keeping", overall_fraction(snapshot.progress))
            kept = self._trainer.keep(run, request.plan)
            snapshot = replace(snapshot, merges=())
        if kept is not None and kept.unkept:
            # The result is only in memory: the next start can build it again from this checkpoint.
            _save(request, run, snapshot.progress.merges, snapshot.seconds)
        elif request.folder is not None:
            drop_checkpoint(request.folder)
        return RunOutcome(ending, run, snapshot, kept)


def _save(request: RunRequest, run: TrainingRun, merges: int, seconds: float) -> str:
    """Save a checkpoint and return why that failed, or "". A full disk must not end a run."""
    if request.folder is None:
        return ""
    try:
        save_checkpoint(request.folder, request.plan, run, merges, seconds)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _ending(run: TrainingRun, request: RunRequest, ticket: Ticket) -> Ending | None:
    if run.done:
        return "done"
    if request.control.stop:
        return "stopped"
    if request.control.pause:
        return "paused"
    return "closing" if ticket.cancelled else None


def _snapshot(
    run: TrainingRun, progress: TrainingProgress, known: int, seconds: float, unsaved: str
) -> TrainingSnapshot:
    merges = run.merges(known) if progress.merges > known else ()
    return TrainingSnapshot(progress, merges, run.curve(), seconds, unsaved)


def _report_progress(ticket: Ticket, stage: str, fraction: float) -> None:
    """Report progress to the list of all jobs. ``_ending`` handles cancellation."""
    try:
        ticket.progress(fraction, stage_text(stage))
    except JobCancelled:
        return


# --- the service ------------------------------------------------------------------------------------------------------

IDLE, RUNNING, PAUSING, PAUSED, STOPPING = "idle", "running", "pausing", "paused", "stopping"
KEEPING = "keeping"
"""State after the last merge, or after a stop, while the encoding is built."""


class TrainingService(QObject):
    """Service for one run at a time. Jobs of a lane advance it; a paused run waits here for the next job.

    Signals: ``state_changed(str)``: one of the constants above. ``compiling()``: kernels are compiled before the first
    merge. ``advanced(TrainingSnapshot)``: a snapshot of the run, about fifteen per second at most.
    ``ended(RunOutcome)``: the run is complete, or was stopped. ``abandoned()``: it was stopped before it began.
    ``failed(str)``: a sentence; the run is lost, its last checkpoint is not.
    """

    state_changed = Signal(str)
    compiling = Signal()
    advanced = Signal(object)
    ended = Signal(object)
    abandoned = Signal()
    failed = Signal(str)

    _reported = Signal(object)
    _compiles = Signal()

    def __init__(
        self,
        runner: JobRunner,
        trainer: EngineTrainer,
        folder: Path | None = None,
        parent: QObject | None = None,
    ) -> None:
        """``folder``: of the session, for checkpoints; None if nothing can be written."""
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
        """State of the run: one of the constants of this module."""
        return self._state

    @property
    def plan(self) -> TrainingPlan | None:
        """The plan of the current run, or of the last one."""
        return None if self._request is None else self._request.plan

    def start(self, plan: TrainingPlan) -> None:
        """Start a run. Does nothing while another one is active."""
        if self._state == IDLE:
            folder = None if self._folder is None else free_folder(self._folder)
            self._submit(RunRequest(plan, RunControl(), folder=folder))

    def continue_from(self, checkpoint: Checkpoint) -> None:
        """Resume a run from its checkpoint."""
        if self._state == IDLE:
            self._submit(
                RunRequest(
                    checkpoint.plan,
                    RunControl(),
                    resume_from=checkpoint.state,
                    seconds=checkpoint.seconds,
                    folder=checkpoint.state.parent,
                )
            )

    def pause(self) -> None:
        """Pause the run after the current slice."""
        if self._state == RUNNING and self._request is not None:
            self._request.control.pause = True
            self._set_state(PAUSING)

    def resume(self) -> None:
        """Resume a paused run."""
        if self._state == PAUSED and self._request is not None:
            self._submit(self._request)

    def stop(self) -> None:
        """End the run after the current slice, and keep its result."""
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
            # The job was cancelled but the window is still open: the user stopped it in the list of all jobs. Keep the
            # result.
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
        self.abandoned.emit()

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self._end()
        self.failed.emit(failure.why)

    def _end(self) -> None:
        """Drop the run, which may be as large as its corpus, but keep its plan."""
        if self._request is not None:
            self._request = replace(self._request, run=None)
        self._set_state(IDLE)
