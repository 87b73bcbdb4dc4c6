"""Hostile and damaged files: a sentence each, and nothing worse."""

from __future__ import annotations

import base64
import contextlib
import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.encoding.library_encoding import LibraryEncoding
from engine.errors import EngineError, FormatError
from engine.library.formats import huggingface_document, isolated_check, kept_tokenizer, sentencepiece_model
from engine.library.formats.opening import open_tokenizer, save_encoding
from engine.library.formats.sentencepiece_model import bytes_field, float_field, whole_field
from engine.library.user_encodings import UserEncodings
from tests.engine.library.formats import library_files
from tests.engine.library.formats.damage import damaged
from tests.engine.library.formats.test_gguf import of_document, of_model
from tests.engine.library.formats.trained import trained
from tests.thoroughness import mostly_deep


def ours(suffix: str) -> Callable[[Path], bytes]:
    def make(folder: Path) -> bytes:
        save_encoding(trained(), folder / f"good{suffix}")
        return (folder / f"good{suffix}").read_bytes()

    return make


def tekken(_folder: Path) -> bytes:
    vocabulary = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for token, rank in trained()._mergeable_ranks.items()
    ]
    config = {"pattern": r"\w+|\W+", "default_vocab_size": len(vocabulary) + 4, "default_num_special_tokens": 4}
    return json.dumps({"config": config, "vocab": vocabulary}).encode()


def gguf_of_ours(folder: Path) -> bytes:
    save_encoding(trained("gpt2"), folder / "good.json")
    return library_files.gguf(of_document(json.loads((folder / "good.json").read_bytes())))


def kept(reader: str) -> Callable[[Path], bytes]:
    """A library's tokenizer as it is kept among the user's own: the file that says so is written beside it."""

    def make(folder: Path) -> bytes:
        if reader == "tokenizers":
            data = huggingface_document.library_data_of(json.loads(library_files.unigram()))
        else:
            data = sentencepiece_model.library_data_of(
                sentencepiece_model.read(library_files.sentencepiece_model("unigram"))
            )
        kept_tokenizer.write(LibraryEncoding.around("kept", data.open()), folder / KEPT)
        return (folder / KEPT).read_bytes()

    return make


KEPT = f"x{kept_tokenizer.SUFFIX}"
IMPORTERS: dict[str, tuple[str, Callable[[Path], bytes]]] = {
    "tiktoken": ("x.tiktoken", ours(".tiktoken")),
    "Hugging Face, byte-level": ("x.json", ours(".json")),
    "minbpe": ("x.model", ours(".model")),
    "tekken": ("tekken.json", tekken),
    "WordPiece": ("x.json", lambda _: library_files.word_piece()),
    "Unigram": ("x.json", lambda _: library_files.unigram()),
    "character BPE": ("x.json", lambda _: library_files.character_bpe()),
    "SentencePiece": ("x.model", lambda _: library_files.sentencepiece_model("unigram")),
    "GGUF, byte-level": ("x.gguf", gguf_of_ours),
    "GGUF, SentencePiece": (
        "x.gguf",
        lambda _: library_files.gguf(of_model(library_files.sentencepiece_model())),
    ),
    "kept, tokenizers": (KEPT, kept("tokenizers")),
    "kept, sentencepiece": (KEPT, kept("sentencepiece")),
}


@pytest.mark.parametrize("number", [22, pytest.param(66, marks=pytest.mark.deep)])
@pytest.mark.parametrize("importer", mostly_deep(IMPORTERS, 3))
def test_damaged_files_end_in_a_sentence(importer, number, tmp_path):
    name, make = IMPORTERS[importer]
    good = make(tmp_path)
    path = tmp_path / name
    refused = 0
    for content in damaged(good, number):
        path.write_bytes(content)
        try:
            opened = open_tokenizer(path, pattern="gpt2", checked=True)
            # Text that a pattern leaves out is lost, and that is said.
            assert opened.encoding.count("the cat and the dog") > 0 or opened.check.changed
        except FormatError as error:
            refused += 1
            sentence = str(error)
            assert str(path) in sentence
            assert len(sentence) < 600
            assert "\n" not in sentence.replace(repr("\n"), "")
            assert "Error(" not in sentence
    assert refused > number // 3


def refusal(folder: Path, name: str, content: bytes) -> str:
    (folder / name).write_bytes(content)
    with pytest.raises(EngineError) as caught:
        open_tokenizer(folder / name, checked=True)
    return str(caught.value)


def changed(content: bytes, **parts: object) -> bytes:
    """A tokenizer.json with other parts; ``model_x``: of its model."""
    document = json.loads(content)
    for key, value in parts.items():
        if key.startswith("model_"):
            document["model"][key.removeprefix("model_")] = value
        else:
            document[key] = value
    return json.dumps(document).encode()


