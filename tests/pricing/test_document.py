"""Reading a price file stands back again and again, whatever is in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruamel.yaml.reader import Reader

from pricing import load_catalog, set_field
from pricing.cancellation import cancellable
from pricing.document import CHARACTERS, read_document
from tests.thoroughness import mostly_deep

LONG = {
    "a value of one line": "a: " + "x" * 50_000,
    "a value of many lines": "a: " + "x y\n  " * 10_000,
    "a block of one line": "a: |\n  " + "x" * 50_000 + "\n",
    "a quoted value": 'a: "' + "x " * 25_000 + '"',
    "a block": "a: |\n" + "  xx\n" * 10_000,
    "a comment": "# " + "c" * 50_000 + "\na: 1",
    "empty lines": "\n" * 50_000 + "a: 1",
    "a flow": "a: [" + "1, " * 15_000 + "1]",
}


@pytest.mark.deep
@pytest.mark.parametrize("text", mostly_deep(LONG.values(), 2), ids=LONG)
def test_it_is_asked_whether_to_go_on_within_everything_long(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = [0]
    longest: list[int] = []

    def noting(name: str) -> None:
        known = getattr(Reader, name)

        def noted(reader: Reader, number: int = 0) -> object:
            looked[0] += 1
            return known(reader, number)

        monkeypatch.setattr(Reader, name, noted)

    def cancel_check() -> None:
        longest.append(looked[0])
        looked[0] = 0

    noting("peek")
    noting("forward")
    assert read_document(text, "prices.yaml", cancel_check).complete
    assert max(longest) < 8 * CHARACTERS


def test_what_is_raised_there_ends_it() -> None:
    def end() -> None:
        raise KeyError

    with pytest.raises(KeyError):
        read_document("a: 1", "prices.yaml", end)


def test_whoever_began_it_on_this_thread_is_asked_as_well(tmp_path: Path) -> None:
    asked: list[int] = []
    file = tmp_path / "prices.yaml"
    file.write_text("version: 1\nmodels:\n  openai/gpt-4.1:\n    price: {input: 1}\n")
    with cancellable(lambda: asked.append(1)):
        load_catalog(file)
        loaded = len(asked)
        set_field(file.read_text(), "openai/gpt-4.1", "price.output", 2)
    assert loaded > 2
    assert len(asked) > 2 * loaded
    asked.clear()
    load_catalog(file)
    assert not asked


def test_of_a_name_without_end_a_sentence_has_the_beginning() -> None:
    long = "a" * 5000
    document = read_document(f"one: &{long} 1\ntwo: *{long}\nthree: !{long} 3\n", "prices.yaml")
    said = [problem.message for problem in document.problems]
    begins = ["anchors (&a", "aliases (*a", "tags (!a"]
    assert [one[: len(begin)] for one, begin in zip(said, begins, strict=True)] == begins
    assert max(map(len, said)) < 150
