"""What can go wrong in the engine, as errors whose text says what to do."""

from __future__ import annotations


class EngineError(Exception):
    """Any failure that the engine foresees. Its text is one sentence or two, fit to be shown to the user."""

    def __str__(self) -> str:
        # KeyError, which a subclass also is, would put quotes around the sentence.
        return str(self.args[0]) if self.args else ""


class UnknownEncodingError(EngineError, ValueError):
    """There is no encoding of that name; the text lists those that exist. A ValueError, as tiktoken raises."""


class UnknownModelError(EngineError, KeyError):
    """No encoding is known for that model. A KeyError, as tiktoken raises."""


class DamagedVocabularyError(EngineError):
    """A bundled vocabulary is missing or is not what was bundled. Names the file; other encodings still work."""


class UnsupportedTextError(EngineError):
    """The encoder gave up on a text, in a method that has no second way of encoding it."""


class TrainingError(EngineError):
    """A tokenizer cannot be trained as asked, or its checkpoint cannot be used. The text says what to change."""


class FormatError(EngineError, ValueError):
    """A tokenizer file cannot be read, or a tokenizer cannot be written in that format. The text names the file, the
    place in it where there is one, and what to do."""
