"""The prices per million tokens in the cost table, which can be changed where they stand. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

from gui.costs.price_facts_service import amount_text, typed_amount
from gui.costs.price_files_service import OWN_VENDOR

if TYPE_CHECKING:
    from gui.costs.columns import CostView
    from gui.costs.cost_row import CostRow


def price_in_force(name: str) -> Callable[[CostRow, CostView], Decimal | None]:
    """What a column of a price is sorted by: the price of the day of the scenario, below any tier of long prompts."""
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
