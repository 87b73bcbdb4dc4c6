"""Windows for the tests of the window: opened on a profile of their own, closed and gone at the end."""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytestqt.qtbot import QtBot

from tests.conftest import ctok_is_not_installed, shared_windows
from tests.patience import PATIENCE_MS
from tests.patient_bot import PatientBot

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    import engine
    from engine.types import TextEdit, TokenPatch
    from gui.runtime.jobs import JobRunner
    from gui.window.application import Application

# Qt's platform without a screen says so whenever a window's least size changes; no real platform does.
OFFSCREEN_REMARK = r"^This plugin does not support "


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.qt_log_ignore(OFFSCREEN_REMARK, extend=True))


@pytest.fixture(autouse=True)
def messages_stay() -> Iterator[None]:
    """Messages that go by themselves stay as long as a test may take to look at them."""
    with patched(_keep_messages):
        yield


@pytest.fixture(autouse=True)
def tiktoken_counts() -> Iterator[None]:
    """Windows compile nothing and load nothing compiled, whatever is on this machine; tests of that take it back."""
    with patched(_have_nothing_compiled):
        yield


@pytest.fixture(autouse=True)
def tabs_wait_for_no_module() -> Iterator[None]:
    """Turning to a tab makes its page at once, whatever other tests have loaded; tests of that take it back."""
    with patched(_wait_for_no_module):
        yield


@pytest.fixture(autouse=True)
def cards_are_dismissed() -> Iterator[None]:
    """Fresh profiles show the window without the cards of the first start; tests of those take it back."""
    with patched(_have_dismissed_the_cards):
        yield


@contextlib.contextmanager
def patched(*ways: Callable[[pytest.MonkeyPatch], None]) -> Iterator[None]:
    # Not the fixture of that name: it would be undone after the windows are closed, not before.
    with pytest.MonkeyPatch.context() as patch:
        for way in ways:
            way(patch)
        yield


def _keep_messages(patch: pytest.MonkeyPatch) -> None:
    from gui.window import main_window, message_bar

    patch.setattr(message_bar, "INFORMATION_MS", PATIENCE_MS)
    patch.setattr(main_window, "REMARK_MS", PATIENCE_MS)


def _have_dismissed_the_cards(patch: pytest.MonkeyPatch) -> None:
    from gui.prompt import prompt_panel

    patch.setattr(prompt_panel, "open_cards", lambda _settings: ())


def _have_nothing_compiled(patch: pytest.MonkeyPatch) -> None:
    from engine.encoding import encoder_choice
    from gui.runtime import kernel_build

    patch.setattr(kernel_build, "PATIENCE_MS", PATIENCE_MS)
    patch.setattr(encoder_choice, "is_compiled", lambda *_: False)


def _wait_for_no_module(patch: pytest.MonkeyPatch) -> None:
    from gui.runtime.loading import Loading

    patch.setattr(Loading, "when_loaded", lambda _self, _modules, then: then())


@pytest.fixture(autouse=True)
def no_key_is_held_down() -> Iterator[None]:
    """A click with Ctrl leaves the application thinking that Ctrl is down, into the next test."""
    yield
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication, QWidget

    if QApplication.instance() is not None and QApplication.keyboardModifiers():
        QTest.keyRelease(QWidget(), Qt.Key.Key_Control)


@pytest.fixture(scope="session")
def trainer_kernels() -> None:
    """Compiled before a window opens: compiling holds the interpreter, and with it everything that waits."""
    from engine.training.run import warm_up

    warm_up()


@pytest.fixture
def trainer_is_compiled(trainer_kernels: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs begin at once, without a compiler of their own."""
    from engine.encoding import compiling

    monkeypatch.setattr(compiling, "is_compiled", lambda *_: True)


@pytest.fixture
def runner(qapp: QApplication) -> Iterator[JobRunner]:
    """Threads for jobs, gone at the end."""
    from gui.runtime.jobs import JobRunner

    runner = JobRunner()
    yield runner
    runner.shutdown()


class HeldEdits:
    """Edits that begin to be counted and do not end before they may."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.may_end = threading.Event()


@pytest.fixture
def held_edits(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], HeldEdits]]:
    """From the call on all edits are held, at the longest until the test ends: threads are waited for then."""
    import engine

    all_held: list[HeldEdits] = []

    def hold() -> HeldEdits:
        held, apply = HeldEdits(), engine.EditedText.apply
        all_held.append(held)

        def slow(text: engine.EditedText, edits: Sequence[TextEdit]) -> TokenPatch:
            held.begun.set()
            held.may_end.wait()
            return apply(text, edits)

        monkeypatch.setattr(engine.EditedText, "apply", slow)
        return held

    yield hold
    for held in all_held:
        held.may_end.set()


