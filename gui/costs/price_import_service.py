"""Import of published price tables from files: read, compared with the prices in effect, added to the user's file.

These functions run in job lanes. Nothing is written before the user has selected and confirmed it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from gui.costs.prices_service import MAX_CHARACTERS, Splice, splice

if TYPE_CHECKING:
    from gui.runtime.jobs import Ticket
    from pricing.importers import Difference, Disagreement, Imported
    from pricing.types import Problem

UNTOUCHED = "built in"
"""Name of the built-in prices among the sources that disagree: ``pricing.importers.compare.BUILT_IN``."""
EVERYTHING, CHANGES, NEW_MODELS, KEPT = "everything", "changes", "new models", "kept"
"""Filters of the differences: all; those of known models; those of unknown models; the user's own."""


@dataclass(frozen=True, slots=True)
class ReadTable:
    """File that was read. ``imported`` is None if its format is unknown; then ``why`` is set."""

    path: Path
    imported: Imported | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class NotTaken:
    """Value, or whole entry if ``key`` is empty, of a table that a price file cannot represent, and why."""

    table: str
    source_id: str
    key: str
    why: str


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """Request for a preview. ``paths``: files to read besides ``tables``, which were read before. ``text``: the user's
    file as edited.

    ``on``: the day whose prices are compared.
    """

    paths: tuple[Path, ...]
    tables: tuple[ReadTable, ...]
    text: str
    file_name: str
    on: date
    user_encodings: Callable[[], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Preview:
    """Possible changes of an import. ``rivals``: for each row that shares its field and model with others, the indices
    of those. ``problems``: errors of the user's file; if there are any, the rest is empty."""

    tables: tuple[ReadTable, ...]
    rows: tuple[Difference, ...] = ()
    rivals: dict[int, tuple[int, ...]] | None = None
    disagreements: tuple[Disagreement, ...] = ()
    not_taken: tuple[NotTaken, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def providers(self) -> list[str]:
        """Prefixes of the IDs, in alphabetical order."""
        return sorted({provider_of(row) for row in self.rows})


@dataclass(frozen=True, slots=True)
class FilterRequest:
    """Filter of ``rows``: of one provider ("" for all), of one kind, containing all of these words."""

    rows: tuple[Difference, ...]
    words: str
    provider: str
    kind: str


@dataclass(frozen=True, slots=True)
class ApplyRequest:
    """Request to add ``picked`` to ``text``, whose revision is ``revision``."""

    revision: int
    text: str
    file_name: str
    picked: tuple[Difference, ...]
    user_encodings: Callable[[], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Applied:
    """Edit of the text; None if nothing changes, then with the reason in ``why``."""

    splice: Splice | None
    why: str = ""


def installed() -> list[tuple[str, Path]]:
    """Return the tables of installed packages: name and version, and the file. Checks folders only."""
    from pricing.importers.sources import installed_tables

    return [(f"{one.package} {one.version}".strip(), one.path) for one in installed_tables()]


def provider_of(row: Difference) -> str:
    """Return the prefix of a model's ID."""
    return row.model_id.partition("/")[0]


def preview(request: PreviewRequest, ticket: Ticket | None = None) -> Preview:
    """Read the files, and compare all tables with the built-in and the user's prices."""
    from pricing.bundled import load_bundled
    from pricing.importers import disagreements, three_way
    from pricing.load import read_price_text

    tables = list(request.tables)
    for number, path in enumerate(request.paths):
        if ticket is not None:
            ticket.progress(number / len(request.paths), path.name)
        tables.append(_read(path, tables))
    bundled = load_bundled()
    user = read_price_text(request.text, request.file_name, tuple(request.user_encodings()), bundled.rules)
    if user.problems:
        return Preview(tuple(tables), problems=user.problems)
    known = [table.imported for table in tables if table.imported is not None]
    rows = sorted(
        (row for imported in known for row in three_way(imported, bundled, user, request.on)),
        key=lambda row: row.model_id,
    )
    return Preview(
        tuple(tables),
        tuple(rows),
        _rivals(rows),
        tuple(sorted(disagreements(known, bundled, request.on), key=lambda one: one.model_id)),
        tuple(one for imported in known for one in _not_taken(imported)),
    )


def filter_rows(request: FilterRequest, _ticket: Ticket | None = None) -> list[int]:
    """Return the indices of the rows that pass, in order."""
    words = request.words.casefold().split()
    return [
        index
        for index, row in enumerate(request.rows)
        if (not request.provider or provider_of(row) == request.provider)
        and _is_of_kind(row, request.kind)
        and all(word in f"{row.model_id} {row.path} {row.table}".casefold() for word in words)
    ]


def apply(request: ApplyRequest, _ticket: Ticket | None = None) -> Applied:
    """Add the selected values to the text, and change nothing else."""
    from pricing.importers import apply_differences
    from pricing.types import EditError, PriceFileError

    names = tuple(request.user_encodings())
    if (least := len(request.text) + _least_characters(request.picked)) > MAX_CHARACTERS:
        return Applied(None, _too_long(f"at least {least:,}"))
    try:
        after = apply_differences(request.text, request.picked, file_name=request.file_name, tokenizers=names)
    except PriceFileError as error:
        return Applied(None, "\n".join(problem.message for problem in error.problems))
    except EditError as error:
        return Applied(None, str(error))
    if len(after) > MAX_CHARACTERS:
        return Applied(None, _too_long(f"{len(after):,}"))
    return Applied(splice(request.text, after))


def _least_characters(picked: Sequence[Difference]) -> int:
    """Return the minimum number of characters that a file grows by, since writing thousands of models is slow.

    Keys are followed by a colon and a space or a line end; a value without a source gets the table as its source.
    """
    models = {row.model_id: row.source or f"the table of {row.table}" for row in picked}
    fields = sum(len(row.path.rpartition(".")[2]) + len(": 0") for row in picked)
    return fields + sum(len(f"{model_id}: source: {source}") for model_id, source in models.items())


def _too_long(characters: str) -> str:
    return (
        f"your file would have {characters} characters, and {MAX_CHARACTERS:,} is the most that can be edited here: "
        "pick fewer"
    )


def _read(path: Path, others: Sequence[ReadTable]) -> ReadTable:
    from pricing.importers import ImportFileError, read_import

    try:
        imported = read_import(path.read_bytes().decode("utf-8"))
    except ImportFileError as error:
        return ReadTable(path, None, str(error))
    except UnicodeDecodeError:
        return ReadTable(path, None, "not valid UTF-8")
    except OSError as error:
        return ReadTable(path, None, error.strerror or str(error))
    if any(other.imported is not None and other.imported.table == imported.table for other in others):
        imported = replace(imported, table=f"{imported.table} ({path.name})")
    return ReadTable(path, imported)


def _rivals(rows: Sequence[Difference]) -> dict[int, tuple[int, ...]]:
    indices: dict[tuple[str, str], list[int]] = {}
    for index, row in enumerate(rows):
        indices.setdefault((row.model_id, row.path), []).append(index)
    several = [tuple(same) for same in indices.values() if len(same) > 1]
    return {index: same for same in several for index in same}


def _not_taken(imported: Imported) -> list[NotTaken]:
    found = [NotTaken(imported.table, one.source_id, "", one.why) for one in imported.skipped]
    for candidate in imported.candidates:
        found += [NotTaken(imported.table, candidate.source_id, one.key, one.why) for one in candidate.unmapped]
    return found


def _is_of_kind(row: Difference, kind: str) -> bool:
    if kind == CHANGES:
        return row.applicable and not row.is_new
    if kind == NEW_MODELS:
        return row.is_new
    return kind == EVERYTHING or not row.applicable
