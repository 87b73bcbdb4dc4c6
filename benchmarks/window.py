"""Measure the whole window at work: key to paint, the event loop while 10 MB arrive, memory.

``python -m benchmarks.window [--document NAME] [--keys 200] [--runs 1]``

Each document is opened in a real window (on the display if there is one; else on Xvfb if that is installed, and
offscreen on other systems) while its worker threads count tokens in every encoding of the cost table, with compiled
kernels. Keys arrive every 30 ms in the middle of the text.

- *key to painted*: wall time from the key event to the end of the editor's next paint event, with the worker running.
  Limit: 99% within 16 ms, for each document.
- *lateness*: how late a 5 ms timer of the GUI thread fires while 10 MB are pasted and counted. Limit: 99% within 16 ms,
  all within 50 ms.
- *memory*: resident memory of the process, with the document counted. Limit: 500 MB.

All times are wall time, which a busy machine prolongs. So the same is measured in the same process for a bare
QPlainTextEdit without listeners, which inserts a paste in one step, and for an idle event loop (*idle*), whose lateness
is due to the machine. Not for a line of 10 MB, where each key takes the bare widget seconds. On Linux, figures are also
given without the time in which the GUI thread was ready but had no processor, because of other programs, the X server,
or our own workers.
"""

from __future__ import annotations

import argparse
import gc
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import numpy as np

from benchmarks.editor_text import mixed_text, one_line
from benchmarks.x_display import display

if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QPlainTextEdit

KEY_INTERVAL_MS = 30
DOCUMENTS = {
    "10 KB": lambda: mixed_text(10_000),
    "1 MB": lambda: mixed_text(1_000_000),
    "10 MB": lambda: mixed_text(10_000_000),
    "one line of 1 MB": lambda: one_line(1_000_000),
    "one line of 10 MB": lambda: one_line(10_000_000),
}
TICK_MS = 5
POLL_MS = 7
IDLE_SECONDS = 2
BARE_KEYS = 60
BARE_IS_SLOW = frozenset({"one line of 10 MB"})
RUN_ONE = "import sys; from benchmarks.window import run; run(sys.argv[1], int(sys.argv[2]))"
LIMITS = "limits: key to painted p99 16 ms; lateness p99 16 ms, max 50 ms; memory 500 MB"


def use_compiled_kernels() -> None:
    """Count with kernels that were compiled before, as the program does from its second start on."""
    from engine.kernels import cache_folder

    os.environ.setdefault(cache_folder.VARIABLE, str(cache_folder.user_folder()))


def waited_ms() -> float:
    """Return the time this thread was ready without a processor, in milliseconds; 0 if the system does not report
    it."""
    path = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
    return int(path.read_text().split()[1]) / 1e6 if path.exists() else 0.0


class PaintClock(QObject):
    """Times from a key event to the end of the next paint, and the part of that spent waiting for a processor."""

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__()
        self.milliseconds: list[float] = []
        self.waited: list[float] = []
        self._pressed: float | None = None
        self._waited_before = 0.0
        self._editor = editor
        editor.installEventFilter(self)
        editor.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and self._pressed is None:
            self._pressed, self._waited_before = time.perf_counter(), waited_ms()
        elif event.type() == QEvent.Type.Paint and self._pressed is not None:
            # The paint itself follows this filter; a posted call runs after it.
            QTimer.singleShot(0, self, self._painted)
        return False

    def _painted(self) -> None:
        if self._pressed is not None:
            self.milliseconds.append((time.perf_counter() - self._pressed) * 1e3)
            self.waited.append(waited_ms() - self._waited_before)
            self._pressed = None


class Lateness(QObject):
    """Lateness of a timer of the GUI thread, in milliseconds."""

    def __init__(self) -> None:
        super().__init__()
        self.milliseconds: list[float] = []
        self._due = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        self._due = time.perf_counter() + TICK_MS / 1e3
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _tick(self) -> None:
        now = time.perf_counter()
        self.milliseconds.append(max(0.0, (now - self._due) * 1e3))
        self._due = now + TICK_MS / 1e3


@contextmanager
def lateness() -> Iterator[list[float]]:
    """Measure lateness in the context; the list is filled at its end."""
    late: list[float] = []
    watch = Lateness()
    watch.start()
    yield late
    watch.stop()
    late += watch.milliseconds


class Loop:
    """Runner of the event loop, as the application runs it."""

    def until(self, condition: Callable[[], bool], seconds: float = 120) -> None:
        """Run it until the condition has held once. Raises TimeoutError."""
        loop = QEventLoop()
        end = time.perf_counter() + seconds
        timer = QTimer(loop)
        timer.setInterval(POLL_MS)
        timer.timeout.connect(lambda: loop.exit(0) if condition() else time.perf_counter() > end and loop.exit(1))
        timer.start()
        late = loop.exec()
        timer.stop()
        if late:
            raise TimeoutError

    def wait(self, seconds: float) -> None:
        """Run it for a time."""
        end = time.perf_counter() + seconds
        self.until(lambda: time.perf_counter() >= end)


