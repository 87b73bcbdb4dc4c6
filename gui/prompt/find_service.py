"""Search in a text off the GUI thread: case-sensitive or not, whole words, or a regular expression."""

from __future__ import annotations

import functools
import itertools
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from engine.runtime.cancellation import interruptible
from gui.core.text_chunks import ChunkedText
from gui.editor.offsets import char_to_utf16, utf16_to_char
from gui.editor.text_transfer import Piece, gathered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket
from gui.widgets.find_bar import SearchOptions

CHUNK_CHARACTERS = 1 << 18
_LAST_CASED = 0x20000
"""End of the code points that have upper and lower case."""


def found_spans(
    text: str, pattern: str, *, match_case: bool, whole_words: bool, between: Callable[[float], object]
) -> Iterator[tuple[int, int]]:
    """Yield the matches of ``pattern`` in ``text``, in order and not overlapping, as start and end character offsets.

    ``between`` is called regularly with the fraction done; an exception from it ends the search.
    """
    if not pattern:
        return
    table = {} if match_case else fold_table(pattern)
    folded = pattern.translate(table)
    length = len(folded)
    size = max(CHUNK_CHARACTERS, 4 * length)
    free = 0
    for chunk_start in range(0, max(1, len(text) - length + 1), size):
        between(chunk_start / max(1, len(text)))
        chunk = text[chunk_start : chunk_start + size + length - 1].translate(table)
        offset = chunk.find(folded, max(0, free - chunk_start))
        number = 0
        while offset >= 0:
            start = chunk_start + offset
            if not whole_words or _is_whole_word(text, start, start + length):
                yield start, start + length
                free = start + length
                offset = chunk.find(folded, offset + length)
            else:
                offset = chunk.find(folded, offset + 1)
            number += 1
            if number % 512 == 0:
                between(start / len(text))


def is_at(text: str, pattern: str, start: int, *, match_case: bool, whole_words: bool) -> bool:
    """Return True if ``pattern`` matches at character offset ``start``."""
    table = {} if match_case else fold_table(pattern)
    end = start + len(pattern)
    alike = text[start:end].translate(table) == pattern.translate(table)
    return alike and (not whole_words or _is_whole_word(text, start, end))


def fold_table(pattern: str) -> dict[int, str]:
    """Map each case variant of a character of ``pattern`` to one representative, for ``str.translate``."""
    import regex

    table: dict[int, str] = {}
    for character in set(pattern) & _cased_set():
        alike = regex.compile(regex.escape(character), regex.IGNORECASE, cache_pattern=False).findall(_cased())
        first = min(alike)
        table.update((ord(other), first) for other in alike)
    return table


@functools.cache
def _cased() -> str:
    """Return all characters that ``regex`` may match with another case."""
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


def _is_whole_word(text: str, start: int, end: int) -> bool:
    before = start > 0 and _word().match(text, start - 1, start)
    return not before and not (end < len(text) and _word().match(text, end, end + 1))


TIMEOUT_SECONDS = 5.0
MATCHES_BETWEEN_CHECKS = 512
MAX_OF_A_PATTERN = 500
"""Maximum length of a pattern, in characters. With ten times as many, ``regex`` holds the interpreter for a minute."""


