"""Search for tokenizer files of other programs on this computer. Runs only when the user asks; it imports nothing and
uses no network. No Qt.

Locations: huggingface_hub (docs, "Manage huggingface_hub cache-system"; HF_HUB_CACHE, HF_HOME), Ollama (docs/faq.md:
OLLAMA_MODELS), LM Studio ("~/.lmstudio/models"), llama.cpp (LLAMA_CACHE).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.library.formats.table import FORMATS, endings
from gui.core.paths import folder_of

MAX_FOUND = 500
MAX_LOOKED_AT = 200_000
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


def find(cancel_check: Callable[[], None], home: Path | None = None) -> list[LocalTokenizer]:
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
        kept = _in_ollama(path.parent.parent, lambda: None)
        return next((one.title.replace("/", "-") for one in kept if one.path == path), "")
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
    return any(path.name in one.published_as or (one.only_its_own and path.suffix == one.ending) for one in FORMATS)


def _files(folder: Path, cancel_check: Callable[[], None]) -> Iterator[Path]:
    """Yield all files below a folder. Symbolic links to folders are not followed."""
    seen = 0
    for place, folders, names in os.walk(folder):
        cancel_check()
        folders.sort()
        seen += len(folders) + len(names)
        if seen > MAX_LOOKED_AT:
            return
        yield from (Path(place) / name for name in sorted(names))


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
