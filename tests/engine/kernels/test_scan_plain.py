"""The plain scanners cut where tiktoken cuts."""

from __future__ import annotations

import random

import pytest

from engine.kernels._jit import COMPILED
from engine.split import scanners
from tests.engine.kernels.odd_texts import odd_text
from tests.engine.kernels.scanning import SPLITS, ends_of
from tests.engine.kernels.split_oracle import first_disagreement
from tests.thoroughness import mostly_deep

SEED = 20_260
TEXTS = 2000 if COMPILED else 150

TRAPS = (
    *(
        "a\n  ",
        "a \n\n \n",
        "\n \n  x",
        " \n ",
        "  ",
        "a  ",
        "a  b",
        "a\t\tb",
        "\t!",
        " !",
        "  !",
        "\r\n\r\n a",
        "\n!\n",
    ),
    *(
        "x'ſy",
        "don'ſ",
        "'ſabc",
        "'\u212a",
        "x's's's",
        "x's'sa",
        "'llama",
        "I'M",
        "'S",
        "''s",
        "!'s",
        " 's",
        "x'",
        "x'l",
    ),
    *("HELLOworld", "helloWORLD", "HTTPServer", "ABCdEf", "ǅa", "aǅ", "ǅǅ", "漢字ABC 漢字Abc", "abc漢字DEF", "Ab漢Cd"),
    *(
        "\u0301ABC",
        "!\u0301",
        "!\u0301'sA",
        "!!\u0301a",
        "a\u0301b",
        " \u0301a",
        "\u0301",
        "❤\ufe0f",
        "👩\u200d💻",
        "1\u0301",
    ),
    *("\u00a0\u00a0a", "\u3000\u3000字", "\u0085a", "\x1c\x1c a", "a\u2028b", "\u180ea", "\u200ba", "\ufeffa"),
    *("1234567", "१२३४५", "1²३4", "12Ⅷ34", "a1b", " 12", "\t12", "1.5"),
    *("!\n/\n/x", "!/\n//\n!", "!\n/!\n/", "//\n\n//", "/\n/", "a/\n/b", "!\r\n/ x"),
    *(
        "ソフト・ハード",
        "・!",
        "゙",
        "か゛",
        "\u3097か",
        "\u3097\u3098か",
        "漢 字",
        "漢  字",
        "1 漢",
        "a  5",
        "  5",
        "\n 5",
        "龥龦",
    ),
    *(
        "!abcé",
        "!!abc",
        "。abc",
        " !abc",
        "\x01\x02b",
        "\x01!",
        " \x01",
        "\x01漢",
        "\u00ada",
        "\u0378\u0378a",
        "\ue000!",
    ),
    *("", "\x00", "\u0558a", "ʕa", "\U0010ffff", "𝒜𝒷", "ﬁ"),
)


@pytest.mark.parametrize("name", SPLITS)
def test_traps(name):
    split, pattern = SPLITS[name]
    scanner = scanners.plain_scanner(split)
    texts = [*TRAPS, *(first + second for first in TRAPS for second in ("a", " ", "\n", "字", "'s", "1", "A", "!"))]
    assert first_disagreement(pattern, texts, [ends_of(scanner, text) for text in texts]) is None


@pytest.mark.parametrize("name", mostly_deep(SPLITS, 2))
def test_random_texts(name):
    split, pattern = SPLITS[name]
    scanner = scanners.plain_scanner(split)
    rng = random.Random(f"{SEED} {name}")
    texts = [odd_text(rng) for _ in range(TEXTS)]
    assert first_disagreement(pattern, texts, [ends_of(scanner, text) for text in texts]) is None


@pytest.mark.parametrize(
    "unit", mostly_deep(["a", "A", "é", "漢", " ", "\n", "\t", "!", "1", " a", "\n ", "'s", "Aa", "\u3000"], 5)
)
@pytest.mark.parametrize("name", SPLITS)
def test_long_runs(name, unit):
    split, pattern = SPLITS[name]
    scanner = scanners.plain_scanner(split)
    texts = [
        unit * length + tail for length in (31, 32, 33, 95, 96, 97, 163, 200) for tail in ("", "x", " ", "\n", "!")
    ]
    texts = [text for text in texts if len(text) < 300]
    assert first_disagreement(pattern, texts, [ends_of(scanner, text) for text in texts]) is None


@pytest.mark.deep
def test_the_comparison_sees_every_other_way_of_cutting():
    """Whatever cuts are added to or taken from the right ones: ``first_disagreement`` must notice."""
    rng = random.Random(SEED)
    for name, (split, pattern) in SPLITS.items():
        scanner = scanners.plain_scanner(split)
        for _ in range(30):
            texts = [odd_text(rng, longest=20) for _ in range(3)]
            ends = [ends_of(scanner, text) for text in texts]
            size = len(texts[1].encode())
            if size < 2:
                continue
            changed = {rng.randrange(1, size) for _ in range(rng.randrange(1, 4))}
            ends[1] = sorted(set(ends[1]) ^ changed)
            assert first_disagreement(pattern, texts, ends) is not None, (name, texts[1], changed)
