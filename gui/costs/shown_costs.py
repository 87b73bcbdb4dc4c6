"""The counts and costs that a window shows at one moment, and what a report says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from gui.costs.columns import CostView
from gui.costs.cost_export import about_lines, readable_table
from gui.costs.cost_row import CostRow
from gui.services.report import Section
from gui.services.report_sections import counts_section, pairs_section, prices_section, program_section
from gui.versions import our_version, version_lines

if TYPE_CHECKING:
    from pricing.types import Scenario


@dataclass(frozen=True, slots=True)
class ShownCosts:
    """Taken on the GUI thread, and nothing of it changes: a worker can make the sections.

    ``when`` has a time zone. ``counts``: tokens by encoding; ``counted_as`` is the encoding of these counts, and
    ``encoding`` the one that is chosen. ``columns``: of the cost table, from left to right.
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
        """What a report says besides the text. For a worker: it looks up the versions of packages in their files, and
        writes every cell of the table."""
        about = about_lines(self.when, our_version(), self.prices_hash, self.encoding, self.scenario)
        return (
            counts_section(self.counts, self.counted_as),
            pairs_section("Scenario", about[2:]),
            Section("Cost", readable_table(self.rows, self.columns, self.view)),
            prices_section(((row.model_id, row.estimate) for row in self.rows), self.scenario.on),
            program_section(version_lines(), self.when),
        )
