"""An encoding with the pieces of SentencePiece's BPE, merged by Tokenloupe's encoders.

The encoders work on the numbers that ``engine.vocabulary.piece_order`` gives to pieces. ``PieceEncoder`` is the encoder
of kernels, and ``PieceTextEncoder`` turns its numbers into ids; ``PieceCore`` does the same for tiktoken's encoder.
``PieceEncoding`` is the encoding, ``PieceVocabulary`` its vocabulary.
"""

from __future__ import annotations

import functools
import hashlib
import operator
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING

import numpy as np

from engine.encoding.encoder import NativeEncoder, Workspace, padded
from engine.encoding.preprocessing_encoding import PreprocessingEncoding
from engine.encoding.text_encoders import TextEncoder
from engine.kernels.batch import OUT_SLACK, count_tokens, encode_tokens
from engine.kernels.plain_scanners import scan_pieces
from engine.runtime import caches
from engine.runtime.cancellation import interruptible
from engine.runtime.threads import in_threads
from engine.runtime.tiktoken_core import CoreBPE, build_core
from engine.split.patterns import GEMMA3, HTML_TAGS
from engine.split.safe_boundaries import LineBoundaryFinder
from engine.text.offsets import check_text
from engine.types import MergeStep, TokenParents
from engine.vocabulary.bundle import BundledVocabulary
from engine.vocabulary.piece_order import FIRST_PIECE, UNKNOWN, PieceOrder, piece_order
from engine.vocabulary.tables import ids_in, pairs_in, scan_data_in, shared_tables, spellings_in
from engine.vocabulary.tokens import NO_PARENT, Vocabulary, replayed_merges

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from engine.encoding.encoder import Chunks, NativeEncoder
    from engine.vocabulary.bundle import RankTable


CHUNK_CHARS = 1 << 18


class PieceEncoder(NativeEncoder):
    """Like ``NativeEncoder``, but takes whole texts only and returns numbers instead of ids."""

    def count(self, text: str | bytes, chunks: Chunks | None = None) -> int:
        """Return the number of tokens of a text."""
        own = self._take_workspace(len(text))
        try:
            steps = self._scanned(text, own)
            return sum(
                count_tokens(array, own.ends, found, start, self._tables, own.state) for array, start, found in steps
            )
        finally:
            self._idle.append(own)

    def encode(self, text: str | bytes, chunks: Chunks | None = None) -> NDArray[np.uint32]:
        """Return uint32[n], read-only: the numbers of the tokens of a text."""
        own = self._take_workspace(len(text))
        parts = [np.empty(0, dtype=np.uint32)]
        try:
            for array, start, found in self._scanned(text, own):
                out = np.empty(int(own.ends[found - 1]) - start + OUT_SLACK, dtype=np.uint32)
                used = encode_tokens(array, own.ends, found, start, self._tables, own.state, out, 0)
                parts.append(out[:used])
        finally:
            self._idle.append(own)
        numbers = np.concatenate(parts)
        numbers.flags.writeable = False
        return numbers

    def _scanned(self, text: str | bytes, own: Workspace) -> Iterator[tuple[NDArray[np.uint8], int, int]]:
        """Split a text: yield all of it as an array, the start of the next pretokens, and their number in
        ``own.ends``."""
        array, n_bytes = padded(text if isinstance(text, bytes) else text.encode("utf-8"))
        data = scan_data_in(self._tables)
        start = 0
        while start < n_bytes:
            found = scan_pieces(array, n_bytes, start, data, own.ends)
            yield array, start, found
            start = int(own.ends[found - 1])


