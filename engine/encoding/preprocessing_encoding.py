"""Encodings that change a text before they encode it: normalization, end-of-word marks, signs for spaces.

A ``NormalizingEncoding`` is one whose concatenated tokens are not the text but its changed form. A
``PreprocessingEncoding`` applies a ``Preparation``: normalization, and either end-of-word marks or signs for spaces
(``engine.text.sentencepiece``).

A mark ``</w>`` is stored as a space: ``lower`` is encoded as ``lower`` and a space, and decoding returns words with one
space after each. Whitespace itself is not encoded then. This distinguishes tokens that may end a word from those that
may not, as in Sennrich, Haddow and Birch (2016).

``aligned_ends`` finds the offsets in the original text at which the tokens of the prepared text end, so that they can
be shown there. Both texts are divided into the same number of corresponding units. Inside a unit that has the same
length in both, offsets correspond one to one. In a unit of changed length, the end of a token is placed at its distance
from the start of the unit in the prepared text, at most at the end of the unit. All lengths and offsets are in UTF-16
units.
"""

from __future__ import annotations

import functools
import itertools
import re
from array import array
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.encoding.encoding import Encoding
from engine.runtime.cancellation import ENTRIES, interruptible
from engine.split.pretokenization import pretoken_chunks, pretokenizer
from engine.split.safe_boundaries import WHITE_SPACE
from engine.split.special_text import split_at_specials
from engine.text.normalization import Normalizer, clusters, normalizer_with
from engine.text.offsets import AT_A_TIME, pairs, running_sums, running_sums_at, utf16_length
from engine.text.sentencepiece import SIGN, Metaspace, signs_of
from engine.vocabulary.bundle import BundledVocabulary

if TYPE_CHECKING:
    from engine.encoding.encoder import NativeEncoder
    from engine.split.patterns import SplitPattern
    from engine.text.sentencepiece import ByteFallback
    from engine.types import MergeStep


class NormalizingEncoding(Encoding):
    """Like ``Encoding``, but token offsets in a text do not follow from the tokens' bytes; ``utf16_ends`` computes
    them."""

    prepares = True

    def utf16_ends(self, text: str, ids: NDArray[np.int32], *, special_as_tokens: bool) -> NDArray[np.int32]:
        """Return int32[n]: the end of each token in a text, in UTF-16 units, ascending; the last is the end of the
        text.

        ids: int32[n], the result of ``token_ids`` for the text with the same handling of special tokens.
        """
        raise NotImplementedError


# --- preparation of a text --------------------------------------------------------------------------------------------

MARKED_WORDS = r"\S+ ?|\s+"
"""Split pattern of texts with end-of-word marks."""

_MARK_WORDS = "mark words: "

_WORDS_PER_CHECK = 256

_WORD = re.compile(f"[^{WHITE_SPACE}]+")

_MARKS_WARNING = (
    "Words end in a mark, and whitespace is not preserved: a decoded text has one space after each word, "
    "whatever was there."
)
_SIGNS_WARNING = f"Spaces are written as {SIGN}: a {SIGN} in the text is decoded as a space."


@dataclass(frozen=True, slots=True)
class Preparation:
    """Changes to a text before encoding. ``words_of``: the split pattern whose pretokens are words, each of which gets
    a mark; None for no marks. ``signs``: how spaces are written; None to keep them. At most one of the two is set."""

    normalizer: Normalizer = field(default_factory=Normalizer)
    words_of: str | None = None
    signs: Metaspace | None = None

    @property
    def steps(self) -> tuple[str, ...]:
        """Names of its steps for a file: those of ``engine.text.normalization``, and ``mark words: `` with the pattern
        or those of ``engine.text.sentencepiece``."""
        if self.signs is not None:
            return self.normalizer.steps + self.signs.steps
        return self.normalizer.steps + (() if self.words_of is None else (_MARK_WORDS + self.words_of,))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Losses that it causes, in one or two sentences each."""
        marks, signs = self.words_of is not None, self.signs is not None
        return self.normalizer.warnings + (_MARKS_WARNING,) * marks + (_SIGNS_WARNING,) * signs

    def __call__(self, text: str) -> str:
        """Return the text as it will be encoded. Raises SplitTimeoutError."""
        text = self.normalizer(text)
        if self.signs is not None:
            return self.signs(text)
        return text if self.words_of is None else mark_words(text, self.words_of)

    def undone(self, content: bytes) -> bytes:
        """Return decoded UTF-8 with signs replaced by spaces; nothing else is reverted."""
        return content if self.signs is None else self.signs.undone(content)


def preparation_with(steps: Sequence[str]) -> Preparation:
    """Return the preparation for the steps that a file names. Raises UnknownNormalizationError."""
    if steps and steps[-1].startswith(_MARK_WORDS):
        return Preparation(normalizer_with(steps[:-1]), steps[-1].removeprefix(_MARK_WORDS))
    before, signs = signs_of(tuple(steps))
    return Preparation(normalizer_with(before), signs=signs)


def words_of_text(text: str, pattern: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each word of a text, in characters. A word is a run of non-whitespace within a
    pretoken. Raises SplitTimeoutError."""
    return interruptible(_words_of_text(text, pattern), every=_WORDS_PER_CHECK)  # one pretoken may be the whole text


