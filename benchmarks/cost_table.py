"""Measure the cost table: pricing its models, showing new figures, sorting, and filtering.

    python benchmarks/cost_table.py [--models 100] [--repeat 50]

Prints medians and 99th percentiles in milliseconds of CPU time of the calling thread. The application prices in a job
lane; here the function is called directly, to measure nothing else. ``painted``: until the table is painted.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import cycle, islice
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from gui.costs.cost_controller import CostPanel
from gui.costs.cost_service import CostService, PriceRequest, new_cards, price_rows
from gui.look.theme import Theme
from gui.runtime.notify import Notifier
from pricing import load_catalog
from pricing.types import CallMix, Model, Scenario

FILTERS = ("o", "op", "ope", "open", "openai", "openai e", "", "claude", "claude est", "gem", "")
TODAY = date(2026, 11, 21)


def measured(steps: Iterator[Callable[[], object]]) -> list[float]:
    """Return the CPU milliseconds of each step."""
    times = []
    for step in steps:
        started = time.thread_time()
        step()
        times.append((time.thread_time() - started) * 1000)
    return times


def report(what: str, times: list[float]) -> None:
    """Print one line: median, 99th percentile, number of samples."""
    last = sorted(times)[min(len(times) - 1, round(len(times) * 0.99))]
    print(f"{what:46} p50 {statistics.median(times):6.2f}   p99 {last:6.2f}   n {len(times)}")


def requests(models: tuple[Model, ...], repeat: int, mix: CallMix | None = None, **scenario: Any) -> list[PriceRequest]:
    """Return pricing requests whose scenarios all differ."""
    needed = {model.count.tokenizer for model in models if model.count.tokenizer}
    counts = dict.fromkeys(needed, 12_345)
    usual, cards = Scenario(on=TODAY, factor=Decimal("1.1"), **scenario), new_cards()
    return [
        PriceRequest(step, models, counts, frozenset(), replace(usual, output_tokens=step * 10), mix, cards)
        for step in range(repeat)
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=50)
    options = parser.parse_args()
    bundled = load_catalog().models
    models = tuple(
        replace(model, id=f"{model.id}-{number}") for number, model in enumerate(islice(cycle(bundled), options.models))
    )
    asked = requests(models, options.repeat)
    price_rows(asked[0])
    answers: list[tuple] = []
    print(f"{len(models)} models, Python {sys.version.split()[0]}, platform {os.environ['QT_QPA_PLATFORM']}")
    report("price every model for another scenario", measured(lambda r=r: answers.append(price_rows(r)) for r in asked))
    parts = {"cached_tokens": 6_000, "cache_write_tokens": 2_000, "reasoning_tokens": 500, "batch": True}
    ranged = requests(models, options.repeat, output_range=(0, 10_000), reasoning_range=(0, 4_000), **parts)
    price_rows(ranged[0])
    report("the same with every part and ranges of output", measured(lambda r=r: price_rows(r) for r in ranged))
    mix = CallMix(hit_rate=Decimal("0.6"), batch_share=Decimal("0.3"))
    mixed = requests(models, options.repeat, mix, cached_tokens=6_000, output_range=(0, 10_000))
    price_rows(mixed[0])
    report("the same with misses of the cache and batches", measured(lambda r=r: price_rows(r) for r in mixed))

    app = QApplication([])
    theme = Theme("light")
    theme.apply(app)
    panel = CostPanel(CostService(today=lambda: TODAY), theme, Notifier())
    panel.resize(1200, 350)
    panel.show()

    def show(rows: tuple) -> None:
        panel.model.set_rows(rows, 1000, TODAY, TODAY)
        panel.table.viewport().repaint()

    def sort(column: int) -> None:
        turned = panel.model.sort_keys()[0] == (column, Qt.SortOrder.AscendingOrder)
        panel.table.sortByColumn(column, Qt.SortOrder.DescendingOrder if turned else Qt.SortOrder.AscendingOrder)
        panel.table.viewport().repaint()

    def type_filter(text: str) -> None:
        panel.filter.setText(text)
        panel.table.viewport().repaint()

    app.processEvents()
    show(answers[0])
    report("new figures shown and painted", measured((lambda rows=rows: show(rows)) for rows in answers))
    typed = list(islice(cycle(FILTERS), options.repeat * 2))
    report("key in the filter to table painted", measured((lambda text=text: type_filter(text)) for text in typed))
    columns = list(islice(cycle((4, 1, 3, 8)), options.repeat))
    report("click on a header to table painted", measured((lambda column=column: sort(column)) for column in columns))
    panel.close()
    theme.release()


if __name__ == "__main__":
    main()
