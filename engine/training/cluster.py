"""Distributed counting: the workers of a Dask cluster count parts of the corpus, as the first half of training.

``parts_of`` divides a corpus into parts that are counted independently on any machine and added up. The result depends
neither on the order of the parts nor on their number. A ``Part`` is some whole documents, or a span of one long
document. Only plain UTF-8 whose split pattern has known boundaries is read by spans. Text that is normalized or marked
first, or split by a custom pattern, is read from its start.

``ClusterCounting`` gives the scheduler a few parts per worker at a time. It adds up counts on the workers, a dozen at
once, so that only one table is sent to this machine at the end. If a worker is lost, only the parts it alone held are
counted again by others. Workers read files by path, so they must see the same files. They also need this program
installed.

Dask executes code that it receives: everyone who can reach a scheduler can run code on its workers, and workers can run
code on its clients.
"""

from __future__ import annotations

import contextlib
import queue
import sys
import time
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from engine.corpus.files import CorpusFileError, FileChunk, file_chunks, read_chunk
from engine.corpus.types import CorpusFile, SkippedFile
from engine.errors import TrainingError
from engine.kernels.cache_folder import current_folder, kept_in, sources_digest
from engine.split.patterns import NAMED_SPLITS
from engine.split.pretokenization import SplitTimeoutError
from engine.training.counting import Counting, PretokenCounter, is_valid, pack_documents
from engine.training.settings import TrainingPlan, plan_for
from engine.training.texts import Document, PieceReader, cut_pieces
from engine.training.types import Arrays, Facts, TrainingSettings

# --- in a worker ------------------------------------------------------------------------------------------------------

PART_BYTES = 64 << 20
"""Size of a part, in bytes. A third of a second of work, so that a lost one costs little. Its counts take a few MB."""

_STRETCHED = ("utf-8", "utf-8-sig")


@dataclass(frozen=True, slots=True)
class Part:
    """Documents that are counted together, or one span of one document. ``stored_bytes``: their size."""

    documents: tuple[Document, ...]
    stored_bytes: int
    chunk: FileChunk | None = None


class PartCounts(NamedTuple):
    """Result of counting. ``arrays``: as from ``PretokenCounter.pack``. ``problems``: files that could not be read to
    their end. ``sign_bytes``: number of bytes by which ``▁`` for spaces made texts longer."""

    arrays: Arrays
    problems: tuple[SkippedFile, ...]
    sign_bytes: int = 0


class PartCounting(NamedTuple):
    """Parameters for counting parts. ``sources``: digest of the counting code, which must be the same everywhere.
    ``kernels``: folder of compiled kernels, created on a machine where it does not exist."""

    settings: TrainingSettings
    sources: str
    kernels: Path | None


def counting_of(settings: TrainingSettings, kernels: Path | None) -> PartCounting:
    """Return the parameters for counting parts with the code of this process."""
    return PartCounting(settings, sources_digest(), kernels)


def parts_of(documents: Iterable[Document], plan: TrainingPlan, part_bytes: int = 0) -> Iterator[Part]:
    """Yield all documents in order, in parts of about ``part_bytes`` (0 for the default size)."""
    part_bytes = part_bytes or PART_BYTES
    gathered: list[Document] = []
    size = 0
    for document in documents:
        if document.stored_bytes > part_bytes and _can_be_chunked(document, plan):
            for chunk in file_chunks(document.stored_bytes, part_bytes):
                yield Part((document,), chunk.end - chunk.start, chunk)
            continue
        gathered.append(document)
        size += document.stored_bytes
        if size >= part_bytes:
            yield Part(tuple(gathered), size)
            gathered, size = [], 0
    if gathered:
        yield Part(tuple(gathered), size)


def _can_be_chunked(document: Document, plan: TrainingPlan) -> bool:
    file = document.source
    known = plan.split.cuts is not None and plan.split.name in NAMED_SPLITS and not plan.preparation.steps
    return known and isinstance(file, CorpusFile) and file.encoding in _STRETCHED


def count_part(part: Part, counting: PartCounting) -> PartCounts:
    """Count the pretokens of a part. Raises TrainingError or SplitTimeoutError."""
    if counting.sources != sources_digest():
        raise TrainingError("A worker has another version of this program installed: all must have the same.")
    with kept_in(counting.kernels):
        plan = plan_for(counting.settings)
        counter = PretokenCounter(plan.expression)
        if part.chunk is not None:
            return _count_chunk(part, part.chunk, plan, counter)
        reader = PieceReader(
            list(part.documents), plan.split.cuts, plan.preparation, is_valid, plan.settings.max_space_run
        )
        while (piece := reader.next_piece()) is not None:
            counter.add(piece)
        return _packed(counter, reader.problems, reader.sign_bytes)


