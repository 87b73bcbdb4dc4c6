"""Checks counting rules: the name of one, or a block with an encoding and a range of factors."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal

from pricing.checker import Checker, closest, join
from pricing.declaration import names
from pricing.document import Node, Scalar, Table
from pricing.scalars import BadValue, read_flag, read_number, read_text, shown
from pricing.types import CountRule

MAX_FACTOR = 100

Fields = Mapping[str, tuple[Scalar, Node]]


class CountChecker:
    """Reads counting rules. ``rules`` are those that a model may name."""

    def __init__(self, checker: Checker, tokenizers: Collection[str], rules: Mapping[str, CountRule]) -> None:
        self.rules = dict(rules)
        self._checker = checker
        self._tokenizers = sorted(tokenizers)

    def count(self, node: Node, path: str) -> CountRule | None:
        """The rule of a model: one by name, or one of its own."""
        if not isinstance(node, Scalar):
            return self.rule(node, path)
        name = self._checker.scalar(node, path, read_text)
        if name is None:
            return None
        if name not in self.rules:
            sentence = f"there is no counting rule '{shown(name)}'"
            hint = closest(name, self.rules)
            if not hint:
                sentence += ", write a block like {tokenizer: o200k_base}"
            self._checker.report(node, path, sentence, hint)
        return self.rules.get(name)

    def rule(self, node: Node, path: str) -> CountRule | None:
        """A block. Exact: the vendor's tokenizer. With a range: estimated. Neither: assumed."""
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
            self._checker.report(node, path, "'tokenizer' is missing, the encoding to count with, like o200k_base")
            return None
        value = fields["tokenizer"][1]
        where = join(path, "tokenizer")
        name = self._checker.scalar(value, where, read_text)
        if name is not None and name not in self._tokenizers:
            hint = closest(name, self._tokenizers, cutoff=0.5)
            listed = "" if hint else f", known are {', '.join(self._tokenizers[:20])}"
            self._checker.report(value, where, f"unknown tokenizer '{shown(name)}'{listed}", hint)
        return name

    def _factors(self, node: Table, fields: Fields, path: str) -> dict[str, Decimal]:
        """``low``, ``ratio`` and ``high`` where the block has a range, else nothing. A missing ratio is the middle."""
        factors = {
            name: self._checker.scalar(fields[name][1], join(path, name), read_factor)
            for name in ("low", "ratio", "high")
            if name in fields
        }
        if ("low" in factors) != ("high" in factors):
            self._checker.report(node, path, "give both 'low' and 'high', or neither")
        elif "ratio" in factors and "low" not in factors:
            self._checker.report(node, path, "a ratio needs its range, give 'low' and 'high' too")
        low, high = factors.get("low"), factors.get("high")
        if low is None or high is None:
            return {}
        ratio = factors["ratio"] if "ratio" in factors else (low + high) / 2
        if low > high:
            self._checker.report(fields["low"][1], join(path, "low"), f"low ({low}) is more than high ({high})")
        elif ratio is not None and not low <= ratio <= high:
            sentence = f"the ratio ({ratio}) must lie between low ({low}) and high ({high})"
            self._checker.report(fields["ratio"][1], join(path, "ratio"), sentence)
        return {} if ratio is None else {"low": low, "ratio": ratio, "high": high}


def read_factor(text: str) -> Decimal:
    """Return a factor that is more than 0. Raises BadValue."""
    factor = read_number(text)
    if not 0 < factor <= MAX_FACTOR:
        raise BadValue(f"a factor lies between 0 and {MAX_FACTOR} (got '{shown(text)}')")
    return factor
