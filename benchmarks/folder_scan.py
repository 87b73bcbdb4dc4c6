"""Measure a folder of 20,000 files, 500 MB: counted, counted again, and counted in a window.

``python -m benchmarks.folder_scan [--files 20000] [--megabytes 500] [--folder DIR] [--encoding o200k_base]``

The folder is generated from the corpora of ``shared``, in ``--folder``, where it is kept, or in a temporary one.

- *nothing kept*: walk, read, check and count, with two threads, as the command line does.
- *first scan*: the same with digests, and counts cached for the next time, as the window does.
- *second scan*: nothing has changed. Limit: 2 seconds.
- *window*: how late a 5 ms timer of the GUI thread fires while the Files page counts the folder. Limit: at most 50 ms
  more than in an idle event loop. Memory is managed as in the program.

After each scan that reads files, the encoder's own speed is printed, measured right afterwards in its own process, like
the scan: the same texts, joined in memory, with two threads. First for the initial pass, which the first scan is to be
compared with, then at its best, when its caches know the words. Limits: 60% of that speed, and 400 MB of memory. All
times are wall time, which a busy machine prolongs for both alike. Files are in the system's cache: they are read once
just before each scan.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.folder_texts import make_folder
from engine.kernels.cache_folder import VARIABLE, user_folder

if TYPE_CHECKING:
    from engine import Encoding

THREADS = 2
PEER_BYTES = 120_000_000
TICK_MS = 5
IDLE_SECONDS = 2.0
MEASURE = "import sys; from benchmarks.folder_scan import {}; {}(*sys.argv[1:])"


def memory_mb() -> float:
    """Return the peak resident memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def scan(folder: str, cache: str, name: str) -> None:
    """Count the folder once, and print time and memory. ``cache``: the file for counts, "" for none."""
    import engine
    from engine.corpus.count_cache import CountCache
    from engine.corpus.folder_counts import count_folder
    from engine.corpus.types import CorpusRules
    from engine.corpus.walk import FolderWalk

    encoding = engine.get_encoding(name)
    encoding.use_kernels()
    before = memory_mb()
    start = time.perf_counter()
    found = FolderWalk(CorpusRules()).found([Path(folder)])
    kept = CountCache(Path(cache)) if cache else None
    counts = count_folder(found, [encoding], threads=THREADS, cache=kept)
    seconds = time.perf_counter() - start
    after = memory_mb()
    speed = int(counts.file_bytes.sum()) / 1e6 / seconds
    print(
        f"  {seconds:6.2f} s  {speed:7.0f} MB/s  {int(counts.tokens.sum()):,} tokens, "
        f"{counts.files_read:,} files read, memory {after:.0f} MB (before: {before:.0f})"
    )
    if counts.files_read:
        run("own", folder, name, str(speed))


def own(folder: str, name: str, scanned: str) -> None:
    """Count the texts of the folder from memory, and print the speed. ``scanned``: MB/s of the scan."""
    import engine

    encoding = engine.get_encoding(name)
    encoding.use_kernels()
    fresh, size, best = 0.0, 0.0, 0.0
    for text, megabytes in joined(Path(folder)):
        seconds = counting(encoding, text)
        fresh, size, best = fresh + seconds, size + megabytes, max(best, megabytes / seconds)
        best = max(best, *(megabytes / counting(encoding, text) for _ in range(2)))
    for what, speed in (("for the first time", size / fresh), ("at its best", best)):
        share = 100 * float(scanned) / speed
        print(f"            {speed:7.0f} MB/s  the encoder's own, {THREADS} threads, {what}: {share:.0f}% of it")


def counting(encoding: Encoding, text: str) -> float:
    """Return the seconds needed to count a text."""
    start = time.perf_counter()
    encoding.count(text, num_threads=THREADS)
    return time.perf_counter() - start


