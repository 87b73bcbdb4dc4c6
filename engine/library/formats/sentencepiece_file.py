"""SentencePiece's ``.model`` among the formats: ``sentencepiece_model`` reads it, and its own library runs it."""

from __future__ import annotations

from engine.library.formats import sentencepiece_model
from engine.library.formats.library_data import of_model
from engine.library.formats.source import Found, Source


def read_source(source: Source) -> Found | None:
    """Return what only its library can run, None for another format. A file that is called like one and looks like no
    other is taken for one, so that the error says what is wrong with it. Raises FormatError, with the place."""
    if source.is_json:
        return None
    if not sentencepiece_model.looks_like(source.content) and source.path.suffix != ".model":
        return None
    return Found(of_model(sentencepiece_model.read(source.content)))