def _count_chunk(part: Part, chunk: FileChunk, plan: TrainingPlan, counter: PretokenCounter) -> PartCounts:
    document, cuts = part.documents[0], plan.split.cuts
    assert isinstance(document.source, CorpusFile)
    assert cuts is not None
    problems: list[SkippedFile] = []
    try:
        for piece in cut_pieces(read_chunk(document.source, chunk, cuts, is_valid), cuts, document.name):
            counter.add(piece)
    except CorpusFileError as error:
        problems.append(error.skipped)
    return _packed(counter, problems)


def add_counts(counts: Iterable[PartCounts], counting: PartCounting) -> PartCounts:
    """Return the sum of the counts of several parts."""
    with kept_in(counting.kernels):
        total = PretokenCounter(plan_for(counting.settings).expression)
        problems: list[SkippedFile] = []
        sign_bytes = 0
        for one in counts:
            counter = PretokenCounter(total.expression)
            counter.unpack(one.arrays)
            total.absorb(counter)
            problems += one.problems
            sign_bytes += one.sign_bytes
        return _packed(total, problems, sign_bytes)


def _packed(counter: PretokenCounter, problems: list[SkippedFile], sign_bytes: int = 0) -> PartCounts:
    arrays = {name: array.copy() for name, array in counter.pack().items()}
    return PartCounts(arrays, tuple(problems), sign_bytes)


# --- at the client ----------------------------------------------------------------------------------------------------

CONNECT_SECONDS = 10.0
"""Maximum time for a scheduler to answer."""

ADDED_AT_ONCE = 12
PARTS_A_THREAD = 3
"""Parts per thread that are given to the cluster at a time, enough that no thread waits for the next."""

LOOK_SECONDS = 2.0
"""Interval of checking the number of workers and the connection to the scheduler."""

RETRIES = 3
"""Number of times that a part is counted again if its worker is lost meanwhile. Without a limit, a part that crashes
its worker would crash all workers one by one."""

_MISSING = "The Dask cluster needs the package distributed: pip install '.[dask]'"
_NOT_BUILT_IN = (
    "This build has no Dask: to count on a cluster, run Tokenloupe from its source with pip install '.[dask]' "
    "(docs/scale.md)"
)
"""A frozen build (``packaging``) cannot install packages."""


