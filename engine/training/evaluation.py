"""How well encodings do on the user's own texts.

Compression by kind of file and by script, what their vocabularies share, and what one saves against another.
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
from engine.text.scripts import lines_by_script
from engine.types import TokenInfo
from engine.vocabulary.tables import none_of, tokens_by_length

MOST_TEXT_BYTES = 8 << 20
"""Of a longer file so much is measured, from its start."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures of some texts. ``group``: what they have in common, ``""`` for all. ``text_bytes``: of UTF-8.
    ``tokens``: for each encoding, in the order of the evaluation."""

    group: str
    texts: int
    text_bytes: int
    characters: int
    tokens: tuple[int, ...]

    def bytes_per_token(self, index: int) -> float:
        """Compression by one of the encodings; 0.0 where there is no text."""
        return self.text_bytes / self.tokens[index] if self.tokens[index] else 0.0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """``encodings``: their names. ``by_type``: files by their ending (lower case, with the point; ``""`` for none).
    ``by_script``: lines by the script of most of their letters. Both with the largest group first; tokens of groups by
    script are counted apart, so that they need not add up. ``skipped``: files that could not be read."""

    encodings: tuple[str, ...]
    total: Measured
    by_type: tuple[Measured, ...]
    by_script: tuple[Measured, ...]
    skipped: tuple[SkippedFile, ...] = ()

    def tokens_saved(self, mine: str, other: str, calls: int = 1_000_000) -> int:
        """Tokens that ``calls`` calls with one of these texts each, as long as they are on average, come to less in
        one encoding than in another. Negative where they come to more."""
        if not self.total.texts:
            return 0
        ours, theirs = (self.total.tokens[self.encodings.index(name)] for name in (mine, other))
        return round((theirs - ours) / self.total.texts * calls)


@dataclass(frozen=True, slots=True)
class Overlap:
    """Tokens that two vocabularies have in common, by their bytes, special tokens left out. The longest of each kind
    come first in ``longest_shared``, ``longest_only_first`` and ``longest_only_second``."""

    shared: int
    only_first: int
    only_second: int
    longest_shared: tuple[bytes, ...]
    longest_only_first: tuple[bytes, ...]
    longest_only_second: tuple[bytes, ...]

    @property
    def share_of_first(self) -> float:
        """How much of the first vocabulary the second one has too, 0 to 1."""
        return self.shared / (self.shared + self.only_first)


class _Sum:
    """Figures while they grow."""

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
    """Measure texts in each of the encodings. ``texts``: pairs of a name, whose ending says what kind it is, and the
    text; or as ``texts_of`` gives them. ``report`` is called with the bytes measured so far; what it raises ends it."""
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


def texts_of(files: Iterable[CorpusFile], most_bytes: int = MOST_TEXT_BYTES) -> Iterator[tuple[str, str] | SkippedFile]:
    """The texts of files, one at a time, by their paths; of each at most about ``most_bytes``."""
    for file in files:
        pieces: list[str] = []
        left = most_bytes
        try:
            for block in read_blocks(file):
                pieces.append(block.decode("utf-8", "replace"))  # of a file that is taken as bytes
                left -= len(block)
                if left <= 0:
                    break
        except CorpusFileError as error:
            yield error.skipped
        else:
            yield str(file.path), "".join(pieces)


def overlap(first: Encoding, second: Encoding, most: int = 20) -> Overlap:
    """What two vocabularies share. ``most``: how many tokens of each kind are listed."""
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
    """Counts tokens that come by their length, the longest first, and in order; keeps the first ``most``."""

    def __init__(self, most: int) -> None:
        self.count = 0
        self.tokens: list[bytes] = []
        self._most = most

    def add(self, tokens: NDArray[np.void]) -> None:
        self.count += len(tokens)
        self.tokens += tokens[: self._most - len(self.tokens)].tolist()


def longest_tokens(encoding: Encoding, most: int = 20) -> list[TokenInfo]:
    """The tokens with the most bytes, special ones left out; of equals, the one with the smaller id first."""
    table = encoding._table
    lengths = np.diff(table.offsets)
    longest = np.argsort(-lengths, kind="stable")[:most]
    return [encoding.token_info(table.first_id + index) for index in longest[lengths[longest] > 0].tolist()]
