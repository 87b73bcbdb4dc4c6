"""The first half of training: all texts are read, cut and counted, on as many threads as there are processors."""

from __future__ import annotations

import contextvars
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from engine.corpus.types import SkippedFile
from engine.kernels._jit import COMPILED
from engine.kernels.train_digest import digest_counts
from engine.kernels.valid_utf8 import is_valid_utf8
from engine.runtime.cancellation import ask
from engine.text.validity import is_utf8
from engine.training.checkpoint import Arrays, Facts
from engine.training.documents import pack_documents, unpack_documents
from engine.training.pretoken_counts import PretokenCounter
from engine.training.settings import TrainingPlan
from engine.training.texts import Document, PieceReader


def is_valid(content: bytes) -> bool:
    """Whether bytes are valid UTF-8, by a kernel where there are kernels."""
    return bool(is_valid_utf8(np.frombuffer(content, dtype=np.uint8))) if COMPILED else is_utf8(content)


class Counting(ABC):
    """Counts the pretokens of documents, a slice at a time. What is counted depends neither on the order of the
    documents nor on who counts them."""

    def __init__(self, documents: Sequence[Document], plan: TrainingPlan) -> None:
        self.bytes_total = sum(document.stored_bytes for document in documents)
        self._counter = PretokenCounter(plan.expression)

    @property
    @abstractmethod
    def bytes_read(self) -> int:
        """Stored bytes that were read so far."""

    @property
    @abstractmethod
    def problems(self) -> list[SkippedFile]:
        """Files that could not be read to their end."""

    @property
    @abstractmethod
    def sign_bytes(self) -> int:
        """By how many bytes signs for spaces made texts longer. Known when all are counted."""

    @property
    def different(self) -> int:
        """How many different pretokens were counted so far, as far as that is known."""
        return self._counter.different

    @abstractmethod
    def advance(self, deadline: float) -> bool:
        """Count until ``time.perf_counter()`` reaches ``deadline``. Whether all is counted. TrainingError;
        SplitTimeoutError."""

    def gathered(self) -> PretokenCounter:
        """All that was counted so far."""
        return self._counter

    def digest(self) -> bytes:
        """16 bytes that are the same for the same pretokens, as often."""
        first, second = digest_counts(self.gathered().table)
        return int(first).to_bytes(8, "little", signed=True) + int(second).to_bytes(8, "little", signed=True)

    @abstractmethod
    def pack(self) -> tuple[Facts, Arrays]:
        """All that ``CorpusCounting.unpack`` needs to go on."""


class CorpusCounting(Counting):
    """Counts on the threads of this process."""

    def __init__(self, documents: list[Document], plan: TrainingPlan, threads: int) -> None:
        super().__init__(documents, plan)
        self._reader = PieceReader(documents, plan.split.cuts, plan.preparation, is_valid, plan.settings.max_space_run)
        self._threads = threads
        self._others: list[PretokenCounter] = []
        self._reading = threading.Lock()

    @property
    def bytes_read(self) -> int:
        """Stored bytes that were read so far."""
        return self._reader.bytes_read

    @property
    def problems(self) -> list[SkippedFile]:
        """Files that could not be read to their end."""
        return self._reader.problems

    @property
    def sign_bytes(self) -> int:
        """By how many bytes signs for spaces made texts longer."""
        return self._reader.sign_bytes

    @property
    def different(self) -> int:
        """How many different pretokens were counted so far; a little less where several threads share the work."""
        return max(counter.different for counter in (self._counter, *self._others))

    def advance(self, deadline: float) -> bool:
        """Count until ``time.perf_counter()`` reaches ``deadline``. Whether all is counted. TrainingError;
        SplitTimeoutError."""
        if self._threads == 1:
            return self._work(self._counter, deadline)
        while len(self._others) < self._threads - 1:
            self._others.append(PretokenCounter(self._counter.expression))
        counters = [self._counter, *self._others]
        with ThreadPoolExecutor(self._threads) as pool:
            # Where kernels are kept is known in this thread's context.
            shares = [
                pool.submit(contextvars.copy_context().run, self._work, counter, deadline) for counter in counters
            ]
        finished = [share.result() for share in shares]
        return all(finished)

    def _work(self, counter: PretokenCounter, deadline: float) -> bool:
        """One thread's part: pieces until time is up, or some of one if the pattern is slow. Whether none is left."""
        while True:
            ask()
            if counter.has_begun:
                counter.go_on()
            else:
                with self._reading:
                    piece = self._reader.next_piece()
                if piece is None:
                    return True
                counter.begin(piece)
            if time.perf_counter() >= deadline:
                return False

    def gathered(self) -> PretokenCounter:
        """All that was read so far, counted, by all threads. SplitTimeoutError."""
        for counter in (self._counter, *self._others):
            counter.finish()
        for other in self._others:
            self._counter.absorb(other)
        self._others = []
        return self._counter

    # Checkpoints

    def pack(self) -> tuple[Facts, Arrays]:
        """All that is needed to go on."""
        documents, arrays = pack_documents(self._reader.documents)
        problems = [[str(one.path), one.reason, one.why] for one in self._reader.problems]
        facts = {
            "documents": documents,
            "problems": problems,
            "document": self._reader.document,
            "piece": self._reader.piece,
            "sign_bytes": self._reader.sign_bytes_before,
        }
        return facts, {**arrays, **self.gathered().pack()}

    @classmethod
    def unpack(cls, plan: TrainingPlan, threads: int, facts: Facts, arrays: Arrays) -> CorpusCounting:
        """What was packed. TrainingError where a file has changed; where something is not whole, KeyError, ValueError,
        TypeError, IndexError."""
        counting = cls(unpack_documents(facts["documents"], arrays), plan, threads)
        problems = [SkippedFile(Path(path), reason, why) for path, reason, why in facts["problems"]]
        counting._reader.start_at(int(facts["document"]), int(facts["piece"]), problems, int(facts["sign_bytes"]))
        counting._counter.unpack(arrays)
        return counting
