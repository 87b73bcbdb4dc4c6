"""Normalisation where versions of Unicode differ, against ``tokenizers``."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import normalizers

from engine.library.formats.isolated_check import TEXTS
from engine.text.normalization import (
    _RANGES,
    _STARTERS,
    _TABLED,
    FORMS,
    LOWERCASE,
    STRIP_ACCENTS,
    Normalizer,
    _begins_segment,
    composed,
    may_differ,
)
from tests.thoroughness import as_deep, mostly_deep

NAMES = {**{form: form for form in FORMS}, LOWERCASE: "Lowercase", STRIP_ACCENTS: "StripAccents"}
MARKS = "\u0334\u093c\u3099\u094d\u05b0\u0323\u0301\u0315\u0345"
DIFFERENT = [
    "a\u1df6\u0323",
    "a\u0315\u1dfa",
    "\u0995\u09fe\u09bc",
    "q\u0301\U00010efd",
    "\U00011938",
    "\U00011935\U00011930",
    "\u32ff",
    "a\ud800\u1df6\u0323",
]


def theirs(step, text):
    return getattr(normalizers, NAMES[step])().normalize_str(text)


@pytest.mark.parametrize("step", mostly_deep(NAMES, 2))
def test_every_character_as_tokenizers_does_it(step):
    characters = (chr(point) for point in range(0x80, 0x110000) if not 0xD800 <= point < 0xE000)
    ours = Normalizer((step,))
    kinds = [one for one in characters if may_differ(one) or unicodedata.category(one) not in ("Cn", "Co")]
    lines = ["\n".join(f"x{one}" for one in kinds[at : at + 512]) for at in range(0, len(kinds), 512)]
    assert [line for line in lines if ours(line) != theirs(step, line)] == []


@pytest.mark.deep
@pytest.mark.parametrize("form", ["NFC", as_deep("NFKD")])
def test_every_mark_takes_the_place_that_tokenizers_gives_it(form):
    ours = Normalizer((form,))
    marks = [
        chr(point) for point in range(0x300, 0x1E950) if unicodedata.combining(chr(point)) or may_differ(chr(point))
    ]
    marks = [mark for mark in marks if not "\ud800" <= mark <= "\udfff"]
    texts = ["".join(f"o{mark}{other} o{other}{mark} " for other in MARKS) for mark in marks]
    assert [text for text in texts if ours(text) != theirs(form, text)] == []


@pytest.mark.parametrize("text", DIFFERENT)
def test_surrogates_stay_and_what_differs_is_found(text):
    assert may_differ(text)
    assert Normalizer(("NFC",))(text).replace("\ud800", "") == "".join(
        theirs("NFC", part) for part in text.split("\ud800")
    )


def test_the_sample_of_an_import_holds_what_differs():
    sample = "".join(TEXTS)
    named = [*range(0x1DF6, 0x1DFB), 0x7FD, *range(0x898, 0x8A0), *range(0x8CA, 0x8D4), *range(0x1ABF, 0x1ACF)]
    assert all(chr(point) in sample for point in [*named, 0x9FE, 0xC3C, 0x11938, 0x32FF])


@given(
    st.text(st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from(MARKS + "\u1df6\u07fd\u0c3c\u1acf")))
)
def test_any_text(text):
    for step in ("NFC", "NFKC"):
        assert Normalizer((step,))(text) == theirs(step, text)


def test_common_text_is_left_to_python():
    assert not may_differ("Le café, 漢字 かな 한글 हिन्दी العربية עברית ไทย Ελληνικά Русский 😀👩\u200d🚀 — “”…")


def test_what_begins_a_segment_stays_as_it_is() -> None:
    """By Python's own tables: no mark, nothing that NFC changes, nothing that it joins to what stands before."""
    seconds = set()
    for point in range(0x110000):
        parts = unicodedata.decomposition(chr(point)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            seconds.add(int(parts[1], 16))
    for point in np.flatnonzero(_begins_segment()).tolist():
        character = chr(point)
        assert unicodedata.combining(character) == 0
        assert unicodedata.normalize("NFC", character) == character
        assert point not in seconds
    plain = "Plain “text”, naïve café, 字符串処理, Вопрос, 한국어, 😀, هل؟ and ½."
    assert composed(plain) is plain


@pytest.mark.parametrize(
    "text",
    ["e\u0301", "\u0301", "\u2126\u0301", "\u1100\u1161\u11a8", "a\u1df6\u0323", "か\u3099", "\U000110a5\U000110ba"],
)
def test_an_open_run_is_composed_with_the_character_before_it(text: str) -> None:
    for before in ("", "é", "字", "😀", "a" * 100, "字" * 100, f"{text}x", f"{text}{'é' * 100}"):
        for after in ("", "x", "字", "😀", "a" * 100, "é" * 100, f"x{text}" + 100 * "é"):
            whole = before + text + after
            assert composed(whole) == theirs("NFC", whole)
            assert composed(f"\ud800{whole}\udfff") == f"\ud800{theirs('NFC', whole)}\udfff"


def test_the_tables_have_every_code_point_that_differs_from_the_last():
    ends = [int(one.rpartition("-")[2], 16) for one in f"{_RANGES} {_STARTERS}".split()]
    assert max(ends) < _TABLED - 1
