"""The checkpoint of a run: what a crash leaves to go on from. No Qt.

Two files in the session's folder: the state of the run as the engine writes it, and beside it a few lines of JSON with
the plan, so that a start can tell what it was without reading the state. Each is replaced as a whole, the lines last.
A run that begins while another one waits to be taken up has a folder of its own for them in that of the session.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.atomic_file import write_atomic
from engine.private_folders import make_folder
from engine.training_types import CorpusFile, CorpusRules, TrainingSettings
from gui.core.versioned_document import DamagedFile, is_newer, read_document
from gui.tokenizers.train.plan import TrainingPlan

if TYPE_CHECKING:
    from gui.tokenizers.train.plan import Run

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
    """Forget the checkpoint: the run is through, or nobody wants it. One that cannot be removed is offered again."""
    from engine.half_written import clear_half_written

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
