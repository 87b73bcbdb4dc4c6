"""Token counts of an edited text in further encodings, without storing their tokens.

For each encoding there is a frontier: the offset up to which the text has been counted, with the number of tokens up to
there. The frontier is always a safe boundary or an end of the text, so the text before it can be counted separately. An
edit arrives as a window between two safe boundaries, with its text before and after:

* the frontier is after the window: the count changes by count(after) - count(before), and the frontier moves along;
* it is before the window, or at its start: nothing changes;
* it is inside: it falls back to the start of the window, and the count of the text in between is subtracted.

A safe boundary stays one while the two characters beside it are unchanged, and the window's ends are chosen
accordingly. In all counts, special tokens are plain text.

An encoding whose pattern has no safe boundaries is counted as a whole, and again after every edit.

The changes of a long window are not counted at once but recorded as a debt, which ``catch_up`` counts piece by piece;
so an edit's own tokens never wait for the other encodings.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from engine.encoding.encoding import Encoding
from engine.text.offsets import utf16_length

SideBySide = Callable[[Sequence[Callable[[], None]]], None]
"""Runs tasks in parallel, and returns when all are done."""

_AT_ONCE_CHARS = 2_048

PieceFrom = Callable[[int, Encoding], tuple[int, str]]
"""``piece_from(offset, encoding)``: the next piece of text that encodes independently, as its end and its text."""


def one_by_one(tasks: Sequence[Callable[[], None]]) -> None:
    """Run tasks sequentially."""
    for task in tasks:
        task()


@dataclass(frozen=True, slots=True)
class TextChange:
    """The change of an edit: the text from ``start`` to ``old_end`` became that from ``start`` to ``new_end``, all
    three safe boundaries or ends of the text. ``before`` and ``after`` are these texts, in pieces that encode
    independently."""

    start: int
    old_end: int
    new_end: int
    before: list[str]
    after: list[str]


@dataclass(slots=True)
class _Count:
    """The count of one encoding: ``tokens`` up to ``frontier``, except for the ``debt``: texts still to be added or
    subtracted (+1, -1). ``recent`` is the last short text counted: at the next keystroke it is the window before."""

    encoding: Encoding
    frontier: int = 0
    tokens: int = 0
    debt: list[tuple[int, str]] = field(default_factory=list)
    recent: tuple[str, int] = ("", 0)

    def change(self, sign: int, pieces: Sequence[str]) -> None:
        """Add or subtract a text: at once if it is short, else later."""
        if len(pieces) != 1 or len(pieces[0]) > _AT_ONCE_CHARS:
            self.debt.extend((sign, piece) for piece in pieces)
            return
        if pieces[0] != self.recent[0]:
            self.recent = (pieces[0], self.encoding.count(pieces[0]))
        self.tokens += sign * self.recent[1]

    def restart(self) -> None:
        """Restart counting from the beginning."""
        self.frontier = self.tokens = 0
        self.debt.clear()

    def is_complete(self, total: int) -> bool:
        return self.frontier == total and not self.debt

    def step(self, piece_from: PieceFrom) -> None:
        """Count one more piece."""
        if self.debt:
            sign, text = self.debt.pop()
            self.tokens += sign * self.encoding.count(text)
            return
        end, text = piece_from(self.frontier, self.encoding)
        self.tokens += self.encoding.count(text)
        self.frontier = end


class PrefixCounts:
    """Counts of one text in several encodings. Offsets are UTF-16 units."""

    def __init__(self) -> None:
        self._counts: dict[str, _Count] = {}

    @property
    def encodings(self) -> list[Encoding]:
        """The watched encodings."""
        return [count.encoding for count in self._counts.values()]

    def watch(self, encodings: Iterable[Encoding]) -> None:
        """Count in exactly these encodings. Those watched already keep their counts."""
        kept = self._counts
        self._counts = {
            encoding.name: kept[encoding.name] if encoding.name in kept else _Count(encoding) for encoding in encodings
        }

    def restart(self) -> None:
        """Reset all counts, for another text."""
        for count in self._counts.values():
            count.restart()

    def settle(self, name: str, total: int, tokens: int) -> None:
        """Set the count of a whole text of ``total`` units."""
        count = self._counts[name]
        count.restart()
        count.frontier, count.tokens = total, tokens

    def tokens(self, name: str, total: int) -> int | None:
        """Return the count in one encoding, None if the text of ``total`` units is not counted to its end."""
        count = self._counts[name]
        return count.tokens if count.is_complete(total) else None

    def follow(self, names: Iterable[str], change: TextChange, total: int) -> None:
        """Update these encodings for an edit. ``total`` is the length of the text after it."""
        for name in names:
            count = self._counts[name]
            if not count.encoding.has_safe_boundaries:
                count.restart()
            elif count.frontier >= change.old_end:
                count.change(-1, change.before)
                count.change(+1, change.after)
                count.frontier += change.new_end - change.old_end
            elif count.frontier > change.start:
                count.change(-1, list(_prefix(change.before, count.frontier - change.start)))
                count.frontier = change.start
            if sum(len(piece) for _, piece in count.debt) > total:
                count.restart()

    def catch_up(
        self, names: Sequence[str], total: int, piece_from: PieceFrom, seconds: float, side_by_side: SideBySide
    ) -> bool:
        """Continue counting in these encodings for about ``seconds``. Returns True if all counts are complete."""
        deadline = time.monotonic() + seconds
        one_at_a_time = threading.Lock()  # ``piece_from`` need not be thread-safe

        def next_piece(start: int, encoding: Encoding) -> tuple[int, str]:
            with one_at_a_time:
                return piece_from(start, encoding)

        def count_on(count: _Count) -> None:
            while not count.is_complete(total):
                count.step(next_piece)
                if time.monotonic() >= deadline:
                    return

        counts = [self._counts[name] for name in names]
        if not all(count.encoding.uses_kernels for count in counts):
            side_by_side = one_by_one  # threads that need the interpreter lock would only delay each other
        side_by_side([functools.partial(count_on, count) for count in counts if not count.is_complete(total)])
        return all(count.is_complete(total) for count in counts)


def _prefix(pieces: Iterable[str], units: int) -> Iterator[str]:
    """Yield the first ``units`` UTF-16 units of consecutive pieces, in pieces."""
    for piece in pieces:
        length = utf16_length(piece)
        if length >= units:
            yield piece.encode("utf-16-le")[: 2 * units].decode("utf-16-le")
            return
        yield piece
        units -= length
