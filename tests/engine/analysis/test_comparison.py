"""Encodings side by side on one text, beside a plain reading of what that means."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given

import engine
from engine.analysis.comparison import TextComparison, compare
from tests.engine.encoding.test_preprocessing_encoding import encodings as prepared
from tests.engine.library.formats.library_files import character_bpe, unigram, word_piece
from tests.engine.strategies import texts_with_surrogates

PLAIN = ("gpt2", "cl100k_base", "o200k_base")
SAMPLE = "Hello, strawberry 12345!\n\tprint('naïve')\n\nПривет, мир.\nこんにちは世界 👩‍👩‍👧\n"


def plain_ends(name: str, text: str) -> list[int]:
    """Where tokens end, in bytes, told by tiktoken's own decoding."""
    encoding = engine.get_encoding(name)
    ends, place = [], 0
    for token in encoding.encode_ordinary(text):
        place += len(encoding.decode_single_token_bytes(token))
        ends.append(place)
    return ends


def sound(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def compared(text: str) -> TextComparison:
    return compare([engine.get_encoding(name) for name in PLAIN], text)[0]


def plain_cuts(text: str, ends: list[list[int]]) -> list[int]:
    places, place = set(), 0
    for character in text:
        place += len(character.encode())
        places.add(place)
    return sorted(places.intersection(*ends))


@pytest.mark.deep
@given(texts_with_surrogates())
def test_every_byte_and_every_token_is_counted_once(text):
    found, text = compared(text), sound(text)
    counts = tuple(engine.get_encoding(name).count(text) for name in PLAIN)
    assert found.units.tobytes().decode("utf-16-le") == text
    assert found.tokens == counts
    for parts in (found.scripts, found.kinds):
        assert sum(part.utf8_bytes for part in parts) == found.utf8_bytes == len(text.encode())
        assert tuple(sum(part.tokens[number] for part in parts) for number in range(3)) == (
            counts if text else (0,) * 3
        )
    for column in compare([engine.get_encoding(name) for name in PLAIN], text)[1]:
        ends = column.utf16_ends
        assert (np.diff(ends, prepend=0) >= 0).all()
        assert ends[-1:].tolist() == [len(found.units)][: len(ends)]


@pytest.mark.deep
@given(texts_with_surrogates())
def test_stretches_are_those_between_common_bounds(text):
    found, text = compared(text), sound(text)
    ends = [plain_ends(name, text) for name in PLAIN]
    expected, before = [], 0
    for cut in plain_cuts(text, ends):
        counts = tuple(sum(before < end <= cut for end in one) for one in ends)
        stretch = text.encode()[before:cut].decode()
        if len(set(counts)) > 1:
            expected.append((min(counts) - max(counts), before, stretch, counts))
        before = cut
    expected.sort(key=lambda row: row[:2])
    assert [(one.beginning, one.tokens) for one in found.spans] == [row[2:] for row in expected]
    for one in found.spans:
        units = found.units[one.utf16_start : one.utf16_end]
        assert units.tobytes().decode("utf-16-le") == one.beginning
        assert one.line == 1 + sound(text).encode("utf-16-le")[: 2 * one.utf16_start].decode("utf-16-le").count("\n")


@given(texts_with_surrogates())
def test_kinds_are_those_of_the_last_visible_character(text):
    def kind(character: str) -> str:
        if character.isspace() and character not in "\x1c\x1d\x1e\x1f":
            return "white space"
        return {"L": "letters", "M": "letters", "N": "digits", "P": "punctuation"}.get(
            unicodedata.category(character)[0], "symbols"
        )

    found, text = compared(text), sound(text)
    if any(unicodedata.category(character) == "Cn" for character in text):
        return  # tiktoken's tables may know of newer characters than Python's
    of_byte = [(number, kind(character)) for number, character in enumerate(text) for _ in character.encode()]
    for number, name in enumerate(PLAIN):
        expected: dict[str, int] = {}
        before = 0
        for end in plain_ends(name, text):
            kinds = [kind for _, kind in of_byte[before:end]]
            meant = next((one for one in reversed(kinds) if one != "white space"), "white space")
            expected[meant] = expected.get(meant, 0) + 1
            before = end
        assert {part.key: part.tokens[number] for part in found.kinds if part.tokens[number]} == expected


def test_lines_and_scripts():
    found = compared(SAMPLE)
    assert [part.key for part in found.scripts] == ["Latin", "Japanese", "Cyrillic", "no letters"]
    cyrillic = compared("Привет, мир.\nHello\n")
    assert [(part.key, part.utf8_bytes) for part in cyrillic.scripts] == [("Cyrillic", 22), ("Latin", 6)]
    lines = SAMPLE.splitlines(keepends=True)
    for one in found.lines:
        assert one.beginning == lines[one.line - 1]
    spreads = [one.spread for one in found.lines]
    assert spreads == sorted(spreads, reverse=True)


def test_one_encoding_and_no_text():
    alone, _ = compare([engine.get_encoding("gpt2")], SAMPLE)
    assert alone.spans == alone.lines == ()
    assert alone.tokens == (engine.get_encoding("gpt2").count(SAMPLE),)
    assert compared("").tokens == (0, 0, 0)


@pytest.mark.parametrize("content", [unigram, word_piece, character_bpe])
def test_tokenizers_that_a_library_runs_take_part(content, tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content())
    other = engine.load(str(path))
    found, _ = compare([other, engine.get_encoding("cl100k_base")], SAMPLE)
    assert found.tokens == (other.count(SAMPLE), engine.get_encoding("cl100k_base").count(SAMPLE))
    for parts in (found.scripts, found.kinds):
        assert tuple(sum(part.tokens[number] for part in parts) for number in range(2)) == found.tokens


@pytest.mark.parametrize("name", sorted(prepared))
def test_encodings_that_change_a_text_first_take_part(name):
    other = prepared[name]
    found, columns = compare([other, engine.get_encoding("cl100k_base")], SAMPLE)
    assert found.tokens[0] == other.count(SAMPLE)
    assert (
        tuple(sum(part.tokens[0] for part in parts) for parts in (found.scripts, found.kinds)) == found.tokens[:1] * 2
    )
    assert columns[0].utf16_ends[-1] == len(found.units)


def test_progress_may_stop_it():
    seen: list[float] = []

    def stop(fraction: float) -> None:
        seen.append(fraction)
        if len(seen) == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        compare([engine.get_encoding(name) for name in PLAIN], SAMPLE, stop)
    assert seen[0] == 0 < seen[1] < 1