def to_middle(editor: QPlainTextEdit) -> None:
    """Move the caret to the middle of the text and scroll to it."""
    cursor = editor.textCursor()
    cursor.setPosition(editor.document().characterCount() // 2)
    editor.setTextCursor(cursor)
    editor.centerCursor()
    editor.setFocus()


def type_into(loop: Loop, editor: QPlainTextEdit, count: int) -> PaintClock:
    """Press keys, one every 30 ms, and time each until it is painted."""
    clock = PaintClock(editor)
    letters = "the quick brown fox, "
    for number in range(count):
        letter = letters[number % len(letters)]
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            event = QKeyEvent(kind, ord(letter.upper()), Qt.KeyboardModifier.NoModifier, letter)
            QApplication.postEvent(editor, event)
        loop.wait(KEY_INTERVAL_MS / 1e3)
    return clock


class Bench(Loop):
    """A window on its own profile."""

    def __init__(self, folder: Path, *, wait_for_kernels: bool = False) -> None:
        from gui.app import create_window
        from gui.runtime.memory import keep_big_blocks_apart

        gc.disable()
        keep_big_blocks_apart()
        self.app = QApplication.instance() or QApplication(sys.argv[:1])
        self.window = create_window(folder)
        self.bench = next(child for child in self.window.children() if hasattr(child, "prompt"))
        self.window.resize(1200, 800)
        self.window.show()
        self.editor = self.window.findChild(QPlainTextEdit, "promptEditor")
        self.until(lambda: self.counted)
        self.bench.runner.collector.settle()
        if wait_for_kernels:
            self.until(lambda: self.bench.kernels.use.active and self.counted, seconds=600)

    @property
    def counted(self) -> bool:
        counts = self.bench.prompt.counts
        return counts is not None and counts.complete and not self.bench.prompt.stale and not self.bench.runner.busy

    def open(self, text: str) -> None:
        self.editor.setPlainText(text)
        self.until(lambda: self.counted)
        to_middle(self.editor)

    def type_keys(self, count: int) -> PaintClock:
        return type_into(self, self.editor, count)

    def paste(self, text: str) -> list[float]:
        self.open("")
        size = len(text.encode("utf-16-le")) // 2
        self.app.clipboard().setText(text)
        with lateness() as late:
            QTimer.singleShot(0, self.editor.paste)
            self.until(lambda: self.bench.prompt.counts.statistics.utf16_units == size and self.counted)
        return late

    def idle(self) -> list[float]:
        with lateness() as late:
            self.wait(IDLE_SECONDS)
        return late

    def close(self) -> None:
        self.window.close()
        self.app.processEvents()


class BareBench(Loop):
    """A QPlainTextEdit in its own window, without listeners."""

    def __init__(self) -> None:
        self.editor = QPlainTextEdit()
        self.editor.resize(1200, 800)
        self.editor.show()
        self.wait(0.2)

    def type_keys(self, text: str) -> list[float]:
        self.editor.setPlainText(text)
        self.wait(0.5)
        to_middle(self.editor)
        return type_into(self, self.editor, BARE_KEYS).milliseconds

    def paste(self, text: str) -> list[float]:
        QApplication.clipboard().setText(text)
        with lateness() as late:
            QTimer.singleShot(0, self.editor.paste)
            self.wait(IDLE_SECONDS)
        return late

    def close(self) -> None:
        self.editor.close()


def percentiles(values: list[float]) -> str:
    """Format the percentiles that the limits refer to."""
    return "  ".join(f"p{q} {np.percentile(values, q):6.1f}" for q in (50, 99)) + f"  max {max(values):6.1f} ms"


def resident_mb() -> float:
    """Return the resident memory of this process, in MB."""
    import psutil

    return psutil.Process().memory_info().rss / 1e6


def run(name: str, keys: int) -> None:
    """Measure one document and print a line."""
    use_compiled_kernels()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), wait_for_kernels=True)
        if name == "paste":
            _paste(bench)
        else:
            _type(bench, name, keys)
        bench.close()


def _paste(bench: Bench) -> None:
    text = DOCUMENTS["10 MB"]()
    idle, late = bench.idle(), bench.paste(text)
    bare = BareBench()
    alone = bare.paste(text)
    bare.close()
    print(f"lateness while 10 MB are pasted and counted: {percentiles(late)}   idle: {percentiles(idle)}")
    print(f"{'':<18} a bare QPlainTextEdit is late by {max(alone):.0f} ms at most ({max(late) / max(alone):.2f}x)")
    sys.stdout.flush()


def _type(bench: Bench, name: str, keys: int) -> None:
    empty = resident_mb()
    bench.open(DOCUMENTS[name]())
    clock = bench.type_keys(keys)
    times = clock.milliseconds
    print(f"{name:<18} key to painted {percentiles(times)}   memory {resident_mb():.0f} MB (empty {empty:.0f})")
    if any(clock.waited):
        own = [whole - waited for whole, waited in zip(times, clock.waited, strict=True)]
        print(f"{'':<18} with no wait   {percentiles(own)}")
    if name not in BARE_IS_SLOW:
        bare = BareBench()
        alone = bare.type_keys(DOCUMENTS[name]())
        bare.close()
        ratios = "/".join(f"{np.percentile(times, q) / np.percentile(alone, q):.1f}x" for q in (50, 99))
        print(f"{'':<18} bare widget    {percentiles(alone)}   {ratios}")
    sys.stdout.flush()


def main() -> None:
    """Measure each document in its own process, which also separates memory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--document", choices=[*DOCUMENTS, "paste"])
    parser.add_argument("--keys", type=int, default=200)
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    with display() if sys.platform == "linux" else nullcontext():
        for name in [options.document] if options.document else [*DOCUMENTS, "paste"]:
            for _ in range(options.runs):
                command = [sys.executable, "-c", RUN_ONE, name, str(options.keys)]
                subprocess.run(command, check=True)
    print(LIMITS)


if __name__ == "__main__":
    main()
