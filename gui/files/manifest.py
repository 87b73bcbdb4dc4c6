"""The manifest of a folder that was counted: every file with what it has and costs, as text for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gui.files.file_price_service import FilePrices
from gui.services.exports import ExportTable, Value, to_csv, to_json, to_markdown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.training_types import SkippedFile
    from gui.files.file_tree import FileTree
    from gui.jobs import Ticket
    from pricing.types import Model, Scenario

FORMATS = {".csv": to_csv, ".json": to_json, ".md": to_markdown}
"""By the ending of a file's name."""

_FILES_A_REPORT = 500


@dataclass(frozen=True, slots=True, eq=False)
class ManifestRequest:
    """What to write where. ``checked``: bool[m], a copy. Of ``skipped`` each is a row without figures."""

    path: Path
    tree: FileTree
    checked: NDArray[np.bool_]
    skipped: tuple[SkippedFile, ...]
    models: tuple[Model, ...]
    scenario: Scenario | None


def manifest_text(request: ManifestRequest, ticket: Ticket) -> str:
    """The manifest in the format that the name of the file says, CSV where it says none. On a worker thread."""
    table = manifest_table(request, ticket)
    return FORMATS.get(request.path.suffix.casefold(), to_csv)(table)


def manifest_table(request: ManifestRequest, ticket: Ticket) -> ExportTable:
    """A row for each file: those that were counted, then those that were left out with the reason."""
    tree, prices = request.tree, FilePrices(request.models, request.scenario)
    figures = [f"tokens {name}" for name in tree.encodings]
    money = [name for model in request.models for name in (f"{model.id} tokens", f"{model.id} input USD")]
    columns = ("path", "included", "bytes", *figures, *money, "left out because")
    checked, sizes, tokens = request.checked.tolist(), tree.file_bytes.tolist(), tree.tokens.T.tolist()
    rows: list[tuple[Value, ...]] = []
    for index, path in enumerate(tree.paths):
        if index % _FILES_A_REPORT == 0:
            ticket.progress(index / len(tree.paths))
        counts = dict(zip(tree.encodings, tokens[index], strict=True))
        costs: list[Value] = []
        for model in range(len(request.models)):
            price = prices.price(model, counts)
            costs += (price.tokens, price.usd)
        rows.append((_shown(path), checked[index], sizes[index], *tokens[index], *costs, ""))
    nothing = [None] * (len(columns) - 3)
    rows += ((_shown(str(file.path)), False, *nothing, file.why) for file in request.skipped)
    return ExportTable(columns, tuple(rows), numeric=frozenset(columns[2:-1]))


def _shown(path: str) -> str:
    """A path as text that any file can hold: names need not be UTF-8."""
    return path.encode("utf-8", "backslashreplace").decode()
