"""The cells of the cost table that hold money, and what a budget and a cache make of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gui.costs.price_facts_service import amount_text, typed_amount
from gui.costs.prices_service import OWN_VENDOR
from gui.costs.rows import CostRow, usd_middle

if TYPE_CHECKING:
    from gui.costs.columns import CostView


def tr(text: str) -> str:
    """Translate in the context of the columns of the cost table."""
    return QCoreApplication.translate("CostColumns", text)


def input_usd_text(row: CostRow, view: CostView) -> str:
    """The cost of the prompt of one call."""
    estimate = row.estimate
    return view.text.usd(estimate.usd_label, estimate.input_usd, estimate.input_usd_low, estimate.input_usd_high)


def output_usd_text(row: CostRow, view: CostView) -> str:
    """What output and reasoning of one call cost, with a sign where the price is not sure: the count is the user's."""
    estimate = row.estimate
    label = estimate.usd_label if estimate.price_note else None
    return view.text.usd(label, estimate.output_usd, estimate.output_usd_low, estimate.output_usd_high)


def usd_text(row: CostRow, view: CostView) -> str:
    """The cost of one call."""
    estimate = row.estimate
    return view.text.usd(estimate.usd_label, estimate.usd, estimate.usd_low, estimate.usd_high)


def calls_text(row: CostRow, view: CostView) -> str:
    """What all calls cost, with a sign where that is more than the budget, or may be."""
    estimate = row.estimate
    usd = view.text.usd(estimate.usd_label, estimate.usd_calls, estimate.usd_calls_low, estimate.usd_calls_high)
    return f"⚠ {usd}" if excess(row, view) else usd


def calls_tone(row: CostRow, view: CostView) -> str:
    """``warning`` where all calls cost more than the budget, or may."""
    return "warning" if excess(row, view) else ""


def ratio_ends(row: CostRow, view: CostView) -> tuple[Decimal, Decimal] | None:
    """The ends of the ratio of this row's total to the pinned row's, None where one of them is unknown or free."""
    base = view.baseline
    if base is None or base.estimate.usd is None or row.estimate.usd is None:
        return None
    mine, other = row.estimate, base.estimate
    if mine.usd_low is None or mine.usd_high is None or not other.usd_low or not other.usd_high:
        return None
    return mine.usd_low / other.usd_high, mine.usd_high / other.usd_low


def ratio_middle(row: CostRow, view: CostView) -> Decimal | None:
    """The ratio of the middles of both totals, None where one of them is unknown or the pinned one is free."""
    mine = usd_middle(row)
    other = usd_middle(view.baseline) if view.baseline else None
    return mine / other if mine is not None and other else None


def ratio_text(row: CostRow, view: CostView) -> str:
    """The ratio of this row's total to the pinned row's, as text."""
    if view.baseline is None:
        return ""
    if row.model_id == view.baseline.model_id:
        return tr("baseline")
    ends = ratio_ends(row, view)
    return view.text.unknown() if ends is None else view.text.ratio(*ends)


def excess(row: CostRow, view: CostView) -> tuple[Decimal, Decimal] | None:
    """By how many US dollars all calls are over the budget, at least (0 or less: perhaps not at all) and at most.

    None where they are not, where there is no budget, and where the cost is not known.
    """
    low, high = row.estimate.usd_calls_low, row.estimate.usd_calls_high
    if view.budget is None or low is None or high is None or high <= view.budget:
        return None
    return low - view.budget, high - view.budget


def excess_text(row: CostRow, view: CostView, over: tuple[Decimal, Decimal]) -> str:
    """By how much the budget is exceeded: ``$3.20``, ``≈ $2.1–2.6``, ``up to $0.40``."""
    if over[0] <= 0:
        return tr("up to {usd}").format(usd=view.text.amount(over[1]))
    return view.text.usd(row.estimate.usd_label, *((over[0] + over[1]) / 2, *over))


def break_even(row: CostRow) -> Decimal | None:
    """The share of calls from which the cache pays, None where calls do not differ in it or a price is unknown."""
    return row.mixed.caching.break_even if row.mixed is not None and row.mixed.caching is not None else None


def break_even_text(row: CostRow, view: CostView) -> str:
    """The break-even share as text."""
    share = break_even(row)
    if share is None:
        return view.text.unknown()
    return tr("never") if share >= 1 else view.text.percent(share, share)


def break_even_words(rows: Sequence[CostRow], view: CostView) -> str:
    """From which share of calls on the cache pays in these rows, in a sentence."""
    known = [share for share in map(break_even, rows) if share is not None]
    paying = [share for share in known if share < 1]
    if not paying:
        return tr("Caching pays off with none of the models shown.") if known else ""
    first, last = (view.text.percent(share, share) for share in (min(paying), max(paying)))
    where = first if first == last else tr("{first} to {last}, by model").format(first=first, last=last)
    words = tr("Caching pays off from a hit rate of: {where}.").format(where=where)
    never = len(known) - len(paying)
    return words + (tr("For {number} models it never does.").format(number=never) if never else "")


def price_in_force(name: str) -> Callable[[CostRow, CostView], Decimal | None]:
    """The sort key of a price column: the price on the scenario's day, below any long-prompt tier."""
    return lambda row, _view: getattr(row.rates, name) if row.rates is not None else None


def price_ends(name: str) -> Callable[[CostRow, CostView], tuple[Decimal, Decimal] | None]:
    """The lowest and the highest price in force: they differ where the price depends on an hour that is not said."""
    price = price_in_force(name)

    def ends(row: CostRow, view: CostView) -> tuple[Decimal, Decimal] | None:
        usd = price(row, view)
        if usd is None:
            return None
        other = getattr(row.off_peak_rates, name) if row.off_peak_rates is not None else usd
        return min(usd, other), max(usd, other)

    return ends


def price_text(name: str) -> Callable[[CostRow, CostView], str]:
    """What a column of a price says; every digit, for it is what was published. Shows both prices if it depends on the
    hour and the scenario names none."""
    price = price_ends(name)

    def text(row: CostRow, view: CostView) -> str:
        ends = price(row, view)
        if ends is None:
            return view.text.unknown()
        return view.text.localised("–".join(f"${amount_text(end)}" for end in dict.fromkeys(ends)))

    return text


def can_be_changed(row: CostRow, path: str) -> bool:
    """Whether a price can be changed in its cell: not those of a vocabulary, which has none, and not where an announced
    change is in force, for what would be changed is the price of before.
    """
    name = path.removeprefix("price.")
    if row.model.vendor == OWN_VENDOR or row.rates is None:
        return False
    return bool(getattr(row.rates, name) == getattr(row.model.price.rates, name))


def typed_price(row: CostRow, path: str) -> str:
    """A price as one would type it: in the currency of the user's file."""
    name = path.removeprefix("price.")
    price = getattr(row.model.price.rates, name)
    return "" if price is None else typed_amount(row.model, price, row.model.origin.get(path, ""))
