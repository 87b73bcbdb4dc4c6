"""Our own kernels are compiled while the window is in use, and count from then on; nothing ever waits for them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import engine
from engine.encoding import compiling, encoder_choice, encoding
from engine.kernels import cache_folder
from engine.library import catalog
from gui.app import create_window
from gui.runtime import kernel_build
from gui.window.application import Application
from gui.window.help import AboutDialog
from tests.gui.conftest import OpenWindow, close_window
from tests.patience import PATIENCE_SECONDS

pytestmark = pytest.mark.pages()

NEVER_ENDS = "import threading; threading.Event().wait()"
WORDS = "Some words that are typed one after the other. "


@pytest.fixture(autouse=True)
def user_encodings() -> Iterator[None]:
    """Encodings of this test alone: those of other tests go on with the encoder they have."""
    catalog.bundled.cache_clear()
    yield
    catalog.bundled.cache_clear()


class Turns(QObject):
    """Counts how often the event loop comes round."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_turn)
        self._timer.start(0)

    def _on_turn(self) -> None:
        self.count += 1


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The threads that have compiled or loaded something."""
    threads: set[int] = set()

    def noting(work):
        def noted(*arguments, **options):
            threads.add(threading.get_ident())
            return work(*arguments, **options)

        return noted

    monkeypatch.setattr(compiling, "compile_in_child", noting(compiling.compile_in_child))
    monkeypatch.setattr(encoding.Encoding, "use_kernels", noting(encoding.Encoding.use_kernels))
    monkeypatch.setattr(encoding, "build_core", noting(encoding.build_core))
    return threads


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[str]]:
    """The compilers that were started."""
    started: list[subprocess.Popen[str]] = []
    start = subprocess.Popen

    def noted(*arguments, **options):
        started.append(start(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(compiling.subprocess, "Popen", noted)
    return started


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch, children) -> Callable[[str], list[subprocess.Popen[str]]]:
    """Puts a program in the place of the compiler, and has windows start it as soon as they have counted."""

    def replace(code: str) -> list[subprocess.Popen[str]]:
        monkeypatch.delenv(cache_folder.VARIABLE, raising=False)
        monkeypatch.setattr(kernel_build, "PATIENCE_MS", 0)
        command = [sys.executable, "-c", code]
        monkeypatch.setattr(compiling, "compiler_command", lambda *_: (command, dict(os.environ)))
        return children

    return replace


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows find the kernels that all tests share, compiled."""
    with cache_folder.kept_in(None):
        folder = cache_folder.current_folder()
    if folder is None or compiling.keeps_nothing(None):
        pytest.skip("nothing is kept here, or compiled")
    monkeypatch.setenv(cache_folder.VARIABLE, str(folder.parent))
    monkeypatch.setattr(encoder_choice, "is_compiled", compiling.is_compiled)
    if not compiling.is_compiled(None, compiling.ENCODE):
        compiling.compile_in_child(None, [compiling.ENCODE], lambda: None)


def type_and_count(qtbot: QtBot, bench: Application, text: str) -> int:
    """Type a text, with a look at the counts after each word. How many tokens there are in the end."""
    editor = bench.panel.editor
    editor.setPlainText("")
    for word in text.split(" "):
        qtbot.keyClicks(editor, word + " ")
        qtbot.waitUntil(lambda: not bench.prompt.stale)
    assert bench.prompt.counts is not None
    return bench.prompt.counts.tokens


def said(bench: Application) -> list[str]:
    """The warnings that the window shows."""
    return [notice.text for notice in bench.window.messages.notices]


@pytest.mark.deep
def test_nothing_waits_for_a_compiler_that_never_ends(qtbot: QtBot, open_window: OpenWindow, compiler):
    children = compiler(NEVER_ENDS)
    turns = Turns()
    bench = open_window()
    qtbot.waitUntil(lambda: len(children) == 1)
    before = turns.count
    assert type_and_count(qtbot, bench, WORDS) == engine.get_encoding(bench.prompt.encoding).count(WORDS + " ")
    qtbot.waitUntil(lambda: bench.prompt.counts.complete)
    qtbot.waitUntil(lambda: turns.count > before + 100)
    assert children[0].poll() is None
    qtbot.waitUntil(lambda: not bench.runner.busy)  # prices may be on their way; the compiler is not listed
    assert bench.kernels.description().startswith("tiktoken's, while")
    close_window(qtbot, bench)
    assert children[0].wait(timeout=PATIENCE_SECONDS) != 0


