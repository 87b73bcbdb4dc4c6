"""The tokens of one file, by the rules of ``engine.corpus.text_files``. Memory does not grow with the file where its
encodings know safe cuts: a large one is read and counted piece by piece.
"""

from __future__ import annotations

import codecs
import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from engine.corpus.files import CorpusFileError, opened_file, read_at, read_whole
from engine.corpus.text_files import (
    BINARY_SAMPLE_BYTES,
    BinaryFileError,
    UnknownTextEncodingError,
    decode_stored,
    marked_encoding,
    not_in,
)
from engine.errors import UnsupportedTextError
from engine.runtime.cancellation import while_wanted
from engine.split.safe_cuts import CutFinder
from engine.text.digests import RunningDigest

if TYPE_CHECKING:
    from engine.encoding.encoding import Encoding
    from engine.text.digests import ContentDigests

LARGE_BYTES = 8 << 20
"""Files of more bytes are read piece by piece."""

PIECE_BYTES = 4 << 20

MOST_UNCUT = 16_000_000
"""Characters of a large file that are kept waiting for a place where they can be cut."""


class FileTokens(NamedTuple):
    """The tokens of a file in each encoding, its bytes, and the digest of its content, b"" where nobody asks for it."""

    tokens: tuple[int, ...]
    file_bytes: int
    digest: bytes


KnownTokens = Callable[[bytes], tuple[int, ...] | None]
"""The tokens of a content that was counted before, by its digest; None for a new one."""


def count_file(
    path: Path, encodings: Sequence[Encoding], digests: ContentDigests | None = None, known: KnownTokens | None = None
) -> FileTokens:
    """Read a file, and count it unless its content is known, for which ``digests`` are wanted. CorpusFileError where it
    cannot be read or is no text."""
    with opened_file(path) as file, _refused(path):
        size = os.fstat(file.fileno()).st_size
        if size > LARGE_BYTES and all(encoding.has_safe_cuts for encoding in encodings):
            return _count_pieces(file, path, encodings, RunningDigest(digests) if digests is not None else None)
        content = read_whole(file, size, path)
        digest = digests.of(content) if digests is not None else b""
        tokens = known(digest) if known is not None else None
        return FileTokens(tokens or _tokens(content, encodings), len(content), digest)


def count_content(path: Path, content: bytes, encodings: Sequence[Encoding]) -> tuple[int, ...]:
    """The tokens of what was read from a file, in each encoding. CorpusFileError where it is no text."""
    with _refused(path):
        return _tokens(content, encodings)


def _tokens(content: bytes, encodings: Sequence[Encoding]) -> tuple[int, ...]:
    text = decode_stored(content).text
    return tuple(encoding.count(text) for encoding in while_wanted(encodings, every=1))


@contextlib.contextmanager
def _refused(path: Path) -> Iterator[None]:
    """What is wrong with the content of a file, told of the file."""
    try:
        yield
    except BinaryFileError as error:
        raise CorpusFileError(path, "binary", str(error)) from None
    except UnknownTextEncodingError as error:
        raise CorpusFileError(path, "not UTF-8", str(error)) from None
    except UnsupportedTextError as error:
        raise CorpusFileError(path, "unreadable", str(error)) from None
    except MemoryError:
        raise CorpusFileError(path, "unreadable", "too big for the memory that is free") from None


def _count_pieces(
    file: BinaryIO, path: Path, encodings: Sequence[Encoding], digest: RunningDigest | None
) -> FileTokens:
    totals = [0] * len(encodings)
    finder = CutFinder()
    size, rest = 0, ""
    for block, text in _decoded(file, path):
        size += len(block)
        if digest is not None:
            digest.update(block)
        first = max(1, len(rest) - finder.reach)  # further to the left there is none
        rest += text
        cut = finder.last(rest, first, len(rest)) if block else len(rest)
        if cut > 0:
            for index, encoding in enumerate(encodings):
                totals[index] += encoding.count(rest[:cut])
            rest = rest[cut:]
        elif len(rest) > MOST_UNCUT:
            raise UnsupportedTextError(f"over {MOST_UNCUT / 1e6:,.0f} MB of it have no place where a word ends")
    return FileTokens(tuple(totals), size, digest.digest() if digest is not None else b"")


def _decoded(file: BinaryIO, path: Path) -> Iterator[tuple[bytes, str]]:
    """The bytes of a file, block by block, and the text that each adds; the last block is empty. BinaryFileError,
    UnknownTextEncodingError, CorpusFileError."""
    start = read_at(file, 0, BINARY_SAMPLE_BYTES, path)
    encoding = marked_encoding(start)
    if encoding is None:
        if b"\0" in start:
            decode_stored(start)  # raises what is raised for a small one
        encoding = "utf-8"
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    place, block = 0, b" "
    while block:
        block = read_at(file, place, PIECE_BYTES, path)
        held_back = len(decoder.getstate()[0])
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            raise UnknownTextEncodingError(*not_in(encoding, error, place - held_back)) from None
        place += len(block)
        yield block, text
