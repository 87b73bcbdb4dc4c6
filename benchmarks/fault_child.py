"""A window that works on a faulty disk until it dies: the child process of ``faults``.

It types, saves, keeps versions and tokenizers, imports prices and saves checkpoints, one thing after the other, at
random. What it began and what was done stands in a journal, one line of JSON each, on a disk that never fails. All that
it writes ends in a way that half of it would not.
"""

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
PRICES = "prices.yaml"
CHECKPOINT = "training.run"
DOCUMENT = "document.txt"


class Fate(NamedTuple):
    """What becomes of a child. ``kill_at``: dies at that call to the disk. ``failing``: share of calls that fail for a
    while; then it ends by itself, unless it dies before. ``seconds``: how long it lives at most."""

    kill_at: int
    failing: float
    seconds: float


def fate_of(rng: random.Random) -> Fate:
    """Half of the children die, the disk of the others fails; some live for longer than a text may be unsaved."""
    long = rng.random() < 0.03
    seconds = rng.uniform(6.5, 8.0) if long else rng.uniform(0.2, 0.9)
    if rng.random() < 0.5:
        return Fate(rng.randrange(1, 40 if rng.random() < 0.5 else 600) if not long else 0, 0.0, seconds)
    return Fate(0, rng.choice((0.1, 0.3, 1.0)), seconds)


def numbers(count: int) -> str:
    """A text of which no part is another such text: its numbers go down to nought."""
    return "".join(f"{number} " for number in reversed(range(count)))


def price_file(number: int) -> str:
    """A valid price file that says its number at both ends."""
    lines = [f"# {number}", "version: 1", "models:"]
    for model in range(20):
        lines += [f"  own/model-{model}:", f"    price: {{input: {number}, output: 1}}"]
    return "\n".join([*lines, f"# {number}", ""])


class Child:
    """One window. ``act`` does one thing."""

    def __init__(self, bench: Any, disk: FaultyDisk, rng: random.Random, journal: int) -> None:
        self._bench, self._disk, self._rng, self._journal = bench, disk, rng, journal
        self._write = os.write
        self._number = 0
        self.typed = 0
        self.acts: tuple[Callable[[], None], ...] = (
            *((self._type,) * 6),
            *(self._save, self._set, self._keep_scenario, self._keep_version),
            *(self._change_prices, self._save_checkpoint, self._keep_tokenizer),
        )

    def note(self, what: str, **more: object) -> None:
        """Write into the journal."""
        line = {"what": what, "at": time.monotonic(), **more}
        self._write(self._journal, (json.dumps(line) + "\n").encode())

    def act(self) -> None:
        """Do one thing at random."""
        self._rng.choice(self.acts)()

    def _tried(self, what: str, act: Callable[[int], object]) -> None:
        from engine.errors import EngineError

        self._number += 1
        self.note(f"{what} begun", number=self._number)
        try:
            act(self._number)
        except (OSError, EngineError) as error:
            self.note(f"{what} failed", why=str(error))
        else:
            self.note(f"{what} done", number=self._number)

    def _type(self) -> None:
        from PySide6.QtGui import QTextCursor

        cursor = QTextCursor(self._bench.panel.editor.document())
        cursor.insertText(f"{self.typed} ")
        self.typed += 1
        self.note("typed", number=self.typed)

    def _save(self) -> None:
        self.note("document begun", number=self.typed)
        self._bench.files.save_to(self._bench.paths.config / DOCUMENT)

    def _set(self) -> None:
        self._bench.settings.set("font_size", self._rng.randrange(8, 30))

    def _keep_scenario(self) -> None:
        from gui.models.scenario_choices import ScenarioChoices

        name = f"scenario {self._rng.randrange(20)}"
        self._bench.costs.panel.names._book.save(name, ScenarioChoices(calls=self._rng.randrange(1, 1000)))

    def _keep_version(self) -> None:
        from gui.held_text import held
        from gui.services.versions import store

        self._tried("version", lambda number: store.save(self._versions, str(number), held([numbers(99)]), "none", {}))

    @property
    def _versions(self) -> Path:
        return self._bench.paths.versions

    def _change_prices(self) -> None:
        from gui.services.price_text import ReadRequest, SaveRequest, read_price_text, save_price_text

        path = self._bench.paths.prices_file

        def change(number: int) -> None:
            file = read_price_text(ReadRequest(path))
            save_price_text(SaveRequest(path, price_file(number), file.stored, file.digest, 0))

        self._tried("prices", change)

    def _save_checkpoint(self) -> None:
        import numpy as np

        from engine.training_checkpoint import write_checkpoint

        path = self._bench.slot.folder / CHECKPOINT

        def save(number: int) -> None:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_checkpoint(path, {"n": number}, {"a": np.full(9999, number)})

        self._tried("checkpoint", save)

    def _keep_tokenizer(self) -> None:
        from engine import Encoding

        ranks = {bytes([value]): value for value in range(256)}
        ranks |= {b"a" * length: 254 + length for length in range(2, self._rng.randrange(3, 60))}
        encoding = Encoding("own", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={})
        self._tried("tokenizer", lambda _number: self._bench.own_encodings.keep(encoding))


def run(profile: Path, seed: int, journal: int) -> None:
    """Live, and die or end. Never returns."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from engine import compiling, kernel_use
    from gui.app import create_window
    from gui.services import kernel_build
    from gui.workbench import Workbench

    rng = random.Random(seed)
    fate = fate_of(rng)
    kernel_build.PATIENCE_MS = 2**30
    kernel_use.is_compiled = compiling.is_compiled = lambda *_: False
    app = QApplication(["faults"])
    disk = FaultyDisk(profile, rng, fate.kill_at)
    disk.install()
    window = create_window(profile)
    bench = window.findChild(Workbench)
    assert bench is not None
    bench.settings.set("autosave_seconds", 1)
    bench.panel.editor.setPlainText("")
    child = Child(bench, disk, rng, journal)
    sys.excepthook = lambda kind, error, _: child.note("exception", text=f"{kind.__name__}: {error}")
    bench.notifier.posted.connect(lambda notice: child.note("said", text=notice.text))
    bench.files._storage.written.connect(lambda _path: child.note("document done"))
    bench.keeper._storage.failed.connect(lambda _path, why: child.note("session failed", why=why))
    began, ending = 0.0, False

    def turn() -> None:
        nonlocal ending
        age = (time.monotonic() - began) / fate.seconds
        disk.failing = fate.failing if 0.2 < age < 0.7 else 0.0
        if age < 1.0:
            child.act()
        elif not fate.failing:
            os.kill(os.getpid(), signal.SIGKILL)
        elif not ending:
            ending = True
            timer.stop()
            window.destroyed.connect(app.quit)
            child.note("closing", number=child.typed, text=len(bench.panel.editor.toPlainText()))
            child.note("closed" if window.close() else "stayed open", number=child.typed)

    def begin() -> None:
        nonlocal began
        began = time.monotonic()
        timer.start(TURN_MS)

    timer = QTimer()
    timer.timeout.connect(turn)
    bench.started.connect(begin)
    window.show()
    app.exec()
    os._exit(0)
