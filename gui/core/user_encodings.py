"""The user's own encodings, trained or imported: files in a folder of the profile. On worker threads; no Qt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine import Encoding
    from engine.library.user_encodings import Kind, OwnEntry

OpenEncoding = Callable[[str], "Encoding"]
"""Opens an encoding by its name, on a worker thread. ValueError: there is none of that name; OSError."""
MOST_NUMBERS = 1000
"""A name that is taken gets a number behind it; beyond so many of them something is wrong."""


class UserEncodings:
    """Makes the files of a folder known to the engine, once, before anybody asks for an encoding by its name.

    Safe to use from several threads: what two of them do at once is done twice, with the same outcome.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._problems: tuple[str, ...] | None = None

    def find(self) -> tuple[str, ...]:
        """Take in what the folder holds. Returns a sentence for each file that cannot be used. OSError."""
        from engine.library import catalog

        if self._problems is None:
            self._problems = catalog.add_folder(self.folder, trusted=True)
        return self._problems

    def names(self) -> tuple[str, ...]:
        """The names of all of them. OSError."""
        from engine.library import catalog

        self.find()
        return tuple(entry.name for entry in catalog.own().entries())

    def opening(self, open_encoding: OpenEncoding) -> OpenEncoding:
        """A function that opens encodings with ``open_encoding``, those of the folder as well."""

        def open_any(name: str) -> Encoding:
            self.find()
            return open_encoding(name)

        return open_any

    def free_name(self, name: str) -> str:
        """``name``, or that with the first number behind it that makes it nobody else's."""
        import engine
        from engine.library.user_encodings import is_kept

        self.find()
        taken = set(engine.list_encoding_names())
        names = (name, *(f"{name}-{number}" for number in range(2, MOST_NUMBERS)))
        return next((one for one in names if one not in taken and not is_kept(one, self.folder)), name)

    def keep(self, encoding: Encoding, kind: Kind = "trained") -> OwnEntry:
        """Write an encoding into the folder and make it known by its name. EngineError, for a full disk as well."""
        from engine.library import catalog

        return catalog.keep_encoding(encoding, self.folder, kind)

    def rename(self, name: str, new_name: str) -> OwnEntry:
        """Call an encoding otherwise. EngineError where the name is taken; OSError."""
        from engine.library import catalog

        return catalog.rename_encoding(name, new_name)

    def lend(self, encoding: Encoding) -> None:
        """Make an encoding known that could not be written, until the window closes. EngineError."""
        from engine.library import catalog

        catalog.register(encoding)

    def remove(self, name: str) -> None:
        """Make an encoding unknown and delete its files. OSError."""
        from engine.library import catalog

        catalog.forget_encoding(name, delete=True)

    def release(self) -> None:
        """The window closes: leave none of its encodings behind in this process."""
        if self._problems is None:
            return
        from engine.library import catalog

        for entry in catalog.own().entries():
            if entry.path is None or entry.path.is_relative_to(self.folder):
                catalog.forget_encoding(entry.name)
