"""Opening a tokenizer file of any known format, and saving an encoding to one.

``open_tokenizer`` reads a file, creates the encoding, compares it with the original library, and returns further
information about the file; ``load`` returns only the encoding. ``save_encoding`` reads back what it has written before
it reports success.
"""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.encoding.encoding import Encoding
from engine.encoding.library_encoding import LibraryEncoding
from engine.encoding.preprocessing_encoding import PreprocessingEncoding, encoding_with, preparation_with, prepared
from engine.errors import EngineError, FormatError
from engine.library.formats import huggingface, tiktoken_ranks
from engine.library.formats.isolated_check import (
    IdCheck,
    OtherIdsError,
    compare,
    for_tiktoken,
    special_texts_for,
    texts_for,
    tried,
)
from engine.library.formats.kept_tokenizer import data_of_payload
from engine.library.formats.reading import read, read_apart
from engine.library.formats.source import Found, LibraryData, PatternNeededError
from engine.library.formats.table import WRITTEN, Format
from engine.library.formats.tokenizer_data import TokenizerData, check, check_work
from engine.runtime.atomic_files import replacing
from engine.runtime.cancellation import CancelCheck, cancellable
from engine.text.normalization import UnknownNormalizationError


@dataclass(frozen=True, slots=True)
class OpenedTokenizer:
    """A tokenizer from a file. ``kind``: name of the format. ``normalization`` and ``notes``: as in ``TokenizerData``.
    ``check``: result of the comparison of its IDs, None if it was not requested."""

    encoding: Encoding
    kind: str
    normalization: tuple[str, ...]
    notes: tuple[str, ...]
    check: IdCheck | None = None


