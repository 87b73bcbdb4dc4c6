"""Opening files of every kind, and what is said of those that cannot be opened."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tiktoken.load import load_tiktoken_bpe

import engine
from engine.errors import FormatError
from engine.library.bundled_encodings import expression_named
from engine.library.formats import source
from engine.library.formats.opening import open_tokenizer, save_encoding
from engine.library.formats.source import PatternNeededError
from tests.engine import oracles
from tests.engine.library.formats import library_files
from tests.engine.library.formats.trained import TEXT, trained

BYTES = b"".join(base64.b64encode(bytes([value])) + b" %d\n" % value for value in range(256))
DIGITS = '{"pattern": "x", "special_tokens": {"<a>": ' + "9" * 5000 + "}}"


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base", "p50k_base", "r50k_base", "qwen"])
def test_published_ranks_are_recognised(vocabularies, name):
    encoding = engine.load(vocabularies / f"{name}.tiktoken")
    bundled = engine.get_encoding(name)
    assert encoding.name == name
    assert encoding._pat_str == bundled._pat_str
    assert encoding._special_tokens == bundled._special_tokens
    assert encoding._mergeable_ranks == bundled._mergeable_ranks


@pytest.mark.deep
def test_tekken_as_published(vocabularies):
    opened = open_tokenizer(vocabularies / "tekken_240911.json")
    assert opened.kind == "tekken"
    assert opened.encoding.encode_ordinary(TEXT) == oracles.ids("tekken", vocabularies, TEXT)
    assert opened.encoding._special_tokens == engine.get_encoding("tekken")._special_tokens


def test_a_later_tekken_names_its_special_tokens(tmp_path):
    vocabulary = [{"rank": v, "token_bytes": base64.b64encode(bytes([v])).decode()} for v in range(256)]
    document = {
        "config": {"pattern": r"\w+|\W+", "default_vocab_size": 260, "default_num_special_tokens": 4},
        "vocab": [*vocabulary, {"rank": 256, "token_bytes": "YWI="}],
        "special_tokens": [{"rank": 1, "token_str": "<s>"}, {"rank": 0, "token_str": "<unk>"}],
    }
    (tmp_path / "tekken.json").write_text(json.dumps(document))
    encoding = engine.load(tmp_path / "tekken.json")
    assert encoding._special_tokens == {"<s>": 1, "<unk>": 0, "<SPECIAL_2>": 2, "<SPECIAL_3>": 3}
    assert encoding.encode("<s>ab", allowed_special="all") == [1, 101, 102], "the model has no room for the last token"
    assert encoding.name == tmp_path.name, "the file's name is that of all such files"


def test_ranks_with_a_pattern_that_is_named(tmp_path):
    (tmp_path / "own.tiktoken").write_bytes(BYTES + b"YWI= 256\n")
    with pytest.raises(FormatError, match=r"own\.tiktoken\.json"):
        engine.load(tmp_path / "own.tiktoken")
    assert engine.load(tmp_path / "own.tiktoken", pattern="gpt2").encode("ab") == [256]
    assert engine.load(tmp_path / "own.tiktoken", pattern="deepseek")._pat_str == expression_named("deepseek")
    assert engine.load(tmp_path / "own.tiktoken", pattern="(?s:.)").encode("ab") == [97, 98]
    with pytest.raises(FormatError, match="pattern is not valid"):
        engine.load(tmp_path / "own.tiktoken", pattern="(")
    (tmp_path / "own.tiktoken.json").write_text('{"pattern": "cl100k_base"}')
    opened = open_tokenizer(tmp_path / "own.tiktoken", name="mine")
    assert (opened.encoding.name, opened.encoding.n_vocab) == ("mine", 257)


@pytest.mark.parametrize("name", ["tokenizer.model", "tiktoken.model", "ranks.bpe"])
def test_ranks_are_known_by_their_content(tmp_path, name):
    (tmp_path / name).write_bytes(BYTES + b"YWI= 256\n")
    with pytest.raises(PatternNeededError, match=r"json beside the file"):
        engine.load(tmp_path / name)
    opened = open_tokenizer(tmp_path / name, pattern="llama3")
    assert (opened.kind, opened.encoding.encode("ab")) == ("tiktoken", [256])


def test_a_sentencepiece_model_is_one_under_any_name(tmp_path):
    (tmp_path / "spiece.tiktoken").write_bytes(library_files.sentencepiece_model())
    assert open_tokenizer(tmp_path / "spiece.tiktoken").kind == "SentencePiece"


@pytest.mark.parametrize("folder", ["llama3", "llama4"])
def test_llama_as_published(shared_dir, folder):
    path = shared_dir / "tokenizers" / folder / "tokenizer.model"
    if not path.is_file():
        pytest.skip(f"{path.name} of {folder} is not there")
    pattern = "llama3" if folder == "llama3" else "o200k_base"
    theirs = tiktoken.Encoding(
        folder,
        pat_str=expression_named(pattern),
        mergeable_ranks=load_tiktoken_bpe(str(path)),
        special_tokens={},
    )
    assert engine.load(path, pattern=pattern).encode_ordinary(TEXT) == theirs.encode_ordinary(TEXT)


def test_an_empty_token_is_left_out(tmp_path):
    content = BYTES + b"YWI= 256\n= 257\nYWJj 258\n"
    (tmp_path / "multilingual.tiktoken").write_bytes(content)
    opened = open_tokenizer(tmp_path / "multilingual.tiktoken", pattern="gpt2", checked=True)
    assert opened.encoding.encode("ab abc") == [256, 32, 258]
    assert opened.notes == ("The id 257 belongs to an empty token, which no text produces; it is left out.",)
    theirs = load_tiktoken_bpe(str(tmp_path / "multilingual.tiktoken"))
    assert theirs.pop(b"") == 257
    assert theirs == opened.encoding._mergeable_ranks


def test_the_real_tiktoken_reads_what_is_saved(tmp_path, monkeypatch):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    encoding = trained()
    saved = save_encoding(encoding, tmp_path / "own.tiktoken")
    described = json.loads(saved.files[1].read_text())
    theirs = tiktoken.Encoding(
        "own",
        pat_str=described["pattern"],
        mergeable_ranks=load_tiktoken_bpe(str(saved.files[0])),
        special_tokens=described["special_tokens"],
    )
    assert theirs.encode(TEXT + "<|pad|>", allowed_special="all") == encoding.encode(
        TEXT + "<|pad|>", allowed_special="all"
    )


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.tiktoken", b"", "the file is empty"),
        ("a.tiktoken", b"\n\n", "the file is empty"),
        ("a.tiktoken", b"YQ==\n", "a.tiktoken: line 1"),
        ("a.txt", b"Hello\n", "the file is in no known format; read as ranks for tiktoken, line 1: expected"),
        ("a.tiktoken", b"YQ== 1\nYg== 2 3\n", "line 2"),
        ("a.tiktoken", b"YQ== 1\nY!== 2\n", "line 2: 'Y!==' is not base64"),
        ("a.tiktoken", b"YQ== -1\n", "line 1: '-1' is not an id"),
        ("a.tiktoken", b"YQ== " + b"9" * 5000 + b"\n", "is not an id"),
        ("a.tiktoken", b"YQ== 99999999\n", "not between"),
        ("a.tiktoken", b"YQ== 1\nYQ== 2\n", "line 2: duplicate token"),
        ("a.tiktoken", b" 1\n", "line 1: a token has 0 bytes"),
        ("a.tiktoken", BYTES + b"YWI= 255\n", "two tokens have the id 255"),
        ("a.tiktoken", BYTES[20:], "no token for the byte 0x00"),
        ("a.tiktoken", b"\x80\x02}q\0.", "binary file"),
        ("a.model", b"\n\x0e\n\x05<unk>\x15\0\0\0\0\x18\x02", "SentencePiece model, or one without pieces"),
        ("a.model", b"minbpe v2\n", "model, or one without pieces"),
        ("a.json", b"{", "line 1, column 2"),
        ("a.json", b"[]", "not an object"),
        ("a.json", b"{}", "neither"),
        ("a.json", b'{"a": 1, "a": 2}', "duplicate key 'a'"),
        ("a.json", b'{"a":' * 100_000, "nested too deeply"),
        ("a.json", b'{"a": "\xff"}', "not valid UTF-8: byte 0xff at offset 7"),
        ("a.json", DIGITS.encode(), "too large"),
        ("a.json", b'{"pattern": "x"}', "open that one"),
        ("a.json", b'{"vocab": [], "config": {}}', r"config\.default_vocab_size is missing"),
        (
            "a.json",
            b'{"vocab": [{"rank": 0, "token_bytes": "?"}], "config": '
            b'{"default_vocab_size": 9, "default_num_special_tokens": 1}}',
            r"vocab\[0\]\.token_bytes: .* is not base64",
        ),
    ],
)
def test_what_cannot_be_opened_is_said_in_a_sentence(tmp_path, name, content, complaint):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match=complaint) as caught:
        engine.load(tmp_path / name, pattern="gpt2")
    assert str(caught.value).startswith(f"{tmp_path / name}: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("beside", "complaint"),
    [
        ("{}", "pattern is missing"),
        ('{"pattern": 3}', "pattern is not a text"),
        ('{"pattern": "x", "sha256": "00"}', "other ranks"),
        ('{"pattern": "x", "special_tokens": ["<a>"]}', "special_tokens is not an object"),
        ('{"pattern": "x", "special_tokens": {"<a>": "1"}}', "not a whole number"),
        ('{"pattern": "x", "special_tokens": {"<a>": true}}', "not a whole number"),
        ('{"pattern": "x", "special_tokens": {"<a>": 97}}', "id 97 of another token"),
        ('{"pattern": "x", "special_tokens": {"": 300}}', "no text"),
        ('{"pattern": "x", "special_tokens": {"\\ud800": 300}}', "not a text"),
        ('{"pattern": "x", "normalization": [1]}', "normalization"),
    ],
)
def test_a_damaged_file_beside_the_ranks(tmp_path, beside, complaint):
    (tmp_path / "own.tiktoken").write_bytes(BYTES)
    (tmp_path / "own.tiktoken.json").write_text(beside)
    with pytest.raises(FormatError, match=complaint):
        engine.load(tmp_path / "own.tiktoken")


def test_what_is_no_file(tmp_path):
    with pytest.raises(FormatError, match="folder"):
        engine.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        engine.load(tmp_path / "no-such-file.json")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(FormatError, match="pipe"):
            engine.load(tmp_path / "pipe")


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "LARGEST_FILE", 1000)
    (tmp_path / "a.json").write_bytes(b" " * 1001)
    with pytest.raises(FormatError, match="larger than"):
        engine.load(tmp_path / "a.json")


@pytest.fixture(scope="module")
def saved_files(tmp_path_factory) -> list[Path]:
    folder = tmp_path_factory.mktemp("saved")
    for suffix in (".tiktoken", ".json", ".model"):
        save_encoding(trained(merges=60), folder / f"a{suffix}")
    return sorted(folder.iterdir())


@given(data=st.data())
def test_a_damaged_file_gives_an_encoding_or_a_sentence(saved_files, tmp_path_factory, data):
    """Whatever is cut out of a file or put into it: never another exception."""
    original = data.draw(st.sampled_from(saved_files))
    content = bytearray(original.read_bytes())
    start = data.draw(st.integers(0, len(content)))
    end = min(len(content), start + data.draw(st.sampled_from([0, 1, 5, 1000])))
    content[start:end] = data.draw(st.one_of(st.binary(max_size=8), st.sampled_from([b"\n", b"9" * 30, b'"', b"{["])))
    folder = tmp_path_factory.mktemp("damaged")
    for file in saved_files:
        (folder / file.name).write_bytes(content if file == original else file.read_bytes())
    path = folder / ("a.tiktoken" if original.name == "a.tiktoken.json" else original.name)
    outcome = opened_or_sentence(path)
    assert isinstance(outcome, engine.Encoding) or outcome.startswith(str(path))


def opened_or_sentence(path: Path) -> engine.Encoding | str:
    try:
        return engine.load(path)
    except FormatError as error:
        return str(error)
