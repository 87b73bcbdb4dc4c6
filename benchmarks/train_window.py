"""Measure the responsiveness of the window while it trains: lateness of a 5 ms timer of the GUI thread.

A gap counts as *own* up to the processor time that this process used in it: on a machine with other load the rest is
due to that.

``python -m benchmarks.train_window FOLDER [--vocab-size 32000]``

A real window (under Xvfb or on a desktop; offscreen otherwise) scans a folder, trains on it with the curve and the feed
of merges visible, saves the vocabulary and evaluates it beside three others. Each stage is a line; *idle* is the same
window with nothing to do, which shows the share of the machine. Kernels are compiled beforehand.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from benchmarks.window import Bench, Lateness, percentiles, resident_mb

IDLE_SECONDS = 3.0
PATIENCE_SECONDS = 3600.0


def compile_all(folder: Path) -> None:
    """Compile all kernels, so that none is compiled during the measurement."""
    from engine.encoding import compiling

    missing = [family for family in compiling.FAMILIES if not compiling.is_compiled(folder, family)]
    if missing:
        compiling.compile_in_child(folder, missing, lambda: None)


class OwnLateness(Lateness):
    """Also records the part of each gap that this process may have caused, in milliseconds."""

    def __init__(self) -> None:
        super().__init__()
        self.own: list[float] = []
        self._used = time.process_time()

    def _tick(self) -> None:
        super()._tick()
        used = time.process_time()
        self.own.append(min(self.milliseconds[-1], (used - self._used) * 1e3))
        self._used = used


class Watch:
    """Lateness by stage."""

    def __init__(self) -> None:
        self._name = ""
        self._lateness = OwnLateness()
        self._started = time.perf_counter()
        self._lateness.start()

    def part(self, name: str) -> None:
        """Start a new stage."""
        if name == self._name:
            return
        self._end()
        self._name = name

    def _end(self) -> None:
        if self._name:
            seconds = time.perf_counter() - self._started
            late, own = (percentiles(values or [0.0]) for values in (self._lateness.milliseconds, self._lateness.own))
            print(f"{self._name:<10} {seconds:6.2f} s   late {late}   own {own}", flush=True)
        self._lateness.milliseconds.clear()
        self._lateness.own.clear()
        self._started = time.perf_counter()

    def close(self) -> None:
        """End the last stage."""
        self._end()
        self._lateness.stop()


def main() -> None:
    """Measure one run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--vocab-size", type=int, default=32_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as profile:
        from gui.core.profile_files import profile_paths

        compile_all(profile_paths(Path(profile)).compiled)
        bench = Bench(Path(profile))
        bench.bench.kernels.begin()
        bench.until(lambda: bench.bench.kernels.use.active, PATIENCE_SECONDS)
        measure(bench, options.folder.absolute(), options.vocab_size)
        bench.close()
    print("limit: own, max 50 ms")


def measure(bench: Bench, folder: Path, vocab_size: int) -> None:
    """Run a training on the page, and print a line for each stage."""
    workbench = bench.bench
    panel, flow = workbench.pages.training.panel, workbench.pages.training
    bench.window.pages.setCurrentWidget(workbench.pages.page("trainingTab"))
    panel.show_page(panel.progress)
    before = resident_mb()
    watch = Watch()
    watch.part("idle")
    end = time.perf_counter() + IDLE_SECONDS
    bench.until(lambda: time.perf_counter() > end)
    watch.part("survey")
    panel.form.vocab_size.setValue(vocab_size)
    panel.folder.set_paths([str(folder)])
    bench.until(lambda: panel.survey.headline.text()[:1].isdigit() and not workbench.runner.busy, PATIENCE_SECONDS)
    flow._training.advanced.connect(lambda snapshot: watch.part(snapshot.progress.stage))
    watch.part("start")
    panel.run_bar.start.click()
    bench.until(lambda: flow.run_state == "idle" and panel.progress.model.rowCount() > 0, PATIENCE_SECONDS)
    watch.part("measuring")
    bench.until(lambda: panel.result.body.currentWidget() is panel.result.figures, PATIENCE_SECONDS)
    watch.close()
    merges = panel.progress.model.rowCount()
    print(f"{merges:,} merges; {panel.run_bar.words.text()}")
    print(f"memory {resident_mb():.0f} MB, before {before:.0f} MB; {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
