"""Fuzzy search of actions by a few letters. No Qt."""

from __future__ import annotations

import re
from functools import lru_cache

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
    characters, words = _letters(typed)
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
    score += sum(WHOLE_WORD for word in words if word in text.split())
    return score - LATE * len(text), positions


@lru_cache(maxsize=1)
def _letters(typed: str) -> tuple[str, tuple[str, ...]]:
    """Return the letters and the words of what was typed: cached, since it may be a pasted page, and is compared with
    hundreds of names."""
    words = tuple(typed.casefold().split())
    return "".join(words), words


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


_Placement = tuple[float, tuple[int, ...]]
"""Points, and the positions of the letters placed so far."""


def _best(characters: str, text: str) -> _Placement | None:
    """Return the placement with the most points: for each letter, the best placement that ends at each character."""
    ends: dict[int, _Placement] = {}
    for number, typed in enumerate(characters):
        following: dict[int, _Placement] = {}
        earlier = iter(ends.items())
        end, placed = next(earlier, (len(text), (0.0, ())))
        best_before: _Placement | None = None
        position = text.find(typed)
        while position >= 0:
            while end < position:
                if best_before is None or placed[0] > best_before[0]:
                    best_before = placed
                end, placed = next(earlier, (len(text), placed))
            points = float(START_OF_WORD if position == 0 or not text[position - 1].isalnum() else 0)
            points += AT_THE_START if position == 0 else 0
            if number == 0:
                following[position] = (points, (position,))
            elif best_before is not None:
                choices = [(best_before[0] + points, (*best_before[1], position))]
                if position - 1 in ends:
                    score, positions = ends[position - 1]
                    choices.append((score + points + IN_A_ROW, (*positions, position)))
                following[position] = max(choices)
            position = text.find(typed, position + 1)
        if not following:
            return None
        ends = following
    return max(ends.values())
