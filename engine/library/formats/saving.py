"""Saving an encoding to a file, verified by reading it back before success is reported."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.encoding.encoding import Encoding
from engine.encoding.preprocessing_encoding import PreprocessingEncoding, prepared
from engine.errors import FormatError
from engine.library.formats import tiktoken_ranks
from engine.library.formats.opening import open_tokenizer
from engine.library.formats.table import WRITTEN, Format
from engine.library.formats.tokenizer_data import TokenizerData, check
from engine.runtime.atomic_files import replacing

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
        raise FormatError(f"{path} was not written: {encoding.no_merges} It can only be kept as it is.")
    from engine.encoding.piece_encoding import PieceEncoding

    if isinstance(encoding, PieceEncoding):
        raise FormatError(f"{path} was not written: no format here holds {encoding.name}'s pieces of SentencePiece.")
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
        raise FormatError("read back, it has other special tokens")
    if not _format_of(written).keeps_normalization:
        # The file cannot represent normalization, so its user has to know the steps.
        again = prepared(again, data.normalization, byte_fallback=data.byte_fallback)
    elif read_back.normalization != data.normalization:
        raise FormatError("read back, it normalizes texts otherwise")
    for text in (sample, _ODD_TEXT, "".join(data.special_tokens)):
        for special_as_tokens in (False, True):
            expected = encoding.token_ids(text, special_as_tokens=special_as_tokens)
            if not np.array_equal(again.token_ids(text, special_as_tokens=special_as_tokens), expected):
                raise FormatError("read back, it gives other ids for the same text")