class PieceTextEncoder(TextEncoder):
    """Encodes texts with a ``PieceEncoder`` and maps its numbers to ids."""

    def __init__(self, native: NativeEncoder) -> None:
        super().__init__(native)
        self._ids_of = ids_in(native.tables)
        self._bytes, self._starts = spellings_in(native.tables)

    def count(self, text: str, num_threads: int = 1) -> int:
        """Return the number of tokens of a text."""
        check_text(text)
        return sum(in_threads(self.native.count, _chunks(text), num_threads))

    def encode(self, text: str, num_threads: int = 1) -> NDArray[np.uint32]:
        """Return uint32[n], read-only: the token ids of a text."""
        check_text(text)
        parts = in_threads(self.native.encode, _chunks(text), num_threads)
        return self._ids(np.concatenate([np.empty(0, dtype=np.uint32), *parts]))

    def encode_pretokens(self, content: bytes, byte_spans: NDArray[np.int64]) -> NDArray[np.uint32]:
        """Return uint32[n], read-only: the token ids of the pretokens of a UTF-8 text."""
        return self._ids(self.native.encode_pretokens(content, byte_spans))

    def _ids(self, numbers: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Map numbers to ids; beginnings of characters that are not pieces are split into bytes."""
        ids = self._ids_of[numbers]
        indices = np.flatnonzero(ids == UNKNOWN)
        if len(indices):
            starts, ends = self._starts[numbers[indices]].tolist(), self._starts[numbers[indices] + 1].tolist()
            spelled = [self._ids_of[self._bytes[start:end]] for start, end in zip(starts, ends, strict=True)]
            parts = np.split(ids, np.repeat(indices, 2) + np.tile([0, 1], len(indices)))
            parts[1::2] = spelled
            ids = np.concatenate(parts)
        ids.flags.writeable = False
        return ids


def _chunks(text: str) -> list[str]:
    """Divide a text into parts with the same tokens as in the whole."""
    return [text[start:end] for start, end in LineBoundaryFinder().chunks(text, CHUNK_CHARS)]


class PieceEncoding(PreprocessingEncoding):
    """A ``PreprocessingEncoding`` whose merging starts from characters, or from bytes for those that are not pieces."""

    _ranks: BundledVocabulary

    @functools.cached_property
    def _table(self) -> RankTable:
        caches.add(self)
        return self._ranks.table()

    @functools.cached_property
    def _order(self) -> PieceOrder:
        return piece_order(dict(enumerate(self._table.tokens())), self._tags)

    @property
    def _tags(self) -> tuple[str, ...]:
        """Texts that are tokens in any context."""
        return HTML_TAGS if self._pat_str == GEMMA3.expression else ()

    @property
    def _fingerprint(self) -> bytes:
        """32 bytes that identify the order of pieces."""
        own = self._ranks.fingerprint
        return hashlib.sha256(own + "".join(self._tags).encode("ascii")).digest() if self._tags else own

    @functools.cached_property
    def _vocabulary(self) -> Vocabulary:
        return PieceVocabulary(self._table, self._special_tokens, self.max_token_value)

    def _make_core(self) -> CoreBPE:
        """Build the encoder of the whole vocabulary."""
        return PieceCore(self, self._order)

    def _make_short_core(self, ranks: dict[bytes, int], content: bytes) -> CoreBPE:
        contents = {token_id: token for token, token_id in sorted(ranks.items(), key=operator.itemgetter(1))}
        return PieceCore(self, piece_order(contents, self._tags))

    def drop(self) -> None:
        """Drop the same, and the order of pieces."""
        super().drop()
        if self._native is not None:
            self.__dict__.pop("_order", None)

    @property
    def native(self) -> None:
        """None: the native encoder takes whole texts only and returns numbers, not ids."""
        return None

    @property
    def has_safe_boundaries(self) -> bool:
        """False: pieces join words and punctuation, so ``engine.split.safe_boundaries`` does not hold."""
        return False

    @property
    def has_line_boundaries(self) -> bool:
        """True: a run of line feeds is a pretoken of its own."""
        return True

    def open_native(self, folder: Path | None) -> NativeEncoder:
        """Return a native encoder as for any encoding, except that it returns numbers, not ids."""
        tables = shared_tables(folder, self._fingerprint, lambda: self._order)
        return PieceEncoder(tables, lambda *_: 0)

    def _text_encoder(self, native: NativeEncoder) -> PieceTextEncoder:
        return PieceTextEncoder(native)

    def ids_of_pretokens(self, content: bytes, byte_spans: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the token ids of pretokens, as for any encoding."""
        if isinstance(self._native, PieceTextEncoder):
            return self._native.encode_pretokens(content, byte_spans).view(np.int32)
        return super().ids_of_pretokens(content, byte_spans)

    def first_ends(self, content: bytes) -> list[int]:
        """Return the byte offsets at which the initial parts of a pretoken end."""
        return first_ends(content, self._vocabulary.ids_by_bytes)

    def looks_up(self, content: bytes) -> bool:
        """Return True if a pretoken in the vocabulary becomes that token although no merges produce it: a run or a
        tag."""
        return is_run(content) or content in self._whole

    def _steps(self, content: bytes) -> list[MergeStep]:
        return [] if content in self._whole else piece_steps(content, self._vocabulary.ids_by_bytes)

    @functools.cached_property
    def _whole(self) -> frozenset[bytes]:
        return frozenset(tag.encode("ascii") for tag in self._tags)

    def joined_id(self, content: bytes, byte_start: int, byte_end: int) -> int | None:
        """Return the piece that two neighbours with these bytes of a pretoken merge into; None if they do not merge."""
        return Pieces(self._vocabulary.ids_by_bytes).get(content[byte_start:byte_end])

    @functools.cached_property
    def token_parents(self) -> TokenParents:
        """The two pieces that each piece of several characters is merged from."""
        n_vocab = self.n_vocab
        left, right = (np.full(n_vocab, NO_PARENT, dtype=np.int32) for _ in range(2))
        if self._native is None:
            for token_id in interruptible(range(FIRST_PIECE, n_vocab)):
                if parents := self._vocabulary.parents_of(token_id):
                    left[token_id], right[token_id] = parents
        else:
            caches.add(self)
            tables = self._native.native.tables
            ids = ids_in(tables)
            lefts, rights, numbers = pairs_in(tables)
            made = ids[numbers]
            several = np.isin(numbers, np.flatnonzero(self._is_several(ids)))
            left[made[several]], right[made[several]] = ids[lefts[several]], ids[rights[several]]
        for array in (left, right):
            array.flags.writeable = False
        return TokenParents(left, right)

    def _is_several(self, ids: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Return True for ids of merged pieces of several characters."""
        return (ids >= FIRST_PIECE) & (self.characters_in_tokens[ids] > 1)

    @property
    def characters_in_tokens(self) -> NDArray[np.int64]:
        """int64[n_vocab]: number of characters that start in each token of the table."""
        values = np.frombuffer(self._table.blob, dtype=np.uint8)
        before = np.concatenate([[0], np.cumsum((values & 0xC0) != 0x80)])
        return np.diff(before[self._table.offsets])


class PieceVocabulary(Vocabulary):
    """Like ``Vocabulary``, except that characters have no parents."""

    def parents_of(self, token_id: int) -> tuple[int, int] | None:
        """Return the two pieces that a piece is merged from, or None."""
        content = self._mergeable_bytes(token_id)
        if token_id < FIRST_PIECE or not content:
            return None
        steps = piece_steps(content, self.ids_by_bytes)
        return (steps[-1].left_id, steps[-1].right_id) if steps and steps[-1].token_id == token_id else None


class Pieces:
    """The pieces that merges produce."""

    def __init__(self, ids: Mapping[bytes, int]) -> None:
        self._ids = ids

    def get(self, content: bytes) -> int | None:
        """Return the id of the piece with these bytes, or None."""
        found = self._ids.get(content)
        return found if found is not None and found >= FIRST_PIECE else None


def first_ends(content: bytes, ids: Mapping[bytes, int]) -> list[int]:
    """Return the ends of characters in UTF-8, and of every byte of characters that are not tokens."""
    ends: list[int] = []
    start = 0
    while start < len(content):
        end = start + 1
        while end < len(content) and content[end] & 0xC0 == 0x80:
            end += 1
        ends += [end] if content[start:end] in ids else range(start + 1, end + 1)
        start = end
    return ends


def is_run(content: bytes) -> bool:
    """Return True if a pretoken is a run of newlines, tabs or spaces."""
    return content[:1] in (b"\n", b"\t") or content[:2] == b"  "


def piece_steps(content: bytes, ids: Mapping[bytes, int]) -> list[MergeStep]:
    """Return the merges of a pretoken; none for a run, which is matched whole."""
    if is_run(content):
        return []
    return list(replayed_merges(content, ids, first_ends(content, ids), Pieces(ids).get))


class PieceCore:
    """tiktoken's encoder of numbers with its own interface, but for ids."""

    def __init__(self, encoding: PieceEncoding, order: PieceOrder) -> None:
        self._encoding = encoding
        self._order = order
        numbers = {token: number for number, token in enumerate(order.table.tokens())}
        self._core = build_core(numbers, {}, encoding._pat_str)

    def _ids(self, numbers: Sequence[int]) -> list[int]:
        """Map numbers to ids; beginnings of characters that are not pieces are split into bytes."""
        beginnings = self._order.beginnings
        ids = self._order.ids
        found: list[int] = []
        for number in numbers:
            if number in beginnings:
                found += [int(ids[value]) for value in self._order.table.token(number)]
            else:
                found.append(int(ids[number]))
        return found

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of a text."""
        return self._ids(self._core.encode_ordinary(text))

    def encode(self, text: str, allowed_special: Set[str]) -> list[int]:
        """Return the ids of a text. The caller has already handled special tokens."""
        return self._ids(self._core.encode(text, set()))

    def encode_to_tiktoken_buffer(self, text: str, allowed_special: Set[str]) -> bytes:
        """Return the ids of a text as an array of 32 bits each."""
        return np.array(self.encode(text, allowed_special), dtype=np.int32).tobytes()

    def encode_single_piece(self, piece: bytes) -> list[int]:
        """Return the ids of a pretoken."""
        return self._ids(self._core.encode_single_piece(piece))

    def _encode_bytes(self, content: bytes) -> list[int]:
        return self._ids(self._core._encode_bytes(content))

    def encode_with_unstable(self, text: str, allowed_special: Set[str]) -> tuple[list[int], list[list[int]]]:
        """Return the same as tiktoken's encoder."""
        stable, unstable = self._core.encode_with_unstable(text, set())
        return self._ids(stable), [self._ids(numbers) for numbers in unstable]

    def encode_single_token(self, token: bytes) -> int:
        """Return the id of the token with these bytes. Raises KeyError."""
        special = self._encoding._special_tokens.get(token.decode("utf-8", "replace"))
        return self._encoding._vocabulary.ids_by_bytes[token] if special is None else special

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Return the bytes of an id. Raises KeyError for an unused one, else OverflowError and TypeError as tiktoken
        does."""
        number = operator.index(token)
        if not 0 <= number < 1 << 32:
            raise OverflowError(f"{number} is not an id")
        if content := self._encoding._vocabulary.token_bytes(number):
            return content
        raise KeyError(number)

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """Return the concatenated bytes of ids. Raises KeyError."""
        return b"".join([self.decode_single_token_bytes(token) for token in tokens])
