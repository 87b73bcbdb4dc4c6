"""Counting, the first half of training: all texts are read, split into pretokens and counted on all processors.

``documents_of`` finds the documents of a corpus. A checkpoint stores them (``pack_documents``) while they are still
needed. ``PretokenCounter`` counts for one thread, in memory that grows with the number of unique pretokens.
``CorpusCounting`` counts a whole corpus on the threads of this process.
"""

from __future__ import annotations

import contextvars
import itertools
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.corpus.types import CorpusFile, CorpusRules, CorpusSurvey, SkippedFile
from engine.corpus.walk import survey
from engine.errors import TrainingError
from engine.kernels import train_table
from engine.kernels._jit import COMPILED
from engine.kernels.lookup import KEY_MASKS
from engine.kernels.text_bytes import PADDING, is_valid_utf8
from engine.kernels.train_table import CountTable, add_entries, count_pretokens, digest_counts, fill_index
from engine.runtime.cancellation import check_cancelled
from engine.split.patterns import KNOWN_SPLITS
from engine.split.pretokenization import PretokenChunk, pretoken_chunks_in_time, pretokenizer
from engine.split.scanners import Scanner
from engine.text.offsets import Uncut, is_utf8, pairs
from engine.training.settings import TrainingPlan
from engine.training.texts import Document, PieceReader, text_document
from engine.training.types import Arrays, Facts

# --- texts ------------------------------------------------------------------------------------------------------------

TextOrPath = str | bytes | os.PathLike[str] | CorpusSurvey


def as_items(given: TextOrPath | Iterable[TextOrPath]) -> list[TextOrPath]:
    """Return one or more texts, bytes, paths and surveys as a list. A ``str`` is a text unless it is an absolute path
    that exists."""
    items = [given] if isinstance(given, str | bytes | os.PathLike | CorpusSurvey) else list(given)
    return [Path(item) if isinstance(item, str) and _is_existing_path(item) else item for item in items]


def _is_existing_path(text: str) -> bool:
    if len(text) > 4096 or "\n" in text or "\0" in text:
        return False
    path = Path(text)
    return path.is_absolute() and path.exists()


def documents_of(items: Sequence[TextOrPath], rules: CorpusRules) -> list[Document]:
    """Return all non-empty documents of texts, bytes, files, folders and surveys. Raises TrainingError or
    InvalidGlobError."""
    documents = []
    paths = [Path(item) for item in items if isinstance(item, os.PathLike)]
    try:
        surveys = [item for item in items if isinstance(item, CorpusSurvey)] + ([survey(paths, rules)] if paths else [])
    except OSError as error:
        raise TrainingError(f"{error.filename}: {error.strerror or error}.") from error
    for found in surveys:
        documents += [Document(file, file.file_bytes) for file in found.files]
    documents += [text_document(item) for item in items if isinstance(item, str) and item]
    documents += [Document(item, len(item)) for item in items if isinstance(item, bytes) and item]
    if not documents:
        raise TrainingError(_nothing_found(surveys))
    return documents


def _nothing_found(surveys: Sequence[CorpusSurvey]) -> str:
    reasons: dict[str, int] = {}
    for found in surveys:
        for reason, count in found.skipped_counts.items():
            reasons[reason] = reasons.get(reason, 0) + count
    left_out = ", ".join(f"{count:,} {reason}" for reason, count in sorted(reasons.items()))
    return "No text to train on" + (f". Skipped files: {left_out}." if left_out else ".")


def pack_documents(documents: Sequence[Document]) -> tuple[list[dict[str, Any]], Arrays]:
    """Return documents as JSON and arrays. Files are stored with their modification time."""
    facts: list[dict[str, Any]] = []
    texts = [document.source for document in documents if isinstance(document.source, bytes)]
    for document in documents:
        if isinstance(document.source, bytes):
            facts.append({})
        else:
            file = document.source
            facts.append({"path": str(file.path), "bytes": file.file_bytes, "encoding": file.encoding})
            facts[-1]["written"] = _written(file.path)
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    return facts, {"text_ends": ends, "texts": np.frombuffer(b"".join(texts), dtype=np.uint8)}


