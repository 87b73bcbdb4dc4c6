"""Changes of a price file as text, the smallest that do: nothing but the value changes.

Comments, order, spacing and line ends stay as their author likes them.

Each change is a function from text to text. A text with mistakes is never changed, and a change that would make one is
refused: both raise PriceFileError with every problem. Undo is the text of before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pricing.document import Node, Scalar, Sequence, Table, read_document
from pricing.migration import VERSION
from pricing.price_source import PriceSource, checked
from pricing.rendering import Value, rendered
from pricing.types import EditError

__all__ = ["EditError", "Value", "add_models", "new_file", "remove_field", "set_field"]


def new_file() -> str:
    """The text of a price file that changes nothing."""
    return f"version: {VERSION}\n\nmodels:\n"


def set_field(
    text: str,
    model_id: str,
    path: str,
    value: Value,
    *,
    file_name: str = "prices.yaml",
    tokenizers: Collection[str] = (),
) -> str:
    """The text with one field of one model set, like ``price.input``, ``context`` or ``price.tiers.0.output``.

    An empty ``path`` sets the model itself, to None for hiding it. What is missing on the way is written. An empty text
    becomes a new file. ``tokenizers`` as in ``check_text``. Raises PriceFileError and EditError, then nothing changed.
    """
    steps = ("models", model_id, *(path.split(".") if path else ()))
    return _edited(text or new_file(), steps, value, file_name, tokenizers)


def add_models(
    text: str,
    models: Mapping[str, dict[str, Value]],
    *,
    file_name: str = "prices.yaml",
    tokenizers: Collection[str] = (),
) -> str:
    """The text with models that it does not name yet, by id, all in one go: one by one, thousands would take hours.

    Raises as ``set_field``; EditError also for a model that is there.
    """
    if not models:
        return text
    source = PriceSource(text or new_file(), file_name, tokenizers)
    for model_id in models:
        if source.at(("models", model_id)) is not None:
            raise EditError(f"{model_id}: the file names this model already")
    new = source.having_more(("models",), dict(models))
    after = PriceSource(new, file_name, tokenizers)
    wanted = read_document(f"{rendered(dict(models))}\n", file_name).root
    assert isinstance(wanted, Table)
    for key, block in wanted.pairs:
        found = after.at(("models", key.text))
        if found is None or not _alike(found, block):
            raise EditError(f"{key.text}: this model is written in a way that cannot be changed here")
    return new


def remove_field(
    text: str, model_id: str, path: str = "", *, file_name: str = "prices.yaml", tokenizers: Collection[str] = ()
) -> str:
    """The text without one field of one model, so that the built-in value holds again; without a path, without all that
    it says of the model. Blocks that are empty then go too. Raises as ``set_field``; a field that is not there is none.
    """
    steps = ("models", model_id, *(path.split(".") if path else ()))
    source = PriceSource(text, file_name, tokenizers)
    return checked(source.without(steps), file_name, tokenizers)


def _edited(text: str, steps: tuple[str, ...], value: Value, file_name: str, tokenizers: Collection[str]) -> str:
    new = PriceSource(text, file_name, tokenizers).having(steps, value)
    wanted = read_document(f"- {rendered(value)}\n", file_name).root
    found = PriceSource(new, file_name, tokenizers).at(steps)
    if found is None or not isinstance(wanted, Sequence) or not _alike(found, wanted.items[0]):
        raise EditError(f"{'.'.join(steps)}: this place is written in a way that cannot be changed here")
    return new


def _alike(found: Node, wanted: Node) -> bool:
    """Whether two nodes say the same, in whatever style."""
    if isinstance(found, Table) and isinstance(wanted, Table):
        named = zip(found.pairs, wanted.pairs, strict=False)
        same = all(key.text == other.text and _alike(value, twin) for (key, value), (other, twin) in named)
        return same and len(found.pairs) == len(wanted.pairs)
    if isinstance(found, Sequence) and isinstance(wanted, Sequence):
        same = all(_alike(item, twin) for item, twin in zip(found.items, wanted.items, strict=False))
        return same and len(found.items) == len(wanted.items)
    if isinstance(found, Scalar) and isinstance(wanted, Scalar):
        return (found.text, found.is_null) == (wanted.text, wanted.is_null)
    return False
