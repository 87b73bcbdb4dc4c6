"""GGUF: the vocabulary in the header of a model's file, and nothing behind it."""

from __future__ import annotations

import json
import re

import pytest
import sentencepiece
import tiktoken
from tokenizers import Regex, Tokenizer, pre_tokenizers

import engine
from engine.errors import FormatError
from engine.library.formats import gguf as gguf_format
from engine.library.formats import sentencepiece_model, spelling
from engine.library.formats.opening import open_tokenizer, save_encoding
from engine.library.formats.source import PatternNeededError
from engine.split import patterns
from tests.engine.library.formats import library_files
from tests.engine.library.formats.library_files import gguf
from tests.engine.library.formats.trained import TEXT, trained
from tests.thoroughness import mostly_deep

ODD = TEXT + "  two  spaces \t\n\nÉ e\u0301 ﬁ ² 👩\u200d🚀 𝒳 <s> ▁ end  "


def of_document(document: dict, **more: object) -> dict[str, object]:
    """The values that llama.cpp's converter writes for a tokenizer.json of byte-level BPE."""
    tokens = [token for token, _ in sorted(document["model"]["vocab"].items(), key=lambda item: item[1])]
    special = {entry["content"] for entry in document["added_tokens"]}
    return {
        "general.architecture": "llama",
        "general.quantization_version": 2,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3 if token in special else 1 for token in tokens],
        "tokenizer.ggml.merges": [
            merge if isinstance(merge, str) else " ".join(merge) for merge in document["model"]["merges"]
        ],
        "tokenizer.chat_template": "{{ messages }}",
    } | more


def of_model(content: bytes, kind: str = "llama", **more: object) -> dict[str, object]:
    model = sentencepiece_model.read(content)
    return {
        "tokenizer.ggml.model": kind,
        "tokenizer.ggml.tokens": [piece.text for piece in model.pieces],
        "tokenizer.ggml.scores": [piece.score for piece in model.pieces],
        "tokenizer.ggml.token_type": [piece.kind for piece in model.pieces],
        "tokenizer.ggml.remove_extra_whitespaces": model.spaces_joined,
    } | more


@pytest.fixture
def document(tmp_path):
    save_encoding(trained("gpt2"), tmp_path / "written.json")
    return json.loads((tmp_path / "written.json").read_text("utf-8"))


def test_byte_level_bpe_is_our_own(document, tmp_path):
    (tmp_path / "model.gguf").write_bytes(gguf(of_document(document)))
    opened = open_tokenizer(tmp_path / "model.gguf", checked=True)
    assert opened.kind == "GGUF"
    assert opened.encoding.pattern == patterns.GPT2.expression
    assert opened.encoding._special_tokens == trained("gpt2")._special_tokens
    assert not opened.check.runs
    theirs = Tokenizer.from_file(str(tmp_path / "written.json"))
    assert opened.encoding.encode_ordinary(ODD) == theirs.encode(ODD, add_special_tokens=False).ids


@pytest.mark.parametrize("version", [2, 3])
def test_a_sentencepiece_vocabulary_gives_the_ids_of_its_model(tmp_path, version):
    content = library_files.sentencepiece_model(normalization_rule_name="identity", remove_extra_whitespaces=False)
    (tmp_path / "model.gguf").write_bytes(gguf(of_model(content), version))
    opened = open_tokenizer(tmp_path / "model.gguf")
    theirs = sentencepiece.SentencePieceProcessor(model_proto=content)
    assert opened.encoding.encode_ordinary(ODD) == theirs.encode(ODD)
    assert opened.encoding.tokenizer.model == "BPE over characters"


def test_a_unigram_vocabulary_with_its_normalization(tmp_path):
    content = library_files.sentencepiece_model("unigram")
    rules = list(sentencepiece_model.read(content).rules)
    values = of_model(content, "t5", **{"tokenizer.ggml.precompiled_charsmap": rules})
    (tmp_path / "model.gguf").write_bytes(gguf(values))
    theirs = sentencepiece.SentencePieceProcessor(model_proto=content)
    assert engine.load(tmp_path / "model.gguf").encode_ordinary(ODD) == theirs.encode(ODD)


@pytest.mark.deep
def test_mistrals_vocabulary_in_a_gguf(vocabularies, shared_dir, tmp_path):
    content = (vocabularies / "mistral_v1.model").read_bytes()
    (tmp_path / "model.gguf").write_bytes(gguf(of_model(content)))
    text = (shared_dir / "corpora" / "multilingual.txt").read_text("utf-8")[:200_000]
    encoding = engine.load(tmp_path / "model.gguf")
    assert encoding.encode_ordinary(text) == engine.load(vocabularies / "mistral_v1.model").encode_ordinary(text)


