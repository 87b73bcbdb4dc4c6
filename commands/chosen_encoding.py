"""The encoding that ``count`` works with, by name, model or file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import engine
from commands.catalog import load_catalog
from commands.encodings import encoding_of_file, named_encoding
from commands.program import BadInput, usable

if TYPE_CHECKING:
    from engine import Encoding
    from pricing.types import Model


def chosen_encoding(
    profile: Path | None, name: str | None, model: str | None, tokenizer: str | None, pattern: str | None
) -> tuple[Encoding, Model | None]:
    """The encoding that the options name; with ``--model`` also the model, whose rule may be an estimate."""
    if sum(option is not None for option in (name, model, tokenizer)) > 1:
        raise BadInput("give one of --encoding, --model and --tokenizer")
    if tokenizer is not None:
        return encoding_of_file(tokenizer, pattern), None
    if model is None:
        return named_encoding(name or "o200k_base", profile), None
    try:
        found = load_catalog(None, profile).find(model)
    except LookupError as unpriced:
        try:
            return engine.encoding_for_model(model), None
        except KeyError:
            raise BadInput(f"--model: {unpriced}") from unpriced
    if found.count.tokenizer is None:
        raise BadInput(f"--model: there is no tokenizer to count {found.id} with")
    return usable(lambda: engine.get_encoding(found.count.tokenizer or "")), found
