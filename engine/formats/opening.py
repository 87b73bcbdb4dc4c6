"""Opening a tokenizer file of any known format, recognised by what is in it."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import catalog
from engine.encoding import Encoding
from engine.errors import EngineError, FormatError
from engine.formats import (
    gguf,
    gguf_vocabulary,
    huggingface,
    json_document,
    kept_tokenizer,
    minbpe,
    sentencepiece_model,
    tekken,
    tiktoken_ranks,
)
from engine.formats.check_sample import texts_for
from engine.formats.id_check import IdCheck, OtherIdsError, compare, for_tiktoken
from engine.formats.library_data import LibraryData, of_document, of_model
from engine.formats.refusals import OtherKindError, PatternNeededError
from engine.formats.tokenizer_data import TokenizerData, check, check_work
from engine.formats.trial import tried
from engine.library_encoding import LibraryEncoding
from engine.normalize import UnknownNormalizationError
from engine.preparation import preparation_with
from engine.prepared_encoding import encoding_with
from engine.still_wanted import StillWanted, asking
from engine.training_splits import NAMED_SPLITS

LARGEST_FILE = 40 << 20
"""Bytes; of a GGUF file only the header is read. The largest tokenizer files that are published have 34 MB."""


@dataclass(frozen=True, slots=True)
class OpenedTokenizer:
    """A tokenizer from a file. ``kind``: what the format is called. ``normalization`` and ``notes``: as in
    ``TokenizerData``. ``check``: what its ids were compared with, None where nobody asked for that."""

    encoding: Encoding
    kind: str
    normalization: tuple[str, ...]
    notes: tuple[str, ...]
    check: IdCheck | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    """What a file holds. ``document``: of a tokenizer.json, for the library that it is from."""

    kind: str
    data: TokenizerData | LibraryData
    document: dict[str, Any] | None = None


def load(path: Path | str, *, pattern: str | None = None, name: str | None = None) -> Encoding:
    """The encoding in a file: ``.tiktoken``, ``tokenizer.json``, ``tekken.json``, ``.model`` of minbpe or of
    SentencePiece, ``.gguf``.

    ``pattern``: for a file that does not say it: a name as in training or of an encoding, or a regular expression.
    ``name``: what to call it, else it is called like the file. FormatError, PatternNeededError; OSError.
    """
    return open_tokenizer(path, pattern=pattern, name=name).encoding


def open_tokenizer(
    path: Path | str,
    *,
    pattern: str | None = None,
    name: str | None = None,
    checked: bool = False,
    trusted: bool = False,
    still_wanted: StillWanted | None = None,
) -> OpenedTokenizer:
    """As ``load``, with what else there is to say of it.

    ``checked``: its ids are compared with those of the library that it is from, run in a process of its own; where our
    own engine would give others, the library runs it. A tokenizer that only a library can run is always tried so.

    ``trusted``: the file is where only this program keeps some, so that one that was tried when it was kept is not
    tried again. Never for a path that somebody names.
    """
    path = Path(path)
    try:
        with asking(still_wanted):
            found = _read(path, pattern, trusted=trusted)
            name = name or _name_of(path)
            if isinstance(found.data, LibraryData):
                return _by_library(name, found.kind, found.data, still_wanted)
            data = check(found.data)
            if not checked:
                return OpenedTokenizer(_by_us(name, data), found.kind, data.normalization, data.notes)
            check_work(data.ranks)
            return _compared(found, data, _by_us(name, data), still_wanted)
    except (FormatError, UnknownNormalizationError) as error:
        kind = PatternNeededError if isinstance(error, PatternNeededError) else FormatError
        raise kind(f"{path}: {error}") from error


def _by_us(name: str, data: TokenizerData) -> Encoding:
    preparation = preparation_with(data.normalization)
    try:
        return encoding_with(name, data.pattern, data.ranks, data.special_tokens, preparation, data.byte_fallback)
    except ValueError as error:  # tiktoken's engine does not take the pattern
        raise FormatError(f"its split pattern is not valid: {error}") from error


def _by_library(name: str, kind: str, data: LibraryData, still_wanted: StillWanted | None) -> OpenedTokenizer:
    if data.was_tried:
        return OpenedTokenizer(LibraryEncoding.around(name, data.open()), kind, data.normalization, data.notes)
    texts = texts_for(data.tokens)
    theirs = tried(data.reader, data.payload, texts, still_wanted)
    encoding = LibraryEncoding.around(name, data.open())
    result = compare(encoding, texts, theirs, runs=True)
    return OpenedTokenizer(encoding, kind, data.normalization, data.notes, result)


def _compared(
    found: _Found, data: TokenizerData, encoding: Encoding, still_wanted: StillWanted | None
) -> OpenedTokenizer:
    texts = texts_for(list(data.ranks))
    with contextlib.suppress(EngineError):  # compare what will count: our own kernels, if they are compiled
        encoding.use_kernels(compiled_only=True)
    if found.document is None:
        theirs = tried("tiktoken", for_tiktoken(data), texts, still_wanted)
    else:
        theirs = tried("tokenizers", of_document(found.document).payload, texts, still_wanted)
    try:
        result = compare(encoding, texts, theirs, runs=False)
    except OtherIdsError as error:
        if found.document is None:
            raise
        note = f"{error}. So that library runs it, and not our own engine."
        return _by_library(encoding.name, found.kind, of_document(found.document, note), still_wanted)
    return OpenedTokenizer(encoding, found.kind, data.normalization, data.notes, result)


def _content(path: Path) -> bytes:
    if path.is_dir():
        raise FormatError("it is a folder; name the file in it")
    if path.exists() and not path.is_file():
        raise FormatError("it is a device, pipe or socket")
    with path.open("rb") as file:
        start = file.read(len(gguf.MAGIC))
        most = gguf.LONGEST_HEADER if gguf.looks_like(start) else LARGEST_FILE + 1
        content = start + file.read(most - len(start))
    if len(content) > LARGEST_FILE and not gguf.looks_like(start):
        raise FormatError(f"it is larger than {LARGEST_FILE >> 20} MB, which no tokenizer file is")
    if not content:
        raise FormatError("it is empty")
    return content


def _read(path: Path, pattern: str | None, *, trusted: bool) -> _Found:
    content = _content(path)
    if gguf.looks_like(content):
        return _read_gguf(content, pattern)
    if minbpe.looks_like(content):
        return _Found("minbpe", minbpe.read(content))
    if kept_tokenizer.looks_like(path):
        return _Found("kept", kept_tokenizer.read(path, content, trusted=trusted))
    if content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return _read_json(content)
    if sentencepiece_model.looks_like(content) or path.suffix == ".model":
        return _Found("SentencePiece", of_model(sentencepiece_model.read(content)))
    if b"\0" in content[:4096]:
        raise FormatError("it is a binary file of no known format")
    return _Found("tiktoken", _with_pattern(path, content, tiktoken_ranks.read_ranks(content), pattern))


def _read_gguf(content: bytes, pattern: str | None) -> _Found:
    values = gguf.read(content)
    if gguf_vocabulary.kind_of(values) != "gpt2":
        return _Found("GGUF", of_model(gguf_vocabulary.sentencepiece_of(values)))
    expression = None if pattern is None else expression_named(pattern)
    return _read_huggingface("GGUF", gguf_vocabulary.document_of(values, expression))


def _read_json(content: bytes) -> _Found:
    document = json_document.parse(content)
    if huggingface.looks_like(document):
        return _read_huggingface("Hugging Face", document)
    if tekken.looks_like(document):
        return _Found("tekken", tekken.read(document))
    if "pattern" in document:
        raise FormatError("it only describes the ranks beside it; open that file")
    raise FormatError("it is JSON, but neither Hugging Face's tokenizer.json nor Mistral's tekken.json")


def _read_huggingface(kind: str, document: dict[str, Any]) -> _Found:
    try:
        return _Found(kind, huggingface.read(document), document)
    except OtherKindError:
        return _Found(kind, of_document(document))
    except FormatError:
        if not document["model"].get("byte_fallback"):
            raise
        # Of these our own reader only knows those that it writes; what is wrong with one is found out once more.
        return _Found(kind, of_document(document))


def _with_pattern(path: Path, content: bytes, ranks: dict[bytes, int], pattern: str | None) -> TokenizerData:
    companion = tiktoken_ranks.companion_of(path)
    if companion.is_file():
        try:
            described = tiktoken_ranks.read_companion(_content(companion), content)
        except FormatError as error:
            raise FormatError(f"the file beside it, {companion.name}: {error}") from error
        steps = tuple(described.get("normalization", ()))
        expression = expression_named(pattern or described["pattern"])
        specials, byte_fallback = described.get("special_tokens", {}), described.get("byte_fallback", False)
        return TokenizerData(expression, ranks, specials, steps, byte_fallback=byte_fallback)
    published = _published().get(hashlib.sha256(content).hexdigest())
    if published is not None:
        known = catalog.get_encoding(published)
        return TokenizerData(expression_named(pattern or published), ranks, dict(known._special_tokens))
    if pattern is None:
        raise PatternNeededError(
            "it holds ranks, but not the pattern that cuts texts before them. Name the pattern, or put it into "
            f'{companion.name} beside it: {{"pattern": "cl100k_base"}}'
        )
    return TokenizerData(expression_named(pattern), ranks, {})


def expression_named(pattern: str) -> str:
    """The expression of a pattern's name, as in training or of a bundled encoding; anything else is an expression."""
    if pattern in NAMED_SPLITS:
        return NAMED_SPLITS[pattern].expression
    named = {entry.name: entry.pattern.expression for entry in catalog.ENTRIES}
    return named.get(pattern, pattern)


@functools.cache
def _published() -> dict[str, str]:
    """The encoding of each published file of ranks, by the file's SHA-256."""
    sources = json.loads((catalog.DATA_DIR / "manifest.json").read_bytes())
    encodings: dict[str, str] = {}
    for entry in catalog.ENTRIES:
        encodings.setdefault(f"{entry.ranks}.ranks", entry.name)
    return {source["raw_sha256"]: encodings[source["bundled"]] for source in sources}


def _name_of(path: Path) -> str:
    """What a file is called; one of the usual names says nothing, and its folder's is taken."""
    stem = path.name.split(".")[0] or path.stem
    usual = stem.lower() in ("tokenizer", "tekken")
    return path.absolute().parent.name or stem if usual else path.stem
