"""Parse and validate the blocks of a model: its prices and how it is counted."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any, Literal, TypeVar

from pricing.declaration import names
from pricing.document import Node, Scalar, Table
from pricing.types import RATE_NAMES, SERVICES, Batch, Change, CountRule, OffPeak, PastPrice, Rates, Service, Tier
from pricing.values import (
    BadValue,
    Checker,
    closest,
    join,
    read_date,
    read_flag,
    read_number,
    read_text,
    read_tokens,
    read_weekdays,
    read_window,
    shown,
)

_OF_THE_MODEL = dict.fromkeys(names("model"), "next to 'price', one level up")

Fields = Mapping[str, tuple[Scalar, Node]]

T = TypeVar("T")


class PriceChecker:
    """Reads prices in one currency and converts them to US dollars."""

    def __init__(self, checker: Checker, exchange_rate: Decimal) -> None:
        self._checker = checker
        self._exchange_rate = exchange_rate

    def price(self, node: Node, path: str) -> dict[str, object]:
        """Return the fields that a price block sets, by name; None for null."""
        fields = self._checker.table(node, path, names("price"), _OF_THE_MODEL)
        entry: dict[str, object] = {}
        readers: dict[str, Callable[[Node, str], object]] = {
            "batch": self._batch,
            "tiers": self._tiers,
            "changes": self._changes,
            "services": self._services,
            "off_peak": self._off_peak,
            "since": partial(self._checker.scalar, read=read_date),
            "history": self._history,
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
        self._check_service_tiers(entry, fields, path)
        self._check_history(entry, fields, path)
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
                self._checker.report(node, path, "give prices, or write half")
            return self._rates(fields, path)
        return self._checker.scalar(node, path, _read_half)

    def _tiers(self, node: Node, path: str) -> tuple[Tier, ...]:
        sentence = "tiers must be in order of prompt length; this one does not follow the previous one"
        return self._rising(node, path, self._tier, lambda tier: tier.first, sentence)

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

    def _services(self, node: Node, path: str) -> tuple[Service, ...]:
        services = []
        for name, (_, value) in self._checker.table(node, path, SERVICES).items():
            where = join(path, name)
            if not isinstance(value, Table):
                if self._checker.scalar(value, where, _read_half) is not None:
                    services.append(Service(name, Decimal("0.5")))
                continue
            fields = self._checker.table(value, where, names("service"))
            factor = None
            if "factor" in fields:
                factor = self._checker.scalar(fields["factor"][1], join(where, "factor"), read_factor)
                if len(fields) > 1:
                    self._checker.report(value, where, "give either a factor or prices, not both")
            elif not any(name in fields for name in RATE_NAMES):
                self._checker.report(value, where, "give prices, or a factor, or write half")
            tiers = self._tiers(fields["tiers"][1], join(where, "tiers")) if "tiers" in fields else None
            services.append(Service(name, factor, self._rates(fields, where), tiers))
        return tuple(services)

    def _check_service_tiers(self, entry: Mapping[str, object], fields: Fields, path: str) -> None:
        """Report tiers of a service that do not start at a threshold of the model, because lookup uses the model's."""
        tiers, services = entry.get("tiers"), entry.get("services")
        if not isinstance(tiers, tuple) or not isinstance(services, tuple):
            return
        thresholds = {tier.first for tier in tiers}
        for service in services:
            if any(tier.first not in thresholds for tier in service.tiers or ()):
                sentence = "tiers of a service must start at thresholds of the model's own tiers"
                self._checker.report(fields["services"][1], join(path, f"services.{service.name}.tiers"), sentence)

    def _check_history(self, entry: Mapping[str, object], fields: Fields, path: str) -> None:
        """Report a history without ``since``, or one that does not end before ``since``."""
        history, since = entry.get("history"), entry.get("since")
        if not isinstance(history, tuple) or not history:
            return
        if "since" not in fields:
            sentence = "'since' is missing: with 'history', it gives the first day of the current prices"
            self._checker.report(fields["history"][1], path, sentence)
        elif isinstance(since, date) and history[-1].from_date >= since:
            sentence = f"past prices must start before the current ones, which start on {since.isoformat()}"
            self._checker.report(fields["history"][1], join(path, "history"), sentence)

    def _off_peak(self, node: Node, path: str) -> OffPeak | None:
        fields = self._checker.table(node, path, names("off_peak"))
        if not isinstance(node, Table):
            return None
        if "factor" not in fields:
            self._checker.report(node, path, "'factor' is missing: the multiple of the peak price outside peak hours")
            return None
        factor = self._checker.scalar(fields["factor"][1], join(path, "factor"), read_factor)
        windows = self._each(fields, "peak", path, read_window)
        days = {day for some in self._each(fields, "weekdays", path, read_weekdays) for day in some}
        ordered = sorted(windows)
        if any(start < end for (_, end), (start, _) in itertools.pairwise(ordered)):
            self._checker.report(fields["peak"][1], join(path, "peak"), "these hours overlap")
        if days and not windows:
            self._checker.report(node, path, "'peak' is missing: the peak hours on these days")
        start, note = None, ""
        if "from_date" in fields:
            start = self._checker.scalar(fields["from_date"][1], join(path, "from_date"), read_date)
        if "note" in fields:
            note = self._checker.scalar(fields["note"][1], join(path, "note"), read_text) or ""
        if factor is None:
            return None
        weekdays = tuple(sorted(days)) or (tuple(range(7)) if windows else ())
        return OffPeak(factor, tuple(ordered), weekdays, start, note)

    def _each(self, fields: Fields, name: str, path: str, read: Callable[[str], T]) -> list[T]:
        """Return the values of a list of texts, each converted by ``read``."""
        found: list[T] = []
        if name in fields:

            def take(text: str) -> str:
                found.append(read(text))
                return text

            self._checker.texts(fields[name][1], join(path, name), take)
        return found

    def _history(self, node: Node, path: str) -> tuple[PastPrice, ...]:
        sentence = "past prices must be in order of date; this one does not follow the previous one"
        return self._rising(node, path, self._past, lambda past: past.from_date, sentence)

    def _rising(
        self, node: Node, path: str, read: Callable[[Node, str], T | None], key: Callable[[T], Any], sentence: str
    ) -> tuple[T, ...]:
        """Read the items of a list, and report those whose key does not exceed the previous one, with ``sentence``."""
        found: list[T] = []
        for index, item in enumerate(self._checker.items(node, path)):
            where = join(path, index)
            one = read(item, where)
            if one is not None and found and key(one) <= key(found[-1]):
                self._checker.report(item, where, sentence)
            elif one is not None:
                found.append(one)
        return tuple(found)

    def _first_day(self, fields: Fields, node: Node, path: str, of: str) -> date | None:
        if "from_date" in fields:
            return self._checker.scalar(fields["from_date"][1], join(path, "from_date"), read_date)
        self._checker.report(node, path, f"'from_date' is missing: the first day of {of}")
        return None

    def _past(self, node: Node, path: str) -> PastPrice | None:
        fields = self._checker.table(node, path, names("past"))
        if not isinstance(node, Table):
            return None
        day = self._first_day(fields, node, path, "these prices")
        fee = None
        if "per_request" in fields and not _is_null(fields["per_request"][1]):
            fee = self._money(fields["per_request"][1], join(path, "per_request"))
        tiers = self._tiers(fields["tiers"][1], join(path, "tiers")) if "tiers" in fields else None
        texts = {
            name: self._checker.scalar(fields[name][1], join(path, name), read_text) or ""
            for name in ("source", "note")
            if name in fields
        }
        rates, batch = self._rates(fields, path), self._optional_batch(fields, path)
        return None if day is None else PastPrice(day, rates, fee, batch, tiers, **texts)

    def _changes(self, node: Node, path: str) -> tuple[Change, ...]:
        sentence = "changes must be in order of date; this one does not follow the previous one"
        return self._rising(node, path, self._change, lambda change: change.from_date, sentence)

    def _change(self, node: Node, path: str) -> Change | None:
        fields = self._checker.table(node, path, names("change"))
        if not isinstance(node, Table):
            return None
        day = self._first_day(fields, node, path, "the new prices")
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
    """Return the fields that are null in the file."""
    return tuple(name for name in among if name in fields and _is_null(fields[name][1]))


