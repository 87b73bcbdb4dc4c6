"""Compare encodings on one text: tokens by script and kind of character, and the spans with the largest differences.

Offsets are byte offsets, because several encodings only have the text in common. A token counts for the span in which
it ends: so every token is counted once, for any choice of spans.

``compare`` runs all encodings. ``by_script`` and ``by_kind`` count tokens by the script of their line and by the kind
of their characters. ``greatest_differences`` lists the spans in which the numbers of tokens differ, largest difference
first. ``row_starts`` lays out the text in rows that all encodings share. ``bytes_per_token``, ``fertility`` and
``premium`` are metrics of texts and encodings.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.encoding.preprocessing_encoding import NormalizingEncoding
from engine.runtime.cancellation import interruptible
from engine.text.character_classes import N_CODE_POINTS, SCRIPT_NAMES, fill_matching, lines_of, scripts_of
from engine.text.offsets import ByteMap, code_points, running_sums_at, running_sums_of, units_of, without_surrogates

if TYPE_CHECKING:
    from engine.encoding.encoding import Encoding


@dataclass(frozen=True, slots=True, eq=False)
class TokenColumn:
    """The tokens of a text in one encoding, as parallel read-only arrays.

    ``ids``: int32[n]. ``utf16_ends``: int32[n], ascending, the last is the text's end; a token that ends inside a
    character ends after it. ``continues``: bool[n], True if a token's first byte continues a character that an earlier
    token began.
    """

    ids: NDArray[np.int32]
    utf16_ends: NDArray[np.int32]
    continues: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the text that is counted separately: ``key`` names its script or kind. ``tokens``: in each encoding, in
    order. All scripts, or all kinds, add up to the whole text and all of its tokens."""

    key: str
    utf8_bytes: int
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """A span of the text and its number of tokens in each encoding. ``line`` counts from 1; ``beginning``: of its
    text."""

    utf16_start: int
    utf16_end: int
    line: int
    tokens: tuple[int, ...]
    beginning: str

    @property
    def spread(self) -> int:
        """Difference between the largest and the smallest number of tokens."""
        return max(self.tokens) - min(self.tokens)


@dataclass(frozen=True, slots=True, eq=False)
class TextComparison:
    """Result of a comparison. ``units``: uint16[n], read-only, of the text, with lone surrogates replaced. ``names`` of
    the encodings in the requested order, and the ``tokens`` of the whole text in each. ``scripts`` by lines, largest
    first; ``kinds`` by characters. ``spans``: between boundaries common to all encodings; ``lines``: whole
    lines; both only where the encodings differ most, largest difference first."""

    units: NDArray[np.uint16]
    utf8_bytes: int
    names: tuple[str, ...]
    tokens: tuple[int, ...]
    scripts: tuple[Part, ...]
    kinds: tuple[Part, ...]
    spans: Sequence[Difference]
    lines: Sequence[Difference]


Ends = NDArray[np.int64]
"""int64[n]: ends of the tokens of a text, ascending, none at 0; the last is the end of the text."""


def tidy_ends(ends: NDArray[np.int64], utf8_bytes: int) -> Ends:
    """Adjust the result of ``Encoding.token_ends`` so that every byte belongs to a token.

    Encodings that change a text before they encode it may prepend a token, or skip the end of the text.
    """
    tidied: Ends = np.maximum.accumulate(np.clip(ends, min(1, utf8_bytes), utf8_bytes))
    tidied[-1:] = utf8_bytes
    return tidied


def common_cuts(ends: Sequence[Ends], byte_map: ByteMap) -> Ends:
    """Return int64[m]: the character boundaries at which a token ends in every encoding; the last is the text's end."""
    # Flags instead of sets: numpy's sets of millions of numbers are many times slower.
    common = np.append(byte_map.begins, True)
    for one in ends:
        marks = np.zeros(len(byte_map) + 1, dtype=np.bool_)
        marks[one] = True
        common &= marks
    common[-1] = True
    common[0] = False
    return np.flatnonzero(common)


def counts_between(ends: Ends, cuts: Ends) -> NDArray[np.int64]:
    """Return int64[m]: the number of tokens that end in each span up to the next cut. The last cut is the text's
    end."""
    return np.diff(ends.searchsorted(cuts, "right"), prepend=0)


