"""Incremental imports on the GUI thread, one step per turn of the event loop, so that the window stays responsive.

Imports run on no other thread: shiboken 6 enters each class derived from a Qt class into a shared table, which is
unprotected on Python 3.11, and Qt queries the classes of its objects there without the GIL. A class created on a worker
thread while the window paints crashes the program now and then (a null pointer in
``PySide::MetaObjectBuilder::update``). From Python 3.12 on, the entry is part of the class.

``import_incrementally`` imports a package statement by statement, since importing a hundred modules at once takes a
tenth of a second. Between steps the package is not in ``sys.modules``. A finder stands in for it: an import in the
meantime completes the package at once, so that there is only one module object.

``LoadingAhead`` imports the modules of pages and dialogs before they are opened. The start imports only what the first
paint needs, so the first visit to a page would load dozens of modules at once. Shortly after the start they are
imported one by one, with pauses. If the user opens a page earlier, its modules are imported first while the window
stays responsive; only if the keyboard focus must enter the page at once are they imported in one go.

Plots are the exception: pyqtgraph takes two hundred modules and 15 MB, which a user who opens no chart does not need.
It is imported when the first chart is shown; its page is there at once, and the chart follows within a second.
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import functools
import importlib
import importlib.util
import operator
import pkgutil
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from itertools import chain
from time import perf_counter
from types import ModuleType

from PySide6.QtCore import QObject, QTimer, Signal, Slot

import gui


def import_incrementally(name: str) -> Iterator[None]:
    """Import a self-contained package, such as ``pyqtgraph``, yielding between the statements of its file. A no-op if
    it is loaded or has no source. Raises any error of the import."""
    if name in sys.modules:
        return
    spec = importlib.util.find_spec(name)
    source = spec.loader.get_source(name) if spec is not None and isinstance(spec.loader, InspectLoader) else None
    if spec is None or source is None:
        return
    package = _Unfinished(spec, source)
    sys.meta_path.insert(0, package)
    try:
        while package.is_unfinished:
            package.advance()
            yield
    finally:
        package.give_up()


class _Unfinished(MetaPathFinder, Loader):
    """A partly imported package."""

    def __init__(self, spec: ModuleSpec, source: str) -> None:
        self._spec = spec
        self._module = importlib.util.module_from_spec(spec)
        self._path = spec.origin or spec.name
        self._left = deque(ast.parse(source, self._path).body)
        self._future = _future_of(self._left)

    @property
    def is_unfinished(self) -> bool:
        """True if statements are left."""
        return bool(self._left)

    def advance(self) -> None:
        """Run the next statement, with the package in ``sys.modules`` as during a normal import."""
        sys.modules[self._spec.name] = self._module
        try:
            self._run_next()
        except BaseException:
            self._left.clear()
            del sys.modules[self._spec.name]
            raise
        if self._left:
            sys.modules.pop(self._spec.name, None)

    def give_up(self) -> None:
        """Remove the finder: the import is complete, or its rest is not needed. A later import runs all of it."""
        if self in (sys.meta_path or ()):  # None at interpreter shutdown
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        """Return a spec that completes the import."""
        if fullname != self._spec.name or not self._left:
            return None
        return importlib.util.spec_from_loader(fullname, self, origin=self._spec.origin, is_package=True)

    def create_module(self, _spec: ModuleSpec) -> ModuleType:
        """Return the existing module object."""
        return self._module

    def exec_module(self, _module: ModuleType) -> None:
        """Run all remaining statements."""
        self._module.__spec__ = self._spec
        try:
            while self._left:
                self._run_next()
        finally:
            self._left.clear()

    def _run_next(self) -> None:
        statement = ast.Module([self._left.popleft()], [])
        exec(compile(statement, self._path, "exec", self._future, dont_inherit=True), self._module.__dict__)


def _future_of(statements: Iterable[ast.stmt]) -> int:
    """Return the compiler flags of the ``__future__`` imports, which apply to every statement of the file."""
    imports = (one for one in statements if isinstance(one, ast.ImportFrom) and one.module == "__future__")
    features = (getattr(__future__, alias.name) for one in imports for alias in one.names)
    return functools.reduce(operator.or_, (feature.compiler_flag for feature in features), 0)


# --- modules in the background ----------------------------------------------------------------------------------------

PLOTS = (
    "pyqtgraph",
    "gui.widgets.plots",
    "gui.costs.plots",
    "gui.tokenizers.vocabulary.plots",
)
"""Modules that draw with pyqtgraph; no other module imports it."""

_BEFORE_PLOTS = (
    "xml.etree.ElementTree",
    "pydoc",
    "multiprocessing",
    "decimal",
    "PySide6.QtTest",
    "PySide6.QtSvg",
    "PySide6.QtOpenGLWidgets",
)
"""Dependencies of pyqtgraph that can be imported before it."""
_COPIED = ("PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets")
"""Modules of which pyqtgraph accesses every name; PySide creates a class when its name is first accessed."""
_NAMES_A_TURN = 24
_WAIT_MS = 10
_MAX_WAITS = 200
"""Number of checks whether the counting worker has imported numpy, before it is imported here."""
_STEP_SECONDS = 0.005
_ENDED = object()


class Loading(QObject):
    """Loader of modules in the background, with callbacks. Handles several requests independently."""

    def __init__(self, parent: QObject | None = None, *, pause_ms: int = 0) -> None:
        """``pause_ms``: pause after each step; even with 0, window events are handled first."""
        super().__init__(parent)
        self._waiting: deque[tuple[Iterator[int], Callable[[], None]]] = deque()
        self._pause_ms = pause_ms
        self._stopped = False
        self._turn = QTimer(self, singleShot=True, interval=pause_ms)
        self._turn.timeout.connect(self._take_turn)

    def when_loaded(self, modules: Sequence[str], then: Callable[[], None]) -> None:
        """Call a slot when these modules are loaded, or failed to load (importing them raises the error again). At once
        if they are already loaded."""
        if all(is_loaded(name) for name in modules):
            then()
        else:
            self.load(modules, then)

    def load(self, modules: Iterable[str], then: Callable[[], None]) -> None:
        """Like ``when_loaded``, for lazily generated names; never calls at once."""
        if not self._stopped:
            self._waiting.append((load(modules), then))
            self._turn.start(self._pause_ms)

    def pause(self, pause_ms: int) -> None:
        """Take the next step in ``pause_ms`` milliseconds."""
        if self._waiting:
            self._turn.start(pause_ms)

    def stop(self) -> None:
        """Stop loading and drop all pending callbacks."""
        self._stopped = True
        self._turn.stop()
        self._waiting.clear()

    @Slot()
    def _take_turn(self) -> None:
        if not self._waiting:
            return
        self._turn.start(self._pause_ms)  # first: the callback may run an event loop of its own
        steps, then = self._waiting[0]
        wait_ms = next(steps, _ENDED)
        if wait_ms is _ENDED:
            self._waiting.popleft()
            then()
        elif wait_ms and not self._stopped:
            self._turn.start(wait_ms)


def load(modules: Iterable[str]) -> Iterator[int]:
    """Import these modules unless loaded. Yields after each step the time to wait, in milliseconds."""
    for name in modules:
        if is_loaded(name):
            continue
        if name in PLOTS and not is_loaded(PLOTS[0]):
            yield from _load_pyqtgraph()
        yield from _load_one(name)


def is_loaded(name: str) -> bool:
    """Return True if a module is completely loaded: another thread may still be importing it."""
    module = sys.modules.get(name)
    return module is not None and not getattr(module.__spec__, "_initializing", False)


def _load_one(name: str) -> Iterator[int]:
    # If it cannot be imported, opening the page raises the error again and reports it there.
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
    yield 0


def _load_pyqtgraph() -> Iterator[int]:
    for _ in range(_MAX_WAITS):  # importing a module that another thread imports would block until that is done
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
        for _ in import_incrementally(PLOTS[0]):
            if perf_counter() - began > _STEP_SECONDS:
                yield 0
                began = perf_counter()
    yield from _load_one(PLOTS[0])


# --- loading ahead ----------------------------------------------------------------------------------------------------

OF_THE_ENGINE = ("engine.requests.templates", "engine.requests.images")
"""Engine modules that services import on the GUI thread, for the choices of the request page; jobs import the rest."""

PATIENCE_MS = 500
"""Delay after the start, so that the first counts and prices come first."""
PAUSE_MS = 10
"""Pause between two modules, for jobs that need the GIL."""
TYPING_PAUSE_MS = 1000
"""Pause after a key press: a module takes up to 20 ms, for which the next key would wait."""


class LoadingAhead(QObject):
    """Background import of the modules of the window. Signals: ``ended()`` when all of them are loaded."""

    ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._loading = Loading(self, pause_ms=PAUSE_MS)
        self._timer = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._timer.timeout.connect(self._begin)

    @Slot()
    def begin_soon(self) -> None:
        """Begin after a short delay."""
        self._timer.start()

    @Slot()
    def pause(self) -> None:
        """Wait until no key has been pressed for ``TYPING_PAUSE_MS`` milliseconds."""
        self._loading.pause(TYPING_PAUSE_MS)

    @Slot()
    def _begin(self) -> None:
        self._loading.load(chain(OF_THE_ENGINE, modules_of_the_window()), self.ended.emit)


def modules_of_the_window() -> Iterator[str]:
    """Yield the names of all ``gui`` modules but ``PLOTS``; packages before their contents."""
    for module in pkgutil.walk_packages(gui.__path__, f"{gui.__name__}."):
        if module.name not in PLOTS:
            yield module.name
