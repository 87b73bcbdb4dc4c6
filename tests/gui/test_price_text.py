"""Price files as text: line ends are kept, changes are the smallest, names are found by indentation."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.runtime import atomic_files
from gui.core import profile_files
from gui.costs.price_editor import key_position
from gui.costs.prices_service import (
    MAX_CHARACTERS,
    ODD_CHARACTERS,
    TEMPLATE,
    TOO_LONG,
    ChangeRequest,
    CheckRequest,
    ReadRequest,
    SaveRequest,
    change,
    check,
    difference,
    facts_of,
    fields_below,
    read_price_text,
    save_price_text,
    splice,
    stored_text,
    value_of,
)
from gui.editor.offsets import document_text
from gui.runtime.jobs import Ticket
from pricing import load_catalog
from tests.patience import PATIENCE_SECONDS

texts = st.text(st.sampled_from("ab😀\n é"), max_size=30)
stored_texts = st.lists(
    st.tuples(texts.map(lambda text: text.replace("\n", "")), st.sampled_from(["\n", "\r\n", "\r"]))
)


@given(texts, texts)
def test_a_splice_makes_one_text_of_the_other(before: str, after: str):
    made = splice(before, after)
    units = before.encode("utf-16-le")
    start, end = 2 * made.start_utf16, 2 * (made.start_utf16 + made.removed_utf16)
    assert units[:start] + made.inserted.encode("utf-16-le") + units[end:] == after.encode("utf-16-le")


@given(stored_texts, st.booleans())
def test_a_text_that_nobody_changed_is_written_as_it_was(lines: list[tuple[str, str]], mark: bool):
    stored = ("\ufeff" if mark else "") + "".join(line + end for line, end in lines)
    assert stored_text(document_text(stored.removeprefix("\ufeff")), stored) == stored


def test_a_new_line_ends_as_most_do():
    assert stored_text("a\nnew\nb\nc\n", "a\r\nb\nc\r\n") == "a\r\nnew\r\nb\nc\r\n"
    assert stored_text("a\nb\n", "") == "a\nb\n"


def test_differences_are_counted_and_shown():
    made = difference("a\nb\nc\n", "a\nB\nc\nd\n")
    assert (made.added, made.removed) == (2, 1)
    assert made.lines.splitlines()[1:] == [" a", "-b", "+B", " c", "+d"]


def test_of_two_windows_that_save_at_once_the_second_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """It begins while the first one writes."""
    path = tmp_path / "prices.yaml"
    answers = []
    write, lock = profile_files.write_atomic, atomic_files._has_lock
    seen = threading.Event()
    other = threading.Thread(target=lambda: answers.append(save_price_text(SaveRequest(path, "# second\n", "", "", 0))))

    def written(*arguments: Any, **options: Any) -> int:
        monkeypatch.setattr(profile_files, "write_atomic", write)
        monkeypatch.setattr(atomic_files, "_has_lock", lambda file: lock(file) or seen.set())
        other.start()
        assert seen.wait(PATIENCE_SECONDS)
        return write(*arguments, **options)

    monkeypatch.setattr(profile_files, "write_atomic", written)
    first = save_price_text(SaveRequest(path, "# first\n", "", "", 0))
    other.join()
    assert first.file is not None
    assert answers[0].outside.text == path.read_text() == "# first\n"


def test_files_that_the_editor_cannot_hold(tmp_path: Path):
    path = tmp_path / "prices.yaml"
    assert not read_price_text(ReadRequest(path)).exists
    path.write_text("version: 1 # \u2029\n", encoding="utf-8")
    assert read_price_text(ReadRequest(path)).held == ODD_CHARACTERS
    path.write_text("#" * (MAX_CHARACTERS + 1), encoding="utf-8")
    assert read_price_text(ReadRequest(path)).held == TOO_LONG


def test_the_template_is_good_as_it_is_and_with_every_example_in_use():
    def problems(text: str) -> tuple[object, ...]:
        return check(CheckRequest(0, text, "prices.yaml", "", tuple), Ticket(lambda *_: None)).problems

    used = re.sub(r"^# ((?:rates| +[\w/.-]+):( |$))", r"\1", TEMPLATE, flags=re.MULTILINE)
    assert problems(TEMPLATE) == ()
    assert used.count("\n# ") < TEMPLATE.count("\n# ") - 10
    assert problems(used) == ()


def test_a_check_stands_back_again_and_again(monkeypatch: pytest.MonkeyPatch):
    rests = []
    monkeypatch.setattr(Ticket, "wait_while_busy", lambda _self: rests.append(1))
    models = "".join(f"  acme/{number}: {{price: {{input: 1}}}}\n" for number in range(100))
    request = CheckRequest(0, f"version: 1\nmodels:\n{models}", "prices.yaml", "", tuple)
    assert len(check(request, Ticket(lambda *_: None)).models) >= 100
    assert len(rests) >= 100


def test_every_built_in_value_has_its_place():
    for model in load_catalog().models:
        for fact in facts_of(model).facts:
            assert bool(fact.origin) == bool(fact.position), (model.id, fact)


def test_a_price_in_another_currency_is_typed_as_it_stands():
    text = "version: 1\ncurrency: EUR\nrates: {EUR: 1.25}\nmodels:\n  acme/a:\n    price: {input: 0.40}\n"
    facts = check(CheckRequest(0, text, "prices.yaml", "acme/a", tuple), Ticket(lambda *_: None)).facts
    assert facts is not None
    assert (facts.facts[0].shown, facts.facts[0].typed, facts.currency) == ("0.50", "0.40", "EUR")


def test_a_change_that_is_none_changes_nothing():
    text = "version: 1\nmodels:\n  acme/a:\n    price: {input: 0.40}\n"
    same = change(ChangeRequest(0, text, "prices.yaml", "acme/a", "price.input", "money", "0.40", tuple))
    assert (same.splice, same.why) == (None, "")
    gone = change(ChangeRequest(0, text, "prices.yaml", "acme/a", "price.output", "money", None, tuple))
    assert (gone.splice, gone.why) == (None, "")


@pytest.mark.parametrize(
    ("text", "path", "word"),
    [
        ("ver", (), "ver"),
        ("models:\n  acme/a:\n    pr", ("models", "acme/a"), "pr"),
        ("models:\n  acme/a:\n    price:\n      input: 1\n      ", ("models", "acme/a", "price"), ""),
        ("models:\n  'acme/a':   # c: d\n    price: # x\n\n      # y\n      ca", ("models", "acme/a", "price"), "ca"),
        ("models:\n  a/b:\n    price:\n      tiers:\n        - ov", ("models", "a/b", "price", "tiers", "0"), "ov"),
        (
            "models:\n  a/b:\n    price:\n      tiers:\n      - over: 1k\n        in",
            ("models", "a/b", "price", "tiers", "0"),
            "in",
        ),
        (
            "models:\n  a/b:\n    price:\n      tiers:\n      - over: 1k\n        batch:\n          i",
            ("models", "a/b", "price", "tiers", "0", "batch"),
            "i",
        ),
        ("models:\n  a/b:\n    price:\n      input: 1\n    co", ("models", "a/b"), "co"),
        ("models:\n  a/b:\n    price: {inp", ("models", "a/b", "price"), "inp"),
        ("models:\n  a/b:\n    price: {input: 1, ", ("models", "a/b", "price"), ""),
        ("models:\n  a/b: {name: 'x, {', price: {output: 2, batch: {in", ("models", "a/b", "price", "batch"), "in"),
        ("models:\n  a/b: {price: {input: 1}, co", ("models", "a/b"), "co"),
        ("models:\n  'a/b': {price: {tiers: [{over: 1k}, {ov", ("models", "a/b", "price", "tiers", "0"), "ov"),
        ("models:\n  a/b:\n    price:\n      tiers:\n        - {ov", ("models", "a/b", "price", "tiers", "0"), "ov"),
        ("models:\n  a/b:\n    price: {  # mine, {\n      input: 1,\n      ou", ("models", "a/b", "price"), "ou"),
        ("models: {a/b: {price: {", ("models", "a/b", "price"), ""),
    ],
)
def test_where_a_name_may_stand(text: str, path: tuple[str, ...], word: str):
    *above, line = text.split("\n")
    place = key_position(line, reversed(above))
    assert place is not None
    assert (place.path, place.word) == (path, word)


def test_where_no_name_begins():
    assert key_position("  input: 1", ()) is None
    assert key_position("# inp", ()) is None
    for in_braces in ("price: {input: ", "price: {input: 1", "tiers: [ov", "price: {in put", "price: {input: 1} ou"):
        assert key_position(in_braces, ()) is None
    assert key_position("note: words {inp", ()) is None


def test_the_names_that_may_stand_somewhere():
    assert [name for name, _about, _opens in fields_below(("models", "a/b", "price", "tiers", "0"))][:3] == [
        "over",
        "from",
        "input",
    ]
    assert {name: opens for name, _about, opens in fields_below(())} == {
        "version": False,
        "currency": False,
        "rates": True,
        "providers": True,
        "counting": True,
        "models": True,
    }
    assert fields_below(("models",)) == ()


def test_a_number_with_thousands_of_digits_stays_text():
    digits = "9" * 5000
    assert value_of("tokens", digits) == digits
    assert value_of("tokens", "128000") == 128000
