"""SentencePiece's ``.model``: parsed and validated here before its library sees any of it, rewritten, and run there.

``write`` writes only the fields that determine tokens. ``fields_of`` and the ``*_field`` functions implement just
enough of protobuf's wire format to read and write such a model: fields of messages, one after another.

Source: google/sentencepiece, src/sentencepiece_model.proto (0.2), src/normalizer.cc (EncodePrecompiledCharsMap) and
third_party/darts_clone/darts.h; protobuf.dev, Encoding.
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from engine.errors import FormatError
from engine.library.formats.source import Found, LibraryData, Source, giving_up, quoted, refusing
from engine.library.formats.spelling import SPACE_MARK, bytes_of_piece
from engine.library.formats.tokenizer_data import MAX_TOKENS
from engine.runtime.cancellation import interruptible

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor

VARINT, EIGHT_BYTES, BYTES, FOUR_BYTES = 0, 1, 2, 5

Field = tuple[int, int | bytes]
"""Number and value of a field: an integer, or bytes (also for numbers of fixed size)."""


def fields_of(message: bytes, where: str) -> Iterator[Field]:
    """Yield the fields of a message in order. Raises FormatError if it is truncated or not a message."""
    offset = 0
    while offset < len(message):
        key, offset = _varint(message, offset, where)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise FormatError(f"{where}: a field at offset {offset:,} has no number")
        if kind == VARINT:
            value, offset = _varint(message, offset, where)
            yield number, value
            continue
        if kind == BYTES:
            size, offset = _varint(message, offset, where)
        elif kind in (EIGHT_BYTES, FOUR_BYTES):
            size = 8 if kind == EIGHT_BYTES else 4
        else:
            raise FormatError(f"{where}: a field at offset {offset:,} has an unknown type")
        if size > len(message) - offset:
            raise FormatError(f"{where}: it ends before a field of {size:,} bytes at offset {offset:,}")
        yield number, message[offset : offset + size]
        offset += size


def _varint(message: bytes, offset: int, where: str) -> tuple[int, int]:
    value = shift = 0
    while offset < len(message) and shift < 70:
        byte = message[offset]
        offset += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & ((1 << 64) - 1), offset
        shift += 7
    raise FormatError(f"{where}: it ends in a number, or the number is too long, at offset {offset:,}")


def whole_field(number: int, value: int) -> bytes:
    """Return a field with an integer."""
    return _written_varint(number << 3 | VARINT) + _written_varint(value & ((1 << 64) - 1))


def bytes_field(number: int, value: bytes) -> bytes:
    """Return a field with bytes, which also encodes strings and messages."""
    return _written_varint(number << 3 | BYTES) + _written_varint(len(value)) + value


def float_field(number: int, value: float) -> bytes:
    """Return a field with a 32-bit float."""
    return _written_varint(number << 3 | FOUR_BYTES) + struct.pack("<f", value)


def _written_varint(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


UNIGRAM, BPE, WORD, CHAR = 1, 2, 3, 4
MODELS = {UNIGRAM: "Unigram", BPE: "BPE over characters", WORD: "word", CHAR: "character"}

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
"""Kinds of pieces."""

LONGEST_PIECE = 1_000
_BYTE_FALLBACK, _SPACE_BEHIND, _MODEL_TYPE = 35, 24, 3


@dataclass(frozen=True, slots=True)
class Piece:
    """One entry of the vocabulary; its index is its ID. ``kind``: from NORMAL to BYTE."""

    text: str
    score: float
    kind: int


@dataclass(frozen=True, slots=True)
class SentencePieceModel:
    """A validated model. ``model``: a key of ``MODELS``. ``normalization``: name of the rules in ``rules``, a table as
    in ``check_charsmap``. ``space_first``: whether a space is added in front of every text.
    ``space_behind``: whether it is added after the text instead. ``spaces_joined``: whether runs of spaces become one,
    and spaces at the ends are removed. ``spaces_marked``: whether spaces are ``▁`` in pieces."""

    pieces: list[Piece]
    model: int
    byte_fallback: bool = False
    space_behind: bool = False
    normalization: str = ""
    rules: bytes = field(default=b"", repr=False)
    space_first: bool = True
    spaces_joined: bool = True
    spaces_marked: bool = True


def read_source(source: Source) -> Found | None:
    """Return a model for the library, None for another format. A file with the extension that matches no other format
    is read as one, so that the error states what is wrong with it. Raises FormatError, with the position."""
    begins_with_piece = source.content[:1] == b"\x0a" and source.content[2:3] == b"\x0a"  # field 1, and its text
    if source.is_json or not (begins_with_piece or source.path.suffix == ".model"):
        return None
    return Found(library_data_of(read(source.content)))


def read(content: bytes) -> SentencePieceModel:
    """Return the model. Raises FormatError, with the position."""
    pieces: list[Piece] = []
    trainer = normalizer = b""
    for number, value in interruptible(fields_of(content, "the model")):
        if number == 1:
            pieces.append(_piece(_message(value, f"piece {len(pieces):,}"), f"piece {len(pieces):,}"))
            if len(pieces) > MAX_TOKENS:
                raise FormatError(f"the file has more than {MAX_TOKENS:,} pieces")
        elif number == 2:
            trainer += _message(value, "how it was trained")
        elif number == 3:
            normalizer += _message(value, "its normalization")
    settings = _numbers(trainer, "how it was trained")
    texts = {number: value for number, value in fields_of(normalizer, "its normalization") if isinstance(value, bytes)}
    flags = _numbers(normalizer, "its normalization")
    model = SentencePieceModel(
        pieces,
        settings.get(_MODEL_TYPE, UNIGRAM),
        bool(settings.get(_BYTE_FALLBACK, 0)),
        bool(settings.get(_SPACE_BEHIND, 0)),
        texts.get(1, b"").decode("utf-8", "replace")[:100],
        texts.get(2, b""),
        bool(flags.get(3, 1)),
        bool(flags.get(4, 1)),
        bool(flags.get(5, 1)),
    )
    check(model)
    return model


def check(model: SentencePieceModel) -> None:
    """Raise FormatError if the library would reject the model, or must not receive it."""
    if model.model not in MODELS:
        raise FormatError(f"unknown model type {model.model}")
    if not any(piece.kind == NORMAL for piece in model.pieces):
        raise FormatError("not a SentencePiece model, or one without pieces")
    seen: set[str] = set()
    for number, piece in enumerate(interruptible(model.pieces)):
        where = f"piece {number:,}"
        if not piece.text or piece.text in seen:
            raise FormatError(f"{where}: {f'duplicate piece {quoted(piece.text)}' if piece.text else 'empty text'}")
        if len(piece.text) > LONGEST_PIECE or "\0" in piece.text:
            raise FormatError(
                f"{where}: it has {len(piece.text):,} characters, or a NUL; the limit is {LONGEST_PIECE:,}"
            )
        if not NORMAL <= piece.kind <= BYTE:
            raise FormatError(f"{where}: unknown type {piece.kind}")
        if not math.isfinite(piece.score):
            raise FormatError(f"{where}: its score is {piece.score}")
        if piece.kind == BYTE and len(bytes_of_piece(piece.text, byte_pieces=True)) != 1:
            raise FormatError(f"{where}: {quoted(piece.text)} is not a byte")
        seen.add(piece.text)
    unknown = sum(piece.kind == UNKNOWN for piece in model.pieces)
    if unknown != 1:
        raise FormatError(f"the file has {unknown} pieces for unknown text, and must have one")
    n_bytes = sum(piece.kind == BYTE for piece in model.pieces)
    if n_bytes != (256 if model.byte_fallback else 0):
        raise FormatError(
            f"the file has {n_bytes} pieces for bytes, but "
            + ("must have 256" if model.byte_fallback else "does not use them")
        )
    check_charsmap(model.rules, "its normalization")


def write(model: SentencePieceModel) -> bytes:
    """Return the content of a file that gives the same tokens."""
    parts = [
        bytes_field(1, bytes_field(1, one.text.encode("utf-8")) + float_field(2, one.score) + whole_field(3, one.kind))
        for one in interruptible(model.pieces)
    ]
    trainer = (
        whole_field(_MODEL_TYPE, model.model)
        + whole_field(_SPACE_BEHIND, model.space_behind)
        + whole_field(_BYTE_FALLBACK, model.byte_fallback)
    )
    flags = (model.space_first, model.spaces_joined, model.spaces_marked)
    normalizer = bytes_field(1, model.normalization.encode("utf-8")) + bytes_field(2, model.rules)
    normalizer += b"".join(whole_field(number, flag) for number, flag in enumerate(flags, 3))
    return b"".join([*parts, bytes_field(2, trainer), bytes_field(3, normalizer)])


def _piece(message: bytes, where: str) -> Piece:
    text, score, kind = "", 0.0, NORMAL
    for number, value in fields_of(message, where):
        if number == 1:
            try:
                text = _message(value, where).decode("utf-8")
            except UnicodeDecodeError:
                raise FormatError(f"{where}: its text is not UTF-8") from None
        elif number == 2:
            if len(_message(value, where)) != 4:
                raise FormatError(f"{where}: its score is not a number of four bytes")
            score = struct.unpack("<f", _message(value, where))[0]
        elif number == 3:
            if not isinstance(value, int):
                raise FormatError(f"{where}: its kind is not a number")
            kind = value
    return Piece(text, score, kind)


def _message(value: int | bytes, where: str) -> bytes:
    if isinstance(value, int):
        raise FormatError(f"{where}: expected bytes, found a number")
    return value


def _numbers(message: bytes, where: str) -> dict[int, int]:
    """Return the integers of a message by field number; the last one of a repeated field."""
    return {number: value for number, value in fields_of(message, where) if isinstance(value, int)}


# --- its normalization ------------------------------------------------------------------------------------------------


LARGEST_CHARSMAP = 4 << 20
"""Maximum size of a table in bytes; those of SentencePiece's own normalizations have up to 400,000."""


