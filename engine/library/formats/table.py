"""All formats of tokenizer files: their names, how a file is recognized, and the modules that read and write them.

A new format is an entry here and a module beside this one. Dialogs, the search for files on this computer and the
command line use this table. It imports no reader before a file is opened, and is cheap to import.

Files are recognized by their content, never by their name alone. ``FORMATS`` is in the order in which readers try a
file; the writable ones are in the order in which they are offered.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from engine.library.formats.source import Found, Source
    from engine.library.formats.tokenizer_data import TokenizerData


class Reader(Protocol):
    """A module that reads a format."""

    def read_source(self, source: Source) -> Found | None:
        """Return the content of a file, None if it is of another format. Raises FormatError, PatternNeededError,
        UnknownNormalizationError, and OSError for files beside it."""


class Writer(Reader, Protocol):
    """A module that also writes a format."""

    def write_files(
        self, data: TokenizerData, path: Path, name: str, kind: str
    ) -> tuple[dict[str, bytes], tuple[str, ...]]:
        """Return the content of each file by name, that of ``path`` first, and sentences about losses.

        ``name``, ``kind`` (``trained`` or ``imported``): of the encoding, for formats that can store them. Raises
        FormatError if the format cannot represent the data.
        """


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    ``name``: in results and messages. ``title``: in the choice for saving, and in the message for a file of no known
    format. ``ending``: extension of its files. ``only_its_own``: True if every file with this extension is of this
    format; ``.json`` and ``.model`` are also used by others. ``published_as``: names under which such files are
    published. ``begins``: whether the first 256 KB of a file may be its beginning; for JSON instead, ``keys`` are in
    the first or the last 256 KB. ``header_bytes``: bytes to read of a model with the tokenizer in its header, which
    starts with ``magic``. ``private``: True if only this program writes the format, for itself. ``writer``: for a
    format that can be saved; ``keeps_normalization``: whether a file stores how texts are normalized.
    """

    name: str
    title: str
    ending: str
    reader: Callable[[], Reader]
    writer: Callable[[], Writer] | None = None
    published_as: tuple[str, ...] = ()
    only_its_own: bool = False
    begins: Callable[[bytes], bool] | None = None
    keys: tuple[bytes, ...] = ()
    magic: bytes = b""
    header_bytes: int = 0
    private: bool = False
    keeps_normalization: bool = True


def _kept() -> Reader:
    from engine.library.formats import kept_tokenizer

    return kept_tokenizer


def _tiktoken() -> Writer:
    from engine.library.formats import tiktoken_ranks

    return tiktoken_ranks


def _hugging_face() -> Writer:
    from engine.library.formats import huggingface

    return huggingface


def _minbpe() -> Writer:
    from engine.library.formats import minbpe

    return minbpe


def _tekken() -> Reader:
    from engine.library.formats import tekken

    return tekken


def _js_tiktoken() -> Reader:
    from engine.library.formats import js_tiktoken

    return js_tiktoken


def _gguf() -> Reader:
    from engine.library.formats import gguf

    return gguf


def _sentencepiece() -> Reader:
    from engine.library.formats import sentencepiece_model

    return sentencepiece_model


_TWO_RANKS = re.compile(rb"\s*[A-Za-z0-9+/]{2}== [0-9]+[ \t]*[\r\n]\s*[A-Za-z0-9+/]+={0,2} [0-9]+")
"""A single byte in base64 and its rank, with which every published ranks file begins, and another token."""


def _begins_with_piece(start: bytes) -> bool:
    """Return True if content begins with a piece: field 1 with the text (field 1) and the score (field 2)."""
    length = start[3] if len(start) > 3 else 0
    return start[:1] == b"\x0a" and start[2:3] == b"\x0a" and start[4 + length : 5 + length] == b"\x15"


FORMATS = (
    Format("kept", "Tokenizer saved by this program", ".tokenizer", _kept, private=True),
    Format(
        "tiktoken",
        "Ranks for tiktoken",
        ".tiktoken",
        _tiktoken,
        _tiktoken,
        only_its_own=True,
        begins=lambda start: _TWO_RANKS.match(start) is not None,
    ),
    Format(
        "Hugging Face",
        "Hugging Face's tokenizer.json",
        ".json",
        _hugging_face,
        _hugging_face,
        published_as=("tokenizer.json",),
        keys=(b'"model"', b'"pre_tokenizer"', b'"added_tokens"'),
    ),
    Format(
        "minbpe",
        "Model of minbpe",
        ".model",
        _minbpe,
        _minbpe,
        begins=lambda start: start.startswith(b"minbpe v1"),
        keeps_normalization=False,
    ),
    Format(
        "tekken",
        "Mistral's tekken.json",
        ".json",
        _tekken,
        published_as=("tekken.json",),
        keys=(b'"vocab"', b'"config"', b'"default_vocab_size"'),
    ),
    Format("js-tiktoken", "JSON of js-tiktoken", ".json", _js_tiktoken, keys=(b'"bpe_ranks"', b'"pat_str"')),
    Format(
        "GGUF",
        "Model of llama.cpp",
        ".gguf",
        _gguf,
        only_its_own=True,
        begins=lambda start: start.startswith(b"GGUF"),
        magic=b"GGUF",
        header_bytes=64 << 20,
    ),
    Format(
        "SentencePiece",
        "Model of SentencePiece",
        ".model",
        _sentencepiece,
        published_as=("tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "spm.model"),
        begins=_begins_with_piece,
    ),
)

WRITTEN = tuple(one for one in FORMATS if one.writer is not None)
"""Formats in which an encoding can be saved."""


def endings(*, private: bool = False) -> tuple[str, ...]:
    """Return the extensions of tokenizer files, each once. ``private``: include those that only this program writes."""
    return tuple(dict.fromkeys(one.ending for one in FORMATS if private or not one.private))


def examples() -> tuple[str, ...]:
    """Return names and extensions of tokenizer files that can be opened, for help texts."""
    named = (one.published_as[0] if one.published_as else one.ending for one in FORMATS if not one.private)
    return tuple(dict.fromkeys(named))
