"""Fuzzy search of actions by a few letters. No Qt."""

from __future__ import annotations

import re

START_OF_WORD = 8
IN_A_ROW = 9
AT_THE_START = 6
WHOLE_WORD = 10
LATE = 0.1
"""Points for letters at word starts, for consecutive letters, for the start of the name, and for whole words; deducted
per character of the name."""


def match(typed: str, name: str) -> tuple[float, tuple[int, ...]] | None:
    """Score how well ``typed`` matches ``name``, and return the matched positions; None if it does not match.

    The letters must occur in order, ignoring case; spaces in ``typed`` only separate words. The best of all placements
    counts.
    """
    letters = "".join(typed.casefold().split())
    text = name.casefold()
    if len(text) != len(name):
        text = name.lower() if len(name.lower()) == len(name) else name
    if not letters:
        return 0.0, ()
    if len(letters) > len(text):  # a whole page was pasted
        return None
    found = _best(letters, text)
    if found is None:
        return None
    score, places = found
    words = typed.casefold().split()
    score += sum(WHOLE_WORD for word in words if word in text.split())
    return score - LATE * len(text), places


def rank(typed: str, name: str, keyword: str = "") -> int:
    """Rank how clearly ``typed`` means ``name``: 3 if it is its keyword, 2 if the name begins with it, 1 if a word
    does.

    Within a rank, ``match`` decides.
    """
    wanted, text = " ".join(typed.casefold().split()), name.casefold()
    if not wanted:
        return 0
    if wanted == keyword.casefold():
        return 3
    if text.startswith(wanted):
        return 2
    return int(re.search(rf"(?<![^\W_]){re.escape(wanted)}", text) is not None)


def _best(letters: str, text: str) -> tuple[float, tuple[int, ...]] | None:
    """Return the placement with the most points: for each letter, the best placement that ends at each character."""
    ends: dict[int, tuple[float, tuple[int, ...]]] = {}
    for number, letter in enumerate(letters):
        following: dict[int, tuple[float, tuple[int, ...]]] = {}
        best_before: tuple[float, tuple[int, ...]] | None = None
        for place, character in enumerate(text):
            if number and place - 1 in ends and (best_before is None or ends[place - 1][0] > best_before[0]):
                best_before = ends[place - 1]
            if character != letter:
                continue
            points = float(START_OF_WORD if place == 0 or not text[place - 1].isalnum() else 0)
            points += AT_THE_START if place == 0 else 0
            if number == 0:
                following[place] = (points, (place,))
                continue
            choices = [] if best_before is None else [(best_before[0] + points, (*best_before[1], place))]
            if place - 1 in ends:
                score, places = ends[place - 1]
                choices.append((score + points + IN_A_ROW, (*places, place)))
            if choices:
                following[place] = max(choices)
        if not following:
            return None
        ends = following
    return max(ends.values())
