"""The first half of training: all texts are read, cut and counted, on as many threads as there are processors."""

from __future__ import annotations

import contextvars
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from engine.corpus_files import is_utf8
from engine.kernels._jit import COMPILED
from engine.kernels.train_digest import digest_counts
from engine.kernels.valid_utf8 import is_valid_utf8
from engine.pretoken_counts import PretokenCounter
from engine.training_checkpoint import Arrays, Facts
from engine.training_documents import pack_documents, unpack_documents
from engine.training_settings import TrainingPlan
from engine.training_texts import Document, PieceReader
from engine.training_types import SkippedFile


def is_valid(content: bytes) -> bool:
    """Whether bytes are valid UTF-8, by a kernel where there are kernels."""
    return bool(is_valid_utf8(np.frombuffer(content, dtype=np.uint8))) if COMPILED else is_utf8(content)


class CorpusCounting:
    """Counts the pretokens of documents, a slice at a time. What it counts does not depend on the number of threads or
    on the order of the documents."""

    def __init__(self, documents: list[Document], plan: TrainingPlan, threads: int) -> None:
        self.reader = PieceReader(documents, plan.split.cuts, plan.preparation, is_valid)
        self.bytes_total = sum(document.stored_bytes for document in documents)
        self._expression = plan.expression
        self._threads = threads
        self._counters = [PretokenCounter(plan.expression)]
        self._reading = threading.Lock()

    @property
    def different(self) -> int:
        """How many different pretokens were counted so far; a little less where several threads share the work."""
        return max(counter.different for counter in self._counters)

    def advance(self, deadline: float) -> bool:
        """Count until ``time.perf_counter()`` reaches ``deadline``. Whether all is counted. TrainingError;
        SplitTimeoutError."""
        if self._threads == 1:
            return self._work(self._counters[0], deadline)
        while len(self._counters) < self._threads:
            self._counters.append(PretokenCounter(self._expression))
        with ThreadPoolExecutor(self._threads) as pool:
            # Where kernels are kept is known in this thread's context.
            shares = [
                pool.submit(contextvars.copy_context().run, self._work, counter, deadline) for counter in self._counters
            ]
        finished = [share.result() for share in shares]
        return all(finished)

    def _work(self, counter: PretokenCounter, deadline: float) -> bool:
        """One thread's part: pieces until time is up, or some of one if the pattern is slow. Whether none is left."""
        while True:
            if counter.has_begun:
                counter.go_on()
            else:
                with self._reading:
                    piece = self.reader.next_piece()
                if piece is None:
                    return True
                counter.begin(piece)
            if time.perf_counter() >= deadline:
                return False

    def gathered(self) -> PretokenCounter:
        """All that was read so far, counted, by all threads. SplitTimeoutError."""
        for counter in self._counters:
            counter.finish()
        first = self._counters[0]
        for other in self._counters[1:]:
            first.absorb(other)
        self._counters = [first]
        return first

    def digest(self) -> bytes:
        """16 bytes that are the same for the same pretokens, as often."""
        first, second = digest_counts(self.gathered().table)
        return int(first).to_bytes(8, "little", signed=True) + int(second).to_bytes(8, "little", signed=True)

    # Checkpoints

    def pack(self) -> tuple[Facts, Arrays]:
        """All that is needed to go on."""
        documents, arrays = pack_documents(self.reader.documents)
        problems = [[str(one.path), one.reason, one.why] for one in self.reader.problems]
        facts = {
            "documents": documents,
            "problems": problems,
            "document": self.reader.document,
            "piece": self.reader.piece,
            "sign_bytes": self.reader.sign_bytes_before,
        }
        return facts, {**arrays, **self.gathered().pack()}

    @classmethod
    def unpack(cls, plan: TrainingPlan, threads: int, facts: Facts, arrays: Arrays) -> CorpusCounting:
        """What was packed. TrainingError where a file has changed; where something is not whole, KeyError, ValueError,
        TypeError, IndexError."""
        counting = cls(unpack_documents(facts["documents"], arrays), plan, threads)
        problems = [SkippedFile(Path(path), reason, why) for path, reason, why in facts["problems"]]
        counting.reader.start_at(int(facts["document"]), int(facts["piece"]), problems, int(facts["sign_bytes"]))
        counting._counters[0].unpack(arrays)
        return counting
