"""The script of each line."""

from __future__ import annotations

from hypothesis import given

from engine.text.character_classes import JAPANESE, NO_LETTERS, lines_by_script
from tests.engine.strategies import texts_with_surrogates


def test_lines_go_to_the_script_of_most_of_their_letters():
    text = "Hello, мир!\nПривет, world и все\n\n12345\n汉字和English\n漢字かな交じり文\n한국어\nשלום\nनमस्ते"
    assert lines_by_script(text) == {
        "Latin": "Hello, мир!\n汉字和English\n",
        "Cyrillic": "Привет, world и все\n",
        NO_LETTERS: "\n12345\n",
        JAPANESE: "漢字かな交じり文\n",
        "Hangul": "한국어\n",
        "Hebrew": "שלום\n",
        "Devanagari": "नमस्ते",
    }


def test_han_without_kana():
    assert lines_by_script("汉字\nカタカナ") == {"Han": "汉字\n", JAPANESE: "カタカナ"}


def test_a_script_without_a_name_here():
    assert lines_by_script("ᏣᎳᎩ") == {"other scripts": "ᏣᎳᎩ"}


def test_no_text():
    assert lines_by_script("") == {}


@given(text=texts_with_surrogates())
def test_no_line_is_lost(text):
    parts = lines_by_script(text)
    assert sorted("".join(parts.values())) == sorted(text)
    lines = text.split("\n")
    assert all(part.strip("\n").split("\n")[0] in lines for part in parts.values())
