"""Merges, curves and a run that does nothing but count, for tests in which the engine is not the point."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.training.types import Merge, TrainingCurve, TrainingProgress


def merge(index: int, left_id: int = 97, right_id: int = 98, token_bytes: bytes = b"ab") -> Merge:
    return Merge(index, left_id, right_id, 256 + index, token_bytes, 1000 - index % 1000, 1_000_000 - index)


def progress(stage: str = "merging", merges: int = 0, wanted: int = 100, **values: object) -> TrainingProgress:
    facts = {
        "stage": stage,
        "fraction": merges / wanted if stage == "merging" else 1.0 if stage == "done" else 0.5,
        "bytes_read": 5_000_000,
        "bytes_total": 10_000_000,
        "pretokens": 1234,
        "merges": merges,
        "merges_wanted": wanted,
        "vocab_size": 256 + merges,
        "tokens": 1_000_000 - merges,
        "bytes_per_token": 1.0 + merges / 100,
        "last_merge": merge(merges - 1) if merges else None,
        "rate": 250.0,
        "eta_seconds": 12.0,
    }
    return TrainingProgress(**(facts | values))  # type: ignore[arg-type]


def curve(merges: int) -> TrainingCurve:
    sizes = np.arange(257, 257 + merges, dtype=np.int64)
    return TrainingCurve(sizes, np.linspace(1, 2, merges))


class CountingRun:
    """A run of so many merges, one for each slice. ``fail_saves``: saving raises it; ``log`` names what was called."""

    def __init__(self, merges: int = 5, fail_saves: OSError | None = None) -> None:
        self.wanted = merges
        self.merged = 0
        self.fail_saves = fail_saves
        self.saved: list[int] = []

    @property
    def done(self) -> bool:
        return self.merged >= self.wanted

    def advance(self, seconds: float) -> TrainingProgress:
        if seconds > 0 and not self.done:
            self.merged += 1
        return progress("done" if self.done else "merging", self.merged, self.wanted)

    def merges(self, since: int = 0) -> list[Merge]:
        return [merge(index) for index in range(since, self.merged)]

    def curve(self) -> TrainingCurve:
        return curve(self.merged)

    def encoding(self, name: str) -> str:
        return f"{name} of {self.merged}"

    def save(self, path: Path) -> None:
        if self.fail_saves is not None:
            raise self.fail_saves
        path.write_text(str(self.merged))
        self.saved.append(self.merged)
