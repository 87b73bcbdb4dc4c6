"""Warm-up that compiles every training kernel by calling it: see ``engine.encoding.compiling``."""

from __future__ import annotations

import tempfile
from pathlib import Path

from engine.kernels.train_merge import move_pairs
from engine.training.counting import PretokenCounter, is_valid
from engine.training.merging import zeros
from engine.training.run import TrainingRun

_TEXT = "She sells sea shells on the sea shore; the shells that she sells are sea shells, I'm sure. "
_LONG_PRETOKEN = "abcdefgh" * 100


def warm_up() -> None:
    """Compile all training kernels, or load them from the cache."""
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
    move_pairs(zeros(4), zeros(4), zeros(4), zeros(4), 63, 0)