def load(path: Path | str, *, pattern: str | None = None, name: str | None = None) -> Encoding:
    """Return the encoding in a file: ``.tiktoken``, ``tokenizer.json``, ``tekken.json``, ``.model`` of minbpe or of
    SentencePiece, ``.gguf``.

    ``pattern``: for a file without a split pattern: a name as in training or of an encoding, or a regular expression.
    ``name``: name of the encoding; by default that of the file. Raises FormatError, PatternNeededError, OSError.
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
    cancel_check: CancelCheck | None = None,
) -> OpenedTokenizer:
    """Open a file like ``load``, and return further information about it.

    ``checked``: compare its IDs with those of its original library, which runs in a child process; if our own engine
    returns other IDs, the library runs it. A tokenizer that only a library can run is always checked.

    ``trusted``: only this program saves files in that folder, so that a tokenizer which was checked when it was saved
    is not checked again. Never set it for a path that a user names.

    ``apart``: read the file in a child process (``engine.library.formats.reading``).
    """
    path = Path(path)
    try:
        with cancellable(cancel_check):
            found = read_apart(path, pattern, cancel_check) if apart else read(path, pattern, trusted=trusted)
            name = name or _name_of(path)
            if isinstance(found.data, LibraryData):
                return _by_library(name, found.kind, found.data, cancel_check)
            data = found.data
            if not apart:  # otherwise the child has done both
                check(data)
                if checked:
                    check_work(data.ranks)
            if not checked:
                return OpenedTokenizer(_by_us(name, data), found.kind, data.normalization, data.notes)
            return _compared(found, data, _by_us(name, data), cancel_check)
    except (FormatError, UnknownNormalizationError) as error:
        kind = PatternNeededError if isinstance(error, PatternNeededError) else FormatError
        raise kind(f"{path}: {error}") from error


def _by_us(name: str, data: TokenizerData) -> Encoding:
    preparation = preparation_with(data.normalization)
    try:
        return encoding_with(name, data.pattern, data.ranks, data.special_tokens, preparation, data.byte_fallback)
    except ValueError as error:  # tiktoken's engine rejects the pattern
        raise FormatError(f"its split pattern is not valid: {error}") from error


def _by_library(name: str, kind: str, data: LibraryData, cancel_check: CancelCheck | None) -> OpenedTokenizer:
    if data.was_tried:
        return OpenedTokenizer(LibraryEncoding.around(name, data.open()), kind, data.normalization, data.notes)
    texts, specials = texts_for(data.tokens), special_texts_for(data.special_tokens)
    theirs = tried(data.reader, data.payload, texts, cancel_check, specials)
    encoding = LibraryEncoding.around(name, data.open())
    result = compare(encoding, texts, theirs, runs=True, special_texts=specials)
    return OpenedTokenizer(encoding, kind, data.normalization, (*data.notes, *result.notes), result)


def _compared(
    found: Found, data: TokenizerData, encoding: Encoding, cancel_check: CancelCheck | None
) -> OpenedTokenizer:
    texts = texts_for(list(data.ranks))
    with contextlib.suppress(EngineError):  # compare the encoder that will be used: our kernels, if compiled
        encoding.use_kernels(compiled_only=True)
    for_library = None if found.for_library is None else found.for_library()
    specials = special_texts_for(data.special_tokens)
    if for_library is not None:
        theirs = tried("tokenizers", for_library.payload, texts, cancel_check, specials)
    elif data.byte_fallback:  # not supported by tiktoken
        theirs = tried("tokenizers", _for_hugging_face(data), texts, cancel_check, specials)
    else:
        specials = ()  # they are not in the ranks, and tiktoken would reject the longest
        preparation = preparation_with(data.normalization)  # tiktoken does not normalize texts
        theirs = tried("tiktoken", for_tiktoken(data), [preparation(text) for text in texts], cancel_check)
    try:
        result = compare(encoding, texts, theirs, runs=False, special_texts=specials)
    except OtherIdsError as error:
        if for_library is None:
            raise
        note = f"{error}. So this library runs it, not Tokenloupe's own engine."
        library_data = replace(data_of_payload("tokenizers", for_library.payload), notes=(*for_library.notes, note))
        return _by_library(encoding.name, found.kind, library_data, cancel_check)
    return OpenedTokenizer(encoding, found.kind, data.normalization, (*data.notes, *result.notes), result)


def _for_hugging_face(data: TokenizerData) -> bytes:
    try:
        return huggingface.write(data)[0]
    except FormatError as error:
        raise FormatError(f"it cannot be tested: {error}") from error


def _name_of(path: Path) -> str:
    """Return the name of a file; for a usual name, which is not distinctive, that of its folder."""
    stem = path.name.split(".")[0] or path.stem
    usual = stem.lower() in ("tokenizer", "tekken")
    return path.absolute().parent.name or stem if usual else path.stem


# --- saving -----------------------------------------------------------------------------------------------------------


_ODD_TEXT = (
    "It's 12345 tokens – naïve, e\u0301, ﬁ…\r\n\r\n\tif x == 'ſ':  # 汉字かな한글 👩\u200d🚀\n   \n"
    "ИЗ DON'T we'LL\u00a0\u2003שלום مرحبا 0x7f\x00\x7f\ufffd   "
)


@dataclass(frozen=True, slots=True)
class Saved:
    """Files that were written. ``losses``: sentences about data that the format cannot hold. ``sha256``: of
    ``files[0]``."""

    files: tuple[Path, ...]
    file_bytes: int
    sha256: str
    losses: tuple[str, ...]


def save_encoding(
    encoding: Encoding,
    path: Path | str,
    sample: str = "",
    normalization: tuple[str, ...] = (),
    kind: str = "trained",
) -> Saved:
    """Write an encoding in the format of the path's extension: ``.tiktoken``, ``.json`` (Hugging Face), ``.model``
    (minbpe).

    The file is read back before it replaces an existing one. It must give the same tokens with the same IDs, the same
    special tokens, and the same IDs for ``sample`` and a fixed text of unusual characters. ``normalization``: steps to
    apply to texts, for an encoding that does not define them itself. ``kind``: ``trained`` or ``imported``.

    Raises FormatError, also if the disk is full; an existing file is then unchanged.
    """
    path = Path(path)
    if encoding.no_merges:
        raise FormatError(f"{path} was not written: {encoding.no_merges} It can only be saved in its own format.")
    from engine.encoding.piece_encoding import PieceEncoding

    if isinstance(encoding, PieceEncoding):
        raise FormatError(
            f"{path} was not written: no format supported here can store the SentencePiece pieces of {encoding.name}."
        )
    encoding = prepared(encoding, normalization)
    data = TokenizerData(encoding._pat_str, encoding._mergeable_ranks, encoding._special_tokens)
    if isinstance(encoding, PreprocessingEncoding):
        data = replace(data, normalization=encoding.preparation.steps, byte_fallback=encoding.byte_fallback)
    try:
        check(data)
        files, losses = _written(data, path, encoding.name, kind)
        beside = tiktoken_ranks.companion_of(path).name
        if beside in files:
            files[beside] = tiktoken_ranks.with_before(files[beside], path)
        with replacing(path) as folder:
            for name, content in files.items():
                (folder / name).write_bytes(content)
            _compare(encoding, data, folder / path.name, sample)
    except FormatError as error:
        raise FormatError(f"{path} was not written: {error}") from error
    except OSError as error:
        raise FormatError(f"{path} was not written: {error.strerror or error}") from error
    paths = tuple(path.parent / name for name in files)
    first = next(iter(files.values()))
    return Saved(paths, sum(map(len, files.values())), hashlib.sha256(first).hexdigest(), losses)


def check_writable(data: TokenizerData, path: Path | str) -> None:
    """Raise FormatError if the result of a training could not be saved there, as far as that is independent of the
    learned merges.

    ``data``: a vocabulary of single bytes, with everything else as in the training.
    """
    path = Path(path)
    try:
        _written(check(data), path, path.stem, "trained")
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from error


def _written(data: TokenizerData, path: Path, name: str, kind: str) -> tuple[dict[str, bytes], tuple[str, ...]]:
    writer = _format_of(path).writer
    assert writer is not None
    return writer().write_files(data, path, name, kind)


def _format_of(path: Path) -> Format:
    """Return the format that is written for the path's extension. Raises FormatError."""
    known = next((one for one in WRITTEN if one.ending == path.suffix), None)
    if known is None:
        raise FormatError(f"unknown extension; use one of {', '.join(one.ending for one in WRITTEN)}")
    return known


