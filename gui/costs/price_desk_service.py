"""Work on the user's price file: reads, checks, changes and writes it in lanes, and watches it.

The text belongs to the editor. Everything is asked for with the text and its revision, and comes back with them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, Signal, Slot

from gui.costs.price_facts_service import IN_THE_TEXT, ModelFacts, facts_of, value_of
from gui.costs.price_text_service import (
    FileText,
    ReadRequest,
    SaveRequest,
    Splice,
    read_price_text,
    save_price_text,
    splice,
)

if TYPE_CHECKING:
    from gui.jobs import JobFailure, JobResult, JobRunner, Ticket
    from pricing.types import Problem


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """``model_id``: the model that the form shows, empty for none."""

    revision: int
    text: str
    file_name: str
    model_id: str
    own_encodings: Callable[[], Sequence[str]]


@dataclass(frozen=True, slots=True)
class CheckedText:
    """Every mistake; where there is none, all models as (id, name), ids that are hidden, and the facts of the one asked
    for (None where the text hides it, or nobody knows it)."""

    problems: tuple[Problem, ...]
    models: tuple[tuple[str, str], ...] = ()
    hidden: tuple[str, ...] = ()
    facts: ModelFacts | None = None
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """Set a value of a model to what was typed; None takes it out of the file, and with an empty path all of them.

    ``from_table``: it was typed in the cost table, not on the tab of the file.
    """

    revision: int
    text: str
    file_name: str
    model_id: str
    path: str
    kind: str
    typed: str | None
    own_encodings: Callable[[], Sequence[str]]
    from_table: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """What to put where in the text; None where nothing changes, and then ``why`` if it cannot be changed."""

    splice: Splice | None
    why: str = ""


def check(request: CheckRequest, ticket: Ticket) -> CheckedText:
    """Check a text, and lay it over the built-in prices."""
    from pricing.bundled import load_bundled
    from pricing.layering import lay_over
    from pricing.load import read_price_text as parse

    bundled = load_bundled()
    own = tuple(request.own_encodings())
    file = parse(request.text, request.file_name, own, bundled.rules, ticket.stand_back)
    if file.problems:
        return CheckedText(file.problems)
    models, notices, hidden = lay_over(bundled, file)
    wanted = next((model for model in models if model.id == request.model_id), None)
    return CheckedText(
        (),
        tuple(sorted((model.id, model.name) for model in models)),
        tuple(sorted(hidden)),
        facts_of(wanted) if wanted is not None else None,
        tuple(notice.message for notice in notices),
    )


def change(request: ChangeRequest, _ticket: Ticket | None = None) -> Change:
    """Change one value in a text, and nothing else of it."""
    from pricing.editing import EditError, remove_field, set_field
    from pricing.types import PriceFileError

    text, model_id, path = request.text, request.model_id, request.path
    names = tuple(request.own_encodings())
    try:
        if request.typed is None:
            after = remove_field(text, model_id, path, file_name=request.file_name, tokenizers=names)
        else:
            assert request.kind not in IN_THE_TEXT
            value = value_of(request.kind, request.typed)
            after = set_field(text, model_id, path, value, file_name=request.file_name, tokenizers=names)
    except PriceFileError as error:
        return Change(None, "\n".join(problem.message for problem in error.problems))
    except EditError as error:
        return Change(None, str(error))
    return Change(splice(text, after) if after != text else None)


class PriceDesk(QObject):
    """The lanes of one price file, which need not exist.

    Signals: ``read(FileText, ReadRequest)``, ``checked(CheckedText, CheckRequest)``,
    ``changed(Change, ChangeRequest)``, ``saved(Saved, SaveRequest)``, ``failed(str)`` with the reason; ``touched()``
    when the file may have changed.
    """

    read = Signal(object, object)
    checked = Signal(object, object)
    changed = Signal(object, object)
    saved = Signal(object, object)
    failed = Signal(str)
    touched = Signal()

    def __init__(
        self, path: Path, runner: JobRunner, own_encodings: Callable[[], Sequence[str]], parent: QObject | None = None
    ) -> None:
        """``own_encodings``: as in ``LoadRequest``; called on a worker thread."""
        super().__init__(parent)
        self.path = path
        self._own_encodings = own_encodings
        self._reading = runner.background(self.tr("Reading your price file"), read_price_text)
        self._checking = runner.conflated(self.tr("Checking your price file"), check)
        self._changing = runner.exclusive(self.tr("Changing a price"), change)
        self._saving = runner.exclusive(self.tr("Saving your price file"), save_price_text, stoppable=False)
        for lane, receiver in (
            (self._reading, self._on_read),
            (self._checking, self._on_checked),
            (self._changing, self._on_changed),
            (self._saving, self._on_saved),
        ):
            lane.finished.connect(receiver)
            lane.failed.connect(self._on_failed)
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._on_touched)
        self._watcher.fileChanged.connect(self._on_touched)
        self._watch()

    def read_file(self, against: str | None = None, revision: int = -1) -> ReadRequest:
        """Read the file, soon. ``against``: the text in the editor. Returns what ``read`` will come with."""
        request = ReadRequest(self.path, against, revision)
        self._reading.submit(request)
        return request

    def check(self, text: str, revision: int, model_id: str) -> None:
        """Check a text, soon; of several the newest."""
        self._checking.submit(CheckRequest(revision, text, self.path.name, model_id, self._own_encodings))

    def change(
        self, text: str, revision: int, model_id: str, path: str, kind: str, typed: str | None, from_table: bool = False
    ) -> None:
        """Change a value in a text, soon; see ``ChangeRequest``."""
        names, file_name = self._own_encodings, self.path.name
        self._changing.submit(ChangeRequest(revision, text, file_name, model_id, path, kind, typed, names, from_table))

    def save(self, text: str, revision: int, file: FileText) -> None:
        """Write a text that was made from ``file``, soon."""
        self._saving.submit(SaveRequest(self.path, text, file.stored, file.digest, revision))

    def _watch(self) -> None:
        """Editors replace a file rather than write into it, so its folder is watched as well."""
        with contextlib.suppress(OSError):  # Without a folder there is nothing to watch, and saving says why.
            self.path.parent.mkdir(parents=True, exist_ok=True)
        watched = {*self._watcher.files(), *self._watcher.directories()}
        for path in (self.path.parent, self.path):
            if str(path) not in watched and (path.is_file() or path != self.path):
                self._watcher.addPath(str(path))

    @Slot()
    def _on_touched(self) -> None:
        self._watch()
        self.touched.emit()

    @Slot(object)
    def _on_read(self, result: JobResult) -> None:
        self.read.emit(result.value, result.request)

    @Slot(object)
    def _on_checked(self, result: JobResult) -> None:
        self.checked.emit(result.value, result.request)

    @Slot(object)
    def _on_changed(self, result: JobResult) -> None:
        self.changed.emit(result.value, result.request)

    @Slot(object)
    def _on_saved(self, result: JobResult) -> None:
        self._watch()
        self.saved.emit(result.value, result.request)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.why)
