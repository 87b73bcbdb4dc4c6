"""What every test gets: no display needed, no leaked thread, window or warning left behind."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import psutil
import pytest

from engine.encoding import encoder_choice
from tests.thoroughness import DEEP_EXAMPLES

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QWidget

    from gui.window.application import Application

# Machines are shared and slow at times, and a test must not depend on the clock: no deadlines. Nor on luck: the same
# examples every time; those of the long run are new ones. What asks for a number of its own gets it from ``examples``.
hypothesis.settings.register_profile(
    "project",
    max_examples=25,
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile(
    "deep", parent=hypothesis.settings.get_profile("project"), max_examples=DEEP_EXAMPLES
)
hypothesis.settings.register_profile(
    "long", parent=hypothesis.settings.get_profile("project"), derandomize=False, max_examples=50 * DEEP_EXAMPLES
)
hypothesis.settings.load_profile(os.environ.get("TOKENLOUPE_HYPOTHESIS", "project"))

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Not in the cache of whoever runs the tests: a checkout that is thrown away takes its kernels along.
os.environ["XDG_CACHE_HOME"] = str(Path(__file__).parents[1] / "engine" / "kernels" / "__pycache__")

# Whatever the environment says of it: otherwise each of the many processes that tests start would compile every module
# that it imports, and each worker all tests, at every run. Kernels are kept in the same folders.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def _why_qt_is_missing() -> str | None:
    """The reason why Qt cannot be loaded here, or None.

    Qt's Python package installs anywhere, but loads only where the system's OpenGL and xkb libraries are.
    """
    try:
        from PySide6 import QtWidgets  # noqa: F401
    except ImportError as error:
        return str(error)
    return None


# Tests compare the two encoders, so none takes over by itself.
encoder_choice.leave_to_caller()

QT_MISSING = _why_qt_is_missing()
if QT_MISSING is None:
    pytest_plugins = ["pytestqt.plugin"]
    collect_ignore: list[str] = []
elif os.environ.get("TOKENLOUPE_REQUIRE_GUI"):
    raise pytest.UsageError(f"the tests of the window are required here, but Qt cannot be loaded: {QT_MISSING}")
else:
    collect_ignore = ["gui"]


# As in the program (gui/runtime/memory.py): an automatic collection would run on whichever thread allocates, and
# free the Qt objects of earlier tests there. What tests leave is collected between them, on the main thread.
gc.disable()
_YOUNG_AND_MIDDLE = 1
_MANY_TESTS = 40
_not_collected_in_full: list[str] = []
_collected_elsewhere: list[str] = []


def _note_collections_elsewhere(phase: str, _about: dict[str, int]) -> None:
    thread = threading.current_thread()
    if phase == "start" and thread is not threading.main_thread():
        _collected_elsewhere.append(thread.name)


gc.callbacks.append(_note_collections_elsewhere)


def pytest_collection_finish() -> None:
    """Leave modules and the tests themselves out of every collection."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def garbage_of_module() -> Iterator[None]:
    """Collect everything that the tests of a module left, or of several that are short."""
    yield
    if len(_not_collected_in_full) >= _MANY_TESTS:
        _not_collected_in_full.clear()
        gc.collect()


@pytest.fixture(autouse=True)
def collections_on_main_thread(request: pytest.FixtureRequest) -> Iterator[None]:
    """Collect what a test of the window left, and fail a test if the collector ran on another thread."""
    yield
    _not_collected_in_full.append(request.node.name)
    gc.disable()
    if {"qtbot", "qapp"} & set(request.fixturenames):
        gc.collect(_YOUNG_AND_MIDDLE)
    names = list(_collected_elsewhere)
    _collected_elsewhere.clear()
    assert not names, f"the garbage collector ran on the threads {names}"


@pytest.fixture(autouse=True)
def without_ctok() -> Iterator[None]:
    """Counts of Claude are the same whether or not somebody has installed ctok. Tests of it undo this."""
    with ctok_is_not_installed():
        yield


@contextlib.contextmanager
def ctok_is_not_installed() -> Iterator[None]:
    # Not the fixture of that name: what tests patch with it would then be undone after everything else has ended.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.encoding.library_encoding.is_installed", lambda: False)
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    if QT_MISSING is not None:
        # Settings of pytest-qt in pyproject.toml must stay known when the plugin cannot be loaded.
        parser.addini("qt_api", "unused without Qt")
        parser.addini("qt_log_level_fail", "unused without Qt")


