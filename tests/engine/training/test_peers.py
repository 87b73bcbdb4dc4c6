"""Other trainers learn the same merges: Hugging Face's with its order of ties, rustbpe with ours."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import pytest

from benchmarks.train_peers import RUSTBPE, TOKENIZERS, TRAINERS, TWINS, same_merges
from engine.kernels._jit import COMPILED
from tests.thoroughness import mostly_deep

WORDS = [
    "ab",
    "ba",
    "aab",
    "abab",
    "é",
    "ß",
    "語言",
    "x1",
    "2024",
    "don't",
    "  ",
    "\n",
    "\t",
    "!?",
    "🙂",
    "naïve",
    "ZZ",
]
"""Few letters, so that many pairs occur equally often."""


def text(seed: int) -> str:
    rng = random.Random(seed)
    words = WORDS + ["".join(rng.choices("abcdé", k=rng.randrange(1, 9))) for _ in range(40)]
    return "".join(rng.choice(words) + rng.choice([" ", " ", "", "\n"]) for _ in range(600 if COMPILED else 60)) + "."


@pytest.mark.parametrize("peer", [TOKENIZERS, RUSTBPE])
@pytest.mark.parametrize("seed", mostly_deep(range(12)))
def test_the_merges_are_the_same(tmp_path: Path, peer: str, seed: int):
    if importlib.util.find_spec(peer) is None:
        pytest.skip(f"{peer} is not installed")
    path = tmp_path / "text.txt"
    path.write_bytes(text(seed).encode("utf-8"))
    ours, theirs = TWINS[peer](path, 256 + 150)(), TRAINERS[peer](path, 256 + 150)()
    assert len(theirs) > 30
    # rustbpe goes on with pairs that occur once.
    assert same_merges(ours, theirs[: len(ours)] if peer == RUSTBPE else theirs)


def test_orders_of_ties_differ(tmp_path: Path):
    """So that the other test compares something."""
    path = tmp_path / "text.txt"
    path.write_bytes(text(1).encode("utf-8"))
    assert TWINS[TOKENIZERS](path, 406)() != TWINS[RUSTBPE](path, 406)()
