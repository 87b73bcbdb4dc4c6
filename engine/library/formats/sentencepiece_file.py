"""SentencePiece's ``.model`` as a format: parsed by ``sentencepiece_model``, run by its own library."""

from __future__ import annotations

from engine.library.formats import sentencepiece_model
from engine.library.formats.library_data import of_model
from engine.library.formats.source import Found, Source


def read_source(source: Source) -> Found | None:
    """Return a model for the library, None for another format. A file with the extension that matches no other format
    is read as one, so that the error states what is wrong with it. Raises FormatError, with the position."""
    if source.is_json:
        return None
    if not sentencepiece_model.looks_like(source.content) and source.path.suffix != ".model":
        return None
    return Found(of_model(sentencepiece_model.read(source.content)))
