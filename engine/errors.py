"""Errors of the engine. Their text tells the user what to do."""

from __future__ import annotations


class EngineError(Exception):
    """Base class of all failures that the engine foresees. Its text is one or two sentences, fit to show to the
    user."""

    def __str__(self) -> str:
        # KeyError, a base of one subclass, would put quotes around the sentence.
        return str(self.args[0]) if self.args else ""


class UnknownEncodingError(EngineError, ValueError):
    """No encoding has that name. The text lists those that exist. Also a ValueError, as tiktoken raises."""


class UnknownModelError(EngineError, KeyError):
    """No encoding is known for that model. Also a KeyError, as tiktoken raises."""


class DamagedVocabularyError(EngineError):
    """A bundled vocabulary file is missing or was changed. The text names the file. Other encodings still work."""


class UnsupportedTextError(EngineError):
    """The encoder failed on a text, and the method that was called has no fallback."""


class TrainingError(EngineError):
    """A tokenizer cannot be trained as configured, or its checkpoint cannot be used. The text says what to change."""


class FormatError(EngineError, ValueError):
    """A tokenizer file cannot be read, or a tokenizer cannot be written in that format. The text names the file, the
    position in it if known, and what to do."""
