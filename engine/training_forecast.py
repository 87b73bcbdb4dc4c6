"""What training on a corpus will take, guessed from a sample of it.

The number of different pretokens grows with a power of the text (Heaps' law); the sample says with which. Memory and
time follow from that number, from the length of those pretokens and from the merges wanted, by factors that were
measured on English, Python, multilingual and mixed corpora of 5 to 100 MB. All of it comes as a range.
"""

from __future__ import annotations

import itertools
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.corpus import spread_order
from engine.kernels.cache_folder import kept_in
from engine.pretoken_stretches import stretches
from engine.pretokenize import pretokenizer
from engine.scanners import KNOWN_SPLITS
from engine.span_pairs import pairs
from engine.still_wanted import while_wanted
from engine.training_settings import TrainingPlan, plan_for
from engine.training_texts import Document, PieceReader
from engine.training_types import CorpusSurvey, TrainingForecast, TrainingSettings

SAMPLE_BYTES = 32 << 20
PLAIN_SAMPLE_BYTES = 2 << 20
"""Where kernels are not compiled, pretokens are cut by a slower way, and less of the corpus is looked at."""

SAMPLE_SECONDS = 1.5
_OPEN_FILES = 32

_USUAL_GROWTH = 0.65
_GROWTH_SPREAD = 0.08
_LESS_GROWTH = 0.04
"""How far off the exponent is that a sample gives: more upwards in folders of few and different files; the more
downwards, the smaller the sample is, because the growth slows down."""
_UNKNOWN = (0.9, 1.2)
"""What a sample leaves open in any case."""

