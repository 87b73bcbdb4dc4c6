"""Rows of the cost table: which are shown, in which order, and which is the reference model. No Qt.

Rows are ordered in three stable steps: the order of the price table, the sort columns from the last to the first, and
then the groups: the baseline row on top, favourites below it, then the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from gui.core.figures import NO_MODEL

if TYPE_CHECKING:
    from pricing.scenarios import MixedCost
    from pricing.types import CostEstimate, Model, Rates


@dataclass(frozen=True, slots=True)
class CostRow:
    """Model with its estimate and further data of the window.

    ``pending``: the count belongs to an earlier text, or is missing; a new one is on its way. ``cached_cut``: the
    scenario has more cached tokens than this prompt, so all of it counts as cached. ``mixed``: the kinds of calls, if
    they differ; then ``estimate`` is their average, without parts. ``rates``: the prices on the scenario's day, in its
    service tier and at its hours, below any tier of long prompts. ``off_peak_rates``: those outside the peak hours, if
    prices depend on an hour that is not set. ``calibrated``: True if the count is based on billed usage of the user for
    similar texts.
    """

    model: Model
    estimate: CostEstimate
    pending: bool = False
    cached_cut: bool = False
    rates: Rates | None = None
    off_peak_rates: Rates | None = None
    mixed: MixedCost | None = None
    calibrated: bool = False

    @property
    def model_id(self) -> str:
        """ID of the model, ``vendor/model``."""
        return self.model.id

    @property
    def has_range(self) -> bool:
        """True if the tokens of the prompt, those of the output, or the cost are a range."""
        estimate = self.estimate
        tokens = estimate.input_low != estimate.input_high or estimate.output_low != estimate.output_high
        return tokens or estimate.usd_low != estimate.usd_high


def usd_middle(row: CostRow) -> Decimal | None:
    """Return the middle of the range of the total, by which rows are sorted and compared; None if unknown."""
    estimate = row.estimate
    if estimate.usd is None or estimate.usd_low is None or estimate.usd_high is None:
        return estimate.usd
    return (estimate.usd_low + estimate.usd_high) / 2


SortValue = Callable[[CostRow], Any]
"""Function for the sort value of a row in one column: values must be comparable, None for unknown."""


@dataclass(frozen=True, slots=True)
class SortKey:
    """Sort column and direction."""

    column: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Arrangement:
    """User's choices. ``favourites``, ``hidden`` and ``baseline`` are model IDs; unknown IDs are kept, since a model
    may return with another price file. ``show_embedding`` is for models that generate no text.

    The filters select models with an exact count, favourites, some ``vendors`` (all if empty), a context window of at
    least ``context_at_least`` tokens, a price of cached input, and a cost that is certainly within the budget.
    ``by_vendor`` groups the models by vendor.
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
        """True if a filter other than the text filter is set."""
        chips = (self.exact_only, self.favourites_only, self.cache_price, self.within_budget)
        return any(chips) or bool(self.vendors or self.context_at_least)

    def without_filters(self) -> Arrangement:
        """Return the same choices with every filter off, including the text filter."""
        off = Arrangement()
        names = ("filter", "exact_only", "favourites_only", "vendors", "context_at_least", "cache_price")
        return replace(self, within_budget=False, **{name: getattr(off, name) for name in names})


@dataclass(frozen=True, slots=True)
class Arranged:
    """Rows to show, as indices into the rows given, and the numbers of rows not shown, by reason.

    ``hidden``, ``retired`` and ``embedding`` count the rows that the user hid, that are no longer served, and whose
    models make embeddings, whether shown or not. Embedding models that are favourites or the baseline are not counted,
    since they are shown anyway. ``matching_left_out`` counts the rows not shown that the text filter matches.
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

    ``sort_values`` maps each column to the function for its sort value; sort keys of unknown columns are ignored.
    ``search_text`` returns the case-folded text that the filter searches.
    """
    hidden = {row.model_id for row in rows} & arrangement.hidden
    retired = {row.model_id for row in rows if row.estimate.retired}
    # Billed for input only, they would always rank cheapest. Show favourites anyway.
    chosen = arrangement.favourites | {arrangement.baseline}
    embedding = {row.model_id for row in rows if row.model.only_reads} - chosen
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
    """Return a sort value for text that puts ``gpt-5.10`` after ``gpt-5.9`` and ignores case."""
    return tuple(
        (0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", text.casefold()) if part
    )


def _passes(row: CostRow, arrangement: Arrangement, budget: Decimal | None) -> bool:
    """Return True if a row passes all filters. Unknown values pass none."""
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
    """Sort by one column; equal values keep their order, and unknown values come last in both directions."""
    values = {index: value(rows[index]) for index in order}
    known = [index for index in order if values[index] is not None]
    unknown = [index for index in order if values[index] is None]
    known.sort(key=values.__getitem__, reverse=descending)
    return known + unknown


def _group(model_id: str, arrangement: Arrangement) -> int:
    if model_id == arrangement.baseline:
        return 0
    return 1 if model_id in arrangement.favourites else 2


FIRST_MODEL = "openai/gpt-5-nano"
"""Default reference model: it counts exactly, in the encoding that a fresh window shows."""


class ReferenceModel:
    """User's choice of the reference model by ID, or ``NO_MODEL``.

    The order, filter and selection of the cost table do not change it.
    """

    def __init__(self, chosen: str = "") -> None:
        """``chosen``: ID saved in a session, "" if the user has not chosen a model."""
        self.chosen = chosen

    def of(self, models: Iterable[Model]) -> Model | None:
        """Return the reference model among these, in the order of the price table; None if there is none or none is
        wanted.

        A choice that is not among them is kept, since it may return with another price file; until then a model that
        counts exactly replaces it.
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
        """Return the reference model's row of the cost table, whether shown or not."""
        model = self.of(row.model for row in rows)
        return next((row for row in rows if model is not None and row.model_id == model.id), None)

    def rows_to_compare(self, rows: Sequence[CostRow], arrangement: Arrangement, most: int) -> list[CostRow]:
        """Return its row, then those of the favourites and the baseline in the order of the price table, at most
        ``most`` in total. Omits models no longer served or hidden by the user."""
        first = self.row(rows)
        chosen = (arrangement.favourites | {arrangement.baseline}) - arrangement.hidden
        others = [row for row in rows if row.model_id in chosen and row is not first and not row.estimate.retired]
        return ([first] if first is not None else []) + others[: most - 1]
