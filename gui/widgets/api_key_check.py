"""Check of exports for API keys, with a confirmation if any are found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QMessageBox, QWidget

from gui.core.api_keys import key_sentence
from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket
from gui.runtime.notify import Notifier

Look = Callable[[], tuple[str, ...]]
"""Describes suspected keys and their positions; runs on a worker thread."""


@dataclass(frozen=True, slots=True)
class _Request:
    """An export to check: its check, the subject of the warning sentence, and the callback that performs the export."""

    look: Look
    subject: str
    go: Callable[[], None]


class KeyGuard(QObject):
    """Confirmation of exports that seem to contain API keys. Handles one export at a time."""

    def __init__(self, runner: JobRunner, notifier: Notifier, over: QWidget, parent: QObject) -> None:
        """``over``: a widget of the window over which the question is shown."""
        super().__init__(parent)
        self._over, self._notifier = over, notifier
        self._lane = runner.exclusive(self.tr("Checking for API keys"), _look, stoppable=False)
        self._lane.finished.connect(self._on_looked)
        self._lane.failed.connect(self._on_failed)

    def before(self, subject: str, look: Look, go: Callable[[], None]) -> None:
        """Call ``go`` if ``look`` finds nothing, or once the user confirms the findings."""
        self._lane.submit(_Request(look, subject, go))

    @Slot(object)
    def _on_looked(self, result: JobResult) -> None:
        request, places = result.request, result.value
        if not places:
            request.go()
            return
        box = QMessageBox(self._over.window())
        box.setObjectName("keyWarning")
        box.setIcon(QMessageBox.Icon.Warning)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle(self.tr("API keys"))
        box.setText(key_sentence(request.subject, places))
        box.setInformativeText(self.tr("Anyone who receives this export can read them."))
        anyway = box.addButton(self.tr("&Export anyway"), QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        anyway.clicked.connect(request.go)
        box.finished.connect(box.deleteLater)
        box.open()

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self._notifier.error(
            self.tr("Nothing was exported: the check for API keys failed ({why}).").format(why=failure.why.rstrip(".")),
            key="key-guard",
        )


def _look(request: _Request, _ticket: Ticket) -> tuple[str, ...]:
    return request.look()
