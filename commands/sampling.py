"""Some of the texts that were counted: what the kinds of text are told by, for counts that are estimates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from commands.catalog import billed_samples
from commands.reading import read_text
from engine.text_sample import PIECES, sample_of_texts
from gui.core.narrowing import narrowed

if TYPE_CHECKING:
    from commands.counting import Counted
    from commands.reading import Given
    from pricing.types import Model


def narrowed_models(
    models: Sequence[Model], given: Sequence[Given], counted: Counted, profile: Path | None
) -> list[Model]:
    """The models, as they count texts such as these. Of many files some are read, spread evenly. Raises BadInput."""
    if all(model.count.label not in {"estimated", "assumed"} for model in models) or not counted.texts:
        return list(models)
    held = {one.path: one.text.text for one in given if one.text is not None}
    paths = [text.path for text in counted.texts]
    seen = paths if len(paths) <= PIECES else [paths[number * len(paths) // PIECES] for number in range(PIECES)]
    sample = sample_of_texts([held[path] if path in held else read_text(path).text for path in seen])
    sample = replace(sample, whole=sample.whole and len(seen) == len(paths))
    return [found.model for found in narrowed(models, sample, billed_samples(profile))]