@pytest.mark.parametrize("pattern", [r"\p{L}+|[^\p{L}]+", r"[\p{L}\p{M}]+|\p{N}|[^\p{L}\p{M}\p{N}]+"])
def test_a_pattern_of_ones_own_may_have_large_classes(document, tmp_path, pattern):
    (tmp_path / "model.gguf").write_bytes(gguf(of_document(document, **{"tokenizer.ggml.pre": "odd"})))
    opened = open_tokenizer(tmp_path / "model.gguf", pattern=pattern, checked=True)
    theirs = trained("gpt2")
    theirs = tiktoken.Encoding(
        "odd", pat_str=pattern, mergeable_ranks=theirs._mergeable_ranks, special_tokens=theirs._special_tokens
    )
    assert opened.encoding.encode_ordinary(ODD) == theirs.encode_ordinary(ODD)


def test_a_pattern_of_ones_own_has_a_limit(document, tmp_path):
    (tmp_path / "model.gguf").write_bytes(gguf(of_document(document, **{"tokenizer.ggml.pre": "odd"})))
    with pytest.raises(FormatError, match="more than 10,000 characters"):
        open_tokenizer(tmp_path / "model.gguf", pattern="a" * 10_001)


@pytest.mark.parametrize("lost", [(), (0x03, 0xF1)])
def test_bytes_that_no_text_has_may_have_no_token(document, tmp_path, lost):
    letters = {spelling.spelled(bytes([value])) for value in (0xC0, 0xC1, *range(0xF5, 0x100), *lost)}
    vocabulary = document["model"]["vocab"]
    kept = [token for token in sorted(vocabulary, key=vocabulary.get) if token not in letters]
    document["model"]["vocab"] = {token: number for number, token in enumerate(kept)}
    for entry in document["added_tokens"]:
        entry["id"] = document["model"]["vocab"][entry["content"]]
    (tmp_path / "model.gguf").write_bytes(gguf(of_document(document)))
    opened = open_tokenizer(tmp_path / "model.gguf", checked=True)
    theirs = Tokenizer.from_str(json.dumps(document))
    assert opened.encoding.encode_ordinary(ODD) == theirs.encode(ODD, add_special_tokens=False).ids
    assert opened.check.runs
    assert ["0x03 and 1 other bytes" in note for note in opened.notes] == [True] * bool(lost)


def test_padding_is_not_for_unknown_text(tmp_path):
    content = library_files.sentencepiece_model(normalization_rule_name="identity", remove_extra_whitespaces=False)
    values = of_model(content)
    values["tokenizer.ggml.tokens"] += ["[PAD600]", "[PAD601]"]
    values["tokenizer.ggml.scores"] += [-1000.0, -1000.0]
    values["tokenizer.ggml.token_type"] += [2, 2]
    (tmp_path / "model.gguf").write_bytes(gguf(values))
    text = ODD + "[PAD600]"
    theirs = sentencepiece.SentencePieceProcessor(model_proto=content)
    assert engine.load(tmp_path / "model.gguf").encode_ordinary(text) == theirs.encode(text)


def test_word_pieces_give_the_ids_of_their_tokenizer(tmp_path):
    content = library_files.word_piece()
    vocabulary = json.loads(content)["model"]["vocab"]
    pieces = sorted(vocabulary, key=vocabulary.get)
    kinds = [3 if piece[0] == "[" and piece[-1] == "]" and len(piece) > 2 else 1 for piece in pieces]
    spelled = [
        piece if kind == 3 else piece[2:] if piece.startswith("##") and len(piece) > 2 else "▁" + piece
        for piece, kind in zip(pieces, kinds, strict=True)
    ]
    values = {
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.tokens": spelled,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.unknown_token_id": vocabulary["[UNK]"],
    }
    (tmp_path / "model.gguf").write_bytes(gguf(values))
    theirs = Tokenizer.from_str(content.decode())
    theirs.encode_special_tokens = True
    assert engine.load(tmp_path / "model.gguf").encode_ordinary(ODD) == theirs.encode(ODD, add_special_tokens=False).ids


def test_gemma_4_gives_the_ids_of_its_tokenizer(tmp_path):
    theirs = json.loads(library_files.character_bpe())
    theirs["normalizer"] = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    vocabulary = theirs["model"]["vocab"]
    tokens = sorted(vocabulary, key=vocabulary.get)
    kinds = {"<unk>": 2, "<s>": 3, "</s>": 3} | {f"<0x{value:02X}>": 6 for value in range(256)}
    values = {
        "tokenizer.ggml.model": "gemma4",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [kinds.get(token, 1) for token in tokens],
        "tokenizer.ggml.merges": [
            merge if isinstance(merge, str) else " ".join(merge) for merge in theirs["model"]["merges"]
        ],
    }
    (tmp_path / "model.gguf").write_bytes(gguf(values))
    library = Tokenizer.from_str(json.dumps(theirs))
    library.encode_special_tokens = True
    opened = open_tokenizer(tmp_path / "model.gguf", checked=True)
    assert opened.encoding.encode_ordinary(ODD) == library.encode(ODD, add_special_tokens=False).ids
    assert opened.encoding.decode(opened.encoding.encode_ordinary(TEXT)) == TEXT


