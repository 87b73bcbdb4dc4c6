"""User encodings: trained or imported, saved as files in a folder, known by name.

Each is a ``.tiktoken`` file with its companion (``engine.library.formats.tiktoken_ranks``), the tokenizer of another
library (``engine.library.formats.kept_tokenizer``), or any other tokenizer file that the user put there. A damaged file
is reported in a sentence, and does not prevent the use of the others.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from engine.encoding.encoding import Encoding
from engine.errors import EngineError, FormatError
from engine.library.formats.table import endings
from engine.runtime.atomic_files import only_here, replacing

Kind = Literal["imported", "trained"]

_KEPT_SUFFIXES = (".tiktoken", ".tokenizer")
"""Extensions of the files in which this program saves encodings."""
_UNFIT_FOR_FILE_NAMES = re.compile(r"[^\w.+-]+")


@dataclass(frozen=True, slots=True)
class UserEntry:
    """One user encoding. ``path``: its file, None if it is only in memory. ``trusted``: True if only this program saves
    files in that folder (``engine.library.formats.opening``). ``n_vocab``: as of the encoding; 0 if it is unknown
    before the file is opened."""

    name: str
    kind: Kind
    path: Path | None = None
    trusted: bool = field(default=False, compare=False)
    n_vocab: int = field(default=0, compare=False)

    @property
    def vendor_normalization(self) -> None:
        """None: a user encoding never has a vendor's normalization."""
        return None

    @property
    def vendor(self) -> str:
        """Its maker, unknown."""
        return ""

    @property
    def description(self) -> str:
        """Its kind, with the name of its file."""
        return f"{self.kind}, {self.path.name}" if self.path else self.kind


class UserEncodings:
    """User encodings by name. Thread-safe."""

    def __init__(self, taken: frozenset[str]) -> None:
        """``taken``: names of other encodings."""
        self._taken = taken
        self._changing = threading.RLock()
        """Held while the encodings change or a file is opened, for as long as the disk takes."""
        self._lock = threading.Lock()
        """Held briefly to read: a window may need the names while another thread opens an encoding."""
        self._entries: dict[str, UserEntry] = {}
        self._encodings: dict[str, Encoding] = {}

    def entries(self) -> tuple[UserEntry, ...]:
        """Return all entries, in the order in which they were added."""
        with self._lock:
            return tuple(self._entries.values())

    def get(self, name: str) -> Encoding | None:
        """Return the encoding with this name, the same object each time; None if there is none. Raises FormatError if
        its file is damaged."""
        with self._lock:
            known = self._encodings.get(name)
        if known is not None:
            return known
        with self._changing:
            entry = self._entries.get(name)
            if entry is not None and name not in self._encodings:
                assert entry.path is not None
                opened = _opened(entry)
                with self._lock:
                    self._encodings[name] = opened
            return self._encodings.get(name)

    def opened(self) -> list[Encoding]:
        """Return the encodings that were opened so far."""
        with self._lock:
            return list(self._encodings.values())

    def add_folder(self, folder: Path, *, trusted: bool = False) -> tuple[str, ...]:
        """Register every tokenizer file of a folder by name. The files are opened on first use.

        ``trusted``: the folder is the one in which this program saves them, so that files which were checked when they
        were saved are not checked again.

        Return a sentence for each file that cannot be used, as far as that is known without opening it. A folder that
        does not exist has no files.
        """
        if not folder.is_dir():
            return ()
        problems: list[str] = []
        readable = endings(private=True)
        for path in sorted(folder.iterdir()):
            if path.suffix not in readable or path.name.startswith("."):
                continue
            try:
                if not _is_companion(path):
                    self.add(replace(_described(path), trusted=trusted))
            except (EngineError, OSError) as error:
                problems.append(str(error))
        return tuple(problems)

    def add(self, entry: UserEntry, encoding: Encoding | None = None) -> None:
        """Register an encoding. One with the same name and path is replaced. Raises EngineError if the name is taken,
        or contains characters that hide or reorder text: two names must not look the same."""
        with self._changing:
            self._check_name(entry)
            self._put(entry, encoding)

    def _check_name(self, entry: UserEntry) -> None:
        """Raise EngineError if the entry cannot have its name."""
        if not entry.name.isprintable():
            raise EngineError(f"The name {entry.name!r} contains invisible characters; choose another name.")
        before = self._entries.get(entry.name)
        if entry.name in self._taken or (before is not None and before.path not in (None, entry.path)):
            raise EngineError(
                f"{entry.path or 'The encoding'} has the name {entry.name!r}, which another encoding already has."
            )

    def _put(self, entry: UserEntry, encoding: Encoding | None, *, instead_of: str = "") -> None:
        with self._lock:
            if instead_of:
                self._entries.pop(instead_of, None)
                self._encodings.pop(instead_of, None)
            self._entries[entry.name] = entry
            self._encodings.pop(entry.name, None)
            if encoding is not None:
                self._encodings[entry.name] = encoding

    def keep(
        self, encoding: Encoding, folder: Path, kind: Kind, sample: str = "", normalization: tuple[str, ...] = ()
    ) -> UserEntry:
        """Save an encoding in a folder, which is created if necessary, and register it. Raises EngineError,
        FormatError."""
        from engine.encoding.preprocessing_encoding import prepared

        path = _path_of(encoding.name, folder, ".tokenizer" if encoding.no_merges else ".tiktoken")
        encoding = prepared(encoding, normalization)
        entry = UserEntry(encoding.name, kind, path, trusted=True, n_vocab=encoding.n_vocab)
        with self._changing:
            self._check_name(entry)
            before = self._entries.get(entry.name)
            try:
                with only_here(folder):  # two windows that save the same name at once must not overwrite each other
                    ours = None if before is None else before.path
                    if (taken := _file_of_same_name(path, ours)) is not None:
                        raise EngineError(f"{taken} exists already; choose another name.")
                    _write(encoding, path, kind, sample, normalization)
            except (EngineError, OSError) as error:
                raise FormatError(str(error)) from error
            self._put(entry, encoding)
            return entry

    def rename(self, name: str, new_name: str) -> UserEntry:
        """Rename a saved encoding and its files. Raises EngineError if no encoding has the name, or the new one is
        taken; OSError."""
        with self._changing:
            entry = self._entries.get(name)
            if entry is None or entry.path is None:
                raise EngineError(f"There is no saved encoding named {name!r}.")
            path = _path_of(new_name, entry.path.parent, entry.path.suffix)
            with only_here(entry.path.parent):
                is_known = new_name in self._taken or new_name in self._entries
                if is_known or _file_of_same_name(path, entry.path) is not None:
                    raise EngineError(f"Another encoding is already named {new_name!r}.")
                _move(entry.path, path, new_name)
            renamed = replace(entry, name=new_name, path=path)
            self._put(renamed, None, instead_of=name)
            return renamed

    def forget(self, name: str, *, delete: bool = False) -> None:
        """Unregister an encoding, and delete its files if ``delete``. Raises OSError if that fails."""
        with self._changing:
            with self._lock:
                entry = self._entries.pop(name, None)
                self._encodings.pop(name, None)
            if delete and entry is not None and entry.path is not None:
                entry.path.unlink(missing_ok=True)
                entry.path.with_name(entry.path.name + ".json").unlink(missing_ok=True)


