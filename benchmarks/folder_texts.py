"""A folder of many texts of all sizes, generated from the corpora of ``shared``."""

from __future__ import annotations

import random
from pathlib import Path

CORPORA = Path(__file__).resolve().parents[2] / "shared" / "corpora"
SPREAD = 1.2
"""Standard deviation of the logarithm of sizes: most files are small, a few large, as in source folders."""


def make_folder(folder: Path, files: int, total_bytes: int, seed: int = 1) -> list[bytes]:
    """Write about ``total_bytes`` into nested folders, without splitting characters. Return the files' contents."""
    chance = random.Random(seed)
    texts = [path.read_bytes() for path in sorted(CORPORA.glob("*.txt"))]
    weights = [chance.lognormvariate(0, SPREAD) for _ in range(files)]
    scale = total_bytes / sum(weights)
    contents = []
    for number, weight in enumerate(weights):
        text = chance.choice(texts)
        size = min(len(text), int(weight * scale))
        start = chance.randrange(len(text) - size + 1)
        content = text[start : start + size].decode("utf-8", "ignore").encode()
        place = folder / f"part{number % 20:02d}" / f"group{number // 20 % 50:02d}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"text{number:05d}.txt").write_bytes(content)
        contents.append(content)
    return contents