LETTERS, DIGITS, PUNCTUATION, SYMBOLS, WHITE_SPACE = KINDS = (
    *("letters", "digits", "punctuation", "symbols"),
    "white space",
)
"""Kind of a token: that of its last non-whitespace character. Marks count as letters; symbols are all the rest,
including emoji and control characters."""

_AT_A_TIME = 1 << 18

_CLASSES = ((LETTERS, r"\p{L}"), (LETTERS, r"\p{M}"), (DIGITS, r"\p{N}"), (PUNCTUATION, r"\p{P}"), (WHITE_SPACE, r"\s"))


def by_script(points: NDArray[np.uint32], byte_map: ByteMap, ends: Sequence[Ends]) -> tuple[Part, ...]:
    """Count by the script of most letters of each line. ``points``: the code points. Returns scripts by size."""
    if not len(byte_map):
        return ()
    cuts = byte_map.line_ends
    script_of = scripts_of(points, lines_of(byte_map.char_of[cuts - 1] + 1), len(cuts))
    bytes_of = _sums(script_of, np.diff(cuts, prepend=0), len(SCRIPT_NAMES))
    counts = [_sums(script_of, counts_between(one, cuts), len(SCRIPT_NAMES)) for one in ends]
    parts = _parts(SCRIPT_NAMES, bytes_of, counts)
    return tuple(sorted(parts, key=lambda part: -part.utf8_bytes))


def by_kind(points: NDArray[np.uint32], byte_map: ByteMap, ends: Sequence[Ends]) -> tuple[Part, ...]:
    """Count by kind of character, in the order of ``KINDS``. ``utf8_bytes`` is the size of the characters themselves: a
    token of a word and the space before it counts as letters, but the byte of its space as whitespace."""
    if not len(byte_map):
        return ()
    kinds = _table()[points]
    blank = KINDS.index(WHITE_SPACE)
    solid = np.arange(len(kinds), dtype=np.int32)
    solid[kinds == blank] = -1
    np.maximum.accumulate(solid, out=solid)
    bytes_of = _of_each_kind(kinds[byte_map.char_of])
    counts = [_of_each_kind(_kinds_of(one, byte_map, kinds, solid)) for one in ends]
    return tuple(_parts(KINDS, bytes_of, counts))


