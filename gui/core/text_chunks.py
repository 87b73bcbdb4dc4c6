"""A big text on its way to a file or a search: kept as UTF-8, in pieces. No Qt.

One character outside the BMP makes a Python string four bytes a character: ten megabytes of text become forty, and
forty more for each copy. As UTF-8 they stay ten. In pieces, because turning all of it into bytes in one call would keep
every other thread waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

PIECE_CHARACTERS = 1 << 16
"""Longer texts are turned into bytes in pieces of this size."""


@dataclass(frozen=True, slots=True)
class ChunkedText:
    """``pieces`` are UTF-8, each of whole characters; lone surrogates are encoded as such, to be read back.

    Strings among them are encoded when they are gone through, each time: that is where the GUI thread had them at hand,
    and a worker has the time. With ``crlf`` each newline of the pieces stands for CRLF.
    """

    pieces: tuple[bytes | str, ...] = ()
    crlf: bool = False

    def __iter__(self) -> Iterator[bytes]:
        for piece in self.pieces:
            for part in utf8_pieces(piece) if isinstance(piece, str) else (piece,):
                yield part.replace(b"\n", b"\r\n") if self.crlf else part

    def text(self, stand_back: Callable[[], None] | None = None) -> str:
        """The whole text as one string. ``stand_back`` is called between the pieces: a place where a job can rest."""
        parts: list[str] = []
        for piece in self:
            parts.append(piece.decode("utf-8", "surrogatepass"))
            if stand_back is not None:
                stand_back()
        return "".join(parts)

    def with_crlf(self) -> ChunkedText:
        """The same with each newline turned into CRLF; the text must hold no CR of its own."""
        return replace(self, crlf=True)


def chunked(texts: Iterable[str]) -> ChunkedText:
    """One text, given in parts that end between characters."""
    return ChunkedText(tuple(piece for text in texts for piece in utf8_pieces(text)))


def as_chunked(text: str | ChunkedText) -> ChunkedText:
    """A text that is held, or will be: to be called on a worker thread."""
    return chunked([text]) if isinstance(text, str) else text


def utf8_pieces(text: str) -> Iterator[bytes]:
    """The bytes of a text, a bounded piece at a time."""
    for start in range(0, len(text), PIECE_CHARACTERS):
        yield text[start : start + PIECE_CHARACTERS].encode("utf-8", "surrogatepass")
