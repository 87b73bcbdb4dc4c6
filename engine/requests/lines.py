"""Token counts for a file of requests, one on each line (batch files, training data), in bounded memory or as a table.

``RequestLines`` holds one line in memory at a time. It stores the number and token count of each line (eight bytes), up
to two million lines; some details of the lines with most tokens; and the first thousand invalid lines.

``written_table`` writes the count of every line as a table for other programs: CSV or JSON. It is written while the
lines are counted, so memory is bounded for a file of any size.
"""

from __future__ import annotations

import contextlib
import csv
import heapq
import io
import json
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import IO, TYPE_CHECKING, BinaryIO

from engine.errors import EngineError
from engine.requests.bodies.reader import ReadBody, read_body
from engine.requests.types import KINDS, Part, Request, Tally, TallySum
from engine.runtime.atomic_files import replacement_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.requests.types import Tally


# --- table ------------------------------------------------------------------------------------------------------------

COLUMNS = ("line", "tokens", *KINDS, "grade", "problem")

_ROWS_A_WRITE = 2000


@dataclass(frozen=True, slots=True)
class LineCount:
    """Count of one non-empty line. ``line``: its number from 1. ``tally``: None if it is not a request. ``problem``:
    why it is not a request, or which parts are not counted; else empty. It begins with our own words, so that no
    spreadsheet runs it as a formula."""

    line: int
    tally: Tally | None
    problem: str = ""


@contextlib.contextmanager
def written_table(path: Path) -> Iterator[Callable[[LineCount], None]]:
    """Yield a function that appends the lines of a table in their order. The table is JSON if ``path`` ends in
    ``.json``, else CSV; it replaces ``path`` only if no error occurs. Raises OSError."""
    with replacement_of(path) as file:
        table = _Table(file, is_json=path.suffix.casefold() == ".json")
        yield table.add
        table.finish()


class _Table:
    def __init__(self, file: IO[bytes], *, is_json: bool) -> None:
        self._file, self._is_json = file, is_json
        self._rows: list[tuple[int | str | None, ...]] = []
        self._written = 0
        file.write(b'{"rows": [' if is_json else _csv([COLUMNS]))

    def add(self, count: LineCount) -> None:
        tally = count.tally
        if tally is None:
            figures: tuple[int | str | None, ...] = (None,) * (len(KINDS) + 2)
        else:
            figures = (tally.tokens, *(tally.of(kind).tokens for kind in KINDS), tally.grade)
        self._rows.append((count.line, *figures, count.problem))
        if len(self._rows) == _ROWS_A_WRITE:
            self._write_rows()

    def finish(self) -> None:
        self._write_rows()
        if self._is_json:
            self._file.write(b"\n]}\n")

    def _write_rows(self) -> None:
        rows, self._rows = self._rows, []
        if not self._is_json:
            self._file.write(_csv(rows))
        elif rows:
            lines = [json.dumps(dict(zip(COLUMNS, row, strict=True)), ensure_ascii=False) for row in rows]
            lead = ",\n" if self._written else "\n"
            self._file.write((lead + ",\n".join(lines)).encode("utf-8", "backslashreplace"))
        self._written += len(rows)


