"""A few rounds of ``benchmarks/differential.py``, and that it sees what it looks for."""

from __future__ import annotations

import dataclasses
import functools
import re
import unicodedata
from pathlib import Path

import numpy as np
import pytest

import engine
from engine.encoding.encoder import NativeEncoder
from engine.kernels._jit import COMPILED
from engine.text import character_classes
from tests.engine.differential import ALL_NAMES, Case, compare_round, open_cases, random_strings
from tests.thoroughness import mostly_deep

SEED = 2_024
ROUNDS, STRINGS = (2, 1_000) if COMPILED else (2, 60)
NAMES = ALL_NAMES if COMPILED else ["r50k_base"]
"""Where nothing is compiled, filling the tables of the others would take minutes."""


@functools.cache
def strings_of(number: int, count: int = STRINGS) -> list[str]:
    return random_strings(SEED, number, count)


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return {case.name: case for case in open_cases(NAMES)}


@pytest.mark.parametrize("number", mostly_deep(range(ROUNDS), 1))
@pytest.mark.parametrize("name", NAMES)
def test_random_strings_have_the_ids_of_tiktoken(cases, name, number):
    assert compare_round(cases[name], SEED, number, strings_of(number)) is None


def test_random_strings_have_the_ids_of_the_published_tokenizers(vocabularies: Path):
    (case,) = open_cases(["deepseek" if COMPILED else "r50k_base"], vocabularies)
    assert compare_round(case, SEED, ROUNDS, strings_of(ROUNDS, 100)) is None


def test_the_same_seed_gives_the_same_strings():
    assert random_strings(SEED, 1, 50) == random_strings(SEED, 1, 50)
    assert random_strings(SEED, 1, 50) != random_strings(SEED, 2, 50)
    assert random_strings(SEED, 1, 50) != random_strings(SEED + 1, 1, 50)


class Wrong:
    """An encoder that takes one character for another."""

    def __init__(self, encoder: NativeEncoder, method: str) -> None:
        self._encoder = encoder
        self._method = method

    def __getattr__(self, name: str) -> object:
        method = getattr(self._encoder, name)
        if name != self._method:
            return method
        return lambda content: method(content.replace("漢".encode(), b"?"))


@pytest.mark.parametrize("method", ["count", "encode", "encode_to_list", "token_ends"])
def test_a_wrong_encoder_is_found_and_the_text_is_short(cases, method):
    case = cases["r50k_base"]
    broken = dataclasses.replace(case, twin=None, open_native=lambda: Wrong(case.open_native(), method))
    found = compare_round(broken, SEED, 0, ["nothing", "here is 漢字, and more of it"])
    assert found is not None
    assert found.text == "漢"


def test_special_tokens_that_are_not_found_are_seen(cases):
    case = dataclasses.replace(cases["r50k_base"], twin="none", encoding=Deaf(cases["r50k_base"].encoding))
    found = compare_round(case, SEED, 0, ["ab"] * 1_000)
    assert found is not None
    assert found.what == "encode with special tokens"


class Deaf:
    """An encoding that takes special tokens for plain text."""

    def __init__(self, encoding: engine.Encoding) -> None:
        self.special_tokens_set = encoding.special_tokens_set
        self._special_tokens = encoding._special_tokens
        self.encode_ordinary = encoding.encode_ordinary
        self.count = encoding.count

    def encode(self, text: str, allowed_special: str) -> list[int]:
        return self.encode_ordinary(text)


@pytest.mark.deep
def test_random_strings_hold_what_encoders_get_wrong():
    text = "\x03".join(random_strings(SEED, 0, 20_000))
    points = np.unique(np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32))
    assert set((points >> 16).tolist()) == set(range(17)), "all planes"
    assert set(character_classes.WHITE_SPACE) <= set(points.tolist())
    assert "\r\n" in text
    for contraction in ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d"):
        pattern = "'" + "".join(f"[{letter}{letter.upper()}]" for letter in contraction[1:])
        assert len(set(re.findall(pattern, text))) == 2 ** (len(contraction) - 1), contraction
    assert {"ſ", "\u212a", "'ſ"} <= {*text, *re.findall("'.", text)}
    categories = [unicodedata.category(chr(point)) for point in points.tolist()]
    assert set(categories) == {
        *("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"),
        *("Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Co", "Cn"),
    }
    digits = {int(point) >> 4 for point, category in zip(points, categories, strict=True) if category == "Nd"}
    assert len(digits) > 40, "digits of many scripts"
