"""Files that the soak opens, trains on, scans and imports: valid, unusual, damaged and large ones."""

from __future__ import annotations

import random
from pathlib import Path

FRAGMENTS = (
    *("Hello, world! ", "def f(x):\n    return x\n", "<|endoftext|>", "naïve café ", "字符串处理 ", "שלום עולם "),
    *(
        "😀👩‍👩‍👧 ",
        "e\u0301\u0302 ",
        "\r\n",
        "\t",
        "\u2028",
        "\x00\x1b[31m",
        "\u202eabc\u202c",
        "\ud800 ",
        "$1,234.56 ",
    ),
    *(
        '{"role": "user", "content": "hi"}',
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "   " * 20,
        "=cmd|' /C calc'!A0",
    ),
)

SHARED = Path(__file__).resolve().parents[2] / "shared"
BIG_TEXT_BYTES = 10_000_000
BIG_TEXT = "big.txt"
TOKENIZERS = "tokenizers"


def fill(folder: Path, chance: random.Random, *, big: bool) -> None:
    """Write files to open, scan, import and train on.

    ``big``: add 10 MB of text, and the published vocabularies of ``shared`` if that folder is beside this one.
    """
    sound = [one for one in FRAGMENTS if "\ud800" not in one]
    for number in range(6):
        text = "".join(chance.choices(sound, k=400))
        (folder / f"text{number}.txt").write_text(text, encoding="utf-8", newline="")
    (folder / "binary.bin").write_bytes(chance.randbytes(5000))
    (folder / "wide.txt").write_text("wide text\n" * 50, encoding="utf-16")
    (folder / "prices.yaml").write_text("version: 1\nmodels:\n  acme/one: {price: {input: 1}}\n")
    (folder / BIG_TEXT).write_bytes(_big_text(chance, sound) if big else b"not so big\n")
    tokenizers = folder / TOKENIZERS
    tokenizers.mkdir()
    damaged = '{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", '
    (tokenizers / "tokenizer.json").write_text(damaged)
    published = SHARED / "vocabularies"
    if big and published.is_dir():
        for path in sorted(published.iterdir()):
            if path.suffix != ".md":
                (tokenizers / path.name).symlink_to(path)


def _big_text(chance: random.Random, fragments: list[str]) -> bytes:
    corpus = SHARED / "corpora" / "multilingual.txt"
    if corpus.exists():
        with corpus.open("rb") as file:
            return file.read(BIG_TEXT_BYTES).decode(errors="ignore").encode()
    block = "".join(chance.choices(fragments, k=5000)).encode()
    return block * (BIG_TEXT_BYTES // len(block))
