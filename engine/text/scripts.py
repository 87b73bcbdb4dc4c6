"""Which script the lines of a text are written in: what can be told of their language without a dictionary."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.runtime.cancellation import check_cancelled
from engine.runtime.running_sums import running_sums
from engine.text import code_point_sets
from engine.text.character_classes import N_CODE_POINTS

JAPANESE = "Japanese"
"""Lines with kana; most of their letters may be Han characters."""

NO_LETTERS = "no letters"

_KANA = ("Hiragana", "Katakana")
_SCRIPTS = (
    *("Latin", "Cyrillic", "Greek", "Armenian", "Georgian", "Hebrew", "Arabic", "Ethiopic"),
    *("Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala"),
    *("Thai", "Lao", "Khmer", "Myanmar", "Tibetan", "Mongolian", "Hangul", "Han"),
)
NAMED_SCRIPTS = (*_KANA, *_SCRIPTS)
"""The scripts that are told apart, by the names that Unicode has for them."""

SCRIPT_NAMES = (NO_LETTERS, JAPANESE, *_SCRIPTS, "other scripts")
"""What a text can be written in, as far as it is told here."""
_GROUPS_A_TIME = 1 << 13
_POINTS_A_TIME = 1 << 18
"""What is counted at once: of a text of millions of lines the counts of all would not fit in memory."""

_FEWEST_KANA = 0.1
"""Text is taken for Japanese where at least so many of its Han characters and kana are kana."""


def lines_by_script(text: str) -> dict[str, str]:
    """The lines of a text, with their ends, in one text for each script: that of most of the line's letters."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    starts = np.concatenate([[0], np.flatnonzero(points == 0x0A) + 1])
    starts = starts[starts < len(points)]
    if len(starts) == 0:
        return {}
    ends = np.append(starts[1:], len(points))
    chosen = scripts_of(points, lines_of(ends), len(starts))
    found: dict[str, str] = {}
    for number in np.unique(chosen).tolist():
        lines = np.flatnonzero(chosen == number)
        spans = zip(starts[lines].tolist(), ends[lines].tolist(), strict=True)
        found[SCRIPT_NAMES[number]] = "".join([text[start:end] for start, end in spans])
    return found


def lines_of(ends: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
    """int32[ends[-1]]: the number of the line that each character is of. ``ends``: behind each line, none empty."""
    begins = np.zeros(int(ends[-1]), dtype=np.int8)
    begins[ends[:-1]] = 1
    return running_sums(begins, np.empty(len(begins), dtype=np.int32))


def scripts_of(points: NDArray[np.uint32], groups: NDArray[np.integer[Any]], n_groups: int) -> NDArray[np.int64]:
    """int64[n_groups]: the place in ``SCRIPT_NAMES`` of the script that most letters of each group are of.

    ``points``: uint32[m], code points; ``groups``: int32 or int64[m], the group of each, in order. The first call of a
    process takes a second or so.
    """
    chosen = np.empty(n_groups, dtype=np.int64)
    firsts = np.arange(0, n_groups, _GROUPS_A_TIME, dtype=groups.dtype)
    starts = [*groups.searchsorted(firsts).tolist(), len(groups)]
    for first, start, stop in zip(firsts.tolist(), starts, starts[1:], strict=False):
        some = min(n_groups - first, _GROUPS_A_TIME)
        cells = np.zeros(some * len(SCRIPT_NAMES), dtype=np.int64)
        for at in range(start, stop, _POINTS_A_TIME):
            end = min(stop, at + _POINTS_A_TIME)
            places = (groups[at:end] - first) * len(SCRIPT_NAMES) + _table()[points[at:end]]
            cells += np.bincount(places, minlength=len(cells))
        chosen[first : first + some] = _most_frequent(cells.reshape(some, len(SCRIPT_NAMES)))
    return chosen


def _most_frequent(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n]: the number of the script of each line, from its letters of each (int64[n, scripts])."""
    letters = counts.copy()
    letters[:, 0] = 0  # what is no letter decides only where there is nothing else
    kana, han = letters[:, 1], letters[:, SCRIPT_NAMES.index("Han")]
    is_japanese = (kana > 0) & (kana >= _FEWEST_KANA * (kana + han))
    letters[is_japanese, 1] += han[is_japanese]
    letters[is_japanese, SCRIPT_NAMES.index("Han")] = 0
    chosen: NDArray[np.int64] = np.argmax(letters, axis=1)
    return chosen


@functools.cache
def _table() -> NDArray[np.uint8]:
    """uint8[1114112]: the number of the script of every letter, 0 for what is none."""
    table = np.zeros(N_CODE_POINTS, dtype=np.uint8)
    _fill(table, r"\p{L}", len(SCRIPT_NAMES) - 1)
    for number, name in enumerate(SCRIPT_NAMES[2:-1], 2):
        _fill(table, rf"\p{{{name}}}", number)
    for name in _KANA:
        _fill(table, rf"\p{{{name}}}", 1)
    table.flags.writeable = False
    return table


def _fill(table: NDArray[np.uint8], pattern: str, number: int) -> None:
    check_cancelled()
    edges = code_point_sets.asked(pattern).edges
    for first, stop in zip(edges[::2], edges[1::2], strict=True):
        table[first:stop] = number
