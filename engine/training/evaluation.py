"""Evaluation of encodings on the user's own texts.

Compression by file type and by script, overlap of vocabularies, and savings of one encoding over another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from engine.corpus.files import CorpusFileError, read_blocks
from engine.corpus.types import CorpusFile, SkippedFile
from engine.encoding.encoding import Encoding
from engine.runtime.cancellation import interruptible
from engine.text.character_classes import lines_by_script
from engine.types import TokenInfo
from engine.vocabulary.tokens import none_of, tokens_by_length

MAX_TEXT_BYTES = 8 << 20
"""Maximum number of bytes measured per file, from its start."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures of a group of texts. ``group``: what they have in common, ``""`` for all. ``text_bytes``: in UTF-8.
    ``tokens``: per encoding, in the order of the evaluation."""

    group: str
    texts: int
    text_bytes: int
    characters: int
    tokens: tuple[int, ...]

    def bytes_per_token(self, index: int) -> float:
        """Return the compression by one of the encodings, or 0.0 if there is no text."""
        return self.text_bytes / self.tokens[index] if self.tokens[index] else 0.0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Result of ``evaluate``. ``encodings``: their names. ``by_type``: files by suffix (lower case with the dot, ``""``
    for none). ``by_script``: lines by the script of most of their letters. Both are sorted with the largest group
    first. Each script is tokenized separately, so its tokens need not add up to the total. ``skipped``: files that
    could not be read."""

    encodings: tuple[str, ...]
    total: Measured
    by_type: tuple[Measured, ...]
    by_script: tuple[Measured, ...]
    skipped: tuple[SkippedFile, ...] = ()

    def tokens_saved(self, mine: str, other: str, calls: int = 1_000_000) -> int:
        """Return how many tokens ``calls`` calls of average text length save in ``mine`` compared with ``other``.
        Negative if they need more."""
        if not self.total.texts:
            return 0
        ours, theirs = (self.total.tokens[self.encodings.index(name)] for name in (mine, other))
        return round((theirs - ours) / self.total.texts * calls)


@dataclass(frozen=True, slots=True)
class Overlap:
    """Tokens that two vocabularies share, compared by their bytes, without special tokens. ``longest_shared``,
    ``longest_only_first`` and ``longest_only_second`` list the longest tokens of each kind first."""

    shared: int
    only_first: int
    only_second: int
    longest_shared: tuple[bytes, ...]
    longest_only_first: tuple[bytes, ...]
    longest_only_second: tuple[bytes, ...]

    @property
    def share_of_first(self) -> float:
        """Share of the first vocabulary that the second one also has, 0 to 1."""
        return self.shared / (self.shared + self.only_first)


class _Sum:
    """Running totals."""

    def __init__(self, encodings: int) -> None:
        self.texts = self.text_bytes = self.characters = 0
        self.tokens = [0] * encodings

    def add(self, text: str, tokens: Sequence[int]) -> None:
        self.texts += 1
        self.text_bytes += len(text.encode("utf-8", "replace"))
        self.characters += len(text)
        self.tokens = [before + more for before, more in zip(self.tokens, tokens, strict=True)]

    def measured(self, group: str) -> Measured:
        return Measured(group, self.texts, self.text_bytes, self.characters, tuple(self.tokens))


def evaluate(
    encodings: Sequence[Encoding],
    texts: Iterable[tuple[str, str] | SkippedFile],
    report: Callable[[int], None] | None = None,
) -> Evaluation:
    """Measure texts in each of the encodings. ``texts``: pairs of a name, whose suffix is the file type, and the text,
    as from ``texts_of``. ``report`` is called with the bytes measured so far; any exception it raises ends the
    evaluation."""
    total = _Sum(len(encodings))
    types: dict[str, _Sum] = {}
    scripts: dict[str, _Sum] = {}
    skipped: list[SkippedFile] = []
    for found in texts:
        if isinstance(found, SkippedFile):
            skipped.append(found)
            continue
        name, text = found
        counts = [encoding.count(text) for encoding in encodings]
        total.add(text, counts)
        types.setdefault(PurePath(name).suffix.lower(), _Sum(len(encodings))).add(text, counts)
        for script, lines in lines_by_script(text).items():
            alone = counts if len(lines) == len(text) else [encoding.count(lines) for encoding in encodings]
            scripts.setdefault(script, _Sum(len(encodings))).add(lines, alone)
        if report is not None:
            report(total.text_bytes)
    return Evaluation(
        tuple(encoding.name for encoding in encodings),
        total.measured(""),
        _largest_first(types),
        _largest_first(scripts),
        tuple(skipped),
    )


def _largest_first(sums: dict[str, _Sum]) -> tuple[Measured, ...]:
    measured = (one.measured(group) for group, one in sums.items())
    return tuple(sorted(measured, key=lambda one: (-one.text_bytes, one.group)))


def texts_of(files: Iterable[CorpusFile], most_bytes: int = MAX_TEXT_BYTES) -> Iterator[tuple[str, str] | SkippedFile]:
    """Yield path and text of each file, at most about ``most_bytes`` of it."""
    for file in files:
        pieces: list[str] = []
        left = most_bytes
        try:
            for block in read_blocks(file):
                pieces.append(block.decode("utf-8", "replace"))  # invalid in a file that is read as bytes
                left -= len(block)
                if left <= 0:
                    break
        except CorpusFileError as error:
            yield error.skipped
        else:
            yield str(file.path), "".join(pieces)


def overlap(first: Encoding, second: Encoding, most: int = 20) -> Overlap:
    """Return the overlap of two vocabularies. ``most``: number of tokens to list of each kind."""
    ours, theirs = (tokens_by_length(one._table.blob, one._table.offsets) for one in (first, second))
    shared, only_first, only_second = _Longest(most), _Longest(most), _Longest(most)
    for length in interruptible(sorted(ours.keys() | theirs.keys(), reverse=True), every=1):
        own, other = (np.unique(one.get(length, none_of(length)).tokens) for one in (ours, theirs))
        in_both = np.isin(own, other, assume_unique=True)
        shared.add(own[in_both])
        only_first.add(own[~in_both])
        only_second.add(other[~np.isin(other, own, assume_unique=True)])
    return Overlap(
        shared.count,
        only_first.count,
        only_second.count,
        tuple(shared.tokens),
        tuple(only_first.tokens),
        tuple(only_second.tokens),
    )


class _Longest:
    """Counts tokens and keeps the first ``most``. Tokens must be added by length, longest first, and sorted."""

    def __init__(self, most: int) -> None:
        self.count = 0
        self.tokens: list[bytes] = []
        self._most = most

    def add(self, tokens: NDArray[np.void]) -> None:
        self.count += len(tokens)
        self.tokens += tokens[: self._most - len(self.tokens)].tolist()


def longest_tokens(encoding: Encoding, most: int = 20) -> list[TokenInfo]:
    """Return the tokens with the most bytes, without special tokens. Of equal lengths, the smaller id comes first."""
    table = encoding._table
    lengths = np.diff(table.offsets)
    longest = np.argsort(-lengths, kind="stable")[:most]
    return [encoding.token_info(table.first_id + index) for index in longest[lengths[longest] > 0].tolist()]
