"""tokenizer.json: what Hugging Face's own library makes of it, and what it may hold."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

import engine
from engine.encoding.encoding import Encoding
from engine.encoding.preprocessing_encoding import prepared
from engine.errors import FormatError
from engine.library.bundled_encodings import expression_named
from engine.library.formats import huggingface, spelling
from engine.library.formats.opening import open_tokenizer, save_encoding
from engine.library.formats.source import OtherKindError
from engine.library.formats.tokenizer_data import TokenizerData
from engine.split.patterns import GPT2, NAMED_SPLITS, TRAINED
from tests.engine import oracles
from tests.engine.kernels.small_vocabularies import learnt_ranks
from tests.engine.library.formats import library_files
from tests.engine.library.formats.trained import TEXT, trained
from tests.engine.strategies import texts
from tests.thoroughness import examples

OWN_PATTERNS = (
    r"\w+|\s+|[^\w\s]",
    r"[a-z]{2,3}+|(?s:.)",
    r"(?i:the|cat)+|\p{Han}|(?-s:.)+|\n",
    r"[\p{L}--[aeiou]]+| ?[aeiou]{1,2}?|\d++$|\S",  # leaves white space out
    r"(?:ab{2}?){1,2}+c?|^\s|\bthe\b|[^\S\r\n]+",
)


def theirs(encoding: Encoding) -> Tokenizer:
    content, losses = huggingface.write(data_of(encoding))
    assert losses == ()
    return Tokenizer.from_str(content.decode())


def data_of(encoding: Encoding) -> TokenizerData:
    return TokenizerData(encoding._pat_str, encoding._mergeable_ranks, encoding._special_tokens)


@pytest.mark.hypothesis
@pytest.mark.parametrize("pattern", [*sorted(NAMED_SPLITS), "deepseek", "tekken", *OWN_PATTERNS])
def test_their_library_gives_the_same_ids(pattern):
    encoding = trained(pattern if pattern in (*NAMED_SPLITS, "deepseek", "tekken") else expression_named(pattern))
    tokenizer = theirs(encoding)

    @examples(60)
    @given(text=texts())
    def check(text):
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        assert ids == encoding.encode(text, allowed_special="all")

    check()
    assert tokenizer.encode(TEXT).ids == encoding.encode(TEXT)


def test_their_library_decodes_the_ids():
    encoding = trained()
    ids = encoding.encode(TEXT + "<|pad|>", allowed_special="all")
    assert theirs(encoding).decode(ids, skip_special_tokens=False) == TEXT + "<|pad|>"


@given(seed=st.integers(0, 10**6), text=st.text(alphabet="abc", max_size=40))
@examples(60)
def test_tokens_that_are_only_found_as_a_whole(seed, text):
    ranks = learnt_ranks(random.Random(seed), b"abc", merges=40, odd=6)
    encoding = Encoding("odd", pat_str=r"\w+|\W+", mergeable_ranks=ranks, special_tokens={})
    assert theirs(encoding).encode(text).ids == encoding.encode(text)


@pytest.mark.parametrize("ids", [(7000, 5000), (377, 9999)])
def test_special_tokens_keep_their_ids_whatever_they_are(ids):
    encoding = Encoding(
        "gaps",
        pat_str=trained()._pat_str,
        mergeable_ranks=trained()._mergeable_ranks,
        special_tokens=dict(zip(("<a>", "<b>"), ids, strict=True)),
    )
    assert theirs(encoding).encode("x<b>y<a>").ids == encoding.encode("x<b>y<a>", allowed_special="all")


CONVERTED = {known.trained_as for known in TRAINED if not known.stages and known is not GPT2}
"""Patterns that a tokenizer.json only holds in another spelling."""


@pytest.mark.parametrize("pattern", [*sorted(set(NAMED_SPLITS) - CONVERTED), "deepseek", "tekken"])
def test_known_patterns_come_back_as_they_were(tmp_path, pattern):
    save_encoding(trained(pattern), tmp_path / "a.json")
    assert engine.load(tmp_path / "a.json")._pat_str == expression_named(pattern)


@pytest.mark.parametrize("pattern", OWN_PATTERNS)
def test_own_patterns_come_back_meaning_the_same(tmp_path, pattern):
    save_encoding(trained(pattern), tmp_path / "a.json", sample=TEXT)
    assert engine.load(tmp_path / "a.json").encode(TEXT) == trained(pattern).encode(TEXT)


def test_a_pattern_that_cannot_be_spelled_there_is_refused():
    encoding = Encoding("x", pat_str=r"(a)\1|.", mergeable_ranks=trained()._mergeable_ranks, special_tokens={})
    with pytest.raises(FormatError, match="cannot express its split pattern"):
        huggingface.write(data_of(encoding))


@pytest.mark.deep
def test_deepseek_as_published(vocabularies):
    opened = open_tokenizer(vocabularies / "deepseek_tokenizer.json")
    bundled = engine.get_encoding("deepseek")
    assert opened.encoding.name == "deepseek_tokenizer"
    assert opened.encoding._mergeable_ranks == bundled._mergeable_ranks
    assert opened.encoding._special_tokens == bundled._special_tokens
    assert opened.encoding._pat_str == bundled._pat_str
    text = "<｜User｜>" + TEXT
    assert opened.encoding.encode(text, allowed_special="all") == oracles.deepseek(vocabularies).encode(text).ids


def document(**changes: object) -> dict:
    """A small tokenizer.json; ``changes`` replace members, those of the model with ``model_`` before the name."""
    found = json.loads(huggingface.write(data_of(trained()))[0])
    for key, value in changes.items():
        of = found["model"] if key.startswith("model_") else found
        of[key.removeprefix("model_")] = value
    return found


def test_merges_may_be_lists():
    merges = [merge.split(" ") for merge in document()["model"]["merges"]]
    assert huggingface.read(document(model_merges=merges)).ranks == trained()._mergeable_ranks


def test_byte_level_without_a_split_is_gpt2():
    read = huggingface.read(document(pre_tokenizer={"type": "ByteLevel", "add_prefix_space": False}))
    assert read.pattern == expression_named("gpt2")


@pytest.mark.hypothesis
def test_what_an_unknown_split_leaves_over_is_kept_as_there(tmp_path):
    split = {"type": "Split", "pattern": {"Regex": "[a-z]+"}, "behavior": "Isolated", "invert": False}
    letters = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    stages = {"type": "Sequence", "pretokenizers": [split, letters]}
    (tmp_path / "a.json").write_text(json.dumps(document(pre_tokenizer=stages)))
    encoding = engine.load(tmp_path / "a.json")
    tokenizer = Tokenizer.from_file(str(tmp_path / "a.json"))

    @examples(60)
    @given(text=texts())
    def check(text):
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        assert ids == encoding.encode(text, allowed_special="all")

    check()


def test_tokens_that_no_merge_makes_are_left_out_as_there(tmp_path):
    changed = document(model_ignore_merges=False)
    changed["model"]["vocab"]["zzz"] = 5000
    (tmp_path / "a.json").write_text(json.dumps(changed))
    opened = open_tokenizer(tmp_path / "a.json")
    assert opened.notes == ("1 tokens that no merge produces are left out.",)
    assert opened.encoding.encode("zzz") == Tokenizer.from_file(str(tmp_path / "a.json")).encode("zzz").ids


def test_normalization_is_named():
    steps = [{"type": "NFKC"}, {"type": "Sequence", "normalizers": [{"type": "Lowercase"}, {"type": "StripAccents"}]}]
    read = huggingface.read(document(normalizer={"type": "Sequence", "normalizers": steps}))
    assert read.normalization == ("NFKC", "lowercase", "strip accents")
    again = huggingface.read(json.loads(huggingface.write(read)[0]))
    assert again.normalization == read.normalization


@pytest.mark.parametrize(
    "steps",
    [("NFC",), ("NFD",), ("NFKC",), ("NFKD",), ("lowercase",), ("NFD", "strip accents", "NFC"), ("NFKC", "lowercase")],
)
def test_their_library_normalizes_alike(steps):
    encoding = prepared(trained(), steps)
    data = TokenizerData(encoding._pat_str, encoding._mergeable_ranks, encoding._special_tokens, normalization=steps)
    content, losses = huggingface.write(data)
    assert "Unicode" in losses[0]
    tokenizer = Tokenizer.from_str(content.decode())
    text = TEXT + "E\u0301le\u0300ve ﬁ ²½ Ａ ÀÉÎ ŒΣΑΣ 한글 \u1112\u1161\u11ab <|pad|> Ǆ İ I\u0307 \u212b \ufdfa ｶﾞ"
    assert tokenizer.encode(text).ids == encoding.encode(text, allowed_special="all")


def test_marks_at_the_ends_of_words_have_no_place_there():
    data = TokenizerData("x", trained()._mergeable_ranks, {}, normalization=(r"mark words: \S+",))
    with pytest.raises(FormatError, match="processes words"):
        huggingface.write(data)


def test_framing_is_mentioned():
    processor = {"type": "Sequence", "processors": [{"type": "ByteLevel"}, {"type": "TemplateProcessing"}]}
    assert "framing" in huggingface.read(document(post_processor=processor)).notes[0]
    token = document()["added_tokens"][0] | {"lstrip": True}
    assert "whitespace" in huggingface.read(document(added_tokens=[token])).notes[0]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"model_type": "WordPiece"}, "WordPiece"),
        ({"model_type": "Unigram"}, "Unigram"),
        ({"model_byte_fallback": True}, "over characters"),
        ({"model_end_of_word_suffix": "</w>"}, "over characters"),
        ({"model_dropout": 0.1}, "dropout"),
        ({"model_merges": ["a"]}, r"model\.merges\[0\]"),
        ({"model_merges": [["a", "b", "c"]]}, r"model\.merges\[0\]"),
        ({"model_merges": [["a", 1]]}, r"model\.merges\[0\]"),
        ({"model_merges": ["zz z"]}, "not tokens that merge"),
        ({"model_merges": ["i n", "h e"]}, "order of the merges"),
        ({"model_vocab": {"a b": 1}}, "'a b'"),
        ({"model_vocab": {"a": -1}}, "not between"),
        ({"model_vocab": {"a": 1.5}}, "not a whole number"),
        ({"model_vocab": {"a": 10**30}}, "not between"),
        ({"model_vocab": []}, "not an object"),
        ({"model_vocab": {}}, "not tokens that merge"),
        ({"added_tokens": [{"id": 3}]}, r"added_tokens\[0\]\.content is missing"),
        ({"added_tokens": [{"id": 400, "content": "<a>"}, {"id": 400, "content": "<b>"}]}, "same id"),
        ({"added_tokens": [{"id": 400, "content": "<a>"}] * 2}, "duplicate token"),
        ({"normalizer": {"type": "Prepend", "prepend": "▁"}}, "Prepend"),
        ({"pre_tokenizer": None}, "nothing"),
        ({"pre_tokenizer": {"type": "Metaspace"}}, "Metaspace"),
        ({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True}}, "adds a space before"),
        ({"pre_tokenizer": []}, "pre_tokenizer is not an object"),
    ],
)
def test_what_cannot_be_opened_is_named(changes, complaint):
    with pytest.raises(FormatError, match=complaint):
        huggingface.read(document(**changes))


@pytest.mark.parametrize("pattern", ["a$", "^a", r"\p{N}{1,3}+", "(?m:.)", "[a-z&&[^b]]|x&&y"])
def test_a_foreign_pattern_that_means_something_else_here_is_refused(pattern):
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    stages = [split, {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}]
    with pytest.raises(FormatError, match="has another meaning"):
        huggingface.read(document(pre_tokenizer={"type": "Sequence", "pretokenizers": stages}))


def test_two_special_tokens_with_one_id_are_refused():
    with pytest.raises(FormatError, match="same id"):
        huggingface.write(data_of(engine.get_encoding("o200k_harmony")))


def test_a_special_token_spelled_like_a_token_is_refused():
    data = TokenizerData("x", trained()._mergeable_ranks, {"Ġthe": 5000})
    with pytest.raises(FormatError, match="spelled the same"):
        huggingface.write(data)


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k_base"])
def test_a_merge_for_each_way_to_cut_a_token(tmp_path, pattern):
    """As Hugging Face's converter of ranks writes them: Llama 3, gpt-oss and Mistral Nemo are published so."""
    encoding = trained(pattern)
    ranks = encoding._mergeable_ranks | {b"zqxzqx": 5_000, b"xz": 5_001}  # one that merging alone does not come to
    encoding = Encoding("ways", pat_str=encoding._pat_str, mergeable_ranks=ranks, special_tokens={})
    save_encoding(encoding, tmp_path / "written.json")
    found = json.loads((tmp_path / "written.json").read_bytes())
    spelled = spelling.spelled
    found["model"]["merges"] = [
        f"{spelled(token[:place])} {spelled(token[place:])}"
        for token in sorted(ranks, key=ranks.get)
        for place in sorted(range(1, len(token)), key=lambda place: ranks.get(token[:place], 0))
        if token[:place] in ranks and token[place:] in ranks
    ]
    (tmp_path / "ways.json").write_text(json.dumps(found))
    opened = open_tokenizer(tmp_path / "ways.json", checked=True)
    assert not opened.check.runs
    theirs = Tokenizer.from_file(str(tmp_path / "ways.json"))
    for text in (TEXT, "zqxzqx", " zqxzqxz xzx", "the then there aaaaab"):
        assert opened.encoding.encode_ordinary(text) == theirs.encode(text, add_special_tokens=False).ids
    found["model"]["merges"] = found["model"]["merges"][1:]
    with pytest.raises(OtherKindError):
        huggingface.read(found)


