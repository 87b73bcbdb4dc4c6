"""Memory is given back when a big text has been counted, not at every key."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import get_ident
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from gui.runtime import memory
from gui.runtime.jobs import JobRunner, Ticket
from gui.runtime.memory import NOTABLE_BYTES, MemoryReturn, resident_bytes, return_memory

BIG_BLOCKS = """
import ctypes
from gui.runtime.memory import BIG_BLOCK_BYTES, keep_big_blocks_apart

class Figures(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd x y z u v".split()]

library = ctypes.CDLL(None)
library.mallinfo2.restype = Figures
library.malloc.restype = ctypes.c_void_p
library.free.argtypes = [ctypes.c_void_p]
assert keep_big_blocks_apart()
library.free(library.malloc(30 * BIG_BLOCK_BYTES))  # after which glibc would keep all smaller ones together
apart = library.mallinfo2().hblks
block = library.malloc(BIG_BLOCK_BYTES)
assert library.mallinfo2().hblks == apart + 1
library.free(block)
assert library.mallinfo2().hblks == apart
"""

ONE_ROOM = """
import ctypes, sys, threading
from pathlib import Path
from gui import app

class Application(app.QApplication):
    def __init__(self, arguments):
        super().__init__(arguments)
        thread = threading.Thread(target=bytearray, args=(10_000,))  # as the one in which Qt listens to an X server
        thread.start()
        thread.join()

class Bench(app.Application):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.started.connect(lambda: self.loading.ended.connect(self.window.close))

app.QApplication, app.Application = Application, Bench
app.run([], Path(sys.argv[1]))
library = ctypes.CDLL(None)
library.fopen.restype = ctypes.c_void_p
library.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
library.fclose.argtypes = [ctypes.c_void_p]
file = library.fopen(sys.argv[2].encode(), b"w")
library.malloc_info(0, file)
library.fclose(file)
"""


class Prompt(QObject):
    counted = Signal(object)
    typing = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.editor = SimpleNamespace(is_loading=False, typing=self.typing)

    def tell(self, units: int, complete: bool = True, encoding: str = "a", as_stored: bool = False) -> None:
        self.counted.emit(
            SimpleNamespace(
                complete=complete,
                encoding=encoding,
                counted_as_stored=as_stored,
                statistics=SimpleNamespace(utf16_units=units),
            )
        )


@pytest.fixture
def told(qtbot: QtBot):
    """Tells of counts; returns how often memory has been returned by then."""
    prompt, runner, returned = Prompt(), JobRunner(), []
    watcher = MemoryReturn(prompt, runner, lambda: returned.append(None), lambda: None, prompt)
    assert watcher.parent() is prompt

    def tell(*counts: object) -> int:
        prompt.tell(*counts)
        qtbot.waitUntil(lambda: not runner.busy)
        return len(returned)

    yield tell
    runner.shutdown()


def test_big_changes_return_memory_once(told):
    assert told(10) == 0
    assert told(5_000_000, False) == 0
    assert told(5_000_000, True) == 1
    assert told(5_000_001, True) == 1
    assert told(20) == 2


def test_a_big_text_read_in_another_way_returns_memory(told):
    assert told(5_000_000, True, "a", True) == 1
    assert told(5_000_000, True, "a", False) == 2, "counted as stored before, edited now"
    assert told(5_000_000, True, "b", False) == 3
    assert told(20, True, "b", False) == 4
    assert told(20, True, "a", False) == 4, "a small one leaves nothing"


def test_memory_is_kept_while_a_text_arrives(qtbot: QtBot):
    prompt, runner, returned = Prompt(), JobRunner(), []
    watcher = MemoryReturn(prompt, runner, lambda: returned.append(None), lambda: None, prompt)
    prompt.editor.is_loading = True
    prompt.tell(5_000_000)
    assert not runner.busy
    assert not returned
    watcher._aftermath.timeout.emit()
    qtbot.waitUntil(lambda: len(returned) == 1)
    runner.shutdown()


def test_asking_the_c_library_does_no_harm():
    assert return_memory(lambda: None, None, Ticket(lambda fraction, note: None)) in (True, False)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only glibc is told")
def test_big_blocks_are_apart_from_small_ones_for_good():
    import ctypes

    if not hasattr(ctypes.CDLL(None), "mallinfo2"):
        pytest.skip("not glibc, or one that cannot be asked")
    done = subprocess.run([sys.executable, "-c", BIG_BLOCKS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.deep
def test_the_threads_of_a_window_have_no_room_of_their_own_for_small_blocks(tmp_path: Path):
    import ctypes

    if not hasattr(ctypes.CDLL(None), "malloc_info"):
        pytest.skip("not glibc")
    told = tmp_path / "rooms.xml"
    script = [sys.executable, "-c", ONE_ROOM, tmp_path / "profile", told]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert told.read_text().count("<heap nr=") == 1


@pytest.mark.parametrize(("grown_by", "times"), [(NOTABLE_BYTES // 2, 0), (2 * NOTABLE_BYTES, 1)])
def test_work_that_left_much_returns_memory_once(qtbot: QtBot, monkeypatch, grown_by: int, times: int):
    held = [500_000_000]
    monkeypatch.setattr(memory, "resident_bytes", lambda: held[0])
    prompt, runner, returned, here = Prompt(), JobRunner(), [], []

    def release() -> None:
        returned.append(None)
        held[0] = 510_000_000

    watcher = MemoryReturn(prompt, runner, release, lambda: here.append(get_ident()), prompt)
    work = runner.exclusive("work", lambda _request, _ticket: held.append(held.pop() + grown_by))
    work.submit(None)
    assert not watcher._idle.isActive()
    qtbot.waitUntil(lambda: not runner.busy)
    assert watcher._idle.isActive()
    for _ in range(2):
        watcher._idle.timeout.emit()
        qtbot.waitUntil(lambda: not runner.busy)
        assert len(returned) == times, "the second time there is no more than after the first"
        assert here == [get_ident()] * times
    prompt.typing.emit()
    watcher.begin_at_rest()
    qtbot.waitUntil(lambda: not runner.busy)
    assert (len(returned), len(here)) == (times + 1, times), "the user types"
    runner.shutdown()


def test_the_system_tells_how_much_there_is():
    assert resident_bytes() > 10_000_000 or not sys.platform.startswith("linux")
