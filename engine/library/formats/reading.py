"""Reading tokenizer files of any known format, in this process or in a child. The result is not yet an encoding.

A file is recognized by its content (``read``). A large tokenizer.json becomes a million small objects on its way to a
vocabulary. In the process of a window, these would block the interpreter for seconds, and their memory would stay in
use after them because of fragmentation. So ``read_apart`` reads it in a child process, ``python -m
engine.library.formats.reading``, which returns only two arrays and a page of JSON. A file that exhausts the memory ends
only the child.

The child reads a line of JSON. It writes a line of JSON with the sizes of the blobs that follow it, then the blobs.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import EngineError, FormatError
from engine.library.formats import tiktoken_ranks
from engine.library.formats.kept_tokenizer import data_of_payload
from engine.library.formats.source import ForLibrary, Found, LibraryData, PatternNeededError, Source, content_of
from engine.library.formats.table import FORMATS
from engine.library.formats.tokenizer_data import TokenizerData, check, check_work
from engine.runtime.cancellation import CancelCheck, interruptible
from engine.runtime.threads import child_command
from engine.text.normalization import UnknownNormalizationError

OPTION = "--read-tokenizer"
"""Option of the program that starts reading, because a frozen program has no separate interpreter."""

MAX_BYTES = 3 << 30
"""Maximum memory of the child, in bytes. The largest files that are accepted take a third of it."""

_LONGEST_WAIT = 600.0
"""Maximum time in seconds. The caller can cancel earlier."""


def read(path: Path, pattern: str | None, *, trusted: bool) -> Found:
    """Return the content of a file. ``pattern``, ``trusted``: as in ``engine.library.formats.opening.open_tokenizer``.
    Raises FormatError, PatternNeededError, UnknownNormalizationError, OSError."""
    headers = {one.magic: one.header_bytes for one in FORMATS if one.magic}
    source = Source(path, content_of(path, headers), pattern, trusted)
    for one in FORMATS:
        found = one.reader().read_source(source)
        if found is not None:
            return replace(found, kind=one.name)
    if source.is_json:
        if "pattern" in source.document:
            raise FormatError("this file only describes a ranks file; open that one")
        known = [one.title for one in FORMATS if one.keys]
        raise FormatError(f"valid JSON, but neither {', nor '.join(known)}")
    if b"\0" in source.content[:4096]:
        raise FormatError("a binary file in an unknown format")
    try:
        return replace(tiktoken_ranks.read_ranks_of(source), kind="tiktoken")
    except PatternNeededError:
        raise
    except FormatError as error:  # it names the line
        if path.suffix == ".tiktoken":
            raise
        raise FormatError(f"the file is in no known format; read as ranks for tiktoken, {error}") from error


def read_apart(path: Path, pattern: str | None, cancel_check: CancelCheck | None = None) -> Found:
    """Return the result of ``read`` for an untrusted file, after
    ``tokenizer_data.check`` and ``check_work``.

    ``cancel_check`` is called regularly while waiting; if it raises, the child is killed at once. Raises FormatError,
    PatternNeededError, OSError.
    """
    command, environment = child_command("engine.library.formats.reading", OPTION, [])
    request = json.dumps({"path": os.fspath(path.absolute()), "pattern": pattern}).encode()
    try:
        ended = run(command, environment, (request, b"\n"), _LONGEST_WAIT, cancel_check)
    except DoesNotEndError:
        raise FormatError(f"reading timed out after {_LONGEST_WAIT:.0f} seconds") from None
    except OSError as error:
        raise FormatError(f"could not start the reader process: {error.strerror or error}") from error
    if ended.status:
        raise FormatError(f"reading crashed or needed more than {MAX_BYTES >> 30} GB of memory")
    return _received(ended.output)


def _received(output: bytes) -> Found:
    head, _, rest = output.partition(b"\n")
    try:
        about = json.loads(head)
    except ValueError as error:
        raise FormatError("reading produced no output") from error
    if "errno" in about:
        raise OSError(about["errno"], about["strerror"])
    if "refused" in about:
        raise (PatternNeededError if about["wants_pattern"] else FormatError)(about["refused"])
    ends = itertools.accumulate(about["parts"], initial=0)
    parts = [rest[start:end] for start, end in itertools.pairwise(ends)]
    if about["reader"]:
        for_it = data_of_payload(about["reader"], parts[0])
        steps, notes = tuple(about["normalization"]), tuple(about["notes"])
        return Found(replace(for_it, normalization=steps, notes=notes), kind=about["kind"])
    ids, lengths = (np.frombuffer(part, dtype=np.int32) for part in parts[:2])
    for_library = None
    if about["library_notes"] is not None:
        given = ForLibrary(parts[3], tuple(about["library_notes"]))

        def for_library() -> ForLibrary:
            return given

    data = TokenizerData(
        about["pattern"],
        dict(interruptible(zip(_tokens(parts[2], lengths), ids.tolist(), strict=True))),
        about["special_tokens"],
        tuple(about["normalization"]),
        tuple(about["notes"]),
        about["byte_fallback"],
    )
    return Found(data, for_library, about["kind"])


def _tokens(blob: bytes, lengths: np.ndarray[Any, np.dtype[np.int32]]) -> Iterator[bytes]:
    offset = 0
    for length in lengths.tolist():
        yield blob[offset : offset + length]
        offset += length


# In the child


def main() -> int:
    """Read the file named on standard input. Return the exit status."""
    try:
        request = json.loads(sys.stdin.buffer.readline())
        limit(MAX_BYTES)
        about, parts = _answer(Path(request["path"]), request["pattern"])
        out = sys.stdout.buffer
        out.write(json.dumps(about | {"parts": [len(part) for part in parts]}).encode() + b"\n")
        for part in parts:
            out.write(part)
        out.flush()
    except (MemoryError, OSError):  # the parent may be gone; a frozen program would show a traceback elsewhere
        return 1
    return 0


def _answer(path: Path, pattern: str | None) -> tuple[dict[str, Any], tuple[bytes, ...]]:
    """Return the description of a file as JSON data, and its blobs. Raises MemoryError."""
    try:
        return _described(read(path, pattern, trusted=False))
    except OSError as error:
        return {"errno": error.errno, "strerror": error.strerror or str(error)}, ()
    except (EngineError, UnknownNormalizationError) as error:
        return {"refused": str(error), "wants_pattern": isinstance(error, PatternNeededError)}, ()
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - an internal error is reported to the parent, which shows it
        why = f"reading failed: {type(error).__name__}: {error!s:.200}"
        return {"refused": why, "wants_pattern": False}, ()


def _described(found: Found) -> tuple[dict[str, Any], tuple[bytes, ...]]:
    """Return the description of a tokenizer as JSON data, and its blobs. Raises FormatError."""
    data = found.data
    about: dict[str, Any] = {"kind": found.kind, "normalization": data.normalization, "notes": data.notes}
    if isinstance(data, LibraryData):
        return about | {"reader": data.reader}, (data.payload,)
    check(data)
    check_work(data.ranks)
    given = None if found.for_library is None else found.for_library()
    about |= {
        "reader": "",
        "pattern": data.pattern,
        "special_tokens": data.special_tokens,
        "byte_fallback": data.byte_fallback,
        "library_notes": None if given is None else given.notes,
    }
    n_tokens = len(data.ranks)
    ids = np.fromiter(data.ranks.values(), dtype=np.int32, count=n_tokens)
    lengths = np.fromiter(map(len, data.ranks), dtype=np.int32, count=n_tokens)
    blob = b"".join(data.ranks)
    return about, (ids.tobytes(), lengths.tobytes(), blob, b"" if given is None else given.payload)


# --- running a module in a child process ------------------------------------------------------------------------------


_POLL_SECONDS = 0.05


class DoesNotEndError(Exception):
    """The process did not end in time, and was killed."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that has ended. ``status``: 0, or minus the number of the signal that ended it. ``output``: its
    standard output."""

    status: int
    output: bytes


def run(
    command: Sequence[str],
    environment: Mapping[str, str],
    stdin_blobs: Sequence[bytes],
    seconds: float,
    cancel_check: Callable[[], None] | None = None,
) -> Ended:
    """Run a command and wait for it. ``stdin_blobs``: content of its standard input. ``seconds``: maximum wall-clock
    time.

    ``cancel_check`` is called regularly while waiting; if it raises, the child is killed at once. Raises
    DoesNotEndError, and OSError if the process does not start.
    """
    # A file, because a pipe would have to be fed while checking for cancellation.
    with tempfile.TemporaryFile() as file:
        file.writelines(stdin_blobs)
        file.seek(0)
        child = subprocess.Popen(
            command,
            env=environment,
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # only on Windows
        )
    with child:
        try:
            output = _wait(child, seconds, cancel_check)
        except BaseException:
            child.kill()
            raise
    return Ended(child.returncode, output)


def _wait(child: subprocess.Popen[bytes], seconds: float, cancel_check: Callable[[], None] | None) -> bytes:
    deadline = time.monotonic() + seconds
    while True:
        if cancel_check is not None:
            cancel_check()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.communicate(timeout=_POLL_SECONDS)[0]
        if time.monotonic() > deadline:
            raise DoesNotEndError


def limit(most_bytes: int, processor_seconds: int | None = None) -> None:
    """Limit memory and processor time of this process, where the system supports that, and disable core dumps."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limits = [(resource.RLIMIT_DATA, most_bytes, most_bytes), (resource.RLIMIT_CORE, 0, 0)]
    if processor_seconds is not None:  # SIGXCPU at the soft limit, SIGKILL at the hard one
        limits.append((resource.RLIMIT_CPU, processor_seconds, processor_seconds + 1))
    for what, most, hard in limits:
        with contextlib.suppress(OSError, ValueError):  # a system may have stricter limits
            resource.setrlimit(what, (most, hard))


if __name__ == "__main__":
    sys.exit(main())
