"""Normalization before a text is split: Unicode forms, lowercase, accent stripping; and the losses they cause.

A ``Normalizer`` is a sequence of steps, each of which exists in Hugging Face's normalizers, too. Except for Unicode
composition, no step looks at neighbouring characters. So a text may be divided before any ASCII character and each part
normalized separately. (Python's ``str.lower`` looks at the context of a capital sigma; here it always becomes σ.)

Each step gives the result of ``tokenizers``, whatever Unicode version this Python has. ``tokenizers`` has the tables of
about Unicode 9, Python those of its own version, and each version reorders more marks and composes more letters. So
texts with a character on which versions differ (``may_differ``) are passed to that library (``by_library``). For all
others Unicode's stability policy guarantees the same result, and Python's functions are thirty times as fast.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.runtime.cancellation import interruptible
from engine.text.sentencepiece import SIGNS_AS_SPACES

_NEWEST = (17, 0, 0)
"""Unicode version that ``_RANGES`` covers. Newer versions may differ on more characters."""

_RANGES = (
    "0558 058b-058c 05c8-05c9 07fd 0897-089f 08ca-08d3 09fe 0afa-0aff 0b53-0b55 0c04 0c3c 0cf3 0d00 0d3b-0d3c 0d81 "
    "0eba 0ece 1715 180f 1abf-1af0 1c89 1cf7 1df6-1dfa 209d-209f 32ff a7cb-a7ce a7d2-a7d4 a7da-a7dd a7e2 a7f1-a7f4 "
    "a82c a8ff ab69-ab6d 105c0-105ff 10781-107bf 10d24-10d27 10d50-10d65 10d69-10d6d 10eab-10eac 10ecb-10ecf "
    "10ef0-10eff 10f46-10f50 10f82-10f85 11070-11074 110c2 11145-11146 111c9 111ce-111cf 11241 1133b 11383-11385 "
    "1138e-11391 113b8-113d2 113e1-113e2 1145e 1182c-1183a 11930-11943 119d1-119e0 119e4 11a01-11a0a 11a33-11a3e "
    "11a47 11a51-11a5b 11a8a-11a99 11b60-11b67 11d31-11d36 11d3a-11d47 11d8a-11d97 11df0 11ef3-11ef6 11f00-11f03 "
    "11f34-11f3a 11f3e-11f42 11f5a 13440 13447-13455 1611e-1612f 16d40-16d7f 16ea0-16eb8 16f4f 16f7f-16f87 16fe4 "
    "16ff0-16ff1 1b123-1b126 1ccd6-1ccf9 1cf00-1cf46 1d127-1d128 1d250-1d252 1d25b-1d25f 1d280-1d281 1d6a6 1df40 "
    "1df48-1df4d 1df51 1df68-1df6e 1df72-1df7e 1df95 1dfcd-1dfff 1e030-1e06d 1e08f 1e130-1e136 1e2ae 1e2ec-1e2ef "
    "1e4ec-1e4ef 1e5ee-1e5ef 1e6e3-1e6e6 1e6ee-1e6ef 1e6f5 1f16c 1fbf0-1fbf9 "
)
"""Code points that normalization, lowercase or mark stripping treats differently in Unicode 17 than in the tables of
``tokenizers``; those that only newer characters are composed of; and some harmless ones in between."""

_SOUND = re.compile("[^\ud800-\udfff]+")

_TABLED = 0x20000
"""Number of code points with entries of their own in a table; all later ones are like the last of them."""


def _looked_up(table: NDArray[np.bool_], text: str) -> NDArray[np.bool_]:
    """Return bool[characters]: the entry of each character of a text in a table."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    return table.take(points, mode="clip")


@functools.cache
def _doubtful() -> NDArray[np.bool_]:
    """Return bool[131072]: code points on which versions may differ. A look-up is a hundred times as fast as ``re``."""
    points = np.zeros(_TABLED, dtype=np.bool_)
    if tuple(map(int, unicodedata.unidata_version.split("."))) > _NEWEST:
        points[0x80:] = True
    for first, _, last in (one.partition("-") for one in _RANGES.split()):
        points[int(first, 16) : int(last or first, 16) + 1] = True
    return points


