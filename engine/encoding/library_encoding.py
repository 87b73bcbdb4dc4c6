"""LibraryEncoding: a tokenizer that is not byte-level BPE, run by the library that it was made with.

WordPiece, Unigram, and BPE over characters have no ranks, so neither tiktoken's engine nor the kernels can run them.
They have the interface of other encodings: counting, ids, offsets, decoding and a vocabulary. They have no merges.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Collection, Mapping, Sequence, Set
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.encoding.encoding import Encoding
from engine.encoding.preprocessing_encoding import NormalizingEncoding
from engine.errors import EngineError, UnsupportedTextError
from engine.split.special_text import split_at_specials
from engine.text.kinds import TextSample
from engine.text.offsets import byte_offsets, utf16_offsets, without_surrogates
from engine.types import MergeStep, MergeTree, TokenInfo, TokenParents
from engine.vocabulary.bundle import RankTable, table_of_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_CHARS = 4_000_000
"""Maximum length of a text to encode, in characters. A library needs some hundred bytes for each."""


class LibraryTokenizer(Protocol):
    """Interface of a library's tokenizer. Texts have no surrogates. Thread-safe.

    ``library``: its name and version. ``model``: the library's name for the kind of tokenizer. ``tokens``: the bytes of
    each id from 0 on, ``b""`` for unused ids. ``special_tokens``: text to id; these have bytes in ``tokens``, too.
    ``payload``: the input with which ``from_payload`` recreates the tokenizer.
    """

    reader: str
    library: str
    model: str
    tokens: Sequence[bytes]
    special_tokens: dict[str, int]
    payload: bytes

    @classmethod
    def from_payload(cls, payload: bytes) -> LibraryTokenizer:
        """Create the tokenizer of a payload. Raises FormatError if it is damaged."""
        ...

    def ids(self, text: str) -> list[int]:
        """Return the token ids of a text in which special tokens are plain text. Raises UnsupportedTextError."""
        ...

    def ids_and_ends(self, text: str) -> tuple[list[int], list[int]]:
        """Return the ids and the end of each token in the text, in characters, as reported by the library."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text that the library decodes from tokens, special ones as their names."""
        ...


