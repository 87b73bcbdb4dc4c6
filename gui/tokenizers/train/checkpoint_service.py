"""What a training run is asked for and reports, and the checkpoints from which an interrupted one resumes.

Two files in the session's folder: the state of the run as the engine writes it, and beside it a few lines of JSON with
the plan, so that a start can tell what it was without reading the state. Each is replaced as a whole, the lines last.
A run that begins while another one waits to be taken up has a folder of its own for them in that of the session.
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
"""How a job on a run ended. ``done``: the run is through. ``stopped``: the user wants what there is. ``paused``: it
goes on later. ``closing``: the window closes; a checkpoint holds the run."""


class Run(Protocol):
    """The part of ``engine.TrainingRun`` that the window uses."""

    @property
    def done(self) -> bool: ...

    def advance(self, seconds: float) -> TrainingProgress: ...

    def merges(self, since: int = 0) -> Sequence[Merge]: ...

    def curve(self) -> TrainingCurve: ...

    def encoding(self, name: str) -> Any: ...

    def save(self, path: Path) -> None: ...


class Trainer(Protocol):
    """What makes runs, and keeps what they learn. Called on a worker thread."""

    def prepare(self, cancel_check: Callable[[], None], compiling: Callable[[], None]) -> None:
        """Have everything at hand that a run needs. Where that takes long, ``compiling`` is called before it begins and
        ``cancel_check`` all the while; what that raises ends it."""

    def ready(self) -> AbstractContextManager[None]:
        """A context in which runs are worked on."""

    def make_run(self, plan: TrainingPlan, resume_from: Path | None) -> Run:
        """A run, or the one of a checkpoint. EngineError, OSError."""

    def keep(self, run: Run, plan: TrainingPlan) -> KeptEncoding:
        """Make an encoding of what a run has learned, and keep it."""


@dataclass(frozen=True, slots=True)
class KeptEncoding:
    """What a run learned: the encoding, by its name among all encodings. ``unkept``: why it will not be there at the
    next start, empty where it will. ``hash``: the same for the same texts and settings."""

    encoding: Any
    name: str
    unkept: str = ""
    hash: str = ""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """A run to be made: ``name`` for the encoding, ``paths`` of the texts, and the rules and settings for them.

    ``survey``: what the paths hold, if they were already scanned; then only its files are trained on.
    ``threads``: None for as many as the machine has cores. ``dask``: the address of a scheduler whose workers count
    in place of this machine; a run that is taken up again counts here. ``held_back``: files that are not trained on,
    so that the result can be measured on text it has not seen.
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
    """What the user wants of a run that is under way. Written by the GUI thread, read by the worker between slices.

    ``taken``: whether the newest snapshot has been shown. The worker waits with the next one until it has, so that a
    busy window gets fewer of them and not a queue.
    """

    def __init__(self) -> None:
        self.pause = False
        self.stop = False
        self.taken = True


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Work on a run until it is through or the control says otherwise.

    ``run`` is None for a new one; ``resume_from`` is the checkpoint to take up instead. ``known`` is how many of its
    merges the window has already. ``place``: the folder for its checkpoints, None where nothing can be written.
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
    """A moment of a run. ``merges``: those since the snapshot before. ``seconds``: work so far, pauses left out.

    ``unsaved``: why the newest checkpoint could not be written, empty where it was. ``keeping``: no merge follows, and
    an encoding is being made of them.
    """

    progress: TrainingProgress
    merges: Sequence[Merge]
    curve: TrainingCurve
    seconds: float
    unsaved: str = ""
    keeping: bool = False


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a job on a run ended. ``run`` goes on from here after a pause; ``kept`` is what was learned.

    ``kept`` is None after a pause, and where nothing was learned yet.
    """

    ending: Ending
    run: Run
    snapshot: TrainingSnapshot
    kept: KeptEncoding | None = None


STATE = "training.run"
PLAN = "training.json"
VERSION = 1
MOST_WAITING = 9


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A run that can be taken up again: its plan, when it was saved, and how far it was."""

    state: Path
    plan: TrainingPlan
    saved: datetime
    merges: int
    seconds: float


def save_checkpoint(folder: Path, plan: TrainingPlan, run: Run, merges: int, seconds: float) -> None:
    """Write a checkpoint over the last one, which stays whole until this one is. Raises OSError."""
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
    """The checkpoint in a folder, None where there is none or it makes no sense."""
    try:
        raw = json.loads((folder / PLAN).read_bytes())
        if raw["version"] != VERSION or not (folder / STATE).is_file():
            return None
        saved = datetime.fromisoformat(raw["saved"])
        return Checkpoint(folder / STATE, _plan_of(raw["plan"]), saved, int(raw["merges"]), float(raw["seconds"]))
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def find_checkpoints(session: Path) -> list[Checkpoint]:
    """All that wait in the folder of a session, in the order in which their runs began there."""
    found = (find_checkpoint(place) for place in _places(session))
    return [checkpoint for checkpoint in found if checkpoint is not None]


def newer_checkpoints(session: Path) -> list[Path]:
    """Folders whose checkpoint a newer version of the program wrote: only that can go on with it."""
    return [place for place in _places(session) if _is_newer(place)]


def _is_newer(place: Path) -> bool:
    try:
        return is_newer(read_document(place / PLAN), VERSION)
    except (OSError, DamagedFile):
        return False


def free_place(session: Path) -> Path:
    """Where the checkpoints of a new run go, so that none which waits is overwritten; the last place is, if need be,
    but none that a newer version wrote."""
    *places, last = [place for place in _places(session) if not _is_newer(place)] or _places(session)[-1:]
    return next((place for place in places if not (place / PLAN).exists()), last)


def _places(session: Path) -> list[Path]:
    return [session, *(session / f"run-{number}" for number in range(2, MOST_WAITING + 1))]


def drop_checkpoint(folder: Path) -> None:
    """Forget the checkpoint: the run has ended, or it is not wanted. One that cannot be removed is offered again."""
    from engine.runtime.atomic_files import clear_half_written

    with contextlib.suppress(OSError):
        (folder / PLAN).unlink(missing_ok=True)
        (folder / STATE).unlink(missing_ok=True)
    clear_half_written(folder)


def _as_json(plan: TrainingPlan) -> dict[str, Any]:
    """The plan but for its survey, which is part of the run's own state."""
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
