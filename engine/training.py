"""TrainingRun: a tokenizer is trained a slice at a time. So progress, pause, cancel-and-keep and checkpoints are one
thing: not calling ``advance`` for a while."""

from __future__ import annotations

import importlib
import os
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.encoding import Encoding
from engine.errors import TrainingError
from engine.kernels.train_slots import fill_slots, measure_slots
from engine.merging import Merger
from engine.pretoken_counts import PretokenCounter
from engine.trained_encoding import build_encoding, spell_tokens
from engine.training_splits import split_named
from engine.training_texts import Document, PieceReader, text_document
from engine.training_types import (
    CorpusRules,
    CorpusSurvey,
    Merge,
    Stage,
    TrainingCurve,
    TrainingProgress,
    TrainingSettings,
)

TextOrPath = str | os.PathLike[str] | CorpusSurvey

_BUDGET = 100_000
"""Places that are merged between two looks at the clock: about a millisecond."""

_CURVE_POINTS = 2048


class TrainingRun:
    """Trains a byte-pair encoding on files, folders and texts. One thread at a time may call its methods."""

    def __init__(
        self,
        paths_or_texts: TextOrPath | Iterable[TextOrPath],
        vocab_size: int,
        pattern: str = "cl100k_base",
        alphabet: str = "bytes",
        normalization: str | None = None,
        lowercase: bool = False,
        strip_accents: bool = False,
        min_count: int = 2,
        max_token_bytes: int | None = None,
        special_tokens: Sequence[str] = (),
        threads: int | None = None,
        tie_order: str = "bytes",
        rules: CorpusRules | None = None,
    ) -> None:
        """``paths_or_texts``: one or more of: an ``os.PathLike``, a file or a folder; a ``str``, which is a text, but
        for an absolute path that exists; a ``CorpusSurvey`` that has been made already.

        ``vocab_size`` counts everything: alphabet, merges and special tokens. ``threads``: None for one per processor.
        ``rules``: which files of folders are read. The rest: see ``TrainingSettings``. TrainingError.
        """
        self.settings = TrainingSettings(
            vocab_size=vocab_size,
            pattern=pattern,
            alphabet=alphabet,
            normalization=normalization,
            lowercase=lowercase,
            strip_accents=strip_accents,
            min_count=min_count,
            max_token_bytes=max_token_bytes,
            special_tokens=tuple(special_tokens),
            tie_order=tie_order,
        )
        most_merges = vocab_size - 256 - len(self.settings.special_tokens)
        if most_merges < 0:
            raise TrainingError(
                f"A vocabulary of {vocab_size:,} has no room for the 256 bytes"
                + (f" and {len(self.settings.special_tokens)} special tokens." if special_tokens else ".")
            )
        self._most_merges = most_merges
        self._split = split_named(pattern)
        self._threads = threads or os.cpu_count() or 1
        self._items = _as_items(paths_or_texts)
        self._rules = rules or CorpusRules()
        self._stage: Stage = "looking"
        self._reader = PieceReader([], self._split.cuts)
        self._reader_lock = threading.Lock()
        self._bytes_total = 0
        self._counters = [PretokenCounter(self._split.expression)]
        self._merger: Merger | None = None
        self._text_bytes = 0
        self._why_done = ""
        self._rate = 0.0

    # Doing

    @property
    def done(self) -> bool:
        """Whether the vocabulary is full, or no pair is left that occurs often enough."""
        return self._stage == "done"

    def advance(self, seconds: float = 0.03) -> TrainingProgress:
        """Train for about so long, and say how far it is. TrainingError; SplitTimeoutError."""
        deadline = time.perf_counter() + seconds
        while not self.done:
            if self._stage == "looking":
                self._look()
            elif self._stage == "counting":
                self._count(deadline)
            else:
                self._merge(deadline)
            if time.perf_counter() >= deadline:
                break
        return self.progress()

    def _look(self) -> None:
        documents: list[Document] = []
        surveys = []
        for item in self._items:
            if isinstance(item, str):
                documents.append(text_document(item))
                continue
            if isinstance(item, CorpusSurvey):
                found = item
            else:
                found = importlib.import_module("engine.corpus").survey([Path(item)], self._rules)
            surveys.append(found)
            documents += [Document(file, file.file_bytes) for file in found.files]
        self._reader.documents = documents
        self._bytes_total = sum(document.stored_bytes for document in documents)
        if self._bytes_total == 0:
            raise TrainingError("There is no text to train on.")
        self._stage = "counting"

    def _count(self, deadline: float) -> None:
        started, before = time.perf_counter(), self._reader.bytes_read
        while len(self._counters) < self._threads:
            self._counters.append(PretokenCounter(self._split.expression))
        if self._threads == 1:
            finished = self._count_with(self._counters[0], deadline)
        else:
            with ThreadPoolExecutor(self._threads) as pool:
                finished = all(list(pool.map(lambda counter: self._count_with(counter, deadline), self._counters)))
        elapsed = time.perf_counter() - started
        self._rate = (self._reader.bytes_read - before) / elapsed if elapsed > 0 else 0.0
        if finished:
            self._start_merging()

    def _count_with(self, counter: PretokenCounter, deadline: float) -> bool:
        """Count pieces until time is up. Whether there are none left."""
        while True:
            with self._reader_lock:
                piece = self._reader.next_piece()
            if piece is None:
                return True
            counter.add(piece)
            if time.perf_counter() >= deadline:
                return False

    def _start_merging(self) -> None:
        counter = self._counters[0]
        for other in self._counters[1:]:
            counter.absorb(other)
        self._counters = [counter]
        slot_count, self._text_bytes = measure_slots(counter.table)
        slots = np.empty(slot_count, dtype=np.uint32)
        fill_slots(counter.table, np.arange(256, dtype=np.uint32), slots)
        self._merger = Merger(
            slots,
            np.ones(256, dtype=np.uint32),
            self._most_merges,
            self._text_bytes,
            min_count=self.settings.min_count,
            max_token_bytes=self.settings.max_token_bytes,
        )
        self._stage = "merging"
        self._rate = 0.0

    def _merge(self, deadline: float) -> None:
        assert self._merger is not None
        started, before = time.perf_counter(), self._merger.merged
        while not self._merger.is_done:
            self._merger.advance(_BUDGET)
            if time.perf_counter() >= deadline:
                break
        elapsed = time.perf_counter() - started
        self._rate = (self._merger.merged - before) / elapsed if elapsed > 0 else 0.0
        if self._merger.is_done:
            self._stage = "done"
            if self._merger.ran_out:
                self._why_done = f"No pair is left that occurs {self.settings.min_count} times or more."

    # What it knows

    def progress(self) -> TrainingProgress:
        """How far it is."""
        merger = self._merger
        merged = merger.merged if merger else 0
        tokens = merger.tokens if merger else 0
        read, total = self._reader.bytes_read, self._bytes_total
        fraction = {
            "looking": 0.0,
            "counting": read / total if total else 0.0,
            "merging": merged / self._most_merges if self._most_merges else 1.0,
            "done": 1.0,
        }[self._stage]
        left = total - read if self._stage == "counting" else self._most_merges - merged
        return TrainingProgress(
            stage=self._stage,
            fraction=fraction,
            bytes_read=read,
            bytes_total=total,
            pretokens=max(counter.different for counter in self._counters),
            merges=merged,
            merges_wanted=self._most_merges,
            vocab_size=256 + merged + len(self.settings.special_tokens),
            tokens=tokens,
            bytes_per_token=self._text_bytes / tokens if tokens else 0.0,
            last_merge=self.merges(merged - 1)[0] if merged else None,
            rate=self._rate,
            eta_seconds=left / self._rate if self._rate and not self.done else None,
            problems=tuple(self._reader.problems),
            why_done=self._why_done,
        )

    def merge_table(self, since: int = 0) -> NDArray[np.int64]:
        """int64[n, 4], read-only: of each merge from number ``since`` on the left id, the right id, how often the pair
        occurred, and the tokens of the corpus afterwards."""
        merges = self._merger.merges[since:] if self._merger else np.empty((0, 4), dtype=np.int64)
        view = merges.view()
        view.flags.writeable = False
        return view

    def merges(self, since: int = 0) -> list[Merge]:
        """The merges from number ``since`` on."""
        table = self.merge_table()
        blob, offsets = spell_tokens(table)
        found = []
        for index, (left, right, count, tokens) in enumerate(table[since:].tolist(), since):
            content = blob[offsets[256 + index] : offsets[257 + index]]
            found.append(Merge(index, left, right, 256 + index, content, count, tokens))
        return found

    def curve(self) -> TrainingCurve:
        """Compression against vocabulary size, so far."""
        tokens = self.merge_table()[:, 3]
        chosen = np.unique(np.linspace(0, max(len(tokens) - 1, 0), min(len(tokens), _CURVE_POINTS)).astype(np.int64))
        sizes = 257 + chosen
        values = self._text_bytes / np.maximum(tokens[chosen], 1)
        sizes.flags.writeable = values.flags.writeable = False
        return TrainingCurve(sizes, values)

    def encoding(self, name: str) -> Encoding:
        """What has been learned so far as an encoding. TrainingError before everything is counted."""
        if self._merger is None:
            raise TrainingError("The text is not counted yet: there is nothing to make an encoding of.")
        return build_encoding(name, self.settings, self._split.expression, self.merge_table())


def train(
    paths_or_texts: TextOrPath | Iterable[TextOrPath], vocab_size: int, name: str = "trained", **options: object
) -> Encoding:
    """Train to the end; the arguments are those of ``TrainingRun``. TrainingError."""
    run = TrainingRun(paths_or_texts, vocab_size, **options)  # type: ignore[arg-type]
    while not run.done:
        run.advance(seconds=1.0)
    return run.encoding(name)


def _as_items(given: TextOrPath | Iterable[TextOrPath]) -> list[TextOrPath]:
    items = [given] if isinstance(given, str | os.PathLike | CorpusSurvey) else list(given)
    return [Path(item) if isinstance(item, str) and _is_existing_path(item) else item for item in items]


def _is_existing_path(text: str) -> bool:
    if len(text) > 4096 or "\n" in text or "\0" in text:
        return False
    path = Path(text)
    return path.is_absolute() and path.exists()
