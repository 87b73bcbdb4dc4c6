"""Prices of files and folders as the prompt of one call, and lists of them for other programs. No Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gui.core.exports import ExportTable, Value, to_csv, to_json, to_markdown
from gui.costs.cost_service import fitting, new_cards

if TYPE_CHECKING:
    from decimal import Decimal

    import numpy as np
    from numpy.typing import NDArray

    from engine.corpus.types import SkippedFile
    from gui.files.file_tree import FileTree
    from gui.runtime.jobs import Ticket
    from pricing.types import Model, Scenario

MAX_KEPT = 20_000
"""Maximum number of cached prices: a few screens of cells."""


class FilePrice(NamedTuple):
    """Tokens as a model counts them and their cost as input, each with its range and label. None if unknown."""

    label: str | None
    tokens: int | None
    low: int | None
    high: int | None
    usd: Decimal | None
    usd_low: Decimal | None
    usd_high: Decimal | None
    usd_label: str | None


UNKNOWN = FilePrice(None, None, None, None, None, None, None, None)


class FilePrices:
    """Prices of one set of models in one scenario. Rows are priced only when they are shown."""

    def __init__(self, models: Sequence[Model], scenario: Scenario | None) -> None:
        """``scenario``: None until it is known; until then there are no prices."""
        self.models = tuple(models)
        self.scenario = scenario
        self._cards = new_cards()
        self._kept: dict[tuple[int, int], FilePrice] = {}

    def encoding_of(self, model: int) -> str | None:
        """Return the name of the encoding that a model is counted with."""
        return self.models[model].count.tokenizer

    def price(self, model: int, counts: Mapping[str, int]) -> FilePrice:
        """Return the cost of a text as the prompt of one call to a model. ``counts``: its tokens by encoding."""
        tokens = counts.get(self.encoding_of(model) or "")
        if tokens is None or self.scenario is None:
            return UNKNOWN
        key = (model, tokens)
        if key not in self._kept:
            if len(self._kept) >= MAX_KEPT:
                self._kept.clear()
            self._kept[key] = self._estimated(self.models[model], counts, self.scenario)
        return self._kept[key]

    def _estimated(self, model: Model, counts: Mapping[str, int], scenario: Scenario) -> FilePrice:
        from pricing import count_for, estimate

        count = count_for(model, counts)
        if count is None:
            return UNKNOWN
        cost = estimate(model, count, fitting(scenario, count)[0], self._cards)
        return FilePrice(
            count.label,
            *(count.tokens, count.low, count.high),
            *(cost.input_usd, cost.input_usd_low, cost.input_usd_high, cost.usd_label),
        )


FORMATS = {".csv": to_csv, ".json": to_json, ".md": to_markdown}
"""Writers by file suffix."""

_FILES_A_REPORT = 500


@dataclass(frozen=True, slots=True, eq=False)
class ManifestRequest:
    """Target and content of a manifest. ``checked``: bool[m], a copy. ``skipped``: files to list without figures."""

    path: Path
    tree: FileTree
    checked: NDArray[np.bool_]
    skipped: tuple[SkippedFile, ...]
    models: tuple[Model, ...]
    scenario: Scenario | None


def manifest_text(request: ManifestRequest, ticket: Ticket) -> str:
    """Return the manifest in the format of the file suffix, CSV if it has none. Runs on a worker thread."""
    table = manifest_table(request, ticket)
    return FORMATS.get(request.path.suffix.casefold(), to_csv)(table)


def manifest_table(request: ManifestRequest, ticket: Ticket) -> ExportTable:
    """Return a table with a row for each counted file, then for each skipped file with the reason."""
    tree, prices = request.tree, FilePrices(request.models, request.scenario)
    figures = [f"tokens {name}" for name in tree.encodings]
    money = [name for model in request.models for name in (f"{model.id} tokens", f"{model.id} input USD")]
    columns = ("path", "included", "bytes", *figures, *money, "skipped because")
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
    """Return a path as text that any file can store; paths need not be valid UTF-8."""
    return path.encode("utf-8", "backslashreplace").decode()
