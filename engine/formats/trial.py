"""Trying a tokenizer in a process of its own: ``python -m engine.formats.trial``.

What a library does with a file of a stranger is not known before it is done: it may fill the memory, never come to an
end, or end the process. So it is done in a child process first, within limits of time and memory; it encodes texts, and
their ids are what our own are compared with. The same process runs tiktoken for formats that it reads.

The child reads a line of JSON and what the tokenizer is made of; it writes one JSON document.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.child_command import child_command
from engine.errors import EngineError, FormatError
from engine.formats.library_calls import giving_up, refusing

OPTION = "--try-tokenizer"
"""Option of the program that makes it try: a frozen program has no interpreter beside it."""

SECONDS = 2
SECONDS_PER_MB = 0.4
"""Processor time that a file gets. Large vocabularies take a while to be read."""

MOST_BYTES = 500 << 20
"""Of memory."""

_LONGEST_WAIT = 30.0
"""Seconds, whatever the processor does."""

_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Tried:
    """``library``: name and version. ``ids``: of each text, special tokens as plain text."""

    library: str
    ids: list[list[int]]


def tried(reader: str, payload: bytes, texts: Sequence[str], still_wanted: Callable[[], None] | None = None) -> Tried:
    """Encode texts in a child process. ``reader``: of ``engine.formats.reopening``, or ``tiktoken``, of which the
    payload is a line with the split pattern as JSON, and ranks as in its files.

    ``still_wanted`` is called all the time; what it raises ends the child at once. FormatError where the library does
    not take the tokenizer, or does not get through within the limits.
    """
    command, environment = child_command("engine.formats.trial", OPTION, [])
    seconds = SECONDS + SECONDS_PER_MB * len(payload) / 1e6
    request = json.dumps({"reader": reader, "seconds": round(seconds + 0.5), "texts": list(texts)}).encode()
    environment |= {"TOKENIZERS_PARALLELISM": "false", "RUST_BACKTRACE": "0"}
    try:
        # From a file: a pipe would have to be fed while it is looked whether the child is still wanted.
        with tempfile.TemporaryFile() as handed_over:
            handed_over.write(request + b"\n" + payload)
            handed_over.seek(0)
            child = subprocess.Popen(
                command,
                env=environment,
                stdin=handed_over,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # of Windows
            )
    except OSError as error:
        raise FormatError(f"the process that would try it does not start: {error.strerror or error}") from error
    with child:
        try:
            answer = _wait(child, reader, still_wanted)
        except BaseException:
            child.kill()
            raise
    if child.returncode:
        raise FormatError(_why(child.returncode, reader, seconds))
    try:
        document = json.loads(answer)
    except ValueError as error:
        raise FormatError(f"{reader} left nothing behind when it was tried") from error
    if "refused" in document:
        raise FormatError(document["refused"])
    return Tried(document["library"], document["ids"])


def _wait(child: subprocess.Popen[bytes], reader: str, still_wanted: Callable[[], None] | None) -> bytes:
    """What the child said, once it has ended."""
    deadline = time.monotonic() + _LONGEST_WAIT
    while True:
        if still_wanted is not None:
            still_wanted()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.communicate(timeout=_POLL_SECONDS)[0]
        if time.monotonic() > deadline:
            raise FormatError(f"{reader} did not come to an end with it within {_LONGEST_WAIT:.0f} seconds")


def _why(status: int, reader: str, seconds: float) -> str:
    if status == -getattr(signal, "SIGXCPU", 0):
        return f"{reader} needs more than {seconds:.0f} seconds of processor time for it and a few short texts"
    return f"{reader} broke off when it was tried, or needed more than {MOST_BYTES >> 20} MB of memory"


# In the child


def main() -> int:
    """Try what is on standard input. Returns the exit status."""
    request = json.loads(sys.stdin.buffer.readline())
    _limit(request["seconds"])
    payload = sys.stdin.buffer.read()
    try:
        library, encode = _encoder(request["reader"], payload)
        answer: dict[str, Any] = {"library": library, "ids": [encode(text) for text in request["texts"]]}
    except EngineError as error:
        answer = {"refused": str(error)}
    sys.stdout.write(json.dumps(answer))
    return 0


def _limit(seconds: int) -> None:
    """Set limits, where the system has them."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for what, most, hard in (
        (resource.RLIMIT_CPU, seconds, seconds + 1),  # at the first it is told, at the second killed
        (resource.RLIMIT_DATA, MOST_BYTES, MOST_BYTES),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        with contextlib.suppress(OSError, ValueError):  # a system may have stricter ones
            resource.setrlimit(what, (most, hard))


def _encoder(reader: str, payload: bytes) -> tuple[str, Callable[[str], list[int]]]:
    """The library's name and version, and what encodes a text. FormatError."""
    encode: Callable[[str], list[int]]
    if reader == "tokenizers":
        from engine.formats import by_tokenizers

        tokenizer = by_tokenizers.opened(payload)

        def encode(text: str) -> list[int]:
            return tokenizer.encode(text, add_special_tokens=False).ids

    elif reader == "sentencepiece":
        from engine.formats import by_sentencepiece

        encode = by_sentencepiece.opened(payload).encode
    else:
        encode = _by_tiktoken(payload)

    def guarded(text: str) -> list[int]:
        with giving_up(reader):
            return encode(text)

    return f"{reader} {importlib.metadata.version(reader)}", guarded


def _by_tiktoken(payload: bytes) -> Callable[[str], list[int]]:
    import tiktoken

    from engine.formats.tiktoken_ranks import read_ranks

    pattern, _, ranks = payload.partition(b"\n")
    with refusing("tiktoken"):
        encoding = tiktoken.Encoding(
            "tried", pat_str=json.loads(pattern), mergeable_ranks=read_ranks(ranks), special_tokens={}
        )
    return lambda text: encoding.encode(text, disallowed_special=())


if __name__ == "__main__":
    sys.exit(main())
