"""Finding the entries that a regular expression is found in.

A search in each token by itself would ask for the time of day 200,000 times, which takes three times as long as the
search. So tokens without line ends are put together, a line each, and searched through at once: as long as nothing in
the expression could match a line end, or see what is beyond it, that finds the same tokens. ``_LINEWISE`` says of which
expressions that is sure; all others, and tokens with line ends, are searched one by one.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.text.scripts import NAMED_SCRIPTS
from engine.vocabulary.entries.query import QueryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from engine.vocabulary.entries.table import EntryTable

TIMEOUT_SECONDS = 5.0
MOST_CHARACTERS = 500
"""Maximum length of an expression: ``regex`` compiles a literal in time cubic in its length, with the GIL held."""
FEW = 64
"""Tokens that are searched one by one between two looks at the clock: each of them may take long."""
PIECE = 4096
"""Tokens that are searched through at a time, before somebody is asked whether the answer is still wanted."""

_LINEWISE = rf"""(?x)
    (?: [^\\\[\](){{}}.*+?|^$\s] | [ ]
      | [.^$|*+?] | \(\?: | \((?![?*]) | \) | \{{\d+(?:,\d*)?\}}
      | \\ (?: [dwb\\\[\](){{}}.*+?|^$/-]
             | p\{{ (?: L[ultmo]? | M[nce]? | N[dlo]? | P[cdseifo]? | S[mcko]? | {"|".join(NAMED_SCRIPTS)} ) \}} )
      | \[ (?: [0-9]-[0-9] | [a-z]-[a-z] | [A-Z]-[A-Z] | \\[dw] | [^\\\[\]\s&|~^-] )+ \]
    )*"""
"""Characters, the dot, groups, alternatives, repetitions, anchors of lines and words, and classes of characters that a
line end is not in. Nothing that looks around, refers back, steers the search, or turns a class into its opposite."""


class TooSlowError(QueryError):
    """The search did not end in time."""


class EntryTexts:
    """The texts of a vocabulary's tokens, ready to be searched. Made when they are first needed."""

    def __init__(self, entries: EntryTable) -> None:
        self._texts = [token.decode("utf-8", "replace") for token in entries.tokens()]
        self._odd = np.array(["\n" in text for text in self._texts], dtype=np.bool_)
        self._even = np.array([bool(text) for text in self._texts], dtype=np.bool_) & ~self._odd
        self._pieces = list(self._joined(np.flatnonzero(self._even)))
        self._used = [number for number, text in enumerate(self._texts) if text]

    def _joined(self, ids: NDArray[np.int64]) -> Iterator[tuple[str, NDArray[np.int64], NDArray[np.int64]]]:
        """The texts of some ids, a line each, ``PIECE`` at a time: the lines, where each begins, and the ids."""
        for first in range(0, len(ids), PIECE):
            some = ids[first : first + PIECE]
            lines = [self._texts[number] for number in some.tolist()]
            yield "\n".join(lines), np.cumsum([0, *(len(line) + 1 for line in lines[:-1])]), some

    def found(
        self,
        expression: str,
        match_case: bool,
        still_wanted: Callable[[], None] | None = None,
        among: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.bool_]:
        """bool[n]: the entries in whose text an expression is found. QueryError for one that is not valid or takes too
        long. ``still_wanted`` is called now and then; what it raises ends the search. ``among``: bool[n], the entries
        that may have it, where that is known."""
        flags = np.zeros(len(self._texts), dtype=np.bool_)
        limit = time.monotonic() + TIMEOUT_SECONDS
        pattern = compiled(expression, match_case)
        wanted = still_wanted or _always
        try:
            if is_linewise(expression):
                linewise = compiled(f"(?:{expression}).*", match_case, multiline=True)
                pieces = self._pieces if among is None else self._joined(np.flatnonzero(among & self._even))
                for text, starts, ids in pieces:
                    wanted()
                    found = [match.start() for match in linewise.finditer(text, timeout=_left(limit))]
                    flags[ids[np.searchsorted(starts, np.array(found, dtype=np.int64), side="right") - 1]] = True
                odd = self._odd if among is None else among & self._odd
                self._search_each(pattern, np.flatnonzero(odd).tolist(), flags, limit, wanted)
            else:
                self._search_each(pattern, self._used, flags, limit, wanted)
        except TimeoutError:
            raise TooSlowError(
                f"The search took longer than {TIMEOUT_SECONDS:g} seconds and was stopped. A simpler expression may do."
            ) from None
        return flags

    def _search_each(
        self, pattern: Any, ids: list[int], flags: NDArray[np.bool_], limit: float, still_wanted: Callable[[], None]
    ) -> None:
        for first in range(0, len(ids), FEW):
            if first % PIECE == 0:
                still_wanted()
            left = _left(limit)
            for number in ids[first : first + FEW]:
                if pattern.search(self._texts[number], timeout=left):
                    flags[number] = True


def compiled(expression: str, match_case: bool, *, multiline: bool = False) -> Any:
    """An expression of the ``regex`` module. QueryError with the place of a mistake in it."""
    import regex  # type: ignore[import-untyped]

    flags = (0 if match_case else regex.IGNORECASE) | (regex.MULTILINE if multiline else 0)
    try:
        return regex.compile(expression, flags, cache_pattern=False)
    except regex.error as error:
        place = "" if error.pos is None else f" at character {error.pos + 1}"
        if error.pos == len(expression):
            place = " at its end"
        raise QueryError(f"The expression is not valid{place}: {error.msg}.") from None
    except (OverflowError, RecursionError, MemoryError) as error:
        raise QueryError(f"The expression cannot be used: {str(error) or type(error).__name__}.") from None


def is_linewise(expression: str) -> bool:
    """Whether it surely finds in many lines what it finds in each by itself."""
    import regex

    return regex.fullmatch(_LINEWISE, expression) is not None


def _left(limit: float) -> float:
    left = limit - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _always() -> None:
    """For searches that nobody gives up."""