_SCANNED_RATE = 150e6
"""Bytes a second that a thread counts by kernels, where the sample does not say."""

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
    """Counts different pretokens."""

    @property
    def different(self) -> int: ...

    def add(self, text: bytes) -> None: ...

    def byte_count(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Sample:
    """What a sample of a corpus showed. ``points``: text bytes read, and different pretokens in them, as it grew.
    ``pretoken_bytes``: of the different ones together. ``rate``: bytes counted a second by one thread."""

    points: tuple[tuple[int, int], ...]
    pretoken_bytes: int
    rate: float

    @property
    def text_bytes(self) -> int:
        """Bytes read in all."""
        return self.points[-1][0] if self.points else 0

    def growth(self) -> float:
        """The exponent of Heaps' law, from the last three quarters of the sample."""
        last_bytes, last = self.points[-1]
        earlier = [point for point in self.points if point[0] <= last_bytes / 4]
        if not earlier or last <= earlier[-1][1] or earlier[-1][1] == 0:
            return _USUAL_GROWTH
        exponent = math.log(last / earlier[-1][1]) / math.log(last_bytes / earlier[-1][0])
        return min(max(exponent, 0.1), 1.0)


def _go_on() -> None:
    """Nothing is to be done between pieces."""


def forecast(
    survey: CorpusSurvey,
    settings: TrainingSettings,
    threads: int | None = None,
    between: Callable[[], None] = _go_on,
) -> TrainingForecast:
    """What training on the files of a survey takes, beside what the program takes anyway. Looks at a sample for a
    second or two; compiles nothing. ``between`` is called before each piece of the sample; what it raises ends the
    forecast. TrainingError; SplitTimeoutError."""
    plan = plan_for(settings)
    documents = [Document(file, file.file_bytes) for file in survey.files if file.duplicate_of is None]
    threads = threads or os.cpu_count() or 1
    return _extrapolated(sampled(documents, plan, between), survey, settings, threads)


def sampled(documents: Sequence[Document], plan: TrainingPlan, between: Callable[[], None] = _go_on) -> Sample:
    """A sample of documents, with kernels if they are compiled. ``between``: as for ``forecast``. TrainingError;
    SplitTimeoutError."""
    from engine.kernels.kept_code import NotCompiledError

    if plan.expression in KNOWN_SPLITS:
        try:
            with kept_in(None, compiled_only=True):
                return _sample(documents, plan, _KernelCounter(plan.expression), SAMPLE_BYTES, between)
        except NotCompiledError:
            pass
        plain = _sample(documents, plan, _PlainCounter(plan.expression), PLAIN_SAMPLE_BYTES, between)
        return Sample(plain.points, plain.pretoken_bytes, _SCANNED_RATE)
    return _sample(documents, plan, _PlainCounter(plan.expression), PLAIN_SAMPLE_BYTES, between)


def _sample(
    documents: Sequence[Document], plan: TrainingPlan, counter: Counter, most_bytes: int, between: Callable[[], None]
) -> Sample:
    points: list[tuple[int, int]] = []
    read, best_rate = 0, 0.0
    deadline = time.perf_counter() + SAMPLE_SECONDS
    for piece in _mixed_pieces(documents, plan):
        between()
        started = time.thread_time()
        counter.add(piece)
        spent = time.thread_time() - started
        best_rate = max(best_rate, len(piece) / spent if spent > 0 else 0.0)
        read += len(piece)
        points.append((read, counter.different))
        if read >= most_bytes or time.perf_counter() >= deadline:
            break
    return Sample(tuple(points), counter.byte_count(), best_rate or _SCANNED_RATE)


def _mixed_pieces(documents: Sequence[Document], plan: TrainingPlan) -> Iterator[bytes]:
    """Pieces of documents from all over the corpus: of some at a time, the next of the one least read so far."""
    waiting = (documents[index] for index in spread_order(len(documents)))
    readers = [_reader(document, plan) for document in itertools.islice(waiting, _OPEN_FILES)]
    while readers:
        reader = min(readers, key=lambda reader: reader.bytes_read / reader.documents[0].stored_bytes)
        piece = reader.next_piece()
        if piece is not None:
            yield piece
            continue
        readers.remove(reader)
        readers += [_reader(document, plan) for document in itertools.islice(waiting, 1)]


def _reader(document: Document, plan: TrainingPlan) -> PieceReader:
    return PieceReader([document], plan.split.cuts, plan.preparation)


class _KernelCounter:
    """Counts as the trainer does."""

    def __init__(self, expression: str) -> None:
        from engine.pretoken_counts import PretokenCounter

        self._counter = PretokenCounter(expression)

    @property
    def different(self) -> int:
        return self._counter.different

    def add(self, text: bytes) -> None:
        self._counter.add(text)

    def byte_count(self) -> int:
        from engine.kernels.train_slots import measure_slots

        slots, _, _ = measure_slots(self._counter.table, 0)
        return max(0, int(slots) - self.different)


class _PlainCounter:
    """Counts with nothing compiled."""

    def __init__(self, expression: str) -> None:
        self._pretokenizer = pretokenizer(expression)
        self._found: set[str] = set()

    @property
    def different(self) -> int:
        return len(self._found)

    def add(self, text: bytes) -> None:
        for stretch in while_wanted(stretches(self._pretokenizer, text.decode("utf-8")), every=1):
            spans = while_wanted(pairs(stretch.char_spans))
            self._found.update(stretch.text[start:end] for start, end in spans)

    def byte_count(self) -> int:
        return sum(len(one.encode("utf-8")) for one in while_wanted(self._found))


def _extrapolated(sample: Sample, survey: CorpusSurvey, settings: TrainingSettings, threads: int) -> TrainingForecast:
    if not sample.text_bytes:
        return TrainingForecast((0, 0), (int(_FIXED_BYTES), int(_FIXED_BYTES)), (0.0, 0.0), 0)
    different = sample.points[-1][1]
    times_more = max(1.0, (survey.file_bytes - survey.duplicate_bytes) / sample.text_bytes)
    growth = sample.growth()
    least = most = float(different)
    if times_more > 1:
        less = _GROWTH_SPREAD + _LESS_GROWTH * math.log(times_more)
        least *= _UNKNOWN[0] * times_more ** max(growth - less, 0.0)
        most *= _UNKNOWN[1] * times_more ** min(growth + _GROWTH_SPREAD, 1.0)
    slots = 1 + sample.pretoken_bytes / max(different, 1)  # of each pretoken
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
