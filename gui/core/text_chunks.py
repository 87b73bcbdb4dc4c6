"""Large texts on their way to a file or a search, held as chunks of UTF-8. No Qt.

One character outside the BMP makes a Python string use four bytes per character: ten megabytes of text become forty,
and forty more for each copy. As UTF-8 they stay ten. In chunks, because encoding all of it in one call would hold the
GIL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

CHUNK_CHARACTERS = 1 << 16
"""Chunk size for encoding, in characters."""


@dataclass(frozen=True, slots=True)
class ChunkedText:
    """Immutable text in chunks. ``chunks`` are UTF-8 of whole characters; lone surrogates are kept (``surrogatepass``).

    Strings among the chunks are encoded on each iteration: this moves the work from the GUI thread, which has the
    strings at hand, to a worker. With ``crlf``, each newline of the chunks stands for CRLF.
    """

    chunks: tuple[bytes | str, ...] = ()
    crlf: bool = False

    def __iter__(self) -> Iterator[bytes]:
        for given in self.chunks:
            for chunk in utf8_chunks(given) if isinstance(given, str) else (given,):
                yield chunk.replace(b"\n", b"\r\n") if self.crlf else chunk

    def strings(self) -> Iterator[str]:
        """Yield the text, one chunk at a time."""
        for chunk in self:
            yield chunk.decode("utf-8", "surrogatepass")

    def text(self, wait_while_busy: Callable[[], None] | None = None) -> str:
        """Return the whole text as one string. ``wait_while_busy`` is called between chunks, for a job to yield."""
        parts: list[str] = []
        for part in self.strings():
            parts.append(part)
            if wait_while_busy is not None:
                wait_while_busy()
        return "".join(parts)

    def size(self) -> int:
        """Return the number of bytes."""
        return sum(map(len, self))

    def sha256(self) -> str:
        """Return the digest of the bytes, in hexadecimal."""
        import hashlib

        digest = hashlib.sha256()
        for chunk in self:
            digest.update(chunk)
        return digest.hexdigest()

    def with_crlf(self) -> ChunkedText:
        """Return a copy with each newline turned into CRLF; the text must not contain CR."""
        return replace(self, crlf=True)


def chunked(texts: Iterable[str]) -> ChunkedText:
    """Return one text, given in parts that end at character boundaries."""
    return ChunkedText(tuple(chunk for text in texts for chunk in utf8_chunks(text)))


def as_chunked(text: str | ChunkedText) -> ChunkedText:
    """Return the text in chunks. Call it on a worker thread."""
    return chunked([text]) if isinstance(text, str) else text


def utf8_chunks(text: str) -> Iterator[bytes]:
    """Yield the text as UTF-8, one bounded chunk at a time."""
    for start in range(0, len(text), CHUNK_CHARACTERS):
        yield text[start : start + CHUNK_CHARACTERS].encode("utf-8", "surrogatepass")
