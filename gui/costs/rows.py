"""Which rows of the cost table are shown, and in which order. No Qt: plain functions over rows.

The order is made in three steps, each of which keeps the order of the step before where it has nothing to say: the
order of the price table, the sort columns from the last to the first, and then the groups: the baseline row on top,
favourites below it, the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from gui.costs.cost_row import CostRow

SortValue = Callable[[CostRow], Any]
"""What a row is sorted by in one column: values that can be compared with each other, None for unknown."""


@dataclass(frozen=True, slots=True)
class SortKey:
    """One column to sort by."""

    column: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The user's choices. Model ids in ``favourites``, ``hidden`` and ``baseline``; ids that no longer exist are kept,
    for a model may come back with another price file. ``show_embedding`` is for those that write no text.

    Filters keep models whose count is exact, favourites, those of some ``vendors`` (all if empty), with a context
    window of ``context_at_least`` tokens, with a price of cached input, and those that surely cost less than the
    budget. ``by_vendor`` shows the models of each vendor together.
    """

    sort: tuple[SortKey, ...] = (SortKey("total"),)
    filter: str = ""
    favourites: frozenset[str] = field(default_factory=frozenset)
    hidden: frozenset[str] = field(default_factory=frozenset)
    baseline: str | None = None
    show_hidden: bool = False
    show_retired: bool = False
    show_embedding: bool = False
    exact_only: bool = False
    favourites_only: bool = False
    vendors: frozenset[str] = field(default_factory=frozenset)
    context_at_least: int = 0
    cache_price: bool = False
    within_budget: bool = False
    by_vendor: bool = False

    @property
    def is_filtered(self) -> bool:
        """True if a filter other than that of words leaves models out."""
        chips = (self.exact_only, self.favourites_only, self.cache_price, self.within_budget)
        return any(chips) or bool(self.vendors or self.context_at_least)

    def without_filters(self) -> Arrangement:
        """Return the same choices with every filter off, that of words too."""
        off = Arrangement()
        names = ("filter", "exact_only", "favourites_only", "vendors", "context_at_least", "cache_price")
        return replace(self, within_budget=False, **{name: getattr(off, name) for name in names})


@dataclass(frozen=True, slots=True)
class Arranged:
    """The rows to show, as indices into the rows given; and how many were left out, and why.

    ``hidden``, ``retired`` and ``embedding`` count the rows that the user hid, that are no longer served, and whose
    models make embeddings: shown or not, but without embedding models that are favourites or the baseline, for those
    are shown anyway. ``matching_left_out`` counts the rows left out that the filter would have shown.
    """

    order: tuple[int, ...]
    total: int
    hidden: int
    retired: int
    embedding: int
    matching_left_out: int = 0


def arrange(
    rows: Sequence[CostRow],
    arrangement: Arrangement,
    sort_values: dict[str, SortValue],
    search_text: Callable[[CostRow], str],
    budget: Decimal | None = None,
) -> Arranged:
    """Filter and sort ``rows``.

    ``sort_values`` gives for each column what to sort by; sort keys of unknown columns are ignored. ``search_text``
    gives what the filter looks into, case folded.
    """
    hidden = {row.model_id for row in rows} & arrangement.hidden
    retired = {row.model_id for row in rows if row.estimate.retired}
    # Next to models that are paid for an answer they would always be the cheapest. A favourite is wanted all the same.
    wanted = arrangement.favourites | {arrangement.baseline}
    embedding = {row.model_id for row in rows if row.model.only_reads} - wanted
    left_out = set() if arrangement.show_hidden else set(hidden)
    if not arrangement.show_retired:
        left_out |= retired
    if not arrangement.show_embedding:
        left_out |= embedding
    words = arrangement.filter.casefold().split()
    matching = [
        index
        for index, row in enumerate(rows)
        if (not words or _has_all(search_text(row), words)) and _passes(row, arrangement, budget)
    ]
    order = [index for index in matching if rows[index].model_id not in left_out]
    matching_left_out = len(matching) - len(order)
    for key in reversed(arrangement.sort):
        value = sort_values.get(key.column)
        if value is not None:
            order = _sorted(rows, order, value, key.descending)
    order.sort(key=lambda index: _group(rows[index].model_id, arrangement))
    if arrangement.by_vendor:
        order.sort(key=lambda index: natural(rows[index].model.provider))
    return Arranged(tuple(order), len(rows), len(hidden), len(retired), len(embedding), matching_left_out)


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A sort value for text that puts ``gpt-5.10`` behind ``gpt-5.9`` and ignores case."""
    return tuple(
        (0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", text.casefold()) if part
    )


def _passes(row: CostRow, arrangement: Arrangement, budget: Decimal | None) -> bool:
    """Return True if no filter leaves the row out. What is not known passes none."""
    if arrangement.exact_only and (row.estimate.label or row.model.count.label) not in ("exact", "counted"):
        return False
    if arrangement.exact_only and row.model.count.tokenizer is None:
        return False
    if arrangement.favourites_only and row.model_id not in arrangement.favourites:
        return False
    if arrangement.vendors and row.model.provider not in arrangement.vendors:
        return False
    if arrangement.context_at_least and (row.model.context or 0) < arrangement.context_at_least:
        return False
    if arrangement.cache_price and (row.rates is None or row.rates.cached is None):
        return False
    if arrangement.within_budget and budget is not None:
        most = row.estimate.usd_calls_high
        return most is not None and most <= budget
    return True


def _has_all(text: str, words: Sequence[str]) -> bool:
    return all(word in text for word in words)


def _sorted(rows: Sequence[CostRow], order: list[int], value: SortValue, descending: bool) -> list[int]:
    """Sort by one column; equal values keep their order, unknown ones come last in both directions."""
    values = {index: value(rows[index]) for index in order}
    known = [index for index in order if values[index] is not None]
    unknown = [index for index in order if values[index] is None]
    known.sort(key=values.__getitem__, reverse=descending)
    return known + unknown


def _group(model_id: str, arrangement: Arrangement) -> int:
    if model_id == arrangement.baseline:
        return 0
    return 1 if model_id in arrangement.favourites else 2