def _words_of_text(text: str, pattern: str) -> Iterator[tuple[int, int]]:
    for chunk in interruptible(pretoken_chunks(pretokenizer(pattern), text), every=1):
        for start, end in interruptible(pairs(chunk.char_spans + chunk.char_start)):
            yield from (match.span() for match in _WORD.finditer(text, start, end))


def mark_words(text: str, pattern: str) -> str:
    """Return the words of a text, each followed by a mark. Raises SplitTimeoutError."""
    words = (text[start:end] for start, end in words_of_text(text, pattern))
    # A word is an object of at least fifty bytes: the words of a long text never exist all at once.
    return "".join(iter(lambda: "".join(f"{word} " for word in itertools.islice(words, ENTRIES)), ""))


# --- offsets in the original text -------------------------------------------------------------------------------------

_PER_CHECK = 128
"""Lines or characters between two cancellation checks: normalizing each takes a while."""

_LINES_CHARACTERS = 1 << 16
"""Minimum number of characters that are split into lines at a time."""

_BEYOND_ASCII = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
"""Text that may change its length, with the character before it, which it may be composed with."""

_Units = tuple["array[int]", "array[int]"]
"""Lengths of all units in the original text and in the other, as 64-bit integers: there may be millions."""


def aligned_ends(
    encoding: PreprocessingEncoding, text: str, ids: NDArray[np.int32], allowed: Set[str]
) -> NDArray[np.int32]:
    """Return int32[n]: the end of each token in a text, ascending; the last is the end of the text. No end is too
    early.

    ids: int32[n], of ``encoding``, with texts of ``allowed`` as special tokens.
    """
    ends = running_sums_at(encoding.utf16_lengths, ids)
    if encoding.takes_as_is(text):
        return ends.astype(np.int32)
    marked, normalized = _no_units(), _no_units()
    for segment, special in split_at_specials(text, allowed):
        for units, more in zip((normalized, marked), _units_of_segment(segment, encoding.preparation), strict=True):
            for lengths_of_one, of_segment in zip(units, more, strict=True):
                lengths_of_one.extend(of_segment)
                lengths_of_one.append(utf16_length(special))
    for units in (marked, normalized):
        ends = _moved_back(ends, units)
    if len(ends):
        ends[-1] = utf16_length(text)
    return ends.astype(np.int32)


def _units_of_segment(text: str, preparation: Preparation) -> tuple[_Units, _Units]:
    changed = preparation.normalizer(text)
    normalized = _normalized_units(text, changed, preparation.normalizer)
    if preparation.words_of is None:
        whole = utf16_length(changed)
        in_front = int(preparation.signs is not None and preparation.signs.dummy_prefix and whole > 0)
        return normalized, (array("q", [0, whole]), array("q", [in_front, whole]))
    return normalized, _marked_units(changed, preparation.words_of)


def _no_units() -> _Units:
    return array("q"), array("q")


def _normalized_units(text: str, changed: str, normalizer: Normalizer) -> _Units:
    """Return the units of both texts. Adjacent units of unchanged length, which are nearly all, become one."""
    before, after = _no_units()
    same = 0
    for old, new in _corresponding(text, changed, normalizer):
        if old == new:
            same += old
            continue
        before.extend((same, old))
        after.extend((same, new))
        same = 0
    before.append(same)
    after.append(same)
    return before, after