def _compare(encoding: Encoding, data: TokenizerData, written: Path, sample: str) -> None:
    """Raise FormatError if the file does not hold the expected data."""
    try:
        read_back = open_tokenizer(written)
    except FormatError as error:
        raise FormatError(f"it could not be read back: {str(error).removeprefix(f'{written}: ')}") from error
    again = read_back.encoding
    if encoding.uses_kernels:
        again.use_kernels(compiled_only=True)
    if again._mergeable_ranks != data.ranks:
        raise FormatError("verification failed: the saved file has different tokens")
    if again._special_tokens != data.special_tokens:
        raise FormatError("verification failed: the saved file has different special tokens")
    if not _format_of(written).keeps_normalization:
        # The file cannot represent normalization, so its user has to know the steps.
        again = prepared(again, data.normalization, byte_fallback=data.byte_fallback)
    elif read_back.normalization != data.normalization:
        raise FormatError("verification failed: the saved file normalizes texts differently")
    for text in (sample, _ODD_TEXT, "".join(data.special_tokens)):
        for special_as_tokens in (False, True):
            expected = encoding.token_ids(text, special_as_tokens=special_as_tokens)
            if not np.array_equal(again.token_ids(text, special_as_tokens=special_as_tokens), expected):
                raise FormatError("verification failed: the saved file gives different ids for the same text")
