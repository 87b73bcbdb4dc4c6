"""Typical tasks of users, in a few calls: the soak mixes these with its random presses."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import engine
from benchmarks.soak_files import BIG_TEXT, TOKENIZERS
from gui.window.application import Application

SMALL_VOCABULARIES = (300, 500, 1000)
PATTERNS = ("the", "wide", "[a-z]+", "(", "", "\\s", "字", "x" * 5_000)
BLANKS = " " * 2_000_000
"""A text without a safe boundary between pretokens."""


class Errands:
    """Tasks that are started and then left running while the soak goes on."""

    def __init__(self, bench: Application, folder: Path, chance: random.Random) -> None:
        self._bench, self._folder, self._random = bench, folder, chance
        self.ways: tuple[tuple[int, Callable[[], None]], ...] = (
            (4, self._open_file),
            (1, self._open_big_file),
            (1, self._paste_blanks),
            (2, self._train),
            (2, self._scan),
            (2, self._import),
            (3, self._find),
            (2, self._replace_all),
            (4, self._change_encoding),
            (3, self._stop_a_job),
        )

    def _open_file(self) -> None:
        files = [path for path in self._folder.iterdir() if path.is_file() and path.name != BIG_TEXT]
        self._bench.files.open_paths([self._random.choice(files)])

    def _open_big_file(self) -> None:
        self._bench.files.open_paths([self._folder / BIG_TEXT])

    def _paste_blanks(self) -> None:
        self._bench.prompt.replace_all(BLANKS)

    def _train(self) -> None:
        training = self._bench.pages.training
        assert training is not None
        training.show()
        assert training.panel is not None
        panel = training.panel
        panel.folder.set_paths([str(self._random.choice((self._folder, self._folder / BIG_TEXT)))])
        panel.form.vocab_size.setValue(self._random.choice(SMALL_VOCABULARIES))
        panel.run_bar.start.click()

    def _scan(self) -> None:
        assert self._bench.pages.folders is not None
        self._bench.pages.folders.count_paths([self._folder])

    def _import(self) -> None:
        self.import_file(self._random.choice(sorted((self._folder / TOKENIZERS).iterdir())))

    def import_file(self, path: Path) -> None:
        """Read a tokenizer file, which opens a dialog that offers to add it."""
        assert self._bench.pages.library is not None
        self._bench.pages.library.open_path(path)

    def _find(self) -> None:
        self._bench.finder.open(replace=self._random.random() < 0.5)
        self._bench.panel.find_bar.pattern.setText(self._random.choice(PATTERNS))
        self._bench.finder.find_next()

    def _replace_all(self) -> None:
        self.replace(self._random.choice(PATTERNS), self._random.choice(("", "an", "\\0")))

    def replace(self, pattern: str, by: str) -> None:
        """Replace a pattern everywhere, which requests the text first."""
        self._bench.finder.open(replace=True)
        self._bench.panel.find_bar.pattern.setText(pattern)
        self._bench.panel.find_bar.replacement.setText(by)
        self._bench.finder.replace_all()

    def _change_encoding(self) -> None:
        self._bench.prompt.set_encoding(self._random.choice(engine.list_encoding_names()))

    def _stop_a_job(self) -> None:
        assert self._bench.runner is not None
        if busy := self._bench.runner.busy_lanes:
            self._random.choice(busy).cancel()
