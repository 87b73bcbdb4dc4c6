"""The texts that a tokenizer is trained on, in chunks.

Files and strings are read block by block, and divided only where this does not change their pretokens.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.corpus.files import CorpusFileError, read_blocks
from engine.corpus.types import AS_BYTES, CorpusFile, SkippedFile
from engine.encoding.preprocessing_encoding import Preparation, mark_words
from engine.errors import TrainingError
from engine.text.offsets import TextAtStart, is_utf8, uncut_pieces
from engine.text.sentencepiece import Metaspace

BLOCK_BYTES = 1 << 20
"""Approximate size of the blocks in which texts are read, in bytes. It decides where a text is divided for custom
patterns, so it must stay the same for runs to be repeatable."""

MAX_PIECE_BYTES = 32 << 20
"""Maximum size of a text span without a boundary, in bytes."""

_FIRST_WINDOW = 256


@dataclass(frozen=True, slots=True)
class Document:
    """One text of the corpus, or bytes that are not text. ``source``: a file, or the text itself as UTF-8.
    ``stored_bytes``: its size."""

    source: CorpusFile | bytes
    stored_bytes: int

    @property
    def name(self) -> str:
        """Name for messages."""
        return "a text" if isinstance(self.source, bytes) else str(self.source.path)

    @property
    def is_raw(self) -> bool:
        """True if it may hold bytes that are not UTF-8 (``engine.text.offsets``)."""
        if isinstance(self.source, bytes):
            return not is_utf8(self.source)
        return self.source.encoding == AS_BYTES

    def blocks(self, is_valid: Callable[[bytes], bool] = is_utf8) -> Iterator[bytes]:
        """Yield the text in blocks of whole characters, valid UTF-8 unless it is raw. ``is_valid``: as for
        ``read_blocks``. Raises CorpusFileError."""
        if isinstance(self.source, bytes):
            return _slices(self.source)
        return read_blocks(self.source, BLOCK_BYTES, is_valid)


def text_document(text: str) -> Document:
    """Return a text as a document. Surrogate pairs are joined, lone surrogates become U+FFFD."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError:
        content = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")
    return Document(content, len(content))


