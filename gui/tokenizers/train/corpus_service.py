"""Looks through a folder before training on it: which files, how much, what it will take, and a text to look at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from engine.training_types import CorpusRules, TrainingSettings
from gui.tokenizers.train.preview_service import PreviewRequest, preview_split

if TYPE_CHECKING:
    from engine.training_types import CorpusFile, CorpusSurvey, TrainingForecast
    from gui.runtime.jobs import JobFailure, JobProgress, JobResult, JobRunner, Ticket


LEAST_OF_SHARE = 0.2
"""The part of what was to be held back that must be found for it: a folder may have one small file beside big ones."""


@dataclass(frozen=True, slots=True)
class SurveyRequest:
    """Folders and files to look through, and the rules for them."""

    paths: tuple[Path, ...]
    rules: CorpusRules


@dataclass(frozen=True, slots=True)
class ForecastRequest:
    """What training on a corpus with these settings would take. ``threads``: as in a plan."""

    survey: CorpusSurvey
    settings: TrainingSettings
    threads: int | None = None


class RefusedFolder(Exception):
    """A folder cannot be looked through; the text is a sentence for the user."""


class CorpusService(QObject):
    """Surveys, forecasts and previews, each in a lane of its own; only the newest request of each is answered for.

    Signals: ``surveyed(SurveyRequest, CorpusSurvey)``, ``survey_failed(str)`` with a sentence, ``looking(str)`` with
    what has been found so far, ``forecast_made(TrainingForecast)``, ``forecast_failed(str)`` with a sentence,
    ``previewed(SplitPreview)``, ``preview_failed(str)``.
    """

    surveyed = Signal(object, object)
    survey_failed = Signal(str)
    looking = Signal(str)
    forecast_made = Signal(object)
    forecast_failed = Signal(str)
    previewed = Signal(object)
    preview_failed = Signal(str)

    def __init__(self, runner: JobRunner, kernels: Path | None = None, parent: QObject | None = None) -> None:
        """``kernels``: the folder of compiled kernels."""
        super().__init__(parent)
        self._surveys = runner.conflated(self.tr("Looking through the folder"), survey_corpus)
        self._surveys.finished.connect(self._on_surveyed)
        self._surveys.failed.connect(self._on_survey_failed)
        self._surveys.progressed.connect(self._on_progressed)
        self._surveys.cancelled.connect(self._on_cancelled)
        self._forecasts = runner.conflated(self.tr("Forecasting"), partial(forecast_training, kernels))
        self._forecasts.finished.connect(self._on_forecast)
        self._forecasts.failed.connect(self._on_forecast_failed)
        self._forecasts.cancelled.connect(self._on_forecast_cancelled)
        self._previews = runner.conflated(self.tr("Splitting the preview"), preview_split)
        self._previews.finished.connect(self._on_previewed)
        self._previews.failed.connect(self._on_preview_failed)
        self._wanted: SurveyRequest | None = None
        self._wanted_forecast: ForecastRequest | None = None
        self._wanted_preview: PreviewRequest | None = None

    def survey(self, request: SurveyRequest) -> None:
        """Look through a folder; a survey under way of another one ends."""
        self._wanted = request
        self._surveys.cancel()
        self._surveys.submit(request)

    def forget(self) -> None:
        """No survey is wanted any more."""
        self._wanted = None
        self._surveys.cancel()
        self.forget_forecast()

    def forget_forecast(self) -> None:
        """No forecast is wanted any more."""
        self._wanted_forecast = None
        self._forecasts.cancel()

    def forecast(self, request: ForecastRequest) -> None:
        """Foretell what a run would take."""
        self._wanted_forecast = request
        self._forecasts.cancel()
        self._forecasts.submit(request)

    def preview(self, request: PreviewRequest) -> None:
        """Show how a file would be split."""
        self._wanted_preview = request
        self._previews.submit(request)

    @Slot(object)
    def _on_previewed(self, result: JobResult) -> None:
        if result.request is self._wanted_preview:
            self.previewed.emit(result.value)

    @Slot(object)
    def _on_preview_failed(self, failure: JobFailure) -> None:
        if failure.request is self._wanted_preview:
            self.preview_failed.emit(failure.why)

    @Slot(object)
    def _on_surveyed(self, result: JobResult) -> None:
        if result.request is self._wanted:
            self.surveyed.emit(result.request, result.value)

    @Slot(object)
    def _on_survey_failed(self, failure: JobFailure) -> None:
        if failure.request is self._wanted:
            self.survey_failed.emit(failure.why)

    @Slot(object)
    def _on_cancelled(self, request: SurveyRequest) -> None:
        if request is self._wanted:
            # Nobody asked for another folder: someone stopped this among all jobs.
            self.survey_failed.emit(self.tr("Stopped before the folder was looked through."))

    @Slot(object)
    def _on_progressed(self, progress: JobProgress) -> None:
        if progress.request is self._wanted:
            self.looking.emit(progress.note)

    @Slot(object)
    def _on_forecast(self, result: JobResult) -> None:
        if result.request is self._wanted_forecast:
            self.forecast_made.emit(result.value)

    @Slot(object)
    def _on_forecast_failed(self, failure: JobFailure) -> None:
        if failure.request is self._wanted_forecast:
            self.forecast_failed.emit(failure.why)

    @Slot(object)
    def _on_forecast_cancelled(self, request: ForecastRequest) -> None:
        if request is self._wanted_forecast:
            self.forecast_failed.emit(self.tr("It was stopped."))


def survey_corpus(request: SurveyRequest, ticket: Ticket) -> CorpusSurvey:
    """Look through folders. On a worker thread. Raises RefusedFolder, EngineError."""
    from engine.corpus import survey

    def report(files: int, _file_bytes: int) -> None:
        ticket.progress(-1.0, f"{files:,}")

    try:
        return survey(request.paths, request.rules, report)
    except FileNotFoundError as error:
        raise RefusedFolder(_tr("There is no file or folder {path}.").format(path=error.filename)) from None
    except OSError as error:
        words = _tr("{path} cannot be looked through: {why}.")
        raise RefusedFolder(words.format(path=error.filename, why=error.strerror or error)) from None


def forecast_training(kernels: Path | None, request: ForecastRequest, ticket: Ticket) -> TrainingForecast:
    """Foretell what training would take. On a worker thread. Raises EngineError, JobCancelled."""
    from engine.kernels.cache_folder import kept_in
    from engine.training_forecast import forecast

    with kept_in(kernels):
        return forecast(request.survey, request.settings, request.threads, lambda: ticket.progress(-1.0))


def held_back(survey: CorpusSurvey, share: float) -> tuple[CorpusSurvey, tuple[CorpusFile, ...]]:
    """A survey without some ``share`` of its bytes, and the files that were taken out.

    Which ones depends on their names alone, so the same folder is parted alike each time. Files that others repeat
    stay: a vocabulary would have seen what it is measured on. Nothing is taken where that would be more than the share,
    or so much less of it that figures would hang on a page or two.
    """
    repeated = {file.duplicate_of for file in survey.files if file.duplicate_of is not None}
    single = [file for file in survey.files if file.duplicate_of is None and file.path not in repeated]
    left = share * survey.file_bytes
    taken = []
    for file in sorted(single, key=lambda file: sha256(file.path.name.encode("utf-8", "replace")).digest()):
        if file.file_bytes <= left:
            taken.append(file)
            left -= file.file_bytes
    if left > (1 - LEAST_OF_SHARE) * share * survey.file_bytes:
        return survey, ()
    paths = {file.path for file in taken}
    kept = tuple(file for file in survey.files if file.path not in paths)
    return replace(survey, files=kept, file_bytes=sum(file.file_bytes for file in kept)), tuple(taken)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Corpus", text)
