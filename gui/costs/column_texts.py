"""Money cells of the cost table, including the effects of a budget and a cache."""

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
    """Return the cost of the prompt of one call, as text."""
    estimate = row.estimate
    return view.text.usd(estimate.usd_label, estimate.input_usd, estimate.input_usd_low, estimate.input_usd_high)


def output_usd_text(row: CostRow, view: CostView) -> str:
    """Return the cost of output and reasoning of one call, as text, with a sign only if the price is uncertain: the
    user set the count."""
    estimate = row.estimate
    label = estimate.usd_label if estimate.price_note else None
    return view.text.usd(label, estimate.output_usd, estimate.output_usd_low, estimate.output_usd_high)


def usd_text(row: CostRow, view: CostView) -> str:
    """Return the cost of one call, as text."""
    estimate = row.estimate
    return view.text.usd(estimate.usd_label, estimate.usd, estimate.usd_low, estimate.usd_high)


def calls_text(row: CostRow, view: CostView) -> str:
    """Return the cost of all calls, as text, with a warning sign if it exceeds the budget or may."""
    estimate = row.estimate
    usd = view.text.usd(estimate.usd_label, estimate.usd_calls, estimate.usd_calls_low, estimate.usd_calls_high)
    return f"⚠ {usd}" if excess(row, view) else usd


def calls_tone(row: CostRow, view: CostView) -> str:
    """Return ``warning`` if the cost of all calls exceeds the budget or may, else ""."""
    return "warning" if excess(row, view) else ""


def ratio_ends(row: CostRow, view: CostView) -> tuple[Decimal, Decimal] | None:
    """Return the ends of the ratio of this row's total to the pinned row's; None if a total is unknown or the pinned
    row is free."""
    base = view.baseline
    if base is None or base.estimate.usd is None or row.estimate.usd is None:
        return None
    mine, other = row.estimate, base.estimate
    if mine.usd_low is None or mine.usd_high is None or not other.usd_low or not other.usd_high:
        return None
    return mine.usd_low / other.usd_high, mine.usd_high / other.usd_low


def ratio_middle(row: CostRow, view: CostView) -> Decimal | None:
    """Return the ratio of the middles of both totals; None if one is unknown or the pinned row is free."""
    mine = usd_middle(row)
    other = usd_middle(view.baseline) if view.baseline else None
    return mine / other if mine is not None and other else None


def ratio_text(row: CostRow, view: CostView) -> str:
    """Return the ratio of this row's total to the pinned row's, as text."""
    if view.baseline is None:
        return ""
    if row.model_id == view.baseline.model_id:
        return tr("baseline")
    ends = ratio_ends(row, view)
    return view.text.unknown() if ends is None else view.text.ratio(*ends)


def excess(row: CostRow, view: CostView) -> tuple[Decimal, Decimal] | None:
    """Return by how many US dollars all calls exceed the budget: minimum (0 or less if perhaps not at all) and maximum.

    Returns None if they do not, if there is no budget, or if the cost is unknown.
    """
    low, high = row.estimate.usd_calls_low, row.estimate.usd_calls_high
    if view.budget is None or low is None or high is None or high <= view.budget:
        return None
    return low - view.budget, high - view.budget


def excess_text(row: CostRow, view: CostView, over: tuple[Decimal, Decimal]) -> str:
    """Return the excess over the budget as text: ``$3.20``, ``≈ $2.1–2.6``, ``up to $0.40``."""
    if over[0] <= 0:
        return tr("up to {usd}").format(usd=view.text.amount(over[1]))
    return view.text.usd(row.estimate.usd_label, *((over[0] + over[1]) / 2, *over))


def break_even(row: CostRow) -> Decimal | None:
    """Return the share of calls from which caching pays off; None if all calls are alike or a price is unknown."""
    return row.mixed.caching.break_even if row.mixed is not None and row.mixed.caching is not None else None


def break_even_text(row: CostRow, view: CostView) -> str:
    """Return the break-even share as text."""
    share = break_even(row)
    if share is None:
        return view.text.unknown()
    return tr("never") if share >= 1 else view.text.percent(share, share)


def break_even_words(rows: Sequence[CostRow], view: CostView) -> str:
    """Return a sentence on the hit rate from which caching pays off in these rows."""
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
    """Return the sort key of a price column: the price on the scenario's day, below any tier of long prompts."""
    return lambda row, _view: getattr(row.rates, name) if row.rates is not None else None


def price_ends(name: str) -> Callable[[CostRow, CostView], tuple[Decimal, Decimal] | None]:
    """Return the lowest and highest price in effect, which differ if the price depends on an hour that is not set."""
    price = price_in_force(name)

    def ends(row: CostRow, view: CostView) -> tuple[Decimal, Decimal] | None:
        usd = price(row, view)
        if usd is None:
            return None
        other = getattr(row.off_peak_rates, name) if row.off_peak_rates is not None else usd
        return min(usd, other), max(usd, other)

    return ends


def price_text(name: str) -> Callable[[CostRow, CostView], str]:
    """Return the text function of a price column. Shows every published digit, and both prices if the price depends on
    the hour and the scenario names none."""
    price = price_ends(name)

    def text(row: CostRow, view: CostView) -> str:
        ends = price(row, view)
        if ends is None:
            return view.text.unknown()
        return view.text.localised("–".join(f"${amount_text(end)}" for end in dict.fromkeys(ends)))

    return text


def can_be_changed(row: CostRow, path: str) -> bool:
    """Return True if a price can be edited in its cell. False for user tokenizers, which have no prices, and while an
    announced change is in effect, since editing would change the earlier price."""
    name = path.removeprefix("price.")
    if row.model.vendor == OWN_VENDOR or row.rates is None:
        return False
    return bool(getattr(row.rates, name) == getattr(row.model.price.rates, name))


def typed_price(row: CostRow, path: str) -> str:
    """Return a price as the user would type it: in the currency of the user's file."""
    name = path.removeprefix("price.")
    price = getattr(row.model.price.rates, name)
    return "" if price is None else typed_amount(row.model, price, row.model.origin.get(path, ""))
