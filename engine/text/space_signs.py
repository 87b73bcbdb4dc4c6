"""SentencePiece's sign for a space: ``▁``, U+2581, in texts that are encoded and in tokens.

A text that is encoded has the sign in place of each space, and one more in front, the *dummy prefix*: so a word is the
same token at the start of a text as behind a space. Decoding undoes both. (google/sentencepiece, src/normalizer.cc:
``add_dummy_prefix``, ``escape_whitespaces``. As in Llama's tokenizers, spaces that follow each other all stay.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

SIGN = "▁"

SPACES_AS_SIGNS = f"spaces as {SIGN}"
SIGN_IN_FRONT = f"{SIGN} in front"

_SIGN_BYTES = SIGN.encode("utf-8")


@dataclass(frozen=True, slots=True)
class SpaceSigns:
    """``dummy_prefix``: whether each text gets a sign in front."""

    dummy_prefix: bool = True

    @property
    def steps(self) -> tuple[str, ...]:
        """What it does, as names for a file, in order."""
        return (SIGN_IN_FRONT,) * self.dummy_prefix + (SPACES_AS_SIGNS,)

    def __call__(self, text: str) -> str:
        """A whole text with signs. An empty one stays empty."""
        return (SIGN if self.dummy_prefix and text else "") + text.replace(" ", SIGN)

    def in_pieces(self, pieces: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
        """The same for the UTF-8 of a text that comes in pieces of whole characters, some of them empty: each piece
        with signs, and by how many bytes they made it longer."""
        in_front = _SIGN_BYTES if self.dummy_prefix else b""
        for piece in pieces:
            signed = in_front + piece.replace(b" ", _SIGN_BYTES) if piece else piece
            in_front = b"" if piece else in_front
            yield signed, len(signed) - len(piece)

    def undone(self, content: bytes) -> bytes:
        """The UTF-8 of a text without its signs. A ``▁`` that was one in the text comes back as a space."""
        if self.dummy_prefix:
            content = content.removeprefix(_SIGN_BYTES)
        return content.replace(_SIGN_BYTES, b" ")


def signs_of(steps: tuple[str, ...]) -> tuple[tuple[str, ...], SpaceSigns | None]:
    """The steps before those about signs, and what these say; None where there are none."""
    if steps[-1:] != (SPACES_AS_SIGNS,):
        return steps, None
    in_front = steps[-2:-1] == (SIGN_IN_FRONT,)
    return steps[: -2 if in_front else -1], SpaceSigns(in_front)
