"""Loads modules on the GUI thread, a piece in each turn of the event loop, so that the window answers in between.

On no other thread: a class that inherits from Qt's is entered by shiboken 6 into a table that all share, which on
Python 3.11 nothing guards, and Qt asks the classes of its objects there without the interpreter's lock. A class that is
made on a worker thread while the window paints ends the program now and then (a null pointer in
``PySide::MetaObjectBuilder::update``). From 3.12 on the entry is part of the class.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter

from PySide6.QtCore import QObject, QTimer, Slot

from gui.piecewise_import import imported_in_pieces

PLOTS = (
    "pyqtgraph",
    "gui.costs.conversation_plot",
    "gui.costs.bars",
    "gui.panels.plot_axis",
    "gui.panels.training_plots",
    "gui.panels.vocabulary_plots",
)
"""The modules that draw with pyqtgraph; nothing else loads it."""

_BEFORE_PLOTS = (
    "xml.etree.ElementTree",
    "pydoc",
    "multiprocessing",
    "decimal",
    "PySide6.QtTest",
    "PySide6.QtSvg",
    "PySide6.QtOpenGLWidgets",
)
"""What pyqtgraph loads and can be loaded before it."""
_COPIED = ("PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets")
"""Modules of which pyqtgraph looks up every name; PySide makes a class when its name is first looked up."""
_NAMES_A_TURN = 24
_WAIT_MS = 10
_MOST_WAITS = 200
"""So often it is looked whether the worker that counts has loaded numpy, before it is loaded here."""
_PIECE_SECONDS = 0.005
_ENDED = object()


class Loading(QObject):
    """Calls back when modules are loaded. Several of them do not come in each other's way."""

    def __init__(self, parent: QObject | None = None, *, pause_ms: int = 0) -> None:
        """``pause_ms``: after each piece; without one, what happens in the window comes first all the same."""
        super().__init__(parent)
        self._waiting: deque[tuple[Iterator[int], Callable[[], None]]] = deque()
        self._pause_ms = pause_ms
        self._stopped = False
        self._turn = QTimer(self, singleShot=True, interval=pause_ms)
        self._turn.timeout.connect(self._take_turn)

    def when_loaded(self, modules: Sequence[str], then: Callable[[], None]) -> None:
        """Call a slot when these modules are loaded, or cannot be, which importing them says again: at once, if they
        are."""
        if all(is_loaded(name) for name in modules):
            then()
        else:
            self.load(modules, then)

    def load(self, modules: Iterable[str], then: Callable[[], None]) -> None:
        """The same of modules whose names are found on the way; not at once."""
        if not self._stopped:
            self._waiting.append((load(modules), then))
            self._turn.start(self._pause_ms)

    def stop(self) -> None:
        """Load nothing more and call nobody, now or later: what they would make has nowhere to go."""
        self._stopped = True
        self._turn.stop()
        self._waiting.clear()

    @Slot()
    def _take_turn(self) -> None:
        if not self._waiting:
            return
        self._turn.start(self._pause_ms)  # first: what is called may wait in an event loop of its own
        pieces, then = self._waiting[0]
        wait_ms = next(pieces, _ENDED)
        if wait_ms is _ENDED:
            self._waiting.popleft()
            then()
        elif wait_ms and not self._stopped:
            self._turn.start(wait_ms)


def load(modules: Iterable[str]) -> Iterator[int]:
    """Load these modules, as far as they are not there, and yield after each piece of it: how many milliseconds there
    is nothing to do."""
    for name in modules:
        if is_loaded(name):
            continue
        if name in PLOTS and not is_loaded(PLOTS[0]):
            yield from _load_pyqtgraph()
        yield from _load_one(name)


def is_loaded(name: str) -> bool:
    """Whether a module is there, and to its end: another thread may be in the middle of it."""
    module = sys.modules.get(name)
    return module is not None and not getattr(module.__spec__, "_initializing", False)


def _load_one(name: str) -> Iterator[int]:
    # Whoever opens what cannot be loaded meets that again, and there it is said.
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
    yield 0


def _load_pyqtgraph() -> Iterator[int]:
    for _ in range(_MOST_WAITS):  # to import what another thread is importing is to stop until that is done
        if is_loaded("numpy"):
            break
        yield _WAIT_MS
    for name in _BEFORE_PLOTS:
        if not is_loaded(name):
            yield from _load_one(name)
    for module in map(importlib.import_module, _COPIED):
        names = dir(module)
        for start in range(0, len(names), _NAMES_A_TURN):
            for name in names[start : start + _NAMES_A_TURN]:
                getattr(module, name, None)
            yield 0
    with contextlib.suppress(ImportError):
        began = perf_counter()
        for _ in imported_in_pieces(PLOTS[0]):
            if perf_counter() - began > _PIECE_SECONDS:
                yield 0
                began = perf_counter()
    yield from _load_one(PLOTS[0])
