"""Changes of a price file as text: one line differs, everything else stays to the byte."""

from __future__ import annotations

import difflib
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pricing
from pricing.editing import Value, add_models, new_file, remove_field, rendered, set_field
from pricing.load import read_price_text
from pricing.types import EditError, PriceFileError

MINE = """\
# my prices
version: 1     # of the form

models:

    # the one that we use most
    openai/gpt-4.1:   # dear
        price:
            input:    2.00    # was 3
            output: "8"   # as text
        context: 1_047_576

    openai/o3: {price: {input: 2, output: 8}}   # short
    acme/gone: null # hidden
    acme/two:
        price: {}
        tiers_are: below
        notes:
            - one
            - two
            # after two
    acme/three:
        price:
          tiers:
          - over: 200k    # as they say
            input: 4
          - over: 300k
            input: 5
# the end
""".replace("        tiers_are: below\n", "")


def changes(old: str, new: str) -> list[str]:
    """The lines that differ, with - and +."""
    lines = difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), n=0)
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def entry(text: str, model_id: str) -> dict:
    file = read_price_text(text, "mine.yaml")
    assert file.problems == ()
    found = file.models[model_id]
    assert found is not None
    return dict(found.fields)


@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "byte order mark"])
@pytest.mark.parametrize(
    ("model_id", "path", "value", "minus", "plus"),
    [
        (
            "openai/gpt-4.1",
            "price.input",
            Decimal("1.80"),
            "            input:    2.00    # was 3",
            "            input:    1.80    # was 3",
        ),
        (
            "openai/gpt-4.1",
            "price.output",
            "7.5",
            '            output: "8"   # as text',
            '            output: "7.5"   # as text',
        ),
        ("openai/gpt-4.1", "context", "1M", "        context: 1_047_576", "        context: 1M"),
        (
            "openai/o3",
            "price.output",
            None,
            "    openai/o3: {price: {input: 2, output: 8}}   # short",
            "    openai/o3: {price: {input: 2, output: null}}   # short",
        ),
        (
            "openai/o3",
            "price.cached",
            Decimal("0.5"),
            "    openai/o3: {price: {input: 2, output: 8}}   # short",
            "    openai/o3: {price: {input: 2, output: 8, cached: 0.5}}   # short",
        ),
        (
            "openai/o3",
            "price.batch.input",
            Decimal(1),
            "    openai/o3: {price: {input: 2, output: 8}}   # short",
            "    openai/o3: {price: {input: 2, output: 8, batch: {input: 1}}}   # short",
        ),
        ("acme/two", "price.input", Decimal(3), "        price: {}", "        price: {input: 3}"),
        ("acme/two", "notes.1", "more: or less", "            - two", "            - 'more: or less'"),
        (
            "acme/three",
            "price.tiers.0.input",
            Decimal("4.5"),
            "            input: 4",
            "            input: 4.5",
        ),
        (
            "acme/three",
            "price.tiers.0.over",
            "256k",
            "          - over: 200k    # as they say",
            "          - over: 256k    # as they say",
        ),
    ],
)
def test_a_changed_value_is_one_line(
    model_id: str, path: str, value: Value, minus: str, plus: str, ends: str, mark: str
) -> None:
    text = mark + MINE.replace("\n", ends)
    new = set_field(text, model_id, path, value)
    assert changes(text, new) == [f"-{minus}{ends}", f"+{plus}{ends}"]