class ClusterCounting(Counting):
    """Counts the pretokens of documents on a cluster, with the same result as ``CorpusCounting``."""

    def __init__(self, documents: list[Document], plan: TrainingPlan, address: str, part_bytes: int = 0) -> None:
        """``address``: address of the scheduler, such as ``tcp://10.0.0.1:8786``. ``part_bytes``: 0 for the default
        size. Raises TrainingError."""
        super().__init__(documents, plan)
        self._documents = documents
        self._client = _connected(address)
        self._close = weakref.finalize(self, _disconnect, self._client)
        folder = current_folder()
        self._how = counting_of(plan.settings, None if folder is None else Path(folder).parent)
        self._parts: Iterator[Part] = parts_of(documents, plan, part_bytes)
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._under_way: dict[Any, int] = {}
        self._counted: list[Any] = []
        self._more_parts = True
        self._threads_seen, self._look_again = 1, 0.0
        self._read = 0
        self._problems: list[SkippedFile] = []
        self._sign_bytes = 0

    @property
    def bytes_read(self) -> int:
        """Stored bytes of the parts counted so far."""
        return self._read

    @property
    def problems(self) -> list[SkippedFile]:
        """Files that could not be read to their end. Known when all parts are counted."""
        return self._problems

    @property
    def sign_bytes(self) -> int:
        """Number of bytes by which ``▁`` for spaces made texts longer. Known when all parts are counted."""
        return self._sign_bytes

    def advance(self, deadline: float) -> bool:
        """Wait for the cluster until ``time.perf_counter()`` reaches ``deadline``. Return True if all parts are counted
        and added up. Raises TrainingError or SplitTimeoutError."""
        while not self._is_done():
            self._give_more()
            left = max(deadline - time.perf_counter(), 0.0)
            try:
                future = self._ended.get(timeout=min(left, LOOK_SECONDS))
            except queue.Empty:
                self._check_connection()
                if left <= LOOK_SECONDS:
                    return False
                continue
            self._take(future)
        return True

    def _is_done(self) -> bool:
        if self._more_parts or self._under_way or len(self._counted) > 1:
            return False
        if self._counted:
            counts = self._result_of(self._counted.pop())
            self._counter.unpack(counts.arrays)
            self._problems += counts.problems
            self._sign_bytes = counts.sign_bytes
            self.close()
        return True

    def _give_more(self) -> None:
        """Submit parts, and counts to add up, while the cluster has few tasks."""
        most = PARTS_A_THREAD * self._threads()
        while self._more_parts and len(self._under_way) < most:
            part = next(self._parts, None)
            if part is None:
                self._more_parts = False
                break
            self._submit(part.stored_bytes, count_part, part, self._how)
        least = 2 if not self._more_parts and not self._under_way else ADDED_AT_ONCE
        while len(self._counted) >= least:
            added, self._counted = self._counted[:ADDED_AT_ONCE], self._counted[ADDED_AT_ONCE:]
            self._submit(0, add_counts, added, self._how)

    def _threads(self) -> int:
        """Return the number of threads of all workers, at least 1. Workers may join and leave."""
        now = time.monotonic()
        if now >= self._look_again:
            self._threads_seen = max(1, sum(self._client.nthreads().values()))
            self._look_again = now + LOOK_SECONDS
        return self._threads_seen

    def _submit(self, stored_bytes: int, function: Any, *arguments: Any) -> None:
        future = self._client.submit(function, *arguments, pure=False, retries=RETRIES)
        self._under_way[future] = stored_bytes
        future.add_done_callback(self._ended.put)

    def _take(self, future: Any) -> None:
        self._read += self._under_way.pop(future, 0)
        if future.status != "finished":
            self._result_of(future)
        self._counted.append(future)

    def _result_of(self, future: Any) -> PartCounts:
        """Return the counts of a finished task. Raises TrainingError or SplitTimeoutError."""
        try:
            counts: PartCounts = future.result()
        except (TrainingError, SplitTimeoutError):
            self.close()
            raise
        except ModuleNotFoundError as error:
            self.close()
            raise TrainingError(
                f"A worker cannot count: module {error.name} is missing. Install this program on every worker."
            ) from error
        except Exception as error:
            self.close()
            raise TrainingError(f"The cluster could not count part of the corpus: {_said(error)}") from error
        return counts

    def _check_connection(self) -> None:
        if self._client.status != "running":
            self.close()
            raise TrainingError("Lost the Dask scheduler. Start a new run, with or without it.")

    def close(self) -> None:
        """Disconnect from the cluster and cancel its remaining tasks. Called when all parts are counted, or when the
        last reference to this object is dropped."""
        self._under_way.clear()
        self._counted.clear()
        self._close()

    def pack(self) -> tuple[Facts, Arrays]:
        """Return the documents, none of them counted: a resumed run starts with the first."""
        documents, arrays = pack_documents(self._documents)
        facts = {"documents": documents, "problems": [], "document": 0, "piece": 0, "sign_bytes": 0}
        return facts, {**arrays, **self._counter.pack()}


def check_address(address: str) -> None:
    """Raise TrainingError if the address of a scheduler is invalid. Does not use the network."""
    try:
        import distributed
    except ImportError as error:
        raise TrainingError(_NOT_BUILT_IN if getattr(sys, "frozen", False) else _MISSING) from error
    try:
        distributed.comm.addressing.get_address_host_port(address)
    except (ValueError, TypeError) as error:
        raise TrainingError(f"No Dask scheduler answers at {address}: {_said(error)}") from error


def _connected(address: str) -> Any:
    """Return a client of the scheduler at this address. Raises TrainingError."""
    check_address(address)  # a client that fails to start writes its own report to standard error
    import distributed

    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        raise TrainingError(f"No Dask scheduler answers at {address}: {_said(error)}") from error
    return client


def _disconnect(client: Any) -> None:
    with contextlib.suppress(OSError, TimeoutError):
        client.close(timeout=CONNECT_SECONDS)


def _said(error: BaseException) -> str:
    """Return the message of an error on one line."""
    return " ".join(str(error).split()) or type(error).__name__
