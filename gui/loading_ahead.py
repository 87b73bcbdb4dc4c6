"""Loads the modules of tabs and dialogs before somebody opens them.

The start leaves out whatever the first picture can do without, so the first look at a tab used to load dozens of
modules on the GUI thread, those that draw curves two hundred: a tenth of a second. Once the window has been there for a
moment a job loads them, one after the other, and stands back in between. Whoever turns to a tab earlier has those that
it needs loaded first, and sees the window answer meanwhile; only where the keyboard is to go into the tab at once, the
GUI thread loads them, or waits for the one module that a job is at.
"""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

import gui

if TYPE_CHECKING:
    from gui.jobs import JobResult, JobRunner, Ticket

OF_THE_ENGINE = ("engine.requests.templates", "engine.requests.image_rules")
"""What services load of the engine on the GUI thread, for the choices of the request tab; the rest their jobs load."""

PATIENCE_MS = 500
"""How long after the start this begins: the first counts and prices come before."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    modules: tuple[str, ...]
    then: Callable[[], None]


class LoadingAhead(QObject):
    """Signals: ``ended()`` when everything is loaded."""

    ended = Signal()

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lane = runner.background(self.tr("Loading"), load_all)
        self._lane.finished.connect(self._on_finished)
        self._wanted = runner.background(self.tr("Loading a tab"), _load_wanted)
        self._wanted.finished.connect(self._on_wanted)
        self._timer = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._timer.timeout.connect(self._begin)

    @Slot()
    def begin_soon(self) -> None:
        """Begin in a moment."""
        self._timer.start()

    def when_loaded(self, modules: Sequence[str], then: Callable[[], None]) -> None:
        """Call a slot when these modules are loaded, or cannot be, which importing them says again: at once, if they
        are; else a worker loads them first."""
        if all(_is_loaded(name) for name in modules):
            then()
        else:
            self._wanted.submit(_Wanted(tuple(modules), then))

    @Slot(object)
    def _on_wanted(self, result: JobResult) -> None:
        result.request.then()

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
        if not _is_loaded(name):
            ticket.give_way()
            # Whoever opens what cannot be loaded meets that again, and there it is said.
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


def _load_wanted(request: _Wanted, ticket: Ticket) -> None:
    load_all(None, ticket, request.modules)


def _is_loaded(name: str) -> bool:
    """Whether a module is there, and to its end: another thread may be in the middle of it."""
    module = sys.modules.get(name)
    return module is not None and not getattr(module.__spec__, "_initializing", False)
