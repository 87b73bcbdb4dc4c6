"""What an encoding does to a text before it encodes it: normalisation, and marks at the ends of words or signs for
spaces (``engine.text.space_signs``).

A mark ``</w>`` is stored as a space: ``lower`` is encoded as ``lower`` and a space, and decoding gives words with one
space behind each. White space itself is not encoded then. Tokens that may end a word and those that may not are thus
told apart, as Sennrich, Haddow and Birch (2016) do it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engine.runtime.cancellation import ENTRIES, while_wanted
from engine.split.long_texts import stretches
from engine.split.pretokenization import pretokenizer
from engine.split.safe_cuts import WHITE_SPACE
from engine.text.normalization import Normalizer, normalizer_with
from engine.text.space_signs import SIGN, SpaceSigns, signs_of
from engine.text.spans import pairs

MARKED_WORDS = r"\S+ ?|\s+"
"""The split pattern of texts with marks."""

_MARK_WORDS = "mark words: "

_BETWEEN_LOOKS = 256

_WORD = re.compile(f"[^{WHITE_SPACE}]+")

_MARKS_WARNING = (
    "Words end in a mark, and white space is not kept: a decoded text has one space behind each word, "
    "whatever stood there."
)
_SIGNS_WARNING = f"Spaces are written {SIGN}: a {SIGN} of the text itself comes back as a space."


@dataclass(frozen=True, slots=True)
class Preparation:
    """``words_of``: the split pattern whose pretokens are words, of which each gets a mark; None for no marks.
    ``signs``: how spaces are written; None for as they are. There are not both."""

    normalizer: Normalizer = field(default_factory=Normalizer)
    words_of: str | None = None
    signs: SpaceSigns | None = None

    @property
    def steps(self) -> tuple[str, ...]:
        """What it does, as names for a file: those of ``engine.text.normalization``, and ``mark words: `` with the
        pattern or those of ``engine.text.space_signs``."""
        if self.signs is not None:
            return self.normalizer.steps + self.signs.steps
        return self.normalizer.steps + (() if self.words_of is None else (_MARK_WORDS + self.words_of,))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is lost, a sentence or two each."""
        marks, signs = self.words_of is not None, self.signs is not None
        return self.normalizer.warnings + (_MARKS_WARNING,) * marks + (_SIGNS_WARNING,) * signs

    def __call__(self, text: str) -> str:
        """The text as it will be encoded. SplitTimeoutError."""
        text = self.normalizer(text)
        if self.signs is not None:
            return self.signs(text)
        return text if self.words_of is None else mark_words(text, self.words_of)

    def undone(self, content: bytes) -> bytes:
        """What tokens of a prepared text are decoded to, in UTF-8: signs become spaces, nothing else is undone."""
        return content if self.signs is None else self.signs.undone(content)


def preparation_with(steps: Sequence[str]) -> Preparation:
    """The preparation of steps that a file names. UnknownNormalizationError."""
    if steps and steps[-1].startswith(_MARK_WORDS):
        return Preparation(normalizer_with(steps[:-1]), steps[-1].removeprefix(_MARK_WORDS))
    before, signs = signs_of(tuple(steps))
    return Preparation(normalizer_with(before), signs=signs)


def words_of_text(text: str, pattern: str) -> Iterator[tuple[int, int]]:
    """Where the words of a text start and end, in characters. A word is what a pretoken has between white space.
    SplitTimeoutError."""
    return while_wanted(_words_of_text(text, pattern), every=_BETWEEN_LOOKS)  # one pretoken may be all of the text


def _words_of_text(text: str, pattern: str) -> Iterator[tuple[int, int]]:
    for stretch in while_wanted(stretches(pretokenizer(pattern), text), every=1):
        for start, end in while_wanted(pairs(stretch.char_spans + stretch.char_start)):
            yield from (match.span() for match in _WORD.finditer(text, start, end))


def mark_words(text: str, pattern: str) -> str:
    """The words of a text, with a mark behind each. SplitTimeoutError."""
    words = (text[start:end] for start, end in words_of_text(text, pattern))
    # A word is an object of fifty bytes and more: of a long text they are never all there.
    return "".join(iter(lambda: "".join(f"{word} " for word in itertools.islice(words, ENTRIES)), ""))