@dataclass(frozen=True, slots=True)
class FindRequest:
    """Search of ``text`` of ``revision``.

    With ``replacement``, also compute the result of replacing every match, or, with ``only`` (start and end in UTF-16
    offsets), that one match.
    """

    revision: int
    text: str | ChunkedText
    options: SearchOptions
    replacement: str | None = None
    only: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Matches of a search: two parallel int32 arrays of UTF-16 offsets, in order, not overlapping."""

    revision: int
    options: SearchOptions
    utf16_starts: NDArray[np.int32]
    utf16_ends: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Replacement:
    """Result of replacing: edits in order and not adjacent, with their offsets in the text of ``revision``.

    ``count`` matches are replaced. ``only``: True if a single match was requested.
    """

    revision: int
    pieces: tuple[Piece, ...]
    count: int
    only: bool = False


class FindError(Exception):
    """Raised if the search failed; the message is a sentence for the user."""


class FindService(QObject):
    """Search service with its own job lane, where the latest request wins.

    Signals: ``found(Matches)``, ``replaced(Replacement)``, ``failed(FindRequest, str)`` with a sentence,
    ``stopped(FindRequest)`` when the user cancelled it.
    """

    found = Signal(object)
    replaced = Signal(object)
    failed = Signal(object, str)
    stopped = Signal(object)

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lane = runner.conflated(self.tr("Searching"), answer)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)
        self._lane.cancelled.connect(self.stopped)

    def search(self, request: FindRequest) -> None:
        """Start a search."""
        self._lane.submit(request)

    def cancel(self) -> None:
        """Cancel the search."""
        self._lane.cancel()

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        if isinstance(result.value, Replacement):
            self.replaced.emit(result.value)
        else:
            self.found.emit(result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.request, failure.why)


def answer(request: FindRequest, ticket: Ticket) -> Matches | Replacement:
    """Search, and replace if requested. Runs on a worker thread. Raises FindError."""
    if isinstance(request.text, ChunkedText):
        request = replace(request, text=request.text.text(ticket.wait_while_busy))
    if request.only is not None:
        return _replace_one(request, ticket)
    if request.replacement is not None:
        return _replace_all(request, ticket)
    starts, ends = array("i"), array("i")
    for match in _matches(request, ticket):
        starts.append(match.start())
        ends.append(match.end())
    return _as_matches(request, starts, ends, ticket)


def compiled(options: SearchOptions) -> Any:
    """Return the compiled expression. Raises FindError if it is too long or invalid, with the position of the error."""
    import regex

    source = options.pattern
    if len(source) > MAX_OF_A_PATTERN:
        raise FindError(
            _tr("The pattern has {n} characters; the limit is {most}. Plain text may be longer.").format(
                n=f"{len(source):,}", most=MAX_OF_A_PATTERN
            )
        )
    if options.whole_words:
        source = rf"(?<!\w)(?:{source})(?!\w)"
    flags = regex.MULTILINE | (0 if options.match_case else regex.IGNORECASE)
    try:
        return regex.compile(source, flags, cache_pattern=False)
    except regex.error as error:
        shift = len(r"(?<!\w)(?:") if options.whole_words else 0
        position = "" if error.pos is None else _tr(" at character {n}").format(n=error.pos - shift + 1)
        raise FindError(_tr("The pattern is not valid{place}: {why}").format(place=position, why=error.msg)) from None


def replacement_of(options: SearchOptions, match: Any, replacement: str) -> str:
    """Return the replacement of a match, with ``\\1`` and ``\\g<name>`` expanded for expressions. Raises FindError."""
    import regex

    if not options.is_regex:
        return replacement
    try:
        return match.expand(replacement)
    except (regex.error, IndexError, KeyError) as error:
        raise FindError(_tr("The replacement is not valid: {why}").format(why=error)) from None


def _matches(request: FindRequest, ticket: Ticket) -> Iterator[Any]:
    """Yield the matches that are not empty. An empty match cannot be shown, and replacing it surprises users."""
    if not request.options.is_regex:
        yield from _plain_matches(request, ticket)
        return
    pattern = compiled(request.options)
    length = max(1, len(request.text))
    try:
        for number, match in enumerate(pattern.finditer(request.text, timeout=TIMEOUT_SECONDS, concurrent=True)):
            if number % MATCHES_BETWEEN_CHECKS == 0:
                ticket.progress(match.start() / length)
            if match.end() > match.start():
                yield match
    except TimeoutError:
        raise FindError(
            _tr("The search was stopped after {n} seconds. Try a simpler pattern.").format(n=round(TIMEOUT_SECONDS))
        ) from None


class _Found(NamedTuple):
    """Match of plain text, with the methods of a ``regex`` match that are used here."""

    from_char: int
    to_char: int

    def start(self) -> int:
        return self.from_char

    def end(self) -> int:
        return self.to_char


def _plain_matches(request: FindRequest, ticket: Ticket) -> Iterator[_Found]:
    options = request.options
    found = found_spans(
        request.text,
        options.pattern,
        match_case=options.match_case,
        whole_words=options.whole_words,
        between=ticket.progress,
    )
    return itertools.starmap(_Found, found)


def _as_matches(request: FindRequest, starts: array, ends: array, ticket: Ticket) -> Matches:
    import numpy as np

    offsets = char_to_utf16(np.stack([np.asarray(starts), np.asarray(ends)]), request.text, ticket.wait_while_busy)
    offsets.setflags(write=False)
    return Matches(request.revision, request.options, *offsets)


def _replace_all(request: FindRequest, ticket: Ticket) -> Replacement:
    """Replace every match. Matches are consumed one by one, since there may be a million."""
    count = 0

    def changes() -> Iterator[tuple[int, int, str]]:
        nonlocal count
        assert request.replacement is not None
        for match in _matches(request, ticket):
            count += 1
            yield match.start(), match.end(), replacement_of(request.options, match, request.replacement)

    pieces = gathered(request.text, interruptible(changes()), ticket.wait_while_busy)
    return Replacement(request.revision, pieces, count)


def _replace_one(request: FindRequest, _ticket: Ticket) -> Replacement:
    """Replace one match, found again at its offset so that lookarounds still apply."""
    assert request.replacement is not None
    assert request.only is not None
    import numpy as np

    start, end = (int(offset) for offset in utf16_to_char(np.array(request.only, dtype=np.int32), request.text))
    match: Any = None
    options = request.options
    if options.is_regex:
        match = compiled(options).match(request.text, pos=start, timeout=TIMEOUT_SECONDS, concurrent=True)
    elif is_at(request.text, options.pattern, start, match_case=options.match_case, whole_words=options.whole_words):
        match = _Found(start, start + len(options.pattern))
    if match is None or match.end() != end:
        return Replacement(request.revision, (), 0, only=True)
    text = replacement_of(request.options, match, request.replacement)
    return Replacement(request.revision, (Piece(*request.only, text),), 1, only=True)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Find", text)
