"""Where in a YAML file the caret is: which blocks it is in. No Qt.

Told by indentation alone, from the caret upwards, so that it also works in a file that is just being written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice, tee
from typing import NamedTuple

from gui.costs.yaml_braces import ITEM, InBraces, in_braces

_BEGUN = re.compile(r"(?P<indent> *)(?P<dashes>(?:- +)*)(?P<word>[A-Za-z_0-9]*)")
_KEY = re.compile(r"""(?P<indent> *)(?P<dashes>(?:- +)*)(?P<key>"[^"]*"|'[^']*'|[^\s#"'][^#]*?)\s*:(?:\s|$)""")
MOST_LINES_IN_BRACES = 20
"""How far above the caret an open brace is looked for."""


class KeyPlace(NamedTuple):
    """A place where the name of a field may stand: what leads to it, and what of the name is written."""

    path: tuple[str, ...]
    word: str
    braces: bool = False


def key_place(before_caret: str, lines_above: Iterable[str]) -> KeyPlace | None:
    """The place at the end of ``before_caret``, the line up to the caret. ``lines_above``: upwards, the nearest first.

    None where no name begins there: behind a colon, in a comment, in a list.
    """
    nearest, lines_above = tee(lines_above)
    skipped, braces = _open_brace(before_caret, islice(nearest, MOST_LINES_IN_BRACES))
    if braces is not None:
        return _key_in_braces(braces, islice(lines_above, skipped, None))
    begun = _BEGUN.fullmatch(before_caret)
    if begun is None:
        return None
    way: list[str] = []
    limit = len(begun["indent"]) + len(begun["dashes"])
    same_column = False  # a list may stand in the column of the name it belongs to
    if begun["dashes"]:
        way.append(ITEM)
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
            way.append(ITEM)
            limit, same_column = dash_column, True
    return KeyPlace(tuple(reversed(way)), begun["word"])


def _open_brace(before_caret: str, nearest: Iterable[str]) -> tuple[int, InBraces | None]:
    """The place in the braces that are open at the caret, and how many lines above that of the caret they begin."""
    text, lines = before_caret, 0
    found = in_braces(text)
    for line in nearest:
        if found is not None or _KEY.match(text) is not None:
            break  # a name that begins a line is in no braces, or it would have been read as in them
        text, lines = f"{line}\n{text}", lines + 1
        found = in_braces(text)
    return lines, found


def _key_in_braces(braces: InBraces, lines_above: Iterable[str]) -> KeyPlace | None:
    """The names that lead to the outermost brace, and on from there."""
    line = braces.before.rpartition("\n")[2]
    owner = _KEY.match(line)
    outside = key_place(owner["indent"] + owner["dashes"] if owner else line, lines_above)
    if outside is None:
        return None
    name = (owner["key"].strip("\"'"),) if owner else ()
    return KeyPlace((*outside.path, *name, *braces.path), braces.word, braces=True)
