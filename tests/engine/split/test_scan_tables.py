"""The tables of the scanners say of every code point what tiktoken's classes say."""

from __future__ import annotations

import numpy as np
import pytest

from engine.kernels import blocks
from engine.kernels.block_scanners import CROSSED, CROSSED_PAIRS, INNER_STARTS, PAIRS_AT
from engine.split import scanners
from engine.text.character_classes import matching

EAST = r"\u4e00-\u9fa5\u3040-\u30ff"

WORDS = {
    blocks.UPPER: r"[\p{Lu}\p{Lt}]",
    blocks.LOWER: r"\p{Ll}",
    blocks.CASELESS: r"[\p{Lm}\p{Lo}]",
    blocks.MARK: r"\p{M}",
    blocks.NUMBER: r"\p{N}",
    blocks.SPACE: r"[\s--\r\n]",
    blocks.NEWLINE: r"[\r\n]",
    blocks.OTHER: r"[^\s\p{L}\p{M}\p{N}]",
}

LETTERS = WORDS | {
    blocks.CASELESS: r"[\p{Lm}\p{Lo}\p{M}]",
    blocks.MARK: r"[\s&&\p{M}]",  # nothing
}

HAN = {
    **{number: f"[{expression}--\\p{{Han}}]" for number, expression in WORDS.items()},
    **{
        blocks.EAST + number: f"[{WORDS[number]}&&\\p{{Han}}]"
        for number in (blocks.OTHER, blocks.CASELESS, blocks.MARK, blocks.NUMBER)
    },
}

DEEPSEEK = {
    blocks.CASED: rf"[\p{{Lu}}\p{{Lt}}\p{{Ll}}--[{EAST}]]",
    blocks.SYMBOL: rf"[[\p{{P}}\p{{S}}]--[{EAST}]]",
    blocks.CASELESS: rf"[[\p{{Lm}}\p{{Lo}}]--[{EAST}]]",
    blocks.MARK: rf"[\p{{M}}--[{EAST}]]",
    blocks.NUMBER: r"\p{N}",
    blocks.SPACE: r"[\s--\r\n]",
    blocks.NEWLINE: r"[\r\n]",
    blocks.OTHER: rf"[^\s\p{{L}}\p{{M}}\p{{N}}\p{{P}}\p{{S}}{EAST}]",
    blocks.EAST + blocks.OTHER: rf"[[{EAST}]--[\p{{L}}\p{{M}}\p{{P}}\p{{S}}]]",
    blocks.EAST + blocks.SYMBOL: rf"[[{EAST}]&&[\p{{P}}\p{{S}}]]",
    blocks.EAST + blocks.CASELESS: rf"[[{EAST}]&&\p{{L}}]",
    blocks.EAST + blocks.MARK: rf"[[{EAST}]&&\p{{M}}]",
}


@pytest.mark.parametrize(
    ("table", "classes"),
    [
        (scanners.word_table, WORDS),
        (scanners.mark_table, WORDS),
        (scanners.letter_table, LETTERS),
        (scanners.han_table, HAN),
        (scanners.deepseek_table, DEEPSEEK),
    ],
    ids=["words", "marks", "letters", "han", "deepseek"],
)
def test_classes_are_those_of_tiktoken(table, classes):
    ours = table().of_all()
    for number, expression in classes.items():
        expected = matching(expression).contains(np.arange(len(ours)))
        expected[0xD800:0xE000] = expected[0xFFFD]
        differing = np.flatnonzero((ours == number) != expected)
        assert [hex(point) for point in differing[:10]] == [], expression


def test_whatever_four_bytes_decode_to_is_in_the_table():
    table = scanners.word_table()
    assert len(table.pages) * 128 == 0x200000
    assert int(table.pages.max()) * 128 + 128 == len(table.classes)


def test_splittable_letters_are_those_without_case():
    table = scanners.word_table()
    flagged = table.classes & blocks.SPLITTABLE != 0
    assert set((table.classes[flagged] & blocks.CLASS).tolist()) == {blocks.CASELESS}


READINGS = (
    *(scanners.word_table, scanners.mark_table, scanners.letter_table),
    *(scanners.han_table, scanners.deepseek_table),
)


def crossings(*tokens: bytes) -> np.ndarray:
    """The crossings of a vocabulary of these tokens."""
    offsets = np.cumsum([0, *map(len, tokens)]).astype(np.int64)
    return scanners.crossings_of(np.frombuffer(b"".join(tokens), dtype=np.uint8), offsets)


def is_noted(bits: np.ndarray, character: str) -> bool:
    """Whether some token starts inside the character before."""
    return bool(bits[ord(character) >> 3] >> (ord(character) & 7) & 1)


def test_tokens_without_two_wide_characters_cross_nothing():
    bits = crossings(
        b"abc", "é".encode(), "漢".encode(), "a漢b字".encode(), "éé".encode(), "😀😀".encode(), b"\xe6", b""
    )
    assert not bits.any()


def test_a_token_that_crosses_sets_one_bit():
    bits = crossings("漢字".encode())
    assert int(np.unpackbits(bits).sum()) == 1
    assert not bits[:INNER_STARTS].any()


def test_a_token_that_ends_inside_a_character_stands_for_all_that_begin_so():
    bits = crossings("漢字".encode()[:-1])
    assert 60 < int(np.unpackbits(bits).sum()) <= 64


def test_a_token_that_starts_inside_a_character_notes_the_one_behind():
    bits = crossings("漢字".encode()[1:])
    assert is_noted(bits, "字")
    assert not is_noted(bits, "漢")
    assert not bits[INNER_STARTS:].any()


def test_nothing_is_cut_around_a_token_that_merging_never_makes():
    token = "漢字語".encode()
    unmade = np.zeros(1, dtype=np.uint32)
    bits = scanners.crossings_of(np.frombuffer(token, dtype=np.uint8), np.array([0, len(token)]), unmade)
    assert is_noted(bits, "漢")
    assert is_noted(bits[INNER_STARTS:], "語")
    assert int(np.unpackbits(bits[:CROSSED_PAIRS]).sum()) == 2
    table = scanners.word_table()
    plain, held = (scanners.wide_table_of(table, some) for some in (np.zeros_like(bits), bits))
    changed = np.flatnonzero(plain[:PAIRS_AT] != held[:PAIRS_AT])
    assert {chr(point): held[point] ^ plain[point] for point in changed} == {"漢": CROSSED, "語": blocks.SPLITTABLE}


@pytest.mark.parametrize("reading", READINGS)
def test_the_wide_table_says_of_a_character_what_the_others_say(reading):
    table = reading()
    bits = crossings("漢字".encode()[1:], "ぁあ".encode())
    wide = scanners.wide_table_of(table, bits)
    points = np.arange(PAIRS_AT)
    flags = table.classes[table.pages[points >> 7].astype(np.int64) << 7 | points & 127]
    assert ((wide[:PAIRS_AT] & blocks.CLASS) == table.of_all()[:PAIRS_AT]).all()
    of_three = points >= 0x800
    assert ((wide[:PAIRS_AT] & blocks.SPLITTABLE) == flags * of_three & blocks.SPLITTABLE).all()
    assert np.flatnonzero(wide[:PAIRS_AT] & CROSSED).tolist() == [ord("字")]
    assert (wide[PAIRS_AT:] == bits[CROSSED_PAIRS:]).all()
