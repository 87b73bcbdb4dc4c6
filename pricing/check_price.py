"""Checks the ``price`` block of a model: rates, batch, tiers, changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Literal

from pricing.check_count import read_factor
from pricing.checker import Checker, closest, join
from pricing.declaration import names
from pricing.document import Node, Scalar, Table
from pricing.scalars import BadValue, read_date, read_flag, read_number, read_text, read_tokens, shown
from pricing.types import RATE_NAMES, Batch, Change, Rates, Tier

_OF_THE_MODEL = dict.fromkeys(names("model"), "beside 'price', one level up")

Fields = Mapping[str, tuple[Scalar, Node]]


class PriceChecker:
    """Reads prices in one currency into US dollars."""

    def __init__(self, checker: Checker, exchange_rate: Decimal) -> None:
        self._checker = checker
        self._exchange_rate = exchange_rate

    def price(self, node: Node, path: str) -> dict[str, object]:
        """The fields of a price block that the file sets, by name; None where it says null."""
        fields = self._checker.table(node, path, names("price"), _OF_THE_MODEL)
        entry: dict[str, object] = {}
        readers: dict[str, Callable[[Node, str], object]] = {
            "batch": self._batch,
            "tiers": self._tiers,
            "changes": self._changes,
            "off_peak": partial(self._checker.scalar, read=read_factor),
            "peak_hours": partial(self._checker.scalar, read=read_text),
        }
        for name, (_, value) in fields.items():
            where = join(path, name)
            if name in readers:
                entry[name] = None if _is_null(value) else readers[name](value, where)
            elif _is_null(value):
                entry[name] = None
            else:
                amount = self._money(value, where)
                if amount is not None:
                    entry[name] = amount
        return entry

    def _money(self, node: Node, path: str) -> Decimal | None:
        number = self._checker.scalar(node, path, read_number, may_be_null=True)
        return None if number is None else number * self._exchange_rate

    def _rates(self, fields: Fields, path: str) -> Rates:
        found = {
            name: self._money(fields[name][1], join(path, name))
            for name in RATE_NAMES
            if name in fields and not _is_null(fields[name][1])
        }
        return Rates(**found)

    def _batch(self, node: Node, path: str) -> Batch:
        if isinstance(node, Table):
            fields = self._checker.table(node, path, names("batch"))
            if not fields and not node.pairs:
                self._checker.report(node, path, "give prices here, or write half")
            return self._rates(fields, path)
        return self._checker.scalar(node, path, _read_half)

    def _tiers(self, node: Node, path: str) -> tuple[Tier, ...]:
        tiers: list[Tier] = []
        for index, item in enumerate(self._checker.items(node, path)):
            where = join(path, index)
            tier = self._tier(item, where)
            if tier is None:
                continue
            if tiers and tier.first <= tiers[-1].first:
                self._checker.report(
                    item, where, "tiers go from small prompts to big ones, this one does not come after the last"
                )
                continue
            tiers.append(tier)
        return tuple(tiers)

    def _tier(self, node: Node, path: str) -> Tier | None:
        fields = self._checker.table(node, path, names("tier"))
        if not isinstance(node, Table):
            return None
        if ("over" in fields) == ("from" in fields):
            self._checker.report(node, path, "give exactly one of 'over' (more than) and 'from' (at least)")
        limits = {
            name: self._checker.scalar(fields[name][1], join(path, name), read_tokens)
            for name in ("over", "from")
            if name in fields
        }
        if not any(name in fields for name in (*RATE_NAMES, "batch")):
            self._checker.report(node, path, "this tier changes no price")
        rates = self._rates(fields, path)
        batch = self._optional_batch(fields, path)
        if len(limits) != 1 or None in limits.values():
            return None
        unknown = _nulls(fields, (*RATE_NAMES, "batch"))
        return Tier(rates, over=limits.get("over"), from_=limits.get("from"), batch=batch, unknown=unknown)

    def _optional_batch(self, fields: Fields, path: str) -> Batch:
        if "batch" not in fields or _is_null(fields["batch"][1]):
            return None
        return self._batch(fields["batch"][1], join(path, "batch"))

    def _changes(self, node: Node, path: str) -> tuple[Change, ...]:
        changes: list[Change] = []
        for index, item in enumerate(self._checker.items(node, path)):
            where = join(path, index)
            change = self._change(item, where)
            if change is None:
                continue
            if changes and change.from_date <= changes[-1].from_date:
                self._checker.report(
                    item, where, "changes go from early to late, this one does not come after the last"
                )
                continue
            changes.append(change)
        return tuple(changes)

    def _change(self, node: Node, path: str) -> Change | None:
        fields = self._checker.table(node, path, names("change"))
        if not isinstance(node, Table):
            return None
        day: date | None = None
        if "from_date" in fields:
            day = self._checker.scalar(fields["from_date"][1], join(path, "from_date"), read_date)
        else:
            self._checker.report(node, path, "'from_date' is missing, the first day of the new prices")
        if not any(name in fields for name in (*RATE_NAMES, "per_request", "batch", "tiers")):
            self._checker.report(node, path, "this change changes no price")
        fee = None
        if "per_request" in fields and not _is_null(fields["per_request"][1]):
            fee = self._money(fields["per_request"][1], join(path, "per_request"))
        tiers = self._tiers(fields["tiers"][1], join(path, "tiers")) if "tiers" in fields else None
        note = self._checker.scalar(fields["note"][1], join(path, "note"), read_text) if "note" in fields else ""
        rates, batch = self._rates(fields, path), self._optional_batch(fields, path)
        assumed = "assumed" in fields and self._checker.scalar(fields["assumed"][1], join(path, "assumed"), read_flag)
        if day is None:
            return None
        unknown = _nulls(fields, (*RATE_NAMES, "per_request", "batch"))
        return Change(day, rates, fee, batch, tiers, note or "", unknown, bool(assumed))


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.is_null


def _nulls(fields: Fields, among: tuple[str, ...]) -> tuple[str, ...]:
    """The fields that the file calls null."""
    return tuple(name for name in among if name in fields and _is_null(fields[name][1]))


def _read_half(text: str) -> Literal["half"]:
    if text == "half":
        return "half"
    hint = f", did you mean '{closest(text, ['half'])}'?" if closest(text, ["half"]) else ""
    raise BadValue(f"write half, or a block with prices of its own (got '{shown(text)}'){hint}")
