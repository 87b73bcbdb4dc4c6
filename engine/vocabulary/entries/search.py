"""Finding entries, and putting them in order. Every search is a pass over arrays: milliseconds for 200,000 entries."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Literal

import numpy as np

from engine.runtime import caches
from engine.vocabulary.entries.byte_order import places_by_bytes
from engine.vocabulary.entries.characters import characters_of, folded_text, folding, to_bytes, utf8_widths
from engine.vocabulary.entries.expressions import MOST_CHARACTERS, EntryTexts, is_linewise
from engine.vocabulary.entries.query import EntryQuery, QueryError, read_hex
from engine.vocabulary.entries.required import required_texts
from engine.vocabulary.entries.table import KINDS, EntryTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from engine.vocabulary.entries.diagnostics import Diagnosis

SortKey = Literal[
    "id", "bytes", "length", "kind", "script", "left", "right", "built_directly", "built_in_all", "findings"
]

DIAGNOSED: tuple[SortKey, ...] = ("script", "left", "right", "built_directly", "built_in_all", "findings")
"""Orders that need a diagnosis."""


class EntrySearch:
    """Searches one vocabulary, and keeps what it made for that. Safe to use from several threads: what two of them make
    at once is made twice, with the same outcome."""

    def __init__(self, entries: EntryTable) -> None:
        self.entries = entries
        self._diagnosis: Diagnosis | None = None
        self._orders: dict[tuple[SortKey, bool], NDArray[np.int32]] = {}
        caches.add(self)

    def let_go(self) -> None:
        """Give back what is made anew in a tenth of a second, up to 50 MB: the texts for expressions, the orders, and
        to whom each byte belongs."""
        self._orders.clear()
        self.__dict__.pop("_texts", None)
        for entries in (self.entries, self.__dict__.get("_folded")):
            if entries is not None:
                entries.forget_owners()

    @property
    def diagnosis(self) -> Diagnosis | None:
        """What a diagnosis found, as soon as there is one."""
        return self._diagnosis

    def set_diagnosis(self, diagnosis: Diagnosis) -> None:
        """From now on scripts, parents and findings can be looked for."""
        self._diagnosis = diagnosis
        for key in [key for key in list(self._orders) if key[0] in DIAGNOSED]:
            self._orders.pop(key, None)

    def ids(
        self,
        query: EntryQuery,
        key: SortKey = "id",
        descending: bool = False,
        still_wanted: Callable[[], None] | None = None,
    ) -> NDArray[np.int32]:
        """int32[m], read-only: the ids of the entries that a query finds, in order; of equals the smaller id comes
        first. QueryError. ``still_wanted`` is called now and then; what it raises ends the search."""
        found = self.matching(query, still_wanted)
        if key == "id" and not descending:
            ids = np.flatnonzero(found).astype(np.int32)
        else:
            order = self.order(key, descending)
            ids = order[found[order]]
        ids.flags.writeable = False
        return ids

    def all_ids(self) -> NDArray[np.int32]:
        """int32[n], read-only: every id."""
        return self.ids(EntryQuery())

    def matching(self, query: EntryQuery, still_wanted: Callable[[], None] | None = None) -> NDArray[np.bool_]:
        """bool[n]: which ids a query finds. QueryError."""
        found = self._with_text(query, still_wanted)
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
            raise QueryError("This vocabulary is still being diagnosed: scripts and findings come in a few seconds.")
        found = np.ones(len(self.entries), dtype=np.bool_)
        if query.script is not None:
            found &= diagnosis.scripts == query.script
        if query.finding is not None:
            found &= (diagnosis.findings >> query.finding & 1).astype(np.bool_)
        return found

    def _with_text(self, query: EntryQuery, still_wanted: Callable[[], None] | None) -> NDArray[np.bool_]:
        if not query.text:
            return np.ones(len(self.entries), dtype=np.bool_)
        if query.mode == "regex":
            if len(query.text) > MOST_CHARACTERS:
                raise QueryError(f"The expression has more than {MOST_CHARACTERS:,} characters.")
            return self._texts.found(query.text, query.match_case, still_wanted, self._candidates(query))
        if query.mode == "hex":
            return holding(self.entries, read_hex(query.text))
        if query.match_case:
            return holding(self.entries, query.text.encode("utf-8", "replace"))
        return holding(self._folded, folded_text(query.text))

    def _candidates(self, query: EntryQuery) -> NDArray[np.bool_] | None:
        """bool[n]: the entries in which an expression may be found; None where that takes a search to know."""
        texts = required_texts(query.text, query.match_case) if is_linewise(query.text) else None
        if texts is None:
            return None
        entries = self.entries if query.match_case else self._folded
        wanted = [text.encode() if query.match_case else folded_text(text) for text in texts]
        return functools.reduce(np.logical_or, (holding(entries, one) for one in wanted))

    @functools.cached_property
    def _texts(self) -> EntryTexts:
        return EntryTexts(self.entries)

    @functools.cached_property
    def _folded(self) -> EntryTable:
        return folded(self.entries)

    def order(self, key: SortKey, descending: bool = False) -> NDArray[np.int32]:
        """int32[n]: all ids by one of their properties. Kept, so that it takes no time when it is asked for again.
        QueryError where it needs a diagnosis that is not there."""
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
            return self._places_by_bytes
        if key == "length":
            return entries.byte_lengths.astype(np.int64)
        if key == "kind":
            return entries.kinds.astype(np.int64)
        if self._diagnosis is None:
            raise QueryError("This vocabulary is still being diagnosed: it can be put in that order in a few seconds.")
        figures: NDArray[np.int64] = getattr(self._diagnosis, _FIGURES.get(key, key)).astype(np.int64)
        return figures

    def prepare(self) -> None:
        """Make what takes more than a few milliseconds before somebody waits for it."""
        assert self._folded is not None
        self.order("bytes")

    @functools.cached_property
    def _places_by_bytes(self) -> NDArray[np.int64]:
        """int64[n]: the place of each entry among all, by their bytes; the same place for the same bytes."""
        return places_by_bytes(self.entries)


_FIGURES = {"script": "scripts"}


def holding(entries: EntryTable, wanted: bytes) -> NDArray[np.bool_]:
    """bool[n]: the entries whose bytes have ``wanted`` in them; all for none.

    Begins with the byte of it that is rarest in the vocabulary, and goes through the others at the places left.
    """
    found = np.zeros(len(entries), dtype=np.bool_)
    if not wanted:
        return ~found
    if len(wanted) > entries.byte_lengths.max(initial=0):
        return found
    values = entries.values
    frequency = entries.byte_frequencies
    rarest = min(range(len(wanted)), key=lambda place: frequency[wanted[place]])
    starts = np.flatnonzero(values == wanted[rarest]) - rarest
    starts = starts[(starts >= 0) & (starts + len(wanted) <= len(values))]
    for place in sorted(range(len(wanted)), key=lambda place: frequency[wanted[place]]):
        if place != rarest:
            starts = starts[values[starts + place] == wanted[place]]
    owners = entries.owners[starts]
    inside = starts + len(wanted) <= entries.offsets[owners + 1]
    found[owners[inside]] = True
    return found


def folded(entries: EntryTable) -> EntryTable:
    """The entries with case folded. Their bytes may be more or fewer."""
    blobs: list[bytes] = []
    lengths = np.zeros(len(entries), dtype=np.int64)
    for piece in characters_of(entries):
        points = folding()[piece.points]
        blobs.append(to_bytes(points))
        span = slice(piece.first_id, piece.first_id + piece.n_tokens)
        lengths[span] = np.bincount(piece.owners, weights=utf8_widths(points), minlength=piece.n_tokens)
    offsets = np.zeros(len(entries) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    offsets.flags.writeable = False
    return EntryTable(entries.name, b"".join(blobs), offsets, entries.kinds)
