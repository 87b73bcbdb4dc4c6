"""A library's tokenizer from what was made of its file (``LibraryTokenizer.payload``)."""

from __future__ import annotations

from engine.encoding.library_encoding import LibraryEncoding, LibraryTokenizer
from engine.errors import FormatError
from engine.library.formats.quoting import quoted


def tokenizer_of(reader: str, payload: bytes) -> LibraryTokenizer:
    """The tokenizer. FormatError where it is damaged, or ``reader`` is neither ``tokenizers`` nor ``sentencepiece``."""
    if reader == "tokenizers":
        from engine.library.formats import huggingface_document
        from engine.library.formats.by_tokenizers import HuggingFaceTokenizer
        from engine.library.formats.json_document import parse

        return HuggingFaceTokenizer(huggingface_document.read(parse(payload)))
    if reader == "sentencepiece":
        from engine.library.formats import sentencepiece_model
        from engine.library.formats.by_sentencepiece import SentencePieceTokenizer

        return SentencePieceTokenizer(sentencepiece_model.read(payload))
    raise FormatError(f"it is to be run by {quoted(reader)}, which is not known here")


def reopened(name: str, reader: str, payload: bytes) -> LibraryEncoding:
    """The encoding around it. FormatError."""
    return LibraryEncoding.around(name, tokenizer_of(reader, payload))