class LibraryEncoding(NormalizingEncoding):
    """Encoding interface of a library's tokenizer.

    Token offsets are those that the library reports for the original text: tokens of a text that was normalized first
    are located at the characters that they come from, and removed text belongs to the token after it. The text of an
    allowed special token is that token, and the texts between them are encoded separately.
    """

    tokenizer: LibraryTokenizer

    @classmethod
    def around(cls, name: str, tokenizer: LibraryTokenizer) -> LibraryEncoding:
        """Return the encoding of this name around a tokenizer. Nothing is copied."""
        encoding = cls.__new__(cls)
        encoding._set_up(name, "", {}, tokenizer.special_tokens)
        encoding._fits_kernels = False
        encoding.tokenizer = tokenizer
        return encoding

    def __reduce__(self) -> tuple[Callable[..., LibraryEncoding], tuple[Any, ...]]:
        return _around_payload, (self.name, type(self.tokenizer), self.tokenizer.payload)

    @property
    def no_merges(self) -> str:
        """Reason why merges are not available, as a sentence."""
        return f"{self.name} ({self.tokenizer.model}) runs in {self.tokenizer.library}, which does not expose merges."

    @property
    def has_safe_boundaries(self) -> bool:
        """False: how a library encodes part of a text may depend on the whole."""
        return False

    @functools.cached_property
    def max_token_value(self) -> int:
        """The highest id."""
        return len(self.tokenizer.tokens) - 1

    @functools.cached_property
    def _table(self) -> RankTable:
        special = set(self.tokenizer.special_tokens.values())
        return table_of_tokens(
            [b"" if token_id in special else token for token_id, token in enumerate(self.tokenizer.tokens)]
        )

    @property
    def _mergeable_ranks(self) -> dict[bytes, int]:
        return self._table.mergeable_ranks()

    @property
    def _core_bpe(self) -> NoReturn:
        raise UnsupportedTextError(self.no_merges)

    def _core_for(self, text: str | bytes) -> NoReturn:
        raise UnsupportedTextError(self.no_merges)

    # Encoding

    def _list(self, text: str, allowed: Set[str]) -> list[int]:
        text = without_surrogates(text)
        ids: list[int] = []
        for segment, special in split_at_specials(text, allowed & self.special_tokens_set):
            ids += self.tokenizer.ids(_short_enough(segment, self.name)) if segment else []
            if special:
                ids.append(self._special_tokens[special])
        return ids

    def _ids(self, text: str, allowed: Set[str], num_threads: int = 1) -> NDArray[np.int32]:
        ids = np.array(self._list(text, allowed), dtype=np.int32)
        ids.flags.writeable = False
        return ids

    def _char_ends(self, text: str, allowed: Set[str]) -> NDArray[np.int64]:
        """Return int64[n]: the end of each token in a text without surrogates, in characters, ascending; the last is
        the end of the text."""
        ends = [np.empty(0, dtype=np.int64)]
        char_start = 0
        for segment, special in split_at_specials(text, allowed & self.special_tokens_set):
            if segment:
                _, found = self.tokenizer.ids_and_ends(_short_enough(segment, self.name))
                ends.append(np.array(found, dtype=np.int64) + char_start)
            char_start += len(segment) + len(special)
            if special:
                ends.append(np.array([char_start], dtype=np.int64))
        joined = np.maximum.accumulate(np.minimum(np.concatenate(ends), len(text)))
        joined[-1:] = len(text)
        return joined

    @functools.cached_property
    def _is_part(self) -> NDArray[np.bool_]:
        """bool[n_vocab]: True for tokens that are a single byte of a multi-byte character."""
        return np.array([len(token) == 1 and token[0] >= 0x80 for token in self.tokenizer.tokens], dtype=np.bool_)

    def token_ends(self, text: str) -> NDArray[np.int64]:
        """Return int64[n]: the UTF-8 byte offset at which each token ends, based on the library's character offsets: if
        several tokens make up one character, all but the last may end before it."""
        text = without_surrogates(text)
        return byte_offsets(text)[self._char_ends(text, frozenset())]

    def utf16_ends(self, text: str, ids: NDArray[np.int32], *, special_as_tokens: bool) -> NDArray[np.int32]:
        """Return the same as in ``NormalizingEncoding``. Tokens that are bytes of one character all end after it.
        Tokens that the library prepends get the span of the first character, as every token needs a position in the
        text."""
        text = without_surrogates(text)
        ends = self._char_ends(text, self.special_tokens_set if special_as_tokens else frozenset())
        if not len(ends):
            return ends.astype(np.int32)
        has_no_width = np.diff(ends, prepend=0) == 0
        parts = has_no_width & self._is_part[ids]
        behind = np.minimum(ends.searchsorted(ends, "right"), len(ends) - 1)
        ends[parts] = ends[behind[parts]]
        return utf16_offsets(text)[np.maximum(ends, 1)].astype(np.int32)

    def encode_with_unstable(
        self,
        text: str,
        *,
        allowed_special: Literal["all"] | Set[str] = frozenset(),
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> tuple[list[int], list[list[int]]]:
        """Raise UnsupportedTextError: it is unknown which tokens stay if a text is continued."""
        raise UnsupportedTextError(
            f"{self.no_merges} It is unknown which tokens stay the same if the text is continued."
        )

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """Return the id of the token with exactly this text, including special tokens. Raises KeyError if there is
        none."""
        content = text_or_bytes.encode("utf-8") if isinstance(text_or_bytes, str) else text_or_bytes
        found = self._vocabulary.ids_by_bytes.get(content)
        return self._special_tokens[content.decode("utf-8", "replace")] if found is None else found

    # Decoding

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """Return the text that the library decodes from these tokens, in UTF-8. Raises KeyError for an unused id."""
        for token_id in tokens:
            self.decode_single_token_bytes(token_id)
        return self.tokenizer.decode(list(tokens)).encode("utf-8")

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Return the bytes of one token, special or not. Raises KeyError for an unused id."""
        content = self.tokenizer.tokens[token] if 0 <= token <= self.max_token_value else b""
        if not content:
            raise KeyError(token)
        return content

    def token_byte_values(self) -> list[bytes]:
        """Return the bytes of every token that is not special, sorted."""
        return sorted(token for token in self._table.tokens() if token)

    def token_info(self, token_id: int) -> TokenInfo:
        """Return the entry of an id: a piece without a rank if it is neither special nor unused. Raises KeyError for an
        id beyond the vocabulary."""
        info = super().token_info(token_id)
        return info if info.rank is None else dataclasses.replace(info, rank=None, kind="piece")

    # Merges: there are none

    def merge_steps(self, text: str | bytes) -> list[MergeStep]:
        """Return an empty list."""
        return []

    def merge_tree(self, token_id: int) -> MergeTree:
        """Return the token alone. Raises KeyError for an unused id."""
        return MergeTree(token_id, self.decode_single_token_bytes(token_id), None, None, None)

    def parents_of(self, token_id: int) -> tuple[int, int] | None:
        """Return None."""
        return None

    @functools.cached_property
    def token_parents(self) -> TokenParents:
        """Parents of all tokens: none."""
        nothing = np.full(self.n_vocab, -1, dtype=np.int32)
        nothing.flags.writeable = False
        return TokenParents(nothing, nothing)


def _short_enough(text: str, name: str) -> str:
    if len(text) > MAX_CHARS:
        raise UnsupportedTextError(
            f"{name} is limited to texts of {MAX_CHARS:,} characters, because its library encodes them in one call. "
            f"This text has {len(text):,}."
        )
    return text


def _around_payload(name: str, kind: type[LibraryTokenizer], payload: bytes) -> LibraryEncoding:
    return LibraryEncoding.around(name, kind.from_payload(payload))


# --- Claude's tokenizers as ctok reconstructs them --------------------------------------------------------------------
#
# https://github.com/sanderland/ctok (MIT) needs Python 3.12 and includes its tables, so nothing is downloaded. It gave
# all 272 held-out recorded answers of Anthropic's counting service, for both vocabularies. It knows none of the models
# after 4.8; that they count like 4.8 is Anthropic's statement. It is written in Python and processes 0.2 to 0.4 MB/s,
# so only a few pieces of a sample are counted.


FRAMES: Mapping[str, int] = MappingProxyType({"3.0": 7, "4.8": 6})
"""Supported versions, each the first of a vocabulary, and the number of tokens that ctok adds for a message:
``message_overhead`` of its tables, 1.3.0."""

MAX_PIECES = 10
"""Maximum number of pieces of a text that is counted as a whole."""


class ReconstructionError(EngineError):
    """ctok is installed, but failed or has an unknown version."""


def is_installed() -> bool:
    """Return True if ctok is installed. Does not import it."""
    return find_spec("ctok") is not None


def counted_pairs(sample: TextSample, version: str, encoding: Encoding) -> tuple[list[tuple[int, int]], bool]:
    """Return the token counts of ctok and of ``encoding``, without special tokens: one pair for a short text as a
    whole, else one for each of some of its pieces; and whether it is the whole text. Pieces without tokens are
    excluded.

    ``version``: of ``FRAMES``. Raises ReconstructionError.
    """
    whole = sample.whole and len(sample.pieces) <= MAX_PIECES
    if not sample.pieces:
        return [], whole
    texts = ["".join(sample.pieces)] if whole else _spread_pieces(sample.pieces)
    try:
        ctok = importlib.import_module("ctok")
        pairs = [(int(ctok.token_count(text, version)) - FRAMES[version], encoding.count(text)) for text in texts]
    except Exception as error:
        raise ReconstructionError(f"ctok failed: {type(error).__name__}: {error}") from error
    return [pair for pair in pairs if min(pair) > 0], whole


def _spread_pieces(pieces: tuple[str, ...]) -> list[str]:
    """Return at most ``MAX_PIECES`` of the pieces, evenly spread from the first to the last."""
    if len(pieces) <= MAX_PIECES:
        return list(pieces)
    return [pieces[number * (len(pieces) - 1) // (MAX_PIECES - 1)] for number in range(MAX_PIECES)]
