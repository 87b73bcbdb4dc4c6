"""Checking a tokenizer in a child process: ``python -m engine.library.formats.isolated_check``.

The effect of an untrusted file on a library is unknown until it is loaded: the library may fill the memory, hang, or
crash. So it first runs in a child process with limits of time and memory. The child encodes texts, and their IDs are
compared with our own. It also runs tiktoken for the formats that tiktoken reads.

The child reads a line of JSON and the payload of the tokenizer; it writes one JSON document.
"""

from __future__ import annotations

import importlib.metadata
import json
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.errors import EngineError, FormatError
from engine.library.formats.reading import DoesNotEndError, limit, run
from engine.library.formats.validation import giving_up, refusing
from engine.runtime.threads import child_command

OPTION = "--try-tokenizer"
"""Option of the program that starts a trial, because a frozen program has no separate interpreter."""

SECONDS = 2
SECONDS_PER_MB = 0.4
"""Processor time for a file, in seconds, and per megabyte. Large vocabularies take a while to load."""

MAX_BYTES = 500 << 20
"""Maximum memory of the child, in bytes."""

_LONGEST_WAIT = 30.0
"""Maximum wall-clock time, in seconds."""


@dataclass(frozen=True, slots=True)
class Tried:
    """Result of a trial. ``library``: name and version. ``ids``: of each text, with special tokens as plain text.
    ``special_ids``: of each text of special tokens, with special tokens recognized."""

    library: str
    ids: list[list[int]]
    special_ids: list[list[int]] = field(default_factory=list)


def tried(
    reader: str,
    payload: bytes,
    texts: Sequence[str],
    cancel_check: Callable[[], None] | None = None,
    special_texts: Sequence[str] = (),
) -> Tried:
    """Encode texts in a child process. ``reader``: ``tokenizers``, ``sentencepiece``, or ``tiktoken``, whose payload is
    a line with the split pattern as JSON, then ranks as in its files. ``special_texts``: texts to encode with special
    tokens recognized, which only ``tokenizers`` does.

    ``cancel_check`` is called regularly while waiting; if it raises, the child is killed at once. Raises FormatError if
    the library rejects the tokenizer, or exceeds the limits.
    """
    command, environment = child_command("engine.library.formats.isolated_check", OPTION, [])
    seconds = SECONDS + SECONDS_PER_MB * len(payload) / 1e6
    asked = {"texts": list(texts), "special_texts": list(special_texts)}
    request = json.dumps({"reader": reader, "seconds": round(seconds + 0.5), **asked}).encode()
    environment |= {"TOKENIZERS_PARALLELISM": "false", "RUST_BACKTRACE": "0"}
    try:
        ended = run(command, environment, (request, b"\n", payload), _LONGEST_WAIT, cancel_check)
    except DoesNotEndError:
        raise FormatError(f"{reader} timed out on this file after {_LONGEST_WAIT:.0f} seconds") from None
    except OSError as error:
        raise FormatError(f"could not start the checking process: {error.strerror or error}") from error
    if ended.status:
        raise FormatError(_why(ended.status, reader, seconds))
    try:
        document = json.loads(ended.output)
    except ValueError as error:
        raise FormatError(f"{reader} produced no output on this file") from error
    if "refused" in document:
        raise FormatError(document["refused"])
    return Tried(document["library"], document["ids"], document["special_ids"])


def _why(status: int, reader: str, seconds: float) -> str:
    if status == -getattr(signal, "SIGXCPU", 0):
        return f"{reader} needs more than {seconds:.0f} seconds of processor time for this file and a few short texts"
    return f"{reader} crashed on this file, or needed more than {MAX_BYTES >> 20} MB of memory"


# In the child


def main() -> int:
    """Check the tokenizer on standard input. Return the exit status."""
    request = json.loads(sys.stdin.buffer.readline())
    limit(MAX_BYTES, request["seconds"])
    payload = sys.stdin.buffer.read()
    try:
        library, encode = _encoder(request["reader"], payload)
        answer: dict[str, Any] = {"library": library, "ids": [encode(text, False) for text in request["texts"]]}
        answer["special_ids"] = [encode(text, True) for text in request["special_texts"]]
    except EngineError as error:
        answer = {"refused": str(error)}
    sys.stdout.write(json.dumps(answer))
    return 0


def _encoder(reader: str, payload: bytes) -> tuple[str, Callable[[str, bool], list[int]]]:
    """Return the library's name and version, and a function ``encode(text, special_as_tokens)``; only ``tokenizers``
    uses the second argument. Raises FormatError."""
    encode: Callable[[str, bool], list[int]]
    if reader == "tokenizers":
        from engine.library.formats.huggingface_document import library_tokenizer

        tokenizer = library_tokenizer(payload)

        def encode(text: str, special_as_tokens: bool) -> list[int]:
            tokenizer.encode_special_tokens = not special_as_tokens
            return tokenizer.encode(text, add_special_tokens=False).ids

    elif reader == "sentencepiece":
        from engine.library.formats.sentencepiece_model import library_processor

        processor = library_processor(payload)

        def encode(text: str, special_as_tokens: bool) -> list[int]:
            ids: list[int] = processor.encode(text)
            return ids
    else:
        ordinary = _by_tiktoken(payload)

        def encode(text: str, special_as_tokens: bool) -> list[int]:
            return ordinary(text)

    def guarded(text: str, special_as_tokens: bool) -> list[int]:
        with giving_up(reader):
            return encode(text, special_as_tokens)

    return f"{reader} {importlib.metadata.version(reader)}", guarded


def _by_tiktoken(payload: bytes) -> Callable[[str], list[int]]:
    import tiktoken

    from engine.library.formats.tiktoken_ranks import read_ranks

    pattern, _, ranks = payload.partition(b"\n")
    with refusing("tiktoken"):
        encoding = tiktoken.Encoding(
            "tried", pat_str=json.loads(pattern), mergeable_ranks=read_ranks(ranks), special_tokens={}
        )
    return lambda text: encoding.encode(text, disallowed_special=())


if __name__ == "__main__":
    sys.exit(main())
