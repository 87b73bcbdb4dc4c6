"""Press everything in the window at random, for a long time: ``python -m benchmarks.soak [--minutes 30] [--seed N]``.

A window on a fresh profile is typed into, pasted into, clicked and resized at random: every control of every page,
every action of every menu, every dialog that opens (``soak_monkey``). In between it gets background work: 10 MB of
text, a training, a scan, an import, some of which is cancelled (``soak_errands``). The printed seed determines the
actions, but not the progress of the window at each, so a run can only be repeated approximately. Files are read from
and written to a temporary folder; nothing outside of it is touched.

Everything is done once beforehand (``soak_warm_up``), so that first use does not count as growth. At the end (with exit
status 1 if one of these fails):

- no exception, no warning of Qt, no crash report;
- no thread is left when the window is closed;
- at rest, with a short text, an empty clipboard, and without the imported and trained encodings, memory has grown by at
  most a tenth since the first of ten stages;
- the event loop was never blocked for longer than ``--gap`` milliseconds (100) by the window itself. The part of a stop
  in which the window was ready but had no processor is attributed to the machine (``gui.runtime.watchdog``), and
  reported separately.

The last line reports all of this. ``--stacks`` prints the stacks of the window's own stops.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import gc
import os
import random
import sys
import tempfile
import threading
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TextIO

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import (
    QEvent,
    QMessageLogContext,
    Qt,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog

from benchmarks.soak_files import fill
from benchmarks.soak_jobs import RecentJobs
from benchmarks.soak_monkey import Monkey
from benchmarks.soak_stops import places
from benchmarks.soak_waits import run_for, wait_for_counts, wait_for_jobs, wait_for_quiet
from benchmarks.soak_warm_up import close_dialogs, leave_all, look_at_all, warm_up
from engine.kernels.cache_folder import user_folder
from gui.app import paint_alone, tend_memory
from gui.core.profile_files import profile_paths
from gui.prompt.counting_service import FIRST_ENCODING
from gui.runtime.memory import MemoryReturn, keep_big_blocks_apart
from gui.runtime.watchdog import Stop, Watchdog
from gui.window.application import Application

REST_MS = 1500
REST_SIZE = (1280, 800)
STAGES = 10
STAGE_SECONDS = 60
"""Minimum duration of a stage, in seconds."""
GROWTH = 0.1
OF_THE_MACHINE = ("This plugin does not support", "OpenType support missing for")
"""Prefixes of messages of Qt about the display and the fonts of the machine."""
OF_QTS_FILE_DIALOG = ("edit: index was invalid", "edit: editing failed")
"""Messages of Qt's own file dialog when its menu is asked to rename an entry that no longer exists."""
CALLERS = 8
"""Number of innermost Python calls that are printed with a message of Qt."""
MAX_KINDS = 25
MAX_PLACES = 30


@dataclass
class Findings:
    """Findings of a run."""

    faults: list[str] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    marks: list[float] = field(default_factory=list)
    """Resident memory at rest, in MB: after the warm-up, and after each stage."""
    done: Counter[str] = field(default_factory=Counter)
    threads: list[str] = field(default_factory=list)

    @property
    def base(self) -> float:
        """The memory to compare the last stage with: that of the first stage, or of the warm-up in short runs."""
        return self.marks[1 if len(self.marks) > 2 else 0]

    @property
    def growth(self) -> float:
        """Growth of memory since ``base``, as a fraction."""
        return self.marks[-1] / self.base - 1

    def verdict(self, gap_ms: int, *, any_memory: bool) -> tuple[bool, str]:
        """Return True if everything holds, and the result as one line."""
        own = [stop.own for stop in self.stops if stop.own * 1000 > gap_ms]
        grown = self.growth > GROWTH and not any_memory
        sound = not (self.faults or self.threads or own or grown)
        longest = max((stop.own for stop in self.stops), default=0.0)
        return sound, (
            f"{'sound' if sound else 'NOT SOUND'}: faults {len(self.faults)}; threads left {len(self.threads)}; "
            f"growth {self.growth:+.1%} ({self.base:.0f} to {self.marks[-1]:.0f} MB); "
            f"own stops over {gap_ms} ms {len(own)} (longest {longest * 1000:.0f} ms); "
            f"the machine's {len(self.stops) - len(own)}"
        )


