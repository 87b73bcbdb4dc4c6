"""What readers say of good files that they cannot open all by themselves."""

from __future__ import annotations

from engine.errors import FormatError


class OtherKindError(FormatError):
    """The tokenizer is none of those that our own engine can be; a library may still run it. The text says why.
    ``note``: what a user should know of it then."""

    def __init__(self, why: str, note: str = "") -> None:
        super().__init__(why)
        self.note = note


class PatternNeededError(FormatError):
    """The file does not name its split pattern. The caller may know it and pass it."""