def unpack_documents(facts: Sequence[dict[str, Any]], arrays: Arrays) -> list[Document]:
    """Return the documents from ``pack_documents``. Raises TrainingError if a file has changed since."""
    documents = []
    ends, texts = arrays["text_ends"].tolist(), arrays["texts"].tobytes()
    start = text = 0
    for fact in facts:
        if not fact:
            documents.append(Document(texts[start : ends[text]], ends[text] - start))
            start, text = ends[text], text + 1
            continue
        path = Path(fact["path"])
        if _written(path) != fact["written"]:
            raise TrainingError(
                f"{path} has changed since the checkpoint was written, and not all files were counted. Start a new run."
            )
        documents.append(Document(CorpusFile(path, fact["bytes"], fact["encoding"]), fact["bytes"]))
    return documents


def _written(path: Path) -> list[int] | None:
    """Return size and modification time in ns, or None if the file is not accessible."""
    try:
        found = path.stat()
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns]


# --- counts -----------------------------------------------------------------------------------------------------------

SPLIT_SECONDS = 10.0
"""Maximum time for a pattern to split a chunk of about a megabyte."""
_SECONDS_AT_A_TIME = 0.7
"""Maximum time without a cancellation check. A working pattern needs a twentieth of it for a slice."""

_ENDS = 1 << 18
"""Pretokens between two calls of a kernel, about those of a chunk. With fewer, threads often wait for each other."""
_FIRST_BITS = 18
"""Initial size of the index: one megabyte. Growing from a smaller one takes 3% of a run over 20 MB."""