def resident_mb() -> float:
    """Return the resident memory of this process, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def kinds_of_objects() -> Counter[str]:
    """Return the number of objects of each kind: Qt widgets, and objects that the garbage collector tracks."""
    gc.collect()
    widgets = Counter(f"widgets {type(widget).__name__}" for widget in QApplication.allWidgets())
    return widgets + Counter(f"{type(one).__module__}.{type(one).__qualname__}" for one in gc.get_objects())


def memory_at_rest(bench: Application) -> float:
    """Return the resident memory, in MB, of the idle window in a defined state.

    The window is alone and has a fixed size (its picture takes four bytes a pixel), the text is short, the clipboard is
    empty (a copy of megabytes would stay in it), every page has been shown with that text and the first encoding, jobs
    have ended, encodings imported and trained since are removed, and what the window drops at rest has been dropped:
    the rules of the style sheet for every widget take 25 MB, and otherwise would be left or not, by chance.
    """
    assert bench.runner is not None
    for lane in bench.runner.busy_lanes:
        lane.cancel()
    leave_all(bench)
    bench.window.resize(*REST_SIZE)
    bench.panel.editor.setPlainText("short")
    QGuiApplication.clipboard().clear()
    bench.prompt.set_encoding(FIRST_ENCODING)
    for name in bench.user_encodings.names():
        bench.user_encodings.remove(name)
    assert bench.encodings is not None
    bench.encodings.refresh()
    wait_for_counts(bench)
    leave_all(bench)
    look_at_all(bench)
    wait_for_quiet(bench)
    gc.collect()
    for memory in bench.findChildren(MemoryReturn):
        memory.begin_at_rest()
    wait_for_jobs(bench)
    run_for(REST_MS)
    return resident_mb()


def main() -> int:
    """Run the soak. Return 1 if a check fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--gap", type=int, default=100, help="longest stop of the event loop, in milliseconds")
    parser.add_argument("--any-memory", action="store_true", help="do not judge memory: for runs of seconds")
    parser.add_argument("--brief", action="store_true", help="neither big files nor a warm-up: for runs of seconds")
    parser.add_argument("--growth", action="store_true", help="list kinds of objects that increased after each stage")
    parser.add_argument("--stacks", action="store_true", help="print the stacks of the longest stop at each place")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**32)
    print(f"seed {seed}, {options.minutes:g} minutes", flush=True)
    faulthandler.enable()
    os.environ.setdefault("TOKENLOUPE_KERNEL_CACHE", str(user_folder()))
    found = Findings()
    with _listening(found.faults), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        os.environ["HOME"] = name
        folder = Path(name) / "files"
        folder.mkdir()
        fill(folder, random.Random(seed), big=not options.brief)
        with (Path(name) / "stops").open("w+", encoding="utf-8") as said:
            _soak(Path(name) / "profile", folder, seed, options, found, said)
            said.seek(0)
            where = places(found.stops, said.read())
    print(f"done: {', '.join(f'{count} {name}' for name, count in found.done.most_common())}")
    print(f"memory at rest, MB: {', '.join(f'{mark:.0f}' for mark in found.marks)}")
    print(f"threads left: {', '.join(found.threads) or 'none'}; faults: {len(found.faults)}")
    for text, count in Counter(found.faults).most_common(20):
        print(f"--- {count} times\n{text}")
    for place in [place for place in where if place.longest * 1000 > options.gap][:MAX_PLACES]:
        print(f"--- {len(place.stops)} stops, longest {max(place.stops, key=lambda stop: stop.own)}: {place.name}")
        if options.stacks:
            print(place.stacks)
    sound, line = found.verdict(options.gap, any_memory=options.any_memory)
    print(line)
    return 0 if sound else 1


@contextlib.contextmanager
def _listening(faults: list[str]) -> Iterator[None]:
    """Record uncaught exceptions and messages of Qt, but not after Python has ended."""

    def on_message(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        if kind == QtMsgType.QtDebugMsg or text.startswith(OF_THE_MACHINE):
            return
        if text not in OF_QTS_FILE_DIALOG or QFileDialog not in map(type, QApplication.topLevelWidgets()):
            faults.append(f"Qt: {text}\n{''.join(traceback.format_stack(limit=CALLERS))}")

    def on_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        faults.append("".join(traceback.format_exception(kind, error, trace)))
        sys.__excepthook__(kind, error, trace)

    qInstallMessageHandler(on_message)
    sys.excepthook = on_exception
    sys.unraisablehook = lambda raised: faults.append(f"not raisable: {raised.exc_value!r} in {raised.object!r}")
    try:
        yield
    finally:
        qInstallMessageHandler(None)
        sys.excepthook, sys.unraisablehook = sys.__excepthook__, sys.__unraisablehook__


def _soak(profile: Path, folder: Path, seed: int, options: argparse.Namespace, found: Findings, said: TextIO) -> None:
    """Open a window as the program does, run the soak, and close it."""
    paint_alone()
    keep_big_blocks_apart()
    application = QApplication.instance() or QApplication(["soak", "-style", "fusion"])
    assert isinstance(application, QApplication)
    application.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    before = set(threading.enumerate())
    bench = Application(profile_paths(profile))
    tend_memory(bench)
    bench.window.close_guard = lambda: False  # random presses find Quit, too
    bench.window.show()
    while bench.pages.folders is None:
        run_for(REST_MS)
    watchdog = Watchdog(options.gap, said)
    assert bench.runner is not None
    RecentJobs(bench.runner, watchdog, said)
    _run(bench, folder, seed, options, found, watchdog)
    close_dialogs()
    bench.window.close_guard = None
    bench.window.close()
    run_for(REST_MS)
    application.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    found.threads += [thread.name for thread in set(threading.enumerate()) - before if thread.is_alive()]


def _run(
    bench: Application, folder: Path, seed: int, options: argparse.Namespace, found: Findings, watchdog: Watchdog
) -> None:
    monkey = Monkey(bench, folder, seed)
    if not options.brief:
        watchdog.start()
        warm_up(bench, folder)
        watchdog.stop()
    found.marks.append(memory_at_rest(bench))
    print(f"  warmed up: {found.marks[-1]:.0f} MB at rest, {len(watchdog.stops)} stops", flush=True)
    before = kinds_of_objects()
    seconds = options.minutes * 60
    stages = max(1, min(STAGES, round(seconds / STAGE_SECONDS)))
    for _ in range(stages):
        watchdog.start()
        monkey.start()
        run_for(round(seconds / stages * 1000))
        monkey.stop()
        watchdog.stop()
        found.marks.append(memory_at_rest(bench))
        print(
            f"  {sum(monkey.done.values())} steps, {found.marks[-1]:.0f} MB at rest, {len(watchdog.stops)} stops, "
            f"{sum(stop.own * 1000 > options.gap for stop in watchdog.stops)} of them our own",
            flush=True,
        )
        if options.growth:
            now = kinds_of_objects()
            more = (now - before).most_common(MAX_KINDS)
            print(f"    more of: {', '.join(f'{count:,} {kind}' for kind, count in more)}")
            before = now
    found.faults += monkey.faults
    found.stops += watchdog.stops
    found.done += monkey.done


if __name__ == "__main__":
    sys.exit(main())
