"""Samples of what providers billed: read from their answers, kept in the profile, taken out again.

The work of lanes. How a sample changes a count is in ``pricing.calibration``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

if TYPE_CHECKING:
    from gui.jobs import JobFailure, JobResult, JobRunner, Ticket
    from gui.storage import Storage
    from pricing.calibration import Kind, Sample, Usage
    from pricing.types import CountRule, Model


@dataclass(frozen=True, slots=True)
class UsageRequest:
    """What somebody pasted as the ``usage`` of a text with these counts by encoding.

    ``head``: the beginning of the text. ``kind``: what it is taken for, None for what it looks like. ``framing``:
    tokens that the request had around the text. ``kept``: the samples there are.
    """

    pasted: str
    model: Model
    counts: Mapping[str, int | None]
    head: str
    kind: Kind | None
    framing: int
    day: date
    kept: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class UsageReading:
    """What was pasted, in one form: ``usage`` where it could be read, ``sample`` where it teaches anything, with the
    rules of counting before and after it, else ``why`` not.
    """

    kind: Kind
    usage: Usage | None = None
    sample: Sample | None = None
    before: CountRule | None = None
    after: CountRule | None = None
    why: str = ""


def read_usage(request: UsageRequest, _ticket: Ticket | None = None) -> UsageReading:
    """Read what was pasted, and work out what it would change."""
    from pricing.calibration import CalibrationError, UsageError, kind_of, make_sample, parse_usage, rule_for

    model = request.model
    kind = request.kind or kind_of(request.head)
    if not request.pasted.strip():
        return UsageReading(kind)
    try:
        usage = parse_usage(request.pasted)
    except UsageError as error:
        return UsageReading(kind, why=str(error))
    counted = request.counts.get(model.count.tokenizer or "")
    if counted is None and model.count.tokenizer is not None:
        return UsageReading(kind, usage, why="the prompt is still being counted for this model")
    try:
        sample = make_sample(model, kind, counted or 0, usage, request.day, request.framing)
    except CalibrationError as error:
        return UsageReading(kind, usage, why=str(error))
    before, after = (rule_for(model, kind, samples) for samples in (request.kept, (*request.kept, sample)))
    return UsageReading(kind, usage, sample, before, after)


def load(path: Path, _ticket: Ticket | None = None) -> tuple[Sample, ...]:
    """The samples of a file, none where there is no file. Raises OSError and CalibrationError."""
    from pricing.calibration import CalibrationError, load_samples

    try:
        return load_samples(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    except UnicodeDecodeError as error:
        raise CalibrationError(f"the saved calibration is damaged: {error.reason}") from error


class Calibrations(QObject):
    """The samples of one profile.

    Signals: ``changed()`` when there are others; ``read(UsageReading)``; ``failed(str)`` with a reason.
    """

    changed = Signal()
    read = Signal(object)
    failed = Signal(str)

    def __init__(self, path: Path, runner: JobRunner, storage: Storage, parent: QObject | None = None) -> None:
        """``storage``: belongs to this alone."""
        super().__init__(parent)
        self._path, self._storage = path, storage
        self.samples: tuple[Sample, ...] = ()
        self._reading = runner.conflated(self.tr("Reading a usage"), read_usage)
        self._reading.finished.connect(self._on_read)
        self._loading = runner.background(self.tr("Reading the calibration"), load)
        self._loading.finished.connect(self._on_loaded)
        for lane in (self._reading, self._loading):
            lane.failed.connect(self._on_failed)
        storage.failed.connect(self._on_not_written)
        self._loading.submit(path)

    def ask(self, request: UsageRequest) -> None:
        """Read what was pasted, soon; of several the newest."""
        self._reading.submit(request)

    def add(self, sample: Sample) -> None:
        """Keep a sample."""
        self._keep((*self.samples, sample))

    def remove(self, places: Collection[int]) -> None:
        """Forget the samples at these places."""
        self._keep(tuple(sample for place, sample in enumerate(self.samples) if place not in places))

    def _keep(self, samples: tuple[Sample, ...]) -> None:
        from pricing.calibration import save_samples

        self.samples = samples
        self._storage.write(self._path, save_samples(samples), keep_backup=True)
        self.changed.emit()

    @Slot(object)
    def _on_loaded(self, result: JobResult) -> None:
        self.samples = (*result.value, *self.samples)
        if result.value:
            self.changed.emit()

    @Slot(object)
    def _on_read(self, result: JobResult) -> None:
        self.read.emit(result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.why)

    @Slot(object, str)
    def _on_not_written(self, _path: Path, why: str) -> None:
        self.failed.emit(why)
