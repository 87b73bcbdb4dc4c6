"""TextEncoding: how a text becomes token ids: by our own kernels, by tiktoken's encoder at once, or part by part."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Collection, Iterator, Set
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from engine.errors import UnsupportedTextError
from engine.runtime.tiktoken_core import SplitGaveUpError, guarded
from engine.split import long_runs
from engine.split.fallback import split_apart
from engine.split.special_text import raise_disallowed, special_token_regex, split_at_specials

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.encoding.chunked_encoder import NativeFront
    from engine.runtime.tiktoken_core import CoreBPE
    from engine.split.patterns import SplitPattern

_T = TypeVar("_T")


class TextEncoding:
    """The part of ``engine.Encoding`` that encodes."""

    name: str
    _pat_str: str
    _pattern: SplitPattern | None
    """The pattern, if it is a known one."""
    _native: NativeFront | None
    """Our own encoder, from ``use_kernels`` on."""
    _undecided = False
    """True until the first text decides whether compiled kernels are used."""

    if TYPE_CHECKING:  # the other part has it

        @property
        def _core_bpe(self) -> CoreBPE: ...

        def _core_for(self, text: str) -> CoreBPE: ...

        def _decide(self) -> None: ...

        @property
        def _mergeable_ranks(self) -> dict[bytes, int]: ...

        def encode_ordinary(self, text: str) -> list[int]: ...

        @property
        def _special_tokens(self) -> dict[str, int]: ...

        @property
        def special_tokens_set(self) -> set[str]: ...

    def _checked_specials(
        self,
        text: str,
        allowed_special: Literal["all"] | Set[str],
        disallowed_special: Literal["all"] | Collection[str],
    ) -> Set[str]:
        """The allowed texts as a set. ValueError where a disallowed one occurs in the text."""
        allowed = self.special_tokens_set if allowed_special == "all" else allowed_special
        disallowed = self.special_tokens_set - allowed if disallowed_special == "all" else disallowed_special
        if disallowed and (found := special_token_regex(frozenset(disallowed)).search(text)):
            raise_disallowed(found.group())
        return frozenset(allowed) if isinstance(allowed, Set) else allowed  # tiktoken's core takes no other kind of set

    @functools.cached_property
    def _some_begin_alike(self) -> bool:
        """True if one special token begins with another. tiktoken's encoder takes any of them; here the longest wins,
        as in Hugging Face's library."""
        in_order = sorted(self._special_tokens)  # what begins with a text follows it
        return any(longer.startswith(text) for text, longer in itertools.pairwise(in_order))

    def _list(self, text: str, allowed: Set[str]) -> list[int]:
        if self._undecided:
            self._decide()
        if allowed and (self._native is not None or self._some_begin_alike):
            parts = self._around_specials(text, allowed, lambda segment: self._list(segment, frozenset()))
            return [token for part in parts for token in part]
        if self._native is not None:
            return self._native.encode_to_list(text)
        if not self._needs_parts(text):
            try:
                with guarded():
                    # Of the two, encode_ordinary is the faster but panics, with a report on standard error.
                    core = self._core_for(text)
                    if allowed or self._pattern is None:
                        ids: list[int] = core.encode(text, allowed)
                    else:
                        ids = core.encode_ordinary(text)
                return ids
            except SplitGaveUpError:
                pass  # a pattern of the user's own; _parts splits it another way
        return [token for part in self._parts(text, allowed) for token in part]

    def _ids(self, text: str, allowed: Set[str], num_threads: int = 1) -> NDArray[np.int32]:
        import numpy as np

        if self._undecided:
            self._decide()
        ids_of_parts: Iterator[Any]
        if allowed and (self._native is not None or self._some_begin_alike):
            encode = functools.partial(self._ids, allowed=frozenset(), num_threads=num_threads)
            ids_of_parts = self._around_specials(text, allowed, encode)
        elif self._native is not None:
            return self._native.encode(text, num_threads=num_threads).view(np.int32)
        elif self._needs_parts(text):
            ids_of_parts = self._parts(text, allowed)
        else:
            try:
                with guarded():
                    buffer = self._core_for(text).encode_to_tiktoken_buffer(text, allowed)
                return np.frombuffer(buffer, dtype=np.int32)
            except SplitGaveUpError:  # a pattern of the user's own; _parts splits it another way
                ids_of_parts = self._parts(text, allowed)
        parts = [np.asarray(ids, dtype=np.int32) for ids in ids_of_parts]
        whole = np.concatenate([np.empty(0, dtype=np.int32), *parts])
        whole.flags.writeable = False
        return whole

    def _around_specials(self, text: str, allowed: Set[str], encode: Callable[[str], _T]) -> Iterator[_T | list[int]]:
        """The tokens of the stretches between special tokens, and of those."""
        for segment, special in split_at_specials(text, allowed & self.special_tokens_set):
            yield encode(segment)
            if special:
                yield [self._special_tokens[special]]

    def _needs_parts(self, text: str) -> bool:
        """Whether the text has a run of characters that the split engine would give up on."""
        return (
            self._pattern is not None
            and len(text) >= long_runs.LIMIT
            and bool(long_runs.find_long_runs(self._pattern, text))
        )

    def _parts(self, text: str, allowed: Set[str]) -> Iterator[list[int]]:
        """The text's tokens part by part, where the encoder cannot take it at once."""
        for segment, special in split_at_specials(text, allowed & self.special_tokens_set):
            if self._pattern is None:
                yield self._encode_only_native_bpe(segment)
            else:
                yield from long_runs.encode_around_runs(self._core_bpe, self._pattern, segment)
            if special:
                yield [self._special_tokens[special]]

    def _encode_single_piece(self, text_or_bytes: str | bytes) -> list[int]:
        if isinstance(text_or_bytes, str):
            text_or_bytes = text_or_bytes.encode("utf-8")
        ids: list[int] = self._core_bpe.encode_single_piece(text_or_bytes)
        return ids

    def _encode_only_native_bpe(self, text: str) -> list[int]:
        return [token for piece in split_apart(self._pat_str, text) for token in self._encode_single_piece(piece)]

    def encode_bytes(self, content: bytes) -> list[int]:
        """Token ids of any bytes. From the first that is no UTF-8 on, nothing splits them: they are merged as they are.

        Raises UnsupportedTextError for bytes that are no UTF-8 if the vocabulary does not have every byte.
        """
        try:
            return self.encode_ordinary(content.decode("utf-8"))
        except UnicodeDecodeError:
            pass
        ranks = self._mergeable_ranks
        if not all(bytes([value]) in ranks for value in range(256)):
            raise UnsupportedTextError(f"{self.name} does not have a token for every byte: it only takes UTF-8")
        return self._encode_bytes(content)

    def _encode_bytes(self, text: bytes) -> list[int]:
        ids: list[int] = self._core_bpe._encode_bytes(text)
        return ids