def _slices(content: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(content):
        end = min(start + BLOCK_BYTES, len(content))
        while end < len(content) and content[end] & 0xC0 == 0x80:
            end += 1
        yield content[start:end]
        start = end


def last_cut(cuts: re.Pattern[str], text: bytes, lowest: int) -> int:
    """Return the last boundary p with ``lowest <= p`` in UTF-8 text, as a byte offset, or -1. ``lowest`` must be the
    start of a character."""
    stop = len(text)
    window = _FIRST_WINDOW
    while stop > lowest:
        start = _character_start(text, max(stop - window, lowest))
        before = _character_start(text, max(start - 1, 0))  # boundaries depend on the character before them
        part = text[before:stop].decode("utf-8")
        offsets = [match.start() for match in cuts.finditer(part)]
        if offsets and (cut := before + len(part[: offsets[-1]].encode("utf-8"))) >= max(start, 1):
            return cut
        stop, window = start, window * 4
    return -1


def _character_start(text: bytes, at: int) -> int:
    while at > 0 and text[at] & 0xC0 == 0x80:
        at -= 1
    return at


def cut_pieces(blocks: Iterator[bytes], cuts: re.Pattern[str] | None, name: str) -> Iterator[bytes]:
    """Yield a text that comes in blocks as chunks of about a block that end at safe boundaries. If a block has no
    boundary, yields an empty chunk, so that the caller never waits long. Raises TrainingError."""
    held = b""
    searched = 0
    for block in blocks:
        if cuts is not None and len(held) + len(block) >= BLOCK_BYTES:
            cut = last_cut(cuts, block, 0)
            if cut > 0:  # the usual case: the block is copied once
                yield b"".join((held, memoryview(block)[:cut]))
                held, searched = block[cut:], len(block) - cut
                continue
        held += block
        cut = -1
        if len(held) >= BLOCK_BYTES and cuts is not None:
            cut = last_cut(cuts, held, searched)
            searched = len(held)
        if cut > 0:
            yield held[:cut]
            held, searched = held[cut:], len(held) - cut
        else:
            yield b""
        if len(held) > MAX_PIECE_BYTES:
            raise TrainingError(
                f"The split pattern finds no boundary in {MAX_PIECE_BYTES >> 20} MB of {name}. Exclude the file, or "
                "choose another pattern."
            )
    if held:
        yield held


def space_shortener(most: int, signs: bytes = b"") -> Callable[[bytes], bytes]:
    r"""Return a function that shortens runs of one whitespace character (``\r\n`` is one) to ``most`` of them.

    ``signs``: more alternatives of the regular expression, for texts whose spaces are written ``▁``
    (``engine.text.sentencepiece``).
    """
    longer = re.compile(b"(\r\n|[ \t\n\r]%s)\\1{%d,}" % (signs, most))
    return functools.partial(longer.sub, lambda run: run[1] * most)


_AT_ASCII = re.compile(r"[\x00-\x7f]")


@dataclass(slots=True)
class _Reach:
    """Progress of a reader. A separate object, so that nothing that reads a file refers to the reader: when a reader is
    dropped, its file is closed immediately, not at the next garbage collection."""

    bytes_before: int = 0
    bytes_read: int = 0
    sign_bytes: int = 0


class PieceReader:
    """Reads all documents in order, as preprocessed chunks, some of which may be empty. ``document`` and ``piece``:
    indexes of the next chunk. ``sign_bytes_before``: bytes by which ``▁`` for spaces made the documents before the
    current one longer. ``problems``: files that could not be read to their end. Keeps at most one file open, for no
    longer than the reader lives."""

    def __init__(
        self,
        documents: list[Document],
        cuts: re.Pattern[str] | None,
        preparation: Preparation,
        is_valid: Callable[[bytes], bool] = is_utf8,
        max_space_run: int | None = None,
    ) -> None:
        self.documents = documents
        self.document = self.piece = self.sign_bytes_before = 0
        self.problems: list[SkippedFile] = []
        self._cuts = cuts
        self._preparation = preparation
        self._is_valid = is_valid
        signs = b"|\xe2\x96\x81" if preparation.signs is not None else b""
        self._shorten = None if max_space_run is None else space_shortener(max_space_run, signs)
        self._reach = _Reach()
        self._pieces: Iterator[bytes] | None = None

    @property
    def bytes_read(self) -> int:
        """Stored bytes of the chunks read so far."""
        return self._reach.bytes_read

    @property
    def sign_bytes(self) -> int:
        """Number of bytes by which ``▁`` for spaces made those chunks longer."""
        return self._reach.sign_bytes

    def start_at(self, document: int, piece: int, problems: list[SkippedFile], sign_bytes_before: int) -> None:
        """Continue from the position of another reader of the same documents."""
        self.document, self.piece, self.problems = document, piece, problems
        self.sign_bytes_before = sign_bytes_before  # those of the skipped chunks are added while skipping
        before = sum(document.stored_bytes for document in self.documents[:document])
        self._reach = _Reach(before, before, sign_bytes_before)
        self._pieces = None

    def next_piece(self) -> bytes | None:
        """Return the next chunk, or None at the end. Raises TrainingError or SplitTimeoutError."""
        while self.document < len(self.documents):
            document = self.documents[self.document]
            if self._pieces is None:
                self._pieces = itertools.islice(self._pieces_of(document), self.piece, None)
            try:
                piece = next(self._pieces, None)
            except CorpusFileError as error:
                self.problems.append(error.skipped)
                piece = None
            if piece is not None:
                self.piece += 1
                return piece
            self._pieces = None
            self._reach.bytes_before += document.stored_bytes
            self._reach.bytes_read = self._reach.bytes_before
            self.sign_bytes_before = self._reach.sign_bytes
            self.document += 1
            self.piece = 0
        return None

    def _pieces_of(self, document: Document) -> Iterator[bytes]:
        pieces = self._prepared_pieces(document)
        return pieces if self._shorten is None else map(self._shorten, pieces)

    def _prepared_pieces(self, document: Document) -> Iterator[bytes]:
        blocks = _counted(document, self._is_valid, self._reach)
        if document.is_raw:
            return _raw_pieces(blocks, self._cuts, document.name, self._is_valid)
        normalize, words_of = self._preparation.normalizer, self._preparation.words_of
        if normalize.steps:
            blocks = _changed(cut_pieces(blocks, _AT_ASCII, document.name), normalize)
        pieces = cut_pieces(blocks, self._cuts, document.name)
        if self._preparation.signs is not None:
            return _signed(pieces, self._preparation.signs, self._reach)
        return pieces if words_of is None else _changed(pieces, functools.partial(mark_words, pattern=words_of))


def _raw_pieces(
    blocks: Iterator[bytes], cuts: re.Pattern[str] | None, name: str, is_valid: Callable[[bytes], bool]
) -> Iterator[bytes]:
    """Yield chunks of valid UTF-8, then the rest undivided. Without boundaries, all of it is undivided."""
    rest = b""
    if cuts is not None:
        text = TextAtStart(blocks, is_valid)
        yield from cut_pieces(iter(text), cuts, name)
        rest = text.rest
    yield from uncut_pieces(rest, blocks)


def _signed(pieces: Iterator[bytes], signs: Metaspace, reach: _Reach) -> Iterator[bytes]:
    for piece, more in signs.in_pieces(pieces):
        reach.sign_bytes += more
        yield piece


def _counted(document: Document, is_valid: Callable[[bytes], bool], reach: _Reach) -> Iterator[bytes]:
    """Yield the blocks of a document and record the progress, in UTF-8 bytes, which may be more than are stored."""
    read = 0
    for block in document.blocks(is_valid):
        read += len(block)
        reach.bytes_read = reach.bytes_before + min(read, document.stored_bytes)
        yield block


def _changed(pieces: Iterator[bytes], change: Callable[[str], str]) -> Iterator[bytes]:
    for piece in pieces:
        yield change(piece.decode("utf-8")).encode("utf-8")
