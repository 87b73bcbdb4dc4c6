"""Puts what was picked of a published table into the user's price file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from pricing.bundled import load_bundled
from pricing.editing import EditError, add_models, set_field
from pricing.importers.types import Difference
from pricing.load import PriceFile, read_price_text
from pricing.rendering import Value

DOLLARS = "USD"


def apply_differences(
    text: str, picked: Iterable[Difference], *, file_name: str = "prices.yaml", tokenizers: Collection[str] = ()
) -> str:
    """The text of the user's file with these values set, each with its source and the day that the table gives.

    A value that the file has is never touched: EditError, also for picks that say so, and for a model whose prices the
    file gives in another currency. Raises PriceFileError for a file with mistakes; then nothing is applied.
    """
    before = read_price_text(text, file_name, tokenizers, load_bundled().rules) if text else PriceFile(file_name)
    by_model: dict[str, list[Difference]] = {}
    for difference in picked:
        entry = before.models.get(difference.model_id)
        if not difference.applicable or (entry is not None and difference.path in entry.fields):
            raise EditError(f"{difference.model_id}: your own {difference.path} stays, an import does not change it")
        by_model.setdefault(difference.model_id, []).append(difference)
    currency: dict[str, Value] = {} if before.currency == DOLLARS else {"currency": DOLLARS}
    new: dict[str, dict[str, Value]] = {}
    for model_id, differences in by_model.items():
        entry = before.models.get(model_id)
        fields = _fields(differences)
        if entry is None:
            new[model_id] = _nested({**currency, **fields})
            continue
        if entry.currency != DOLLARS:
            raise EditError(f"{model_id}: your prices are in {entry.currency}, those of the table in {DOLLARS}")
        for path, value in fields.items():
            if path not in entry.fields:
                text = set_field(text, model_id, path, value, file_name=file_name, tokenizers=tokenizers)
    return add_models(text, new, file_name=file_name, tokenizers=tokenizers)


def _fields(differences: Sequence[Difference]) -> dict[str, Value]:
    """What to write of one model, by path: the values, and where they are from."""
    first = differences[0]
    values: dict[str, Any] = {difference.path: difference.theirs for difference in differences}
    values["source"] = first.source or f"the table of {first.table}"
    return values if first.checked is None else {**values, "checked": first.checked}


def _nested(fields: dict[str, Value]) -> dict[str, Value]:
    """Values by path as a block of blocks."""
    block: dict[str, Any] = {}
    for path, value in fields.items():
        head, _, name = path.rpartition(".")
        (block.setdefault(head, {}) if head else block)[name] = value
    return block
