"""What the window asks of a training run and what it hears of it. Frozen; no Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from engine.training_types import CorpusRules, TrainingSettings

if TYPE_CHECKING:
    from engine.training_types import CorpusFile, CorpusSurvey, Merge, TrainingCurve, TrainingProgress

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

    def prepare(self, still_wanted: Callable[[], None], compiling: Callable[[], None]) -> None:
        """Have everything at hand that a run needs. Where that takes long, ``compiling`` is called before it begins and
        ``still_wanted`` all the while; what that raises ends it."""

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

    ``survey``: what the paths hold, where somebody looked already; then only its files are trained on.
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
