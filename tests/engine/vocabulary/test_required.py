"""What an expression cannot do without."""

from __future__ import annotations

import pytest

from engine.vocabulary.entry_search import required_texts


@pytest.mark.parametrize(
    ("expression", "texts"),
    [
        ("^tion$", ["tion"]),
        ("tion|sion", ["tion", "sion"]),
        (r"^ ?\w+ing$", ["ing"]),
        ("(?:un|re)do", ["do"]),
        ("abc?", ["ab"]),
        ("ab{2}cd", ["cd"]),
        (r"a\|bc", ["bc"]),
        ("[ab]cd|e[f|g]hi", ["cd", "hi"]),
    ],
)
def test_texts_of_which_one_must_be_there(expression, texts):
    assert required_texts(expression, match_case=True) == texts


@pytest.mark.parametrize("expression", ["", "a", r"\d{2,}", "[aeiou]{3}", "tion|x", "(?:tion)?", "éé", "ab+c", "|tion"])
def test_nothing_is_said_where_something_else_may_be_found(expression):
    assert required_texts(expression, match_case=True) is None


def test_an_i_is_not_required_where_case_is_ignored():
    assert required_texts("^tion$", match_case=False) == ["on"]
    assert required_texts("iii", match_case=False) is None
