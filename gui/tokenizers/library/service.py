"""Jobs that list tokenizers, and read, check, save, rename, remove, find and assign tokenizer files of the user.

They run on worker threads, in lanes of the controller.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.library.formats.table import endings
from engine.split.patterns import TRAINED
from gui.core.user_encodings import LocalTokenizer, find_local_tokenizers, name_of_model
from gui.costs.prices_service import Splice, splice

if TYPE_CHECKING:
    from engine import Encoding
    from engine.library.formats.isolated_check import IdCheck
    from gui.core.user_encodings import OpenEncoding, UserEncodings
    from gui.runtime.jobs import Ticket

ENDINGS = endings()
"""File name suffixes that can be imported."""
PATTERN_NAMES = tuple(known.trained_as for known in TRAINED)
"""Split patterns offered by name; any other can be typed."""
BUNDLED, TRAINED, IMPORTED = "bundled", "trained", "imported"
"""Origins of tokenizers."""
LICENCES = {
    "OpenAI": "MIT",
    "Alibaba": "Apache-2.0",
    "Moonshot AI": "Modified MIT",
    "DeepSeek": "MIT",
    "Google": "Apache-2.0",
    "Mistral": "Apache-2.0",
}
"""Licences of the bundled vocabularies by vendor, as in engine/data/NOTICE.md."""
SIZES = {
    "o200k_base": 200_019,
    "o200k_harmony": 201_088,
    "cl100k_base": 100_277,
    "p50k_base": 50_281,
    "p50k_edit": 50_284,
    "r50k_base": 50_257,
    "gpt2": 50_257,
    "qwen": 151_669,
    "qwen3_5": 248_077,
    "kimi": 163_840,
    "deepseek": 129_280,
    "gemma": 262_144,
    "gemma3": 262_145,
    "tekken": 131_072,
}
"""Entries of the bundled vocabularies. Opening all of them to count would take 100 MB."""
SPECIAL_SHOWN = 12
"""Maximum number of special tokens shown; some tokenizers have a thousand."""


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """Facts about a tokenizer that is not opened. Unknown texts are empty, unknown numbers 0."""

    name: str
    origin: str
    used_for: str
    vendor: str = ""
    licence: str = ""
    entries: int = 0
    split: str = ""
    unicode: str = ""
    normalization: str = ""
    file: str = ""
    file_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Details:
    """Facts about an opened tokenizer. ``runs``: the library that runs it. ``why``: why it could not be opened."""

    name: str
    entries: int = 0
    special: int = 0
    split: str = ""
    runs: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """File to read. ``pattern``: the split pattern if the file does not contain it, else empty."""

    path: Path
    pattern: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class TokenizerPreview:
    """Content of a tokenizer file.

    ``name``: a suggested name that is free. ``runs``: the library that runs it, ``""`` for Tokenloupe's own engine.
    ``model``: what that library calls its kind, ``""`` for the own engine. ``special``: the first special tokens;
    ``special_count``: number of all. ``pattern``: the split pattern, or its name; ``""`` if the library splits.
    ``check``: the reference that its IDs were compared with.
    """

    request: ReadRequest
    encoding: Encoding
    name: str
    kind: str
    model: str
    runs: str
    ids: int
    tokens: int
    special: tuple[tuple[str, int], ...]
    special_count: int
    pattern: str
    normalization: tuple[str, ...]
    notes: tuple[str, ...]
    check: IdCheck


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file that was not read. ``why``: the reason, as a sentence. ``wants_pattern``: True if it lacks a split
    pattern."""

    request: ReadRequest
    why: str
    wants_pattern: bool


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the saved tokenizers: rename ``name`` to ``new_name``, remove it, or save ``encoding`` under it."""

    name: str
    new_name: str = ""
    encoding: Encoding | None = None


@dataclass(frozen=True, slots=True)
class AssignRequest:
    """Assignment of an encoding to models of the user's price file.

    ``text``: content of the file in this revision. ``known``: names that it may contain although those encodings no
    longer exist.
    """

    revision: int
    text: str
    file_name: str
    models: tuple[str, ...]
    encoding: str
    known: tuple[str, ...] = ()


def list_tokenizers(own: UserEncodings, _request: None, _ticket: Ticket) -> tuple[LibraryEntry, ...]:
    """Return all tokenizers."""
    import engine
    from engine.library.bundled_encodings import EncodingEntry

    own.find()
    found = []
    for entry in engine.encoding_entries():
        if isinstance(entry, EncodingEntry):
            licence, size = LICENCES.get(entry.vendor, ""), SIZES.get(entry.name, 0)
            normalization = entry.vendor_normalization or ""
            known = (entry.vendor, licence, size, entry.pattern.name, entry.unicode, normalization)
            found.append(LibraryEntry(entry.name, BUNDLED, entry.description, *known))
            continue
        file, size = "", 0
        if entry.path is not None:
            file = entry.path.name
            with contextlib.suppress(OSError):
                size = entry.path.stat().st_size
        found.append(LibraryEntry(entry.name, entry.kind, "", entries=entry.n_vocab, file=file, file_bytes=size))
    return tuple(found)


def details_of(own: UserEncodings, open_encoding: OpenEncoding, name: str, _ticket: Ticket) -> Details:
    """Open a tokenizer and return its details."""
    import engine
    from engine.encoding.library_encoding import LibraryEncoding

    try:
        own.find()
        encoding = open_encoding(name)
    except (engine.EngineError, OSError) as error:
        return Details(name, why=str(error))
    runs = encoding.tokenizer.library if isinstance(encoding, LibraryEncoding) else ""
    split = "" if name in SIZES or runs else _pattern_name(encoding.pattern)
    return Details(name, encoding.n_vocab, len(encoding._special_tokens), split, runs)


def read_tokenizer(
    own: UserEncodings, kernels: Path | None, request: ReadRequest, ticket: Ticket
) -> TokenizerPreview | Refusal:
    """Read and check a file. ``kernels``: the folder of compiled kernels; None: beside the sources."""
    import engine
    from engine.kernels.cache_folder import kept_in
    from engine.library.formats.source import PatternNeededError

    try:
        with kept_in(kernels):
            opened = engine.open_tokenizer(
                request.path,
                pattern=request.pattern or None,
                checked=True,
                apart=True,
                cancel_check=partial(ticket.progress, -1.0),
            )
    except engine.FormatError as error:
        return Refusal(request, str(error), isinstance(error, PatternNeededError))
    except OSError as error:
        return Refusal(request, f"{request.path}: {error.strerror or error}", False)
    return _preview(own, request, opened)


def _preview(own: UserEncodings, request: ReadRequest, opened: object) -> TokenizerPreview:
    from engine.encoding.library_encoding import LibraryEncoding
    from engine.library.formats.opening import OpenedTokenizer

    assert isinstance(opened, OpenedTokenizer)
    assert opened.check is not None
    encoding = opened.encoding
    runs = isinstance(encoding, LibraryEncoding)
    special = sorted(encoding._special_tokens.items(), key=lambda item: item[1])
    return TokenizerPreview(
        request,
        encoding,
        own.free_name(name_of_model(request.path) or encoding.name),
        opened.kind,
        encoding.tokenizer.model if isinstance(encoding, LibraryEncoding) else "",
        opened.check.library if runs else "",
        encoding.n_vocab,
        encoding._table.used,
        tuple(special[:SPECIAL_SHOWN]),
        len(special),
        _pattern_name(encoding.pattern),
        opened.normalization,
        opened.notes,
        opened.check,
    )


def _pattern_name(expression: str) -> str:
    from engine.split.patterns import NAMED_SPLITS

    names = (name for name, split in NAMED_SPLITS.items() if split.expression == expression)
    return next(names, expression)


def change_tokenizer(own: UserEncodings, change: Change, _ticket: Ticket) -> None:
    """Save, rename or remove a tokenizer."""
    if change.encoding is not None:
        change.encoding.name = change.name
        own.keep(change.encoding, "imported")
    elif change.new_name:
        own.rename(change.name, change.new_name)
    else:
        own.remove(change.name)


def find_tokenizers(_request: None, ticket: Ticket) -> list[LocalTokenizer]:
    """Search for tokenizers of other programs."""
    return find_local_tokenizers(partial(ticket.progress, -1.0))


def assign_tokenizer(own: UserEncodings, request: AssignRequest, _ticket: Ticket) -> tuple[Splice | None, str]:
    """Return the edit of the price file, or None and the reason why there is none."""
    from pricing.editing import set_field
    from pricing.types import EditError, PriceFileError

    names = (*own.names(), *request.known)
    text = request.text
    try:
        for model_id in request.models:
            text = set_field(
                text, model_id, "count.tokenizer", request.encoding, file_name=request.file_name, tokenizers=names
            )
    except PriceFileError as error:
        return None, "\n".join(problem.message for problem in error.problems)
    except EditError as error:
        return None, str(error)
    return splice(request.text, text), ""
