"""Jobs of the page Versions: saving, restoring and comparing versions of the prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gui.core import version_store as store
from gui.core.text_chunks import ChunkedText, as_chunked
from gui.core.token_diff import Comparison, compare
from gui.core.version_store import Version
from gui.editor.offsets import document_text
from gui.editor.text_transfer import Piece, between

if TYPE_CHECKING:
    from gui.core.user_encodings import OpenEncoding
    from gui.runtime.jobs import Ticket

PROMPT = ""
"""Key of the prompt's text among the keys of versions."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two texts: a version, or the text of the prompt. ``counts``: known token counts by encoding."""

    version: Version | None
    text: str | ChunkedText | None
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """Request to compare in ``encoding`` and count in ``encodings``. ``revision``: of the prompt, if it is a side."""

    before: Side
    after: Side
    encoding: str
    encodings: tuple[str, ...]
    revision: int


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Result of a comparison. ``before`` and ``after``: tokens by encoding."""

    comparison: Comparison
    before: Mapping[str, int]
    after: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SaveRequest:
    """Request to save this text. ``counts``: its known token counts; missing counts of ``encodings`` are computed."""

    name: str
    text: str | ChunkedText
    encoding: str
    encodings: tuple[str, ...]
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RestoreRequest:
    """Request for the edits that turn the text of ``revision`` into a version."""

    version: Version
    revision: int
    text: ChunkedText


@dataclass(frozen=True, slots=True)
class Restored:
    """Edits that restore a version. ``line_ends``: True if the editor's line ends differ from the version's."""

    pieces: tuple[Piece, ...]
    line_ends: bool


def run(act: Callable[[], object], _ticket: Ticket) -> object:
    """Run an action on the saved versions, on a worker thread."""
    return act()


def save(folder: Path, open_encoding: OpenEncoding, request: SaveRequest) -> Version:
    """Save a version. Raises EngineError, VersionError and OSError."""
    chunks = as_chunked(request.text)
    counts = _counts(open_encoding, chunks.text(), (request.encoding, *request.encodings), request.counts)
    return store.save(folder, request.name, chunks, request.encoding, counts)


def restore(folder: Path, request: RestoreRequest) -> Restored:
    """Return the edits that restore a version. Raises VersionError and OSError."""
    stored = store.text_of(folder, request.version).text()
    document = document_text(stored)
    return Restored(between(request.text.text(), document), document != stored)


def compare_texts(folder: Path, open_encoding: OpenEncoding, request: CompareRequest, ticket: Ticket) -> Compared:
    """Compare two texts. Runs on a worker thread. Raises EngineError, VersionError, OSError and JobCancelled."""
    texts, counts = [], []
    for side in (request.before, request.after):
        ticket.progress(0.0)
        text = store.text_of(folder, side.version) if side.version is not None else side.text
        assert text is not None
        texts.append(as_chunked(text).text(ticket.wait_while_busy))
        counts.append(_counts(open_encoding, texts[-1], request.encodings, side.counts, ticket))
    comparison = compare(open_encoding(request.encoding), *texts, ticket.progress)
    return Compared(comparison, *counts)


def _counts(
    open_encoding: OpenEncoding,
    text: str,
    names: tuple[str, ...],
    known: Mapping[str, int],
    ticket: Ticket | None = None,
) -> dict[str, int]:
    """Return tokens by encoding. Encodings that cannot be opened are omitted; their models have no cost."""
    from engine import EngineError

    found = dict(known)
    for name in names:
        if ticket is not None:
            ticket.progress(0.1)
        if name not in found:
            try:
                found[name] = open_encoding(name).count(text)
            except EngineError:
                continue
    return found
