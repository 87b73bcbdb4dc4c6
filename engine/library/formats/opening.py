"""Opening a tokenizer file of any known format: read, made an encoding, and compared with the library it is from."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from pathlib import Path

from engine.encoding.encoding import Encoding
from engine.encoding.library_encoding import LibraryEncoding
from engine.encoding.preparation import preparation_with
from engine.encoding.prepared_encoding import encoding_with
from engine.errors import EngineError, FormatError
from engine.library.formats import huggingface, reading
from engine.library.formats.check_sample import special_texts_for, texts_for
from engine.library.formats.id_check import IdCheck, OtherIdsError, compare, for_tiktoken
from engine.library.formats.library_data import LibraryData, of_payload
from engine.library.formats.reading import Found
from engine.library.formats.reading_apart import read_apart
from engine.library.formats.refusals import PatternNeededError
from engine.library.formats.tokenizer_data import TokenizerData, check, check_work
from engine.library.formats.trial import tried
from engine.runtime.cancellation import StillWanted, asking
from engine.text.normalization import UnknownNormalizationError


@dataclass(frozen=True, slots=True)
class OpenedTokenizer:
    """A tokenizer from a file. ``kind``: what the format is called. ``normalization`` and ``notes``: as in
    ``TokenizerData``. ``check``: what its ids were compared with, None where nobody asked for that."""

    encoding: Encoding
    kind: str
    normalization: tuple[str, ...]
    notes: tuple[str, ...]
    check: IdCheck | None = None


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
    apart: bool = False,
    still_wanted: StillWanted | None = None,
) -> OpenedTokenizer:
    """As ``load``, with what else there is to say of it.

    ``checked``: its ids are compared with those of the library that it is from, run in a process of its own; where our
    own engine would give others, the library runs it. A tokenizer that only a library can run is always tried so.

    ``trusted``: the file is where only this program keeps some, so that one that was tried when it was kept is not
    tried again. Never for a path that somebody names.

    ``apart``: the file is read in a process of its own (``engine.library.formats.reading_apart``).
    """
    path = Path(path)
    try:
        with asking(still_wanted):
            found = read_apart(path, pattern, still_wanted) if apart else reading.read(path, pattern, trusted=trusted)
            name = name or _name_of(path)
            if isinstance(found.data, LibraryData):
                return _by_library(name, found.kind, found.data, still_wanted)
            data = found.data
            if not apart:  # else both have been done
                check(data)
                if checked:
                    check_work(data.ranks)
            if not checked:
                return OpenedTokenizer(_by_us(name, data), found.kind, data.normalization, data.notes)
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
    texts, specials = texts_for(data.tokens), special_texts_for(data.special_tokens)
    theirs = tried(data.reader, data.payload, texts, still_wanted, specials)
    encoding = LibraryEncoding.around(name, data.open())
    result = compare(encoding, texts, theirs, runs=True, special_texts=specials)
    return OpenedTokenizer(encoding, kind, data.normalization, (*data.notes, *result.notes), result)


def _compared(
    found: Found, data: TokenizerData, encoding: Encoding, still_wanted: StillWanted | None
) -> OpenedTokenizer:
    texts = texts_for(list(data.ranks))
    with contextlib.suppress(EngineError):  # compare what will count: our own kernels, if they are compiled
        encoding.use_kernels(compiled_only=True)
    for_library = None if found.for_library is None else found.for_library()
    specials = special_texts_for(data.special_tokens)
    if for_library is not None:
        theirs = tried("tokenizers", for_library.payload, texts, still_wanted, specials)
    elif data.byte_fallback:  # which tiktoken has not
        theirs = tried("tokenizers", _for_hugging_face(data), texts, still_wanted, specials)
    else:
        specials = ()  # they are not in the ranks, and tiktoken would not take the longest
        preparation = preparation_with(data.normalization)  # tiktoken does nothing to a text first
        theirs = tried("tiktoken", for_tiktoken(data), [preparation(text) for text in texts], still_wanted)
    try:
        result = compare(encoding, texts, theirs, runs=False, special_texts=specials)
    except OtherIdsError as error:
        if for_library is None:
            raise
        note = f"{error}. So that library runs it, and not our own engine."
        library_data = replace(of_payload("tokenizers", for_library.payload), notes=(*for_library.notes, note))
        return _by_library(encoding.name, found.kind, library_data, still_wanted)
    return OpenedTokenizer(encoding, found.kind, data.normalization, (*data.notes, *result.notes), result)


def _for_hugging_face(data: TokenizerData) -> bytes:
    try:
        return huggingface.write(data)[0]
    except FormatError as error:
        raise FormatError(f"it cannot be tried: {error}") from error


def _name_of(path: Path) -> str:
    """What a file is called; one of the usual names says nothing, and its folder's is taken."""
    stem = path.name.split(".")[0] or path.stem
    usual = stem.lower() in ("tokenizer", "tekken")
    return path.absolute().parent.name or stem if usual else path.stem
