"""Measure from process start to the first count, with and without compiled kernels: times, event-loop gaps, memory.

``python -m benchmarks.first_count [--runs 5] [--text FILE] [--until taken]`` opens the real window in fresh processes,
alternating: on a profile with an *empty* cache, where tiktoken's encoder counts while kernels are compiled, and on one
with a *full* cache. The clock starts when the operating system created the process.

- *first count*: when the figures of the text are shown; *all counts*: with those of the cost table. *cpu*: processor
  time of all threads until then, which is more reliable than the clock on a busy machine.
- *gaps*: how late a 2 ms timer of the GUI thread fires, from the first paint on: the longest, and the sum of all above
  10 ms, until all counts and until the window closes, two seconds later.
- *memory*: resident, at the end; *private*: without memory shared with other processes, such as mapped files.
- *cores*: number of tiktoken encoders in memory at the end.

With ``--until taken`` a run on the empty profile lasts until our kernels have taken over, which takes a minute or two
the first time; the gaps then include everything until that moment.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTABLE_MS = 10

WINDOW = """
import json, os, sys, time
import gc
gc.disable()
from pathlib import Path
import psutil
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication
import gui.app
process = psutil.Process()
profile, text, until = sys.argv[1:]
app = QApplication([sys.argv[0], "-style", "fusion"])
bench = gui.app.Application(gui.app.profile_paths(Path(profile)))
bench.started.connect(lambda: bench.runner.collector.settle())
if text:
    bench.files.open_paths([Path(text)])
said, gaps, last = {}, [], time.perf_counter()

def now():
    return (time.time() - process.create_time()) * 1e3

def say(what):
    said.setdefault(what, now())

def tick():
    global last
    this = time.perf_counter()
    gaps.append((now(), (this - last) * 1e3 - 2))
    last = this

def begin():
    global last
    say("first picture")
    last = time.perf_counter()
    timer.start()

def counted(counts):
    if text and not counts.statistics.utf16_units > 5000:
        return
    say("first count")
    said.setdefault("cpu at first count", time.process_time() * 1e3)
    if counts.complete and counts.by_encoding:
        say("all counts")
        said.setdefault("cpu at all counts", time.process_time() * 1e3)
        if until != "taken" and "ending" not in said:
            say("ending")
            QTimer.singleShot(2000, end)

def started():
    bench.kernels.taken_over.connect(lambda: (say("kernels take over"), QTimer.singleShot(2000, end)))
    bench.kernels.failed.connect(lambda *why: (print(why, file=sys.stderr), end()))

def end():
    encodings = sys.modules["engine"].opened_encodings()
    said["cores"] = sum(one._core is not None for one in encodings)
    memory = process.memory_full_info()
    said["memory"], said["private"] = memory.rss / 1e6, memory.uss / 1e6
    first = [gap for at, gap in gaps if at <= said["all counts"] + 5]
    for name, some in (("to all counts", first), ("to the end", [gap for _, gap in gaps])):
        said["longest gap " + name] = max(some)
        said["notable gaps " + name] = sum(gap for gap in some if gap > {notable})
    closing = now()
    bench.window.close()
    said["closing"] = now() - closing
    print(json.dumps(said))
    sys.stdout.flush()
    os._exit(0)

timer = QTimer()
timer.setTimerType(Qt.TimerType.PreciseTimer)
timer.setInterval(2)
timer.timeout.connect(tick)
bench.window.first_painted.connect(begin)
bench.prompt.counted.connect(counted)
bench.started.connect(started)
bench.window.show()
app.exec()
"""

ROWS = (
    ("first picture", "ms"),
    ("first count", "ms"),
    ("cpu at first count", "ms"),
    ("all counts", "ms"),
    ("cpu at all counts", "ms"),
    ("longest gap to all counts", "ms"),
    ("notable gaps to all counts", "ms"),
    ("longest gap to the end", "ms"),
    ("notable gaps to the end", "ms"),
    ("closing", "ms"),
    ("memory", "MB"),
    ("private", "MB"),
    ("cores", ""),
    ("kernels take over", "ms"),
)


def measure(profile: Path, text: str, until: str, cache: Path | None) -> dict[str, float]:
    """Measure one window in a fresh process. ``cache``: folder of compiled kernels; None for that of the profile."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    environment.pop("TOKENLOUPE_KERNEL_CACHE", None)
    if cache is not None:
        environment["TOKENLOUPE_KERNEL_CACHE"] = str(cache)
    if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(environment):
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    code = WINDOW.replace("{notable}", str(NOTABLE_MS))
    command = [sys.executable, "-c", code, str(profile), text, until]
    done = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def line(what: str, unit: str, runs: Sequence[Sequence[dict[str, float]]]) -> str:
    """Format a row of the table: medians, with the best in brackets."""
    cells = []
    for column in runs:
        values = [run[what] for run in column if what in run]
        cells.append(f"{statistics.median(values):8.0f} ({min(values):6.0f})" if values else " " * 17)
    return f"{what:<28}{unit:<4}" + "".join(f"{cell:>20}" for cell in cells)


def main() -> None:
    """Measure both profiles in turns and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--text", default="", help="a file to open instead of the sample prompt")
    parser.add_argument("--until", choices=["counted", "taken"], default="counted")
    given = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from engine.encoding.compiling import ENCODE, compile_in_child
    from engine.kernels.cache_folder import VARIABLE

    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder, "kernels")
        os.environ[VARIABLE] = str(full)
        compile_in_child(full, [ENCODE], lambda: None)
        columns: tuple[list[dict[str, float]], list[dict[str, float]]] = ([], [])
        for number in range(given.runs):
            columns[0].append(measure(Path(folder, f"empty-{number}"), given.text, given.until, None))
            columns[1].append(measure(Path(folder, f"full-{number}"), given.text, "counted", full))
    print(f"{'median (best)':<32}{'empty cache':>20}{'full cache':>20}")
    for what, unit in ROWS:
        print(line(what, unit, columns))


if __name__ == "__main__":
    main()
