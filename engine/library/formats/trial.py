"""Trying a tokenizer in a process of its own: ``python -m engine.library.formats.trial``.

What a library does with a file of a stranger is not known before it is done: it may fill the memory, never come to an
end, or end the process. So it is done in a child process first, within limits of time and memory; it encodes texts, and
their ids are what our own are compared with. The same process runs tiktoken for formats that it reads.

The child reads a line of JSON and what the tokenizer is made of; it writes one JSON document.
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
from engine.library.formats.errors import giving_up, refusing
from engine.library.formats.reading_apart import DoesNotEndError, limit, run
from engine.runtime.threads import child_command

OPTION = "--try-tokenizer"
"""Option of the program that makes it try: a frozen program has no interpreter beside it."""

SECONDS = 2
SECONDS_PER_MB = 0.4
"""Processor time that a file gets. Large vocabularies take a while to be read."""

MOST_BYTES = 500 << 20
"""Of memory."""

_LONGEST_WAIT = 30.0
"""Seconds, whatever the processor does."""


@dataclass(frozen=True, slots=True)
class Tried:
    """``library``: name and version. ``ids``: of each text, special tokens as plain text. ``special_ids``: of each text
    of special tokens, with them as tokens."""

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
    """Encode texts in a child process. ``reader``: ``tokenizers``, ``sentencepiece``, or ``tiktoken``, of which
    the payload is a line with the split pattern as JSON, and ranks as in its files. ``special_texts``: to be encoded
    with special tokens as tokens, which only ``tokenizers`` does.

    ``cancel_check`` is called all the time; what it raises ends the child at once. FormatError where the library does
    not take the tokenizer, or does not get through within the limits.
    """
    command, environment = child_command("engine.library.formats.trial", OPTION, [])
    seconds = SECONDS + SECONDS_PER_MB * len(payload) / 1e6
    asked = {"texts": list(texts), "special_texts": list(special_texts)}
    request = json.dumps({"reader": reader, "seconds": round(seconds + 0.5), **asked}).encode()
    environment |= {"TOKENIZERS_PARALLELISM": "false", "RUST_BACKTRACE": "0"}
    try:
        ended = run(command, environment, (request, b"\n", payload), _LONGEST_WAIT, cancel_check)
    except DoesNotEndError:
        raise FormatError(f"{reader} did not come to an end with it within {_LONGEST_WAIT:.0f} seconds") from None
    except OSError as error:
        raise FormatError(f"the process that would try it does not start: {error.strerror or error}") from error
    if ended.status:
        raise FormatError(_why(ended.status, reader, seconds))
    try:
        document = json.loads(ended.said)
    except ValueError as error:
        raise FormatError(f"{reader} left nothing behind when it was tried") from error
    if "refused" in document:
        raise FormatError(document["refused"])
    return Tried(document["library"], document["ids"], document["special_ids"])


def _why(status: int, reader: str, seconds: float) -> str:
    if status == -getattr(signal, "SIGXCPU", 0):
        return f"{reader} needs more than {seconds:.0f} seconds of processor time for it and a few short texts"
    return f"{reader} broke off when it was tried, or needed more than {MOST_BYTES >> 20} MB of memory"


# In the child


def main() -> int:
    """Try what is on standard input. Returns the exit status."""
    request = json.loads(sys.stdin.buffer.readline())
    limit(MOST_BYTES, request["seconds"])
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
    heeds the second argument. Raises FormatError."""
    encode: Callable[[str, bool], list[int]]
    if reader == "tokenizers":
        from engine.library.formats import by_tokenizers

        tokenizer = by_tokenizers.opened(payload)

        def encode(text: str, special_as_tokens: bool) -> list[int]:
            tokenizer.encode_special_tokens = not special_as_tokens
            return tokenizer.encode(text, add_special_tokens=False).ids

    elif reader == "sentencepiece":
        from engine.library.formats import by_sentencepiece

        processor = by_sentencepiece.opened(payload)

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
