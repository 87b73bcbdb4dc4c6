"""Where in a YAML file the caret is: which blocks it is in. No Qt.

Told by indentation alone, from the caret upwards, so that it also works in a file that is just being written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_BEGUN = re.compile(r"(?P<indent> *)(?P<dashes>(?:- +)*)(?P<word>[A-Za-z_0-9]*)")
_KEY = re.compile(r"""(?P<indent> *)(?P<dashes>(?:- +)*)(?P<key>"[^"]*"|'[^']*'|[^\s#"'][^#]*?)\s*:(?:\s|$)""")
_ITEM = "0"
"""Stands for the place in a list, whichever it is."""


class KeyPlace(NamedTuple):
    """A place where the name of a field may stand: what leads to it, and what of the name is written."""

    path: tuple[str, ...]
    word: str


def key_place(before_caret: str, lines_above: Iterable[str]) -> KeyPlace | None:
    """The place at the end of ``before_caret``, the line up to the caret. ``lines_above``: upwards, the nearest first.

    None where no name begins a line there: behind a colon, in a comment, inside braces.
    """
    begun = _BEGUN.fullmatch(before_caret)
    if begun is None:
        return None
    way: list[str] = []
    limit = len(begun["indent"]) + len(begun["dashes"])
    same_column = False  # a list may stand in the column of the name it belongs to
    if begun["dashes"]:
        way.append(_ITEM)
        limit, same_column = len(begun["indent"]), True
    for line in lines_above:
        if limit == 0 and not same_column:
            break
        found = _KEY.match(line)
        if found is None:
            continue
        dash_column = len(found["indent"])
        column = dash_column + len(found["dashes"])
        if column < limit or (column == limit and same_column and not found["dashes"]):
            way.append(found["key"].strip("\"'"))
            limit, same_column = column, False
        if found["dashes"] and dash_column < limit and limit <= column:
            way.append(_ITEM)
            limit, same_column = dash_column, True
    return KeyPlace(tuple(reversed(way)), begun["word"])
