"""Find and sort entries of a vocabulary. Every search is a pass over arrays: milliseconds for 200,000 entries.

``EntryQuery`` describes the entries to find; ``EntrySearch`` finds and orders them.

*Order.* ``ranks_by_bytes`` orders tokens by their bytes without an object for each and mostly without the interpreter:
``sorted`` would block every other thread for 0.1 s over the 200,000 tokens of a vocabulary. The first sixteen bytes, as
two numbers, distinguish most tokens. Only tokens with equal first sixteen bytes, such as long runs of one character,
are compared as bytes.

*Regular expressions.* ``required_texts`` returns text that any match of an expression must contain. Searching for it
first leaves few candidates. ``EntryTexts`` searches these. Searching each token separately would read the clock 200,000
times, which takes three times as long as the search. So tokens without line ends are joined, one per line, and searched
at once: this finds the same tokens if nothing in the expression can match a line end or see beyond it. ``_LINEWISE``
matches expressions for which this is certain (``is_linewise``). For all others, and for tokens with line ends, each
token is searched separately.
"""

from __future__ import annotations

import functools
import itertools
import string
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from engine.errors import EngineError
from engine.runtime import caches
from engine.runtime.cancellation import check_cancelled, interruptible
from engine.text.character_classes import NAMED_SCRIPTS
from engine.vocabulary.entries import (
    KINDS,
    EntryTable,
    characters_of,
    folded_text,
    folding,
    to_bytes,
    utf8_widths,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from engine.vocabulary.entries import EntryTable
    from engine.vocabulary.entry_diagnostics import Diagnosis


Mode = Literal["text", "hex", "regex"]

MODES: tuple[Mode, ...] = ("text", "hex", "regex")


class QueryError(EngineError):
    """A query cannot be run. The text gives the reason in one sentence."""


@dataclass(frozen=True, slots=True)
class EntryQuery:
    """Criteria that an entry must all meet.

    ``text`` is interpreted according to ``mode``: characters that an entry contains, bytes in hexadecimal, or a regular
    expression of the ``regex`` module that is searched in the entry's text, in which bytes outside of characters are
    U+FFFD. An empty text matches everything. ``match_case``: for text and expressions.
    ``first_id``, ``last_id``: range of ids, inclusive; ``shortest``, ``longest``: range of lengths, in bytes.
    ``longest`` or ``last_id`` None: no limit. ``kinds``: some of ``engine.vocabulary.entries.KINDS``. ``script``:
    an index into ``engine.text.character_classes.SCRIPT_NAMES``; ``finding``: an index into
    ``engine.vocabulary.entry_diagnostics.FINDINGS``; None for any. Both need a diagnosis.
    """

    text: str = ""
    mode: Mode = "text"
    match_case: bool = False
    kinds: frozenset[str] = field(default=frozenset(KINDS))
    first_id: int = 0
    last_id: int | None = None
    shortest: int = 0
    longest: int | None = None
    script: int | None = None
    finding: int | None = None

    @property
    def needs_diagnosis(self) -> bool:
        """True if a criterion needs a diagnosis."""
        return self.script is not None or self.finding is not None


def read_hex(text: str) -> bytes:
    """Parse hexadecimal digits to bytes. Ignores whitespace, commas, and ``0x`` or ``\\x`` before a byte. Raises
    QueryError."""
    digits = text.lower().replace("0x", " ").replace("\\x", " ").replace(",", " ")
    digits = "".join(digits.split())
    strange = next((one for one in digits if one not in string.hexdigits), None)
    if strange is not None:
        raise QueryError(
            f"{strange!r} is not a hexadecimal digit: write bytes with the digits 0 to 9 and a to f, such as c3 a9."
        )
    if len(digits) % 2:
        raise QueryError("Each byte has two hexadecimal digits: one is missing.")
    return bytes.fromhex(digits)


# --- expressions that start like tokens -------------------------------------------------------------------------------

_WORD = 8
_HEAD = 2 * _WORD
_GROUPS = 16  # groups of tokens with equal beginnings, between two cancellation checks


def ranks_by_bytes(entries: EntryTable) -> NDArray[np.int64]:
    """Return int64[n]: the rank of each entry in the order of bytes; equal for equal bytes."""
    lengths = np.diff(entries.offsets)
    first, second = _word(entries, lengths, 0), _word(entries, lengths, _WORD)
    # Tokens are padded with zeros: of two that then look equal, the shorter one comes first.
    order = np.lexsort((np.minimum(lengths, _HEAD + 1), second, first))
    alike = (first[order][1:] == first[order][:-1]) & (second[order][1:] == second[order][:-1])
    long = lengths[order] > _HEAD
    both_long = alike & long[1:] & long[:-1]
    same = alike & (lengths[order][1:] == lengths[order][:-1])
    edges = np.flatnonzero(np.diff(both_long, prepend=False, append=False))
    for start, stop in interruptible(edges.reshape(-1, 2).tolist(), _GROUPS):
        ids = sorted(order[start : stop + 1].tolist(), key=entries.token_bytes)
        order[start : stop + 1] = ids
        tokens = [entries.token_bytes(number) for number in ids]
        same[start:stop] = [one == next_one for one, next_one in itertools.pairwise(tokens)]
    ranks = np.zeros(len(lengths), dtype=np.int64)
    ranks[order[1:]] = np.cumsum(~same)
    return ranks


def _word(entries: EntryTable, lengths: NDArray[np.int64], start: int) -> NDArray[np.uint64]:
    """Return uint64[n]: eight bytes of each entry from ``start`` on, big endian, padded with zeros beyond its end."""
    word = np.zeros(len(lengths), dtype=np.uint64)
    for offset in range(start, start + _WORD):
        check_cancelled()
        there = lengths > offset
        word <<= np.uint64(8)
        word[there] |= entries.values[entries.offsets[:-1][there] + offset]
    return word


LEAST = 2
"""Minimum length of a useful text, in characters: too many tokens contain any single one."""

_PARTS = r"""(?xs)
    \[ (?: \\. | [^\]] )+ \]
  | \\p\{ [^}]* \} | \\.
  | \{ \d+ (?:,\d*)? \} | \(\?: | ."""

_REPEATS = ("*", "+", "?", "{")


def required_texts(expression: str, match_case: bool) -> list[str] | None:
    """Return texts of which every match contains at least one, all ASCII; None if that is unknown.

    For expressions that ``is_linewise`` accepts: there a group begins with ``(`` or ``(?:``, and there are no
    look-arounds. If case is ignored, an i ends a text: the ``regex`` module matches it with ``İ``, which no folding
    does.
    """
    longest = [""]
    run, depth = "", 0
    for part in _parts(expression):
        if len(part) == 1 and part.isascii() and not depth and (part.isalnum() or part in " _-'\"/,:;=<>@#%&!~`"):
            if match_case or part not in "iI":
                run += part
                continue
        elif part[0] in _REPEATS:
            run = run[:-1]  # may occur zero times
        longest[-1], run = max(longest[-1], run, key=len), ""
        if part[0] == "(":
            depth += 1
        elif part == ")":
            depth -= 1
        elif part == "|" and not depth:
            longest.append("")
    longest[-1] = max(longest[-1], run, key=len)
    return longest if min(map(len, longest)) >= LEAST else None


def _parts(expression: str) -> Iterator[str]:
    """Yield the characters, classes, escapes and quantifiers of an expression."""
    import regex

    return (match.group() for match in regex.finditer(_PARTS, expression))


# --- texts of entries, matched by an expression -----------------------------------------------------------------------

TIMEOUT_SECONDS = 5.0
MAX_CHARACTERS = 500
"""Maximum length of an expression: ``regex`` compiles a literal in time cubic in its length, with the GIL held."""
FEW = 64
"""Tokens searched one by one between two readings of the clock: each may take long."""
TOKENS_AT_A_TIME = 4096
"""Tokens searched between two cancellation checks."""

_LINEWISE = rf"""(?x)
    (?: [^\\\[\](){{}}.*+?|^$\s] | [ ]
      | [.^$|*+?] | \(\?: | \((?![?*]) | \) | \{{\d+(?:,\d*)?\}}
      | \\ (?: [dwb\\\[\](){{}}.*+?|^$/-]
             | p\{{ (?: L[ultmo]? | M[nce]? | N[dlo]? | P[cdseifo]? | S[mcko]? | {"|".join(NAMED_SCRIPTS)} ) \}} )
      | \[ (?: [0-9]-[0-9] | [a-z]-[a-z] | [A-Z]-[A-Z] | \\[dw] | [^\\\[\]\s&|~^-] )+ \]
    )*"""
"""Characters, the dot, groups, alternatives, repetitions, anchors of lines and words, and character classes without a
line end. No look-arounds, back-references, search controls or negated classes."""


class TooSlowError(QueryError):
    """The search exceeded its time limit."""


class EntryTexts:
    """The texts of a vocabulary's tokens, prepared for searching. Built on first use."""

    def __init__(self, entries: EntryTable) -> None:
        self._texts = [token.decode("utf-8", "replace") for token in entries.tokens()]
        self._odd = np.array(["\n" in text for text in self._texts], dtype=np.bool_)
        self._even = np.array([bool(text) for text in self._texts], dtype=np.bool_) & ~self._odd
        self._joined_texts = list(self._joined(np.flatnonzero(self._even)))
        self._used = [number for number, text in enumerate(self._texts) if text]

    def _joined(self, ids: NDArray[np.int64]) -> Iterator[tuple[str, NDArray[np.int64], NDArray[np.int64]]]:
        """Yield the texts of some ids, one per line, some at a time: the lines, the start of each, and the ids."""
        for first in range(0, len(ids), TOKENS_AT_A_TIME):
            some = ids[first : first + TOKENS_AT_A_TIME]
            lines = [self._texts[number] for number in some.tolist()]
            yield "\n".join(lines), np.cumsum([0, *(len(line) + 1 for line in lines[:-1])]), some

    def found(
        self,
        expression: str,
        match_case: bool,
        cancel_check: Callable[[], None] | None = None,
        among: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.bool_]:
        """Return bool[n]: the entries in whose text an expression matches. Raises QueryError if it is invalid or takes
        too long. ``cancel_check`` is called regularly; an exception from it ends the search. ``among``: bool[n], the
        candidates, if they are known."""
        flags = np.zeros(len(self._texts), dtype=np.bool_)
        limit = time.monotonic() + TIMEOUT_SECONDS
        pattern = compiled(expression, match_case)
        cancel_check = cancel_check or _never_cancel
        try:
            if is_linewise(expression):
                linewise = compiled(f"(?:{expression}).*", match_case, multiline=True)
                joined = self._joined_texts if among is None else self._joined(np.flatnonzero(among & self._even))
                for text, starts, ids in joined:
                    cancel_check()
                    found = [match.start() for match in linewise.finditer(text, timeout=_left(limit))]
                    flags[ids[np.searchsorted(starts, np.array(found, dtype=np.int64), side="right") - 1]] = True
                odd = self._odd if among is None else among & self._odd
                self._search_each(pattern, np.flatnonzero(odd).tolist(), flags, limit, cancel_check)
            else:
                self._search_each(pattern, self._used, flags, limit, cancel_check)
        except TimeoutError:
            raise TooSlowError(
                f"The search took longer than {TIMEOUT_SECONDS:g} seconds and was stopped. Try a simpler expression."
            ) from None
        return flags

    def _search_each(
        self, pattern: Any, ids: list[int], flags: NDArray[np.bool_], limit: float, cancel_check: Callable[[], None]
    ) -> None:
        for first in range(0, len(ids), FEW):
            if first % TOKENS_AT_A_TIME == 0:
                cancel_check()
            left = _left(limit)
            for number in ids[first : first + FEW]:
                if pattern.search(self._texts[number], timeout=left):
                    flags[number] = True


def compiled(expression: str, match_case: bool, *, multiline: bool = False) -> Any:
    """Compile an expression with the ``regex`` module. Raises QueryError with the position of an error in it."""
    import regex

    flags = (0 if match_case else regex.IGNORECASE) | (regex.MULTILINE if multiline else 0)
    try:
        return regex.compile(expression, flags, cache_pattern=False)
    except regex.error as error:
        position = "" if error.pos is None else f" at character {error.pos + 1}"
        if error.pos == len(expression):
            position = " at its end"
        raise QueryError(f"The expression is not valid{position}: {error.msg}.") from None
    except (OverflowError, RecursionError, MemoryError) as error:
        raise QueryError(f"The expression cannot be used: {str(error) or type(error).__name__}.") from None


def is_linewise(expression: str) -> bool:
    """Return True if the expression certainly finds the same in joined lines as in each line alone."""
    import regex

    return regex.fullmatch(_LINEWISE, expression) is not None


def _left(limit: float) -> float:
    left = limit - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _never_cancel() -> None:
    """Default cancellation check: never cancels."""


# --- searching and sorting --------------------------------------------------------------------------------------------

SortKey = Literal[
    "id", "bytes", "length", "kind", "script", "left", "right", "built_directly", "built_in_all", "findings"
]

DIAGNOSED: tuple[SortKey, ...] = ("script", "left", "right", "built_directly", "built_in_all", "findings")
"""Orders that need a diagnosis."""


class EntrySearch:
    """Searches one vocabulary and caches intermediate results. Thread-safe: results that two threads build at the same
    time are built twice and are equal."""

    def __init__(self, entries: EntryTable) -> None:
        self.entries = entries
        self._diagnosis: Diagnosis | None = None
        self._orders: dict[tuple[SortKey, bool], NDArray[np.int32]] = {}
        caches.add(self)

    def drop(self) -> None:
        """Drop caches that can be rebuilt in 0.1 s, up to 50 MB: the texts for expressions, the orders, and the owner
        of each byte."""
        self._orders.clear()
        self.__dict__.pop("_texts", None)
        for entries in (self.entries, self.__dict__.get("_folded")):
            if entries is not None:
                entries.forget_owners()

    @property
    def diagnosis(self) -> Diagnosis | None:
        """The diagnosis, None until it is set."""
        return self._diagnosis

    def set_diagnosis(self, diagnosis: Diagnosis) -> None:
        """Enable searching for scripts, parents and findings."""
        self._diagnosis = diagnosis
        for key in [key for key in list(self._orders) if key[0] in DIAGNOSED]:
            self._orders.pop(key, None)

    def ids(
        self,
        query: EntryQuery,
        key: SortKey = "id",
        descending: bool = False,
        cancel_check: Callable[[], None] | None = None,
    ) -> NDArray[np.int32]:
        """Return int32[m], read-only: the ids of the entries that match a query, sorted by ``key``; equal keys by
        ascending id. Raises QueryError. ``cancel_check`` is called regularly; an exception from it ends the search."""
        found = self.matching(query, cancel_check)
        if key == "id" and not descending:
            ids = np.flatnonzero(found).astype(np.int32)
        else:
            order = self.order(key, descending)
            ids = order[found[order]]
        ids.flags.writeable = False
        return ids

    def all_ids(self) -> NDArray[np.int32]:
        """Return int32[n], read-only: every id."""
        return self.ids(EntryQuery())

    def matching(self, query: EntryQuery, cancel_check: Callable[[], None] | None = None) -> NDArray[np.bool_]:
        """Return bool[n]: True for ids that match a query. Raises QueryError."""
        found = self._with_text(query, cancel_check)
        entries = self.entries
        found[: max(0, query.first_id)] = False
        if query.last_id is not None:
            found[max(0, query.last_id + 1) :] = False
        if query.shortest > 0:
            found &= entries.byte_lengths >= query.shortest
        if query.longest is not None:
            found &= entries.byte_lengths <= query.longest
        if len(query.kinds) < len(KINDS):
            found &= np.array([kind in query.kinds for kind in KINDS])[entries.kinds]
        if query.needs_diagnosis:
            found &= self._diagnosed(query)
        return found

    def _diagnosed(self, query: EntryQuery) -> NDArray[np.bool_]:
        diagnosis = self._diagnosis
        if diagnosis is None:
            raise QueryError(
                "This vocabulary is still being analyzed. Scripts and findings are available in a few seconds."
            )
        found = np.ones(len(self.entries), dtype=np.bool_)
        if query.script is not None:
            found &= diagnosis.scripts == query.script
        if query.finding is not None:
            found &= (diagnosis.findings >> query.finding & 1).astype(np.bool_)
        return found

    def _with_text(self, query: EntryQuery, cancel_check: Callable[[], None] | None) -> NDArray[np.bool_]:
        if not query.text:
            return np.ones(len(self.entries), dtype=np.bool_)
        if query.mode == "regex":
            if len(query.text) > MAX_CHARACTERS:
                raise QueryError(f"The expression has more than {MAX_CHARACTERS:,} characters.")
            return self._texts.found(query.text, query.match_case, cancel_check, self._candidates(query))
        if query.mode == "hex":
            return holding(self.entries, read_hex(query.text))
        if query.match_case:
            return holding(self.entries, query.text.encode("utf-8", "replace"))
        return holding(self._folded, folded_text(query.text))

    def _candidates(self, query: EntryQuery) -> NDArray[np.bool_] | None:
        """Return bool[n]: the entries in which an expression may match; None if only a search can decide."""
        texts = required_texts(query.text, query.match_case) if is_linewise(query.text) else None
        if texts is None:
            return None
        entries = self.entries if query.match_case else self._folded
        contents = [text.encode() if query.match_case else folded_text(text) for text in texts]
        return functools.reduce(np.logical_or, (holding(entries, one) for one in contents))

    @functools.cached_property
    def _texts(self) -> EntryTexts:
        return EntryTexts(self.entries)

    @functools.cached_property
    def _folded(self) -> EntryTable:
        return folded(self.entries)

    def order(self, key: SortKey, descending: bool = False) -> NDArray[np.int32]:
        """Return int32[n]: all ids sorted by a property. The result is cached. Raises QueryError if it needs a
        diagnosis that is not set."""
        known = self._orders.get((key, descending))
        if known is None:
            values = self._values(key)
            signed = -values if descending else values
            known = self._orders[key, descending] = np.argsort(signed, kind="stable").astype(np.int32)
        return known

    def _values(self, key: SortKey) -> NDArray[np.int64]:
        entries = self.entries
        if key == "id":
            return np.arange(len(entries))
        if key == "bytes":
            return self._ranks_by_bytes
        if key == "length":
            return entries.byte_lengths.astype(np.int64)
        if key == "kind":
            return entries.kinds.astype(np.int64)
        if self._diagnosis is None:
            raise QueryError("This vocabulary is still being analyzed. It can be sorted this way in a few seconds.")
        figures: NDArray[np.int64] = getattr(self._diagnosis, _FIGURES.get(key, key)).astype(np.int64)
        return figures

    def prepare(self) -> None:
        """Build in advance everything that takes more than a few milliseconds."""
        assert self._folded is not None
        self.order("bytes")

    @functools.cached_property
    def _ranks_by_bytes(self) -> NDArray[np.int64]:
        """int64[n]: rank of each entry in the order of bytes; equal for equal bytes."""
        return ranks_by_bytes(self.entries)


_FIGURES = {"script": "scripts"}


def holding(entries: EntryTable, content: bytes) -> NDArray[np.bool_]:
    """Return bool[n]: the entries whose bytes contain ``content``; all if it is empty.

    Starts with its rarest byte in the vocabulary and checks the other bytes at the remaining offsets.
    """
    found = np.zeros(len(entries), dtype=np.bool_)
    if not content:
        return ~found
    if len(content) > entries.byte_lengths.max(initial=0):
        return found
    values = entries.values
    frequency = entries.byte_frequencies
    rarest = min(range(len(content)), key=lambda index: frequency[content[index]])
    starts = np.flatnonzero(values == content[rarest]) - rarest
    starts = starts[(starts >= 0) & (starts + len(content) <= len(values))]
    for index in sorted(range(len(content)), key=lambda index: frequency[content[index]]):
        if index != rarest:
            starts = starts[values[starts + index] == content[index]]
    owners = entries.owners[starts]
    inside = starts + len(content) <= entries.offsets[owners + 1]
    found[owners[inside]] = True
    return found


def folded(entries: EntryTable) -> EntryTable:
    """Return the entries with case folded. Their lengths in bytes may change."""
    blobs: list[bytes] = []
    lengths = np.zeros(len(entries), dtype=np.int64)
    for characters in characters_of(entries):
        points = folding()[characters.points]
        blobs.append(to_bytes(points))
        span = slice(characters.first_id, characters.first_id + characters.n_tokens)
        lengths[span] = np.bincount(characters.owners, weights=utf8_widths(points), minlength=characters.n_tokens)
    offsets = np.zeros(len(entries) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    offsets.flags.writeable = False
    return EntryTable(entries.name, b"".join(blobs), offsets, entries.kinds)
