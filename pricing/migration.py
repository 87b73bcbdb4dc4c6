"""Older forms of a price file as the current one. The tree is changed, never the file; every value keeps its place.

Version 0 is the flat form in which simple lists are kept: prices stand right under the model, with no ``price`` block.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pricing.declaration import names
from pricing.document import Node, Scalar, Table

VERSION = 1
"""The version that is written, and that all others become."""


def migrated(root: Table, version: int) -> Table:
    """The tree of a file of an older version as the current version has it. A current one comes back as it is."""
    for step in range(version, VERSION):
        root = _STEPS[step](root)
    return root


def is_older(text: str) -> bool:
    """Whether this names an older version that can be read."""
    return text in map(str, _STEPS)


def _prices_into_blocks(root: Table) -> Table:
    """From version 0 to 1: the prices of each model into a block of their own."""

    def model(node: Node) -> Node:
        if not isinstance(node, Table) or any(key.text == "price" for key, _ in node.pairs):
            return node
        prices = [pair for pair in node.pairs if pair[0].text in names("price")]
        if not prices:
            return node
        first = prices[0][0]
        block = Table(first.line, first.column, prices)
        rest = [pair for pair in node.pairs if pair[0].text not in names("price")]
        return Table(node.line, node.column, [*rest, (Scalar("price", False, first.line, first.column), block)])

    def models(node: Node) -> Node:
        if not isinstance(node, Table):
            return node
        return Table(node.line, node.column, [(key, model(value)) for key, value in node.pairs])

    pairs = [(key, models(value) if key.text == "models" else value) for key, value in root.pairs]
    return Table(root.line, root.column, pairs)


_STEPS: Mapping[int, Callable[[Table], Table]] = {0: _prices_into_blocks}