def joined(folder: Path) -> Iterator[tuple[str, float]]:
    """Yield all texts of the folder in walk order, joined to chunks that fit into memory, with their size in MB."""
    from engine.corpus.types import CorpusRules
    from engine.corpus.walk import FolderWalk, FoundFile

    pieces, size = [], 0
    for found in FolderWalk(CorpusRules()).found([folder]):
        if isinstance(found, FoundFile):
            pieces.append(found.path.read_bytes().decode())
            size += found.file_bytes
        if size >= PEER_BYTES:
            yield "".join(pieces), size / 1e6
            pieces, size = [], 0
    if pieces:
        yield "".join(pieces), size / 1e6


def read_once(folder: Path) -> None:
    """Read all files, so that the system caches them."""
    for path in folder.rglob("*"):
        if path.is_file():
            path.read_bytes()


def window(folder: str, profile: str, name: str) -> None:
    """Count the folder in a window, and print the lateness of its event loop."""
    from PySide6.QtCore import QEventLoop, QTimer
    from PySide6.QtWidgets import QApplication

    from gui.app import create_window, tend_memory
    from gui.runtime.memory import keep_big_blocks_apart
    from gui.window.application import Application

    gc.disable()
    keep_big_blocks_apart()
    app = QApplication([])
    shown = create_window(Path(profile))
    bench = shown.findChild(Application)
    assert bench is not None
    tend_memory(bench)
    loop = QEventLoop()
    bench.started.connect(loop.quit)
    shown.show()
    loop.exec()
    bench.prompt.set_encoding(name)
    assert bench.pages.folders is not None
    panel = bench.pages.folders.focus()
    flow = bench.pages.folders
    assert flow is not None
    late: list[float] = []
    last = time.perf_counter()

    def tick() -> None:
        nonlocal last
        now = time.perf_counter()
        late.append((now - last) * 1000 - TICK_MS)
        last = now

    timer = QTimer(interval=TICK_MS)
    timer.timeout.connect(tick)

    def measured(what: str, done: Callable[[], bool]) -> None:
        nonlocal last
        late.clear()
        last = time.perf_counter()
        timer.start()
        start = last
        check = QTimer(interval=20)
        waiting = QEventLoop()
        check.timeout.connect(lambda: waiting.quit() if done() else None)
        check.start()
        waiting.exec()
        timer.stop()
        ordered = sorted(late)
        print(
            f"  {what:<12} {time.perf_counter() - start:6.2f} s  late by {ordered[int(len(late) * 0.99)]:5.1f} ms "
            f"(99 of 100), {ordered[-1]:5.1f} ms at most, memory {memory_mb():.0f} MB"
        )

    end = time.perf_counter() + IDLE_SECONDS + 8
    measured("start", lambda: time.perf_counter() > end)
    end = time.perf_counter() + IDLE_SECONDS
    measured("idle", lambda: time.perf_counter() > end)
    panel.set_paths([Path(folder)])
    measured("first scan", lambda: flow.shown is not None and not flow.busy)
    before = flow.shown
    flow.count()
    measured("second scan", lambda: flow.shown is not before and not flow.busy)
    shown.close()
    app.processEvents()


def run(what: str, *arguments: str) -> None:
    """Run a function of this module in its own process, which also separates its memory."""
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", MEASURE.format(what, what), *arguments], check=True)


def main() -> None:
    """Create the folder and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--encoding", default="o200k_base")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    # The window has its own profile, and would otherwise compile all kernels while it counts.
    os.environ.setdefault(VARIABLE, str(user_folder()))
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch) / "texts"
        if not folder.exists():
            make_folder(folder, options.files, options.megabytes * 1_000_000)
            time.sleep(2.1)  # cached counts of files that were just written are not trusted
        name, cache = options.encoding, str(Path(scratch) / "counts.sqlite")
        print(f"{options.files:,} files, {options.megabytes} MB")
        for title, what in (
            ("nothing kept", ("scan", str(folder), "", name)),
            ("first scan", ("scan", str(folder), cache, name)),
            ("second scan", ("scan", str(folder), cache, name)),
            ("window", ("window", str(folder), str(Path(scratch) / "profile"), name)),
        ):
            print(title)
            read_once(folder)
            run(*what)


if __name__ == "__main__":
    main()