def may_differ(text: str) -> bool:
    """Return True if Unicode versions may differ on the normalization of a text."""
    if text.isascii():
        return False
    return bool(_looked_up(_doubtful(), text).any())


# --- composition ------------------------------------------------------------------------------------------------------

_STARTERS = "3400-4dbf 4e00-9fff ac00-d7a3 ff01-ff9d fffd 1f300-1f64f 1f680-1f6ff 1f900-1f9ff"
"""Code points from U+3400 on that begin a segment, in common scripts."""

_FEW = 8
"""A text is normalized as a whole if more than one character in this many does not begin a segment."""

_SHORT = 16
"""Maximum length of a cached segment, in characters: texts repeat their syllables."""


@functools.cache
def _begins_segment() -> NDArray[np.bool_]:
    """Return bool[131072]: code points that begin a segment for NFC (UAX #15, section 9): the text before them and the
    text from them on do not affect each other. Excludes code points on which Unicode versions may differ."""
    points = np.zeros(_TABLED, dtype=np.bool_)
    points[:0x300] = True
    seconds = {*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)}  # vowels and final consonants of Hangul
    for point in range(0xC0, 0x3400):
        decomposed = unicodedata.decomposition(chr(point))
        if decomposed and decomposed[0] != "<":
            seconds.update(int(part, 16) for part in decomposed.split()[1:])
    for point in range(0x300, 0x3400):
        character = chr(point)
        points[point] = (
            unicodedata.category(character) != "Cn"
            and not unicodedata.combining(character)
            and point not in seconds
            and unicodedata.is_normalized("NFC", character)
        )
    for first, _, last in (one.partition("-") for one in _STARTERS.split()):
        points[int(first, 16) : int(last or first, 16) + 1] = True
    return points & ~_doubtful()


def composed(text: str) -> str:
    """Return a text in NFC, as ``tokenizers`` computes it. Lone surrogates are kept.

    Only characters that do not begin a segment are processed, each run of them with the character before it: most texts
    have none or few.
    """
    if text.isascii():
        return text
    at = np.flatnonzero(~_looked_up(_begins_segment(), text))  # character offsets
    if not len(at):
        return text
    if len(at) * _FEW > len(text):
        return _composed_whole(text)
    new = np.flatnonzero(at[1:] != at[:-1] + 1) + 1
    parts: list[str] = []
    done = 0
    for first, last in zip(at[np.r_[0, new]].tolist(), at[np.r_[new - 1, -1]].tolist(), strict=True):
        start = max(first - 1, 0)
        segment = text[start : last + 1]
        parts += text[done:start], (_composed_segment if len(segment) <= _SHORT else _composed_whole)(segment)
        done = last + 1
    parts.append(text[done:])
    return "".join(parts)


@functools.lru_cache(maxsize=4096)
def _composed_segment(segment: str) -> str:
    return _composed_whole(segment)


def _composed_whole(text: str) -> str:
    return by_library("NFC", text) if may_differ(text) else unicodedata.normalize("NFC", text)


@functools.cache
def _library_step(name: str) -> Any:
    from tokenizers import normalizers

    return getattr(normalizers, name)()


def by_library(name: str, text: str) -> str:
    """Return the result of a normalizer of ``tokenizers``. Lone surrogates are kept.

    ``name``: of the normalizer's class, such as ``NFC``, ``Lowercase`` or ``StripAccents``.
    """
    normalize = _library_step(name).normalize_str
    try:
        return str(normalize(text))
    except UnicodeEncodeError:
        return _SOUND.sub(lambda match: str(normalize(match.group())), text)


# --- steps ------------------------------------------------------------------------------------------------------------

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")
LOWERCASE = "lowercase"
STRIP_ACCENTS = "strip accents"
"""Removes all combining marks that are separate characters; those of composed characters only after NFD or NFKD."""
STEPS = (*FORMS, LOWERCASE, STRIP_ACCENTS)
_LIBRARY_NAMES = {LOWERCASE: "Lowercase", STRIP_ACCENTS: "StripAccents"}

_PART_CHARACTERS = 1 << 16
"""Approximate size of the parts in which longer texts are normalized, in characters. A step cannot be interrupted, and
NFKC on ten million characters blocks every other thread for 0.2 s."""
_AT_ASCII = re.compile(r"[\x00-\x7f]")

