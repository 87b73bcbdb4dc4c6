"""An encoding that does something to a text before it encodes it (``engine.encoding.preparation``)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence, Set
from typing import TYPE_CHECKING, Any

from engine.encoding.altering_encoding import AlteringEncoding
from engine.encoding.encoding import Encoding
from engine.encoding.preparation import Preparation, preparation_with
from engine.split.special_text import split_at_specials
from engine.text.space_signs import SIGN
from engine.vocabulary.bundled import BundledVocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.encoding.encoder import NativeEncoder
    from engine.split.patterns import SplitPattern
    from engine.text.byte_fallback import ByteFallback
    from engine.types import MergeStep


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
        """As in ``AlteringEncoding``; ``engine.encoding.alignment`` says how places correspond."""
        from engine.encoding.alignment import aligned_ends

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
    """An encoding that does these steps (``engine.encoding.preparation``) to a text first. One that does some already
    stays as it is. UnknownNormalizationError."""
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
