"""Stretches of one file that can be counted apart: each ends where a text may be cut without changing its pretokens.

A stretch is named by two places in the file that nobody has looked at. Whoever reads it begins at the first cut at or
behind the first place, and ends at the first cut at or behind the second. Its neighbour looks for the same cut in the
same way, so every byte is read once, by one of them.
"""

from __future__ import annotations

import codecs
import itertools
import os
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

from engine.corpus.files import BLOCK_BYTES, changed, opened_file, read_at, valid_blocks
from engine.corpus.types import CorpusFile
from engine.text.validity import is_utf8

_WINDOW_BYTES = 1 << 16
_LONGEST_CHARACTER = 4


class Stretch(NamedTuple):
    """Where in a file it begins and ends, in bytes, before cuts are looked for."""

    start: int
    end: int


def stretches_of(file_bytes: int, stretch_bytes: int) -> list[Stretch]:
    """A whole file, in stretches of about the same size."""
    count = max(1, round(file_bytes / stretch_bytes))
    places = [file_bytes * number // count for number in range(count + 1)]
    return [Stretch(start, end) for start, end in itertools.pairwise(places)]


def read_stretch(
    file: CorpusFile,
    stretch: Stretch,
    cuts: re.Pattern[str],
    is_valid: Callable[[bytes], bool] = is_utf8,
) -> Iterator[bytes]:
    """The text of a stretch of a UTF-8 file, in blocks of whole characters, as ``corpus_files.read_blocks`` gives them.

    ``cuts``: what is matched at a cut; it may look at one character before itself. CorpusFileError.
    """
    with opened_file(file.path) as opened:
        before = os.fstat(opened.fileno())
        if before.st_size != file.file_bytes:
            raise changed(file.path, before.st_size - file.file_bytes)
        start = _cut_from(opened, file, stretch.start, cuts)
        end = _cut_from(opened, file, stretch.end, cuts)
        opened.seek(start)
        blocks = valid_blocks(_blocks(opened, file, start, end), is_valid)
        is_first = start == 0
        for block in blocks:
            text = block.removeprefix(codecs.BOM_UTF8) if is_first else block
            is_first = False
            if text:
                yield text
        after = os.fstat(opened.fileno())
    if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise changed(file.path, after.st_size - before.st_size)


def _blocks(opened: BinaryIO, file: CorpusFile, start: int, end: int) -> Iterator[bytes]:
    while start < end:
        block = read_at(opened, start, min(BLOCK_BYTES, end - start), file.path)
        if not block:
            raise changed(file.path, start - end)
        start += len(block)
        yield block


def _cut_from(opened: BinaryIO, file: CorpusFile, place: int, cuts: re.Pattern[str]) -> int:
    """The first cut at ``place`` or behind it; the end of the file where there is none, its start at its start.

    Bytes that are no UTF-8 stand for themselves here, so that every character can be counted back into bytes. What the
    text has in their place, U+FFFD, is for no pattern of cuts anything else than they are.
    """
    while 0 < place < file.file_bytes:
        low = max(0, place - 2 * _LONGEST_CHARACTER)
        window = read_at(opened, low, place - low + _WINDOW_BYTES, file.path)
        low += _to_character(window)
        text = window[_to_character(window) :].decode("utf-8", "surrogateescape")
        for match in cuts.finditer(text):
            cut = low + len(text[: match.start()].encode("utf-8", "surrogateescape"))
            if cut >= place:
                return cut
        if place + _WINDOW_BYTES >= file.file_bytes:
            return file.file_bytes
        place += _WINDOW_BYTES
    return place


def _to_character(window: bytes) -> int:
    """How many bytes at the start of a window belong to a character that begins before it."""
    return next((at for at in range(min(_LONGEST_CHARACTER, len(window))) if window[at] & 0xC0 != 0x80), 0)
