"""Vocabularies with SentencePiece's sign, in every format: what other programs make of them, and what is refused."""

from __future__ import annotations

import functools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

import engine
from engine.errors import FormatError
from engine.library.formats import huggingface
from engine.library.formats.opening import open_tokenizer, save_encoding
from engine.library.formats.spelling import spelled_in_characters, unspelled_in_characters
from engine.training.settings import check_can_be_saved
from engine.training.types import TrainingSettings
from tests.engine.library.formats.minbpe_oracle import MinbpeModel
from tests.engine.library.formats.trained import SPECIALS, TEXT
from tests.engine.strategies import texts
from tests.thoroughness import examples

EXAMPLES = examples(60)
known_and_unknown = st.text(alphabet="The cat\n\r\tnaïve汉字▁▂猫😀👩\u00a0ﬁ<0xE2>", max_size=30)
every_kind = pytest.mark.parametrize("alphabet", ["bytes", "characters"])
every_way = pytest.mark.parametrize(
    "options", [{}, {"dummy_prefix": False}, {"normalization": "NFKC", "lowercase": True}], ids=str
)


def learned(alphabet: str, **options: object) -> engine.Encoding:
    return _learned(alphabet, tuple(options.items()))


@functools.cache
def _learned(alphabet: str, options: tuple) -> engine.Encoding:
    return engine.train(
        [TEXT], 400, pattern="sentencepiece", alphabet=alphabet, special_tokens=SPECIALS, threads=1, **dict(options)
    )


@pytest.mark.hypothesis
@every_kind
@every_way
def test_hugging_face(tmp_path, alphabet, options):
    encoding = learned(alphabet, **options)
    save_encoding(encoding, tmp_path / "own.json", TEXT)
    theirs = Tokenizer.from_file(str(tmp_path / "own.json"))
    again = engine.load(tmp_path / "own.json")
    document = json.loads((tmp_path / "own.json").read_text(encoding="utf-8"))
    assert document["model"]["byte_fallback"] is (alphabet == "characters")
    assert theirs.get_vocab_size() == encoding.n_vocab

    @EXAMPLES
    @given(text=st.one_of(texts(), known_and_unknown))
    def check(text):
        ids = encoding.encode(text, allowed_special="all")
        assert theirs.encode(text).ids == again.encode(text, allowed_special="all") == ids
        assert theirs.decode(ids, skip_special_tokens=False) == encoding.decode(ids)

    check()
    assert theirs.encode(TEXT).ids == encoding.encode(TEXT)


@every_kind
@every_way
def test_ranks(tmp_path, alphabet, options):
    encoding = learned(alphabet, **options)
    losses = save_encoding(encoding, tmp_path / "own.tiktoken", TEXT).losses
    assert "the normalization" in losses[0]
    again = engine.load(tmp_path / "own.tiktoken")
    for text in (TEXT, "The 猫 ▂ sat", " ", ""):
        assert again.encode(text) == encoding.encode(text)
        assert again.decode(again.encode(text)) == encoding.decode(encoding.encode(text))
    assert open_tokenizer(tmp_path / "own.tiktoken", checked=True).encoding.encode(TEXT) == encoding.encode(TEXT)
    (tmp_path / "own.tiktoken.json").write_text(
        (tmp_path / "own.tiktoken.json").read_text(encoding="utf-8").replace("{", '{"byte_fallback": 1,', 1),
        encoding="utf-8",
    )
    with pytest.raises(FormatError, match="byte_fallback"):
        engine.load(tmp_path / "own.tiktoken")


@every_kind
def test_minbpe(tmp_path, alphabet):
    encoding = learned(alphabet)
    losses = save_encoding(encoding, tmp_path / "own.model", TEXT).losses
    assert "▁ in front, spaces as ▁" in losses[0]
    assert len(losses) == 1 + (alphabet == "characters")
    assert all("single bytes" in loss for loss in losses[1:])
    theirs = MinbpeModel((tmp_path / "own.model").read_text(encoding="utf-8"))
    assert theirs.encode_ordinary(encoding.preparation(TEXT)) == encoding.encode_ordinary(TEXT)


@pytest.mark.parametrize("name", ["own.json", "own.tiktoken", "own.model"])
@every_kind
def test_what_can_be_saved_is_known_before_training(tmp_path, name, alphabet):
    check_can_be_saved(TrainingSettings(400, pattern="sentencepiece", alphabet=alphabet), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_token_that_looks_like_a_byte_cannot_be_held(tmp_path):
    encoding = engine.train(
        ["<0x41>\n" * 9], 290, pattern="sentencepiece", alphabet="characters", dummy_prefix=False, threads=1
    )
    assert encoding.encode("<0x41>") == [encoding.encode_single_token("<0x41>")]
    with pytest.raises(FormatError, match="cannot distinguish the token '<0x41>' from bytes"):
        save_encoding(encoding, tmp_path / "own.json")
    assert list(tmp_path.iterdir()) == []
    save_encoding(encoding, tmp_path / "own.tiktoken")


def test_how_tokens_are_spelled():
    for token, letters in (("▁a".encode(), "▁a"), (b"A", "A"), (b"\xe2", "<0xE2>"), (b"\xe2\x96", "<0xE2><0x96>")):
        assert spelled_in_characters(token) == letters
        assert unspelled_in_characters(letters) == token
    assert unspelled_in_characters("\ud800") is None


def changed(change) -> dict:
    content, _ = huggingface.write(data_of_characters())
    document = json.loads(content)
    change(document)
    return document


def data_of_characters():
    encoding = learned("characters")
    return huggingface.TokenizerData(
        encoding.pattern,
        encoding._mergeable_ranks,
        encoding._special_tokens,
        encoding.preparation.steps,
        byte_fallback=True,
    )


def move_characters_behind(document: dict) -> None:
    """As SentencePiece numbers them."""
    vocabulary = document["model"]["vocab"]
    vocabulary["汉"] = max(vocabulary.values()) + 1


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (move_characters_behind, "ids are in another order"),
        (lambda one: one["model"]["vocab"].pop("<0xE2><0x96>"), "ids are in another order"),
        (lambda one: one["model"]["merges"].pop(), "ids are in another order"),
        (lambda one: one["model"]["vocab"].update({"<0x41>": 9999}), "spelled alike"),
        (lambda one: one.update(pre_tokenizer={"type": "Metaspace"}), "only one Split"),
        (lambda one: one["normalizer"]["normalizers"].reverse(), "only supported last"),
        (lambda one: one["normalizer"]["normalizers"][0].update(prepend="_"), "Prepend is not supported"),
    ],
)
def test_what_our_own_engine_cannot_be_is_said(change, complaint):
    with pytest.raises(FormatError, match=complaint):
        huggingface.read(changed(change))


def test_the_library_runs_what_our_own_engine_cannot_be(tmp_path):
    path = tmp_path / "theirs.json"
    path.write_text(json.dumps(changed(move_characters_behind)), encoding="utf-8")
    theirs = Tokenizer.from_file(str(path))
    assert engine.load(path).encode(TEXT) == theirs.encode(TEXT, add_special_tokens=False).ids


def test_a_file_without_a_split_is_one_pretoken(tmp_path):
    path = tmp_path / "theirs.json"
    path.write_text(json.dumps(changed(lambda one: one.update(pre_tokenizer=None))), encoding="utf-8")
    assert engine.load(path).encode(TEXT) == learned("characters").encode(TEXT)