@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize(
    ("model_id", "path", "value", "plus"),
    [
        ("openai/gpt-4.1", "price.cached", Decimal("0.20"), ["            cached: 0.20"]),
        ("openai/gpt-4.1", "checked", date(2026, 11, 22), ["        checked: 2026-11-22"]),
        ("openai/gpt-4.1", "source", "https://a.example/p?q=1", ["        source: https://a.example/p?q=1"]),
        ("openai/gpt-4.1", "name", "it's: #1", ["        name: 'it''s: #1'"]),
        (
            "openai/gpt-4.1",
            "price.batch",
            {"input": Decimal(1), "output": Decimal(4)},
            ["            batch:", "                input: 1", "                output: 4"],
        ),
        ("openai/gpt-4.1", "aliases", ["mine", "ours"], ["        aliases: [mine, ours]"]),
        ("openai/gpt-4.1", "price.tiers", [], ["            tiers: []"]),
        ("acme/three", "price.output", Decimal(9), ["          output: 9"]),
        ("acme/three", "price.tiers.1.cached", Decimal(1), ["            cached: 1"]),
        ("new/one", "price.input", Decimal(1), ["    new/one:", "        price:", "            input: 1"]),
        ("openai/gpt-4", "", None, ["    openai/gpt-4: null"]),
        (
            "new/one",
            "price.tiers",
            [{"over": 200_000, "input": Decimal(4)}, {"over": 300_000, "input": Decimal(5)}],
            [
                "    new/one:",
                "        price:",
                "            tiers:",
                "                - {over: 200000, input: 4}",
                "                - {over: 300000, input: 5}",
            ],
        ),
    ],
)
def test_what_is_added_are_lines_of_their_own(
    model_id: str, path: str, value: Value, plus: list[str], ends: str
) -> None:
    text = MINE.replace("\n", ends)
    assert changes(text, set_field(text, model_id, path, value)) == [f"+{line}{ends}" for line in plus]


STYLES = """\
"version": 1   # quoted
models:   # all of them

  'acme/one':
      # above the price
      price: {input: 2,   # what we pay
              "output": 8   # and get
             }   # that is all
      name: >-
        A long name
        in two lines
      # below the name
      notes: ["one", 'two']   # both
      aliases:
      - first   # at the same depth
      - second
  acme/two: {price: {input: 1, # one
    output: 2, # two
    }, context: 5k}
  ? acme/three
  : context: 7k
"""


@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize(
    ("model_id", "path", "value"),
    [
        ("acme/one", "price.input", Decimal(3)),
        ("acme/one", "price.output", Decimal(9)),
        ("acme/one", "price.cached", Decimal(1)),
        ("acme/one", "name", "Short"),
        ("acme/one", "context", "32k"),
        ("acme/one", "notes.0", "another"),
        ("acme/one", "aliases.1", "third"),
        ("acme/two", "price.cached", Decimal(1)),
        ("acme/two", "price.output", None),
        ("acme/two", "max_output", "1k"),
        ("acme/three", "context", "8k"),
        ("acme/three", "price.input", Decimal(1)),
        ("acme/four", "price.input", Decimal(1)),
    ],
)
def test_odd_styles_keep_their_comments(model_id: str, path: str, value: Value, ends: str) -> None:
    text = STYLES.replace("\n", ends)
    new = set_field(text, model_id, path, value)
    assert comments(new) == comments(text)
    assert new.count("\n") == new.count(ends)
    before, after = (read_price_text(one, "mine.yaml").models for one in (text, new))
    others = {name: entry for name, entry in before.items() if name != model_id}
    assert {name: entry for name, entry in after.items() if name != model_id} == others
    old = before[model_id].fields if model_id in before else {}
    now = after[model_id].fields
    changed = {name for name in {*old, *now} if old.get(name, "") != now.get(name, "")}
    assert changed == {".".join(path.split(".")[: 2 if path.startswith("price") else 1])}


def comments(text: str) -> list[str]:
    return [line.partition(" # ")[2].strip() for line in text.splitlines() if " # " in line]


@pytest.mark.parametrize("path", ["price.input", "price.output", "context", "price"])
def test_what_is_removed_from_a_bracket_leaves_the_rest(path: str) -> None:
    new = remove_field(STYLES, "acme/two", path)
    old = entry(STYLES, "acme/two")
    assert entry(new, "acme/two") == {name: value for name, value in old.items() if not name.startswith(path)}
    if path != "price.input":
        assert set(comments(new)) >= set(comments(STYLES)) - {"one", "two"}
    assert "two" in comments(new) or path == "price"


