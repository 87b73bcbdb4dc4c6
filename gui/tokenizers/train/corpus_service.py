"""Surveys of the folder to train on, forecasts of a run, and previews of the split of its texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from engine.corpus.types import CorpusRules
from engine.split.patterns import TRAINED
from engine.training.types import TrainingSettings
from gui.core.token_text import visible_text
from gui.editor.offsets import document_text, pretoken_patch, stored_to_document
from gui.runtime.jobs import NewestRequest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.corpus.types import CorpusFile, CorpusSurvey
    from engine.training.types import TrainingForecast, TrainingSettings
    from engine.types import TokenPatch
    from gui.runtime.jobs import JobRunner, Ticket

PUBLISHED_PATTERNS = tuple((known.trained_as, known.description) for known in TRAINED)
"""Split patterns that training offers: name and description of each."""
PREVIEW_BYTES = 16_384
"""Maximum size of a preview, in bytes: about three hundred lines."""
SECONDS = 2.0
"""Time limit of a preview, in seconds. A pattern that needs more for so little text would never finish a folder."""
_CHECK_EVERY = 128
"""Characters between cancellation checks, which also yield the GIL: normalizing a character takes some microseconds."""


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """A file to preview; None to check only the settings."""

    file: CorpusFile | None
    settings: TrainingSettings


@dataclass(frozen=True, slots=True, eq=False)
class SplitPreview:
    """A text as it would be trained on, with its pretokens.

    ``text``: normalized, with metaspaces if trained with them, as an editor holds it. ``patch``: its pretokens as
    tokens (``pretoken_patch``); None if there are none. ``utf8_bytes``: of all pretokens; a metaspace counts as the
    space that it represents.

    ``changes``: replacements of normalization, with invisible characters shown: before, after, count; most frequent
    first. ``changed_starts``, ``changed_ends``: their offsets in ``text``, in UTF-16 units. ``pattern_problem``,
    ``file_problem``: a sentence each, empty if there is no problem.
    """

    text: str = ""
    patch: TokenPatch | None = None
    pretokens: int = 0
    utf8_bytes: int = 0
    dropped_characters: int = 0
    changes: tuple[tuple[str, str, int], ...] = ()
    changed_starts: Sequence[int] = ()
    changed_ends: Sequence[int] = ()
    pattern_problem: str = ""
    file_problem: str = ""


def preview_split(request: PreviewRequest, _ticket: Ticket | None = None) -> SplitPreview:
    """Read, normalize and split the beginning of a file."""
    import engine
    from engine.split.patterns import split_named
    from engine.split.pretokenization import pretokenizer
    from engine.text.offsets import pairs
    from engine.training.settings import signs_for

    expression = split_named(request.settings.pattern).expression
    problem = ""
    try:
        splitter = pretokenizer(expression)
    except engine.EngineError as error:
        problem = str(error)
    if request.file is None:
        return SplitPreview(pattern_problem=problem)
    try:
        stored = _beginning(request.file)
    except (engine.EngineError, OSError) as error:
        return SplitPreview(pattern_problem=problem, file_problem=str(error))
    normalised, changes, starts, ends = _normalised(stored, request.settings)
    signs = signs_for(request.settings)
    trained = normalised if signs is None else signs(normalised)
    in_front = len(trained) - len(normalised)  # a metaspace is as long as a space
    shown = {
        "text": document_text(trained),
        "changes": changes,
        "changed_starts": stored_to_document(starts + in_front, trained),
        "changed_ends": stored_to_document(ends + in_front, trained),
    }
    if problem:
        return SplitPreview(**shown, pattern_problem=problem)
    try:
        spans = splitter.char_spans(trained, SECONDS)
    except engine.EngineError as error:
        return SplitPreview(**shown, pattern_problem=str(error))
    utf8_bytes = sum(_utf8_bytes(trained[start:end]) for start, end in pairs(spans))
    utf8_bytes -= _utf8_bytes(trained) - _utf8_bytes(normalised)
    dropped = len(trained) - int((spans[:, 1] - spans[:, 0]).sum())
    patch = pretoken_patch(trained, spans)
    return SplitPreview(**shown, patch=patch, pretokens=len(spans), utf8_bytes=utf8_bytes, dropped_characters=dropped)


def _utf8_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _beginning(file: CorpusFile) -> str:
    """Return the first lines of a file as they would be trained on."""
    from engine.corpus.files import read_blocks

    block = next(iter(read_blocks(file, PREVIEW_BYTES)), b"")
    text = block.decode("utf-8", "replace")
    whole_lines = text.rfind("\n") + 1
    return text[:whole_lines] if whole_lines and len(block) < file.file_bytes else text


def _normalised(
    text: str, settings: TrainingSettings
) -> tuple[str, tuple[tuple[str, str, int], ...], NDArray[np.int64], NDArray[np.int64]]:
    """Return the normalized text, the replacements, and their starts and ends in UTF-16 units of the result.

    Compares grapheme by grapheme, so that a change is something a user can see.
    """
    import numpy as np

    from engine.runtime.cancellation import interruptible
    from engine.text.normalization import clusters, normalizer

    nowhere = np.empty(0, np.int64)
    normalize = normalizer(settings.normalization, settings.lowercase, settings.strip_accents)
    whole = normalize(text)
    if whole == text:
        return text, (), nowhere, nowhere
    found: Counter[tuple[str, str]] = Counter()
    graphemes, starts, ends, offset = [], [], [], 0  # offset in UTF-16 units
    for before in interruptible(clusters(text), _CHECK_EVERY):
        after = normalize(before)
        units = len(after.encode("utf-16-le", "surrogatepass")) // 2
        if after != before:
            found[before, after] += 1
            starts.append(offset)
            ends.append(offset + units)
        graphemes.append(after)
        offset += units
    if "".join(graphemes) != whole:  # neighbours affected a grapheme: rare, and not attributable to it
        return whole, (), nowhere, nowhere
    changes = tuple((_spelled(before), _spelled(after), count) for (before, after), count in found.most_common())
    return whole, changes, np.array(starts, np.int64), np.array(ends, np.int64)


def _spelled(grapheme: str) -> str:
    """Return a grapheme, as separate code points if its appearance is ambiguous."""
    if len(grapheme) == 1:
        return visible_text(grapheme)
    return "+".join(visible_text(character) for character in grapheme)


MIN_OF_SHARE = 0.2
"""Minimum part of the requested share to hold out: a folder may have one small file among large ones."""


@dataclass(frozen=True, slots=True)
class SurveyRequest:
    """Folders and files to scan, and the rules for them."""

    paths: tuple[Path, ...]
    rules: CorpusRules


@dataclass(frozen=True, slots=True)
class ForecastRequest:
    """A corpus and settings to forecast. ``threads``: as in a plan."""

    survey: CorpusSurvey
    settings: TrainingSettings
    threads: int | None = None


class RefusedFolder(Exception):
    """A folder that cannot be scanned; the text is a sentence for the user."""


class CorpusService(QObject):
    """Surveys, forecasts and previews, each in its own lane; only the newest request of each is answered.

    Signals: ``surveyed(CorpusSurvey)``, ``survey_failed(str)`` with a sentence, ``looking(str)`` with
    the number of files found so far, ``forecast_made(TrainingForecast)``, ``forecast_failed(str)`` with a sentence,
    ``previewed(SplitPreview)``, ``preview_failed(str)``.
    """

    surveyed = Signal(object)
    survey_failed = Signal(str)
    looking = Signal(str)
    forecast_made = Signal(object)
    forecast_failed = Signal(str)
    previewed = Signal(object)
    preview_failed = Signal(str)

    def __init__(self, runner: JobRunner, kernels: Path | None = None, parent: QObject | None = None) -> None:
        """``kernels``: the folder of compiled kernels."""
        super().__init__(parent)
        self._surveys = NewestRequest(runner.conflated(self.tr("Scanning the folder"), survey_corpus))
        self._surveys.answered.connect(self.surveyed)
        self._surveys.failed.connect(self.survey_failed)
        self._surveys.progressed.connect(self._on_progressed)
        self._surveys.cancelled.connect(self._on_cancelled)
        forecast = partial(forecast_training, kernels)
        self._forecasts = NewestRequest(runner.conflated(self.tr("Forecasting"), forecast))
        self._forecasts.answered.connect(self.forecast_made)
        self._forecasts.failed.connect(self.forecast_failed)
        self._forecasts.cancelled.connect(self._on_forecast_cancelled)
        self._previews = NewestRequest(runner.conflated(self.tr("Splitting the preview"), preview_split))
        self._previews.answered.connect(self.previewed)
        self._previews.failed.connect(self.preview_failed)

    def survey(self, request: SurveyRequest) -> None:
        """Scan a folder; cancels the previous scan."""
        self._surveys.submit(request, cancel=True)

    def forget(self) -> None:
        """Cancel the survey and the forecast."""
        self._surveys.forget()
        self.forget_forecast()

    def forget_forecast(self) -> None:
        """Cancel the forecast."""
        self._forecasts.forget()

    def forecast(self, request: ForecastRequest) -> None:
        """Forecast the time and memory of a run."""
        self._forecasts.submit(request, cancel=True)

    def preview(self, request: PreviewRequest) -> None:
        """Preview the split of a file."""
        self._previews.submit(request)

    @Slot()
    def _on_cancelled(self) -> None:
        # Without another request, the user cancelled this one in the list of all jobs.
        self.survey_failed.emit(self.tr("Stopped before the folder was scanned."))

    @Slot(float, str)
    def _on_progressed(self, _fraction: float, note: str) -> None:
        self.looking.emit(note)

    @Slot()
    def _on_forecast_cancelled(self) -> None:
        self.forecast_failed.emit(self.tr("It was stopped."))


def survey_corpus(request: SurveyRequest, ticket: Ticket) -> CorpusSurvey:
    """Scan folders. Runs on a worker thread. Raises RefusedFolder or EngineError."""
    from engine.corpus.walk import survey

    def report(files: int, _file_bytes: int) -> None:
        ticket.progress(-1.0, f"{files:,}")

    try:
        return survey(request.paths, request.rules, report)
    except FileNotFoundError as error:
        raise RefusedFolder(_tr("No such file or folder: {path}.").format(path=error.filename)) from None
    except OSError as error:
        words = _tr("Could not scan {path}: {why}.")
        raise RefusedFolder(words.format(path=error.filename, why=error.strerror or error)) from None


def forecast_training(kernels: Path | None, request: ForecastRequest, ticket: Ticket) -> TrainingForecast:
    """Forecast a training. Runs on a worker thread. Raises EngineError or JobCancelled."""
    from engine.kernels.cache_folder import kept_in
    from engine.training.forecast import forecast

    with kept_in(kernels):
        return forecast(request.survey, request.settings, request.threads, lambda: ticket.progress(-1.0))


def without_held_out(survey: CorpusSurvey, share: float) -> tuple[CorpusSurvey, tuple[CorpusFile, ...]]:
    """Split a survey: return it without about ``share`` of its bytes, and the files that were held out.

    The choice depends only on file names, so the same folder is always split the same way. Duplicated files are not
    held out: training would have seen their text. Nothing is held out if that would exceed the share, or fall so far
    below it that figures would depend on a page or two.
    """
    repeated = {file.duplicate_of for file in survey.files if file.duplicate_of is not None}
    single = [file for file in survey.files if file.duplicate_of is None and file.path not in repeated]
    left = share * survey.file_bytes
    taken = []
    for file in sorted(single, key=lambda file: sha256(file.path.name.encode("utf-8", "replace")).digest()):
        if file.file_bytes <= left:
            taken.append(file)
            left -= file.file_bytes
    if left > (1 - MIN_OF_SHARE) * share * survey.file_bytes:
        return survey, ()
    paths = {file.path for file in taken}
    retained = tuple(file for file in survey.files if file.path not in paths)
    return replace(survey, files=retained, file_bytes=sum(file.file_bytes for file in retained)), tuple(taken)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Corpus", text)
