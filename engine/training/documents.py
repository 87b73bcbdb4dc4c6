"""Which documents a corpus has, and how they are kept in a checkpoint while they are still needed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.corpus.look import survey
from engine.corpus.types import CorpusFile, CorpusRules, CorpusSurvey
from engine.errors import TrainingError
from engine.training.checkpoint import Arrays
from engine.training.texts import Document, text_document

TextOrPath = str | bytes | os.PathLike[str] | CorpusSurvey


def as_items(given: TextOrPath | Iterable[TextOrPath]) -> list[TextOrPath]:
    """One or more texts, bytes, paths and surveys, as a list. A ``str`` is a text, but for an absolute path that
    exists."""
    items = [given] if isinstance(given, str | bytes | os.PathLike | CorpusSurvey) else list(given)
    return [Path(item) if isinstance(item, str) and _is_existing_path(item) else item for item in items]


def _is_existing_path(text: str) -> bool:
    if len(text) > 4096 or "\n" in text or "\0" in text:
        return False
    path = Path(text)
    return path.is_absolute() and path.exists()


def documents_of(items: Sequence[TextOrPath], rules: CorpusRules) -> list[Document]:
    """All documents of texts, bytes, files, folders and surveys, empty ones left out. TrainingError;
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
    return "There is no text to train on" + (f": of the files that were found, {left_out}." if left_out else ".")


def pack_documents(documents: Sequence[Document]) -> tuple[list[dict[str, Any]], Arrays]:
    """Documents, as JSON and arrays. Of files it is noted when they were last written to."""
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
    """The documents again. TrainingError where a file is not what it was."""
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
                f"{path} has changed since the checkpoint was written, before all files were counted: start anew."
            )
        documents.append(Document(CorpusFile(path, fact["bytes"], fact["encoding"]), fact["bytes"]))
    return documents


def _written(path: Path) -> list[int] | None:
    """Size and time of the last change; None for a file that cannot be looked at."""
    try:
        found = path.stat()
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns]
