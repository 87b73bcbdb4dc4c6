"""Encodings that change a text before they encode it: normalization, marks at the ends of words, signs for spaces.

An ``AlteringEncoding`` is one whose tokens, joined, are not the text but what was made of it first. A
``PreparedEncoding`` is one that does a ``Preparation``: normalization, and either marks at the ends of words or signs
for spaces (``engine.text.space_signs``).

A mark ``</w>`` is stored as a space: ``lower`` is encoded as ``lower`` and a space, and decoding gives words with one
space behind each. White space itself is not encoded then. This tells tokens that may end a word from those that may
not, as Sennrich, Haddow and Birch (2016) do it.

``aligned_ends`` finds where in the original text the tokens of the prepared text end, so that they can be shown there.
Both texts are divided into the same number of units, each of which stands for one of the other text. Inside a unit that
has the same length in both, places correspond one by one. In a unit that changed its length, the end of a token is
placed as far from the start of the unit as it is in the prepared text, or at the end of the unit. All lengths and
places are UTF-16 units.
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
from engine.runtime.running_sums import AT_A_TIME, running_sums, running_sums_at
from engine.split.pretokenization import pretokenizer, stretches
from engine.split.safe_cuts import WHITE_SPACE
from engine.split.special_text import split_at_specials
from engine.text.normalization import Normalizer, clusters, normalizer_with
from engine.text.space_signs import SIGN, SpaceSigns, signs_of
from engine.text.utf16 import pairs, utf16_length
from engine.vocabulary.bundle import BundledVocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.encoding.encoder import NativeEncoder
    from engine.split.patterns import SplitPattern
    from engine.text.byte_fallback import ByteFallback
    from engine.types import MergeStep


class AlteringEncoding(Encoding):
    """As ``Encoding``, but that where tokens are in a text does not follow from their bytes: it is asked for."""

    prepares = True

    def utf16_ends(self, text: str, ids: NDArray[np.int32], *, special_as_tokens: bool) -> NDArray[np.int32]:
        """int32[n]: where the tokens that a text has end in it, in UTF-16 units: in order, the last one at its end.

        ids: int32[n], what ``token_ids`` gives for the text in this reading of special tokens.
        """
        raise NotImplementedError


MARKED_WORDS = r"\S+ ?|\s+"
"""The split pattern of texts with marks."""

_MARK_WORDS = "mark words: "

_BETWEEN_LOOKS = 256

_WORD = re.compile(f"[^{WHITE_SPACE}]+")

_MARKS_WARNING = (
    "Words end in a mark, and whitespace is not kept: a decoded text has one space behind each word, "
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
    return interruptible(_words_of_text(text, pattern), every=_BETWEEN_LOOKS)  # one pretoken may be all of the text


def _words_of_text(text: str, pattern: str) -> Iterator[tuple[int, int]]:
    for stretch in interruptible(stretches(pretokenizer(pattern), text), every=1):
        for start, end in interruptible(pairs(stretch.char_spans + stretch.char_start)):
            yield from (match.span() for match in _WORD.finditer(text, start, end))


def mark_words(text: str, pattern: str) -> str:
    """The words of a text, with a mark behind each. SplitTimeoutError."""
    words = (text[start:end] for start, end in words_of_text(text, pattern))
    # A word is an object of fifty bytes and more: of a long text they are never all there.
    return "".join(iter(lambda: "".join(f"{word} " for word in itertools.islice(words, ENTRIES)), ""))


_ASKING = 128
"""After so many lines or characters it is asked whether the work is still wanted: normalising each takes a while."""

_LINES_CHARACTERS = 1 << 16
"""Lines are cut out of so many characters at a time, and a few more."""

_BEYOND_ASCII = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
"""What may change its length, with the character in front that it may be joined to."""

_Units = tuple["array[int]", "array[int]"]
"""The lengths of all units in the text as it is, and in the other one: as numbers of 64 bits, there may be millions."""


def aligned_ends(encoding: PreparedEncoding, text: str, ids: NDArray[np.int32], allowed: Set[str]) -> NDArray[np.int32]:
    """int32[n]: where the tokens of a text end in it, the last one at its end; nothing is before where it should be.

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
    """Neighbours of the same length in both texts are one unit: of ten million characters that is most."""
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
    """The lengths of units, one behind the other."""
    if text == changed:
        yield (utf16_length(text),) * 2
        return
    for line in interruptible(_lines(text), _ASKING):
        if normalizer(line) == line:
            yield (utf16_length(line),) * 2
            continue
        place = 0
        for match in interruptible(_BEYOND_ASCII.finditer(line), _ASKING):
            # ASCII may have become other letters, but not more or fewer; and whatever begins with it stands alone.
            yield (match.start() - place,) * 2
            place = match.end()
            part = match.group()
            if normalizer(part) == part:
                yield (utf16_length(part),) * 2
                continue
            for cluster in interruptible(clusters(part), _ASKING):
                yield utf16_length(cluster), utf16_length(normalizer(cluster))
        yield (len(line) - place,) * 2


def _lines(text: str) -> Iterator[str]:
    """The lines of a text with their ends, which are not all made at once."""
    start = 0
    while start < len(text):
        stop = text.find("\n", start + _LINES_CHARACTERS) + 1 or len(text)
        yield from text[start:stop].splitlines(keepends=True)
        start = stop


