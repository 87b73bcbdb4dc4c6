"""Rows of the cost table as tables for other programs, and as sections of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale

from gui.core.about import our_version, version_lines
from gui.core.exports import ExportTable, Value
from gui.core.reports import (
    COST,
    SCENARIO,
    Section,
    counts_section,
    pairs_section,
    prices_section,
    program_section,
)
from gui.costs.columns import COLUMNS, CostView, title_of
from gui.costs.money_text import CostText
from gui.costs.rows import CostRow
from gui.widgets import table_model

if TYPE_CHECKING:
    from pricing.types import CallMix, Scenario


def exact_table(rows: Sequence[CostRow], columns: Sequence[int], view: CostView) -> ExportTable:
    """Return exact values under stable English names; ``columns`` are indices into ``COLUMNS``."""
    return table_model.exact_table([COLUMNS[column] for column in columns], rows, view)


def readable_table(rows: Sequence[CostRow], columns: Sequence[int], view: CostView) -> ExportTable:
    """Return the texts of the cells under the titles of the columns, with English numbers in any locale."""
    plain, chosen = replace(view, text=CostText(QLocale.c())), [COLUMNS[column] for column in columns]
    return table_model.readable_table(chosen, [title_of(column, plain) for column in chosen], rows, plain)


def about_lines(
    when: datetime, version: str, prices_hash: str, encoding: str, scenario: Scenario, mix: CallMix | None = None
) -> tuple[tuple[str, Value], ...]:
    """Return the context that makes an export understandable later on. ``when`` has a time zone."""
    return (
        ("exported", when.isoformat(timespec="seconds")),
        ("application", f"Tokenloupe {version}".strip()),
        ("prices", f"bundled, with a file of your own, sha256 {prices_hash}" if prices_hash else "bundled"),
        ("encoding", encoding),
        ("prices_of", scenario.on),
        ("output_tokens", scenario.output_tokens),
        ("reasoning_tokens", scenario.reasoning_tokens),
        *_range_lines("output", scenario.output_range),
        *_range_lines("reasoning", scenario.reasoning_range),
        ("cached_tokens", scenario.cached_tokens),
        ("cached_share", scenario.cached_share),
        ("cache_write_tokens", scenario.cache_write_tokens),
        ("cache_write_1h_tokens", scenario.cache_write_1h_tokens),
        ("batch", scenario.batch),
        ("service", scenario.service or "standard"),
        *((("hours", scenario.hours),) if scenario.hours else ()),
        ("calls", scenario.calls),
        ("factor", scenario.factor),
        *_mix_lines(mix),
        ("unit", "US dollars"),
    )


def _range_lines(name: str, ends: tuple[int, int] | None) -> tuple[tuple[str, Value], ...]:
    return () if ends is None else ((f"{name}_tokens_low", ends[0]), (f"{name}_tokens_high", ends[1]))


def _mix_lines(mix: CallMix | None) -> tuple[tuple[str, Value], ...]:
    """Return how calls differ; empty if they do not."""
    lines: list[tuple[str, Value]] = []
    if mix is not None and mix.hit_rate is not None:
        lines += [("cache_hit_rate", mix.hit_rate), ("cache_for_an_hour", mix.for_an_hour)]
    if mix is not None and mix.batch_share is not None:
        lines.append(("batch_share", mix.batch_share))
    return tuple(lines)


@dataclass(frozen=True, slots=True)
class ShownCosts:
    """Immutable snapshot of the costs, taken on the GUI thread, from which a worker makes the sections of a report.

    ``when`` has a time zone. ``counts``: tokens by encoding; ``counted_as`` is the encoding of these counts,
    ``encoding`` the selected one. ``columns``: columns of the cost table, from left to right.
    """

    when: datetime
    counts: Mapping[str, int]
    counted_as: str
    encoding: str
    prices_hash: str
    scenario: Scenario
    rows: tuple[CostRow, ...]
    columns: tuple[int, ...]
    view: CostView

    def sections(self) -> tuple[Section, ...]:
        """Return the sections of a report besides the text. Runs on a worker thread, since it reads package versions
        from files and formats every cell of the table."""
        about = about_lines(self.when, our_version(), self.prices_hash, self.encoding, self.scenario)
        return (
            counts_section(self.counts, self.counted_as),
            pairs_section(SCENARIO, about[2:]),
            Section(COST, readable_table(self.rows, self.columns, self.view)),
            prices_section(((row.model_id, row.estimate) for row in self.rows), self.scenario.on),
            program_section(version_lines(), self.when),
        )
