"""Vocabularies small enough to think about, and to fill tables with where nothing is compiled."""

from __future__ import annotations

import random

from engine.vocabulary.bundle import RankTable, table_from_ranks


def learnt_ranks(rng: random.Random, alphabet: bytes, merges: int, odd: int = 0) -> dict[bytes, int]:
    """All bytes in a random order, then pairs that are merged in a random text, one after the other. ``odd`` tokens
    among them are no pairs, so that they are as a rule only ever found as a whole."""
    singles = [bytes([value]) for value in range(256)]
    rng.shuffle(singles)
    ranks = {token: rank for rank, token in enumerate(singles)}
    text = [bytes([value]) for value in rng.choices(alphabet, k=400)]
    kinds = [False] * merges + [True] * odd
    rng.shuffle(kinds)
    for is_odd in kinds:
        if is_odd:
            ranks.setdefault(bytes(rng.choices(alphabet, k=rng.randrange(3, 25))), len(ranks))
            continue
        place = rng.randrange(len(text) - 1)
        left, right = text[place : place + 2]
        ranks.setdefault(left + right, len(ranks))
        text = _merged(text, left, right)
    return ranks


def _merged(text: list[bytes], left: bytes, right: bytes) -> list[bytes]:
    merged: list[bytes] = []
    place = 0
    while place < len(text):
        if text[place : place + 2] == [left, right]:
            merged.append(left + right)
            place += 2
        else:
            merged.append(text[place])
            place += 1
    return merged


def small_table(ranks: dict[bytes, int], first_id: int = 0) -> RankTable:
    """The ranks as a table, ids starting at ``first_id``."""
    return table_from_ranks({token: rank + first_id for token, rank in ranks.items()})
