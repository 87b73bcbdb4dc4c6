"""Bundled vocabularies: their file format, and reading them on first use.

``BundledVocabulary`` reads, verifies and unpacks a file on first use, which takes up to 15 ms. Until then it is
identified by the digest in the first bytes of the file. If the kernels already have their tables, they count without
it.

``packaging/bundle_vocabularies.py`` writes the files with ``pack``; ``unpack`` reads them. A file is ``TLRANKS1``, the
SHA-256 (32 bytes) of the rest, and one zlib stream of:

* its name (16 bytes, padded with zeros), the first token id, the number of ids and the length of the special tokens
  (three little-endian uint32),
* the length in bytes of each id's token (uint8 each; 0 for an unused id; 255 for 255 and more),
* the lengths that are 255 bytes or more (little-endian uint16 each),
* the special tokens, as JSON from text to id (empty if they are in ``engine.vocabulary.special_tokens``),
* the tokens' bytes, concatenated in the order of the ids.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import struct
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import DamagedVocabularyError
from engine.runtime.cancellation import interruptible

_MAGIC = b"TLRANKS1"
HEAD_SIZE = len(_MAGIC) + 32
"""Size of a file's prefix before the packed data, in bytes."""
_LONG = 255
_HEADER = struct.Struct("<16sIII")
_RANKS_AT_A_TIME = 4096


@dataclass(frozen=True, slots=True, eq=False)
class RankTable:
    """The mergeable tokens of a vocabulary in the order of their ids, which is the merge order.

    ``blob``: the tokens' bytes, concatenated.
    ``offsets``: int64[n + 1], read-only: token ``first_id + i`` is ``blob[offsets[i]:offsets[i + 1]]``, empty for an
    unused id.
    """

    first_id: int
    blob: bytes
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of ids, including unused ones."""
        return len(self.offsets) - 1

    @property
    def used(self) -> int:
        """Number of ids that have a token."""
        return int(np.count_nonzero(np.diff(self.offsets)))

    def token(self, number: int) -> bytes:
        """Return the bytes of one token, counted from the first id."""
        return self.blob[self.offsets[number] : self.offsets[number + 1]]

    def tokens(self) -> list[bytes]:
        """Return the bytes of every id in order, ``b""`` for unused ones."""
        ends = self.offsets.tolist()
        blob = self.blob
        return [blob[start:end] for start, end in interruptible(itertools.pairwise(ends))]

    def mergeable_ranks(self) -> dict[bytes, int]:
        """Return token bytes to id, as tiktoken expects them. Rebuilt on each call, because it is large."""
        tokens = self.tokens()
        ranks: dict[bytes, int] = {}
        for first in interruptible(
            range(0, len(tokens), _RANKS_AT_A_TIME), every=1
        ):  # one call for all would hold the interpreter
            some = tokens[first : first + _RANKS_AT_A_TIME]
            ranks.update(zip(some, range(self.first_id + first, self.first_id + first + len(some)), strict=True))
        ranks.pop(b"", None)
        return ranks


def table_from_ranks(ranks: Mapping[bytes, int]) -> RankTable:
    """Return the table of a mapping from token bytes to id. The mapping is not empty and its ids are unique."""
    first_id, last_id = min(ranks.values()), max(ranks.values())
    tokens = [b""] * (last_id - first_id + 1)
    for token, token_id in ranks.items():
        tokens[token_id - first_id] = token
    return table_of_tokens(tokens, first_id)


def table_of_tokens(tokens: Sequence[bytes], first_id: int = 0) -> RankTable:
    """Return the table of tokens in the order of their ids, ``b""`` for unused ids."""
    offsets = np.zeros(len(tokens) + 1, dtype=np.int64)
    np.cumsum([len(token) for token in tokens], out=offsets[1:])
    offsets.flags.writeable = False
    return RankTable(first_id, b"".join(tokens), offsets)


def pack(name: str, table: RankTable, special_tokens: Mapping[str, int] | None = None) -> bytes:
    """Return the content of a file for a table. Raises ValueError for a token of more than 65,535 bytes."""
    lengths = np.diff(table.offsets)
    if int(lengths.max()) > 0xFFFF:
        raise ValueError("a token has more than 65,535 bytes, the maximum of the compact format")
    short = np.minimum(lengths, _LONG).astype(np.uint8).tobytes()
    long = lengths[lengths >= _LONG].astype("<u2").tobytes()
    special = json.dumps(dict(special_tokens), ensure_ascii=False).encode() if special_tokens else b""
    header = _HEADER.pack(name.encode(), table.first_id, len(table), len(special))
    stream = zlib.compress(header + short + long + special + table.blob, level=9)
    return _MAGIC + hashlib.sha256(stream).digest() + stream


def stated_digest(content: bytes) -> bytes:
    """Return the SHA-256 that a file states about its content, in its first ``HEAD_SIZE`` bytes. Raises ValueError if
    it is not such a file."""
    if len(content) < HEAD_SIZE or not content.startswith(_MAGIC):
        raise ValueError("the file is not a table of ranks")
    return content[len(_MAGIC) : HEAD_SIZE]


def unpack(name: str, content: bytes) -> tuple[RankTable, dict[str, int]]:
    """Parse a file into its table and special tokens. Raises ValueError if it is not the file bundled under that
    name."""
    if hashlib.sha256(content[HEAD_SIZE:]).digest() != stated_digest(content):
        raise ValueError("its SHA-256 is wrong: the file was changed after it was built")
    raw = zlib.decompress(content[HEAD_SIZE:])
    stored_name, first_id, count, special_length = _HEADER.unpack_from(raw)
    if stored_name.rstrip(b"\0") != name.encode():
        raise ValueError(f"the file contains another vocabulary, {stored_name.rstrip(bytes(1)).decode()}")
    lengths = np.frombuffer(raw, dtype=np.uint8, count=count, offset=_HEADER.size).astype(np.int64)
    is_long = lengths == _LONG
    n_long = int(np.count_nonzero(is_long))
    lengths[is_long] = np.frombuffer(raw, dtype="<u2", count=n_long, offset=_HEADER.size + count)
    offsets = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    offsets.flags.writeable = False
    special_start = _HEADER.size + count + 2 * n_long
    blob_start = special_start + special_length
    special: dict[str, int] = json.loads(raw[special_start:blob_start]) if special_length else {}
    return RankTable(first_id, raw[blob_start:], offsets), special


class BundledVocabulary:
    """The ranks, and for some vocabularies the special tokens, in a file of engine/data. Thread-safe.

    Raises DamagedVocabularyError, which names the file: the constructor if the file is missing or of another format,
    the methods if it was changed. After a failure, the next call tries again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._content: tuple[RankTable, dict[str, int]] | None = None
        with self._naming_the_file(), path.open("rb") as file:
            self.fingerprint = stated_digest(file.read(HEAD_SIZE))
            """32 bytes that identify the vocabulary: the SHA-256 that the file states."""

    def table(self) -> RankTable:
        """Return the mergeable tokens."""
        return self._read()[0]

    def special_tokens(self) -> dict[str, int]:
        """Return the special tokens in the file: text to id."""
        return dict(self._read()[1])

    def _read(self) -> tuple[RankTable, dict[str, int]]:
        with self._lock:
            if self._content is None:
                with self._naming_the_file():
                    self._content = unpack(self._path.stem, self._path.read_bytes())
            return self._content

    @contextlib.contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise DamagedVocabularyError(
                f"The bundled vocabulary file {self._path} cannot be used: {why}. "
                "Reinstall Tokenloupe or restore that file. Other encodings still work."
            ) from error