def _marked_units(text: str, words_of: str) -> _Units:
    """Of each word and its mark, behind which white space may stand in the text as it is."""
    before, after = _no_units()
    place = 0
    for start, end in words_of_text(text, words_of):
        if place == 0:
            before.append(utf16_length(text[:start]))
            after.append(0)
        elif start >= place:
            before.append(utf16_length(text[place:start]))
            after.append(1)
        size = utf16_length(text[start:end])
        before.append(size)
        after.append(size)
        place = end
    before.append(utf16_length(text[place:]))
    after.append(1 if place else 0)
    return before, after


def _moved_back(ends: NDArray[np.int64], units: _Units) -> NDArray[np.int64]:
    lengths = np.frombuffer(units[0], np.int64)
    before, after = _starts(lengths), _starts(np.frombuffer(units[1], np.int64))
    room = np.append(lengths, 0)
    moved = np.empty(len(ends), dtype=np.int64)
    highest = 0
    for first in interruptible(range(0, len(ends), AT_A_TIME), every=1):
        some = ends[first : first + AT_A_TIME]
        unit = np.maximum(np.searchsorted(after, some, side="right") - 1, 0)
        part = before[unit] + np.minimum(some - after[unit], room[unit])
        part = np.maximum(np.minimum(part, before[-1]), highest)
        np.maximum.accumulate(part, out=moved[first : first + AT_A_TIME])
        highest = int(moved[first + len(part) - 1])
    return moved


def _starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n + 1]: where units of these lengths start, and where the last one ends."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    running_sums(lengths, starts[1:])
    return starts


class PreparedEncoding(AlteringEncoding):
    """As ``Encoding``, but that ``decode(encode(text))`` is ``preparation(text)`` with spaces for their signs. Special
    tokens are looked for in the text as it is."""

    preparation: Preparation
    """What is done to a text first; the split pattern is for prepared text."""

    byte_fallback: bool
    """Whether unknown characters are written in single bytes (``engine.text.byte_fallback``)."""

    @classmethod
    def bundled(
        cls,
        name: str,
        pattern: SplitPattern,
        vocabulary: BundledVocabulary,
        special_tokens: Callable[[], dict[str, int]],
        steps: Sequence[str],
    ) -> Encoding:
        """Return a bundled encoding that does these steps to a text first; otherwise as ``Encoding.from_bundle``."""
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
        from engine.text.byte_fallback import ByteFallback

        return ByteFallback(self._mergeable_ranks, self.n_vocab) if self.byte_fallback else None

    @property
    def native(self) -> NativeEncoder | None:
        """Our own encoder, which knows nothing of preparing texts: for those that ``takes_as_is``. None where unknown
        characters are written in single bytes, which it does not know either."""
        return None if self._fallback is not None else super().native

    def takes_as_is(self, text: str) -> bool:
        """Return whether the preparation leaves a text as it is."""
        return self.preparation(text) == text

    def encodes_like(self, other: Encoding) -> bool:
        """As for any encoding, with the same preparation."""
        if self is other:
            return True
        return isinstance(other, PreparedEncoding) and self._does_like(other) and super().encodes_like(other)

    def _does_like(self, other: PreparedEncoding) -> bool:
        return (self.preparation, self.byte_fallback) == (other.preparation, other.byte_fallback)

    @property
    def has_safe_cuts(self) -> bool:
        """Whether ``engine.split.safe_cuts`` holds for texts before they are prepared: composing leaves every character
        that cuts depend on what it is, other changes may not."""
        return self.preparation.steps in ((), ("NFC",)) and super().has_safe_cuts

    def count(self, text: str | bytes, *, num_threads: int = 1) -> int:
        """How many tokens ``encode_ordinary`` gives."""
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
        """int64[n]: the UTF-8 byte offset in the text as it is at which each token of ``encode_ordinary`` ends; that of
        the last is its end. A lone surrogate takes three bytes, as U+FFFD. Of a text that is changed first, tokens that
        share a character end where it does."""
        from engine.text.byte_map import ByteMap
        from engine.text.validity import without_surrogates

        text = without_surrogates(text)
        if self.takes_as_is(text) and not self.byte_fallback:
            return super().token_ends(text)
        ends = self.utf16_ends(text, self.token_ids(text), special_as_tokens=False)
        return ByteMap(text).of_units(ends)

    def utf16_ends(self, text: str, ids: NDArray[np.int32], *, special_as_tokens: bool) -> NDArray[np.int32]:
        """As in ``AlteringEncoding``; places correspond as in ``aligned_ends``."""

        return aligned_ends(self, text, ids, self.special_tokens_set if special_as_tokens else frozenset())

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """The bytes of these tokens, one after the other, with spaces for their signs. KeyError for an id that stands
        for nothing."""
        return self.preparation.undone(super().decode_bytes(tokens))

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """As for any encoding, in the text that ``decode`` gives."""
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
        """As for any encoding; with byte fallback, the bytes of an unknown character stay apart."""
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
    """An encoding that does these steps to a text first (``preparation_with``). One that does some already stays as it
    is. UnknownNormalizationError."""
    if not steps or isinstance(encoding, PreparedEncoding):
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
    """An encoding with this preparation; an ordinary one where there is nothing to it. ``pattern`` is for prepared
    texts. ValueError where it is no pattern."""
    if not preparation.steps and not byte_fallback:
        return Encoding.of_ranks(name, pattern, ranks, special_tokens)
    encoding = PreparedEncoding.of_ranks(name, pattern, ranks, special_tokens)
    encoding.preparation = preparation
    encoding.byte_fallback = byte_fallback
    return encoding
