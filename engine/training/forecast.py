"""Forecast of the cost of training, from a sample of the corpus.

The number of unique pretokens grows with a power of the text size (Heaps' law), whose exponent is estimated from the
sample. Memory and time follow from that number, the length of those pretokens and the merges to do, by factors
measured on English, Python, multilingual and mixed corpora of 5 to 100 MB. Every figure is a range.
"""

from __future__ import annotations

import itertools
import math
import os
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.corpus.files import opened_file, read_at
from engine.corpus.types import CorpusFile, CorpusSurvey
from engine.kernels.cache_folder import kept_in
from engine.runtime.cancellation import interruptible
from engine.split.patterns import KNOWN_SPLITS
from engine.split.pretokenization import pretoken_chunks, pretokenizer
from engine.text.offsets import is_utf8, pairs
from engine.training.settings import TrainingPlan, plan_for
from engine.training.texts import Document, PieceReader
from engine.training.types import TrainingForecast, TrainingSettings

SAMPLE_BYTES = 32 << 20
PLAIN_SAMPLE_BYTES = 2 << 20
"""Size of the sample, in bytes, where kernels are not compiled and pretokens are split by slower code."""

SAMPLE_SECONDS = 1.5
_BLOCKS = 256
"""Minimum number of blocks in a sample of large files."""
_MAX_BLOCKS = 1 << 16
"""Maximum number of blocks that a sample is chosen from."""
_GAPS = " \n"

_USUAL_GROWTH = 0.65
_USUAL_ERROR = 0.04
_FEWEST_BLOCKS = 8
"""With fewer blocks, their variance is unknown."""
_SLOWDOWN = 0.06
"""Maximum decrease of the exponent while the text grows e-fold. Measured values are 0.02 to 0.06."""
_DEVIATIONS = 2.0
"""Standard errors of the exponent that a forecast allows for, in both directions."""
_UNKNOWN = (0.9, 1.1)
"""Factors of uncertainty that remain with any sample."""

_SCANNED_RATE = 150e6
"""Bytes per second that a thread counts with kernels, if the sample does not tell."""

_FIXED_BYTES = 8e6
_BYTES_A_SLOT = 26
_BYTES_A_PRETOKEN_AND_THREAD = 110
_BYTES_A_MERGE = 200
_MEMORY_SPREAD = (0.55, 1.6)

_SECONDS_A_SLOT = 50e-9
_SECONDS_A_MERGE = 2e-6
_SECOND_THREAD = 0.7
_TIME_SPREAD = (0.5, 2.5)


