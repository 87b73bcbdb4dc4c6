"""A tokenizer for a library, read and validated here before the library sees any of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.encoding.library_encoding import LibraryTokenizer
from engine.errors import FormatError
from engine.library.formats import huggingface_document, sentencepiece_model
from engine.library.formats.spelling import SPACE_MARK, bytes_of_piece
from engine.library.formats.validation import parse_json, quoted
from engine.runtime.cancellation import interruptible


@dataclass(frozen=True, slots=True)
class LibraryData:
    """A validated tokenizer to be run by a library. ``reader``, ``payload``: as in ``LibraryTokenizer``. ``tokens``:
    the bytes of its tokens, for texts to check it with. ``open``: passes it to the library; raises FormatError.
    ``normalization``, ``notes``: as in ``TokenizerData``; the steps have the library's names. ``was_tried``: True if it
    was already checked with this version of the library. ``special_tokens``: texts of the special tokens that the
    library recognizes."""

    reader: str
    payload: bytes
    tokens: Sequence[bytes]
    open: Callable[[], LibraryTokenizer]
    normalization: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    was_tried: bool = False
    special_tokens: tuple[str, ...] = ()


def of_payload(reader: str, payload: bytes) -> LibraryData:
    """Read the payload of a library: ``reader`` and ``payload`` as in ``LibraryTokenizer``. Raises FormatError, also if
    the reader is unknown."""
    if reader == "tokenizers":
        return of_document(parse_json(payload))
    if reader == "sentencepiece":
        return of_model(sentencepiece_model.read(payload))
    raise FormatError(f"it is to be run by {quoted(reader)}, which is not known here")


def of_document(document: dict[str, Any], *notes: str) -> LibraryData:
    """Read a ``tokenizer.json``. Raises FormatError."""
    checked = huggingface_document.read(document)

    def handed_over() -> LibraryTokenizer:
        from engine.library.formats.by_tokenizers import HuggingFaceTokenizer

        return HuggingFaceTokenizer(checked)

    notes = (*checked.notes, *notes)
    specials = tuple(checked.special_tokens)
    steps = checked.normalizers
    return LibraryData(
        "tokenizers", checked.content, checked.tokens, handed_over, steps, notes, special_tokens=specials
    )


def of_model(model: sentencepiece_model.SentencePieceModel) -> LibraryData:
    """Wrap a SentencePiece model."""

    def handed_over() -> LibraryTokenizer:
        from engine.library.formats.by_sentencepiece import SentencePieceTokenizer

        return SentencePieceTokenizer(model)

    steps = []
    if model.rules:
        steps.append(model.normalization or "rules of its own")
    if model.spaces_joined:
        steps.append("runs of spaces become one")
    if model.space_first:
        steps.append(f"a space is put {'behind' if model.space_behind else 'in front of'} each text")
    tokens = [bytes_of_piece(piece.text, space_mark=SPACE_MARK) for piece in interruptible(model.pieces)]
    return LibraryData("sentencepiece", sentencepiece_model.write(model), tokens, handed_over, tuple(steps))
