"""Measure a keystroke: recounting after an edit of one character, beside a count of the whole text by tiktoken.

    python -m benchmarks.edits [--encoding cl100k_base]... [--corpus FILE] [--edits 2000] [--only texts]

The edits go through ``engine.EditedText``, as in the window: consecutive letters in the middle of a text, or letters at
random positions. Microseconds of wall time, median and 99th percentile; the corpus is repeated if it is shorter than
the text. Then the same in runs of a million characters without a safe boundary. Finally the counts are compared with
those of the whole text.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

import engine
from engine import EditedText, Encoding, TextEdit
from engine.text.offsets import utf16_length

PROJECT = Path(__file__).resolve().parents[1]
CORPORA = PROJECT.parent / "shared" / "corpora"
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
RUN = 1_000_000
TYPED = "the quick brown fox "


def long_text(corpus: Path | None, n_bytes: int) -> str:
    """Return about ``n_bytes`` of a corpus, by default of those beside the checkout, else of this project's source."""
    files = [corpus] if corpus else sorted(CORPORA.glob("*.txt")) or sorted((PROJECT / "engine").rglob("*.py"))
    content = b"".join(path.read_bytes()[: n_bytes // len(files) + 1] for path in files)
    return (content * (n_bytes // len(content) + 1))[:n_bytes].decode("utf-8", "ignore")


def runs() -> dict[str, Callable[[random.Random], str]]:
    """Return, by name, functions that make texts of one pretoken, or texts treated as one, and their typed letters."""
    return {
        "one letter": lambda rng: "a" * RUN,
        "random letters": lambda rng: "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=RUN)),
        "spaces": lambda rng: " " * RUN,
        "random Han": lambda rng: "".join(chr(rng.randrange(0x4E00, 0x9FA0)) for _ in range(RUN)),
    }


def timed(edited: EditedText, edits: Iterable[TextEdit]) -> str:
    """Return microseconds per edit: median and 99th percentile."""
    seconds = []
    for edit in edits:
        started = time.perf_counter()
        edited.apply([edit])
        seconds.append(time.perf_counter() - started)
    p50, p99 = np.percentile(np.array(seconds) * 1e6, [50, 99])
    return f"{p50:,.0f} / {p99:,.0f}"


def row(name: str, encoding: Encoding, text: str, letters: str, count: int) -> str:
    """Return a row of the table. Exits if the final count is wrong."""
    rng = random.Random(1)
    edited = EditedText(encoding)
    edited.reset(text)
    length = utf16_length(text)
    middle = length // 2
    edited.apply([TextEdit(middle, 0, letters[0])])  # exclude work that only the first edit does
    typed = timed(edited, (TextEdit(middle + i, 0, letters[i % len(letters)]) for i in range(count)))
    jumps = timed(edited, (TextEdit(rng.randrange(length), 0, rng.choice(letters)) for _ in range(count)))
    whole = edited.text()
    started = time.perf_counter()
    try:
        expected = len(encoding._core_bpe.encode_ordinary(whole))
        seconds = f"{(time.perf_counter() - started) * 1e6:,.0f}"
    except BaseException as error:  # noqa: BLE001 - a panic of tiktoken's, which is no Exception
        expected, seconds = encoding.count(whole), type(error).__name__
    if edited.token_count != expected:
        raise SystemExit(f"{encoding.name}, {name}: {edited.token_count} tokens counted, there are {expected}")
    return f"| {name} | {typed} | {jumps} | {seconds} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoding", action="append", help="default: cl100k_base and o200k_base")
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--edits", type=int, default=2000, help="of each kind in each text; in runs a twentieth")
    parser.add_argument("--only", choices=["texts", "runs"])
    options = parser.parse_args()
    for encoding in map(engine.get_encoding, options.encoding or ["cl100k_base", "o200k_base"]):
        encoding.use_kernels()
        _ = encoding._core_bpe  # build tiktoken's encoder before it is timed
        print(f"\n### {encoding.name}: microseconds an edit, p50 / p99\n")
        print("| text | typed in one place | at random places | whole text by tiktoken |\n|---|--:|--:|--:|")
        if options.only != "runs":
            for size in SIZES:
                text = long_text(options.corpus, size)
                print(row(f"{size // 1000:,} KB", encoding, text, TYPED, options.edits), flush=True)
        if options.only != "texts":
            for name, make in runs().items():
                text = make(random.Random(2))
                print(row(f"10^6 {name}", encoding, text, text[:20], options.edits // 20), flush=True)


if __name__ == "__main__":
    main()