def _kinds_of(ends: Ends, byte_map: ByteMap, kinds: NDArray[np.uint8], solid: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Return uint8[n]: the kind of each token. ``solid``: index of the last non-whitespace up to each character."""
    starts = np.concatenate([[0], ends[:-1]])
    last = byte_map.char_of[ends - 1]
    first = np.minimum(byte_map.char_of[np.minimum(starts, len(byte_map) - 1)], last)
    meant = solid[last]
    found: NDArray[np.uint8] = np.where(meant >= first, kinds[meant], KINDS.index(WHITE_SPACE)).astype(np.uint8)
    return found


def _of_each_kind(kinds: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return int64[kinds]: the number of each kind. Counts in chunks: numpy converts every element to eight bytes."""
    counts = np.zeros(len(KINDS), dtype=np.int64)
    for start in range(0, len(kinds), _AT_A_TIME):
        counts += np.bincount(kinds[start : start + _AT_A_TIME], minlength=len(KINDS))
    return counts


def _sums(groups: NDArray[np.int64], amounts: NDArray[np.int64], n_groups: int) -> NDArray[np.int64]:
    sums = np.zeros(n_groups, dtype=np.int64)
    np.add.at(sums, groups, amounts)
    return sums


def _parts(keys: Sequence[str], bytes_of: NDArray[np.int64], counts: Sequence[NDArray[np.int64]]) -> list[Part]:
    tokens = zip(*(count.tolist() for count in counts), strict=True)
    rows = zip(keys, bytes_of.tolist(), tokens, strict=True)
    return [Part(key, n_bytes, amounts) for key, n_bytes, amounts in rows if n_bytes]


@functools.cache
def _table() -> NDArray[np.uint8]:
    """Return uint8[1114112]: the index in ``KINDS`` of every code point."""
    table = np.full(N_CODE_POINTS, KINDS.index(SYMBOLS), dtype=np.uint8)
    for kind, pattern in _CLASSES:
        fill_matching(table, pattern, KINDS.index(kind))
    table.flags.writeable = False
    return table


MAX_LISTED = 500
BEGINNING_CHARS = 200


def greatest_differences(
    text: str, byte_map: ByteMap, cuts: Ends, ends: Sequence[Ends], most: int = MAX_LISTED
) -> tuple[Difference, ...]:
    """Return the spans between ``cuts`` in which the encodings have different numbers of tokens: at most ``most``,
    largest difference first, equal ones in text order."""
    if not len(byte_map):
        return ()
    counts = np.empty((len(ends), len(cuts)), dtype=np.int32)
    for row, one in zip(counts, ends, strict=True):
        row[:] = counts_between(one, cuts)
    spread = counts.max(axis=0) - counts.min(axis=0)
    differing = np.flatnonzero(spread)
    order = differing[np.argsort(-spread[differing], kind="stable")][:most]
    starts = np.concatenate([[0], cuts[:-1]])[order]
    stops = cuts[order]
    lines = byte_map.line_ends.searchsorted(starts, "right") + 1
    units = byte_map.units_before
    found = []
    for number, start, stop, line in zip(order.tolist(), starts.tolist(), stops.tolist(), lines.tolist(), strict=True):
        shown = _beginning(text, byte_map, start, stop)
        found.append(Difference(int(units[start]), int(units[stop]), line, tuple(counts[:, number].tolist()), shown))
    return tuple(found)


def _beginning(text: str, byte_map: ByteMap, start: int, stop: int) -> str:
    first = int(byte_map.char_of[start])
    return text[first : min(int(byte_map.char_of[stop - 1]) + 1, first + BEGINNING_CHARS)]


ENCODING_SHARE = 0.7
"""Share of the work that is encoding; the rest is the comparison."""


def compare(
    encodings: Sequence[Encoding], text: str, progress: Callable[[float], None] = lambda _fraction: None
) -> tuple[TextComparison, tuple[TokenColumn, ...]]:
    """Compare a text in at least one encoding. Returns the comparison, and the text's tokens in each; special tokens
    are plain text. The two are separate because the tokens of a large text are most of its size, and not every caller
    keeps them.

    ``progress`` is called with 0 to 1, and may raise to cancel. Raises EngineError if an encoding cannot encode the
    text.
    """
    text = without_surrogates(text)
    byte_map = ByteMap(text)
    columns: list[TokenColumn] = []
    all_ends: list[Ends] = []
    for number, encoding in enumerate(encodings):
        progress(ENCODING_SHARE * number / len(encodings))
        ids = encoding.token_ids(text)
        ends = tidy_ends(_byte_ends(encoding, text, ids, byte_map), len(byte_map))
        columns.append(_column(ids, byte_map, ends))
        all_ends.append(ends)
    progress(ENCODING_SHARE)
    points = code_points(text)
    scripts = by_script(points, byte_map, all_ends)
    progress(0.8)
    kinds = by_kind(points, byte_map, all_ends)
    progress(0.9)
    comparison = TextComparison(
        units_of(text),
        len(byte_map),
        tuple(encoding.name for encoding in encodings),
        tuple(len(column.ids) for column in columns),
        scripts,
        kinds,
        greatest_differences(text, byte_map, common_cuts(all_ends, byte_map), all_ends),
        greatest_differences(text, byte_map, byte_map.line_ends, all_ends),
    )
    return comparison, tuple(columns)


def _byte_ends(encoding: Encoding, text: str, ids: NDArray[np.int32], byte_map: ByteMap) -> NDArray[np.int64]:
    """Return int64[n]: the ends of the tokens in the original text."""
    if isinstance(encoding, NormalizingEncoding):
        return byte_map.of_units(encoding.utf16_ends(text, ids, special_as_tokens=False))
    if not encoding.has_safe_boundaries:
        return encoding.token_ends(text)  # a custom pattern may skip text
    return running_sums_at(encoding.byte_lengths, ids)


def _column(ids: NDArray[np.int32], byte_map: ByteMap, ends: Ends) -> TokenColumn:
    utf16_ends = byte_map.units_before[ends]
    continues = byte_map.continues(ends)
    for array in (utf16_ends, continues):
        array.flags.writeable = False
    return TokenColumn(ids, utf16_ends, continues)


# --- rows on screen, the same for all encodings shown ----------------------------------------------------------------
#
# Widths are in columns of a monospaced font, as upper bounds: characters other than Latin, Greek, Cyrillic and their
# marks may come from a font with other widths and count as two columns.


FEWEST_COLUMNS = 8
TAB_COLUMNS = 4

_NEWLINE, _TAB, _SPACE = 0x0A, 0x09, 0x20
_MARKS = (0x0300, 0x0370)
_WIDE_FROM = 0x0530
_LOW_SURROGATES = (0xDC00, 0xE000)


def row_starts(units: NDArray[np.uint16], columns: int) -> NDArray[np.int32]:
    """Return int32[rows]: the start of each row, in UTF-16 units; it extends to the next, and the first begins at 0.

    ``units``: uint16[n], of a text without lone surrogates. A row ends after each newline, and before a character that
    would exceed ``columns`` (at least ``FEWEST_COLUMNS``): then after the last space in its second half, if there is
    one. No surrogate pair is divided.
    """
    columns = max(columns, FEWEST_COLUMNS)
    starts: NDArray[np.int32] = np.concatenate([[0], np.flatnonzero(units == _NEWLINE) + 1]).astype(np.int32)
    starts = starts[(starts < len(units)) | (starts == 0)]
    stops = np.append(starts[1:], np.int32(len(units)))
    before = np.zeros(len(units) + 1, dtype=np.int32)
    running_sums_of(len(units), lambda start, stop: _widths(units[start:stop]), before[1:])
    long = np.flatnonzero(before[stops] - before[starts] > columns)
    if not len(long):
        return starts
    spaces = (np.flatnonzero(units == _SPACE) + 1).astype(np.int32)
    cuts: list[int] = []
    for start, stop in interruptible(zip(starts[long].tolist(), stops[long].tolist(), strict=True)):
        _cut(start, stop, columns, before, spaces, cuts)
    rows: NDArray[np.int32] = np.sort(np.concatenate([starts, np.array(cuts, dtype=np.int32)]))
    return rows


def _cut(
    start: int, stop: int, columns: int, before: NDArray[np.int32], spaces: NDArray[np.int32], cuts: list[int]
) -> None:
    while int(before[stop]) - int(before[start]) > columns:
        # numpy keys: a Python int would make searchsorted convert the whole array on every call.
        limit = int(before.searchsorted(before[start] + np.int32(columns), "right")) - 1
        behind_space = int(spaces.searchsorted(np.int32(limit), "right")) - 1
        if behind_space >= 0:
            end = int(spaces[behind_space])
            if end > start and 2 * (int(before[end]) - int(before[start])) >= columns:
                limit = end
        cuts.append(limit)
        start = limit


def _widths(units: NDArray[np.uint16]) -> NDArray[np.int8]:
    widths = np.ones(len(units), dtype=np.int8)
    widths[units >= _WIDE_FROM] = 2
    widths[units == _TAB] = TAB_COLUMNS
    for first, stop in (_MARKS, _LOW_SURROGATES, (_NEWLINE, _NEWLINE + 1)):
        widths[(units >= first) & (units < stop)] = 0
    return widths


# --- metrics: ratios of counts, None if the denominator is 0 ----------------------------------------------------------


def bytes_per_token(utf8_bytes: int, tokens: int) -> float | None:
    """Return the number of UTF-8 bytes per token: the amount of text per token."""
    return utf8_bytes / tokens if tokens else None


def fertility(tokens: int, words: int) -> float | None:
    """Return the number of tokens per word (Rust et al. 2021, "How Good is Your Tokenizer?"). It depends on the
    definition of a word, and means nothing in scripts that do not separate words."""
    return tokens / words if words else None


def premium(tokens: int, tokens_of_translation: int) -> float | None:
    """Return the number of tokens of a text divided by that of its translation (Petrov et al. 2023, "Language Model
    Tokenizers Introduce Unfairness Between Languages"). It works for every script."""
    return tokens / tokens_of_translation if tokens_of_translation else None
