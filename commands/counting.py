"""Counting the input of a command on all processors, with a progress bar on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from commands.encodings import EncoderChoice, billed_samples
from commands.inputs import Given, noticed, read_text
from commands.program import usable
from engine.corpus.folder_counts import count_folder
from engine.text.kinds import PIECES, sample_of_texts
from gui.core.model_counts import narrowed

if TYPE_CHECKING:
    from commands.inputs import Given
    from engine import Encoding
    from engine.corpus.types import SkippedFile
    from pricing.types import Model

BAR_BYTES = 2_000_000
"""Minimum input size for a progress bar, in bytes."""


class CountedText(NamedTuple):
    """A counted text: its path, its stored size in bytes, and its tokens in each encoding."""

    path: str
    file_bytes: int
    tokens: tuple[int, ...]


class Counted(NamedTuple):
    """Counted texts in the order given, and files skipped in folders."""

    texts: list[CountedText]
    skipped: list[SkippedFile]

    def total(self, encoding: int = 0) -> int:
        """Return the tokens of all texts in one of the encodings."""
        return sum(text.tokens[encoding] for text in self.texts)


def count_given(given: Sequence[Given], encodings: Sequence[Encoding], choice: EncoderChoice) -> Counted:
    """Count all inputs in all encodings."""
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
    """Count files, given as path and content, as raw bytes. Raises BadInput."""
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
    """Progress bar on standard error, shown only on a terminal and for large input. A context manager."""

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
        """Show that ``done`` bytes are counted."""
        if self._bar is not None and done > self._shown:
            self._bar.update(done - self._shown)
            self._shown = done

    def reporting(self, before: int, check: Callable[[], None]) -> Callable[[int, int], None]:
        """Return a report callback for a scan that starts after ``before`` bytes. Exceptions of ``check`` end the
        scan."""

        def report(_files: int, file_bytes: int) -> None:
            check()
            self.show(before + file_bytes)

        return report


def narrowed_models(
    models: Sequence[Model], given: Sequence[Given], counted: Counted, profile: Path | None
) -> list[Model]:
    """Return the models with their count rules narrowed to these texts. Samples many files evenly. Raises BadInput."""
    if all(model.count.label not in {"estimated", "assumed"} for model in models) or not counted.texts:
        return list(models)
    held = {one.path: one.text.text for one in given if one.text is not None}
    paths = [text.path for text in counted.texts]
    seen = paths if len(paths) <= PIECES else [paths[number * len(paths) // PIECES] for number in range(PIECES)]
    sample = sample_of_texts([held[path] if path in held else read_text(path).text for path in seen])
    sample = replace(sample, whole=sample.whole and len(seen) == len(paths))
    return [found.model for found in narrowed(models, sample, billed_samples(profile))]