def split(expression: str) -> dict[str, object]:
    return {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated", "invert": False}


def replaced(before: str, after: str) -> dict[str, object]:
    return {"type": "Replace", "pattern": {"Regex": before}, "content": after}


@pytest.mark.parametrize(
    ("parts", "complaint"),
    [
        ({"pre_tokenizer": split("(a+)+$")}, "tokenizers failed on this text"),
        ({"normalizer": replaced("(\\w+)+$", "x")}, "tokenizers failed on this text"),
        ({"pre_tokenizer": split("((((" * 3000)}, "more than 10,000 characters"),
        ({"pre_tokenizer": split("(")}, "tokenizers rejects it"),
        ({"pre_tokenizer": {"type": "FixedLength", "length": 0}}, "0 characters long"),
        ({"pre_tokenizer": {"type": "Python", "code": "import os"}}, "unknown step type Python"),
        ({"normalizer": {"type": "Python"}}, "unknown step type Python"),
        ({"normalizer": {"type": "Sequence", "normalizers": [replaced(".", "..")] * 30}}, "times as long"),
        ({"normalizer": replaced("a", "b" * 1000)}, "more than 64 characters"),
        ({"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}] * 50}}, "50 steps"),
        ({"normalizer": {"type": "Prepend", "prepend": "x" * 1000}}, "more than 64 characters"),
        ({"normalizer": {"type": "Prepend", "prepend": "\ud800"}}, "half of a surrogate pair"),
        ({"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}}, "cut short"),
        ({"normalizer": {"type": "Precompiled", "precompiled_charsmap": "?"}}, "not base64"),
        ({"decoder": {"type": "Strip", "content": " ", "start": -1, "stop": 0}}, "start is -1"),
        ({"model_type": "Pickle"}, "model.type: unknown type Pickle"),
        ({"model_type": {"BPE": 1}}, "model.type: unknown type {'BPE': 1}"),
        ({"model_unk_token": "nowhere"}, "not in the vocabulary"),
        ({"model_unk_token": ["[UNK]"]}, "not in the vocabulary"),
        ({"model_max_input_chars_per_word": 10**9}, "the limit is 1,000"),
        ({"model_vocab": {"[UNK]": 0, "a": -1}, "added_tokens": []}, "not between"),
        ({"model_vocab": {"[UNK]": 0, "a": 0}}, "the same id"),
        ({"model_vocab": {"[UNK]": 0, "a": 3_000_000}, "added_tokens": []}, "holes"),
        ({"model_vocab": {"[UNK]": 0, "a" * 5000: 1}}, "5,000 characters"),
        ({"model_vocab": {"[UNK]": 0, "\ud800": 1}}, "half of a surrogate pair"),
        ({"model_vocab": {}}, "not in the vocabulary"),
        ({"added_tokens": [{"id": 7, "content": "x" * 5000}]}, "5,000 characters"),
        ({"added_tokens": [{"id": 1, "content": "no such word"}]}, "that of another token"),
    ],
)
def test_hostile_hugging_face_files(parts, complaint, tmp_path):
    assert complaint in refusal(tmp_path, "x.json", changed(library_files.word_piece(), **parts))


@pytest.mark.parametrize(
    ("parts", "complaint"),
    [
        ({"model_type": []}, "model.type: unknown type []"),
        ({"pre_tokenizer": {"type": {"a": 1}}}, "unknown step type {'a': 1}"),
        ({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": []}]}}, "unknown step type []"),
        ({"normalizer": {"type": [1]}}, "unknown step type [1]"),
        ({"post_processor": {"type": "Sequence", "processors": 5}}, "post_processor.processors"),
    ],
)
def test_hostile_files_of_the_byte_level_kind(parts, complaint, tmp_path):
    content = ours(".json")(tmp_path)
    assert complaint in refusal(tmp_path, "x.json", changed(content, **parts))


@pytest.mark.parametrize(
    ("parts", "complaint"),
    [
        ({"model_unk_id": None}, "unk_id"),
        ({"model_unk_id": 10**6}, "unk_id"),
        ({"model_vocab": [["<unk>", 0.0], ["a", "1"]]}, "is not a score"),
        ({"model_vocab": [["<unk>", 0.0], [1, 1.0]]}, "is not a token and its score"),
        ({"model_vocab": {"a": 1}}, "is not a list"),
    ],
)
def test_hostile_unigram_files(parts, complaint, tmp_path):
    assert complaint in refusal(tmp_path, "x.json", changed(library_files.unigram(), **parts))


def test_numbers_that_are_none(tmp_path):
    content = library_files.unigram().replace(b"-", b"NaN, -", 1)
    assert "NaN is not a number" in refusal(tmp_path, "x.json", content)


def test_json_that_would_fill_the_memory(tmp_path):
    assert "values" in refusal(tmp_path, "x.json", b'{"a":[' + b"[]," * 3_000_000 + b"1]}")
    assert "nested too deeply" in refusal(tmp_path, "x.json", b"[" * 100_000)
    assert "larger than 40 MB" in refusal(tmp_path, "x.json", b" " * (41 << 20))


def test_merges_that_would_fill_the_memory(tmp_path):
    """Each makes a token one byte longer: 60,000 lines would be two gigabytes."""
    lines = b"".join(b"%d 97\n" % (97 if number == 256 else number - 1) for number in range(256, 60_000))
    assert "more than 32 MB together" in refusal(tmp_path, "x.model", b"minbpe v1\n\n0\n" + lines)


def piece(text: str, score: float = 0.0, kind: int = 1) -> bytes:
    return bytes_field(1, bytes_field(1, text.encode()) + float_field(2, score) + whole_field(3, kind))


UNKNOWN = piece("<unk>", 0, 2)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (UNKNOWN + piece("a", float("nan")), "its score is nan"),
        (UNKNOWN + piece("a", float("inf")), "its score is inf"),
        (UNKNOWN + piece("a") + piece("a"), "duplicate piece 'a'"),
        (UNKNOWN + piece("") + piece("a"), "empty text"),
        (UNKNOWN + piece("b") + piece("a", kind=9), "unknown type 9"),
        (UNKNOWN + UNKNOWN.replace(b"<unk>", b"<ukk>") + piece("a"), "2 pieces for unknown text"),
        (piece("a"), "0 pieces for unknown text"),
        (UNKNOWN + piece("a") + piece("<0x00>", kind=6), "has 1 pieces for bytes"),
        (UNKNOWN + piece("a") + piece("<0xZZ>", kind=6), "is not a byte"),
        (UNKNOWN + piece("a" * 5000), "5,000 characters"),
        (UNKNOWN + piece("a") + bytes_field(2, whole_field(3, 9)), "unknown model type 9"),
        (UNKNOWN + piece("a") + bytes_field(3, bytes_field(2, b"\xff" * 100)), "cut short"),
        (UNKNOWN + piece("a") + whole_field(1, 5), "expected bytes, found a number"),
        (UNKNOWN + piece("a") + b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "ends before a field"),
        (UNKNOWN + piece("a") + b"\xff" * 20, "the number is too long"),
        (UNKNOWN + piece("a") + b"\x0b", "has an unknown type"),
        (UNKNOWN + bytes_field(1, bytes_field(1, b"\xff")) + piece("a"), "not UTF-8"),
    ],
)
def test_hostile_sentencepiece_models(content, complaint, tmp_path):
    assert complaint in refusal(tmp_path, "x.model", content)


def special_tokens(texts: list[str]) -> bytes:
    lines = [f"{text} {300 + number}" for number, text in enumerate(texts)]
    return "\n".join(["minbpe v1", ".", str(len(lines)), *lines]).encode()


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        ([20_000 * '{"a":'], "has 100,000 bytes; the limit is 65,536"),
        ([chr(0x1000 + number) + 10_000 * "[}\u0101" for number in range(20)], "are too many or too long"),
    ],
)
def test_special_tokens_without_end(texts, complaint, tmp_path):
    told = refusal(tmp_path, "hostile.model", special_tokens(texts))
    assert complaint in told
    assert len(told) < 400


def test_a_split_pattern_without_end(tmp_path):
    told = refusal(tmp_path, "hostile.model", b"minbpe v1\n" + 600_000 * b"a" + b"\n0\n")
    assert "the split pattern has 600,000 characters; the limit is 524,288" in told


@pytest.mark.deep
def test_a_long_special_token(tmp_path):
    long = 10_000 * '{"a":'
    (tmp_path / "sound.model").write_bytes(special_tokens([long]))
    encoding = open_tokenizer(tmp_path / "sound.model").encoding
    assert list(encoding.encode(f"a{long}b", allowed_special="all")) == [97, 300, 98]


def test_a_pickle_is_not_opened(tmp_path):
    import pickle

    assert refusal(tmp_path, "x.model", pickle.dumps({"a": print}))
    assert "binary file" in refusal(tmp_path, "x.bin", pickle.dumps({"a": print, "b": bytes(10)}))


def test_a_normalization_that_leads_out_of_itself_is_refused():
    good = sentencepiece_model.read(library_files.sentencepiece_model()).rules
    sentencepiece_model.check_charsmap(good, "x")
    size = int.from_bytes(good[:4], "little")
    astray = bytearray(good)
    struct.pack_into("<I", astray, 4, 1 << 30)
    with pytest.raises(FormatError, match="points outside itself"):
        sentencepiece_model.check_charsmap(bytes(astray), "x")
    with pytest.raises(FormatError, match="missing replacements"):
        sentencepiece_model.check_charsmap(good[: 4 + size] + b"\0", "x")
    with pytest.raises(FormatError, match="cut short"):
        sentencepiece_model.check_charsmap(good[:-1], "x")


@pytest.mark.parametrize("pattern", ["(?!)", "(?<=x)y(?<=z)"])
def test_a_pattern_that_finds_nothing(tmp_path, pattern):
    document = json.loads(tekken(tmp_path))
    document["config"]["pattern"] = pattern
    assert "no token from any text" in refusal(tmp_path, "tekken.json", json.dumps(document).encode())


BOMBS = ["(a+)+$", "(\\w+\\s?)+$", "(?:a|a(?=a)|a(?!b))+$|(?s:.)", "(" * 5000, "((a{0,99}){0,99}){0,99}b|(?s:.)"]


@pytest.mark.deep
@pytest.mark.parametrize("importer", mostly_deep(["Hugging Face, byte-level", "tekken"], 2))
@pytest.mark.parametrize("bomb", mostly_deep(BOMBS, 2))
def test_a_bomb_for_a_pattern(importer, bomb, tmp_path):
    """Refused by then, or harmless: what takes for ever would end this test."""
    name, make = IMPORTERS[importer]
    document = json.loads(make(tmp_path))
    if importer == "tekken":
        document["config"]["pattern"] = bomb
    else:
        document["pre_tokenizer"]["pretokenizers"][0] = split(bomb)
    path = tmp_path / name
    path.write_text(json.dumps(document))
    with contextlib.suppress(FormatError):
        opened = open_tokenizer(path, checked=True)
        assert opened.encoding.count("the cat and the dog") > 0 or opened.check.changed


def test_a_pattern_without_end(tmp_path):
    """tiktoken's engine gives up on it; whoever wrote it is told so, rather than made to wait."""
    save_encoding(trained(), tmp_path / "x.tiktoken")
    companion = tmp_path / "x.tiktoken.json"
    described = json.loads(companion.read_text())
    companion.write_text(json.dumps(described | {"pattern": "(?:a|a(?=a)|a(?!b))+$|(?s:.)"}))
    with pytest.raises(FormatError, match="tiktoken failed on this text"):
        open_tokenizer(tmp_path / "x.tiktoken", checked=True)


@pytest.mark.deep
def test_what_does_not_end_in_time_or_memory_is_ended(monkeypatch, tmp_path):
    good = library_files.word_piece()
    monkeypatch.setattr(isolated_check, "SECONDS", 1)
    with pytest.raises(FormatError, match="processor time"):
        isolated_check.tried("tokenizers", good, ["the cat " * 50_000] * 100)
    with pytest.raises(FormatError, match="memory"):
        isolated_check.tried("tokenizers", good, ["the cat " * 4_000_000])
    with pytest.raises(ZeroDivisionError):
        isolated_check.tried("tokenizers", good, ["x"], lambda: 1 / 0)


@pytest.mark.deep
@pytest.mark.parametrize("checked", [False, True])
def test_what_a_file_says_of_an_earlier_trial_is_not_believed(checked, tmp_path):
    """Whoever made it wrote what stands beside it as well, digest and version of the library included."""
    path = library_files.forged(tmp_path)
    with pytest.raises(FormatError, match="tokenizers failed on this text"):
        open_tokenizer(path, checked=checked)


@pytest.mark.deep
def test_nor_is_it_in_a_folder_of_somebody_else(tmp_path):
    path = library_files.forged(tmp_path / "theirs")
    own = UserEncodings(frozenset())
    assert own.add_folder(path.parent) == ()
    with pytest.raises(FormatError, match="tokenizers failed on this text"):
        own.get("forged")
    own.rename("forged", "renamed")
    with pytest.raises(FormatError, match="tokenizers failed on this text"):
        own.get("renamed")


def test_ranks_that_only_say_that_they_have_byte_fallback(tmp_path):
    save_encoding(trained(), tmp_path / "x.tiktoken")
    companion = tmp_path / "x.tiktoken.json"
    companion.write_text(json.dumps(json.loads(companion.read_text()) | {"byte_fallback": True}))
    for apart in (False, True):
        with pytest.raises(FormatError, match=r"x\.tiktoken: it cannot be tested: its tokens are not whole characters"):
            open_tokenizer(tmp_path / "x.tiktoken", checked=True, apart=apart)