@pytest.mark.parametrize("made_by", ["engine", "library"])
def test_every_special_token_and_pairs_of_them_are_compared(tmp_path, made_by):
    """Those that begin alike: the longest wins in Hugging Face's library."""
    if made_by == "engine":
        encoding = engine.train([TEXT], vocab_size=300, special_tokens=("word", "<|a|>", "<|a|><|b|>", "<|b|>"))
        document = json.loads(huggingface.write(data_of(encoding))[0])
    else:
        document = json.loads(library_files.word_piece())
        template = document["added_tokens"][0]
        top = max(document["model"]["vocab"].values())
        for number, text in enumerate(("<|a|>", "<|a|><|b|>", "<|b|>"), top + 1):
            document["added_tokens"].append(template | {"id": number, "content": text})
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(document))
    library = Tokenizer.from_str(path.read_text())
    found = open_tokenizer(path, checked=True)
    for text in ("x<|a|><|b|> y", "<|b|><|a|><|a|><|b|><|b|>"):
        assert found.encoding.encode(text, allowed_special="all") == library.encode(text).ids
    assert found.check.other_special == ""

    if made_by == "engine":
        assert document["added_tokens"][0]["content"] == "word"
        document["added_tokens"][0]["single_word"] = True  # twice in a row, it is none to the library
        path.write_text(json.dumps(document))
        found = open_tokenizer(path, checked=True)
        assert "word" in found.check.other_special
        assert any("differently" in note for note in found.notes)
