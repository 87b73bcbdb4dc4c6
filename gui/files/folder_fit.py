"""Works out what to drop of a folder so that the rest fits, off the GUI thread: the more files, the longer it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.files.file_choice import FileChoice, Proposal, Way

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gui.files.file_tree import FileTree
    from gui.jobs import JobFailure, JobResult, JobRunner, Ticket


@dataclass(frozen=True, slots=True, eq=False)
class FitRequest:
    """What is to fit, into how many tokens. ``checked``: bool[m], a copy. ``quiet``: nobody asked for it."""

    tree: FileTree
    checked: NDArray[np.bool_]
    limit: int
    way: Way
    quiet: bool


class FolderFit(QObject):
    """Makes proposals; only the newest request is answered, and none that was withdrawn.

    Signals: ``proposed(FitRequest, Proposal)``, ``failed(str)`` with a sentence.
    """

    proposed = Signal(object, object)
    failed = Signal(str)

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lane = runner.conflated(self.tr("Working out what fits"), work_out)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)
        self._lane.cancelled.connect(self._on_cancelled)
        self._wanted: FitRequest | None = None

    @property
    def waited_for(self) -> bool:
        """Whether a proposal is to come, be it that nobody asked for it."""
        return self._wanted is not None

    @property
    def asked_for(self) -> bool:
        """Whether somebody asked for the proposal that is to come."""
        return self._wanted is not None and not self._wanted.quiet

    def ask(self, request: FitRequest) -> None:
        """Ask for a proposal; another one that has not come is no longer wanted."""
        self._wanted = request
        self._lane.cancel()
        self._lane.submit(request)

    def withdraw(self) -> None:
        """Want no proposal any more."""
        self._wanted = None
        self._lane.cancel()

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        if self._answers(result.request):
            self.proposed.emit(result.request, result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        if self._answers(failure.request):
            self.failed.emit(self.tr("What fits could not be worked out: {why}").format(why=failure.why))

    @Slot(object)
    def _on_cancelled(self, request: FitRequest) -> None:
        if self._answers(request):
            self.failed.emit(self.tr("Stopped. Nothing is proposed."))

    def _answers(self, request: FitRequest) -> bool:
        """Whether somebody waits for the answer to this; they do no more."""
        wanted = request is self._wanted
        if wanted:
            self._wanted = None
        return wanted


def work_out(request: FitRequest, ticket: Ticket) -> Proposal:
    """A proposal. On a worker thread."""
    return FileChoice(request.tree, request.checked).fit(request.limit, request.way, report=ticket.progress)
