"""TrainingRun: trains a tokenizer, a time slice at a time.

Progress, pausing, stopping early and checkpoints therefore need nothing but a pause between calls of ``advance``.
``warm_up`` calls every training kernel, so that all are compiled: see ``engine.encoding.compiling``.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.corpus.types import CorpusRules, SkippedFile
from engine.encoding.encoding import Encoding
from engine.errors import TrainingError
from engine.kernels.train_merge import move_pairs
from engine.runtime.atomic_files import check_regular, clear_half_written, replacement_of
from engine.split.pretokenization import SplitTimeoutError
from engine.training.counting import (
    CorpusCounting,
    Counting,
    PretokenCounter,
    TextOrPath,
    as_items,
    documents_of,
    is_valid,
)
from engine.training.merging import CorpusMerging
from engine.training.settings import check_takes_bytes, plan_for
from engine.training.texts import Document
from engine.training.types import Arrays, Facts, Merge, Stage, TrainingCurve, TrainingProgress, TrainingSettings


class TrainingRun:
    """Trains a byte-pair encoding on files, folders and texts. Call its methods on one thread at a time."""

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
        dummy_prefix: bool = True,
        max_space_run: int | None = None,
        rules: CorpusRules | None = None,
        dask: str = "",
    ) -> None:
        """``paths_or_texts``: one or more of: an ``os.PathLike`` of a file or a folder; a ``str``, which is a text
        unless it is an absolute path that exists; ``bytes``, UTF-8 or not (``engine.text.offsets``); an existing
        ``CorpusSurvey``.

        ``vocab_size`` counts everything: alphabet, merges and special tokens. ``threads``: None for one per processor.
        ``rules``: which files of folders are read. ``dask``: address of a Dask scheduler whose workers count and see
        the same files; "" to count in this process. For the rest, see ``TrainingSettings``. Raises TrainingError.
        """
        settings = TrainingSettings(
            vocab_size=vocab_size,
            pattern=pattern,
            alphabet=alphabet,
            normalization=normalization,
            lowercase=lowercase,
            strip_accents=strip_accents,
            min_count=min_count,
            max_token_bytes=max_token_bytes,
            special_tokens=(special_tokens,) if isinstance(special_tokens, str) else tuple(special_tokens),
            tie_order=tie_order,
            dummy_prefix=dummy_prefix,
            max_space_run=max_space_run,
        )
        self._set_up(settings, threads, as_items(paths_or_texts), rules or CorpusRules(), dask)

    def _set_up(
        self,
        settings: TrainingSettings,
        threads: int | None,
        items: list[TextOrPath],
        rules: CorpusRules,
        dask: str = "",
    ) -> None:
        self.settings = settings
        self._plan = plan_for(settings)
        if threads is not None and threads < 1:
            raise TrainingError(f"Training needs at least one thread; threads is {threads}.")
        self._threads = threads or os.cpu_count() or 1
        self._items = items
        self._rules = rules
        self._dask = dask
        self._stage: Stage = "looking"
        self._counting: Counting | None = None
        self._merging: CorpusMerging | None = None
        self._bytes_total = self._pretokens = 0
        self._problems: tuple[SkippedFile, ...] = ()
        self._hash = ""
        self._rate = _Rate()

    # Training

    @property
    def done(self) -> bool:
        """True if the vocabulary is full, or no pair is left that occurs often enough."""
        return self._stage == "done"

    def advance(self, seconds: float = 0.03) -> TrainingProgress:
        """Train for about ``seconds`` and return the progress. Raises TrainingError."""
        deadline = time.perf_counter() + seconds
        while not self.done:
            try:
                self._advance_stage(deadline)
            except SplitTimeoutError as error:
                raise TrainingError(f"{error} Choose another one.") from error
            if time.perf_counter() >= deadline:
                break
        return self.progress()

    def _advance_stage(self, deadline: float) -> None:
        if self._counting is None and self._merging is None:
            self._look()
        elif self._counting is not None:
            before, started = self._counting.bytes_read, time.perf_counter()
            is_counted = self._counting.advance(deadline)
            self._rate.note(self._counting.bytes_read - before, time.perf_counter() - started)
            if is_counted:
                self._start_merging(self._counting)
        elif self._merging is not None:
            before, started = self._merging.merged, time.perf_counter()
            is_merged = self._merging.advance(deadline)
            self._rate.note(self._merging.merged - before, time.perf_counter() - started)
            if is_merged:
                self._stage = "done"

    def _look(self) -> None:
        self._counting = self._counting_of(documents_of(self._items, self._rules))
        self._items = []
        self._bytes_total = self._counting.bytes_total
        self._stage = "counting"

    def _counting_of(self, documents: list[Document]) -> Counting:
        if any(document.is_raw for document in documents):
            check_takes_bytes(self._plan)
        if not self._dask:
            return CorpusCounting(documents, self._plan, self._threads)
        from engine.training.cluster import ClusterCounting

        return ClusterCounting(documents, self._plan, self._dask)

    def _start_merging(self, counting: Counting) -> None:
        self._pretokens = counting.gathered().different
        if self._pretokens == 0:
            raise TrainingError(_why_nothing(counting.problems))
        self._problems = tuple(counting.problems)
        self._hash = self._hash_with(counting.digest())
        self._merging = CorpusMerging.of(counting, self._plan)
        self._counting = None
        self._stage = "merging"
        self._rate = _Rate()

    # State

    @property
    def hash(self) -> str:
        """64 hexadecimal digits, a hash of the settings and of all pretokens with their counts. Runs with the same hash
        learn the same merges. "" before everything is counted."""
        return self._hash

    def _hash_with(self, digest: bytes) -> str:
        stated: dict[str, Any] = {"settings": asdict(self.settings), "pretokens": digest.hex()}
        if self._plan.preparation.signs is None:
            del stated["settings"]["dummy_prefix"]  # has no effect then
        if self.settings.max_space_run is None:
            del stated["settings"]["max_space_run"]  # keeps the hash of versions without this setting
        if self._plan.preparation.normalizer.steps:
            stated["unicode"] = unicodedata.unidata_version
        return hashlib.sha256(json.dumps(stated, sort_keys=True).encode("ascii")).hexdigest()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Losses of texts with these settings, in a sentence or two each."""
        return self._plan.warnings

    def progress(self) -> TrainingProgress:
        """Return the current progress."""
        counting, merging = self._counting, self._merging
        merged = merging.merged if merging else 0
        wanted = merging.merges_wanted if merging else max(self.settings.vocab_size - 256 - self._specials, 0)
        read = counting.bytes_read if counting else self._bytes_total if merging else 0
        done, all_of_it = (merged, wanted) if merging else (read, self._bytes_total)
        rate = self._rate.per_second
        return TrainingProgress(
            stage=self._stage,
            fraction=1.0 if self.done or (merging and not wanted) else done / all_of_it if all_of_it else 0.0,
            bytes_read=read,
            bytes_total=self._bytes_total,
            pretokens=counting.different if counting else self._pretokens,
            merges=merged,
            merges_wanted=wanted,
            vocab_size=merging.vocab_size if merging else 256 + self._specials,
            tokens=merging.tokens if merging else 0,
            bytes_per_token=merging.bytes_per_token if merging else 0.0,
            last_merge=merging.last_merge if merging else None,
            rate=rate,
            eta_seconds=(all_of_it - done) / rate if rate and not self.done else None,
            problems=tuple(counting.problems) if counting else self._problems,
            why_done=merging.why_done if merging else "",
        )

    @property
    def _specials(self) -> int:
        return len(self.settings.special_tokens)

    def merge_table(self, since: int = 0) -> NDArray[np.int64]:
        """Return int64[n, 4], read-only: for each merge from number ``since`` the left id, the right id, the count of
        the pair, and the tokens of the corpus afterwards."""
        return self._merging.merge_table(since) if self._merging else np.empty((0, 4), dtype=np.int64)

    def merges(self, since: int = 0) -> Sequence[Merge]:
        """Return the merges from number ``since``. Each is built when it is read."""
        return self._merging.merges(since) if self._merging else []

    def curve(self) -> TrainingCurve:
        """Return compression against vocabulary size so far."""
        if self._merging is None:
            return TrainingCurve(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64))
        return self._merging.curve()

    def encoding(self, name: str) -> Encoding:
        """Return the encoding learned so far. Raises TrainingError before everything is counted."""
        if self._merging is None:
            raise TrainingError("The text is not counted yet, so there is no encoding.")
        return self._merging.encoding(name)

    # Checkpoints

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint atomically: the old one is kept until the new one is safely on disk. Counts all text read
        so far first. Raises UnsavedCheckpointError, SplitTimeoutError, or TrainingError if there is nothing to train
        on."""
        if self._counting is None and self._merging is None:
            self._look()
        kept = self._counting or self._merging
        assert kept is not None
        facts, arrays = kept.pack()
        facts |= {
            "settings": asdict(self.settings),
            "stage": self._stage,
            "hash": self._hash,
            "bytes_total": self._bytes_total,
            "pretokens": self._pretokens,
            "run_problems": [[str(one.path), one.reason, one.why] for one in self._problems],
        }
        write_checkpoint(Path(path), facts, arrays)

    @classmethod
    def resume(cls, path: str | os.PathLike[str], threads: int | None = None) -> TrainingRun:
        """Resume from a checkpoint; the merges are the same as without a break. Raises TrainingError if the checkpoint
        is damaged, or if files changed that were not all counted when it was written."""
        facts, arrays = read_checkpoint(Path(path))
        try:
            run = cls.__new__(cls)
            run._set_up(settings_in(facts), threads, [], CorpusRules())
            run._go_on(facts, arrays)
        except (KeyError, ValueError, TypeError, IndexError, AttributeError) as error:
            raise damaged(Path(path)) from error
        return run

    def _go_on(self, facts: Facts, arrays: dict[str, NDArray[Any]]) -> None:
        self._stage, self._hash = facts["stage"], facts["hash"]
        self._bytes_total, self._pretokens = int(facts["bytes_total"]), int(facts["pretokens"])
        self._problems = tuple(SkippedFile(Path(path), reason, why) for path, reason, why in facts["run_problems"])
        if self._stage == "counting":
            self._counting = CorpusCounting.unpack(self._plan, self._threads, facts, arrays)
        else:
            self._merging = CorpusMerging.unpack(self._plan, facts, arrays)


def _why_nothing(problems: Sequence[SkippedFile]) -> str:
    """Return why there is no pretoken. ``problems``: the files that could not be read."""
    if not problems:
        return "The split pattern matches nothing in this text."
    first = f"{problems[0].path}: {problems[0].why}."
    if len(problems) == 1:
        return f"There is nothing to train on, as a file could not be read. {first}"
    return f"There is nothing to train on, as {len(problems):,} files could not be read. The first is {first}"


class _Rate:
    """Rate per second, averaged over about the last second."""

    def __init__(self) -> None:
        self._amount = self._seconds = 0.0

    def note(self, amount: float, seconds: float) -> None:
        """Add an amount of work and the time it took."""
        kept = 1.0 / (1.0 + seconds)
        self._amount = self._amount * kept + amount
        self._seconds = self._seconds * kept + seconds

    @property
    def per_second(self) -> float:
        """The rate, or 0.0 if unknown."""
        return self._amount / self._seconds if self._seconds else 0.0


def train(
    paths_or_texts: TextOrPath | Iterable[TextOrPath], vocab_size: int, name: str = "trained", **options: Any
) -> Encoding:
    """Train to the end. The other arguments are those of ``TrainingRun``. Raises TrainingError."""
    run = TrainingRun(paths_or_texts, vocab_size, **options)
    while not run.done:
        run.advance(seconds=1.0)
    return run.encoding(name)


# --- checkpoints ------------------------------------------------------------------------------------------------------
#
# A checkpoint file appears only when complete, and is refused if its content was altered. It is a zip archive of numpy
# arrays (``numpy.savez``), each with a checksum; ``facts`` is JSON. It contains no code.


CHECKPOINT_VERSION = 3
"""Changes with the stored data, and with how texts are divided into the chunks that are counted by number."""

_NOT_WRITTEN_HERE = (
    *(ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError),
    *(TypeError, MemoryError, RuntimeError, TokenError, SyntaxError),
)
"""Errors that numpy raises for a file it did not write: TypeError for a single array, MemoryError for an impossible
one, RuntimeError for an archive with a password, TokenError and SyntaxError for an invalid dtype expression."""

_KIND = "tokenloupe training"


class UnsavedCheckpointError(TrainingError, OSError):
    """A checkpoint could not be written. The message gives the reason and says if an older one was kept."""


def write_checkpoint(path: Path, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a checkpoint atomically: the old one is kept until the new file is safely on disk. Raises
    UnsavedCheckpointError."""
    stated = json.dumps({"kind": _KIND, "version": CHECKPOINT_VERSION, **facts}).encode("utf-8")
    try:
        with replacement_of(path) as file:
            kept: Any = {"facts": np.frombuffer(stated, dtype=np.uint8), **arrays}
            np.savez(file, **kept)
    except OSError as error:
        before = " The previous one is kept." if path.exists() else ""
        raise UnsavedCheckpointError(
            f"The checkpoint {path} could not be saved: {error.strerror or error}.{before}"
        ) from error