def _read_half(text: str) -> Literal["half"]:
    if text == "half":
        return "half"
    hint = f", did you mean '{closest(text, ['half'])}'?" if closest(text, ["half"]) else ""
    raise BadValue(f"write half, or a block of prices (got '{shown(text)}'){hint}")


MAX_FACTOR = 100


class CountChecker:
    """Reads counting rules. ``rules``: those that a model may refer to by name."""

    def __init__(self, checker: Checker, tokenizers: Collection[str], rules: Mapping[str, CountRule]) -> None:
        self.rules = dict(rules)
        self._checker = checker
        self._tokenizers = sorted(tokenizers)

    def count(self, node: Node, path: str) -> CountRule | None:
        """Read the rule of a model: a name, or a block."""
        if not isinstance(node, Scalar):
            return self.rule(node, path)
        name = self._checker.scalar(node, path, read_text)
        if name is None:
            return None
        if name not in self.rules:
            sentence = f"unknown counting rule '{shown(name)}'"
            hint = closest(name, self.rules)
            if not hint:
                sentence += "; write a block like {tokenizer: o200k_base}"
            self._checker.report(node, path, sentence, hint)
        return self.rules.get(name)

    def rule(self, node: Node, path: str) -> CountRule | None:
        """Read a block. Exact if it is the vendor's tokenizer, estimated if it has a range, assumed otherwise."""
        before = self._checker.count
        fields = self._checker.table(node, path, names("count"))
        if not isinstance(node, Table):
            return None
        tokenizer = self._tokenizer(node, fields, path)
        exact = note = None
        if "exact" in fields:
            exact = self._checker.scalar(fields["exact"][1], join(path, "exact"), read_flag)
        if "note" in fields:
            note = self._checker.scalar(fields["note"][1], join(path, "note"), read_text)
        factors = self._factors(node, fields, path)
        if exact and factors:
            self._checker.report(node, path, "an exact count has no ratio, low or high")
        if self._checker.count > before:
            return None
        if factors:
            return CountRule(tokenizer, "estimated", factors["ratio"], factors["low"], factors["high"], note or "")
        return CountRule(tokenizer, "exact" if exact else "assumed", note=note or "")

    def _tokenizer(self, node: Table, fields: Fields, path: str) -> str | None:
        if "tokenizer" not in fields:
            self._checker.report(node, path, "'tokenizer' is missing: the encoding to count with, like o200k_base")
            return None
        value = fields["tokenizer"][1]
        where = join(path, "tokenizer")
        name = self._checker.scalar(value, where, read_text)
        if name is not None and name not in self._tokenizers:
            hint = closest(name, self._tokenizers, cutoff=0.5)
            listed = "" if hint else f"; known tokenizers are {', '.join(self._tokenizers[:20])}"
            self._checker.report(value, where, f"unknown tokenizer '{shown(name)}'{listed}", hint)
        return name

    def _factors(self, node: Table, fields: Fields, path: str) -> dict[str, Decimal]:
        """Read ``low``, ``ratio`` and ``high``; empty without a range. A missing ratio becomes the midpoint."""
        factors = {
            name: self._checker.scalar(fields[name][1], join(path, name), read_factor)
            for name in ("low", "ratio", "high")
            if name in fields
        }
        if ("low" in factors) != ("high" in factors):
            self._checker.report(node, path, "give both 'low' and 'high', or neither")
        elif "ratio" in factors and "low" not in factors:
            self._checker.report(node, path, "a ratio needs a range: add 'low' and 'high'")
        low, high = factors.get("low"), factors.get("high")
        if low is None or high is None:
            return {}
        ratio = factors["ratio"] if "ratio" in factors else (low + high) / 2
        if low > high:
            self._checker.report(fields["low"][1], join(path, "low"), f"low ({low}) is greater than high ({high})")
        elif ratio is not None and not low <= ratio <= high:
            sentence = f"the ratio ({ratio}) must lie between low ({low}) and high ({high})"
            self._checker.report(fields["ratio"][1], join(path, "ratio"), sentence)
        return {} if ratio is None else {"low": low, "ratio": ratio, "high": high}


def read_factor(text: str) -> Decimal:
    """Parse a factor greater than 0. Raises BadValue."""
    factor = read_number(text)
    if not 0 < factor <= MAX_FACTOR:
        raise BadValue(f"a factor must be greater than 0 and at most {MAX_FACTOR} (got '{shown(text)}')")
    return factor
