"""The user's own encodings, trained or imported: files in a profile folder. For worker threads; no Qt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine import Encoding
    from engine.library.catalog import Kind, UserEntry

OpenEncoding = Callable[[str], "Encoding"]
"""Opens an encoding by name, on a worker thread. Raises ValueError if the name is unknown, and OSError."""
EncodingListing = tuple[tuple[tuple[str, str], ...], tuple[str, ...], tuple[str, ...]]
"""Name and description of each encoding, the names of the user's own, and problems with their files."""
MAX_NUMBERS = 1000
"""Maximum number appended to a taken name."""


class UserEncodings:
    """A folder of encodings, registered with the engine once, before the first lookup by name.

    Thread-safe: concurrent calls may repeat work, with the same outcome.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._problems: tuple[str, ...] | None = None

    def find(self) -> tuple[str, ...]:
        """Register the encodings of the folder. Returns a sentence for each unusable file. Raises OSError."""
        from engine.library import catalog

        if self._problems is None:
            self._problems = catalog.add_folder(self.folder, trusted=True)
        return self._problems

    def names(self) -> tuple[str, ...]:
        """Return the names of all user encodings. Raises OSError."""
        from engine.library import catalog

        self.find()
        return tuple(entry.name for entry in catalog.own().entries())

    def list_all(self) -> EncodingListing:
        """Return all encodings; a bundled one is described with its Unicode version. Raises OSError."""
        import engine

        problems = self.find()
        entries = engine.encoding_entries()
        own = tuple(entry.name for entry in entries if entry.kind != "bundled")
        return tuple((entry.name, _described(entry)) for entry in entries), own, problems

    def opening(self, open_encoding: OpenEncoding) -> OpenEncoding:
        """Wrap ``open_encoding`` so that it also opens the encodings of the folder."""

        def open_any(name: str) -> Encoding:
            self.find()
            return open_encoding(name)

        return open_any

    def free_name(self, name: str) -> str:
        """Return ``name``, with the first free number appended if it is taken."""
        import engine
        from engine.library.catalog import is_kept

        self.find()
        taken = set(engine.list_encoding_names())
        names = (name, *(f"{name}-{number}" for number in range(2, MAX_NUMBERS)))
        return next((one for one in names if one not in taken and not is_kept(one, self.folder)), name)

    def keep(self, encoding: Encoding, kind: Kind = "trained") -> UserEntry:
        """Save an encoding in the folder and register it. Raises EngineError, also for a full disk."""
        from engine.library import catalog

        return catalog.keep_encoding(encoding, self.folder, kind)

    def rename(self, name: str, new_name: str) -> UserEntry:
        """Rename an encoding. Raises EngineError if the name is taken, and OSError."""
        from engine.library import catalog

        return catalog.rename_encoding(name, new_name)

    def lend(self, encoding: Encoding) -> None:
        """Register an encoding that could not be saved, until the window closes. Raises EngineError."""
        from engine.library import catalog

        catalog.register(encoding)

    def remove(self, name: str) -> None:
        """Unregister an encoding and delete its files. Raises OSError."""
        from engine.library import catalog

        catalog.forget_encoding(name, delete=True)

    def release(self) -> None:
        """Unregister all encodings of this folder from the process when the window closes."""
        if self._problems is None:
            return
        from engine.library import catalog

        for entry in catalog.own().entries():
            if entry.path is None or entry.path.is_relative_to(self.folder):
                catalog.forget_encoding(entry.name)


def _described(entry: Any) -> str:
    unicode = getattr(entry, "unicode", "")
    return f"{entry.description} · Unicode {unicode}" if unicode else str(entry.description)