class Counter(Protocol):
    """Counts unique pretokens."""

    @property
    def different(self) -> int: ...

    def add(self, text: bytes) -> None: ...

    def byte_count(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Sample:
    """Measurements on a sample of a corpus. ``points``: text bytes read and unique pretokens in them, as the sample
    grew. ``pretoken_bytes``: total length of the unique pretokens. ``rate``: bytes counted per second by one thread."""

    points: tuple[tuple[int, int], ...]
    pretoken_bytes: int
    rate: float

    @property
    def text_bytes(self) -> int:
        """Total bytes read."""
        return self.points[-1][0] if self.points else 0

    def growth(self) -> tuple[float, float]:
        """Return the exponent of Heaps' law, from the last three quarters of the sample, and its standard error.

        The error follows from the variance of new pretokens between the blocks of the sample. With too few blocks, both
        are typical values.
        """
        last_bytes, last = self.points[-1]
        first = sum(read <= last_bytes / 4 for read, _ in self.points) - 1
        brought = [now - before for (_, before), (_, now) in itertools.pairwise(self.points[max(first, 0) :])]
        few = len(brought) < _FEWEST_BLOCKS
        if first < 0 or self.points[first][1] == 0 or (few and not any(brought)):
            return _USUAL_GROWTH, _USUAL_ERROR
        since = math.log(last_bytes / self.points[first][0])
        exponent = min(math.log(last / self.points[first][1]) / since, 1.0)
        error = _USUAL_ERROR if few else statistics.stdev(brought) * math.sqrt(len(brought)) / last / since
        return exponent, error


def _go_on() -> None:
    """Default check: never cancels."""


def forecast(
    survey: CorpusSurvey,
    settings: TrainingSettings,
    threads: int | None = None,
    cancel_check: Callable[[], None] = _go_on,
) -> TrainingForecast:
    """Forecast what training on the files of a survey takes, beyond what the program uses anyway. Reads a sample for a
    second or two and compiles nothing. ``cancel_check`` is called before each chunk of the sample; any exception it
    raises ends the forecast. Raises TrainingError or SplitTimeoutError."""
    plan = plan_for(settings)
    documents = [Document(file, file.file_bytes) for file in survey.files if file.duplicate_of is None]
    threads = threads or os.cpu_count() or 1
    return _extrapolated(sampled(documents, plan, cancel_check), survey, settings, threads)


def sampled(documents: Sequence[Document], plan: TrainingPlan, cancel_check: Callable[[], None] = _go_on) -> Sample:
    """Return measurements on a sample of documents, with kernels if they are compiled. ``cancel_check``: as for
    ``forecast``. Raises TrainingError or SplitTimeoutError."""
    from engine.kernels._jit import NotCompiledError

    if plan.expression in KNOWN_SPLITS:
        try:
            with kept_in(None, compiled_only=True):
                return _sample(documents, plan, _KernelCounter(plan.expression), SAMPLE_BYTES, cancel_check)
        except NotCompiledError:
            pass
        plain = _sample(documents, plan, _PlainCounter(plan.expression), PLAIN_SAMPLE_BYTES, cancel_check)
        return Sample(plain.points, plain.pretoken_bytes, _SCANNED_RATE)
    return _sample(documents, plan, _PlainCounter(plan.expression), PLAIN_SAMPLE_BYTES, cancel_check)


def _sample(
    documents: Sequence[Document],
    plan: TrainingPlan,
    counter: Counter,
    most_bytes: int,
    cancel_check: Callable[[], None],
) -> Sample:
    points: list[tuple[int, int]] = []
    read, best_rate = 0, 0.0
    deadline = math.inf
    for piece in _spread_pieces(documents, plan, most_bytes):
        cancel_check()
        if not piece:
            continue
        started = time.thread_time()
        counter.add(piece)
        spent = time.thread_time() - started
        best_rate = max(best_rate, len(piece) / spent if spent > 0 else 0.0)
        read += len(piece)
        points.append((read, counter.different))
        if read >= most_bytes or time.perf_counter() >= deadline:
            break
        if len(points) == 1:
            deadline = time.perf_counter() + SAMPLE_SECONDS  # not earlier: the first chunk waits for kernels to load
    return Sample(tuple(points), counter.byte_count(), best_rate or _SCANNED_RATE)


@dataclass(frozen=True, slots=True)
class _Block(Document):
    """``stored_bytes`` bytes of a file from ``start``, a multiple of four, trimmed to whole words."""

    start: int = 0

    def blocks(self, is_valid: Callable[[bytes], bool] = is_utf8) -> Iterator[bytes]:
        assert isinstance(self.source, CorpusFile)
        path, encoding = self.source.path, self.source.encoding
        with opened_file(path) as opened:
            content = read_at(opened, self.start, self.stored_bytes, path)
        text = content.decode(encoding, "replace")
        first = min((offset for offset in map(text.find, _GAPS) if offset >= 0), default=0)
        last = max(map(text.rfind, _GAPS))
        if self.start == 0:
            first = 0
        if self.start + self.stored_bytes == self.source.file_bytes or last <= first:
            last = len(text)
        yield text[first:last].encode("utf-8")


def _spread_pieces(documents: Sequence[Document], plan: TrainingPlan, most_bytes: int) -> Iterator[bytes]:
    """Yield chunks from all over the corpus: small files whole, large ones in blocks.

    Their order is random but repeatable: an order by position could be in step with repetitions in the corpus.
    """
    total = sum(document.stored_bytes for document in documents)
    block_bytes = total if total <= most_bytes else max(4, most_bytes // _BLOCKS // 4 * 4)
    step = max(block_bytes, total // _MAX_BLOCKS // 4 * 4)
    offsets = [
        (document, start) for document in documents for start in range(0, max(document.stored_bytes, 1), step or 1)
    ]
    random.Random(0).shuffle(offsets)
    for document, start in offsets:
        if document.stored_bytes > block_bytes:
            block = min(block_bytes, document.stored_bytes - start)
            document = _Block(document.source, block, start)
        reader = PieceReader([document], plan.split.cuts, plan.preparation, max_space_run=plan.settings.max_space_run)
        yield from iter(reader.next_piece, None)


class _KernelCounter:
    """Counts with the kernels of the trainer."""

    def __init__(self, expression: str) -> None:
        from engine.training.counting import PretokenCounter

        self._counter = PretokenCounter(expression)

    @property
    def different(self) -> int:
        return self._counter.different

    def add(self, text: bytes) -> None:
        self._counter.add(text)

    def byte_count(self) -> int:
        from engine.kernels.train_table import measure_slots

        slots, _, _ = measure_slots(self._counter.table, 0)
        return max(0, int(slots) - self.different)


class _PlainCounter:
    """Counts without kernels."""

    def __init__(self, expression: str) -> None:
        self._pretokenizer = pretokenizer(expression)
        self._found: set[str] = set()

    @property
    def different(self) -> int:
        return len(self._found)

    def add(self, text: bytes) -> None:
        for chunk in interruptible(pretoken_chunks(self._pretokenizer, text.decode("utf-8", "replace")), every=1):
            spans = interruptible(pairs(chunk.char_spans))
            self._found.update(chunk.text[start:end] for start, end in spans)

    def byte_count(self) -> int:
        return sum(len(one.encode("utf-8")) for one in interruptible(self._found))


def _extrapolated(sample: Sample, survey: CorpusSurvey, settings: TrainingSettings, threads: int) -> TrainingForecast:
    if not sample.text_bytes:
        return TrainingForecast((0, 0), (int(_FIXED_BYTES), int(_FIXED_BYTES)), (0.0, 0.0), 0)
    different = sample.points[-1][1]
    times_more = max(1.0, (survey.file_bytes - survey.duplicate_bytes) / sample.text_bytes)
    least = most = float(different)
    if times_more > 1:
        growth, error = sample.growth()
        slower = growth - _SLOWDOWN * math.log(times_more) - _DEVIATIONS * error
        least = max(least, least * _UNKNOWN[0] * times_more ** max(slower, 0.0))
        most *= _UNKNOWN[1] * times_more ** min(growth + _DEVIATIONS * error, 1.0)
    slots = 1 + sample.pretoken_bytes / max(different, 1)  # per pretoken
    counting = survey.file_bytes / sample.rate / (1 + _SECOND_THREAD * (threads - 1))

    def memory(pretokens: float) -> float:
        counted = pretokens * _BYTES_A_PRETOKEN_AND_THREAD * threads
        return _FIXED_BYTES + counted + pretokens * slots * _BYTES_A_SLOT + settings.vocab_size * _BYTES_A_MERGE

    def seconds(pretokens: float) -> float:
        return counting + pretokens * slots * _SECONDS_A_SLOT + settings.vocab_size * _SECONDS_A_MERGE

    return TrainingForecast(
        pretokens=(int(least), math.ceil(most)),
        memory_bytes=(int(memory(least) * _MEMORY_SPREAD[0]), math.ceil(memory(most) * _MEMORY_SPREAD[1])),
        seconds=(seconds(least) * _TIME_SPREAD[0], seconds(most) * _TIME_SPREAD[1]),
        sampled_bytes=sample.text_bytes,
    )
