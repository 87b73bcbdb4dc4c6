"""SentencePiece's sign for a space, ``▁`` (U+2581), in encoded texts and in tokens.

Before encoding, each space is replaced by the sign, and one more is prepended, the *dummy prefix*: so a word is the
same token at the start of a text as after a space. Decoding reverts both. (google/sentencepiece, src/normalizer.cc:
``add_dummy_prefix``, ``escape_whitespaces``. As in Llama's tokenizers, consecutive spaces are all kept.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

SIGN = "▁"

SPACES_AS_SIGNS = f"spaces as {SIGN}"
SIGN_IN_FRONT = f"{SIGN} in front"

_SIGN_BYTES = SIGN.encode("utf-8")


@dataclass(frozen=True, slots=True)
class Metaspace:
    """Replaces spaces by signs and back. ``dummy_prefix``: True if a sign is prepended to each text."""

    dummy_prefix: bool = True

    @property
    def steps(self) -> tuple[str, ...]:
        """Names of its steps for a file, in order."""
        return (SIGN_IN_FRONT,) * self.dummy_prefix + (SPACES_AS_SIGNS,)

    def __call__(self, text: str) -> str:
        """Return a whole text with signs. An empty text stays empty."""
        return (SIGN if self.dummy_prefix and text else "") + text.replace(" ", SIGN)

    def in_pieces(self, pieces: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
        """Yield the chunks of a UTF-8 text with signs, and by how many bytes each grew. Chunks hold whole characters;
        some may be empty."""
        in_front = _SIGN_BYTES if self.dummy_prefix else b""
        for piece in pieces:
            signed = in_front + piece.replace(b" ", _SIGN_BYTES) if piece else piece
            in_front = b"" if piece else in_front
            yield signed, len(signed) - len(piece)

    def undone(self, content: bytes) -> bytes:
        """Return a UTF-8 text without signs. A ``▁`` of the original text also becomes a space."""
        if self.dummy_prefix:
            content = content.removeprefix(_SIGN_BYTES)
        return content.replace(_SIGN_BYTES, b" ")


def signs_of(steps: tuple[str, ...]) -> tuple[tuple[str, ...], Metaspace | None]:
    """Return the steps before those about signs, and the ``Metaspace`` that these describe, None if there are none."""
    if steps[-1:] != (SPACES_AS_SIGNS,):
        return steps, None
    in_front = steps[-2:-1] == (SIGN_IN_FRONT,)
    return steps[: -2 if in_front else -1], Metaspace(in_front)
