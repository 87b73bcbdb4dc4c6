"""Texts to train on: the corpora beside the checkout, and a folder of any size generated from them."""

from __future__ import annotations

import string
from pathlib import Path

CORPORA = Path(__file__).resolve().parents[2] / "shared" / "corpora"
CORPUS_NAMES = ("english", "python", "multilingual")
FILE_BYTES = 4_000_000
ONE_IN = 8

_LETTERS = string.ascii_lowercase.encode()


def corpus_files() -> list[Path]:
    """Return the corpus files. Raises FileNotFoundError if one is missing."""
    paths = [CORPORA / f"{name}.txt" for name in CORPUS_NAMES]
    for path in paths:
        if not path.is_file():
            raise FileNotFoundError(f"there is no {path}")
    return paths


def varied(content: bytes, turn: int) -> bytes:
    """Return a text with shifted letters in one of ``ONE_IN`` lines, so that copies have words of their own."""
    shift = 1 + turn % 25
    letters = bytes.maketrans(_LETTERS, _LETTERS[shift:] + _LETTERS[:shift])
    lines = content.splitlines(keepends=True)
    first = turn % ONE_IN
    lines[first::ONE_IN] = [line.translate(letters) for line in lines[first::ONE_IN]]
    return b"".join(lines)


def write_folder(folder: Path, megabytes: int) -> None:
    """Fill a folder with files of a few MB, generated from all corpora in turn."""
    contents = [path.read_bytes() for path in corpus_files()]
    written = turn = 0
    while written < megabytes * 1_000_000:
        content = varied(contents[turn % len(contents)], turn)
        for start in range(0, len(content), FILE_BYTES):
            part = content[start : start + FILE_BYTES]
            folder.joinpath(f"{turn:03d}-{start // FILE_BYTES}.txt").write_bytes(part)
            written += len(part)
            if written >= megabytes * 1_000_000:
                return
        turn += 1