@pytest.mark.deep
def test_compiling_begins_when_something_has_been_counted(qtbot: QtBot, tmp_path: Path, compiler):
    children = compiler(NEVER_ENDS)
    window = create_window(tmp_path / "profile")
    bench = window.findChild(Application)
    at_counts: list[int] = []
    bench.prompt.counted.connect(lambda _: at_counts.append(len(children)))
    window.show()
    qtbot.waitUntil(lambda: len(children) == 1)
    assert at_counts[0] == 0
    close_window(qtbot, bench)


@pytest.mark.deep
def test_a_compiler_that_fails_is_reported_once(qtbot: QtBot, open_window: OpenWindow, compiler):
    children = compiler("import sys; sys.stderr.write('no room left'); sys.exit(1)")
    bench = open_window()
    qtbot.waitUntil(lambda: any("no room left" in text for text in said(bench)))
    bench.kernels.begin()
    bench.kernels.begin_soon()
    assert type_and_count(qtbot, bench, WORDS) > 0
    assert len(children) == 1
    assert len([text for text in said(bench) if "tiktoken" in text]) == 1
    assert bench.kernels.description() == "tiktoken's"
    assert not any(encoding.awaits_kernels for encoding in engine.opened_encodings())


@pytest.mark.deep
def test_a_compiler_that_leaves_nothing_is_reported_too(qtbot: QtBot, open_window: OpenWindow, compiler):
    children = compiler("pass")
    bench = open_window()
    qtbot.waitUntil(lambda: any("tiktoken" in text for text in said(bench)))
    assert len(children) == 1
    assert not bench.kernels.use.active


@pytest.mark.deep
def test_a_folder_that_cannot_be_written(qtbot: QtBot, open_window: OpenWindow, monkeypatch, tmp_path: Path, children):
    monkeypatch.delenv(cache_folder.VARIABLE, raising=False)
    monkeypatch.setattr(kernel_build, "PATIENCE_MS", 0)
    profile = tmp_path / "profile"
    profile.mkdir()
    (profile / "cache").write_text("in the way")
    bench = open_window(profile)
    qtbot.waitUntil(lambda: any("tiktoken" in text for text in said(bench)))
    assert type_and_count(qtbot, bench, WORDS) > 0


@pytest.mark.deep
def test_nothing_is_compiled_where_nothing_is_to_be_kept(qtbot: QtBot, open_window: OpenWindow, monkeypatch, children):
    monkeypatch.setenv(cache_folder.VARIABLE, "")
    bench = open_window()
    bench.kernels.begin()
    qtbot.waitUntil(lambda: not bench.kernels.busy)
    assert children == []
    assert said(bench) == []


@pytest.mark.deep
def test_the_kernels_take_over_without_a_trace(qtbot: QtBot, open_window: OpenWindow, compiled, workers, monkeypatch):
    monkeypatch.setattr(encoder_choice, "is_compiled", lambda *_: False)  # as at the first start
    bench = open_window()
    before = type_and_count(qtbot, bench, WORDS)
    qtbot.waitUntil(lambda: bench.prompt.counts.complete)
    others = dict(bench.prompt.counts.by_encoding)
    opened = engine.opened_encodings()
    assert len(opened) > 2
    assert not any(one.uses_kernels for one in opened)
    with qtbot.waitSignal(bench.kernels.taken_over):
        bench.kernels.begin()
    assert all(one.uses_kernels and one._core is None for one in opened)
    assert bench.prompt.counts.tokens == before
    assert bench.prompt.counts.by_encoding == others
    assert type_and_count(qtbot, bench, WORDS) == before
    qtbot.waitUntil(lambda: bench.prompt.counts.complete)
    assert bench.prompt.counts.by_encoding == others
    assert all(one._core is None for one in opened)
    assert workers
    assert threading.get_ident() not in workers


@pytest.mark.deep
def test_with_compiled_kernels_tiktokens_encoder_is_not_built(
    qtbot: QtBot, open_window: OpenWindow, compiled, workers, monkeypatch
):
    def unwanted(*_arguments):
        raise AssertionError("tiktoken's encoder was built")

    monkeypatch.setattr(encoding, "build_core", unwanted)
    bench = open_window()
    assert bench.kernels.use.active
    assert type_and_count(qtbot, bench, WORDS) == engine.get_encoding(bench.prompt.encoding).count(WORDS + " ")
    qtbot.waitUntil(lambda: bench.prompt.counts.complete)
    assert said(bench) == []
    assert workers
    assert threading.get_ident() not in workers
    bench.window.actions_by_name["about"].trigger()
    [dialog] = [child for child in bench.window.findChildren(AboutDialog) if child.isVisible()]
    dialog.copy.click()
    assert "Tokenloupe's own" in QApplication.clipboard().text()
    dialog.reject()
