"""Encoding: the public interface of a tokenizer.

A drop-in replacement for ``tiktoken.Encoding`` (its attributes, methods, keyword arguments, defaults, results and
exception types) that opens bundled vocabularies without a network, handles every text, and adds what an editor needs:
counting without a list, token ends, and the UTF-16 units of each token.

Two encoders do the work, with the same ids: tiktoken's, built on first use, and Tokenloupe's kernels, from
``use_kernels`` on, which have to be compiled once.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import threading
from collections.abc import Callable, Collection, Iterator, Sequence, Set
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.errors import UnsupportedTextError
from engine.runtime import caches
from engine.runtime.cancellation import interruptible
from engine.runtime.threads import in_threads
from engine.runtime.tiktoken_core import (
    CoreBPE,
    ShortTextCores,
    SplitGaveUpError,
    TokenFinder,
    build_core,
    byte_core,
    guarded,
)
from engine.split.engine_limits import encode_around_runs, find_long_runs, split_apart
from engine.split.expression import UnsupportedPatternError
from engine.split.patterns import KNOWN_EXPRESSIONS, PATTERNS, SplitPattern
from engine.split.pretokenization import pretoken_chunks, pretokenizer
from engine.split.safe_boundaries import BoundaryFinder
from engine.split.special_text import raise_disallowed, special_token_regex, split_at_specials
from engine.text.offsets import check_text, pairs, running_sums_at, without_surrogates
from engine.types import MergeStep, MergeTree, TokenInfo, TokenParents
from engine.vocabulary.bundle import BundledVocabulary, RankTable, table_from_ranks
from engine.vocabulary.tokens import Vocabulary, merge_steps, parents_by_replay, parents_from_tables

if TYPE_CHECKING:
    from pathlib import Path

    from engine.encoding.encoder import NativeEncoder
    from engine.encoding.text_encoders import TextEncoder

CHUNK_CHARS = 32_768
"""Maximum length of the chunks in which tiktoken gets long texts, in characters: slicing a text or converting it to
UTF-8 blocks every other Python thread."""

MAX_LOOKED_UP = 1000
"""Maximum number of tokens that are looked up one by one in the vocabulary before tiktoken's encoder is built: building
takes up to 0.2 s and 60 MB, which stay allocated; a thousand look-ups take 1 ms."""

Kept = Literal["start", "end", "ends"]
"""The part of a text that is kept: its start, its end, or both without the middle."""

_T = TypeVar("_T")


class Encoding:
    """A tokenizer: text to token ids and back. Safe to use from several threads."""

    prepares = False
    """True if texts are changed before they are encoded (``engine.encoding.preprocessing_encoding``)."""

    _core: CoreBPE | None
    """tiktoken's encoder; None until it is first needed."""

    awaits_kernels = False
    """True while kernels are being compiled that will encode. Until then many short texts do not make it build
    tiktoken's encoder of the whole vocabulary, of up to 100 MB."""

    _undecided = False
    """True until the first text decides whether compiled kernels are used."""

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: dict[bytes, int],
        special_tokens: dict[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        """Create a custom encoding, as with tiktoken.

        ``mergeable_ranks`` maps token bytes to ids in merge order, ``special_tokens`` texts to ids. Raises
        AssertionError if ``explicit_n_vocab`` is given and does not match them.
        """
        self._set_up(name, pat_str, mergeable_ranks, special_tokens)
        if explicit_n_vocab:
            assert len(mergeable_ranks) + len(special_tokens) == explicit_n_vocab
            assert self.max_token_value == explicit_n_vocab - 1
        self._core = build_core(mergeable_ranks, special_tokens, pat_str)
        self._undecided = False

    @classmethod
    def of_ranks(
        cls, name: str, pat_str: str, mergeable_ranks: dict[bytes, int], special_tokens: dict[str, int]
    ) -> Self:
        """Create an encoding like the constructor, but build tiktoken's encoder on first use: building takes up to
        0.2 s, during which no other Python thread runs. Raises ValueError if ``pat_str`` is not a pattern."""
        byte_core(pat_str)
        encoding = cls.__new__(cls)
        encoding._set_up(name, pat_str, mergeable_ranks, special_tokens)
        return encoding

    @classmethod
    def from_bundle(
        cls,
        name: str,
        pattern: SplitPattern,
        vocabulary: BundledVocabulary,
        special_tokens: Callable[[], dict[str, int]],
    ) -> Self:
        """Create a bundled encoding, which is pickled by its name. Its encoder, vocabulary and special tokens are
        loaded on first use, which may raise DamagedVocabularyError."""
        encoding = cls.__new__(cls)
        encoding._set_up(name, pattern.expression, vocabulary, special_tokens)
        return encoding

    def _set_up(
        self,
        name: str,
        pat_str: str,
        ranks: BundledVocabulary | dict[bytes, int],
        special_tokens: dict[str, int] | Callable[[], dict[str, int]],
    ) -> None:
        self.name = name
        self._pat_str = pat_str
        self._pattern = next((known for known in PATTERNS if known.expression == pat_str), None)
        self._ranks = ranks
        self._given_special_tokens = special_tokens
        self._core = None
        self._core_lock = threading.Lock()
        self._native: TextEncoder | None = None
        self._fits_kernels = True  # as far as is known
        self._undecided = True

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    def __reduce__(self) -> tuple[Callable[..., Encoding], tuple[Any, ...]]:
        if isinstance(self._ranks, BundledVocabulary):
            from engine import get_encoding  # not from the library, which is a higher layer

            return get_encoding, (self.name,)
        return _rebuild, (self.name, self._pat_str, self._mergeable_ranks, self._special_tokens)

    # Names of tiktoken's private attributes, for code that uses them.

    @property
    def _core_bpe(self) -> CoreBPE:
        core = self._core
        if core is None:
            with self._core_lock:
                core = self._core
                if core is None:
                    core = self._core = self._make_core()
                    self.__dict__.pop("_short_text_cores", None)
                    caches.add(self)
        return core

    def _make_core(self) -> CoreBPE:
        """Build an encoder of the whole vocabulary."""
        return build_core(self._mergeable_ranks, self._special_tokens, self._pat_str)

    def _make_short_core(self, ranks: dict[bytes, int], content: bytes) -> CoreBPE:
        """Build an encoder of only the tokens that are substrings of a UTF-8 text."""
        found = {special: token_id for special, token_id in self._special_tokens.items() if special.encode() in content}
        # Without any special token, tiktoken would match the empty text as one.
        special_tokens = found or dict(itertools.islice(self._special_tokens.items(), 1))
        return build_core(ranks, special_tokens, self._pat_str)

    def _core_for(self, text: str | bytes) -> CoreBPE:
        """Return tiktoken's encoder; for the first short texts, and for more of them while kernels are awaited, one of
        only their tokens, which is faster to build."""
        if self._core is None:
            cores = self._short_text_cores
            if short := cores.core_for(text, self._make_short_core, awaiting=self.awaits_kernels):
                return short
        return self._core_bpe

    @functools.cached_property
    def _short_text_cores(self) -> ShortTextCores:
        return ShortTextCores(self._token_finder)

    def _token_finder(self) -> TokenFinder:
        ranks = self._ranks
        if isinstance(ranks, dict):
            return TokenFinder(b"".join(ranks), np.cumsum([0, *map(len, ranks)]), np.array(list(ranks.values())))
        table = self._table
        return TokenFinder(table.blob, table.offsets, table.first_id + np.arange(len(table)))

    def drop(self) -> None:
        """Drop tiktoken's encoder, of up to 100 MB, if the kernels encode and it was built only for a feature that they
        lack. Also drops the parents of all tokens and, up to 6 MB, their bytes and lengths: the kernels' tables hold
        the same bytes, mapped from a file."""
        if self._native is None:
            return
        self.__dict__.pop("token_parents", None)
        self.__dict__.pop("_short_text_cores", None)
        if isinstance(self._ranks, BundledVocabulary):
            self.__dict__.pop("_vocabulary", None)
            self.__dict__.pop("_table", None)
            with self._core_lock:  # otherwise one that is being built would reappear
                self._core = None

    @property
    def _mergeable_ranks(self) -> dict[bytes, int]:
        return self._ranks if isinstance(self._ranks, dict) else self._table.mergeable_ranks()

    @functools.cached_property
    def _special_tokens(self) -> dict[str, int]:
        given = self._given_special_tokens
        return given if isinstance(given, dict) else given()

    @functools.cached_property
    def max_token_value(self) -> int:
        """The highest id."""
        if isinstance(self._ranks, dict):
            last_rank = max(self._ranks.values())
        else:
            last_rank = self._table.first_id + len(self._table) - 1
        return max(last_rank, max(self._special_tokens.values(), default=0))

    @functools.cached_property
    def _table(self) -> RankTable:
        ranks = self._ranks
        if isinstance(ranks, dict):
            return table_from_ranks(ranks)
        if self._native is None:
            return ranks.table()
        from engine.vocabulary.tables import table_in

        caches.add(self)
        return table_in(self._native.native.tables)

    @functools.cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self._table, self._special_tokens, self.max_token_value)

    def read_vocabulary(self) -> None:
        """Read the vocabulary, if that has not been done: a bundled one may be damaged. Raises
        DamagedVocabularyError."""
        _ = self._table

    # Kernels

    def use_kernels(self, folder: Path | None = None, *, compiled_only: bool = False) -> bool:
        """Encode with Tokenloupe's kernels from now on: the same ids, many times faster. Returns False if they do not
        support the vocabulary or the split pattern; then nothing changes.

        Compiles kernels that are not compiled yet, which takes seconds: call it on a background thread. With
        ``compiled_only`` it raises NotCompiledError instead (an EngineError of ``engine.kernels._jit``). Compiled
        code and the tables of the vocabulary are saved in ``folder``, if it is writable; None is the user's folder,
        where the window and ``python main.py warm-up`` compile. Kernels in that folder are used even without this call.
        """
        if self._native is None and self._fits_kernels:
            from engine.kernels.cache_folder import current_folder, kept_in
            from engine.vocabulary.tables import UnsupportedVocabularyError

            with kept_in(folder, compiled_only=compiled_only):
                try:
                    native = self.open_native(current_folder())
                except UnsupportedVocabularyError:
                    self._fits_kernels = False
                    return False
                text_encoder = self._text_encoder(native)
                self._fits_kernels = text_encoder is not None
                if text_encoder is None:
                    return False
                native.warm_up()
            self._native = text_encoder
            self.drop()
        return self._fits_kernels

    def _decide(self) -> None:
        """Use compiled kernels if this user has them."""
        self._undecided = False
        if self._native is None and self._fits_kernels:
            from engine.encoding.encoder_choice import take_compiled

            take_compiled(self)

    def _text_encoder(self, native: NativeEncoder) -> TextEncoder | None:
        """Return the encoder of whole texts on top of the native one, or None if the split pattern is not supported."""
        from engine.encoding.text_encoders import ChunkedEncoder, pattern_encoder

        return ChunkedEncoder(native) if native.can_scan else pattern_encoder(native, self._pat_str)

    @property
    def uses_kernels(self) -> bool:
        """True if the kernels encode."""
        return self._native is not None

    @property
    def native(self) -> NativeEncoder | None:
        """The native encoder, None before ``use_kernels``. It takes short texts, or only pretokens if it has no scanner
        for the pattern."""
        return None if self._native is None else self._native.native

    def open_native(self, folder: Path | None) -> NativeEncoder:
        """Return a native encoder with empty caches and its tables in ``folder``. Raises UnsupportedVocabularyError."""
        from engine.encoding.encoder import open_encoder
        from engine.vocabulary.tables import fingerprint_of

        if isinstance(self._ranks, BundledVocabulary):
            return open_encoder(self._pat_str, self._ranks.fingerprint, self._ranks.table, folder)
        table = self._table
        return open_encoder(self._pat_str, fingerprint_of(table), lambda: table, folder)

    # Encoding

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the token ids of a text in which special tokens are plain text."""
        try:
            return self._list(text, frozenset())
        except UnicodeEncodeError:
            return self._list(without_surrogates(text), frozenset())

    def encode(
        self,
        text: str,
        *,
        allowed_special: Literal["all"] | Set[str] = frozenset(),
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> list[int]:
        """Return the token ids of a text.

        Texts in ``allowed_special`` become special tokens. Texts in ``disallowed_special`` (by default all that are not
        allowed) raise ValueError if they occur; with ``()`` nothing raises and they are plain text.
        """
        allowed = self._checked_specials(text, allowed_special, disallowed_special)
        try:
            return self._list(text, allowed)
        except UnicodeEncodeError:
            return self._list(without_surrogates(text), allowed)

    def encode_to_numpy(
        self,
        text: str,
        *,
        allowed_special: Literal["all"] | Set[str] = frozenset(),
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> NDArray[np.uint32]:
        """Like ``encode``, but return uint32[n]. As in tiktoken, a lone surrogate raises UnicodeEncodeError."""
        allowed = self._checked_specials(text, allowed_special, disallowed_special)
        return self._ids(text, allowed).view(np.uint32)

    def encode_ordinary_batch(self, text: list[str], *, num_threads: int = 8) -> list[list[int]]:
        """Apply ``encode_ordinary`` to each text, in parallel."""
        return in_threads(self.encode_ordinary, text, num_threads)

    def encode_batch(
        self,
        text: list[str],
        *,
        num_threads: int = 8,
        allowed_special: Literal["all"] | Set[str] = frozenset(),
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> list[list[int]]:
        """Apply ``encode`` to each text, in parallel."""
        encode = functools.partial(self.encode, allowed_special=allowed_special, disallowed_special=disallowed_special)
        return in_threads(encode, text, num_threads)

    def encode_with_unstable(
        self,
        text: str,
        *,
        allowed_special: Literal["all"] | Set[str] = frozenset(),
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> tuple[list[int], list[list[int]]]:
        """Return the tokens that do not change whatever is appended to the text, and the possible continuations."""
        allowed = self._checked_specials(text, allowed_special, disallowed_special)
        before: list[int] = []
        if allowed and self._has_special_prefixes:
            *earlier, (text, _) = split_at_specials(text, allowed & self.special_tokens_set)
            before = self._list("".join(map("".join, earlier)), allowed)
            allowed = frozenset()
        with guarded():
            stable, unstable = self._core_bpe.encode_with_unstable(text, allowed)
        return before + stable, unstable

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """Return the id of the token with exactly this text, including special tokens. Raises KeyError if there is
        none."""
        if isinstance(text_or_bytes, str):
            text_or_bytes = text_or_bytes.encode("utf-8")
        token: int = self._core_bpe.encode_single_token(text_or_bytes)
        return token

    def encode_bytes(self, content: bytes) -> list[int]:
        """Return the token ids of any bytes. From the first invalid UTF-8 on, they are not split, only merged.

        Raises UnsupportedTextError for invalid UTF-8 if the vocabulary does not have every byte.
        """
        try:
            return self.encode_ordinary(str(content, "utf-8"))
        except UnicodeDecodeError:
            pass
        ranks = self._mergeable_ranks
        if not all(bytes([value]) in ranks for value in range(256)):
            raise UnsupportedTextError(f"{self.name} does not have a token for every byte: it only encodes UTF-8")
        return self._encode_bytes(content)

    def _encode_bytes(self, text: bytes) -> list[int]:
        ids: list[int] = self._core_bpe._encode_bytes(text)
        return ids

    # Text to ids: by the kernels, by tiktoken's encoder in one call, or in parts

    def _checked_specials(
        self,
        text: str,
        allowed_special: Literal["all"] | Set[str],
        disallowed_special: Literal["all"] | Collection[str],
    ) -> Set[str]:
        """Return the allowed texts as a set. Raises TypeError if ``text`` is not a str, ValueError if a disallowed text
        occurs in it."""
        check_text(text)
        allowed = self.special_tokens_set if allowed_special == "all" else allowed_special
        disallowed = self.special_tokens_set - allowed if disallowed_special == "all" else disallowed_special
        if disallowed and (found := special_token_regex(frozenset(disallowed)).search(text)):
            raise_disallowed(found.group())
        return frozenset(allowed) if isinstance(allowed, Set) else allowed  # tiktoken's core accepts no other set type

    @functools.cached_property
    def _has_special_prefixes(self) -> bool:
        """True if one special token is a prefix of another. tiktoken's encoder matches either; here the longest wins,
        as in Hugging Face's library."""
        in_order = sorted(self._special_tokens)  # a text comes right before those that it is a prefix of
        return any(longer.startswith(text) for text, longer in itertools.pairwise(in_order))

    def _list(self, text: str, allowed: Set[str]) -> list[int]:
        if self._undecided:
            self._decide()
        if allowed and (self._native is not None or self._has_special_prefixes):
            parts = self._around_specials(text, allowed, lambda segment: self._list(segment, frozenset()))
            return [token for part in parts for token in part]
        if self._native is not None:
            return self._native.encode_to_list(text)
        if not self._needs_parts(text):
            try:
                with guarded():
                    # encode_ordinary is the faster one, but panics with a report on standard error.
                    core = self._core_for(text)
                    if allowed or self._pattern is None:
                        ids: list[int] = core.encode(text, allowed)
                    else:
                        ids = core.encode_ordinary(text)
                return ids
            except SplitGaveUpError:
                pass  # a user's own pattern; _parts splits the text in another way
        return [token for part in self._parts(text, allowed) for token in part]

    def _ids(self, text: str, allowed: Set[str], num_threads: int = 1) -> NDArray[np.int32]:
        if self._undecided:
            self._decide()
        ids_of_parts: Iterator[Any]
        if allowed and (self._native is not None or self._has_special_prefixes):
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
            except SplitGaveUpError:  # a user's own pattern; _parts splits the text in another way
                ids_of_parts = self._parts(text, allowed)
        parts = [np.asarray(ids, dtype=np.int32) for ids in ids_of_parts]
        whole = np.concatenate([np.empty(0, dtype=np.int32), *parts])
        whole.flags.writeable = False
        return whole

    def _around_specials(self, text: str, allowed: Set[str], encode: Callable[[str], _T]) -> Iterator[_T | list[int]]:
        """Yield the tokens of the text between special tokens, and the special tokens themselves."""
        for segment, special in split_at_specials(text, allowed & self.special_tokens_set):
            yield encode(segment)
            if special:
                yield [self._special_tokens[special]]

    def _needs_parts(self, text: str) -> bool:
        """Return True if the text has a run of characters that is too long for the split engine."""
        return self._pattern is not None and bool(find_long_runs(self._pattern, text))

    def _parts(self, text: str, allowed: Set[str]) -> Iterator[list[int]]:
        """Yield the text's tokens in parts, for a text that the encoder cannot take in one call."""
        for segment, special in split_at_specials(text, allowed & self.special_tokens_set):
            if self._pattern is None:
                yield self._encode_only_native_bpe(segment)
            else:
                yield from encode_around_runs(self._core_bpe, self._pattern, segment)
            if special:
                yield [self._special_tokens[special]]

    def _encode_single_piece(self, text_or_bytes: str | bytes) -> list[int]:
        if isinstance(text_or_bytes, str):
            text_or_bytes = text_or_bytes.encode("utf-8")
        ids: list[int] = self._core_bpe.encode_single_piece(text_or_bytes)
        return ids

    def _encode_only_native_bpe(self, text: str) -> list[int]:
        return [token for piece in split_apart(self._pat_str, text) for token in self._encode_single_piece(piece)]

    def ids_of_pretokens(self, content: bytes, byte_spans: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return int32[n]: the token ids of the pretokens of a UTF-8 text that the caller split. ``byte_spans``:
        int64[m, 2], start and end of each."""
        native = self.native
        if native is not None:
            return native.encode_pretokens(content, byte_spans).view(np.int32)
        core = self._core_for(content)
        known: dict[bytes, list[int]] = {}
        ids: list[int] = []
        for start, end in pairs(byte_spans):
            pretoken = content[start:end]
            if pretoken not in known:
                known[pretoken] = core.encode_single_piece(pretoken)
            ids += known[pretoken]
        return np.array(ids, dtype=np.int32)

    # Decoding

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """Return the concatenated bytes of these tokens. Raises KeyError for an unused id."""
        if self._core is None and len(tokens) <= MAX_LOOKED_UP:
            known = [self._looked_up(token) for token in tokens]
            if all(known):
                return b"".join(known)
        content: bytes = self._core_bpe.decode_bytes(tokens)
        return content

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """Return the text of these tokens. Invalid UTF-8 is handled by ``errors``, as in ``bytes.decode``."""
        return self.decode_bytes(tokens).decode("utf-8", errors=errors)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Return the bytes of one token, special or not. Raises KeyError for an unused id."""
        if self._core is None and (known := self._looked_up(token)):
            return known
        content: bytes = self._core_bpe.decode_single_token_bytes(token)
        return content

    def _looked_up(self, token: int) -> bytes:
        """Return the bytes of a token without tiktoken's encoder. ``b""`` if that encoder is to raise the error, and
        for a vocabulary whose table would have to be built for this."""
        if not (self.uses_kernels or isinstance(self._ranks, BundledVocabulary)):
            return b""
        known = type(token) is int and 0 <= token <= self._vocabulary.max_token_value
        return self._vocabulary.token_bytes(token) if known else b""

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """Return the bytes of each token."""
        return [self.decode_single_token_bytes(token) for token in interruptible(tokens)]

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """Return the text of these tokens, and for each the index of the first character that has bytes of it. Raises
        UnicodeDecodeError if they are not valid UTF-8 together."""
        pieces = self.decode_tokens_bytes(tokens)
        offsets = []
        char_count = 0
        for piece in pieces:
            starts = sum(1 for byte in piece if not 0x80 <= byte < 0xC0)
            inside = 0x80 <= piece[0] < 0xC0
            offsets.append(max(0, char_count - inside))
            char_count += starts
        return b"".join(pieces).decode("utf-8", errors="strict"), offsets

    def decode_batch(
        self, batch: Sequence[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """Apply ``decode`` to each list, in parallel."""
        return in_threads(functools.partial(self.decode, errors=errors), batch, num_threads)

    def decode_bytes_batch(self, batch: Sequence[Sequence[int]], *, num_threads: int = 8) -> list[bytes]:
        """Apply ``decode_bytes`` to each list, in parallel."""
        return in_threads(self.decode_bytes, batch, num_threads)

    # Additions to tiktoken for an editor and a price table

    def count(self, text: str | bytes, *, num_threads: int = 1) -> int:
        """Return the number of tokens of ``encode_ordinary``, without building the list. Bytes are decoded as UTF-8,
        with invalid bytes as U+FFFD. ``num_threads``: for a long text, if the kernels count."""
        if isinstance(text, bytes):
            text = text.decode("utf-8", "replace")
        check_text(text)
        if self._undecided:
            self._decide()
        if self._native is not None:
            try:
                return self._native.count(text, num_threads)
            except UnicodeEncodeError:
                text = without_surrogates(text)
                return self._native.count(text, num_threads)
        if len(text) <= CHUNK_CHARS or not self.has_safe_boundaries:
            return len(self.token_ids(text))
        return sum(len(self.token_ids(text[start:end])) for start, end in BoundaryFinder().chunks(text, CHUNK_CHARS))

    def token_ids(self, text: str, *, special_as_tokens: bool = False, num_threads: int = 1) -> NDArray[np.int32]:
        """Return int32[n], read-only: the token ids of any text, with lone surrogates as U+FFFD.

        ``special_as_tokens``: True to encode the text of a special token as that token, not as plain text.
        ``num_threads``: for a long text, if the kernels encode.
        """
        allowed = self.special_tokens_set if special_as_tokens else frozenset[str]()
        try:
            return self._ids(text, allowed, num_threads)
        except UnicodeEncodeError:
            return self._ids(without_surrogates(text), allowed, num_threads)

    def token_ends(self, text: str) -> NDArray[np.int64]:
        """Return int64[n]: the UTF-8 byte offset at which each token of ``encode_ordinary`` ends. A lone surrogate
        takes three bytes, as U+FFFD."""
        if not self.has_safe_boundaries:  # a custom pattern may skip text
            with contextlib.suppress(UnsupportedPatternError):
                return self._ends_of_pretokens(without_surrogates(text))
        return running_sums_at(self._vocabulary.byte_lengths, self.token_ids(text))

    def _ends_of_pretokens(self, text: str) -> NDArray[np.int64]:
        """Return ``token_ends`` of a text without surrogates, also for a pattern that skips text. Raises
        UnsupportedPatternError or SplitTimeoutError."""
        parts = [np.empty(0, dtype=np.int64)]
        char_start = byte_start = 0
        for chunk in pretoken_chunks(pretokenizer(self._pat_str), text):
            byte_start += len(text[char_start : chunk.char_start].encode("utf-8"))
            char_start = chunk.char_start
            spans = chunk.byte_spans()
            pretoken_ends = np.cumsum(spans[:, 1] - spans[:, 0])
            ids = self.ids_of_pretokens(chunk.text.encode("utf-8"), spans)
            ends = np.cumsum(self.byte_lengths[ids], dtype=np.int64)
            skipped = spans[:, 1] - pretoken_ends
            parts.append(byte_start + ends + skipped[pretoken_ends.searchsorted(ends, "left")])
        return np.concatenate(parts)

    @property
    def has_safe_boundaries(self) -> bool:
        """True if ``engine.split.safe_boundaries`` holds for the pattern of this encoding."""
        return self._pat_str in KNOWN_EXPRESSIONS

    def release_kernel_memory(self) -> None:
        """Drop the words that the kernels have cached, up to 23 MB, and the pages of the tables, for example after a
        large text. The next call is slower by milliseconds."""
        if self._native is not None:
            from engine.vocabulary.tables import release_pages

            self._native.native.drop()
            release_pages(self._native.native.tables)

    @property
    def has_line_boundaries(self) -> bool:
        """True if a text without safe boundaries may still be divided before each run of line feeds."""
        return False

    def takes_as_is(self, text: str) -> bool:
        """Return True if a text is encoded unchanged, rather than normalized or prepared first."""
        return True

    def encodes_like(self, other: Encoding) -> bool:
        """Return True if text without special tokens certainly has the same ids in both: same ranks, same pattern."""
        if isinstance(self._ranks, BundledVocabulary):
            same = self._ranks is other._ranks and self._pat_str == other._pat_str
            return same and self.prepares is other.prepares
        return self is other

    # The vocabulary

    def token_info(self, token_id: int) -> TokenInfo:
        """Return the entry of an id. Raises KeyError for an id beyond the vocabulary."""
        return self._vocabulary.token_info(token_id)

    @property
    def no_merges(self) -> str:
        """Reason why merges are not available, as a sentence; ``""`` if they are."""
        return ""

    @property
    def pattern(self) -> str:
        """The split pattern, as the Rust crates read it."""
        return self._pat_str

    @property
    def byte_lengths(self) -> NDArray[np.int32]:
        """int32[n_vocab], read-only: number of bytes of each token. 0 for unused ids."""
        return self._vocabulary.byte_lengths

    @property
    def utf16_lengths(self) -> NDArray[np.int32]:
        """int32[n_vocab], read-only: UTF-16 units that each token adds. A character counts for the token in which it
        starts, as two units if it is beyond the basic plane. 0 for unused ids."""
        return self._vocabulary.utf16_lengths

    @property
    def continues(self) -> NDArray[np.bool_]:
        """bool[n_vocab], read-only: True if a token's first byte continues a character."""
        return self._vocabulary.continues

    def merge_steps(self, text: str | bytes) -> list[MergeStep]:
        """Return the merges of one pretoken in order; none if it is looked up as a whole because no merges produce it.
        The text is not split; lone surrogates become U+FFFD."""
        if isinstance(text, str):
            text = without_surrogates(text).encode("utf-8")
        return self._steps(text)

    def _steps(self, content: bytes) -> list[MergeStep]:
        return merge_steps(content, self._vocabulary.ids_by_bytes)

    def first_ends(self, content: bytes) -> list[int]:
        """Return the byte offsets at which the parts of a pretoken end before any merge."""
        return list(range(1, len(content) + 1))

    def looks_up(self, content: bytes) -> bool:
        """Return True if a pretoken in the vocabulary becomes that token even if no merges produce it."""
        return True

    def joined_id(self, content: bytes, byte_start: int, byte_end: int) -> int | None:
        """Return the token that two neighbours with these bytes of a pretoken merge into; None if they do not merge."""
        return self._vocabulary.ids_by_bytes.get(content[byte_start:byte_end])

    def merge_tree(self, token_id: int) -> MergeTree:
        """Return the merges that build a token from single bytes (``engine.vocabulary.tokens``). Raises KeyError for
        an unused id."""
        return self._vocabulary.merge_tree(token_id)

    def parents_of(self, token_id: int) -> tuple[int, int] | None:
        """Return the two tokens that a token is merged from, computed for this one alone; None if it is not merged."""
        return self._vocabulary.parents_of(token_id)

    @functools.cached_property
    def token_parents(self) -> TokenParents:
        """The two tokens that each token is merged from. Immediate with kernels; without, a large vocabulary takes
        seconds: use it on a background thread."""
        vocabulary = self._vocabulary
        table = vocabulary.table
        if self._native is None:
            return parents_by_replay(table, vocabulary.n_vocab)
        caches.add(self)
        return parents_from_tables(self._native.native.tables, table.first_id, vocabulary.n_vocab)

    def token_byte_values(self) -> list[bytes]:
        """Return the bytes of every token that is not special, sorted."""
        return sorted(self._mergeable_ranks)

    @property
    def eot_token(self) -> int:
        """The id of <|endoftext|>. Raises KeyError if there is none."""
        return self._special_tokens["<|endoftext|>"]

    @functools.cached_property
    def _special_token_values(self) -> set[int]:
        return set(self._special_tokens.values())

    @functools.cached_property
    def special_tokens_set(self) -> set[str]:
        """The texts of the special tokens."""
        return set(self._special_tokens)

    def is_special_token(self, token: int) -> bool:
        """Return True if an id is that of a special token."""
        assert isinstance(token, int)
        return token in self._special_token_values

    @property
    def n_vocab(self) -> int:
        """``max_token_value + 1``."""
        return self.max_token_value + 1


def _rebuild(name: str, pat_str: str, ranks: dict[bytes, int], special_tokens: dict[str, int]) -> Encoding:
    return Encoding(name, pat_str=pat_str, mergeable_ranks=ranks, special_tokens=special_tokens)


def cut(encoding: Encoding, text: str, most: int, keep: Kept = "start") -> str:
    """Return as much of a text as has at most ``most`` tokens in ``encode_ordinary``, cut between characters.

    Returns the text itself if it is short enough. The result is counted again after each cut, because tokens at a cut
    can change: it may have slightly fewer tokens than ``most``, but never more. Raises ValueError for a negative
    number.
    """
    if most < 0:
        raise ValueError(f"a text cannot have {most} tokens")
    ends = encoding.token_ends(text)
    if len(ends) <= most:
        return text
    raw = without_surrogates(text).encode("utf-8")
    n_tokens = most
    while n_tokens > 0:
        front = {"start": n_tokens, "end": 0, "ends": (n_tokens + 1) // 2}[keep]
        behind = n_tokens - front
        head = raw[: ends[front - 1]] if front else b""
        tail = raw[ends[len(ends) - behind - 1] :] if behind else b""
        # An incomplete character is dropped.
        found = head.decode("utf-8", "ignore") + tail.decode("utf-8", "ignore")
        if encoding.count(found) <= most:
            return found
        n_tokens -= 1
    return ""