_WARNINGS = {
    "NFC": "NFC composes characters: a decomposed text is not restored by decoding.",
    "NFD": "NFD decomposes characters with accents and Hangul: a composed text is not restored by decoding, and it has "
    "more characters.",
    "NFKC": "NFKC replaces look-alikes permanently: ligatures, superscripts, full-width letters and the like become "
    "plain ones (ﬁ → fi, ² → 2, Ａ → A).",
    "NFKD": "NFKD replaces look-alikes permanently (ﬁ → fi, ² → 2, Ａ → A), and decomposes characters with accents and "
    "Hangul.",
    SIGNS_AS_SPACES: "A ▁ in the text is decoded as a space.",
    LOWERCASE: "Lowercase loses the distinction between capital and small letters.",
    STRIP_ACCENTS: "Removing accents makes different words equal (résumé → resume), and removes vowel signs from "
    "Arabic, Hebrew, Indic and Thai text.",
}


class UnknownNormalizationError(EngineError, ValueError):
    """No normalization has that name. The text lists those that exist."""


@dataclass(frozen=True, slots=True)
class Change:
    """A piece of text, its normalized form, and how often it occurs."""

    before: str
    after: str
    count: int


@dataclass(frozen=True, slots=True)
class Normalizer:
    """Applies its ``steps``, which are of ``STEPS``, to a text in order. Call it with a text."""

    steps: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Losses caused by the steps, in one or two sentences for each kind of step. None for a form that is only used
        to strip accents."""
        shown = list(dict.fromkeys(self.steps))
        if STRIP_ACCENTS in shown:
            served = self.steps[: self.steps.index(STRIP_ACCENTS)][-1:] + self.steps[self.steps.index(STRIP_ACCENTS) :]
            before = self.steps[: self.steps.index(STRIP_ACCENTS)][:-1]
            shown = [step for step in shown if step in before or step not in served or step == STRIP_ACCENTS]
        return tuple(_WARNINGS[step] for step in shown)

    def __call__(self, text: str) -> str:
        """Return the text as it will be encoded. Lone surrogates are kept."""
        if text.isascii() and LOWERCASE not in self.steps:
            return text
        if len(text) <= _PART_CHARACTERS:
            return self._done(text)
        parts, done = [], []
        for part in interruptible(_parts(text), every=1):
            parts.append(part)
            done.append(self._done(part))
        return text if parts == done else "".join(done)

    def _done(self, text: str) -> str:
        for step in self.steps:
            text = _done(step, text)
        return text

    def changes(self, text: str, most: int = 20) -> list[Change]:
        """Return the changes to a text, most frequent first. Each piece is a character with its combining marks."""
        found = Counter((before, after) for before in clusters(text) if (after := self(before)) != before)
        ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
        return [Change(before, after, count) for (before, after), count in ordered[:most]]


def normalizer(normalization: str | None, lowercase: bool = False, strip_accents: bool = False) -> Normalizer:
    """Return the normalizer for the settings of a training run. Raises UnknownNormalizationError."""
    if normalization is not None and normalization not in FORMS:
        raise UnknownNormalizationError(
            f"Unknown normalization {normalization!r}. Available: {', '.join(FORMS)}, and None."
        )
    steps = ((normalization,) if normalization else ()) + (LOWERCASE,) * lowercase
    if strip_accents:
        steps += ("NFD", STRIP_ACCENTS, normalization or "NFC")  # without the last step Hangul stays decomposed
    return Normalizer(steps)


def normalizer_with(steps: Sequence[str]) -> Normalizer:
    """Return the normalizer for the steps that a file names. Raises UnknownNormalizationError."""
    unknown = [step for step in steps if step not in (*STEPS, SIGNS_AS_SPACES)]
    if unknown:
        raise UnknownNormalizationError(f"Unknown normalization step {unknown[0]!r}. Available: {', '.join(STEPS)}.")
    return Normalizer(tuple(steps))


def _parts(text: str) -> Iterator[str]:
    """Yield a text in parts that begin with ASCII characters; a text without any is one part."""
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
    """Yield the user-perceived characters of a text. Each can be normalized separately."""
    import regex

    for match in regex.finditer(r"\X", text):
        yield match.group()
