"""Compare every tokenizer file in a folder with its original library: python -m benchmarks.import_matrix FOLDER

Opens each file, encodes the corpora with our engine and with the original library, compares the IDs, and prints a
table. Exits with 1 if any ID differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.errors import FormatError
from engine.library.formats import gguf, reading
from engine.library.formats.isolated_check import for_tiktoken
from engine.library.formats.opening import OpenedTokenizer, open_tokenizer
from engine.library.formats.source import LibraryData, PatternNeededError

SHARED = Path(__file__).resolve().parents[2] / "shared" / "corpora"
SUFFIXES = (".json", ".model", ".gguf", ".tiktoken", ".v1", ".v2", ".v3", ".v7", ".v7m1")
SMALLEST = 20_000
"""Minimum size, in bytes; smaller files beside tokenizers are configurations."""

Encode = Callable[[str], list[int]]


def files_in(folder: Path) -> Iterator[Path]:
    """Yield the tokenizer files below a folder, in order."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in SUFFIXES and path.stat().st_size >= SMALLEST:
            yield path


def texts_of(folder: Path, megabytes: float) -> list[str]:
    """Return the beginnings of the corpora in chunks of 1,000 characters, and some unusual texts."""
    texts = ["e\u0301 ﬁ 👩\u200d🚀 \r\n\t  x", "a" * 300, " " * 300 + "x"]
    for path in sorted(folder.glob("*.txt")):
        text = path.read_bytes()[: int(megabytes * 1e6)].decode("utf-8", "ignore")
        texts += [text[start : start + 1_000] for start in range(0, len(text), 1_000)]
    return texts


def opened(path: Path, pattern: str) -> tuple[OpenedTokenizer, Encode]:
    """Return a file's tokenizer, and the function that encodes with its original library. Raises FormatError."""
    try:
        found, named = reading.read(path, None, trusted=False), None
    except PatternNeededError:
        found, named = reading.read(path, pattern, trusted=False), pattern
    tokenizer = open_tokenizer(path, pattern=named, checked=True)
    if isinstance(found.data, LibraryData) and found.data.reader == "sentencepiece":
        from engine.library.formats.sentencepiece_model import library_processor

        return tokenizer, library_processor(found.data.payload).encode
    if isinstance(found.data, LibraryData) or found.for_library is not None:
        import tokenizers

        content = found.data.payload if isinstance(found.data, LibraryData) else found.for_library().payload
        if path.suffix == ".json" and not content.startswith(gguf.MAGIC):
            content = path.read_bytes()
        library = tokenizers.Tokenizer.from_str(content.decode("utf-8-sig"))
        library.no_truncation()
        library.no_padding()
        library.encode_special_tokens = True
        return tokenizer, lambda text: library.encode(text, add_special_tokens=False).ids
    from engine.library.formats.isolated_check import _by_tiktoken

    return tokenizer, _by_tiktoken(for_tiktoken(found.data))


def row_of(path: Path, texts: list[str], pattern: str) -> tuple[str, bool]:
    """Return a file's row of the table, and True if all IDs are equal."""
    start = time.perf_counter()
    try:
        tokenizer, theirs = opened(path, pattern)
    except FormatError as error:
        return f"| refused | | | | {str(error).removeprefix(f'{path}: ')} |", True
    opening = time.perf_counter() - start
    by = "library" if tokenizer.check is not None and tokenizer.check.runs else "own engine"
    n_tokens, wrong = 0, 0
    for text in texts:
        ids = theirs(text)
        n_tokens += len(ids)
        wrong += tokenizer.encoding.encode_ordinary(text) != ids
    notes = " ".join(tokenizer.notes)
    return (
        f"| {tokenizer.kind}, {by} | {n_tokens:,} | {wrong} of {len(texts):,} | {opening:.0f} s | {notes} |",
        not wrong,
    )


def main() -> int:
    """Print the table. Return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where tokenizer files are")
    parser.add_argument("--corpora", type=Path, default=SHARED, help="folder of .txt files")
    parser.add_argument("--megabytes", type=float, default=0.3, help="of each corpus")
    parser.add_argument("--pattern", default="llama3", help="for files without one")
    parser.add_argument("--only", default="", help="a part of the path")
    arguments = parser.parse_args()
    if not any(arguments.corpora.glob("*.txt")):
        parser.error(f"no corpora in {arguments.corpora}; --corpora names their folder")
    texts = texts_of(arguments.corpora, arguments.megabytes)
    print("| file | opened as, run by | tokens | texts with other ids | opened in | notes |\n|---|---|---|---|---|---|")
    good = True
    for path in files_in(arguments.folder):
        if arguments.only in str(path):
            row, equal = row_of(path, texts, arguments.pattern)
            good &= equal
            print(f"| {path.relative_to(arguments.folder)} {row}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