def read_checkpoint(path: Path) -> tuple[Facts, Arrays]:
    """Return the facts and arrays of a checkpoint. Removes temporary files that killed runs left beside it. Raises
    TrainingError."""
    clear_half_written(path.parent)
    return _read(path, with_arrays=True)


def read_settings(path: Path) -> TrainingSettings:
    """Return the settings of the run that wrote a checkpoint, without reading the rest. Raises TrainingError."""
    facts, _ = _read(path, with_arrays=False)
    try:
        return settings_in(facts)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise damaged(path) from error


def settings_in(facts: Facts) -> TrainingSettings:
    """Return the settings of a run from its facts. Raises KeyError, TypeError or AttributeError if they are damaged."""
    stated = dict(facts["settings"])
    return TrainingSettings(**{**stated, "special_tokens": tuple(stated["special_tokens"])})


def _read(path: Path, *, with_arrays: bool) -> tuple[Facts, Arrays]:
    try:
        check_regular(path)  # opening a pipe would block
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in (archive.files if with_arrays else ["facts"])}
        facts = json.loads(arrays.pop("facts").tobytes())
    except OSError as error:
        raise TrainingError(f"The checkpoint {path} cannot be read: {error.strerror or error}.") from error
    except _NOT_WRITTEN_HERE as error:
        raise damaged(path) from error
    if not isinstance(facts, dict) or facts.get("kind") != _KIND:
        raise damaged(path)
    if isinstance(facts.get("version"), int) and facts["version"] > CHECKPOINT_VERSION:
        raise TrainingError(
            f"The checkpoint {path} was written by a newer version of this program and is left unchanged."
        )
    if facts.get("version") != CHECKPOINT_VERSION:
        raise TrainingError(f"The checkpoint {path} is from another version of this program. Start a new run.")
    return facts, arrays


