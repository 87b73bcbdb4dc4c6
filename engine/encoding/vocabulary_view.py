"""VocabularyFace: what an encoding tells about its tokens, beyond what tiktoken's does."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from engine.runtime import caches
from engine.types import MergeStep, MergeTree, TokenInfo, TokenParents
from engine.vocabulary import merges
from engine.vocabulary.merges import parents_by_replay, parents_from_tables
from engine.vocabulary.token_bytes import Vocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.encoding.chunked_encoder import NativeFront


class VocabularyFace:
    """The part of ``engine.Encoding`` that asks its vocabulary."""

    if TYPE_CHECKING:  # the other part has these
        _native: NativeFront | None
        _pat_str: str

        @property
        def _vocabulary(self) -> Vocabulary: ...

    def token_info(self, token_id: int) -> TokenInfo:
        """What an id stands for. KeyError for an id that the vocabulary does not reach."""
        return self._vocabulary.token_info(token_id)

    @property
    def no_merges(self) -> str:
        """Why there are no merges to be seen, in a sentence; ``""`` where there are."""
        return ""

    @property
    def pattern(self) -> str:
        """The split pattern, as the Rust crates read it."""
        return self._pat_str

    @property
    def byte_lengths(self) -> NDArray[np.int32]:
        """int32[n_vocab], read-only: bytes of each token. 0 for unused ids."""
        return self._vocabulary.byte_lengths

    @property
    def utf16_lengths(self) -> NDArray[np.int32]:
        """int32[n_vocab], read-only: UTF-16 units that each token adds. A character counts where it starts; one
        beyond the basic plane counts as two there. 0 for unused ids."""
        return self._vocabulary.utf16_lengths

    @property
    def continues(self) -> NDArray[np.bool_]:
        """bool[n_vocab], read-only: whether a token's first byte continues a character."""
        return self._vocabulary.continues

    def merge_steps(self, text: str | bytes) -> list[MergeStep]:
        """The merges of one pretoken in the order in which they happen; none where it is looked up as a whole because
        no merges lead to it. The text is not cut; lone surrogates are read as U+FFFD."""
        if isinstance(text, str):
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")
        return self._steps(text)

    def _steps(self, content: bytes) -> list[MergeStep]:
        return merges.merge_steps(content, self._vocabulary.ids_by_bytes)

    def first_ends(self, content: bytes) -> list[int]:
        """Where the parts end, in bytes, that merging a pretoken begins with."""
        return list(range(1, len(content) + 1))

    def looks_up(self, content: bytes) -> bool:
        """Whether a pretoken that is a token is that token, though no merges lead to it."""
        return True

    def joined_id(self, content: bytes, byte_start: int, byte_end: int) -> int | None:
        """The token that two neighbours in a pretoken become which lie there; None where they stay apart."""
        return self._vocabulary.ids_by_bytes.get(content[byte_start:byte_end])

    def merge_tree(self, token_id: int) -> MergeTree:
        """How a token is merged from single bytes, as ``engine.vocabulary.merges`` finds it. KeyError for an id that
        stands for nothing."""
        return self._vocabulary.merge_tree(token_id)

    def parents_of(self, token_id: int) -> tuple[int, int] | None:
        """The two tokens that a token is merged from, found for this one alone. None for what is not merged."""
        return self._vocabulary.parents_of(token_id)

    @functools.cached_property
    def token_parents(self) -> TokenParents:
        """Which two tokens each token is merged from. At once with our kernels; without, a large vocabulary takes
        seconds: ask for it on a thread that has them."""
        vocabulary = self._vocabulary
        table = vocabulary.table
        if self._native is None:
            return parents_by_replay(table, vocabulary.n_vocab)
        caches.add(self)
        return parents_from_tables(self._native.tables, table.first_id, vocabulary.n_vocab)

    def let_go(self) -> None:
        """Hold no longer which tokens each is merged from, where our kernels tell it at once."""
        if self._native is not None:
            self.__dict__.pop("token_parents", None)
