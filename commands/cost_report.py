"""The report that ``cost`` writes beside its answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from commands.program import BadInput, remark, usable
from engine.atomic_file import write_atomic
from gui.core.about import version_lines
from gui.core.exports import ExportTable, Value
from gui.core.reports import (
    Report,
    Section,
    counts_section,
    facts_of,
    key_warning,
    pairs_section,
    prices_section,
    program_section,
    rendered,
    report_format,
    text_section,
)
from gui.core.text_chunks import held, utf8_pieces
from pricing.money import format_usd_range
from pricing.report import tokens_text

if TYPE_CHECKING:
    from pricing.types import CostEstimate, Scenario

COLUMNS = ("model", "input tokens", "count", "one call", "all calls", "not known", "notes")
SCENARIO = (
    *("output_tokens", "reasoning_tokens", "cached_tokens", "cache_write_tokens", "cache_write_1h_tokens"),
    *("audio_input_tokens", "audio_output_tokens", "searches", "batch", "service", "hours", "calls", "factor"),
)


def check_report_name(path: Path | None) -> None:
    """Raises BadInput for a file whose ending says no format of a report."""
    if path is not None and report_format(path) is None:
        raise BadInput(f"--report: {path}: a report ends in .html or .md")


def write_report(
    path: Path,
    texts: Iterable[tuple[str, str]],
    counts: Mapping[str, int],
    estimates: Sequence[CostEstimate],
    scenario: Scenario,
    *,
    allow_keys: bool,
) -> None:
    """Write a report about ``texts`` (with their paths). What looks like API keys in them is pointed out first, and
    without ``allow_keys`` nothing is written then: nobody may be there to be asked. BadInput."""
    facts = [facts_of(name, held([text])) for name, text in texts]
    warning = key_warning(facts)
    if warning and not allow_keys:
        raise BadInput(
            f"--report: {path} was not written. {warning} A report names the hash of the text, not the text; to have "
            "it written all the same, add --allow-keys."
        )
    if warning:
        remark(f"{warning} The report names the hash of the text, not the text.")
    sections = [
        *([text_section(facts), counts_section(counts)] if facts else []),
        pairs_section("Scenario", [(name.replace("_", " "), getattr(scenario, name)) for name in SCENARIO]),
        Section(
            "Cost", ExportTable(COLUMNS, tuple(map(_row, estimates)), numeric=frozenset({COLUMNS[1], *COLUMNS[3:5]}))
        ),
        prices_section(((estimate.model_id, estimate) for estimate in estimates), scenario.on),
        program_section(version_lines(), datetime.now().astimezone()),
    ]
    kind = report_format(path)
    assert kind is not None
    text = rendered(Report("What the prompt costs", tuple(sections)), kind)
    usable(lambda: write_atomic(path, utf8_pieces(text)), f"--report: {path}")


def _row(estimate: CostEstimate) -> tuple[Value, ...]:
    return (
        *(estimate.model_id, tokens_text(estimate), estimate.label or "not counted"),
        format_usd_range(estimate.usd, estimate.usd_low, estimate.usd_high),
        format_usd_range(estimate.usd_calls, estimate.usd_calls_low, estimate.usd_calls_high),
        ", ".join(estimate.unknown),
        "; ".join(filter(None, (estimate.price_note, estimate.context_note))),
    )
