"""Encodings of the user's own: trained or imported, kept as files in a folder, known by their names.

Each is a ``.tiktoken`` file with its companion (``engine.library.formats.tiktoken_ranks``), a library's tokenizer
likewise (``engine.library.formats.kept_tokenizer``), or any other tokenizer file that the user put there. A damaged one
is named in a sentence, and does not keep the others from being used.
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
"""What is kept is written in files of these kinds."""
_UNFIT_FOR_FILE_NAMES = re.compile(r"[^\w.+-]+")


@dataclass(frozen=True, slots=True)
class OwnEntry:
    """One encoding of the user's own. ``path``: where it is kept, None if only in memory. ``trusted``: only this
    program keeps files there (``engine.library.formats.opening``)."""

    name: str
    kind: Kind
    path: Path | None = None
    trusted: bool = field(default=False, compare=False)

    @property
    def vendor_normalization(self) -> None:
        """What it leaves undone to texts, as bundled encodings may: nothing."""
        return None

    @property
    def vendor(self) -> str:
        """Who made it."""
        return ""

    @property
    def description(self) -> str:
        """A word on it."""
        return f"{self.kind}, {self.path.name}" if self.path else self.kind


class OwnEncodings:
    """The user's own encodings by name. Safe to use from several threads."""

    def __init__(self, taken: frozenset[str]) -> None:
        """``taken``: names that are those of other encodings."""
        self._taken = taken
        self._changing = threading.RLock()
        """Held while something is changed or a file is opened, which takes as long as the disk does."""
        self._lock = threading.Lock()
        """Held for a moment while reading: a window asks for the names while another one is being opened."""
        self._entries: dict[str, OwnEntry] = {}
        self._encodings: dict[str, Encoding] = {}

    def entries(self) -> tuple[OwnEntry, ...]:
        """All of them, in the order in which they came."""
        with self._lock:
            return tuple(self._entries.values())

    def get(self, name: str) -> Encoding | None:
        """The encoding of that name, the same object each time; None where there is none. FormatError."""
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
        """Those that were opened so far."""
        with self._lock:
            return list(self._encodings.values())

    def add_folder(self, folder: Path, *, trusted: bool = False) -> tuple[str, ...]:
        """Take in every tokenizer file of a folder, by name. They are opened when they are first asked for.

        ``trusted``: the folder is the one in which this program keeps them, so those that were tried when they were
        kept are not tried again.

        Returns a sentence for each that cannot be used, as far as that can be told without opening it. A folder that
        does not exist has none.
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

    def add(self, entry: OwnEntry, encoding: Encoding | None = None) -> None:
        """Make an encoding known. One of the same name and path is replaced. EngineError where the name is taken, or
        holds characters that hide or turn text: two names must not look the same."""
        with self._changing:
            self._check_name(entry)
            self._put(entry, encoding)

    def _check_name(self, entry: OwnEntry) -> None:
        """EngineError where it cannot have its name."""
        if not entry.name.isprintable():
            raise EngineError(f"The name {entry.name!r} holds characters that cannot be seen; choose another name.")
        before = self._entries.get(entry.name)
        if entry.name in self._taken or (before is not None and before.path not in (None, entry.path)):
            raise EngineError(
                f"{entry.path or 'The encoding'} has the name {entry.name!r}, which another encoding has already."
            )

    def _put(self, entry: OwnEntry, encoding: Encoding | None, *, instead_of: str = "") -> None:
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
    ) -> OwnEntry:
        """Save an encoding in a folder, which is made if need be, and make it known. EngineError; FormatError."""
        from engine.encoding.prepared_encoding import prepared

        path = _path_of(encoding.name, folder, ".tokenizer" if encoding.no_merges else ".tiktoken")
        encoding = prepared(encoding, normalization)
        entry = OwnEntry(encoding.name, kind, path, trusted=True)
        with self._changing:
            self._check_name(entry)
            before = self._entries.get(entry.name)
            try:
                with only_here(folder):  # two windows that keep the same name at once must not overwrite each other
                    ours = None if before is None else before.path
                    if (taken := _file_called_alike(path, ours)) is not None:
                        raise EngineError(f"{taken} exists already; choose another name.")
                    _write(encoding, path, kind, sample, normalization)
            except (EngineError, OSError) as error:
                raise FormatError(str(error)) from error
            self._put(entry, encoding)
            return entry

    def rename(self, name: str, new_name: str) -> OwnEntry:
        """Call a kept encoding otherwise; its files are called like it. EngineError where there is none of that name,
        or the new one is taken; OSError."""
        with self._changing:
            entry = self._entries.get(name)
            if entry is None or entry.path is None:
                raise EngineError(f"There is no file of an encoding named {name!r}.")
            path = _path_of(new_name, entry.path.parent, entry.path.suffix)
            with only_here(entry.path.parent):
                is_known = new_name in self._taken or new_name in self._entries
                if is_known or _file_called_alike(path, entry.path) is not None:
                    raise EngineError(f"The name {new_name!r} is that of another encoding.")
                _move(entry.path, path, new_name)
            renamed = replace(entry, name=new_name, path=path)
            self._put(renamed, None, instead_of=name)
            return renamed

    def forget(self, name: str, *, delete: bool = False) -> None:
        """Make an encoding unknown; with ``delete`` its files go too. OSError where that cannot be done."""
        with self._changing:
            with self._lock:
                entry = self._entries.pop(name, None)
                self._encodings.pop(name, None)
            if delete and entry is not None and entry.path is not None:
                entry.path.unlink(missing_ok=True)
                entry.path.with_name(entry.path.name + ".json").unlink(missing_ok=True)


def _is_companion(path: Path) -> bool:
    """Whether a file only says something about another, which may be gone: no process removes or renames both in one
    step. OSError."""
    if not path.name.endswith(".tokenizer.json"):
        return path.name.endswith(".tiktoken.json")
    from engine.library.formats import kept_tokenizer

    return kept_tokenizer.is_companion(path)


def _path_of(name: str, folder: Path, suffix: str) -> Path:
    return folder / f"{_UNFIT_FOR_FILE_NAMES.sub('-', name).strip('-.') or 'encoding'}{suffix}"


def is_kept(name: str, folder: Path) -> bool:
    """Whether a folder has the file of an encoding of that name, perhaps another window's."""
    return _file_called_alike(_path_of(name, folder, _KEPT_SUFFIXES[0]), None) is not None


