"""Tokenizers on this computer: the user's own encodings, and files of other programs that can be imported. No Qt.

The user's own are trained or imported, and kept as files in a profile folder. Other programs' files are searched for
only when the user asks; the search imports nothing and uses no network. Its locations: huggingface_hub (docs, "Manage
huggingface_hub cache-system"; HF_HUB_CACHE, HF_HOME), Ollama (docs/faq.md: OLLAMA_MODELS), LM Studio
("~/.lmstudio/models"), llama.cpp (LLAMA_CACHE).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui.core.profile_files import folder_of

if TYPE_CHECKING:
    from engine import Encoding
    from engine.library.user_encodings import Kind, UserEntry


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
        from engine.library.user_encodings import is_kept

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


# --- tokenizer files of other programs --------------------------------------------------------------------------------

MAX_FOUND = 500
MAX_VISITED = 200_000
"""Maximum number of files and folders visited per location; a model folder has some dozens."""

_END_BYTES = 1 << 18
_REPOSITORY = "models--"
_MODEL_LAYER = "application/vnd.ollama.image.model"


@dataclass(frozen=True, slots=True)
class LocalTokenizer:
    """A tokenizer file, the title of its model, and the program that stores it."""

    path: Path
    title: str
    owner: str


def looks_like_tokenizer(path: Path) -> bool:
    """Return True if the content of a file looks like a tokenizer, whatever its name. Reads only its two ends.

    ``engine.library.formats.reading`` decides for certain, but importing it here would block the window.
    """
    from engine.library.formats.table import FORMATS, endings

    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            start = file.read(_END_BYTES)
            file.seek(max(len(start), os.fstat(file.fileno()).st_size - _END_BYTES))
            ends = start + b" " + file.read(_END_BYTES)
    except OSError:
        return False
    if any(one.begins is not None and one.begins(start) for one in FORMATS):
        return True
    if start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return any(one.keys and all(key in ends for key in one.keys) for one in FORMATS)
    # A binary file with a tokenizer's suffix: the import reports what is wrong with it.
    return b"\0" in start and path.suffix.casefold() in endings() and path.suffix.casefold() != ".json"


def find_local_tokenizers(cancel_check: Callable[[], None], home: Path | None = None) -> list[LocalTokenizer]:
    """Return the tokenizers found, sorted by title; unreadable folders are skipped.

    ``cancel_check`` is called often; an exception that it raises ends the search. ``home``: the user's folder.
    """
    home = Path.home() if home is None else home
    cache = folder_of("XDG_CACHE_HOME", home / ".cache")
    hub = folder_of("HF_HUB_CACHE", folder_of("HF_HOME", cache / "huggingface") / "hub")
    found = [
        *_in_hub(hub, cancel_check),
        *_in_ollama(folder_of("OLLAMA_MODELS", home / ".ollama" / "models"), cancel_check),
        *_below(home / ".lmstudio" / "models", "LM Studio", cancel_check),
        *_below(cache / "lm-studio" / "models", "LM Studio", cancel_check),
        *_below(folder_of("LLAMA_CACHE", cache / "llama.cpp"), "llama.cpp", cancel_check),
    ]
    return sorted(found[:MAX_FOUND], key=lambda one: (one.title.casefold(), str(one.path)))


def name_of_model(path: Path) -> str:
    """Return the model name for a file of Hugging Face or Ollama, whose own name is generic; empty for others."""
    repository = next((part for part in path.parts if part.startswith(_REPOSITORY)), "")
    if repository:
        return repository.rsplit("--", 1)[-1]
    if path.parent.name == "blobs":
        models = _in_ollama(path.parent.parent, lambda: None)
        return next((one.title.replace("/", "-") for one in models if one.path == path), "")
    return ""


def _in_hub(hub: Path, cancel_check: Callable[[], None]) -> Iterator[LocalTokenizer]:
    """Yield the tokenizers of the newest snapshot that has one, for each repository."""
    for repository in _entries(hub):
        if not repository.name.startswith(_REPOSITORY):
            continue
        title = repository.name.removeprefix(_REPOSITORY).replace("--", "/")
        snapshots = sorted(_entries(repository / "snapshots"), key=_changed, reverse=True)
        for snapshot in snapshots:
            names = [path for path in _files(snapshot, cancel_check) if _is_tokenizer_name(path)]
            if names:
                yield from (LocalTokenizer(path, f"{title}, {path.name}", "Hugging Face") for path in names)
                break


def _in_ollama(models: Path, cancel_check: Callable[[], None]) -> Iterator[LocalTokenizer]:
    """Yield the model files named by manifests."""
    manifests = models / "manifests"
    for manifest in _files(manifests, cancel_check):
        try:
            layers = json.loads(manifest.read_bytes()[:1_000_000])["layers"]
            digests = [layer["digest"] for layer in layers if layer["mediaType"] == _MODEL_LAYER]
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            continue  # another program's file, not a manifest
        for digest in digests:
            path = models / "blobs" / str(digest).replace(":", "-")
            if path.parent == models / "blobs" and path.is_file():
                yield LocalTokenizer(path, "/".join(manifest.relative_to(manifests).parts[-2:]), "Ollama")


def _below(folder: Path, owner: str, cancel_check: Callable[[], None]) -> Iterator[LocalTokenizer]:
    for path in _files(folder, cancel_check):
        if _is_tokenizer_name(path):
            yield LocalTokenizer(path, str(path.relative_to(folder)), owner)


def _is_tokenizer_name(path: Path) -> bool:
    from engine.library.formats.table import FORMATS

    return any(path.name in one.published_as or (one.only_its_own and path.suffix == one.ending) for one in FORMATS)


def _files(folder: Path, cancel_check: Callable[[], None]) -> Iterator[Path]:
    """Yield all files below a folder. Symbolic links to folders are not followed."""
    seen = 0
    for root, folders, names in os.walk(folder):
        cancel_check()
        folders.sort()
        seen += len(folders) + len(names)
        if seen > MAX_VISITED:
            return
        yield from (Path(root) / name for name in sorted(names))


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