class PretokenCounter:
    """Counts pretokens, for one thread at a time."""

    def __init__(self, expression: str) -> None:
        """expression: the split pattern. Raises InvalidPatternError or UnsupportedPatternError."""
        self.expression = expression
        split = KNOWN_SPLITS.get(expression)
        self._scanner = None if split is None else Scanner(split)
        self._pretokenizer = pretokenizer(expression) if split is None else None
        self._left: Iterator[PretokenChunk | None] | None = None
        self._ends = np.empty(_ENDS, dtype=np.int32)
        self._table = _new_table(_FIRST_BITS)

    @property
    def different(self) -> int:
        """Number of unique pretokens counted so far."""
        return int(self._table.state[train_table.ENTRIES_USED])

    @property
    def table(self) -> CountTable:
        """The table of counts."""
        return self._table

    def add(self, text: bytes) -> None:
        """Count the pretokens of a text in UTF-8, or ``Uncut`` bytes as one pretoken. Raises SplitTimeoutError."""
        self.begin(text)
        self.finish()

    def begin(self, text: bytes) -> None:
        """Like ``add``, but if no kernel supports the pattern, the text is counted by calls of ``go_on``."""
        if isinstance(text, Uncut):
            self._count(np.frombuffer(text + bytes(PADDING), dtype=np.uint8), np.array([len(text)], np.int32), 1, 0)
        elif self._scanner is not None:
            self._add_scanned(text, self._scanner)
        elif self._pretokenizer is not None:
            self._left = pretoken_chunks_in_time(
                self._pretokenizer, text.decode("utf-8"), SPLIT_SECONDS, _SECONDS_AT_A_TIME
            )

    @property
    def has_begun(self) -> bool:
        """True if a text is not yet counted to its end."""
        return self._left is not None

    def go_on(self) -> None:
        """Count a chunk of the current text, or try for most of a second. Raises SplitTimeoutError."""
        for chunk in itertools.islice(self._left or (), 1):
            if chunk is not None:
                self._add_chunk(chunk)
            return
        self._left = None

    def finish(self) -> None:
        """Count the current text to its end. Raises SplitTimeoutError."""
        while self.has_begun:
            self.go_on()

    def _add_scanned(self, text: bytes, scanner: Scanner) -> None:
        array = np.frombuffer(text + bytes(PADDING), dtype=np.uint8)
        start = 0
        while start < len(text):
            found = scanner(array, len(text), start, self._ends)
            self._count(array, self._ends, found, start)
            start = int(self._ends[found - 1])

    def _add_chunk(self, chunk: PretokenChunk) -> None:
        spans = chunk.byte_spans()
        text = chunk.text.encode("utf-8")
        ends = np.cumsum(spans[:, 1] - spans[:, 0])
        if ends[-1] != spans[-1, 1]:
            text = b"".join([text[start:stop] for start, stop in pairs(spans)])
        self._count(np.frombuffer(text + bytes(PADDING), dtype=np.uint8), ends.astype(np.int32), len(ends), 0)

    def _count(self, array: NDArray[np.uint8], ends: NDArray[np.int32], count: int, start: int) -> None:
        first, start = count_pretokens(array, ends, 0, count, start, KEY_MASKS, self._table)
        while first < count:
            self._table = _larger(self._table)
            first, start = count_pretokens(array, ends, first, count, start, KEY_MASKS, self._table)

    def pack(self) -> Arrays:
        """Return the counts as arrays."""
        table = self._table
        entries = table.entries[: train_table.ENTRY_WORDS * self.different]
        return {"entries": entries, "arena": table.arena[: int(table.state[train_table.ARENA_USED])]}

    def unpack(self, arrays: Arrays) -> None:
        """Restore the counts that ``pack`` returned. Raises KeyError or ValueError if they are damaged."""
        entries, arena = arrays["entries"], arrays["arena"]
        count = len(entries) // train_table.ENTRY_WORDS
        packed = _new_table(max(_FIRST_BITS, (2 * count + 2).bit_length()))
        packed.entries[: len(entries)] = entries
        packed.state[train_table.ENTRIES_USED] = count
        packed.state[train_table.ARENA_USED] = len(arena)
        self._table = packed._replace(arena=arena.astype(np.uint8))
        fill_index(self._table)

    def absorb(self, other: PretokenCounter) -> None:
        """Add the counts of another counter."""
        first = add_entries(other.table, 0, self._table)
        while first < other.different:
            self._table = _larger(self._table)
            first = add_entries(other.table, first, self._table)


def _new_table(bits: int) -> CountTable:
    state = np.zeros(train_table.STATE_SIZE, dtype=np.int64)
    state[train_table.INDEX_SHIFT] = 64 - bits
    return CountTable(
        buckets=np.zeros(1 << bits, dtype=np.uint32),
        entries=np.empty(train_table.ENTRY_WORDS << (bits - 1), dtype=np.int64),
        arena=np.empty(1 << 16, dtype=np.uint8),
        state=state,
    )


def _larger(table: CountTable) -> CountTable:
    """Return the table with more room where it was full: in its arena or in its index."""
    state = table.state
    if needed := int(state[train_table.NEEDED]):
        used = int(state[train_table.ARENA_USED])
        arena = np.empty(max(2 * len(table.arena), used + needed), dtype=np.uint8)
        arena[:used] = table.arena[:used]
        return table._replace(arena=arena)
    bits = 65 - int(state[train_table.INDEX_SHIFT])
    larger = _new_table(bits)
    used = train_table.ENTRY_WORDS * int(state[train_table.ENTRIES_USED])
    larger.entries[:used] = table.entries[:used]
    larger = larger._replace(arena=table.arena, state=state)
    state[train_table.INDEX_SHIFT] = 64 - bits
    fill_index(larger)
    return larger


def is_valid(content: bytes) -> bool:
    """Return True if bytes are valid UTF-8. Uses a kernel where kernels are compiled."""
    return bool(is_valid_utf8(np.frombuffer(content, dtype=np.uint8))) if COMPILED else is_utf8(content)


