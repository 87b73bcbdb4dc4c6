from __future__ import annotations

import itertools

import pytest

from gui.costs.rows import Arrangement, SortKey, arrange, natural, usd_middle
from tests.gui.cost_samples import rows

ROWS = rows()
VALUES = {
    "total": usd_middle,
    "name": lambda row: natural(row.model.name),
    "provider": lambda row: natural(row.model.provider),
}


def shown(**choices: object) -> list[str]:
    arrangement = Arrangement(**{"show_retired": True, "show_embedding": True, **choices})
    result = arrange(ROWS, arrangement, VALUES, lambda row: f"{row.model_id} {row.model.count.label}".casefold())
    return [ROWS[index].model_id for index in result.order]


def test_the_unknown_comes_last_in_both_directions():
    rising = shown(sort=(SortKey("total"),))
    falling = shown(sort=(SortKey("total", True),))
    assert rising[-2:] == falling[-2:] == ["corp/unknown", "dark/none"]
    assert rising[:-2] == ["corp/embed", "acme/small", "acme/large", "borg/opus", "borg/opus-9"]
    # Opus and Opus 9 cost the same: ties keep the order of the price table in both directions.
    assert falling[:-2] == ["borg/opus", "borg/opus-9", "acme/large", "acme/small", "corp/embed"]


def test_several_columns_sort_one_inside_the_other():
    assert shown(sort=(SortKey("provider", True), SortKey("total"))) == [
        "dark/none",
        "corp/embed",
        "corp/unknown",
        "borg/opus",
        "borg/opus-9",
        "acme/small",
        "acme/large",
    ]


def test_columns_that_do_not_exist_are_ignored():
    assert shown(sort=(SortKey("gone"),)) == [row.model_id for row in ROWS]


def test_the_baseline_is_on_top_and_favourites_below_it():
    order = shown(favourites=frozenset({"corp/unknown", "borg/opus"}), baseline="acme/large")
    assert order[:3] == ["acme/large", "borg/opus", "corp/unknown"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("acme", {"acme/large", "acme/small"}),
        ("ACME large", {"acme/large"}),
        ("  opus   estimated ", {"borg/opus", "borg/opus-9"}),
        ("acme borg", set()),
        ("", {row.model_id for row in ROWS}),
    ],
)
def test_every_word_of_the_filter_must_occur(words, expected):
    assert set(shown(filter=words)) == expected


def test_hidden_and_retired_rows_are_left_out_and_counted():
    for show_hidden, show_retired in itertools.product((False, True), repeat=2):
        arrangement = Arrangement(
            hidden=frozenset({"acme/small", "no/longer"}), show_hidden=show_hidden, show_retired=show_retired
        )
        result = arrange(ROWS, arrangement, VALUES, lambda row: "")
        ids = {ROWS[index].model_id for index in result.order}
        assert ("acme/small" in ids) == show_hidden
        assert ("borg/opus-9" in ids) == show_retired
        assert (result.total, result.hidden, result.retired) == (7, 1, 1)


def test_rows_that_the_filter_would_find_among_those_left_out_are_counted():
    def matching(words: str, **choices: object) -> int:
        return arrange(ROWS, Arrangement(filter=words, **choices), VALUES, lambda row: row.model_id).matching_left_out

    assert matching("corp") == 1
    assert matching("opus") == 1
    assert matching("opus", show_retired=True) == 0
    assert matching("dark", hidden=frozenset({"dark/none"})) == 1
    assert matching("nothing like it") == 0
    assert matching("") == 2


def test_embedding_models_are_left_out_unless_asked_for_and_counted():
    def arranged(**choices: object) -> tuple[bool, int]:
        result = arrange(ROWS, Arrangement(**choices), VALUES, lambda row: "")
        return "corp/embed" in {ROWS[index].model_id for index in result.order}, result.embedding

    assert arranged() == (False, 1)
    assert arranged(show_embedding=True) == (True, 1)
    # Those that the user marked are shown whatever the switch says, so the switch does not count them.
    assert arranged(favourites=frozenset({"corp/embed"})) == (True, 0)
    assert arranged(baseline="corp/embed") == (True, 0)
    assert arranged(hidden=frozenset({"corp/embed"}), favourites=frozenset({"corp/embed"})) == (False, 0)


def test_natural_order_reads_numbers_as_numbers():
    assert sorted(["GPT-5.10", "gpt-5.9", "gpt-10", "gpt", "7b"], key=natural) == [
        "7b",
        "gpt",
        "gpt-5.9",
        "GPT-5.10",
        "gpt-10",
    ]
