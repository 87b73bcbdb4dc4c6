"""A corpus in parts that are counted apart, on whatever machine, and added up: what is counted does not depend on the
order of the parts, and not on how many there are.

A part is a whole document, or a stretch of one that is long. Only plain UTF-8 whose split has cuts is read in
stretches: what is normalised or marked first, or cut by a pattern of the user's own, is read from its start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from engine.corpus.files import CorpusFileError
from engine.corpus.ranges import Stretch, read_stretch, stretches_of
from engine.corpus.types import CorpusFile, SkippedFile
from engine.errors import TrainingError
from engine.kernels.cache_folder import kept_in, sources_digest
from engine.split.named import NAMED_SPLITS
from engine.training.checkpoint import Arrays
from engine.training.counting import is_valid
from engine.training.pretoken_counts import PretokenCounter
from engine.training.settings import TrainingPlan, plan_for
from engine.training.texts import Document, PieceReader, cut_pieces
from engine.training.types import TrainingSettings

PART_BYTES = 64 << 20
"""A third of a second of work, so that one that is lost costs little; its counts are a few megabytes."""

_STRETCHED = ("utf-8", "utf-8-sig")


@dataclass(frozen=True, slots=True)
class Part:
    """Documents that are counted together, or one stretch of one document. ``stored_bytes``: their size."""

    documents: tuple[Document, ...]
    stored_bytes: int
    stretch: Stretch | None = None


class PartCounts(NamedTuple):
    """What was counted: ``arrays`` as from ``PretokenCounter.pack``, what could not be read to its end, and by how many
    bytes signs for spaces made texts longer."""

    arrays: Arrays
    problems: tuple[SkippedFile, ...]
    sign_bytes: int = 0


class Counting(NamedTuple):
    """How parts are counted. ``sources``: a digest of the code that counts, which must be the same everywhere.
    ``kernels``: the folder of compiled kernels; one that does not exist on another machine is made there."""

    settings: TrainingSettings
    sources: str
    kernels: Path | None


def counting_of(settings: TrainingSettings, kernels: Path | None) -> Counting:
    """How parts are counted by the code of this process."""
    return Counting(settings, sources_digest(), kernels)


def parts_of(documents: Iterable[Document], plan: TrainingPlan, part_bytes: int = 0) -> Iterator[Part]:
    """All documents, in parts of about ``part_bytes`` (0 for the usual size), in order."""
    part_bytes = part_bytes or PART_BYTES
    gathered: list[Document] = []
    size = 0
    for document in documents:
        if document.stored_bytes > part_bytes and _has_stretches(document, plan):
            for stretch in stretches_of(document.stored_bytes, part_bytes):
                yield Part((document,), stretch.end - stretch.start, stretch)
            continue
        gathered.append(document)
        size += document.stored_bytes
        if size >= part_bytes:
            yield Part(tuple(gathered), size)
            gathered, size = [], 0
    if gathered:
        yield Part(tuple(gathered), size)


def _has_stretches(document: Document, plan: TrainingPlan) -> bool:
    file = document.source
    known = plan.split.cuts is not None and plan.split.name in NAMED_SPLITS and not plan.preparation.steps
    return known and isinstance(file, CorpusFile) and file.encoding in _STRETCHED


def count_part(part: Part, counting: Counting) -> PartCounts:
    """Count the pretokens of a part. TrainingError; SplitTimeoutError."""
    if counting.sources != sources_digest():
        raise TrainingError("Another version of this program is installed on a worker: all must have the same.")
    with kept_in(counting.kernels):
        plan = plan_for(counting.settings)
        counter = PretokenCounter(plan.expression)
        if part.stretch is not None:
            return _count_stretch(part, part.stretch, plan, counter)
        reader = PieceReader(
            list(part.documents), plan.split.cuts, plan.preparation, is_valid, plan.settings.max_space_run
        )
        while (piece := reader.next_piece()) is not None:
            counter.add(piece)
        return _packed(counter, reader.problems, reader.sign_bytes)


def _count_stretch(part: Part, stretch: Stretch, plan: TrainingPlan, counter: PretokenCounter) -> PartCounts:
    document, cuts = part.documents[0], plan.split.cuts
    assert isinstance(document.source, CorpusFile)
    assert cuts is not None
    problems: list[SkippedFile] = []
    try:
        for piece in cut_pieces(read_stretch(document.source, stretch, cuts, is_valid), cuts, document.name):
            counter.add(piece)
    except CorpusFileError as error:
        problems.append(error.skipped)
    return _packed(counter, problems)


def add_counts(counts: Iterable[PartCounts], counting: Counting) -> PartCounts:
    """The counts of several parts, as of one."""
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
