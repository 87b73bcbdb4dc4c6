"""A bundled vocabulary: known by the first bytes of its file, read when something in it is first needed.

Reading, checking and unpacking takes up to fifteen milliseconds. Where our own kernels have their tables already, they
count without it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

from engine.errors import DamagedVocabularyError
from engine.vocabulary.bundle_format import HEAD_SIZE, RankTable, stated_digest, unpack


class BundledVocabulary:
    """The ranks, and for some the special tokens, in a file of engine/data. Safe to use from several threads.

    DamagedVocabularyError, which names the file, where it cannot be used: from the constructor if it is not there or
    something else, from the methods if it was changed. What failed is tried again at the next call.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._content: tuple[RankTable, dict[str, int]] | None = None
        with self._naming_the_file(), path.open("rb") as file:
            self.fingerprint = stated_digest(file.read(HEAD_SIZE))
            """32 bytes that tell vocabularies apart: the SHA-256 that the file states of itself."""

    def table(self) -> RankTable:
        """The mergeable tokens."""
        return self._read()[0]

    def special_tokens(self) -> dict[str, int]:
        """The special tokens that are in the file: text to id."""
        return dict(self._read()[1])

    def _read(self) -> tuple[RankTable, dict[str, int]]:
        with self._lock:
            if self._content is None:
                with self._naming_the_file():
                    self._content = unpack(self._path.stem, self._path.read_bytes())
            return self._content

    @contextlib.contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise DamagedVocabularyError(
                f"The bundled vocabulary file {self._path} cannot be used: {why}. "
                "Install Tokenloupe again, or restore that file; encodings of other files still work."
            ) from error
