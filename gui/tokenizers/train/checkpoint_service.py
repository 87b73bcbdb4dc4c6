"""Requests and reports of a training run, and the checkpoints from which an interrupted run resumes.

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
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from engine.corpus.types import CorpusFile, CorpusRules
from engine.runtime.atomic_files import write_atomic
from engine.runtime.private_folders import make_folder
from engine.training.types import TrainingSettings
from gui.core.versioned_document import DamagedFile, is_newer, read_document

if TYPE_CHECKING:
    from engine.corpus.types import CorpusFile, CorpusSurvey
    from engine.training.types import Merge, TrainingCurve, TrainingProgress

Ending = Literal["done", "stopped", "paused", "closing"]
"""How a job on a run ended.

``done``: the run is complete. ``stopped``: the user wants the result so far. ``paused``: it may be resumed.
``closing``: the window closes; a checkpoint holds the run.
"""


class Run(Protocol):
    """The subset of ``engine.TrainingRun`` that the window uses."""

    @property
    def done(self) -> bool: ...

    def advance(self, seconds: float) -> TrainingProgress: ...

    def merges(self, since: int = 0) -> Sequence[Merge]: ...

    def curve(self) -> TrainingCurve: ...

    def encoding(self, name: str) -> Any: ...

    def save(self, path: Path) -> None: ...


class Trainer(Protocol):
    """Factory of runs, which also saves their results. Called on a worker thread."""

    def prepare(self, cancel_check: Callable[[], None], compiling: Callable[[], None]) -> None:
        """Make available what a run needs.

        If that takes long, ``compiling`` is called first, and ``cancel_check`` repeatedly; an exception that it raises
        cancels.
        """

    def ready(self) -> AbstractContextManager[None]:
        """Return the context in which runs are advanced."""

    def make_run(self, plan: TrainingPlan, resume_from: Path | None) -> Run:
        """Return a new run, or the run of a checkpoint. Raises EngineError or OSError."""

    def keep(self, run: Run, plan: TrainingPlan) -> KeptEncoding:
        """Build an encoding from the merges of a run, and save it."""


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
    here. ``held_back``: files held out of training, to evaluate the result on.
    """

    name: str
    paths: tuple[Path, ...]
    settings: TrainingSettings
    rules: CorpusRules = field(default_factory=CorpusRules)
    threads: int | None = None
    dask: str = ""
    held_back: tuple[CorpusFile, ...] = ()
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
    window already has. ``place``: folder for checkpoints, None if nothing can be written.
    """

    plan: TrainingPlan
    control: RunControl
    run: Run | None = None
    resume_from: Path | None = None
    known: int = 0
    seconds: float = 0.0
    place: Path | None = None


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
    """How a job on a run ended. ``run``: the run to resume after a pause.

    ``kept``: the result; None after a pause, or if no merge was made yet.
    """

    ending: Ending
    run: Run
    snapshot: TrainingSnapshot
    kept: KeptEncoding | None = None


STATE = "training.run"
PLAN = "training.json"
VERSION = 1
MAX_WAITING = 9


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A run that can be resumed: its plan, when it was saved, and its progress."""

    state: Path
    plan: TrainingPlan
    saved: datetime
    merges: int
    seconds: float


def save_checkpoint(folder: Path, plan: TrainingPlan, run: Run, merges: int, seconds: float) -> None:
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
    found = (find_checkpoint(place) for place in _places(session))
    return [checkpoint for checkpoint in found if checkpoint is not None]


def newer_checkpoints(session: Path) -> list[Path]:
    """Return the folders of checkpoints that a newer version of the program wrote, and that only it can resume."""
    return [place for place in _places(session) if _is_newer(place)]


def _is_newer(place: Path) -> bool:
    try:
        return is_newer(read_document(place / PLAN), VERSION)
    except (OSError, DamagedFile):
        return False


def free_place(session: Path) -> Path:
    """Return the folder for the checkpoints of a new run.

    Checkpoints of newer versions are never overwritten, other pending ones only if all folders are in use.
    """
    *places, last = [place for place in _places(session) if not _is_newer(place)] or _places(session)[-1:]
    return next((place for place in places if not (place / PLAN).exists()), last)


def _places(session: Path) -> list[Path]:
    return [session, *(session / f"run-{number}" for number in range(2, MAX_WAITING + 1))]


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
        "held_back": [[str(file.path), file.file_bytes, file.encoding] for file in plan.held_back],
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
        held_back=tuple(CorpusFile(Path(path), size, encoding) for path, size, encoding in raw["held_back"]),
    )
