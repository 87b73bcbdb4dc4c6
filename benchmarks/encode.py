"""Measure encoding speed: our encoder beside tiktoken and the fastest public ones, in one process, one thread.

    python -m benchmarks.encode [--encoding cl100k_base] [--corpus FILE] [--megabytes 2] [--rounds 2] [--only corpora]
    python -m benchmarks.encode --markdown      # also writes docs/performance.md

Corpora are the files of a folder ``shared/corpora`` beside the checkout, the Chinese lines of one of them, and each
``--corpus``. IDs are compared with tiktoken's before anything is timed; encoders that differ are reported and not
timed, missing ones are listed. *cold* is the first call of a new encoder, *hot* the same text again; the main figure is
the multiple of tiktoken's ``encode_ordinary``. Other encoders make Python cache the UTF-8 of the texts, which ours then
reads in place (``engine.encoding.encoder``); a *new text* is a copy that no other encoder was given.
``benchmarks.encode_measures`` documents the measurements.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ |= {"TOKENIZERS_PARALLELISM": "false", "RAYON_NUM_THREADS": "1"}  # before peers are imported

import engine
from benchmarks.encode_measures import (
    PROJECT,
    Table,
    memory,
    open_own,
    own_peers,
    small_inputs,
    throughput,
    two_threads,
    worst_cases,
)
from benchmarks.encode_peers import peers_of
from benchmarks.encode_texts import CORPORA, corpora, corpus_paths, start_of

PAGE = PROJECT / "docs" / "performance.md"
PARTS = ("corpora", "small", "worst", "threads", "memory")
LARGE_TEXT_BYTES = 40_000_000
DISTRIBUTIONS = ("numpy", "numba", "tiktoken", "tokenizers", "quicktok-v1", "gigatoken", "fastokens")


def processor() -> str:
    """Return the model name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def versions() -> str:
    """Return the versions of Python and all encoders."""
    found = [f"Python {platform.python_version()}"]
    for name in DISTRIBUTIONS:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} not installed")
    return ", ".join(found)


def machine() -> str:
    """Describe the machine, the versions and the date of this measurement."""
    system = f"{platform.system()} {platform.machine()}"
    return f"{processor()}, {os.cpu_count()} processors, {system}; {versions()}; {time.strftime('%d %B %Y')}."


def tables(options: argparse.Namespace) -> Iterator[Table]:
    """Yield the selected tables."""
    paths = corpus_paths(options.corpus)
    texts = corpora(paths)
    if not texts:
        raise SystemExit(f"no corpora: there is no {CORPORA}, and no --corpus is given")
    encodings = [engine.get_encoding(name) for name in options.encoding or ["cl100k_base", "o200k_base"]]
    parts = options.only or PARTS
    for encoding in encodings:
        open_own(encoding).native.warm_up()
        others, missing = ([], {}) if options.no_peers else peers_of(encoding)
        peers = own_peers(encoding) + others
        quick = [peer for peer in peers if peer.most_bytes is None]
        of_short_texts = [peer for peer in quick if not peer.alone]
        if "corpora" in parts:
            table = throughput(encoding, texts, peers, options.rounds)
            table.rows.extend([name, *[why] * len(texts)] for name, why in missing.items())
            yield table
            starts = {name: start_of(text, int(options.megabytes * 1e6)) for name, text in texts.items()}
            yield throughput(encoding, starts, quick, options.rounds)
        if "small" in parts:
            yield small_inputs(encoding, next(iter(texts.values())), of_short_texts)
        if "worst" in parts:
            yield worst_cases(encoding)
    if "threads" in parts:
        large = b"\n".join(path.read_bytes() for path in paths)[:LARGE_TEXT_BYTES].decode("utf-8", "ignore")
        yield two_threads(encodings, large)
    if "memory" in parts:
        yield memory(encodings, paths)


def main() -> None:
    """Print the selected tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoding", action="append", help="default: cl100k_base and o200k_base")
    parser.add_argument("--corpus", action="append", type=Path, default=[], help="additional text file")
    parser.add_argument("--megabytes", type=float, default=2.0, help="of each corpus, after all of it")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", action="append", choices=PARTS)
    parser.add_argument("--no-peers", action="store_true", help="only tiktoken and ours")
    parser.add_argument("--markdown", action="store_true", help="write machine and tables to docs/performance.md")
    options = parser.parse_args()
    where = machine()
    print(where, flush=True)
    found = []
    for table in tables(options):
        found.append(table.markdown())
        print(f"\n{found[-1]}", end="", flush=True)
    if options.markdown:
        text = PAGE.read_text(encoding="utf-8")
        head = text[: text.index(MEASURED) + len(MEASURED)]
        PAGE.write_text(f"{head}\n\n{where}\n\n" + "\n".join(found), encoding="utf-8")


MEASURED = "## Measured"
"""Heading in ``docs/performance.md`` after which ``--markdown`` replaces everything."""

if __name__ == "__main__":
    main()
