"""The cheapest model that does a job, and what keeps the others from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gui.costs.money_text import CostText
from gui.costs.rows import CostRow

if TYPE_CHECKING:
    from pricing.scenarios import Choice
    from pricing.types import Scenario


@dataclass(frozen=True, slots=True)
class Job:
    """What a model has to do besides what the scenario says.

    ``context``: so many tokens of prompt and output must fit; 0: no more than the scenario has. ``provider``: only this
    one; empty: any. ``labels``: how the prompt may be counted; empty: in any way. ``budget``: US dollars for all calls,
    None: no limit. ``hidden``: models that the user left out of the table.
    """

    context: int = 0
    provider: str = ""
    labels: frozenset[str] = frozenset()
    budget: Decimal | None = None
    hidden: frozenset[str] = frozenset()


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("Cheapest", text)


def cheapest(rows: Sequence[CostRow], scenario: Scenario, job: Job, text: CostText) -> tuple[Choice, ...]:
    """The models that can do it, cheapest first, then the others with every reason why not; ``text`` writes amounts."""
    from pricing.scenarios import ranked

    reasons = {row.model_id: tuple(_reasons(row, job, text)) for row in rows}
    choices = ranked([(row.model, row.estimate) for row in rows], scenario)
    judged = [replace(one, why_not=(*one.why_not, *reasons[one.model.id])) for one in choices]
    # Those that fitted before stand in front, in their order; the sort keeps it.
    return tuple(sorted(judged, key=lambda one: not one.fits))


def _reasons(row: CostRow, job: Job, text: CostText) -> Iterator[str]:
    model, estimate = row.model, row.estimate
    if row.model_id in job.hidden:
        yield tr("left out of the cost table")
    if job.provider and model.provider != job.provider:
        yield tr("served by {provider}").format(provider=model.provider)
    if job.labels and estimate.label is not None and estimate.label not in job.labels:
        yield tr("its count is {label}").format(label=text.label(estimate.label))
    if job.context and model.context is None:
        yield tr("the size of its context window is not known")
    elif job.context and model.context is not None and model.context < job.context:
        yield tr("its context window has {tokens} tokens").format(tokens=text.localised(f"{model.context:,}"))
    high = estimate.usd_calls_high
    if job.budget is not None and high is not None and high > job.budget:
        yield tr("over the budget by up to {usd}").format(usd=text.amount(high - job.budget))
