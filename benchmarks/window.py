"""The whole window at work: key to painted, the event loop while 10 MB arrive, memory.

``python -m benchmarks.window [--document NAME] [--keys 200]``

Each document is opened in a real window (under Xvfb or on a desktop; offscreen otherwise) with its worker threads
counting tokens in every encoding that the cost table wants. Keys arrive every 30 ms in the middle of the text.

- *key to painted*: wall time from the key event to the end of the editor's next paint event, worker running.
- *lateness*: by how much a 5 ms timer of the GUI thread comes late while 10 MB are pasted and counted.
- *memory*: resident, of the process, with the document counted.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.editor_text import mixed_text, one_line

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


class PaintClock(QObject):
    """Times from a key event to the end of the paint that follows it."""

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__()
        self.milliseconds: list[float] = []
        self._pressed: float | None = None
        self._editor = editor
        editor.installEventFilter(self)
        editor.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and self._pressed is None:
            self._pressed = time.perf_counter()
        elif event.type() == QEvent.Type.Paint and self._pressed is not None:
            # The paint itself comes after this filter; a posted call runs behind it.
            QTimer.singleShot(0, self, self._painted)
        return False

    def _painted(self) -> None:
        if self._pressed is not None:
            self.milliseconds.append((time.perf_counter() - self._pressed) * 1e3)
            self._pressed = None


class Lateness(QObject):
    """How late a timer of the GUI thread comes."""

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


class Bench:
    """A window on a profile of its own."""

    def __init__(self, folder: Path) -> None:
        from gui.app import create_window
        from gui.interpreter import rest_collector, settle_collector
        from gui.memory_return import keep_big_blocks_apart

        rest_collector()
        keep_big_blocks_apart()
        self.app = QApplication.instance() or QApplication(sys.argv[:1])
        self.window = create_window(folder)
        self.bench = next(child for child in self.window.children() if hasattr(child, "prompt"))
        self.window.resize(1200, 800)
        self.window.show()
        self.editor = self.window.findChild(QPlainTextEdit, "promptEditor")
        self.until(lambda: self.counted)
        settle_collector()

    @property
    def counted(self) -> bool:
        counts = self.bench.prompt.counts
        return counts is not None and counts.complete and not self.bench.prompt.stale and not self.bench.runner.busy

    def until(self, condition: Callable[[], bool], seconds: float = 120) -> None:
        """Run the event loop, as the application does, until the condition has held once."""
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
        """Run the event loop for so long."""
        end = time.perf_counter() + seconds
        self.until(lambda: time.perf_counter() >= end)

    def open(self, text: str) -> None:
        self.editor.setPlainText(text)
        self.until(lambda: self.counted)
        self.to_middle()

    def to_middle(self) -> None:
        cursor = self.editor.textCursor()
        cursor.setPosition(self.editor.document().characterCount() // 2)
        self.editor.setTextCursor(cursor)
        self.editor.centerCursor()
        self.editor.setFocus()

    def type_keys(self, count: int) -> list[float]:
        clock = PaintClock(self.editor)
        letters = "the quick brown fox, "
        for number in range(count):
            letter = letters[number % len(letters)]
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                event = QKeyEvent(kind, ord(letter.upper()), Qt.KeyboardModifier.NoModifier, letter)
                self.app.postEvent(self.editor, event)
            next_key = time.perf_counter() + KEY_INTERVAL_MS / 1e3
            self.until(lambda next_key=next_key: time.perf_counter() >= next_key)
        return clock.milliseconds

    def paste(self, text: str) -> list[float]:
        self.open("")
        self.app.clipboard().setText(text)
        lateness = Lateness()
        lateness.start()
        QTimer.singleShot(0, self.editor.paste)
        size = len(text.encode("utf-16-le")) // 2
        self.until(lambda: self.bench.prompt.counts.statistics.utf16_units == size and self.counted)
        lateness.stop()
        return lateness.milliseconds

    def close(self) -> None:
        self.window.close()
        self.app.processEvents()


def percentiles(values: list[float]) -> str:
    """The figures that the limits are about."""
    return "  ".join(f"p{q} {np.percentile(values, q):6.1f}" for q in (50, 99)) + f"  max {max(values):6.1f} ms"


def resident_mb() -> float:
    """Resident memory of this process."""
    import psutil

    return psutil.Process().memory_info().rss / 1e6


def run(name: str, keys: int) -> None:
    """Measure one document and print a line."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        empty = resident_mb()
        if name == "paste":
            print(f"lateness while 10 MB are pasted and counted: {percentiles(bench.paste(DOCUMENTS['10 MB']()))}")
        else:
            bench.open(DOCUMENTS[name]())
            times = bench.type_keys(keys)
            print(f"{name:<18} key to painted {percentiles(times)}   memory {resident_mb():.0f} MB (empty {empty:.0f})")
        sys.stdout.flush()
        bench.close()


def main() -> None:
    """Each document in a process of its own, so that memory is its own too."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--document", choices=[*DOCUMENTS, "paste"])
    parser.add_argument("--keys", type=int, default=200)
    options = parser.parse_args()
    if options.document:
        run(options.document, options.keys)
        return
    for name in [*DOCUMENTS, "paste"]:
        command = [sys.executable, "-m", "benchmarks.window", "--document", name, "--keys", str(options.keys)]
        subprocess.run(command, check=True)
    print("limits: key to painted p99 16 ms; lateness p99 16 ms, max 50 ms; memory 500 MB")


if __name__ == "__main__":
    main()