@pytest.fixture(autouse=True, scope="session")
def clipboard_is_left_empty() -> Iterator[None]:
    """What tests put there was made in Python, and must not outlive the interpreter."""
    yield
    from PySide6.QtWidgets import QApplication

    if QApplication.instance() is not None:
        QApplication.clipboard().clear()


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A folder for a profile, with nothing in it."""
    folder = tmp_path / "profile"
    folder.mkdir()
    return folder


@pytest.fixture
def prices(profile: Path) -> Path:
    """Where the price file of that profile would be."""
    return profile / "prices.yaml"


OpenWindow = Callable[..., "Application"]


@pytest.fixture
def open_window(request: pytest.FixtureRequest, qtbot: QtBot, tmp_path: Path) -> Iterator[OpenWindow]:
    """Opens windows with all pages built, or those that the mark ``pages`` names, which is sooner done; the others are
    built when seen. ``counted`` waits for the first figures and the list of encodings."""
    mark = request.node.get_closest_marker("pages")
    yield from windows(qtbot, tmp_path, None if mark is None else mark.args)


@pytest.fixture(scope="module")
def shared_qtbot(request: pytest.FixtureRequest, qapp: QApplication) -> PatientBot:
    """The same as ``qtbot`` for what a whole module uses."""
    return PatientBot(request)


@pytest.fixture(scope="module")
def open_shared_window(shared_qtbot: PatientBot, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenWindow]:
    """The same for a window that the tests of a module only look at, and leave as they found it."""
    before = set(threading.enumerate())
    with (
        ctok_is_not_installed(),
        patched(_keep_messages, _have_nothing_compiled, _wait_for_no_module, _have_dismissed_the_cards),
    ):
        try:
            yield from windows(shared_qtbot, tmp_path_factory.mktemp("shared"), opened=shared_windows)
        finally:
            shared_windows.clear()
    left = [thread for thread in threading.enumerate() if thread not in before and not thread.daemon]
    assert not left, f"threads still running: {left}"


def windows(
    qtbot: QtBot, folder: Path, pages: Collection[str] | None = None, opened: list[Application] | None = None
) -> Iterator[OpenWindow]:
    from gui.look.style_sheet import FormerLook

    opened = [] if opened is None else opened

    def open_one(profile: Path | None = None, *, counted: bool = True) -> Application:
        from gui.core.profile_files import profile_paths
        from gui.window.application import Application

        bench = Application(profile_paths(profile or folder / "profile"))
        opened.append(bench)
        bench.start_at_once(pages)
        with qtbot.waitSignal(bench.started):
            bench.window.show()
        if counted:
            qtbot.waitUntil(lambda: bench.prompt.counts is not None and not bench.prompt.stale)
            qtbot.waitUntil(lambda: bench.panel.picker.count() > 1)
        return bench

    yield open_one
    for bench in opened:
        close_window(qtbot, bench)
    if opened:
        FormerLook.restore_now()


def close_window(qtbot: QtBot, bench: Application) -> None:
    """Close a window and wait until it is gone."""
    try:
        window = bench.window
        window.objectName()
    except RuntimeError:
        return  # a test closed it
    with qtbot.waitSignal(window.destroyed):
        window.close()


def notices(bench: Application) -> str:
    """What the window tells its user just now, a line a notice."""
    return "\n".join(notice.text for notice in bench.window.messages.notices)


def count_o200k(text: str) -> int:
    """The tokens of a text in the encoding that a fresh window counts with."""
    from engine import get_encoding

    return get_encoding("o200k_base").count(text)


@pytest.fixture
def generations() -> Iterator[list[int]]:
    """The generations that are collected from now on."""
    looked_at: list[int] = []

    def note(phase: str, about: dict[str, int]) -> None:
        if phase == "start":
            looked_at.append(about["generation"])

    gc.collect()
    gc.callbacks.append(note)
    yield looked_at
    gc.callbacks.remove(note)
    gc.unfreeze()
    gc.collect()
    gc.freeze()