COMPILERS = "TOKENLOUPE_TEST_COMPILERS"
"""Variable with the ids of the processes that compile kernels, which tests wait for that want them."""


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile what is not compiled yet while the first tests run: each would do it itself, and so would children."""
    from engine.encoding.compiling import FAMILIES, is_compiled, keeps_nothing

    config = session.config
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None) or config.option.collectonly:
        return
    missing = [] if keeps_nothing(None) else [family for family in FAMILIES if not is_compiled(None, family)]
    command = [sys.executable, "-m", "engine.encoding.compiling", ""]  # in the folder of the user, which is set above
    compilers = [subprocess.Popen([*command, family], cwd=Path(__file__).parents[1]) for family in missing]
    for compiler in compilers:  # the id of a child is taken until it has been waited for
        threading.Thread(target=compiler.wait, daemon=True).start()
    os.environ[COMPILERS] = " ".join(str(compiler.pid) for compiler in compilers)
    session.stash[_COMPILERS] = compilers


_COMPILERS = pytest.StashKey[list[subprocess.Popen[bytes]]]()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Leave no compiler behind where the run was given up."""
    for compiler in session.stash.get(_COMPILERS, []):
        compiler.terminate()
        compiler.wait()


COMPILED = ("engine", "gui/editor", "gui/runtime", "gui/tokenizers")
"""Folders of tests, beside those in none, that want compiled kernels; the others run while these are compiled."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Wait for the compilers. What went wrong is on standard error, and tests will fail of it."""
    if COMPILERS not in os.environ:
        return
    folder = item.path.parent.relative_to(Path(__file__).parent).as_posix()
    if folder != "." and not f"{folder}/".startswith(tuple(f"{name}/" for name in COMPILED)):
        return
    for process_id in os.environ.pop(COMPILERS).split():
        with contextlib.suppress(psutil.NoSuchProcess):
            psutil.Process(int(process_id)).wait()


def pytest_report_header() -> list[str]:
    if QT_MISSING is None:
        return []
    from gui.runtime.display_check import missing_packages

    return [
        f"Qt cannot be loaded ({QT_MISSING}): the tests of the window are left out. "
        f"On Debian or Ubuntu: apt install {' '.join(missing_packages())}"
    ]


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of raw data beside the project, where there is one: vocabularies, corpora, price facts."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "vocabularies").is_dir():
        pytest.skip("no folder of shared raw data beside the project")
    return folder


shared_windows: list[Application] = []
"""What the module has open for all of its tests, and answers for itself."""


@pytest.fixture(autouse=True)
def no_thread_left_running():
    """Fail a test that leaves a thread of its own running."""
    before = set(threading.enumerate())
    yield
    left = [t for t in threading.enumerate() if t not in before and t.is_alive() and not t.daemon]
    of_shared = {t for bench in shared_windows if bench.runner is not None for t in bench.runner.pool._threads}
    left = [t for t in left if t not in of_shared]
    assert not left, f"threads still running: {left}"


if QT_MISSING is None and importlib.util.find_spec("pytestqt"):
    from tests.patient_bot import PatientBot

    @pytest.fixture
    def qtbot(request: pytest.FixtureRequest, qapp: QApplication) -> PatientBot:
        """pytest-qt's fixture, with patience."""
        return PatientBot(request)

    def _shown_windows() -> list[QWidget]:
        """Return the windows that are open now; without Qt, if nobody has loaded it."""
        widgets = sys.modules.get("PySide6.QtWidgets")
        if widgets is None or widgets.QApplication.instance() is None:
            return []
        return [window for window in widgets.QApplication.topLevelWidgets() if window.isVisible()]

    @pytest.fixture(autouse=True)
    def no_window_left_open(request: pytest.FixtureRequest):
        """Fail a test that leaves a window or a running timer behind. Only where the test used Qt."""
        before = _shown_windows()  # of the module
        yield
        if not {"qtbot", "qapp"} & set(request.fixturenames):
            return
        from PySide6 import QtCore, QtWidgets

        app = QtWidgets.QApplication.instance()
        if app is None:
            return
        app.sendPostedEvents(None, QtCore.QEvent.Type.DeferredDelete)
        stray = [window for window in _shown_windows() if window not in before]
        for widget in stray:
            widget.close()
        assert not stray, f"windows still open: {stray}"
