"""Diagnoses of vocabularies, kept in the profile's cache: a look at 200,000 tokens takes seconds. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gui.core.file_writing import write_atomic

if TYPE_CHECKING:
    from engine import Encoding
    from engine.entries.diagnostics import Diagnosis
    from engine.entries.search import EntrySearch
    from gui.runtime.jobs import Ticket


@dataclass(frozen=True, slots=True, eq=False)
class DiagnosisRequest:
    """An encoding, and what searches its entries: it learns of the diagnosis."""

    encoding: Encoding
    search: EntrySearch


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosed:
    """What was found. ``unkept``: why it could not be kept for the next time, if so."""

    request: DiagnosisRequest
    diagnosis: Diagnosis
    unkept: str = ""


def diagnose_or_read(folder: Path, request: DiagnosisRequest, ticket: Ticket) -> Diagnosed:
    """Read the diagnosis that is kept in ``folder``, or make it and keep it. On a worker thread."""
    from engine.entries.diagnostics import diagnose, diagnosis_key, pack, unpack

    entries = request.search.entries
    request.search.prepare()
    ticket.progress(0.0)
    path = folder / f"{diagnosis_key(request.encoding, entries)}.diagnosis"
    unkept = ""
    kept = _read(path)
    diagnosis = None if kept is None else unpack(kept, len(entries))
    if diagnosis is None:
        diagnosis = diagnose(request.encoding, entries, ticket.progress)
        try:
            write_atomic(path, pack(diagnosis))
        except OSError as error:
            unkept = error.strerror or str(error)
    request.search.set_diagnosis(diagnosis)
    return Diagnosed(request, diagnosis, unkept)


def _read(path: Path) -> bytes | None:
    """A file's content, None where there is none or it cannot be read: then it is made anew."""
    try:
        return path.read_bytes()
    except OSError:
        return None
