"""The texts of ``benchmarks.encode``."""

from __future__ import annotations

import base64
import functools
import random
import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
CORPORA = PROJECT.parent / "shared" / "corpora"
CHINESE_BYTES = 2_000_000
_HAN = re.compile("[\u4e00-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")


def corpus_paths(extra: list[Path]) -> list[Path]:
    """Return the corpus files beside the checkout, and additional ones."""
    return [*sorted(CORPORA.glob("*.txt")), *extra]


def start_of(text: str, most_bytes: int) -> str:
    """Return the longest prefix of a text with at most ``most_bytes`` bytes of UTF-8."""
    return text[:most_bytes].encode()[:most_bytes].decode("utf-8", "ignore")


def corpora(paths: list[Path]) -> dict[str, str]:
    """Return texts by name: the whole of each file, and the Chinese lines of the multilingual one."""
    texts = {path.stem: path.read_bytes().decode("utf-8", "ignore") for path in paths}
    if multilingual := texts.get("multilingual"):
        texts["Chinese, 39 KB repeated"] = repeated_chinese(multilingual, CHINESE_BYTES)
    return texts


def repeated_chinese(source: str, size: int) -> str:
    """Return about ``size`` bytes of randomly repeated Chinese lines of ``source``: there is no longer text."""
    lines = (line for line in source.splitlines() if 4 * len(_HAN.findall(line)) > len(line) and not _KANA.search(line))
    known = sorted(set(lines))
    enough = size // max(1, len("".join(known).encode()) // max(1, len(known))) + 1
    return "\n".join(random.Random(1).choices(known, k=enough)).encode()[:size].decode("utf-8", "ignore")


@functools.lru_cache(maxsize=2)
def worst_inputs(size: int) -> dict[str, str]:
    """Return inputs of about ``size`` bytes that are difficult for encoders, by name."""
    rng = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    points = [point for point in range(0x80, 0x30000) if not 0xD800 <= point < 0xE000]
    return {
        "one letter": "a" * size,
        "ten digits in turn": "0123456789" * (size // 10),
        "one Han character": "中" * (size // 3),
        "spaces": " " * size,
        "newlines": "\n" * size,
        "two letters in turn": "ab" * (size // 2),
        "random letters": "".join(rng.choices(letters, k=size)),
        "random ASCII": "".join(map(chr, rng.choices(range(32, 127), k=size))),
        "base64, one line": base64.b64encode(rng.randbytes(size * 3 // 4)).decode(),
        "hexadecimal": rng.randbytes(size // 2).hex(),
        "random Unicode": "".join(map(chr, rng.choices(points, k=int(size / 3.7)))),
        "random Han": "".join(chr(rng.randrange(0x4E00, 0x9FFF)) for _ in range(size // 3)),
        "stacked marks": "".join(
            rng.choice("abc") + "".join(chr(rng.randrange(0x300, 0x370)) for _ in range(20)) for _ in range(size // 41)
        ),
        "emoji": "".join(rng.choices("😀😁😂🤣😃😄😅😆❤️👍🏽👨‍👩‍👧", k=size // 4)),
    }
