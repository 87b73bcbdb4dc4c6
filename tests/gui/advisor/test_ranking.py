from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from gui.core.text_structure import Ranking, SectionKind, byte_offsets, rank_lines, rank_sections, sections, utf8
from tests.engine.strategies import texts_with_surrogates

KINDS: tuple[SectionKind, ...] = ("heading", "paragraph", "fence", "json", "role")
MARKED = ["# a\n", "\n\n", "```\n", "~~~ x\n", '{"a": [1]}\n', "user: ", "<|im_start|>", "é", "\ud83d", "word "]


def parts(text: str, ranking: Ranking) -> list[tuple[str, int]]:
    content = utf8(text)
    rows = zip(ranking.byte_starts.tolist(), ranking.byte_ends.tolist(), ranking.tokens.tolist(), strict=True)
    return [(content[start:end].decode("utf-8"), tokens) for start, end, tokens in rows]


def test_a_token_belongs_to_the_line_in_which_it_starts():
    ends = np.array([1, 4, 6, 7], dtype=np.int64)  # the second goes over the line feed
    ranking = rank_lines("ab\ncdé", ends)
    assert parts("ab\ncdé", ranking) == [("ab\n", 2), ("cdé", 2)]
    assert (ranking.total, ranking.share(0), ranking.largest(1)) == (4, 0.5, [0])
    assert not ranking.tokens.flags.writeable


def test_a_line_within_a_token_has_none():
    assert parts("\n\n\na", rank_lines("\n\n\na", np.array([3, 4]))) == [("\n", 1), ("\n", 0), ("\n", 0), ("a", 1)]


def test_lines_with_many_tokens_come_first():
    assert rank_lines("a\nbb\ncc\n", np.array([2, 3, 5, 6, 8])).largest(2) == [1, 2]


def test_an_empty_text_has_no_parts():
    nothing = np.empty(0, dtype=np.int64)
    for ranking in (rank_lines("", nothing), *(rank_sections("", nothing, kind) for kind in KINDS)):
        assert (len(ranking.tokens), ranking.total, ranking.largest(3)) == (0, 0, [])


def test_tokens_of_another_text_are_refused():
    with pytest.raises(ValueError, match="ends at byte 9 of a text of 2 bytes"):
        rank_lines("ab", np.array([9]))


@pytest.mark.parametrize(
    ("by", "text", "wanted"),
    [
        ("heading", "a\n# b\nc\n```\n# d\n```\n### e", ["# b\nc\n```\n# d\n```\n", "### e"]),
        ("heading", "#tag\n", []),
        ("paragraph", "a\nb\r\n\r\nc\n \n```\nd\n\ne\n```", ["a\nb\r\n", "c\n", "```\nd\n\ne\n```"]),
        ("fence", "a\n```x\nb\n~~~\n```\nc\n~~~\nd", ["```x\nb\n~~~\n```\n", "~~~\nd"]),
        ("fence", "````\n```\n````\n", ["````\n```\n````\n"]),
        ("json", 'a\n{"b":\n1}\n[2] c\n[3]', ['{"b":\n1}', "[3]"]),
        ("role", "x\nUser: a\n**Assistant:** b", ["User: a\n", "**Assistant:** b"]),
        ("role", "system: a\nassistant: b\nthe user: c", ["system: a\n", "assistant: b\nthe user: c"]),
        ("role", "<|im_start|>user\na<|im_end|>\n<|im_start|>", ["<|im_start|>user\na<|im_end|>\n", "<|im_start|>"]),
    ],
)
def test_sections(by: SectionKind, text: str, wanted: list[str]):
    assert [text[start:end] for start, end in sections(text, by)] == wanted


@given(texts_with_surrogates() | st.lists(st.sampled_from(MARKED)).map("".join))
def test_parts_make_up_the_whole(text: str):
    ends = engine.get_encoding("cl100k_base").token_ends(text)
    for ranking in (rank_lines(text, ends), *(rank_sections(text, ends, kind) for kind in KINDS)):
        assert ranking.tokens.sum() == ranking.total == len(ends)
        assert "".join(part for part, _tokens in parts(text, ranking)).encode("utf-8") == utf8(text)
        for start, end, tokens in zip(ranking.byte_starts, ranking.byte_ends, ranking.tokens, strict=True):
            token_starts = [0, *ends[:-1].tolist()][: len(ends)]
            assert sum(start <= one < end for one in token_starts) == tokens


@given(texts_with_surrogates())
def test_places_in_bytes(text: str):
    found = byte_offsets(text, np.arange(len(text) + 1, dtype=np.int64)).tolist()
    for place, byte_place in enumerate(found):
        if "\ud800" <= text[place - 1 : place] <= "\udbff" and "\udc00" <= text[place : place + 1] <= "\udfff":
            continue  # within a pair
        assert byte_place == len(utf8(text[:place]))


@pytest.mark.deep
def test_ten_megabytes():
    text = "# Head\nA line of words, été included.\n\n" * 250_000
    ends = engine.get_encoding("cl100k_base").token_ends(text)
    lines = rank_lines(text, ends)
    assert (len(lines.tokens), int(lines.tokens.sum())) == (750_000, len(ends))
    assert len(rank_sections(text, ends, "heading").tokens) == 250_000