def check_charsmap_base64(text: object, where: str) -> None:
    """Raise FormatError if a text is not a valid table in base64. None means that there is no table."""
    if text is None:
        return
    if not isinstance(text, str) or len(text) > 2 * LARGEST_CHARSMAP:
        raise FormatError(f"{where}: precompiled_charsmap is not a text of up to {2 * LARGEST_CHARSMAP >> 20} MB")
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise FormatError(f"{where}: precompiled_charsmap is not base64") from None
    check_charsmap(content, where)


def check_charsmap(content: bytes, where: str) -> None:
    """Raise FormatError if a table is damaged, or has links out of itself. An empty table means that there is none.

    The table is a double-array trie that maps each replaced text to the offset of its replacement. The library follows
    its links without bounds checks. Four bytes have the length of the trie; its units follow (uint32), and then the
    replacements, each followed by a NUL.
    """
    if not content:
        return
    import numpy as np

    if len(content) > LARGEST_CHARSMAP:
        raise FormatError(f"{where}: the table of its normalization is larger than {LARGEST_CHARSMAP >> 20} MB")
    size = int.from_bytes(content[:4], "little")
    if size % 4 or size < 1024 or 4 + size >= len(content) or content[-1]:
        raise FormatError(f"{where}: the table of its normalization is cut short")
    units = np.frombuffer(content, dtype="<u4", count=size // 4, offset=4)
    replacements = len(content) - 4 - size
    positions = np.arange(len(units), dtype=np.uint32)
    is_value = units >> 31 == 1
    leads_to = positions ^ ((units >> 10) << ((units & 0x200) >> 6))
    inner = ~is_value
    with_value = inner & (units & 0x100 != 0)
    # The children of a node are at its target XOR any byte; its value is at the target itself.
    if ((leads_to[inner] | 0xFF) >= len(units)).any():
        raise FormatError(f"{where}: the table of its normalization points outside itself")
    if ((units[leads_to[with_value]] & 0x7FFFFFFF) >= replacements).any():
        raise FormatError(f"{where}: the table of its normalization refers to missing replacements")


# --- the library ------------------------------------------------------------------------------------------------------


def library_data_of(model: SentencePieceModel) -> LibraryData:
    """Return the model as a tokenizer to be run by SentencePiece."""
    steps = []
    if model.rules:
        steps.append(model.normalization or "rules of its own")
    if model.spaces_joined:
        steps.append("runs of spaces become one")
    if model.space_first:
        steps.append(f"a space is added {'after' if model.space_behind else 'before'} each text")
    tokens = [bytes_of_piece(piece.text, space_mark=SPACE_MARK) for piece in interruptible(model.pieces)]
    return LibraryData("sentencepiece", write(model), tokens, partial(SentencePieceTokenizer, model), tuple(steps))


class SentencePieceTokenizer:
    """A ``LibraryTokenizer`` (``engine.encoding.library_encoding``) for a validated model. Control pieces and the
    unknown piece are never produced from text: they are its special tokens."""

    reader = "sentencepiece"

    def __init__(self, model: SentencePieceModel) -> None:
        """Load a model into the library. Raises FormatError if the library rejects it."""
        import sentencepiece

        self.payload = write(model)
        self.library = f"sentencepiece {sentencepiece.__version__}"
        self.model = MODELS[model.model]
        self.special_tokens = {
            piece.text: number for number, piece in enumerate(model.pieces) if piece.kind in (CONTROL, UNKNOWN)
        }
        mark = SPACE_MARK if model.spaces_marked else ""
        self.tokens: Sequence[bytes] = [
            piece.text.encode("utf-8")
            if piece.kind in (CONTROL, UNKNOWN)
            else bytes_of_piece(piece.text, space_mark=mark, byte_pieces=piece.kind == BYTE)
            for piece in model.pieces
        ]
        self._processor = library_processor(self.payload)

    @classmethod
    def from_payload(cls, payload: bytes) -> SentencePieceTokenizer:
        """Implement ``LibraryTokenizer``."""
        return cls(read(payload))

    def ids(self, text: str) -> list[int]:
        """Implement ``LibraryTokenizer``."""
        with giving_up(self.library):
            ids: list[int] = self._processor.encode(text, return_type=int)
            return ids

    def ids_and_ends(self, text: str) -> tuple[list[int], list[int]]:
        """Implement ``LibraryTokenizer``."""
        with giving_up(self.library):
            found = self._processor.encode(text, return_type="offset_mapping")
            return found["ids"], [end for _, end in found["offsets"]]

    def decode(self, ids: Sequence[int]) -> str:
        """Implement ``LibraryTokenizer``."""
        with giving_up(self.library):
            text: str = self._processor.decode(list(ids))
            return text


def library_processor(payload: bytes) -> SentencePieceProcessor:
    """Return the library's tokenizer. Raises FormatError if the library rejects the payload."""
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor()
    with refusing("sentencepiece"):
        processor.LoadFromSerializedProto(payload)
    return processor