def _is_companion(path: Path) -> bool:
    """Return whether a file only describes another one, which may be missing: no process removes or renames both in one
    step. Raises OSError."""
    if not path.name.endswith(".tokenizer.json"):
        return path.name.endswith(".tiktoken.json")
    from engine.library.formats import kept_tokenizer

    return kept_tokenizer.is_companion(path)


def _path_of(name: str, folder: Path, suffix: str) -> Path:
    return folder / f"{_UNFIT_FOR_FILE_NAMES.sub('-', name).strip('-.') or 'encoding'}{suffix}"


def is_kept(name: str, folder: Path) -> bool:
    """Return whether a folder has the file of an encoding with this name, possibly saved by another window."""
    return _file_of_same_name(_path_of(name, folder, _KEPT_SUFFIXES[0]), None) is not None


def _file_of_same_name(path: Path, ours: Path | None) -> Path | None:
    """Return a saved file, of either kind, that has the name of ``path`` and is not ``ours``: it may be another
    window's."""
    alike = (path.with_name(path.name.removesuffix(path.suffix) + suffix) for suffix in _KEPT_SUFFIXES)
    return next((file for file in alike if file != ours and file.exists()), None)


def _move(path: Path, target: Path, name: str) -> None:
    """Rename a file, and the encoding in its companion if there is one. Raises FormatError, OSError."""
    from engine.library.formats.source import parse_json

    beside = path.with_name(path.name + ".json")
    if beside.is_file():
        described = parse_json(beside.read_bytes())
        text = json.dumps(described | {"name": name}, ensure_ascii=False, indent=2) + "\n"
        with replacing(target.with_name(target.name + ".json")) as folder:
            (folder / f"{target.name}.json").write_text(text, "utf-8")
    if path == target:
        return
    path.rename(target)
    beside.unlink(missing_ok=True)


def _write(encoding: Encoding, path: Path, kind: Kind, sample: str, normalization: tuple[str, ...]) -> None:
    from engine.encoding.library_encoding import LibraryEncoding

    if isinstance(encoding, LibraryEncoding):
        from engine.library.formats import kept_tokenizer

        kept_tokenizer.write(encoding, path)
        return
    from engine.library.formats.opening import save_encoding

    save_encoding(encoding, path, sample, normalization, kind)


def _described(path: Path) -> UserEntry:
    """Return the entry of a file without opening it as a tokenizer. Raises FormatError, OSError."""
    from engine.library.formats import tiktoken_ranks

    companion = tiktoken_ranks.companion_of(path)
    if path.suffix == ".tokenizer":
        from engine.library.formats import kept_tokenizer

        try:
            return UserEntry(kept_tokenizer.read_companion(path)["name"], "imported", path)
        except FormatError as error:
            raise FormatError(f"{path}: {error}") from error
    if path.suffix != ".tiktoken" or not companion.is_file():
        return UserEntry(path.name.removesuffix(path.suffix), "imported", path)
    try:
        content = path.read_bytes()
        described = tiktoken_ranks.read_companion(companion.read_bytes(), content)
    except FormatError as error:
        raise FormatError(f"{companion}: {error}") from error
    name = described.get("name")
    return UserEntry(
        name if isinstance(name, str) and name else path.name.removesuffix(path.suffix),
        "trained" if described.get("kind") == "trained" else "imported",
        path,
        n_vocab=tiktoken_ranks.size_of_saved(described, content),
    )


def _opened(entry: UserEntry) -> Encoding:
    from engine.library.formats.opening import open_tokenizer

    assert entry.path is not None
    try:
        return open_tokenizer(entry.path, name=entry.name, trusted=entry.trusted).encoding
    except OSError as error:
        raise FormatError(f"{entry.path}: {error.strerror or error}") from error
