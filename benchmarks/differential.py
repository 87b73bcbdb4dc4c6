"""Compare our encoder with tiktoken on random texts for as long as one likes.

    python -m benchmarks.differential [--minutes 10] [--encoding NAME]... [--seed N]

Every text is counted, encoded to an array and to a list, and its token ends are added up, all with one encoder whose
caches are far too small, so that everything it forgets is asked again. Texts mix all planes and scripts, white space of
every kind, contractions, unassigned characters, long repetitions. The seed is printed; with ``--seed`` the same texts
come again. ``TOKENLOUPE_CHECKED=1`` does it with every access to memory verified. Exit 1 on the first difference.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

import engine
from engine import encoder as encoder_module
from engine.encoder import NativeEncoder, open_encoder
from engine.encoding import Encoding
from engine.kernels import state
from engine.tables import fingerprint_of
from engine.tiktoken_core import build_core
from tests.engine.kernels.odd_pieces import odd_piece
from tests.engine.kernels.odd_texts import odd_text

NAMES = ("r50k_base", "p50k_base", "cl100k_base", "o200k_base", "qwen", "deepseek", "tekken")
NEW, SPLICED = 100, 400
SHORTEST_ARENA = 1_400_000


def small_caches() -> None:
    """Make the caches of encoders that are opened from now on hold next to nothing."""
    state.WORD_LINES = 64
    state.SLOT_COUNT = 16
    state.ARENA_BYTES = SHORTEST_ARENA
    encoder_module.ENDS = 300


def native_of(encoding: Encoding) -> NativeEncoder:
    """Our encoder."""
    table = encoding._vocabulary.table
    return open_encoder(encoding._pat_str, fingerprint_of(table), lambda: table, None)


def random_text(rng: random.Random) -> str:
    """One text, mostly short."""
    kind = rng.random()
    if kind < 0.80:
        return odd_text(rng)
    if kind < 0.97:
        return odd_piece(rng, rng.choice((30, 100, 600)))
    parts = [odd_piece(rng, 700) if rng.random() < 0.5 else odd_text(rng) for _ in range(rng.randrange(2, 60))]
    return rng.choice(("", " ", "\n")).join(parts)


def spliced(rng: random.Random, texts: list[str]) -> str:
    """A text made of stretches of others: cheaper than a new one, and as odd."""
    stretches = []
    for _ in range(rng.randrange(1, 4)):
        text = rng.choice(texts)
        start = rng.randrange(len(text) + 1)
        stretches.append(text[start : start + rng.choice((1, 3, 10, 40))])
    return "".join(stretches)


def batch_of_texts(rng: random.Random) -> list[str]:
    """New texts, and some that are made of them."""
    texts = [random_text(rng) for _ in range(NEW)]
    return texts + [spliced(rng, texts) for _ in range(SPLICED)]


def difference(core: object, native: NativeEncoder, sizes: np.ndarray, text: str) -> str | None:
    """How ours differs from tiktoken for a text, or None."""
    expected = core.encode_ordinary(text)  # type: ignore[attr-defined]
    content = text.encode("utf-8", "replace")
    ids = native.encode(content)
    if ids.tolist() != expected:
        return f"ids {ids[:20].tolist()}, tiktoken {expected[:20]}"
    if native.count(content) != len(expected):
        return "count"
    if native.encode_to_list(content) != expected:
        return "list"
    if native.token_ends(content).tolist() != np.cumsum(sizes[expected]).tolist():
        return "token ends"
    return None


def main() -> int:
    """Compare until the time is up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--encoding", action="append")
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    small_caches()
    pairs = []
    for name in options.encoding or NAMES:
        encoding = engine.get_encoding(name)
        core = build_core(encoding._mergeable_ranks, {}, encoding._pat_str)
        pairs.append((name, core, native_of(encoding), encoding._vocabulary.byte_lengths))
    rng = random.Random(seed)
    texts = 0
    size = 0
    until = time.monotonic() + 60 * options.minutes
    while time.monotonic() < until:
        for text in batch_of_texts(rng):
            for name, core, native, sizes in pairs:
                if found := difference(core, native, sizes, text):
                    print(f"{name}: {found}\n{text!r}")
                    return 1
            texts += 1
            size += len(text.encode())
    print(f"{texts:,} texts of {size / 1e6:.1f} MB in {len(pairs)} encodings: no difference")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