def _file_called_alike(path: Path, ours: Path | None) -> Path | None:
    """A kept file, of either kind, that has the name of ``path`` and is not ``ours``: perhaps another window's."""
    alike = (path.with_name(path.name.removesuffix(path.suffix) + suffix) for suffix in _KEPT_SUFFIXES)
    return next((file for file in alike if file != ours and file.exists()), None)


def _move(path: Path, target: Path, name: str) -> None:
    """Give a file another name, and the name of its encoding where that is told beside it. FormatError; OSError."""
    from engine.library.formats import json_document

    beside = path.with_name(path.name + ".json")
    if beside.is_file():
        described = json_document.parse(beside.read_bytes())
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
    from engine.library.formats.saving import save_encoding

    save_encoding(encoding, path, sample, normalization, kind)


def _described(path: Path) -> OwnEntry:
    """What a file says of itself without being opened as a tokenizer. FormatError; OSError."""
    from engine.library.formats import tiktoken_ranks

    companion = tiktoken_ranks.companion_of(path)
    if path.suffix == ".tokenizer":
        from engine.library.formats import kept_tokenizer

        try:
            return OwnEntry(kept_tokenizer.read_companion(path)["name"], "imported", path)
        except FormatError as error:
            raise FormatError(f"{path}: {error}") from error
    if path.suffix != ".tiktoken" or not companion.is_file():
        return OwnEntry(path.name.removesuffix(path.suffix), "imported", path)
    try:
        described = tiktoken_ranks.read_companion(companion.read_bytes(), path.read_bytes())
    except FormatError as error:
        raise FormatError(f"{companion}: {error}") from error
    name = described.get("name")
    return OwnEntry(
        name if isinstance(name, str) and name else path.name.removesuffix(path.suffix),
        "trained" if described.get("kind") == "trained" else "imported",
        path,
    )


def _opened(entry: OwnEntry) -> Encoding:
    from engine.library.formats.opening import open_tokenizer

    assert entry.path is not None
    try:
        return open_tokenizer(entry.path, name=entry.name, trusted=entry.trusted).encoding
    except OSError as error:
        raise FormatError(f"{entry.path}: {error.strerror or error}") from error
