from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.window.fuzzy import match, rank


def best(typed: str, *choices: str) -> str:
    scored = [(fit[0], name) for name in choices if (fit := match(typed, name)) is not None]
    return max(scored)[1]


@pytest.mark.parametrize(
    ("typed", "wanted", "others"),
    [
        ("gtl", "Go to line", ("Toggle control", "Copy token at caret")),
        ("dark", "Theme: Dark", ("Recognize special tokens", "Find and replace")),
        ("sav", "Save text as", ("Show whitespace", "Select all")),
        ("zoom in", "Zoom in", ("Reset zoom", "Zoom out and in again")),
        ("FIND", "Find", ("Find previous",)),
    ],
)
def test_the_obvious_choice_wins(typed: str, wanted: str, others: tuple[str, ...]):
    assert best(typed, *others, wanted) == wanted


def test_letters_must_occur_in_order():
    assert match("ba", "ab") is None
    assert match("xyz", "Zoom in") is None


def test_more_letters_than_a_name_has_do_not_fit():
    assert match("zoom inn", "Zoom in") is None
    assert match("z" * 32_767, "Zoom in") is None
    assert match("zoom\u3000in" + " " * 1000, "Zoom in") is not None


def test_letters_used_are_the_best_ones():
    fit = match("line", "All in line")
    assert fit is not None
    assert fit[1] == (7, 8, 9, 10)


def test_nothing_typed_fits_everything():
    assert match("  ", "Anything") == (0.0, ())


@given(st.text(max_size=8), st.text(max_size=20))
def test_places_spell_what_was_typed(typed: str, name: str):
    fit = match(typed, name)
    letters = [letter for letter in typed.casefold() if not letter.isspace()]
    if fit is not None and letters:
        assert list(fit[1]) == sorted(set(fit[1]))
        assert len(fit[1]) == len(letters)


@given(st.text(min_size=1, max_size=20).filter(lambda text: text.isascii() and not text.isspace()))
def test_a_name_fits_itself(name: str):
    assert match(name, name) is not None


@pytest.mark.parametrize(
    ("typed", "name", "keyword", "expected"),
    [
        ("Cost", "Go to the cost table", "cost", 3),
        ("r50k", "r50k_base", "", 2),
        ("so", "Claude Sonnet 4.5", "", 1),
        ("4.5", "Claude Sonnet 4.5", "", 1),
        ("base", "r50k_base", "", 1),
        ("ost", "Go to the cost table", "cost", 0),
        ("", "Find", "find", 0),
    ],
)
def test_the_start_of_a_name_or_a_word_ranks_above_its_middle(typed: str, name: str, keyword: str, expected: int):
    assert rank(typed, name, keyword) == expected