def test_a_hidden_model_is_shown_again_with_its_comment_kept() -> None:
    new = set_field(MINE, "acme/gone", "price.input", Decimal(1))
    assert changes(MINE, new) == [
        "-    acme/gone: null # hidden\n",
        "+    acme/gone: # hidden\n",
        "+        price:\n",
        "+            input: 1\n",
    ]


def test_a_block_gives_way_to_a_value_and_a_value_to_a_block() -> None:
    text = "version: 1\nmodels:\n  a/b:\n    price:\n      batch:\n        input: 1\n      input: 2\n"
    half = set_field(text, "a/b", "price.batch", "half")
    assert changes(text, half) == ["-      batch:\n", "-        input: 1\n", "+      batch: half\n"]
    assert set_field(half, "a/b", "price.batch", {"input": Decimal(1)}) == text


def test_models_that_are_added_together_are_those_added_one_by_one() -> None:
    price: dict[str, Value] = {"input": Decimal("0.5"), "tiers": [{"over": 1000, "input": Decimal(1)}]}
    models: dict[str, dict[str, Value]] = {
        "acme/three": {"price": price, "source": "a list: theirs"},
        "acme/four": {"name": "Vier, 'klein'", "price": {"output": Decimal("1.25")}},
    }
    text = "# mine\nversion: 1\nmodels:\n  acme/two: {price: {input: 1}}  # two\n# end\n"
    for before in (text, text.replace("\n", "\r\n"), new_file(), ""):
        one_by_one = before
        for model_id, block in models.items():
            one_by_one = set_field(one_by_one, model_id, "", block)
        assert add_models(before, models) == one_by_one
    assert add_models(text, {}) == text
    with pytest.raises(EditError, match="acme/two: the file already has this model"):
        add_models(text, {"acme/two": {"name": "Two"}})
    with pytest.raises(PriceFileError, match="did you mean 'price'"):
        add_models(text, {"acme/five": {"prise": {"input": 1}}})


def test_an_empty_file_becomes_a_new_one() -> None:
    assert set_field("", "a/b", "price.input", Decimal(1)) == new_file() + "  a/b:\n    price:\n      input: 1\n"
    assert set_field("version: 1", "a/b", "", None) == "version: 1\nmodels:\n  a/b: null\n"
    assert set_field("version: 1\nmodels: # mine\n", "a/b", "", None) == "version: 1\nmodels: # mine\n  a/b: null\n"
    assert set_field("version: 1\nmodels: {}\n", "a/b", "", None) == "version: 1\nmodels: {a/b: null}\n"


@pytest.mark.parametrize(
    ("model_id", "path", "lines"),
    [
        ("openai/gpt-4.1", "price.input", ["-            input:    2.00    # was 3\n"]),
        (
            "openai/gpt-4.1",
            "price",
            ["-        price:\n", "-            input:    2.00    # was 3\n", '-            output: "8"   # as text\n'],
        ),
        ("acme/gone", "", ["-    acme/gone: null # hidden\n"]),
        (
            "openai/o3",
            "price.input",
            [
                "-    openai/o3: {price: {input: 2, output: 8}}   # short\n",
                "+    openai/o3: {price: {output: 8}}   # short\n",
            ],
        ),
        (
            "openai/o3",
            "price.output",
            [
                "-    openai/o3: {price: {input: 2, output: 8}}   # short\n",
                "+    openai/o3: {price: {input: 2}}   # short\n",
            ],
        ),
        ("openai/o3", "price", ["-    openai/o3: {price: {input: 2, output: 8}}   # short\n"]),
        ("nobody/none", "price.input", []),
    ],
)
def test_what_is_removed_takes_no_comment_of_others(model_id: str, path: str, lines: list[str]) -> None:
    assert changes(MINE, remove_field(MINE, model_id, path)) == lines


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("$8", "write only the number"),
        ("0,5", "use a point for decimals"),
        (Decimal(-1), "the number cannot be negative"),
        ("", "the value is missing|expected a number"),
        ([], "expected a single value"),
        ("2\n      output: 3", "expected a number"),
    ],
)
def test_a_value_that_cannot_be_changes_nothing(value: Value, sentence: str) -> None:
    with pytest.raises(PriceFileError, match=sentence):
        set_field(MINE, "openai/gpt-4.1", "price.input", value)