def damaged(path: Path) -> TrainingError:
    """Return the error for a checkpoint that is damaged or is not one."""
    return TrainingError(f"The checkpoint {path} is damaged or not a checkpoint. Start a new run.")


# --- warm-up ----------------------------------------------------------------------------------------------------------


_TEXT = "She sells sea shells on the sea shore; the shells that she sells are sea shells, I'm sure. "
_LONG_PRETOKEN = "abcdefgh" * 100


def warm_up() -> None:
    """Compile all training kernels by calling them, or load them from the cache."""
    texts = [_TEXT * 3 + _LONG_PRETOKEN + str(number) for number in range(3)]
    for pattern, alphabet in (
        ("whitespace", "bytes"),
        ("gpt2", "bytes"),
        ("cl100k_base", "bytes"),
        ("o200k_base", "characters"),
    ):
        run = TrainingRun(texts, 330, pattern, alphabet, min_count=1, threads=2)
        while not run.done:
            run.advance(10.0)
        run.encoding("warm-up")
    with tempfile.TemporaryDirectory() as folder:
        run.save(Path(folder, "checkpoint"))
    is_valid(_TEXT.encode("utf-8"))
    counter = PretokenCounter(r"\w+")
    counter.unpack(counter.pack())
    pairs, lists, new_pairs, new_lists = np.zeros((4, 4), dtype=np.int64)
    move_pairs(pairs, lists, new_pairs, new_lists, 63, 0)
