"""Messages quote little of what stands in a file."""

from __future__ import annotations

import json

import pytest

from engine.errors import FormatError
from engine.library.formats.opening import open_tokenizer, save_encoding
from engine.library.formats.source import quoted, shortened
from tests.engine.library.formats.trained import trained

LONG = "\u0120" * 1_024


@pytest.mark.parametrize("value", [LONG, LONG.encode(), [LONG] * 9, 10**300, {LONG: LONG}])
def test_a_quote_is_short(value):
    assert len(quoted(value)) <= 160
    assert "\u2026" in quoted(value)


def test_what_is_short_is_quoted_in_full():
    assert (quoted("a\n"), quoted(b"a"), quoted(None), shortened("no")) == (r"'a\n'", "'a'", "None", "no")


def test_messages_about_long_tokens_are_short(tmp_path):
    save_encoding(trained("gpt2"), tmp_path / "good.json")
    document = json.loads((tmp_path / "good.json").read_bytes())
    document["model"]["vocab"][LONG] = -1
    (tmp_path / "bad.json").write_text(json.dumps(document))
    with pytest.raises(FormatError, match="is not between") as error:
        open_tokenizer(tmp_path / "bad.json")
    assert len(str(error.value).removeprefix(str(tmp_path))) < 200


def test_a_token_of_1024_characters(tmp_path):
    save_encoding(trained("gpt2"), tmp_path / "good.json")
    document = json.loads((tmp_path / "good.json").read_bytes())
    document["model"]["vocab"][LONG] = 5_000
    document["pre_tokenizer"] = {"type": "Digits", "individual_digits": True}  # so that the library runs it
    (tmp_path / "long.json").write_text(json.dumps(document))
    assert open_tokenizer(tmp_path / "long.json").encoding.n_vocab == 5_001