@pytest.mark.parametrize("text", ["version: 1\nmodles: 1\n", "version: 1\nmodels:\n  a/b: [\n", "version: 9\n"])
def test_a_file_with_mistakes_is_never_rewritten(text: str) -> None:
    with pytest.raises(PriceFileError) as refusal:
        set_field(text, "a/b", "price.input", Decimal(1))
    assert refusal.value.problems == tuple(pricing.check_text(text, "prices.yaml"))
    with pytest.raises(PriceFileError):
        remove_field(text, "a/b", "price.input")


@pytest.mark.parametrize(
    ("model_id", "path"),
    [
        ("openai/gpt-4.1", "price.input.more"),
        ("acme/three", "price.tiers.2.input"),
        ("openai/gpt-4.1", "price.tiers.0.input"),
    ],
)
def test_a_place_that_cannot_be_is_refused(model_id: str, path: str) -> None:
    with pytest.raises(EditError):
        set_field(MINE, model_id, path, Decimal(1))


def test_a_field_that_does_not_exist_is_refused_with_what_was_meant() -> None:
    with pytest.raises(PriceFileError, match="did you mean 'input'"):
        set_field(MINE, "openai/gpt-4.1", "price.inptu", Decimal(1))


@pytest.mark.deep
@given(
    st.sampled_from(["openai/gpt-4.1", "openai/o3", "acme/gone", "acme/two", "new/one"]),
    st.sampled_from(["input", "output", "cached", "per_request"]),
    st.decimals(min_value=0, max_value=1000, places=4),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_is_set_is_read_back_and_goes_again(model_id: str, rate: str, value: Decimal, ends: str) -> None:
    text = MINE.replace("\n", ends)
    new = set_field(text, model_id, f"price.{rate}", value)
    assert entry(new, model_id)[f"price.{rate}"] == value
    comments = [line.partition("#")[2] for line in text.splitlines() if "#" in line]
    assert [line.partition("#")[2] for line in new.splitlines() if "#" in line] == comments
    assert new.count(ends) == new.count("\n")
    gone = remove_field(new, model_id, f"price.{rate}")
    fields = read_price_text(gone, "mine.yaml").models.get(model_id)
    assert fields is None or f"price.{rate}" not in fields.fields


@pytest.mark.deep
@given(st.text(min_size=1, max_size=40).filter(lambda text: text.split()))
def test_any_text_stands_in_a_name(name: str) -> None:
    try:
        new = set_field(MINE, "openai/gpt-4.1", "name", name)
    except PriceFileError as refusal:
        assert "control character" in str(refusal)  # noqa: PT017 - some are refused, most are not
        return
    assert entry(new, "openai/gpt-4.1")["name"] == " ".join(name.split())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (7, "7"),
        (Decimal("1E+2"), "100"),
        ("null", "'null'"),
        ("a, b", "'a, b'"),
        ("half", "half"),
        ({"input": Decimal("0.5"), "cached": None}, "{input: 0.5, cached: null}"),
        (["a b", 1], "[a b, 1]"),
    ],
)
def test_values_as_they_are_written(value: Value, text: str) -> None:
    assert rendered(value) == text


@pytest.mark.parametrize("value", [1.5, [Decimal("1"), 0.1], {"input": 1e308}, b"1", {1, 2}])
def test_a_value_that_no_price_file_can_hold_is_refused(value: Any) -> None:
    with pytest.raises(EditError, match="cannot be written"):
        set_field(new_file(), "own/model", "price.input", value)
    with pytest.raises(EditError, match="cannot be written"):
        add_models(new_file(), {"own/model": {"price": {"input": value}}})
