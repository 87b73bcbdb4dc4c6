"""Loads the modules of tabs and dialogs before somebody opens them.

The start leaves out whatever the first picture can do without, so the first look at a tab used to load dozens of
modules at once, those that draw curves two hundred: a tenth of a second. Once the window has been there for a moment
they are loaded one after the other, with pauses. Whoever turns to a tab earlier has those that it needs loaded first,
and sees the window answer meanwhile; only where the keyboard is to go into the tab at once, they are loaded in one go.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from itertools import chain

from PySide6.QtCore import QObject, QTimer, Signal, Slot

import gui
from gui.runtime.loading import PLOTS, Loading

OF_THE_ENGINE = ("engine.requests.templates", "engine.requests.image_rules")
"""What services load of the engine on the GUI thread, for the choices of the request tab; the rest their jobs load."""

PATIENCE_MS = 500
"""How long after the start this begins: the first counts and prices come before."""
PAUSE_MS = 10
"""Between two modules, for jobs that need the interpreter."""


class LoadingAhead(QObject):
    """Signals: ``ended()`` when everything is loaded."""

    ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._loading = Loading(self, pause_ms=PAUSE_MS)
        self._timer = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._timer.timeout.connect(self._begin)

    @Slot()
    def begin_soon(self) -> None:
        """Begin in a moment."""
        self._timer.start()

    @Slot()
    def _begin(self) -> None:
        self._loading.load(chain(OF_THE_ENGINE, modules_of_the_window()), self.ended.emit)


def modules_of_the_window() -> Iterator[str]:
    """The names of all modules of ``gui``; packages come before what is in them, the slowest last."""
    for module in pkgutil.walk_packages(gui.__path__, f"{gui.__name__}."):
        if module.name not in PLOTS:
            yield module.name
    yield from PLOTS
