"""Where a value of the price table comes from, down to the line."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from pricing.types import Model, Origin, Place


def origin_of(model: Model, path: str) -> tuple[Origin, Place | None] | None:
    """Who set a field of a model, like ``price.input``, and where; None for a field that nobody set.

    The place in the built-in files is looked up by reading them, which takes a moment the first time.
    """
    origin = model.origin.get(path)
    if origin is None:
        return None
    return origin, model.places.get(path) if origin == "yours" else bundled_place(model.id, path)


def bundled_place(model_id: str, path: str) -> Place | None:
    """Where the built-in files say this, None where they do not."""
    return _bundled_places().get(model_id, {}).get(path)


@cache
def _bundled_places() -> Mapping[str, Mapping[str, Place]]:
    from pricing.load import read_price_text

    places: dict[str, Mapping[str, Place]] = {}
    rules = read_price_text(_text("counting.yaml"), "counting.yaml").rules
    for source in files("pricing").joinpath("data").iterdir():
        if source.name.endswith(".yaml"):
            file = read_price_text(_text(source.name), source.name, rules=rules)
            places.update({model_id: entry.places for model_id, entry in file.models.items() if entry is not None})
    return places


def _text(name: str) -> str:
    return files("pricing").joinpath("data", name).read_text(encoding="utf-8")
