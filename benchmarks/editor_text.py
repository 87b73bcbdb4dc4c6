"""Generated texts for editor benchmarks: prose, code, tables, other scripts, emoji."""

from __future__ import annotations

import random

_PROSE = (
    "the of and to in is that for it with as was on be by this are from or have an they which one you had not but "
    "all were when there can more if no out so what up into than them some could only other time about many then "
    "tokenizer encoding vocabulary prompt language model training corpus merges pretokenization bytes character "
    "probability throughput measurement architecture configuration parameters"
)
_WORDS = _PROSE.split()
_CODE = (
    "def count(text: str) -> int:\n    return len(encode(text))",
    "for index, (key, value) in enumerate(sorted(table.items())):\n    print(f'{index}: {key} = {value!r}')",
    '{"id": 4037, "bytes": [32, 116, 111], "rank": 12, "special": false}',
    "| model | input | output |\n|---|---:|---:|\n| small | 0.15 | 0.60 |",
    "https://example.org/path/to/page?query=token+count&page=2#section-3",
)
_OTHER = (
    "中文分词与字节对编码的关系需要仔细研究。",
    "日本語のテキストも少し含めます。",
    "Немного русского текста для проверки.",
    "Ein paar Umlaute: äöüß, naïve Façaden.",
    "مرحبا بالعالم",
    "Emoji 😀 👩\u200d👩\u200d👧 🇩🇪 ✅",
)


def mixed_text(size: int, seed: int = 1) -> str:
    """Return about ``size`` UTF-8 bytes of paragraphs, a fifth of them code, one in thirty in another script."""
    rnd = random.Random(seed)
    parts: list[str] = []
    # Generate one block and repeat it with changes: 10 MB word by word would take too long.
    block = "\n".join(_paragraph(rnd) for _ in range(2000))
    length = len(block.encode())
    while length * len(parts) < size:
        parts.append(block.replace("token", rnd.choice(_WORDS), rnd.randrange(40)))
    return "\n".join(parts).encode()[:size].decode("utf-8", "ignore")


def one_line(size: int, seed: int = 1) -> str:
    """Return ``mixed_text`` without newlines."""
    return mixed_text(size, seed).replace("\n", " ")


def dense_text(lines: int, columns: int) -> str:
    """Return lines in which every second character starts a token."""
    return "\n".join(("a b c d e f g h i j " * (columns // 20 + 1))[:columns] for _ in range(lines))


def _paragraph(rnd: random.Random) -> str:
    kind = rnd.random()
    if kind < 0.2:
        return rnd.choice(_CODE)
    if kind < 0.23:
        return rnd.choice(_OTHER)
    words = [rnd.choice(_WORDS) for _ in range(rnd.randint(4, 40))]
    words[0] = words[0].capitalize()
    for place in range(rnd.randint(5, 12), len(words), rnd.randint(6, 14)):
        words[place] += rnd.choice((",", ".", ";", ":"))
    return " ".join(words) + "."
