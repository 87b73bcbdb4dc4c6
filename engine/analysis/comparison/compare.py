"""Compares encodings on one text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.analysis.comparison.differences import greatest_differences
from engine.analysis.comparison.parts import by_kind, by_script
from engine.analysis.comparison.places import Ends, common_cuts, tidy_ends
from engine.analysis.comparison.types import TextComparison, TokenColumn
from engine.encoding.altering_encoding import AlteringEncoding
from engine.runtime.running_sums import running_sums_of
from engine.split.pretokenization import code_points
from engine.text.byte_map import ByteMap
from engine.text.utf16 import units_of
from engine.text.validity import without_surrogates

if TYPE_CHECKING:
    from engine.encoding.encoding import Encoding

ENCODING_SHARE = 0.7
"""The part of the work that encoding is; the rest is putting tokens side by side."""


def compare(
    encodings: Sequence[Encoding], text: str, progress: Callable[[float], None] = lambda _fraction: None
) -> tuple[TextComparison, tuple[TokenColumn, ...]]:
    """A text in each of the encodings (at least one), side by side, and its tokens in each; special tokens are plain
    text. They are apart because the tokens of a large text are most of it, and not everybody keeps them.

    ``progress`` is called with 0 to 1, and may raise to stop. EngineError where an encoding cannot take the text.
    """
    text = without_surrogates(text)
    places = ByteMap(text)
    columns: list[TokenColumn] = []
    all_ends: list[Ends] = []
    for number, encoding in enumerate(encodings):
        progress(ENCODING_SHARE * number / len(encodings))
        ids = encoding.token_ids(text)
        ends = tidy_ends(_byte_ends(encoding, text, ids, places), len(places))
        columns.append(_column(ids, places, ends))
        all_ends.append(ends)
    progress(ENCODING_SHARE)
    points = code_points(text)
    scripts = by_script(points, places, all_ends)
    progress(0.8)
    kinds = by_kind(points, places, all_ends)
    progress(0.9)
    comparison = TextComparison(
        units_of(text),
        len(places),
        tuple(encoding.name for encoding in encodings),
        tuple(len(column.ids) for column in columns),
        scripts,
        kinds,
        greatest_differences(text, places, common_cuts(all_ends, places), all_ends),
        greatest_differences(text, places, places.line_ends, all_ends),
    )
    return comparison, tuple(columns)


def _byte_ends(encoding: Encoding, text: str, ids: NDArray[np.int32], places: ByteMap) -> NDArray[np.int64]:
    """int64[n]: where the tokens end in the text as it is."""
    if isinstance(encoding, AlteringEncoding):
        return places.of_units(encoding.utf16_ends(text, ids, special_as_tokens=False))
    if not encoding.has_safe_cuts:
        return encoding.token_ends(text)  # a pattern of somebody's own may leave out text
    lengths = encoding.byte_lengths
    return running_sums_of(len(ids), lambda start, stop: lengths[ids[start:stop]], np.empty(len(ids), dtype=np.int64))


def _column(ids: NDArray[np.int32], places: ByteMap, ends: Ends) -> TokenColumn:
    utf16_ends = places.units_before[ends]
    continues = places.continues(ends)
    for array in (utf16_ends, continues):
        array.flags.writeable = False
    return TokenColumn(ids, utf16_ends, continues)
