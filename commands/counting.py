"""Counting what a command is given, on all processors, with a progress bar where somebody looks."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from commands.encoder_choice import EncoderChoice
from commands.interruption import noticed
from commands.program import usable
from commands.reading import Given
from engine.folder_counts import count_folder

if TYPE_CHECKING:
    from engine import Encoding
    from engine.training_types import SkippedFile

BAR_BYTES = 2_000_000
"""For less to count nobody needs a bar."""


class CountedText(NamedTuple):
    """A text that was counted: its path, its bytes as stored, and its tokens in each encoding."""

    path: str
    file_bytes: int
    tokens: tuple[int, ...]


class Counted(NamedTuple):
    """The texts in the order given, and what was left out of folders."""

    texts: list[CountedText]
    skipped: list[SkippedFile]

    def total(self, encoding: int = 0) -> int:
        """Tokens of all texts in one of the encodings."""
        return sum(text.tokens[encoding] for text in self.texts)


def count_given(given: Sequence[Given], encodings: Sequence[Encoding], choice: EncoderChoice) -> Counted:
    """Count everything in every encoding."""
    size = sum(one.size for one in given)
    choice.expect(size * len(encodings), len(encodings))
    for encoding in encodings:
        choice.make_for(encoding)
    counted = Counted([], [])
    with noticed() as notice, CountingBar(size) as bar:
        done = 0
        for one in given:
            if one.text is not None:
                tokens = tuple(encoding.count(one.text.text) for encoding in encodings)
                counted.texts.append(CountedText(one.path, one.text.size, tokens))
            else:
                _count_folder(one, encodings, counted, bar.reporting(done, notice.raise_if_any))
            done += one.size
            bar.show(done)
    return counted


def count_raw(files: Iterable[tuple[str, bytes]], encoding: Encoding) -> Counted:
    """Count files as bytes: their paths and contents. Raises BadInput."""
    counted = Counted([], [])
    for path, content in files:
        tokens = len(usable(lambda content=content: encoding.encode_bytes(content), path))
        counted.texts.append(CountedText(path, len(content), (tokens,)))
    return counted


def _count_folder(
    given: Given, encodings: Sequence[Encoding], counted: Counted, report: Callable[[int, int], None]
) -> None:
    counts = count_folder(given.found, encodings, threads=os.cpu_count() or 1, report=report)
    for index, path in enumerate(counts.paths):
        tokens = tuple(counts.tokens[:, index].tolist())
        counted.texts.append(CountedText(path, int(counts.file_bytes[index]), tokens))
    counted.skipped.extend(counts.skipped)


class CountingBar:
    """A bar on standard error, where that is a terminal and there is much to count. A context manager."""

    def __init__(self, size: int) -> None:
        """``size``: bytes to count."""
        self._bar: Any = None
        self._shown = 0
        if size >= BAR_BYTES and sys.stderr.isatty():
            self._bar = click.progressbar(length=size, label="counting", file=sys.stderr, show_pos=False)

    def __enter__(self) -> CountingBar:
        if self._bar is not None:
            self._bar.render_progress()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.render_finish()

    def show(self, done: int) -> None:
        """So many bytes are counted."""
        if self._bar is not None and done > self._shown:
            self._bar.update(done - self._shown)
            self._shown = done

    def reporting(self, before: int, check: Callable[[], None]) -> Callable[[int, int], None]:
        """What a scan reports to, ``before`` bytes having been counted. What ``check`` raises ends the scan."""

        def report(_files: int, file_bytes: int) -> None:
            check()
            self.show(before + file_bytes)

        return report