def test_the_classes_of_deepseek_llm_are_in_order():
    letters = re.compile(gguf_format.SPLITS["deepseek-llm"][1])
    assert letters.fullmatch("\u212a"), "Kelvin, which is not K"
    assert not letters.fullmatch("一")


def test_the_pattern_is_asked_for_where_its_name_is_not_known(document, tmp_path):
    (tmp_path / "model.gguf").write_bytes(gguf(of_document(document, **{"tokenizer.ggml.pre": "viking"})))
    with pytest.raises(PatternNeededError, match="'viking'"):
        engine.load(tmp_path / "model.gguf")
    encoding = engine.load(tmp_path / "model.gguf", pattern="gpt2")
    assert encoding.encode_ordinary(TEXT) == trained("gpt2").encode_ordinary(TEXT)


@pytest.mark.parametrize("name", mostly_deep(gguf_format.SPLITS))
def test_all_split_patterns_that_are_named_can_be_opened(document, tmp_path, name):
    (tmp_path / "model.gguf").write_bytes(gguf(of_document(document, **{"tokenizer.ggml.pre": name})))
    split, encoding = gguf_format.SPLITS[name], engine.load(tmp_path / "model.gguf")
    if isinstance(split, str):
        assert encoding.pattern == split
        return
    stages = [pre_tokenizers.Split(Regex(stage), "isolated") for stage in split]
    theirs = Tokenizer.from_file(str(tmp_path / "written.json"))
    theirs.pre_tokenizer = pre_tokenizers.Sequence([*stages, pre_tokenizers.ByteLevel(False, use_regex=False)])
    assert encoding.encode_ordinary(ODD) == theirs.encode(ODD, add_special_tokens=False).ids


def test_the_tensors_are_not_read(document, tmp_path):
    with (tmp_path / "model.gguf").open("wb") as file:
        file.write(gguf(of_document(document)))
        file.truncate(20 << 30)  # a hole: it takes no place on the disk
    assert engine.load(tmp_path / "model.gguf").count("the cat") > 0


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"tokenizer.ggml.model": "rwkv"}, "has the type 'rwkv'"),
        ({"general.name": "x"}, "the file has no tokenizer"),
        ({"tokenizer.ggml.model": "gpt2"}, "tokens is missing"),
        ({"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": ["a"]}, "scores is not as long"),
        ({"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": [b"\xff"]}, "token 0 is not UTF-8"),
        ({"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": ["a", "a"]}, "two tokens are the same"),
        ({"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": ["a"]}, "merges is missing"),
    ],
)
def test_what_a_vocabulary_lacks_is_said(tmp_path, values, complaint):
    (tmp_path / "model.gguf").write_bytes(gguf(values))
    with pytest.raises(FormatError, match=complaint):
        engine.load(tmp_path / "model.gguf")


def test_huge_counts_are_refused_before_anything_is_made_of_them(tmp_path):
    import struct

    head = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 4) + b"list"
    for content, complaint in (
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 60), "1,152,921,504,606,846,976 keys"),
        (b"GGUF" + struct.pack("<IQQ", 3 << 24, 0, 0), "big-endian"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "version 1"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 62), "ends at offset"),
        (head + struct.pack("<IIQ", 9, 8, 1 << 60), "more than 2,500,000 strings"),
        (head + struct.pack("<IIQ", 9, 12, 1 << 60), "ends at offset"),
        (head + struct.pack("<IIQ", 9, 9, 1 << 60), "a list of unknown type 9"),
        (head + struct.pack("<I", 99), "has unknown type 99"),
        (b"GGUF", "ends at offset 4"),
    ):
        (tmp_path / "model.gguf").write_bytes(content)
        with pytest.raises(FormatError, match=complaint):
            engine.load(tmp_path / "model.gguf")


def test_a_key_with_a_line_end_stays_within_its_line(tmp_path):
    import struct

    key = b"tokenizer.ggml\n.mode"
    content = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", len(key)) + key + struct.pack("<I", 99)
    (tmp_path / "model.gguf").write_bytes(content)
    with pytest.raises(FormatError, match=r"the value of 'tokenizer\.ggml\\n\.mode' has unknown type 99") as error:
        engine.load(tmp_path / "model.gguf")
    assert "\n" not in str(error.value)
