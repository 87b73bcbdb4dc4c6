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
    characters = "".join(typed.casefold().split())
    text = name.casefold()
    if len(text) != len(name):
        text = name.lower() if len(name.lower()) == len(name) else name
    if not characters:
        return 0.0, ()
    if len(characters) > len(text):  # a whole page was pasted
        return None
    found = _best(characters, text)
    if found is None:
        return None
    score, positions = found
    words = typed.casefold().split()
    score += sum(WHOLE_WORD for word in words if word in text.split())
    return score - LATE * len(text), positions


def rank(typed: str, name: str, keyword: str = "") -> int:
    """Rank how clearly ``typed`` means ``name``: 3 if it is its keyword, 2 if the name begins with it, 1 if a word
    does.

    Within a rank, ``match`` decides.
    """
    phrase, text = " ".join(typed.casefold().split()), name.casefold()
    if not phrase:
        return 0
    if phrase == keyword.casefold():
        return 3
    if text.startswith(phrase):
        return 2
    return int(re.search(rf"(?<![^\W_]){re.escape(phrase)}", text) is not None)


def _best(characters: str, text: str) -> tuple[float, tuple[int, ...]] | None:
    """Return the placement with the most points: for each letter, the best placement that ends at each character."""
    ends: dict[int, tuple[float, tuple[int, ...]]] = {}
    for number, typed in enumerate(characters):
        following: dict[int, tuple[float, tuple[int, ...]]] = {}
        best_before: tuple[float, tuple[int, ...]] | None = None
        for position, character in enumerate(text):
            if number and position - 1 in ends and (best_before is None or ends[position - 1][0] > best_before[0]):
                best_before = ends[position - 1]
            if character != typed:
                continue
            points = float(START_OF_WORD if position == 0 or not text[position - 1].isalnum() else 0)
            points += AT_THE_START if position == 0 else 0
            if number == 0:
                following[position] = (points, (position,))
                continue
            choices = [] if best_before is None else [(best_before[0] + points, (*best_before[1], position))]
            if position - 1 in ends:
                score, positions = ends[position - 1]
                choices.append((score + points + IN_A_ROW, (*positions, position)))
            if choices:
                following[position] = max(choices)
        if not following:
            return None
        ends = following
    return max(ends.values())