class Counting(ABC):
    """Counts the pretokens of documents, a time slice at a time. The result depends neither on the order of the
    documents nor on the implementation."""

    def __init__(self, documents: Sequence[Document], plan: TrainingPlan) -> None:
        self.bytes_total = sum(document.stored_bytes for document in documents)
        self._counter = PretokenCounter(plan.expression)

    @property
    @abstractmethod
    def bytes_read(self) -> int:
        """Stored bytes read so far."""

    @property
    @abstractmethod
    def problems(self) -> list[SkippedFile]:
        """Files that could not be read to their end."""

    @property
    @abstractmethod
    def sign_bytes(self) -> int:
        """Number of bytes by which ``▁`` for spaces made texts longer. Known when all documents are counted."""

    @property
    def different(self) -> int:
        """Number of unique pretokens counted so far, as far as it is known."""
        return self._counter.different

    @abstractmethod
    def advance(self, deadline: float) -> bool:
        """Count until ``time.perf_counter()`` reaches ``deadline``. Return True if all documents are counted. Raises
        TrainingError or SplitTimeoutError."""

    def gathered(self) -> PretokenCounter:
        """Return a counter with everything counted so far."""
        return self._counter

    def digest(self) -> bytes:
        """Return 16 bytes that are equal for equal pretokens with equal counts."""
        first, second = digest_counts(self.gathered().table)
        return int(first).to_bytes(8, "little", signed=True) + int(second).to_bytes(8, "little", signed=True)

    @abstractmethod
    def pack(self) -> tuple[Facts, Arrays]:
        """Return all that ``CorpusCounting.unpack`` needs to resume."""


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
        """Stored bytes read so far."""
        return self._reader.bytes_read

    @property
    def problems(self) -> list[SkippedFile]:
        """Files that could not be read to their end."""
        return self._reader.problems

    @property
    def sign_bytes(self) -> int:
        """Number of bytes by which ``▁`` for spaces made texts longer."""
        return self._reader.sign_bytes

    @property
    def different(self) -> int:
        """Number of unique pretokens counted so far. Slightly too low while several threads share the work."""
        return max(counter.different for counter in (self._counter, *self._others))

    def advance(self, deadline: float) -> bool:
        """Count until ``time.perf_counter()`` reaches ``deadline``. Return True if all documents are counted. Raises
        TrainingError or SplitTimeoutError."""
        if self._threads == 1:
            return self._work(self._counter, deadline)
        while len(self._others) < self._threads - 1:
            self._others.append(PretokenCounter(self._counter.expression))
        counters = [self._counter, *self._others]
        with ThreadPoolExecutor(self._threads) as pool:
            # The folder of compiled kernels is set in the context of this thread.
            shares = [
                pool.submit(contextvars.copy_context().run, self._work, counter, deadline) for counter in counters
            ]
        finished = [share.result() for share in shares]
        return all(finished)

    def _work(self, counter: PretokenCounter, deadline: float) -> bool:
        """Count chunks on one thread until the deadline, or part of one if the pattern is slow. Return True at the
        end."""
        while True:
            check_cancelled()
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
        """Count everything read so far and add up the counters of all threads. Raises SplitTimeoutError."""
        for counter in (self._counter, *self._others):
            counter.finish()
        for other in self._others:
            self._counter.absorb(other)
        self._others = []
        return self._counter

    # Checkpoints

    def pack(self) -> tuple[Facts, Arrays]:
        """Return all that is needed to resume."""
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
        """Return the state from ``pack``. Raises TrainingError if a file has changed; KeyError, ValueError, TypeError
        or IndexError if the data is damaged."""
        counting = cls(unpack_documents(facts["documents"], arrays), plan, threads)
        problems = [SkippedFile(Path(path), reason, why) for path, reason, why in facts["problems"]]
        counting._reader.start_at(int(facts["document"]), int(facts["piece"]), problems, int(facts["sign_bytes"]))
        counting._counter.unpack(arrays)
        return counting
