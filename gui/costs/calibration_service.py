"""Samples of billed usage: parsed from API responses, saved in the profile, removed again.

These functions run in job lanes. ``pricing.calibration`` defines how a sample changes a count.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.core.model_counts import mix_of
from gui.core.profile_files import DamagedFile, Document, is_newer, read_document
from gui.state.storage import SharedFile

if TYPE_CHECKING:
    from engine.text.kinds import TextSample
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket
    from gui.state.storage import Storage
    from pricing.calibration import Kind, Sample, Usage
    from pricing.types import CountRule, Model


VERSION = 1

CALIBRATED_LABELS = frozenset({"assumed", "estimated"})
"""Qualities of counts that are not the vendor's own."""


@dataclass(frozen=True, slots=True)
class UsageRequest:
    """Pasted ``usage`` of a text with these counts by encoding.

    ``model``: the model chosen, if any; used if the usage names none, or with ``insists``. ``known``: all models of the
    price table. ``text``: a sample of the text. ``kind``: kind of text chosen, None to detect it. ``framing``: tokens
    of the request besides the text. ``kept``: the saved samples.
    """

    pasted: str
    model: Model | None
    insists: bool
    known: tuple[Model, ...]
    counts: Mapping[str, int | None]
    text: TextSample | None
    kind: Kind | None
    framing: int
    day: date
    kept: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class UsageReading:
    """Result of parsing a pasted usage. ``usage`` is set if it could be read; ``sample`` if it is informative, with the
    counting rules before and after it, else ``why`` not. ``model``: model of the sample, None if it must be chosen."""

    kind: Kind
    usage: Usage | None = None
    model: Model | None = None
    sample: Sample | None = None
    before: CountRule | None = None
    after: CountRule | None = None
    why: str = ""


def read_usage(request: UsageRequest, _ticket: Ticket | None = None) -> UsageReading:
    """Parse the pasted usage and calculate its effect on counts."""
    from pricing.calibration import CalibrationError, TextMix, UsageError, make_sample, parse_usage, rule_for

    mix = mix_of(request.text) if request.text is not None else TextMix.only("other")
    if request.kind is not None and request.kind != mix.main:
        mix = TextMix.only(request.kind)
    kind = mix.main
    if not request.pasted.strip():
        return UsageReading(kind)
    try:
        usage = parse_usage(request.pasted)
    except UsageError as error:
        return UsageReading(kind, why=str(error))
    model, why = _model_of(usage, request)
    if model is None:
        return UsageReading(kind, usage, why=why)
    counted = request.counts.get(model.count.tokenizer or "")
    if counted is None and model.count.tokenizer is not None:
        return UsageReading(kind, usage, model, why="still counting the prompt for this model")
    try:
        sample = make_sample(model, kind, counted or 0, usage, request.day, request.framing)
    except CalibrationError as error:
        return UsageReading(kind, usage, model, why=str(error))
    before, after = (rule_for(model, mix, samples) for samples in (request.kept, (*request.kept, sample)))
    return UsageReading(kind, usage, model, sample, before, after)


def _model_of(usage: Usage, request: UsageRequest) -> tuple[Model | None, str]:
    """Return the billed model: the one that the usage names, or the one chosen. Returns None and why if it must be
    chosen."""
    if request.insists or not usage.model:
        return request.model, "" if request.model else "the usage names no model: choose the billed one"
    from pricing import AmbiguousModelError, Catalog, UnknownModelError

    catalog = Catalog(request.known)
    name = usage.model.removeprefix("models/")
    vendor = {"Anthropic": "anthropic", "Gemini": "google"}.get(usage.api, "openai")
    for model_id in (f"{vendor}/{name}", name):
        with contextlib.suppress(UnknownModelError, AmbiguousModelError):
            found = catalog.find(model_id)
            if found.count.label in CALIBRATED_LABELS:
                return found, ""
            if found.count.tokenizer is not None:
                return None, f"nothing to calibrate: {found.id} is counted with its vendor's own tokenizer"
    return None, f"the usage is for {usage.model}, which is not in the price table: choose the billed model"


def load(path: Path, _ticket: Ticket | None = None) -> tuple[Sample, ...]:
    """Load the samples of a file; none if it does not exist. Raises OSError, DamagedFile and CalibrationError."""
    from pricing.calibration import CalibrationError, samples_of

    document = read_document(path)
    if is_newer(document, VERSION):
        raise CalibrationError(f"{path} was saved by a newer version of Tokenloupe. It was not changed")
    return samples_of(document) if document else ()


class Calibrations(QObject):
    """Samples of one profile.

    Signals: ``changed()`` when samples were added or removed; ``read(UsageReading)``; ``failed(str)`` with the reason.
    """

    changed = Signal()
    read = Signal(object)
    failed = Signal(str)

    def __init__(self, path: Path, runner: JobRunner, storage: Storage, parent: QObject | None = None) -> None:
        """``storage``: has no other user."""
        super().__init__(parent)
        self._file = SharedFile(path, VERSION, self)
        self._file.use_storage(storage)
        self._file.written.connect(self._on_written)
        self._file.failed.connect(self.failed)
        self.samples: tuple[Sample, ...] = ()
        self._reading = runner.conflated(self.tr("Reading a usage"), read_usage)
        self._reading.finished.connect(self._on_read)
        self._loading = runner.background(self.tr("Reading the calibration"), load)
        self._loading.finished.connect(self._on_loaded)
        for lane in (self._reading, self._loading):
            lane.failed.connect(self._on_failed)
        self._loading.submit(path)

    def ask(self, request: UsageRequest) -> None:
        """Parse a pasted usage; only the newest request is answered."""
        self._reading.submit(request)

    def add(self, sample: Sample) -> None:
        """Add a sample."""
        self._keep((*self.samples, sample), added=(sample,))

    def remove(self, indices: Collection[int]) -> None:
        """Remove the samples at these indices."""
        gone = tuple(sample for index, sample in enumerate(self.samples) if index in indices)
        self._keep(tuple(sample for index, sample in enumerate(self.samples) if index not in indices), gone=gone)

    def _keep(self, samples: tuple[Sample, ...], added: Sequence[Sample] = (), gone: Sequence[Sample] = ()) -> None:
        from pricing.calibration import CalibrationError, changed_samples

        def with_ours(document: Document) -> None:
            try:
                changed_samples(document, added, gone)
            except CalibrationError as error:
                raise DamagedFile(str(error)) from error

        self.samples = samples
        self._file.change(with_ours)
        self.changed.emit()

    @Slot(object)
    def _on_written(self, document: Document) -> None:
        """Apply samples that other windows have added."""
        from pricing.calibration import samples_of

        if self._file.is_busy:
            return
        samples = samples_of(document)
        if samples != self.samples:
            self.samples = samples
            self.changed.emit()

    @Slot(object)
    def _on_loaded(self, result: JobResult) -> None:
        self.samples = (*result.value, *(sample for sample in self.samples if sample not in result.value))
        if result.value:
            self.changed.emit()

    @Slot(object)
    def _on_read(self, result: JobResult) -> None:
        self.read.emit(result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.why)
