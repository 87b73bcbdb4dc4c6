"""Older forms of a price file as the current one. The tree is changed, never the file; every value keeps its place.

Version 0 is the flat form in which simple lists are kept: prices stand right under the model, with no ``price`` block.
Version 1 knows no service tiers and no history, and tells the peak hours as a text: ``off_peak`` is a number there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pricing.declaration import names
from pricing.document import Node, Scalar, Table

VERSION = 2
"""The version that is written, and that all others become."""


def migrated(root: Table, version: int) -> Table:
    """The tree of a file of an older version as the current version has it. A current one comes back as it is."""
    for step in range(version, VERSION):
        root = _STEPS[step](root)
    return root


def is_older(text: str) -> bool:
    """Whether this names an older version that can be read."""
    return text in map(str, _STEPS)


def is_another_form(root: Table) -> bool:
    """Whether a file is of an older version and says something that the current one writes differently."""
    version = next((value.text for key, value in root.pairs if key.text == "version" and isinstance(value, Scalar)), "")
    if version == "0":
        return True
    models = next((value for key, value in root.pairs if key.text == "models"), None)
    found = [value for _, value in models.pairs] if isinstance(models, Table) else []
    prices = [value for model in found if isinstance(model, Table) for key, value in model.pairs if key.text == "price"]
    return version == "1" and any(has_old_hours(price) for price in prices if isinstance(price, Table))


def _prices_into_blocks(root: Table) -> Table:
    """From version 0 to 1: the prices of each model into a block of their own."""

    def model(node: Node) -> Node:
        if not isinstance(node, Table) or any(key.text == "price" for key, _ in node.pairs):
            return node
        in_block = {*names("price"), "peak_hours"}
        prices = [pair for pair in node.pairs if pair[0].text in in_block]
        if not prices:
            return node
        first = prices[0][0]
        block = Table(first.line, first.column, prices)
        rest = [pair for pair in node.pairs if pair[0].text not in in_block]
        return Table(node.line, node.column, [*rest, (Scalar("price", False, first.line, first.column), block)])

    def models(node: Node) -> Node:
        if not isinstance(node, Table):
            return node
        return Table(node.line, node.column, [(key, model(value)) for key, value in node.pairs])

    pairs = [(key, models(value) if key.text == "models" else value) for key, value in root.pairs]
    return Table(root.line, root.column, pairs)


def _hours_into_blocks(root: Table) -> Table:
    """From version 1 to 2: the multiple outside the peak hours, and the text of these hours, into a block."""

    def price(node: Node) -> Node:
        pairs = {key.text: (key, value) for key, value in node.pairs} if isinstance(node, Table) else {}
        if not isinstance(node, Table) or not has_old_hours(node):
            return _without(node, "peak_hours")  # by themselves they changed nothing
        key, factor = pairs["off_peak"]
        block = [(Scalar("factor", False, key.line, key.column), factor)]
        if "peak_hours" in pairs:
            name, text = pairs["peak_hours"]
            block.append((Scalar("note", False, name.line, name.column), text))
        rest = [pair for pair in node.pairs if pair[0].text not in {"off_peak", "peak_hours"}]
        return Table(node.line, node.column, [*rest, (key, Table(key.line, key.column, block))])

    def inner(node: Node, name: str | None, change: Callable[[Node], Node]) -> Node:
        if not isinstance(node, Table):
            return node
        pairs = [(key, change(value) if name in {None, key.text} else value) for key, value in node.pairs]
        return Table(node.line, node.column, pairs, node.flow, node.end)

    def models(node: Node) -> Node:
        return inner(node, None, lambda model: inner(model, "price", price))

    found = inner(root, "models", models)
    assert isinstance(found, Table)
    return found


def _without(node: Node, name: str) -> Node:
    if not isinstance(node, Table) or all(key.text != name for key, _ in node.pairs):
        return node
    return Table(node.line, node.column, [pair for pair in node.pairs if pair[0].text != name], node.flow, node.end)


def has_old_hours(price: Table) -> bool:
    """Whether a price block tells the hours of version 1."""
    return any(key.text == "off_peak" and isinstance(value, Scalar) and not value.is_null for key, value in price.pairs)


_STEPS: Mapping[int, Callable[[Table], Table]] = {0: _prices_into_blocks, 1: _hours_into_blocks}
