"""Loads the modules of tabs and dialogs before somebody opens them.

The start leaves out whatever the first picture can do without, so the first look at a tab used to load dozens of
modules on the GUI thread, those that draw curves two hundred: a tenth of a second. Once the window has been there for a
moment a job loads them, one after the other, and stands back in between. Whoever opens a tab earlier loads what it
needs as before, or waits for the one module that the job is at.
"""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

import gui

if TYPE_CHECKING:
    from gui.jobs import JobResult, JobRunner, Ticket

OF_THE_ENGINE = ("engine.requests.templates", "engine.requests.image_rules")
"""What services load of the engine on the GUI thread, for the choices of the request tab; the rest their jobs load."""

PATIENCE_MS = 500
"""How long after the start this begins: the first counts and prices come before."""


class LoadingAhead(QObject):
    """Signals: ``ended()`` when everything is loaded."""

    ended = Signal()

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lane = runner.background(self.tr("Loading"), load_all)
        self._lane.finished.connect(self._on_finished)
        self._timer = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._timer.timeout.connect(self._begin)

    @Slot()
    def begin_soon(self) -> None:
        """Begin in a moment."""
        self._timer.start()

    @Slot()
    def _begin(self) -> None:
        self._lane.submit(None)

    @Slot(object)
    def _on_finished(self, _result: JobResult) -> None:
        self.ended.emit()


def modules_of_the_window() -> Iterator[str]:
    """The names of all modules of ``gui``; packages come before what is in them."""
    return (module.name for module in pkgutil.walk_packages(gui.__path__, f"{gui.__name__}."))


def load_all(_request: object, ticket: Ticket, names: Iterable[str] | None = None) -> None:
    """Load the modules of the window, or these, as far as they are not there yet. On a worker thread.

    Each in a step of its own: the GUI thread may want one of them, and waits until it is there.
    """
    for name in (*modules_of_the_window(), *OF_THE_ENGINE) if names is None else names:
        if ticket.cancelled:
            return
        if name not in sys.modules:
            ticket.give_way()
            # Whoever opens what cannot be loaded meets that again, and there it is said.
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
