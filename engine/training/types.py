"""Frozen results of training, safe to keep on any thread. Importing this module costs nothing.

Units: ``byte`` counts UTF-8 bytes of text unless the name says file bytes; times are in seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.corpus.types import SkippedFile

Facts: TypeAlias = "dict[str, Any]"
Arrays: TypeAlias = "dict[str, NDArray[Any]]"
"""Content of a checkpoint: JSON data, and arrays by name."""

Stage = Literal["looking", "counting", "merging", "done"]
"""``looking``: listing files; ``counting``: reading texts and splitting them into pretokens; ``merging``: merging
pairs; ``done``: the vocabulary is full, or no pair is left that occurs often enough."""


@dataclass(frozen=True, slots=True)
class TrainingForecast:
    """Forecast of the cost of training on a corpus, from a sample of it. Each range has a low and a high end."""

    pretokens: tuple[int, int]
    memory_bytes: tuple[int, int]
    seconds: tuple[float, float]
    sampled_bytes: int


@dataclass(frozen=True, slots=True)
class Merge:
    """One merge of a training run: the pair ``left_id``, ``right_id`` became ``token_id``.

    ``count``: count of the pair at that time. ``tokens_left``: tokens of the whole corpus after this merge.
    """

    index: int
    left_id: int
    right_id: int
    token_id: int
    token_bytes: bytes
    count: int
    tokens_left: int


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """Progress of a run: a snapshot, so the run may already be further when it is read.

    ``fraction``: of the stage, 0 to 1. ``bytes_read`` and ``bytes_total``: file bytes (UTF-8 bytes of texts).
    ``pretokens``: unique ones so far. ``bytes_per_token``: of the corpus with the current vocabulary, 0.0 before the
    first count. ``rate``: file bytes per second while counting, merges per second while merging. ``eta_seconds``: None
    if unknown. ``problems``: files skipped while reading, with the reason. ``why_done``: why a run ended before its
    vocabulary was full, else "".
    """

    stage: Stage
    fraction: float
    bytes_read: int
    bytes_total: int
    pretokens: int
    merges: int
    merges_wanted: int
    vocab_size: int
    tokens: int
    bytes_per_token: float
    last_merge: Merge | None
    rate: float
    eta_seconds: float | None
    problems: tuple[SkippedFile, ...] = ()
    why_done: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class TrainingCurve:
    """Compression against vocabulary size: two parallel read-only arrays, int64[n] and float64[n]. At most a few
    thousand points, regardless of the number of merges."""

    vocab_sizes: NDArray[np.int64]
    bytes_per_token: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """Settings that, with the corpus, decide which merges are learned. All of them are part of the reproducibility
    hash.

    ``pattern``: ``gpt2``, ``cl100k_base``, ``o200k_base``, ``llama3``, ``qwen2``, ``whitespace``, ``sentencepiece``,
    ``none``, or a regular expression. ``alphabet``: ``bytes``, ``characters`` or ``characters+</w>``. ``tie_order``:
    ``bytes`` (higher count, then smaller ids over byte values) or ``huggingface`` (its byte order).
    ``max_token_bytes``: maximum length of a token; None for no limit. ``max_space_run``: in training, longer runs of
    one whitespace character are shortened to this length, so whitespace tokens stay as short; None for no limit. It
    does not affect encoding. ``dummy_prefix``: whether each text gets a leading ``▁``; only with the pattern
    ``sentencepiece``, which writes spaces as ``▁``.
    """

    vocab_size: int
    pattern: str = "cl100k_base"
    alphabet: str = "bytes"
    normalization: str | None = None
    lowercase: bool = False
    strip_accents: bool = False
    min_count: int = 2
    max_token_bytes: int | None = None
    special_tokens: tuple[str, ...] = ()
    tie_order: str = "bytes"
    dummy_prefix: bool = True
    max_space_run: int | None = None


def has_signs(settings: TrainingSettings) -> bool:
    """Return True if spaces are written ``▁`` with these settings (``engine.text.sentencepiece``)."""
    return settings.pattern == "sentencepiece" and settings.alphabet != "characters+</w>"
