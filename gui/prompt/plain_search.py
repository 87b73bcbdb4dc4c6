"""Searching for plain text, in time that grows with the text and not with what is looked for.

Not with an expression: the ``regex`` module builds tables for a long literal in time that is cubic in its length, and
holds the interpreter meanwhile. What is found is what it would find: without regard to case, two characters are alike
if it takes them for each other, ``İ`` and ``i`` among them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

CHUNK_CHARACTERS = 1 << 18
_LAST_CASED = 0x20000
"""No code point from here on has another case."""


def found_places(
    text: str, wanted: str, *, match_case: bool, whole_words: bool, between: Callable[[float], object]
) -> Iterator[tuple[int, int]]:
    """Yield where ``wanted`` is in ``text``, in order and not overlapping, as character offsets of start and end.

    ``between`` is called with the fraction done, again and again; what it raises ends the search.
    """
    if not wanted:
        return
    table = {} if match_case else fold_table(wanted)
    folded = wanted.translate(table)
    length = len(folded)
    fits = _stands_alone if whole_words else _anywhere
    chunk = max(CHUNK_CHARACTERS, 4 * length)
    free = 0
    for start in range(0, max(1, len(text) - length + 1), chunk):
        between(start / max(1, len(text)))
        piece = text[start : start + chunk + length - 1].translate(table)
        at = piece.find(folded, max(0, free - start))
        number = 0
        while at >= 0:
            here = start + at
            if fits(text, here, here + length):
                yield here, here + length
                free = here + length
                at = piece.find(folded, at + length)
            else:
                at = piece.find(folded, at + 1)
            number += 1
            if number % 512 == 0:
                between(here / len(text))


def is_at(text: str, wanted: str, start: int, *, match_case: bool, whole_words: bool) -> bool:
    """True if ``wanted`` is found at character ``start``."""
    table = {} if match_case else fold_table(wanted)
    end = start + len(wanted)
    alike = text[start:end].translate(table) == wanted.translate(table)
    return alike and (not whole_words or _stands_alone(text, start, end))


def fold_table(wanted: str) -> dict[int, str]:
    """Map every character that is another case of one in ``wanted`` to one of them, for ``str.translate``."""
    import regex

    table: dict[int, str] = {}
    for one in set(wanted) & _cased_set():
        alike = regex.compile(regex.escape(one), regex.IGNORECASE, cache_pattern=False).findall(_cased())
        first = min(alike)
        table.update((ord(other), first) for other in alike)
    return table


@functools.cache
def _cased() -> str:
    """All characters that ``regex`` may take for another one."""
    import regex

    every = "".join(map(chr, (*range(0xD800), *range(0xE000, _LAST_CASED))))
    return "".join(regex.findall(r"[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}\p{Lu}\p{Ll}\p{Lt}]", every))


@functools.cache
def _cased_set() -> frozenset[str]:
    return frozenset(_cased())


@functools.cache
def _word() -> Any:
    import regex

    return regex.compile(r"\w")


def _anywhere(_text: str, _start: int, _end: int) -> bool:
    return True


def _stands_alone(text: str, start: int, end: int) -> bool:
    before = start > 0 and _word().match(text, start - 1, start)
    return not before and not (end < len(text) and _word().match(text, end, end + 1))