def _csv(rows: list[tuple[int | str | None, ...]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode("utf-8", "backslashreplace")


# --- counts -----------------------------------------------------------------------------------------------------------

LONGEST_LINE = 16 << 20
"""Maximum length of a line in bytes. JSON of this size takes a few hundred megabytes of memory at worst; a longer line
is not a request."""

KEPT_LINES = 2_000_000
KEPT_MALFORMED = 1_000
KEPT_WORST = 50
KEPT_NAMES = 50
MAX_NAMED = 10
MAX_TOKENS = 2**32 - 1


@dataclass(frozen=True, slots=True)
class LineTokens:
    """One line of a file. ``line``: its number from 1. ``said``: the beginning of its last message."""

    line: int
    tokens: int
    parts: tuple[Part, ...]
    said: str


@dataclass(frozen=True, slots=True)
class MalformedLine:
    """A line that is not a request, and the reason."""

    line: int
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class LinesReport:
    """Results for a file of requests so far.

    ``lines``: number of non-empty lines; ``counted``: number of requests among them. ``tally``: sum over all requests.
    ``worst``: the requests with most tokens, highest first. ``malformed``: the first lines that are not requests;
    ``n_malformed``: number of all of them. ``models``, ``unknown``: how often each model is named, and how often each
    type of uncounted part occurs, most frequent first. ``line_numbers``, ``line_tokens``: uint32[n], read-only, of the
    first two million requests in file order.
    """

    lines: int
    counted: int
    n_bytes: int
    tally: Tally
    worst: tuple[LineTokens, ...]
    malformed: tuple[MalformedLine, ...]
    n_malformed: int
    models: tuple[tuple[str, int], ...]
    unknown: tuple[tuple[str, int], ...]
    line_numbers: NDArray[np.uint32]
    line_tokens: NDArray[np.uint32]

    @property
    def parts(self) -> tuple[Part, ...]:
        """Sums over all requests, one for each kind."""
        return self.tally.parts

    @property
    def tokens(self) -> int:
        """Sum over all requests."""
        return self.tally.tokens


class RequestLines:
    """Counts the requests of a file in time slices: call ``advance`` until ``done``."""

    def __init__(
        self, file: BinaryIO, count: Callable[[Request], Tally], tell: Callable[[LineCount], None] | None = None
    ) -> None:
        """``file``: open for reading, at its start; the caller closes it. ``count``: counts one request; a line for
        which it raises an EngineError is malformed. ``tell``: called with every non-empty line."""
        self._file, self._count, self._tell = file, count, tell
        self.done = False
        self.n_bytes = 0
        self._line = 0
        self._lines = 0
        self._sum = TallySum()
        self._worst: list[tuple[int, int, tuple[Part, ...], str]] = []
        self._malformed: list[MalformedLine] = []
        self._n_malformed = 0
        self._models: Counter[str] = Counter()
        self._unknown: Counter[str] = Counter()
        self._numbers, self._totals = array("I"), array("I")
        self._counted = 0

    def advance(self, seconds: float) -> None:
        """Count for about ``seconds``. Raises OSError."""
        until = monotonic() + seconds
        while not self.done:
            self._take_line()
            if monotonic() >= until:
                return

    def report(self) -> LinesReport:
        """Return the results so far."""
        import numpy as np

        arrays = [np.array(kept, np.uint32) for kept in (self._numbers, self._totals)]
        for kept in arrays:
            kept.flags.writeable = False
        worst = sorted(self._worst, key=lambda entry: (-entry[0], -entry[1]))
        return LinesReport(
            self._lines,
            self._counted,
            self.n_bytes,
            self._sum.tally,
            tuple(LineTokens(-line, tokens, parts, said) for tokens, line, parts, said in worst),
            tuple(self._malformed),
            self._n_malformed,
            tuple(self._models.most_common(KEPT_NAMES)),
            tuple(self._unknown.most_common(KEPT_NAMES)),
            arrays[0],
            arrays[1],
        )

    def _take_line(self) -> None:
        data = self._file.readline(LONGEST_LINE + 2)
        if not data:
            self.done = True
            return
        self._line += 1
        self.n_bytes += len(data)
        if len(data.rstrip(b"\r\n")) > LONGEST_LINE:
            self._lines += 1
            self._skip_rest(data)
            self._refuse(f"the line is longer than {LONGEST_LINE >> 20} MB")
            return
        if not data.strip(b" \t\r\n\xef\xbb\xbf"):
            return
        self._lines += 1
        try:
            read = read_body(data.rstrip(b"\r\n"))
            tally = self._count(read.request)
        except EngineError as error:
            self._refuse(str(error))
        else:
            self._keep(read, tally)

    def _skip_rest(self, data: bytes) -> None:
        while data and not data.endswith(b"\n"):
            data = self._file.readline(LONGEST_LINE)
            self.n_bytes += len(data)

    def _refuse(self, why: str) -> None:
        why = why.removeprefix("line 1, ")
        self._n_malformed += 1
        if len(self._malformed) < KEPT_MALFORMED:
            self._malformed.append(MalformedLine(self._line, why))
        if self._tell is not None:
            self._tell(LineCount(self._line, None, f"not a request: {why}"))

    def _keep(self, read: ReadBody, tally: Tally) -> None:
        total = tally.tokens
        self._counted += 1
        self._sum.add(tally)
        if len(self._numbers) < KEPT_LINES:
            self._numbers.append(self._line)
            self._totals.append(min(total, MAX_TOKENS))
        for part_unknown in read.unknown:
            _add(self._unknown, part_unknown.what)
        if self._tell is not None:
            self._tell(LineCount(self._line, tally, _not_counted(read)))
        if read.request.model:
            _add(self._models, read.request.model)
        if len(self._worst) < KEPT_WORST or total > self._worst[0][0]:
            # Among lines with equal counts the first are kept: a later line is smaller in the heap.
            entry = (total, -self._line, tally.parts, _said(read.request))
            if len(self._worst) < KEPT_WORST:
                heapq.heappush(self._worst, entry)
            else:
                heapq.heapreplace(self._worst, entry)


def _add(names: Counter[str], name: str) -> None:
    """Count a name once more. The number of different names is bounded, as a file may have a new one on every line."""
    name = name[:200]
    if name in names or len(names) < 20 * KEPT_NAMES:
        names[name] += 1


def _not_counted(read: ReadBody) -> str:
    """Return a message that lists the types of uncounted parts, empty if all parts are counted."""
    kinds = list(dict.fromkeys(part.what for part in read.unknown))
    more = f" and {len(kinds) - MAX_NAMED} more" if len(kinds) > MAX_NAMED else ""
    return f"not counted: {', '.join(kind[:200] for kind in kinds[:MAX_NAMED])}{more}" if kinds else ""


def _said(request: Request) -> str:
    """Return the beginning of the last text, which identifies the request to the user."""
    spoken = next((message.content for message in reversed(request.messages) if message.content), "")
    return " ".join(spoken[:400].split())[:120]
