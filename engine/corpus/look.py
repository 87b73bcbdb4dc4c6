"""What folders and files hold, before anything is trained on them.

A survey tells which texts there are, in which encodings, what is left out and why, and what is there twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from engine.corpus.files import HEAD_BYTES, CorpusFileError, content_digest, encoding_of, read_samples
from engine.corpus.types import AS_BYTES, CorpusFile, CorpusRules, CorpusSurvey, SkippedFile
from engine.corpus.walk import FolderWalk, FoundFile

MOST_LISTED = 10_000
"""So many skipped files are listed; the others are only counted."""

Report = Callable[[int, int], None]
"""Called with the files and file bytes seen so far, binary and other unusable ones included. What it raises ends the
survey."""


def survey(paths: Iterable[Path | str], rules: CorpusRules | None = None, report: Report | None = None) -> CorpusSurvey:
    """What the paths name and what is below them, by the rules. Of each file some samples are read, of files of equal
    size and samples all bytes, to tell duplicates.

    ``report`` is called for every file, and often while large ones are compared. OSError where a path leads nowhere;
    InvalidGlobError.
    """
    rules = rules or CorpusRules()
    looking = _Survey(report or _unreported, as_bytes=rules.as_bytes)
    roots = tuple(Path(path) for path in paths)
    for found in FolderWalk(rules).found(roots):
        looking.add(found)
    if rules.sample_bytes is not None:
        looking.keep_sample(rules.sample_bytes)
    return looking.result(roots)


def _unreported(files: int, file_bytes: int) -> None:
    pass


class _Survey:
    """What was found so far."""

    def __init__(self, report: Report, *, as_bytes: bool) -> None:
        self._report = report
        self._as_bytes = as_bytes
        self._seen = 0
        self._seen_bytes = 0
        self._texts: list[tuple[CorpusFile, bytes]] = []  # with a digest of their samples
        self._skipped: list[SkippedFile] = []
        self._skipped_counts: dict[str, int] = {}

    def add(self, found: FoundFile | SkippedFile) -> None:
        self._seen += 1
        if isinstance(found, SkippedFile):
            self._skip(found)
        elif found.file_bytes == 0:
            self._skip(SkippedFile(found.path, "empty", "empty"))
        else:
            self._seen_bytes += found.file_bytes
            self._look_into(found)
        self._tell()

    def keep_sample(self, file_bytes: int) -> None:
        kept = set(spread_sample([file.file_bytes for file, _ in self._texts], file_bytes))
        for index, (file, _) in enumerate(self._texts):
            if index not in kept:
                self._skip(SkippedFile(file.path, "sampled out", "not in the sample"))
        self._texts = [self._texts[index] for index in sorted(kept)]

    def result(self, roots: tuple[Path, ...]) -> CorpusSurvey:
        originals = self._originals()
        files = tuple(
            replace(file, duplicate_of=originals[file.path]) if file.path in originals else file
            for file, _ in self._texts
        )
        duplicates = [file.file_bytes for file in files if file.duplicate_of is not None]
        return CorpusSurvey(
            roots=roots,
            files=files,
            skipped=tuple(self._skipped),
            skipped_counts=self._skipped_counts,
            file_bytes=sum(file.file_bytes for file in files),
            duplicate_files=len(duplicates),
            duplicate_bytes=sum(duplicates),
        )

    def _tell(self) -> None:
        self._report(self._seen, self._seen_bytes)

    def _skip(self, skipped: SkippedFile) -> None:
        self._skipped_counts[skipped.reason] = self._skipped_counts.get(skipped.reason, 0) + 1
        if len(self._skipped) < MOST_LISTED:
            self._skipped.append(skipped)

    def _look_into(self, found: FoundFile) -> None:
        try:
            samples = read_samples(found.path, found.file_bytes)
        except CorpusFileError as error:
            self._skip(error.skipped)
            return
        if not samples[0]:
            self._skip(SkippedFile(found.path, "changed", "it was emptied while the folder was looked through"))
            return
        encoding = AS_BYTES if self._as_bytes else encoding_of(samples)
        if encoding is None:
            self._skip(SkippedFile(found.path, "binary", "binary: its bytes are no text"))
            return
        digest = hashlib.blake2b(b"".join(samples), digest_size=16).digest()
        self._texts.append((CorpusFile(found.path, found.file_bytes, encoding), digest))

    def _originals(self) -> dict[Path, Path]:
        """For each file that repeats another, the first one with its content."""
        by_samples: dict[tuple[int, bytes], list[Path]] = {}
        for file, digest in self._texts:
            by_samples.setdefault((file.file_bytes, digest), []).append(file.path)
        originals: dict[Path, Path] = {}
        for (file_bytes, _), alike in by_samples.items():
            if len(alike) < 2:
                continue
            # Up to that size the sample is the whole file.
            contents = [b""] * len(alike) if file_bytes <= HEAD_BYTES else list(map(self._digest, alike))
            first: dict[bytes, Path] = {}
            for path, content in zip(alike, contents, strict=True):
                if content is not None and first.setdefault(content, path) != path:
                    originals[path] = first[content]
        return originals

    def _digest(self, path: Path) -> bytes | None:
        try:
            return content_digest(path, self._tell)
        except CorpusFileError:
            return None  # it was there when it was sampled; reading it reports what happened


def spread_sample(sizes: list[int], most_bytes: int) -> list[int]:
    """Indices of items, evenly spread over all, until they come to ``most_bytes``; what would go beyond is passed
    over. At least one, the smallest, if there is any."""
    taken: list[int] = []
    left = most_bytes
    for index in spread_order(len(sizes)):
        if sizes[index] <= left:
            taken.append(index)
            left -= sizes[index]
    return sorted(taken) or sorted(range(len(sizes)), key=sizes.__getitem__)[:1]


def spread_order(count: int) -> Iterator[int]:
    """All indices below ``count``, each far from those before it: 0, 1/2, 1/4, 3/4, 1/8 and so on of the way."""
    bits = max(1, (count - 1).bit_length())
    for number in range(1 << bits):
        index = int(format(number, f"0{bits}b")[::-1], 2)
        if index < count:
            yield index
