"""Checkpoint files of training runs.

A checkpoint file appears only when complete, and is refused if its content was altered. It is a zip archive of numpy
arrays (``numpy.savez``), each with a checksum; ``facts`` is JSON. It contains no code.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import TrainingError
from engine.runtime.atomic_files import check_regular, clear_half_written, replacement_of
from engine.training.types import TrainingSettings

VERSION = 3
"""Changes with the stored data, and with how texts are divided into the chunks that are counted by number."""

_NOT_WRITTEN_HERE = (
    *(ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError),
    *(TypeError, MemoryError, RuntimeError, TokenError, SyntaxError),
)
"""Errors that numpy raises for a file it did not write: TypeError for a single array, MemoryError for an impossible
one, RuntimeError for an archive with a password, TokenError and SyntaxError for an invalid dtype expression."""

Facts = dict[str, Any]
Arrays = dict[str, NDArray[Any]]

_KIND = "tokenloupe training"


class UnsavedCheckpointError(TrainingError, OSError):
    """A checkpoint could not be written. The message gives the reason and says if an older one was kept."""


def write_checkpoint(path: Path, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a checkpoint atomically: the old one is kept until the new file is safely on disk. Raises
    UnsavedCheckpointError."""
    stated = json.dumps({"kind": _KIND, "version": VERSION, **facts}).encode("utf-8")
    try:
        with replacement_of(path) as file:
            kept: Any = {"facts": np.frombuffer(stated, dtype=np.uint8), **arrays}
            np.savez(file, **kept)
    except OSError as error:
        before = " The one saved before is kept." if path.exists() else ""
        raise UnsavedCheckpointError(
            f"The checkpoint {path} could not be saved: {error.strerror or error}.{before}"
        ) from error


def read_checkpoint(path: Path) -> tuple[Facts, Arrays]:
    """Return the facts and arrays of a checkpoint. Removes temporary files that killed runs left beside it. Raises
    TrainingError."""
    clear_half_written(path.parent)
    return _read(path, with_arrays=True)


def read_settings(path: Path) -> TrainingSettings:
    """Return the settings of the run that wrote a checkpoint, without reading the rest. Raises TrainingError."""
    facts, _ = _read(path, with_arrays=False)
    try:
        return settings_in(facts)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise damaged(path) from error


def settings_in(facts: Facts) -> TrainingSettings:
    """Return the settings of a run from its facts. Raises KeyError, TypeError or AttributeError if they are damaged."""
    stated = dict(facts["settings"])
    return TrainingSettings(**{**stated, "special_tokens": tuple(stated["special_tokens"])})


def _read(path: Path, *, with_arrays: bool) -> tuple[Facts, Arrays]:
    try:
        check_regular(path)  # opening a pipe would block
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in (archive.files if with_arrays else ["facts"])}
        facts = json.loads(arrays.pop("facts").tobytes())
    except OSError as error:
        raise TrainingError(f"The checkpoint {path} cannot be read: {error.strerror or error}.") from error
    except _NOT_WRITTEN_HERE as error:
        raise damaged(path) from error
    if not isinstance(facts, dict) or facts.get("kind") != _KIND:
        raise damaged(path)
    if isinstance(facts.get("version"), int) and facts["version"] > VERSION:
        raise TrainingError(f"A newer version of this program has written the checkpoint {path}; it is left as it is.")
    if facts.get("version") != VERSION:
        raise TrainingError(f"The checkpoint {path} is from another version of this program. Start a new run.")
    return facts, arrays


def damaged(path: Path) -> TrainingError:
    """Return the error for a checkpoint that is damaged or is not one."""
    return TrainingError(f"The checkpoint {path} is damaged, or is no checkpoint: start over.")
