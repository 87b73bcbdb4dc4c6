"""Plain text is found where the ``regex`` module would find it, and a long one at once."""

from __future__ import annotations

import regex
from hypothesis import given
from hypothesis import strategies as st

from gui.prompt import find_service as plain_search
from gui.prompt.find_service import found_spans, is_at

LETTERS = st.text(st.sampled_from("aAbB iIİısSſßẞKkKσςΣ_.é É🚀ǅǆꭰᎠ\n"), max_size=40)
ANY = st.text(st.one_of(st.sampled_from(plain_search._cased()), st.characters()), max_size=6)


def places(text: str, wanted: str, *, match_case: bool, whole_words: bool) -> list[tuple[int, int]]:
    found = found_spans(text, wanted, match_case=match_case, whole_words=whole_words, between=lambda _done: None)
    return list(found)


def by_expression(text: str, wanted: str, *, match_case: bool, whole_words: bool) -> list[tuple[int, int]]:
    source = regex.escape(wanted)
    if whole_words:
        source = rf"(?<!\w)(?:{source})(?!\w)"
    flags = regex.MULTILINE | (0 if match_case else regex.IGNORECASE)
    return [match.span() for match in regex.compile(source, flags).finditer(text) if match.group()]


@given(
    LETTERS, st.text(st.sampled_from("aAiIİısSſKk σΣ_.🚀"), max_size=4), st.booleans(), st.booleans(), st.integers(1, 9)
)
def test_found_as_an_expression_finds_it(text: str, wanted: str, match_case: bool, whole_words: bool, chunk: int):
    before, plain_search.CHUNK_CHARACTERS = plain_search.CHUNK_CHARACTERS, chunk
    try:
        found = places(text, wanted, match_case=match_case, whole_words=whole_words)
    finally:
        plain_search.CHUNK_CHARACTERS = before
    assert found == by_expression(text, wanted, match_case=match_case, whole_words=whole_words)
    for start, _ in found:
        assert is_at(text, wanted, start, match_case=match_case, whole_words=whole_words)


@given(ANY, ANY)
def test_cases_are_those_of_the_expression(text: str, wanted: str):
    for one in (text + wanted.upper(), text + wanted.lower() + wanted.swapcase()):
        options = {"match_case": False, "whole_words": False}
        assert places(one, wanted, **options) == by_expression(one, wanted, **options)


def test_a_long_text_makes_no_expression(monkeypatch):
    made: list[int] = []
    real = regex.compile

    def counted(source: str, *rest: object, **options: object) -> object:
        made.append(len(source))
        return real(source, *rest, **options)

    monkeypatch.setattr(regex, "compile", counted)
    assert places("x" * 20_000, "X" * 5000, match_case=False, whole_words=False) == [
        (start, start + 5000) for start in range(0, 20_000, 5000)
    ]
    assert places(" " * 400_000, "x" * 5000, match_case=True, whole_words=True) == []
    assert max(made, default=0) < 10