def _corresponding(text: str, changed: str, normalizer: Normalizer) -> Iterator[tuple[int, int]]:
    """Yield the lengths of consecutive units."""
    if text == changed:
        yield (utf16_length(text),) * 2
        return
    for line in interruptible(_lines(text), _PER_CHECK):
        if normalizer(line) == line:
            yield (utf16_length(line),) * 2
            continue
        done = 0
        for match in interruptible(_BEYOND_ASCII.finditer(line), _PER_CHECK):
            # ASCII may become other letters, but never more or fewer; and text that begins with it is independent.
            yield (match.start() - done,) * 2
            done = match.end()
            span = match.group()
            if normalizer(span) == span:
                yield (utf16_length(span),) * 2
                continue
            for cluster in interruptible(clusters(span), _PER_CHECK):
                yield utf16_length(cluster), utf16_length(normalizer(cluster))
        yield (len(line) - done,) * 2


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text with their ends, without creating all of them at once."""
    start = 0
    while start < len(text):
        stop = text.find("\n", start + _LINES_CHARACTERS) + 1 or len(text)
        yield from text[start:stop].splitlines(keepends=True)
        start = stop


def _marked_units(text: str, words_of: str) -> _Units:
    """Return the units of words and marks. A mark corresponds to the whitespace after its word, if there is any."""
    before, after = _no_units()
    done = 0
    for start, end in words_of_text(text, words_of):
        if done == 0:
            before.append(utf16_length(text[:start]))
            after.append(0)
        elif start >= done:
            before.append(utf16_length(text[done:start]))
            after.append(1)
        size = utf16_length(text[start:end])
        before.append(size)
        after.append(size)
        done = end
    before.append(utf16_length(text[done:]))
    after.append(1 if done else 0)
    return before, after


def _moved_back(ends: NDArray[np.int64], units: _Units) -> NDArray[np.int64]:
    lengths = np.frombuffer(units[0], np.int64)
    before, after = _starts(lengths), _starts(np.frombuffer(units[1], np.int64))
    widths = np.append(lengths, 0)
    moved = np.empty(len(ends), dtype=np.int64)
    highest = 0
    for first in interruptible(range(0, len(ends), AT_A_TIME), every=1):
        some = ends[first : first + AT_A_TIME]
        unit = np.maximum(np.searchsorted(after, some, side="right") - 1, 0)
        moved_some = before[unit] + np.minimum(some - after[unit], widths[unit])
        moved_some = np.maximum(np.minimum(moved_some, before[-1]), highest)
        np.maximum.accumulate(moved_some, out=moved[first : first + AT_A_TIME])
        highest = int(moved[first + len(moved_some) - 1])
    return moved


def _starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int64[n + 1]: the starts of units of these lengths, and the end of the last."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    running_sums(lengths, starts[1:])
    return starts


# --- the encoding -----------------------------------------------------------------------------------------------------


class PreprocessingEncoding(NormalizingEncoding):
    """Like ``Encoding``, except that ``decode(encode(text))`` is ``preparation(text)`` with spaces for their signs.
    Special tokens are recognized in the original text."""

    preparation: Preparation
    """Changes to a text before encoding; the split pattern is for prepared text."""

    byte_fallback: bool
    """True if unknown characters are written as single bytes (``engine.text.sentencepiece``)."""

    @classmethod
    def bundled(
        cls,
        name: str,
        pattern: SplitPattern,
        vocabulary: BundledVocabulary,
        special_tokens: Callable[[], dict[str, int]],
        steps: Sequence[str],
    ) -> Encoding:
        """Return a bundled encoding that applies these steps to a text first; otherwise like
        ``Encoding.from_bundle``."""
        encoding = cls.from_bundle(name, pattern, vocabulary, special_tokens)
        encoding.preparation = preparation_with(steps)
        encoding.byte_fallback = False
        return encoding

    def __reduce__(self) -> tuple[Callable[..., Encoding], tuple[Any, ...]]:
        if isinstance(self._ranks, BundledVocabulary):
            return super().__reduce__()
        own = (self.name, self._pat_str, self._mergeable_ranks, self._special_tokens)
        return encoding_with, (*own, self.preparation, self.byte_fallback)

    @functools.cached_property
    def _fallback(self) -> ByteFallback | None:
        from engine.text.sentencepiece import ByteFallback

        return ByteFallback(self._mergeable_ranks, self.n_vocab) if self.byte_fallback else None

    @property
    def native(self) -> NativeEncoder | None:
        """The native encoder, which does not prepare texts: for those that ``takes_as_is``. None with byte fallback,
        which it does not support either."""
        return None if self._fallback is not None else super().native

    def takes_as_is(self, text: str) -> bool:
        """Return True if the preparation leaves a text unchanged."""
        return self.preparation(text) == text

    def encodes_like(self, other: Encoding) -> bool:
        """Return the same as for any encoding, given the same preparation."""
        if self is other:
            return True
        return isinstance(other, PreprocessingEncoding) and self._does_like(other) and super().encodes_like(other)

    def _does_like(self, other: PreprocessingEncoding) -> bool:
        return (self.preparation, self.byte_fallback) == (other.preparation, other.byte_fallback)

    @property
    def has_safe_boundaries(self) -> bool:
        """True if ``engine.split.safe_boundaries`` holds for texts before they are prepared: composing does not change
        the characters that boundaries depend on; other steps may."""
        return self.preparation.steps in ((), ("NFC",)) and super().has_safe_boundaries

    def count(self, text: str | bytes, *, num_threads: int = 1) -> int:
        """Return the number of tokens of ``encode_ordinary``."""
        if self._undecided:
            self._decide()
        if self._native is None and self._fallback is None:
            return super().count(text)
        if isinstance(text, bytes):
            text = text.decode("utf-8", "replace")
        if self._fallback is not None:
            return len(self.token_ids(text, num_threads=num_threads))
        return super().count(self.preparation(text), num_threads=num_threads)

    def token_ends(self, text: str) -> NDArray[np.int64]:
        """Return int64[n]: the UTF-8 byte offset in the original text at which each token of ``encode_ordinary`` ends;
        the last is its end. A lone surrogate takes three bytes, as U+FFFD. If the text is changed first, tokens that
        share a character end after it."""
        from engine.text.offsets import ByteMap, without_surrogates

        text = without_surrogates(text)
        if self.takes_as_is(text) and not self.byte_fallback:
            return super().token_ends(text)
        ends = self.utf16_ends(text, self.token_ids(text), special_as_tokens=False)
        return ByteMap(text).of_units(ends)

    def utf16_ends(self, text: str, ids: NDArray[np.int32], *, special_as_tokens: bool) -> NDArray[np.int32]:
        """Return the same as in ``NormalizingEncoding``; offsets correspond as in ``aligned_ends``."""

        return aligned_ends(self, text, ids, self.special_tokens_set if special_as_tokens else frozenset())

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """Return the concatenated bytes of these tokens, with spaces for their signs. Raises KeyError for an unused
        id."""
        return self.preparation.undone(super().decode_bytes(tokens))

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """Return the same as for any encoding, in the text that ``decode`` returns."""
        text, offsets = super().decode_with_offsets(tokens)
        signs = self.preparation.signs
        if signs is None:
            return text, offsets
        if signs.dummy_prefix and text.startswith(SIGN):
            text, offsets = text[1:], [max(0, offset - 1) for offset in offsets]
        return text.replace(SIGN, " "), offsets

    def _steps(self, content: bytes) -> list[MergeStep]:
        steps = super()._steps(content)
        if self._fallback is None:
            return steps
        spans = [(step.byte_start, step.byte_start + int(self.byte_lengths[step.token_id])) for step in steps]
        return [step for step, span in zip(steps, spans, strict=True) if not self._fallback.keeps_apart(content, *span)]

    def joined_id(self, content: bytes, byte_start: int, byte_end: int) -> int | None:
        """Return the same as for any encoding; with byte fallback, the bytes of an unknown character never merge."""
        if self._fallback is not None and self._fallback.keeps_apart(content, byte_start, byte_end):
            return None
        return super().joined_id(content, byte_start, byte_end)

    def _list(self, text: str, allowed: Set[str]) -> list[int]:
        if self._fallback is not None:
            ids: list[int] = self._ids(text, allowed).tolist()
            return ids
        return self._prepared_list(text, allowed)

    def _prepared_list(self, text: str, allowed: Set[str]) -> list[int]:
        ids = []
        for segment, special in split_at_specials(text, allowed):
            ids += super()._list(self.preparation(segment), frozenset())
            if special:
                ids.append(self._special_tokens[special])
        return ids

    def _ids(self, text: str, allowed: Set[str], num_threads: int = 1) -> NDArray[np.int32]:
        import numpy as np

        if not allowed:
            ids = super()._ids(self.preparation(text), allowed, num_threads)
        else:
            ids = np.array(self._prepared_list(text, allowed), dtype=np.int32)
        if self._fallback is not None:
            ids = self._fallback.in_single_bytes(ids)
        ids.flags.writeable = False
        return ids


def prepared(encoding: Encoding, steps: Sequence[str], *, byte_fallback: bool = False) -> Encoding:
    """Return an encoding that applies these steps to a text first (``preparation_with``). An encoding with a
    preparation is returned unchanged. Raises UnknownNormalizationError."""
    if not steps or isinstance(encoding, PreprocessingEncoding):
        return encoding
    return encoding_with(
        encoding.name,
        encoding._pat_str,
        encoding._mergeable_ranks,
        encoding._special_tokens,
        preparation_with(steps),
        byte_fallback,
    )


def encoding_with(
    name: str,
    pattern: str,
    ranks: dict[bytes, int],
    special_tokens: dict[str, int],
    preparation: Preparation,
    byte_fallback: bool = False,
) -> Encoding:
    """Create an encoding with this preparation; an ordinary one if it is empty. ``pattern`` is for prepared texts.
    Raises ValueError if it is not a pattern."""
    if not preparation.steps and not byte_fallback:
        return Encoding.of_ranks(name, pattern, ranks, special_tokens)
    encoding = PreprocessingEncoding.of_ranks(name, pattern, ranks, special_tokens)
    encoding.preparation = preparation
    encoding.byte_fallback = byte_fallback
    return encoding
