"""Compare every bundled encoding with its vendor's own tokenizer on whole files, and report differences.

    python benchmarks/equality.py FOLDER_OF_RAW_VOCABULARIES TEXT_FILE... [--encoding NAME]...

The oracles are tiktoken and tokenizers, built from the raw vocabulary files (tests/engine/oracles.py). Each encoding is
compared twice, with and without our kernels. Each chunk of text is also counted, and encoded by EditedText, which must
give the same tokens. Exits with 1 on a difference.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import engine
from engine.library.bundled_encodings import DATA_DIR, Catalog
from tests.engine import oracles

PIECE_CHARS = 1_000_000


def differs(encoding: engine.Encoding, expected: list[int], text: str) -> str | None:
    """Return the name of the result of ours that differs, or None."""
    if encoding.encode_ordinary(text) != expected:
        return "encode_ordinary"
    if encoding.count(text) != len(expected):
        return "count"
    edited = engine.EditedText(encoding)
    if edited.reset(text).ids.tolist() != expected:
        return "EditedText"
    return None


def main() -> int:
    """Compare and report. Return 0 if everything is equal."""
    parser = argparse.ArgumentParser(description="Compare the bundled encodings with their vendors' tokenizers.")
    parser.add_argument("raw", type=Path)
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--encoding", action="append", choices=engine.list_encoding_names())
    options = parser.parse_args()
    names = options.encoding or engine.list_encoding_names()
    with_kernels = Catalog(DATA_DIR)
    for name in names:
        with_kernels.get(name).use_kernels()
    failed = False
    for path in options.texts:
        text = path.read_bytes().decode("utf-8")
        for name in names:
            started, tokens, wrong = time.perf_counter(), 0, ""
            for start in range(0, len(text), PIECE_CHARS):
                piece = text[start : start + PIECE_CHARS]
                expected = oracles.ids(name, options.raw, piece)
                tokens += len(expected)
                for encoding in (engine.get_encoding(name), with_kernels.get(name)):
                    if what := differs(encoding, expected, piece):
                        how = "with" if encoding.uses_kernels else "without"
                        wrong = f"DIFFERENT {how} kernels: {what}, characters {start:,} to {start + len(piece):,}"
                if wrong:
                    failed = True
                    break
            seconds = time.perf_counter() - started
            print(f"{path.name:24} {name:14} {tokens:>11,} tokens {seconds:6.1f} s  {wrong or 'equal'}", flush=True)
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
