"""Puts what was picked of a published table into the user's price file."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from pricing.bundled import load_bundled
from pricing.editing import EditError, set_field
from pricing.importers.types import Difference
from pricing.load import Entry, PriceFile, read_price_text

DOLLARS = "USD"


def apply_differences(
    text: str, picked: Iterable[Difference], *, file_name: str = "prices.yaml", tokenizers: Collection[str] = ()
) -> str:
    """The text of the user's file with these values set, each with its source and the day that the table gives.

    A value that the file has is never touched: EditError, also for picks that say so, and for a model whose prices the
    file gives in another currency. Raises PriceFileError for a file with mistakes; then nothing is applied.
    """
    before = read_price_text(text, file_name, tokenizers, load_bundled().rules) if text else PriceFile(file_name)
    touched: dict[str, Difference] = {}
    for difference in picked:
        entry = before.models.get(difference.model_id)
        if not difference.applicable or (entry is not None and difference.path in entry.fields):
            raise EditError(f"{difference.model_id}: your own {difference.path} stays, an import does not change it")
        if difference.model_id not in touched:
            text = _in_dollars(text, difference.model_id, before, entry, file_name, tokenizers)
        touched.setdefault(difference.model_id, difference)
        value: Any = difference.theirs
        text = set_field(text, difference.model_id, difference.path, value, file_name=file_name, tokenizers=tokenizers)
    for model_id, difference in touched.items():
        entry = before.models.get(model_id)
        facts = {"source": difference.source or f"the table of {difference.table}", "checked": difference.checked}
        for name, fact in facts.items():
            if fact is not None and (entry is None or name not in entry.fields):
                text = set_field(text, model_id, name, fact, file_name=file_name, tokenizers=tokenizers)
    return text


def _in_dollars(
    text: str, model_id: str, file: PriceFile, entry: Entry | None, file_name: str, tokenizers: Collection[str]
) -> str:
    """The text with a place for prices in US dollars at this model."""
    currency = entry.currency if entry is not None else file.currency
    if currency == DOLLARS:
        return text
    if entry is not None:
        raise EditError(f"{model_id}: your prices are in {currency}, those of the table in {DOLLARS}")
    return set_field(text, model_id, "currency", DOLLARS, file_name=file_name, tokenizers=tokenizers)
