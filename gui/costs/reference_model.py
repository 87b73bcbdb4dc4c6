"""The one model whose figures are shown wherever there is room for one: the context meter, savings, versions. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gui.costs.cost_row import CostRow
    from gui.costs.rows import Arrangement
    from pricing.types import Model

FIRST_MODEL = "openai/gpt-5-nano"
"""Until another is chosen: it counts exactly, in the encoding that a fresh window shows."""


NO_MODEL = "-"
"""The choice of no model: figures are those of the encoding alone."""


class ReferenceModel:
    """The user's choice by id, or ``NO_MODEL``.

    Neither the order nor the filter of the cost table, nor its selection, changes it.
    """

    def __init__(self, chosen: str = "") -> None:
        """``chosen``: the id saved in a session, empty if the user has not chosen a model."""
        self.chosen = chosen

    def of(self, models: Iterable[Model]) -> Model | None:
        """The model among these, in the order of the price table; None where there are none or none is wanted.

        A choice that is not among them is kept, for it may come back with another price file; until then a model that
        counts exactly stands in.
        """
        if self.chosen == NO_MODEL:
            return None
        known = {model.id: model for model in models}
        for model_id in (self.chosen, FIRST_MODEL):
            if model_id in known:
                return known[model_id]
        exact = (model for model in known.values() if model.count.label == "exact" and not model.only_reads)
        return next(exact, next(iter(known.values()), None))

    def row(self, rows: Sequence[CostRow]) -> CostRow | None:
        """Its row of the cost table, shown there or not."""
        model = self.of(row.model for row in rows)
        return next((row for row in rows if model is not None and row.model_id == model.id), None)

    def rows_beside(self, rows: Sequence[CostRow], arrangement: Arrangement, most: int) -> list[CostRow]:
        """Its row, and behind it those of the favourites and the baseline in the order of the price table, at most so
        many; of those no longer served or hidden by the user, none."""
        first = self.row(rows)
        wanted = (arrangement.favourites | {arrangement.baseline}) - arrangement.hidden
        others = [row for row in rows if row.model_id in wanted and row is not first and not row.estimate.retired]
        return ([first] if first is not None else []) + others[: most - 1]
