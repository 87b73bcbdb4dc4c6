"""Random texts that are hard to cut: everything that the split patterns look at, mixed."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator

from engine.split import scanners
from engine.text import character_classes


def _cases_of(word: str) -> Iterator[tuple[str, ...]]:
    """The word with each letter small or capital, in every way."""
    return itertools.product(*((letter, letter.upper()) for letter in word))


_CONTRACTIONS = [
    *("'" + "".join(cased) for end in ("s", "t", "re", "ve", "m", "ll", "d") for cased in _cases_of(end)),
    *("'", "'ſ", "'\u212a", "'l", "'v", "'r", "'L", "''s", "don't", "I'M", "x's's", "we'Ve"),
]
_PIECES = [
    *_CONTRACTIONS,
    *("", " ", "  ", "   ", "\t", "\n", "\r\n", "\r", "\n\n", " \n", "\n ", "\x0b", "\x0c", "\x85", "\x1c", "\x1f"),
    *("\u00a0", "\u1680", "\u2000", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\u200b", "\u180e", "\ufeff"),
    *("a", "A", "Ab", "ab", "AB", "aB", "z", "Z", "é", "É", "я", "Я", "ß", "ſ", "\u212a", "ǅ", "ʰ", "ª", "ʕ", "ﬁ"),
    *("1", "12", "123", "1234", "²", "½", "٣", "०", "०१२३", "Ⅷ", "𝟗", "৪"),
    *(
        "漢",
        "字",
        "漢字",
        "あ",
        "ア",
        "ー",
        "・",
        "゛",
        "゙",
        "\u3097",
        "龥",
        "龦",
        "㐀",
        "々",
        "〇",
        "𠀀",
        "⺀",
        "〡",
        "\U00016ff0",
        "\U00016fe2",
    ),
    *("한", "ก", "ำ", "ไทย", "हि", "न्दी", "ا", "ب", "\u0558", "\u0378", "\ue000", "\U000e0001", "\U0010ffff"),
    *(
        "!",
        "!!",
        "/",
        "//",
        ".",
        ",",
        "(",
        "#",
        "_",
        "$",
        "+",
        "。",
        "「",
        "\u2013",
        "€",
        "❤\ufe0f",
        "😀",
        "👍🏽",
        "👩\u200d💻",
    ),
    *("\u0301", "\u0308", "\u20dd", "\u0903", "\ufe0f", "\x00", "\x01", "\x7f", "\ufffd", "\u00ad", "\u0600"),
]
_ALPHABETS = [
    *("ab", "aA1 ", "'sStTlLrReEvVmMdDſ x", "\n\r \t/", "!?/#\n", " \u00a0\u3000\u2003\n", "'\n /s", "A漢a\u0301"),
    *(
        "漢字かなAbc",
        "你好世界API",
        "กขำ่",
        "हिन्दी",
        "한국어",
        "Привет",
        "éßñ",
        "😀❤\ufe0f\u200d",
        "०१२٣",
        "ア・ゲーム゛\u3097",
    ),
    *("\x01a \u0301", " 1漢a", "\u200b1 漢!a", "aA'sS", "ǅaA\u0301漢", "Zz \t", "/\n!a"),
]
_RUNS = [
    "a",
    "aB",
    " ",
    "\n",
    "1",
    "=",
    "ab",
    "漢",
    "é",
    "क्",
    "Aa",
    "😀",
    "-*",
    "'s",
    "\t",
    " \n",
    "\u3000",
    "A",
    "/",
    "\u0301",
]


@functools.cache
def _by_class() -> list[list[str]]:
    """The characters of each class, in both readings, and of each general category."""
    groups: dict[tuple[int, int], list[str]] = {}
    readings = (
        scanners.word_table().of_all(),
        scanners.deepseek_table().of_all(),
        character_classes.load().categories(),
    )
    for number, classes in enumerate(readings):
        for point, kind in enumerate(classes.tolist()):
            if not 0xD800 <= point < 0xE000:
                groups.setdefault((number, kind), []).append(chr(point))
    return list(groups.values())


def _of_pieces(rng: random.Random, length: int) -> str:
    mode = rng.randrange(6)
    if mode == 0:
        return "".join(chr(rng.choice((rng.randrange(0xD800), rng.randrange(0xE000, 0x110000)))) for _ in range(length))
    if mode == 1:
        return "".join(chr(rng.randrange(128)) for _ in range(length))
    if mode == 2:
        groups = _by_class()
        return "".join(rng.choice(rng.choice(groups)) for _ in range(length))
    if mode == 3:
        alphabet = "".join(rng.sample(_ALPHABETS, rng.randrange(1, 4)))
        return "".join(rng.choice(alphabet) for _ in range(length))
    if mode == 4:
        few = rng.sample(_PIECES, rng.randrange(2, 8))
        return "".join(rng.choice(few) for _ in range(length))
    return "".join(rng.choice(_PIECES) for _ in range(length))


def odd_text(rng: random.Random, longest: int = 80) -> str:
    """A random text: mostly short, sometimes some times ``longest`` characters, so that blocks of 64 bytes see it."""
    kind = rng.random()
    if kind < 0.6:
        return _of_pieces(rng, rng.choice((1, 2, 3, 4, 5, 8, 13, 20)))
    if kind < 0.8:
        return "".join(_of_pieces(rng, rng.choice((1, 3, 10, longest))) for _ in range(rng.randrange(1, 5)))
    run = rng.choice(_RUNS) * rng.choice((2, 3, 17, 31, 32, 33, 63, 64, 65, 100))
    return _of_pieces(rng, rng.randrange(4)) + run + _of_pieces(rng, rng.randrange(6))
