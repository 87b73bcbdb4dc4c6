"""Measure time and memory from an encoding's name to its first count, at the second start, beside tiktoken.

    python -m benchmarks.opening [--encoding o200k_base]... [--runs 20]

Each opening is in a fresh process, ours and tiktoken's alternating. Ours has the modules and compiled kernels of its
kind of encoding loaded, and finds its tables in a file: ``get_encoding(NAME)``, ``use_kernels()``, ``count("x")``. They
are loaded by a vocabulary of 256 bytes with the same split pattern and normalization; for Gemma, which has no such
vocabulary, by the other of its two encodings, which has tables of its own. tiktoken has its module loaded and its rank
file on disk, without a download: ``load_tiktoken_bpe``, ``Encoding``, ``encode_ordinary("x")``. Wall time; *private* is
memory that is not shared with other processes, as a mapped file is.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import engine

ROOT = Path(__file__).resolve().parents[1]

OURS = """
import json, sys, time
import psutil
import engine
from engine.encoding.preprocessing_encoding import prepared
from engine.library.bundled_encodings import DATA_DIR, ENTRIES, Catalog
name, pattern = sys.argv[1:]
entry = next(entry for entry in ENTRIES if entry.name == name)
if entry.pieces:
    loader = Catalog(DATA_DIR).get("gemma" if name == "gemma3" else "gemma3")
else:
    loader = engine.Encoding(
        "bytes", pat_str=pattern, mergeable_ranks={bytes([value]): value for value in range(256)}, special_tokens={}
    )
    if entry.vendor_normalization is not None:
        loader = prepared(loader, [entry.vendor_normalization])
assert loader.use_kernels(compiled_only=True)
loader.count("x")
process = psutil.Process()
before = process.memory_full_info().uss
started = time.perf_counter()
encoding = engine.get_encoding(name)
encoding.use_kernels(compiled_only=True)
encoding.count("x")
seconds = time.perf_counter() - started
assert encoding.uses_kernels
print(json.dumps((seconds * 1e3, (process.memory_full_info().uss - before) / 1e6)))
"""

THEIRS = """
import json, sys, time
import psutil
import tiktoken, tiktoken.load
name, path = sys.argv[1:]
with open(path + ".json", encoding="utf-8") as file:
    about = json.load(file)
process = psutil.Process()
before = process.memory_full_info().uss
started = time.perf_counter()
encoding = tiktoken.Encoding(
    name,
    pat_str=about["pattern"],
    mergeable_ranks=tiktoken.load.load_tiktoken_bpe(path),
    special_tokens=about["special_tokens"],
)
encoding.encode_ordinary("x")
seconds = time.perf_counter() - started
print(json.dumps((seconds * 1e3, (process.memory_full_info().uss - before) / 1e6)))
"""


def measure(compiled: Path, program: str, *arguments: str) -> tuple[float, float]:
    """Measure milliseconds and MB of one opening in a fresh process. ``compiled``: Python's cache of modules."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TIKTOKEN_CACHE_DIR": ""}
    environment |= {"PYTHONPYCACHEPREFIX": str(compiled), "PYTHONDONTWRITEBYTECODE": ""}  # empty is as good as unset
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True)
    milliseconds, megabytes = json.loads(done.stdout)
    return milliseconds, megabytes


def row(name: str, folder: Path, runs: int) -> str:
    """Return a row of the table."""
    encoding = engine.get_encoding(name)
    encoding.use_kernels()
    path = folder / f"{name}.tiktoken"
    programs = [(OURS, name, encoding.pattern)]
    with contextlib.suppress(engine.FormatError):  # tiktoken has no SentencePiece pieces
        engine.save_encoding(encoding, path)
        programs.append((THEIRS, name, str(path)))
    for program in programs:
        measure(folder, *program)  # the first start compiles modules, and may build the tables
    rounds = [[measure(folder, *program) for program in programs] for _ in range(runs)]
    cells = []
    for figures in zip(*rounds, strict=True):
        milliseconds, megabytes = zip(*figures, strict=True)
        cells += [f"{min(milliseconds):.2f}", f"{statistics.median(milliseconds):.2f}"]
        cells.append(f"{statistics.median(megabytes):.1f}")
    cells += ["n/a"] * (6 - len(cells))
    return f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoding", action="append", help="default: all that are bundled")
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    print("| | ours, best ms | median | private MB | tiktoken, best ms | median | private MB |")
    print("|---" + "|--:" * 6 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.encoding or engine.list_encoding_names():
            print(row(name, Path(folder), options.runs), flush=True)


if __name__ == "__main__":
    main()
