"""minbpe's .model: what minbpe makes of it, and what it may hold."""

from __future__ import annotations

import pytest
from hypothesis import given

import engine
from engine.errors import FormatError
from engine.library.bundled_encodings import expression_named
from engine.library.formats import minbpe
from engine.library.formats.spelling import BY_MINBPE
from engine.library.formats.tokenizer_data import TokenizerData
from engine.split.pretokenization import pretokenizer
from tests.engine.library.formats.minbpe_oracle import MinbpeModel
from tests.engine.library.formats.trained import TEXT, trained
from tests.engine.strategies import texts
from tests.thoroughness import examples


def data_of(encoding: engine.Encoding) -> TokenizerData:
    return TokenizerData(encoding._pat_str, encoding._mergeable_ranks, encoding._special_tokens)


@pytest.mark.hypothesis
@pytest.mark.parametrize("pattern", ["gpt2", "cl100k_base", "llama3", "none", "whitespace"])
def test_minbpe_gives_the_same_ids(pattern):
    encoding = trained(pattern)
    content, losses = minbpe.write(data_of(encoding))
    assert losses == ()
    model = MinbpeModel(content.decode())
    assert model.specials == encoding._special_tokens

    @examples(60)
    @given(text=texts())
    def check(text):
        assert model.encode_ordinary(text) == encoding.encode_ordinary(text)

    check()
    assert model.encode_ordinary(TEXT) == encoding.encode_ordinary(TEXT)
    again = minbpe.read(content)
    assert (again.ranks, again.special_tokens) == (encoding._mergeable_ranks, encoding._special_tokens)
    assert again.pattern == encoding._pat_str


@pytest.mark.parametrize("theirs", BY_MINBPE)
@given(text=texts())
def test_the_patterns_of_minbpe_split_as_ours(theirs, text):
    ours = pretokenizer(BY_MINBPE[theirs])
    assert pretokenizer(theirs).pretokens(text) == ours.pretokens(text)


def test_a_file_of_minbpe():
    read = minbpe.read(b"minbpe v1\n\n1\n<|x|> 300\n97 98\n256 99\r\n")
    assert read.pattern == expression_named("none")
    assert read.special_tokens == {"<|x|>": 300}
    assert {token: token_id for token, token_id in read.ranks.items() if len(token) > 1} == {b"ab": 256, b"abc": 257}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"minbpe v1\n", "ends before"),
        (b"minbpe v1\nx\nmany\n", "line 3"),
        (b"minbpe v1\nx\n-1\n", "line 3"),
        (b"minbpe v1\nx\n9\n<a> 1\n", "line 3"),
        (b"minbpe v1\nx\n99999999999999999999999999\n", "line 3"),
        (b"minbpe v1\nx\n1\n<a>\n", "line 4"),
        (b"minbpe v1\nx\n1\n<a> -3\n", "line 4"),
        (b"minbpe v1\nx\n2\n<a> 300\n<a> 301\n", "line 5"),
        (b"minbpe v1\nx\n0\n97 98\n97 257\n", "line 5: the merge uses the id 257"),
        (b"minbpe v1\nx\n0\n97 98\n97 98\n", "line 5: the merge produces a token that already exists"),
        (b"minbpe v1\nx\n0\n97\n", "line 4"),
        (b"minbpe v1\nx\n0\n97 98\n\n97 99\n", "line 5"),
        (b"minbpe v1\nx\n0\n97 98\n98 99\n97 257\n", "are not produced in merge order"),
        (b"minbpe v1\n\xff\n0\n", "not valid UTF-8"),
        (b"minbpe v1\nx\n0\n97 97\n" + b"".join(b"%d %d\n" % (i, i) for i in range(256, 290)), "bytes with id"),
    ],
)
def test_a_damaged_file_is_named_with_its_line(content, complaint):
    with pytest.raises(FormatError, match=complaint):
        minbpe.read(content)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"special_tokens": {"<a b>": 999}}, "whitespace"),
        ({"pattern": "a|\n"}, "one line"),
        ({"pattern": " a"}, "one line"),
    ],
)
def test_what_minbpe_cannot_hold_is_refused(changes, complaint):
    fields = {"pattern": "x", "ranks": trained()._mergeable_ranks, "special_tokens": {}} | changes
    with pytest.raises(FormatError, match=complaint):
        minbpe.write(TokenizerData(**fields))


def test_other_numbers_than_minbpes_are_refused():
    ranks = dict(trained()._mergeable_ranks)
    with pytest.raises(FormatError, match="without gaps"):
        minbpe.write(TokenizerData("x", ranks | {b"zzz": 9000}, {}))
    ranks[b"a"], ranks[b"b"] = ranks[b"b"], ranks[b"a"]
    with pytest.raises(FormatError, match="ids 0 to 255"):
        minbpe.write(TokenizerData("x", ranks, {}))


def test_normalization_is_lost_and_said_so():
    data = TokenizerData("x", trained()._mergeable_ranks, {}, normalization=("NFC",))
    assert "NFC" in minbpe.write(data)[1][0]
