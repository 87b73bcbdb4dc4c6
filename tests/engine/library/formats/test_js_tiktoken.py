"""js-tiktoken's JSON, as its package publishes the encoders."""

from __future__ import annotations

import base64
import json

import pytest

from engine.errors import FormatError
from engine.library.formats import js_tiktoken
from engine.library.formats.opening import open_tokenizer
from tests.engine.library.formats.trained import TEXT, trained


def document(**changes: object) -> dict[str, object]:
    encoding = trained()
    words = [
        base64.b64encode(token).decode()
        for token in sorted(encoding._mergeable_ranks, key=encoding._mergeable_ranks.get)
    ]
    return {
        "explicit_n_vocab": encoding.n_vocab,
        "pat_str": encoding._pat_str,
        "special_tokens": encoding._special_tokens,
        "bpe_ranks": "! 0 " + " ".join(words[:200]) + "\n! 200 " + " ".join(words[200:]),
    } | changes


def test_it_gives_the_ids_of_its_ranks(tmp_path):
    (tmp_path / "own.json").write_text(json.dumps(document()))
    opened = open_tokenizer(tmp_path / "own.json", checked=True)
    assert opened.kind == "js-tiktoken"
    assert opened.encoding._special_tokens == trained()._special_tokens
    assert opened.encoding.encode_ordinary(TEXT) == trained().encode_ordinary(TEXT)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"pat_str": ""}, "pat_str is empty"),
        ({"pat_str": 1}, "pat_str is not a text"),
        ({"special_tokens": {"<a>": -1}}, "not between"),
        ({"special_tokens": []}, "not an object"),
        ({"bpe_ranks": "! x IQ=="}, "line 1: '! x IQ==' does not begin with an id"),
        ({"bpe_ranks": "!"}, "does not begin with an id"),
        ({"bpe_ranks": "! 0 ?"}, "not base64"),
        ({"bpe_ranks": "! 0 é"}, "not base64"),
        ({"bpe_ranks": "! 0 IQ== IQ=="}, "duplicate token"),
        ({"bpe_ranks": "! 0 "}, "0 bytes"),
        ({"bpe_ranks": "! 99999999 IQ=="}, "not between"),
    ],
)
def test_what_is_wrong_is_named(changes, complaint):
    with pytest.raises(FormatError, match=complaint):
        js_tiktoken.read(document(**changes))
