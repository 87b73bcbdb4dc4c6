"""What may be done to a text before it is cut: Unicode normalisation, lowercase, accents taken off. And what it loses.

A normalizer is a row of steps, each of which also Hugging Face's normalisers know. None looks at what stands around a
character, but for what Unicode composes. So a text may be cut in front of any ASCII character, and each part be
normalised by itself. (Python's ``str.lower`` looks around a capital sigma; here it always becomes σ.) Each step gives
what that of ``tokenizers`` gives, on every Python (``engine.text.unicode_versions``).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from engine.errors import EngineError
from engine.runtime.cancellation import while_wanted
from engine.text.unicode_versions import by_library, composed, may_differ

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")
LOWERCASE = "lowercase"
STRIP_ACCENTS = "strip accents"
"""Takes off all marks that stand by themselves; of characters that are composed, only behind NFD or NFKD."""
STEPS = (*FORMS, LOWERCASE, STRIP_ACCENTS)
SIGNS_AS_SPACES = "▁ as space"
"""SentencePiece's sign for a space, in a text, is one to its tokenizers."""
_LIBRARY_NAMES = {LOWERCASE: "Lowercase", STRIP_ACCENTS: "StripAccents"}

_PART_CHARACTERS = 1 << 16
"""Longer texts are done in parts of about so many characters: nothing interrupts a step, and NFKC on ten million holds
every other thread up for a fifth of a second."""
_AT_ASCII = re.compile(r"[\x00-\x7f]")

_WARNINGS = {
    "NFC": "NFC composes characters: a text that is stored decomposed does not come back as it was.",
    "NFD": "NFD takes characters with accents, and Hangul, apart: a text that is stored composed does not come back as "
    "it was, and has more characters.",
    "NFKC": "NFKC replaces look-alikes for good: ligatures, superscripts, full-width letters and the like become plain "
    "ones (ﬁ → fi, ² → 2, Ａ → A).",
    "NFKD": "NFKD replaces look-alikes for good (ﬁ → fi, ² → 2, Ａ → A), and takes characters with accents, and "
    "Hangul, apart.",
    SIGNS_AS_SPACES: "A ▁ of the text comes back as a space.",
    LOWERCASE: "Lowercase loses which letters were capitals.",
    STRIP_ACCENTS: "Taking accents off makes different words the same (résumé → resume), and takes vowel signs off "
    "Arabic, Hebrew, Indic and Thai text.",
}


class UnknownNormalizationError(EngineError, ValueError):
    """There is no normalisation of that name; the text lists those that exist."""


@dataclass(frozen=True, slots=True)
class Change:
    """A piece of text, what became of it, and how often."""

    before: str
    after: str
    count: int


@dataclass(frozen=True, slots=True)
class Normalizer:
    """Does its ``steps``, which are of ``STEPS``, to a text one after the other. Call it with a text."""

    steps: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is lost, a sentence or two for each kind of step. A form that only serves to take accents off says
        nothing of its own."""
        said = list(dict.fromkeys(self.steps))
        if STRIP_ACCENTS in said:
            served = self.steps[: self.steps.index(STRIP_ACCENTS)][-1:] + self.steps[self.steps.index(STRIP_ACCENTS) :]
            before = self.steps[: self.steps.index(STRIP_ACCENTS)][:-1]
            said = [step for step in said if step in before or step not in served or step == STRIP_ACCENTS]
        return tuple(_WARNINGS[step] for step in said)

    def __call__(self, text: str) -> str:
        """The text as it will be encoded. Lone surrogates stay as they are."""
        if text.isascii() and LOWERCASE not in self.steps:
            return text
        if len(text) <= _PART_CHARACTERS:
            return self._done(text)
        parts, done = [], []
        for part in while_wanted(_parts(text), every=1):
            parts.append(part)
            done.append(self._done(part))
        return text if parts == done else "".join(done)

    def _done(self, text: str) -> str:
        for step in self.steps:
            text = _done(step, text)
        return text

    def changes(self, text: str, most: int = 20) -> list[Change]:
        """What it changes in a text: pieces of a character and the marks behind it, the most frequent first."""
        found = Counter((piece, after) for piece in clusters(text) if (after := self(piece)) != piece)
        ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
        return [Change(before, after, count) for (before, after), count in ordered[:most]]


def normalizer(normalization: str | None, lowercase: bool = False, strip_accents: bool = False) -> Normalizer:
    """The normalizer of the settings of a training run. UnknownNormalizationError."""
    if normalization is not None and normalization not in FORMS:
        raise UnknownNormalizationError(
            f"There is no normalisation {normalization!r}. There are {', '.join(FORMS)}, and None."
        )
    steps = ((normalization,) if normalization else ()) + (LOWERCASE,) * lowercase
    if strip_accents:
        steps += ("NFD", STRIP_ACCENTS, normalization or "NFC")  # without the last one Hangul would stay apart
    return Normalizer(steps)


def normalize(text: str, normalization: str | None, lowercase: bool = False, strip_accents: bool = False) -> str:
    """A text as a training run with these settings sees it. UnknownNormalizationError."""
    return normalizer(normalization, lowercase, strip_accents)(text)


def normalizer_with(steps: Sequence[str]) -> Normalizer:
    """The normalizer of steps that a file names. UnknownNormalizationError."""
    unknown = [step for step in steps if step not in (*STEPS, SIGNS_AS_SPACES)]
    if unknown:
        raise UnknownNormalizationError(f"There is no step {unknown[0]!r}. There are {', '.join(STEPS)}.")
    return Normalizer(tuple(steps))


def _parts(text: str) -> Iterator[str]:
    """A text, cut in front of ASCII characters; where it has none, in one part."""
    start = 0
    while cut := _AT_ASCII.search(text, start + _PART_CHARACTERS):
        yield text[start : cut.start()]
        start = cut.start()
    yield text[start:]


def _done(step: str, text: str) -> str:
    if step == SIGNS_AS_SPACES:
        return text.replace("▁", " ")
    if step == "NFC":
        return composed(text)
    if may_differ(text):
        return by_library(_LIBRARY_NAMES.get(step, step), text)
    if step == LOWERCASE:
        return text.replace("Σ", "σ").lower()
    if step == STRIP_ACCENTS:
        return "".join([character for character in text if unicodedata.category(character)[0] != "M"])
    return unicodedata.normalize(cast("Form", step), text)


def clusters(text: str) -> Iterator[str]:
    """A text in what readers take for characters: each can be normalised by itself."""
    import regex  # type: ignore[import-untyped]

    for match in regex.finditer(r"\X", text):
        yield match.group()
