"""Child process of ``faults``: a window that works on a faulty disk until it dies. Its actions: ``fault_acts``."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.fault_disk import FaultyDisk

TURN_MS = 4


class Fate(NamedTuple):
    """The fate of a child process.

    ``kill_at``: number of the disk call that kills it, 0 for none. ``failing``: share of disk calls that fail for a
    while, after which it ends by itself. ``seconds``: maximum lifetime. ``trains``: size of the vocabulary that it
    trains, 0 for none.
    """

    kill_at: int
    failing: float
    seconds: float
    trains: int


def fate_of(rng: random.Random) -> Fate:
    """Choose a fate. Half of the children are killed, the others have a failing disk; half of them train.

    Some live longer than a text may stay unsaved.
    """
    long = rng.random() < 0.03
    seconds = rng.uniform(6.5, 8.0) if long else rng.uniform(0.2, 0.9)
    trains = rng.choice((0, 0, 600, 1500))
    if rng.random() < 0.5:
        return Fate(rng.randrange(1, 40 if rng.random() < 0.5 else 600) if not long else 0, 0.0, seconds, trains)
    return Fate(0, rng.choice((0.1, 0.3, 1.0)), seconds, trains)


class Journal:
    """Log with one JSON line for each start, end or message, on a disk that never fails."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._write = descriptor, os.write

    def note(self, what: str, **more: object) -> None:
        """Write a line."""
        line = {"what": what, "at": time.monotonic(), **more}
        self._write(self._descriptor, (json.dumps(line) + "\n").encode())


def run(profile: Path, texts: Path, seed: int, number: int, journal: int) -> None:
    """Run the window until it is killed or ends; never returns. ``number``: index of the window on this profile."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from benchmarks.fault_acts import Acts
    from benchmarks.fault_training import begin_training
    from gui.app import create_window
    from gui.window.application import Application

    rng = random.Random(f"{seed}/{number}" if number else seed)
    fate = fate_of(rng)
    _disable_compiling()
    app = QApplication(["faults"])
    disk = FaultyDisk(profile, rng, fate.kill_at)
    disk.install()
    window = create_window(profile)
    bench = window.findChild(Application)
    assert bench is not None
    note = Journal(journal).note
    note("slot", number=bench.slot.number, window=number)
    _watch(bench, note)
    bench.settings.set("autosave_seconds", 1)
    bench.panel.editor.setPlainText("")
    acts = Acts(bench, rng, note, number)
    began, ending = 0.0, False

    def turn() -> None:
        nonlocal ending
        age = (time.monotonic() - began) / fate.seconds
        disk.failing = fate.failing if 0.2 < age < 0.7 else 0.0
        if age < 1.0:
            acts.act()
        elif not fate.failing:
            os.kill(os.getpid(), signal.SIGKILL)
        elif not ending:
            ending = True
            timer.stop()
            window.destroyed.connect(app.quit)
            note("closing", number=acts.typed, text=len(bench.panel.editor.toPlainText()))
            # It may learn only now of a save that failed before, and rightly stay open; but not a second time.
            if not window.close() and not window.close():
                note("stayed open", number=acts.typed)
                os._exit(0)
            note("closed", number=acts.typed)

    def begin() -> None:
        nonlocal began
        if fate.trains:
            begin_training(bench, texts, fate.trains)
        began = time.monotonic()
        timer.start(TURN_MS)

    timer = QTimer()
    timer.timeout.connect(turn)
    bench.started.connect(begin)
    window.show()
    app.exec()
    os._exit(0)


def _disable_compiling() -> None:
    """Count with tiktoken. The kernels for training are already loaded, by the parent."""
    from engine.encoding import compiling, encoder_choice
    from gui.runtime import kernel_build

    kernel_build.PATIENCE_MS = 2**30
    encoder_choice.is_compiled = lambda *_: False
    compiling.is_compiled = lambda *_: True


def _watch(bench: Any, note: Callable[..., None]) -> None:
    """Log notifications, exceptions, and the outcome of background writes."""
    from benchmarks.fault_training import watch_training

    watch_training(note)
    sys.excepthook = lambda kind, error, _: note("exception", text=f"{kind.__name__}: {error}")
    bench.notifier.posted.connect(lambda notice: note("said", text=notice.text))
    bench.files._storage.written.connect(lambda _path: note("document done", whole=not bench.prompt.modified))
    bench.keeper._storage.failed.connect(lambda _path, why: note("session failed", why=why))
