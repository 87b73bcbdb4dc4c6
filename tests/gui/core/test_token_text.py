from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.core.token_text import hexadecimal, visible, visible_text


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"hello", "hello"),
        (b" token", "·token"),
        (b"\n\n", "⏎⏎"),
        (b"\r\n", "␍⏎"),
        (b"\t", "→"),
        (b"\x00\x1b\x7f", "␀␛␡"),
        ("café".encode(), "café"),
        ("質問".encode(), "質問"),
        ("🚀".encode(), "🚀"),
        ("🚀".encode()[:3], r"\xf0\x9f\x9a"),
        ("🚀".encode()[3:], r"\x80"),
        (b"a\xffb", r"a\xffb"),
        (b"\xed\xa0\x80", r"\xed\xa0\x80"),
        ("\xa0".encode(), "⟨NBSP⟩"),
        ("\u200b\u200d\u200e\u202e\u2066".encode(), "⟨ZWSP⟩⟨ZWJ⟩⟨LRM⟩⟨RLO⟩⟨LRI⟩"),
        ("\ufeff".encode(), "⟨BOM⟩"),
        ("\xad".encode(), "⟨SHY⟩"),
        ("\u2028\u2029\x85".encode(), "⟨LS⟩⟨PS⟩⟨NEL⟩"),
        ("\u3000\u2003\u202f".encode(), "⟨IDEO SP⟩⟨EM SP⟩⟨NNBSP⟩"),
        ("\u2001".encode(), "⟨U+2001⟩"),
        ("❤\ufe0f".encode(), "❤⟨VS16⟩"),
        ("\U000e0041".encode(), "⟨TAG A⟩"),
        ("\U000e0101".encode(), "⟨VS18⟩"),
        ("\u0301".encode(), "◌\u0301"),
        ("e\u0301".encode(), "e\u0301"),
        ("\u0080".encode(), "⟨U+0080⟩"),
        ("\ue000\U0010ffff".encode(), "⟨U+E000⟩⟨U+10FFFF⟩"),
        (b"", ""),
        (b"<b>&amp;", "<b>&amp;"),
    ],
)
def test_examples(raw: bytes, shown: str):
    assert visible(raw) == shown


def test_lone_surrogates_are_shown_by_code_point():
    assert visible_text("a\ud800") == "a⟨U+D800⟩"


def is_plain(text: str) -> bool:
    return all(unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"} for character in
               text.replace("⟨", "").replace(" ", ""))  # fmt: skip


@given(st.binary(max_size=40))
def test_everything_can_be_seen_and_stays_in_one_line(raw: bytes):
    shown = visible(raw)
    assert is_plain(shown)
    assert not set(shown) & set("\n\r\t\v\f\x85\u2028\u2029\u202e\u200b")
    assert bool(shown) == bool(raw)


@pytest.mark.deep
def test_every_character_gets_a_sign():
    """No character of Unicode is left invisible, and none but names in brackets brings in a space."""
    for code in range(sys.maxunicode + 1):
        shown = visible_text(chr(code))
        assert shown, hex(code)
        if " " in shown:
            assert shown[0] == "⟨", hex(code)
            assert shown[-1] == "⟩", hex(code)


def test_hexadecimal_is_cut_with_a_count():
    assert hexadecimal(b"\x00\xff") == "00 ff"
    assert hexadecimal(bytes(range(10)), 4) == "00 01 02 03 … +6"
    assert hexadecimal(bytes(4), 4) == "00 00 00 00"
