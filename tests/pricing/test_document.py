"""Reading a price file stands back again and again, whatever is in it."""

from __future__ import annotations

import pytest

from pricing.document import CHARACTERS, read_document

LONG = {
    "a value of one line": "a: " + "x" * 50_000,
    "a value of many lines": "a: " + "x y\n  " * 10_000,
    "a quoted value": 'a: "' + "x " * 25_000 + '"',
    "a block": "a: |\n" + "  xx\n" * 10_000,
    "a comment": "# " + "c" * 50_000 + "\na: 1",
    "empty lines": "\n" * 50_000 + "a: 1",
    "a flow": "a: [" + "1, " * 15_000 + "1]",
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_it_is_asked_whether_to_go_on_within_everything_long(text: str) -> None:
    asked: list[None] = []
    document = read_document(text, "prices.yaml", lambda: asked.append(None))
    assert document.complete
    assert len(asked) >= len(text) // CHARACTERS


def test_what_is_raised_there_ends_it() -> None:
    def end() -> None:
        raise KeyError

    with pytest.raises(KeyError):
        read_document("a: 1", "prices.yaml", end)
