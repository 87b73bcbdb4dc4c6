"""Random pretokens that are hard to merge: repetitions, long stretches without a seam, texts of many scripts."""

from __future__ import annotations

import base64
import random

_ALPHABETS = (
    *(
        "ab",
        "abc",
        "aabb",
        "abcdefghijklmnopqrstuvwxyz",
        "etaoinshr",
        "aA",
        "ht",
        "s",
        " ",
        "\n ",
        " \t",
        "-=",
        "=*#",
        ".,",
    ),
    *(
        "0123456789abcdef",
        "aA1 ",
        "'sStT",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "()[]{};:",
        "атьион",
        "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    ),
    *(
        "あいうえおかきくけこ漢字",
        "你好世界中国的一是不了人我在有他这",
        "กขคงจฉชซ่้ำ",
        "हिन्दीनमस्ते",
        "한국어입니다",
        "ابجدهوز",
        "éßñüöä",
    ),
    *("😀😁😂🤣❤\ufe0f\u200d👍🏽", "́̈̃abc", "०१२٣"),
)
_RUNS = (
    "a",
    "A",
    " ",
    "\n",
    "\t",
    "-",
    "=",
    "*",
    "/",
    "é",
    "я",
    "漢",
    "。",
    "ー",
    "😀",
    "ab",
    "abc",
    " \n",
    "xyz",
    "-*",
    "क्",
    "aab",
    "\u3000",
)
_WORDS_OF_MANY_KINDS = """
the of and to in is that for it as was with be by on not he his but at are this have from or had an they which one
function return import class self None true false const static void int public private String encoding tokenizer
und der die das nicht eine que los las para avec dans была было которые international uncharacteristically
ΑΒΓ естественно 世界人权宣言 トークン 안녕하세요 สวัสดี नमस्ते مرحبا
"""
_WORDS = _WORDS_OF_MANY_KINDS.split()


def _size(rng: random.Random, longest: int) -> int:
    sizes = [
        1,
        2,
        3,
        5,
        8,
        13,
        15,
        16,
        17,
        31,
        32,
        33,
        47,
        48,
        60,
        63,
        64,
        65,
        66,
        80,
        112,
        113,
        128,
        129,
        200,
        400,
        511,
        512,
    ]
    sizes += [513, 600, 784, 1000, 1024, 1500, 3000, 8000]
    return rng.choice([size for size in sizes if size <= longest])


def odd_piece(rng: random.Random, longest: int = 600) -> str:
    """A piece of about so many characters at most, never empty."""
    size = _size(rng, longest)
    kind = rng.randrange(8)
    if kind == 0:
        return "".join(
            chr(rng.choice((rng.randrange(0x20, 0xD800), rng.randrange(0xE000, 0x110000)))) for _ in range(size)
        )
    if kind == 1:
        unit = rng.choice(_RUNS)
        text = unit * (size // len(unit) + 1)
        if rng.random() < 0.4:
            place = rng.randrange(len(text))
            text = text[:place] + rng.choice(("x", "q", " ", "é", "\n", "漢")) + text[place:]
        return text
    if kind == 2:
        unit = "".join(rng.choices(rng.choice(_ALPHABETS), k=rng.randrange(1, 70)))
        return (unit * (size // len(unit) + 1))[:size]
    if kind == 3:
        return "".join(rng.choices(_WORDS, k=size // 6 + 1))
    if kind == 4:
        return base64.b64encode(rng.randbytes(size)).decode()
    if kind == 5:
        return " ".join(rng.choices(_WORDS, k=size // 7 + 1))
    if kind == 6:
        alphabet = "".join(rng.sample(_ALPHABETS, 3))
        return "".join(rng.choices(alphabet, k=size))
    return "".join(rng.choices(rng.choice(_ALPHABETS), k=size))
