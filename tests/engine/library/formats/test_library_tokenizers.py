"""WordPiece, Unigram and SentencePiece files: the ids are their libraries', and the rest of an encoding's face."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sentencepiece
from tokenizers import Tokenizer

import engine
from engine.analysis.merge_steps import cut_text
from engine.editing.edited_text import EditedText
from engine.errors import FormatError, UnsupportedTextError
from engine.library.formats.opening import open_tokenizer, save_encoding
from engine.runtime.atomic_files import LOCK_NAME
from engine.types import TextEdit
from tests.engine.library.formats import library_files
from tests.engine.library.formats.trained import TEXT, trained
from tests.thoroughness import mostly_deep

ODD = TEXT + "  two  spaces \t\n\nÉ e\u0301 ﬁ ² 👩\u200d🚀 𝒳 \x00 <s>[CLS] \u0378 ▁ end  "


def by_tokenizers(content: bytes) -> Callable[[str], list[int]]:
    theirs = Tokenizer.from_str(content.decode())
    theirs.encode_special_tokens = True
    return lambda text: theirs.encode(text, add_special_tokens=False).ids


def by_sentencepiece(content: bytes) -> Callable[[str], list[int]]:
    return sentencepiece.SentencePieceProcessor(model_proto=content).encode


KINDS = {
    "WordPiece": ("tokenizer.json", library_files.word_piece, by_tokenizers, "WordPiece"),
    "Unigram": ("tokenizer.json", library_files.unigram, by_tokenizers, "Unigram"),
    "character BPE": ("tokenizer.json", library_files.character_bpe, by_tokenizers, "BPE"),
    "SentencePiece BPE": ("own.model", library_files.sentencepiece_model, by_sentencepiece, "BPE over characters"),
    "SentencePiece Unigram": (
        "own.model",
        lambda: library_files.sentencepiece_model("unigram"),
        by_sentencepiece,
        "Unigram",
    ),
}


@pytest.fixture(params=mostly_deep(KINDS, 3))
def opened(request, tmp_path):
    name, make, library, model = KINDS[request.param]
    (tmp_path / name).write_bytes(make())
    return open_tokenizer(tmp_path / name, name="own"), library(make()), model


def test_ids_are_the_librarys(opened, request):
    found, theirs, model = opened
    assert found.encoding.tokenizer.model == model
    assert found.check.tokens > 1000
    assert found.check.runs
    for text in (TEXT, ODD, "", " ", "x"):
        expected = theirs(text)
        assert found.encoding.encode_ordinary(text) == expected
        assert found.encoding.token_ids(text).tolist() == expected
        assert found.encoding.count(text) == found.encoding.count(text.encode()) == len(expected)


@pytest.mark.parametrize("corpus", mostly_deep(["english", "multilingual", "python"], 1))
def test_ids_are_the_librarys_on_real_texts(opened, shared_dir, corpus):
    found, theirs, _ = opened
    with (shared_dir / "corpora" / f"{corpus}.txt").open(encoding="utf-8") as file:
        for _ in range(3):
            text = file.read(40_000)
            file.seek(file.tell() + 1_000_000)
            file.readline()
            assert found.encoding.encode_ordinary(text) == theirs(text)


@pytest.mark.deep
@pytest.mark.parametrize("corpus", mostly_deep(["english", "multilingual", "python"], 1))
def test_mistrals_model_as_published(vocabularies, shared_dir, corpus):
    path = vocabularies / "mistral_v1.model"
    encoding = engine.load(path)
    theirs = by_sentencepiece(path.read_bytes())
    text = (shared_dir / "corpora" / f"{corpus}.txt").read_text("utf-8")[:600_000]
    assert encoding.encode_ordinary(text) == theirs(text)
    assert encoding.n_vocab == 32000
    assert encoding.special_tokens_set == {"<unk>", "<s>", "</s>"}
    assert encoding.decode_single_token_bytes(13) == b"\n"
    assert encoding.token_info(22557).token_bytes == b" Hello"


def test_tokens_end_where_the_library_says(opened):
    encoding = opened[0].encoding
    text = "Hello wörld 👩\u200d🚀 x\n"
    ends = encoding.token_ends(text)
    assert len(ends) == encoding.count(text)
    assert (np.diff(ends) >= 0).all()
    assert ends[-1] == len(text.encode())
    characters = {len(text[:place].encode()) for place in range(len(text) + 1)}
    assert set(ends.tolist()) <= characters


def test_word_piece_tokens_are_where_their_words_are(tmp_path):
    (tmp_path / "tokenizer.json").write_bytes(library_files.word_piece())
    encoding = engine.load(tmp_path / "tokenizer.json", name="own")
    text = "The  CAT café"
    pieces = []
    start = 0
    for end in encoding.token_ends(text).tolist():
        pieces.append(text.encode()[start:end].decode())
        start = end
    assert pieces[:2] == ["The", "  CAT"], "white space is lost there; here it belongs to the token behind it"
    assert "".join(pieces) == text
    assert encoding.decode(encoding.encode("The CAT")) == "the cat"


def test_the_rest_of_the_face(opened):
    encoding = opened[0].encoding
    special = sorted(encoding.special_tokens_set)[0]
    token_id = encoding.encode(special, allowed_special="all")
    assert token_id == [encoding._special_tokens[special]]
    assert encoding.is_special_token(token_id[0])
    assert encoding.decode_single_token_bytes(token_id[0]) == special.encode()
    with pytest.raises(ValueError, match="special token"):
        encoding.encode(special)
    assert encoding.encode(special, disallowed_special=()) == encoding.encode_ordinary(special)
    with pytest.raises(KeyError):
        encoding.decode([encoding.n_vocab])
    with pytest.raises(KeyError):
        encoding.encode_single_token("no such token at all")
    word = max(encoding.encode_ordinary("the cat"))
    assert encoding.encode_single_token(encoding.decode_single_token_bytes(word)) >= 0
    assert encoding.merge_steps("the") == []
    assert encoding.parents_of(word) is None
    assert encoding.token_info(word).rank is None
    assert not encoding.merge_tree(word).is_merged
    assert not encoding.use_kernels()
    again = pickle.loads(pickle.dumps(encoding))
    assert again.encode_ordinary(ODD) == encoding.encode_ordinary(ODD)
    for text in ("a\ud800b", "\udc00", "\ud83d\ude80"):
        assert encoding.count(text) == len(encoding.token_ends(text))
    with pytest.raises(UnsupportedTextError, match="does not expose merges"):
        cut_text(encoding, "the")
    with pytest.raises(UnsupportedTextError, match="does not expose merges"):
        encoding.encode_with_unstable("the")
    with pytest.raises(UnsupportedTextError, match="does not expose merges"):
        encoding.ids_of_pretokens(b"a", np.array([[0, 1]]))


def test_a_text_is_edited(opened):
    encoding = opened[0].encoding
    text = EditedText(encoding)
    text.reset("the cat 👩 sat\non the mat")
    text.apply([TextEdit(4, 3, "dog")])
    patch = text.apply([TextEdit(0, 0, "É ")])
    expected = encoding.token_ids("É the dog 👩 sat\non the mat")
    assert text.token_count == len(expected)
    assert patch.utf16_ends[-1] == patch.utf16_new_end
    assert text.whole().ids.tolist() == expected.tolist()
    assert text.whole().utf16_ends[0] > 0


def test_the_bytes_of_a_character_are_all_of_it(tmp_path):
    (tmp_path / "own.model").write_bytes(library_files.sentencepiece_model())
    encoding = engine.load(tmp_path / "own.model")
    text = "a🜚b"
    ids = encoding.token_ids(text)
    assert [encoding.decode_single_token_bytes(token_id) for token_id in ids.tolist()][-5:-1] == [
        bytes([value]) for value in "🜚".encode()
    ]
    assert encoding.utf16_ends(text, ids, special_as_tokens=False).tolist()[-5:] == [3, 3, 3, 3, 4]


def test_a_long_text_is_refused_in_a_sentence(opened, monkeypatch):
    monkeypatch.setattr("engine.encoding.library_encoding.MAX_CHARS", 1000)
    with pytest.raises(UnsupportedTextError, match="limited to texts of 1,000 characters"):
        opened[0].encoding.count("x" * 1001)


def test_what_is_lost_is_told(tmp_path):
    (tmp_path / "tokenizer.json").write_bytes(library_files.word_piece())
    opened = open_tokenizer(tmp_path / "tokenizer.json", name="own")
    assert opened.normalization == ("BertNormalizer",)
    assert opened.check.changed > 10
    assert opened.check.example is not None
    assert opened.check.example[0] != opened.check.example[1]


def test_white_space_as_added_tokens_goes_to_the_library(tmp_path):
    """As in GPT-NeoX's file: our engine takes added tokens for special ones, and its ids would be others."""
    content = json.loads(_byte_level(tmp_path))
    number = max(content["model"]["vocab"].values()) + 1
    entry = {"id": number, "content": "  ", "special": False, "normalized": True}
    content["added_tokens"].append(entry | dict.fromkeys(("single_word", "lstrip", "rstrip"), False))
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    opened = open_tokenizer(tmp_path / "tokenizer.json", checked=True)
    assert opened.check.runs
    assert "gives different ids" in opened.notes[-1]
    assert opened.encoding.encode_ordinary("a  b") == by_tokenizers(json.dumps(content).encode())("a  b")


def test_our_own_engine_runs_what_it_can(tmp_path):
    (tmp_path / "tokenizer.json").write_text(_byte_level(tmp_path))
    opened = open_tokenizer(tmp_path / "tokenizer.json", checked=True)
    assert not opened.check.runs
    assert opened.check.library.startswith("tokenizers ")
    assert opened.check.changed == 0


def _byte_level(folder: Path) -> str:
    from engine.library.formats.opening import save_encoding
    from tests.engine.library.formats.trained import trained

    save_encoding(trained(), folder / "written.json")
    return (folder / "written.json").read_text("utf-8")


def test_it_is_kept_and_found_again_without_another_trial(opened, tmp_path, monkeypatch):
    from engine.library import catalog
    from engine.library.formats import opening

    catalog.own.cache_clear()
    try:
        encoding = opened[0].encoding
        entry = engine.keep_encoding(encoding, tmp_path / "kept", "imported")
        catalog.own.cache_clear()
        assert engine.add_folder(tmp_path / "kept", trusted=True) == ()
        assert engine.encoding_entries()[-1] == entry
        monkeypatch.setattr(opening, "tried", None)
        assert engine.get_encoding("own").encode_ordinary(ODD) == encoding.encode_ordinary(ODD)
        entry.path.write_bytes(b"damaged")
        catalog.own.cache_clear()
        engine.add_folder(tmp_path / "kept")
        with pytest.raises(FormatError, match=r"own\.tokenizer"):
            engine.get_encoding("own")
        engine.forget_encoding("own", delete=True)
        assert [path.name for path in (tmp_path / "kept").iterdir()] == [LOCK_NAME]
    finally:
        catalog.own.cache_clear()


@pytest.mark.deep
def test_it_is_tried_again_where_another_one_is_described_beside_it(opened, tmp_path):
    """As where a process was killed that put another library's tokenizer in its place."""
    from engine.library.formats import kept_tokenizer

    encoding, another = opened[0].encoding, "own.model" if opened[0].kind != "SentencePiece" else "tokenizer.json"
    (tmp_path / "other").mkdir()
    make = library_files.sentencepiece_model if another == "own.model" else library_files.unigram
    (tmp_path / "other" / another).write_bytes(make())
    path, theirs = tmp_path / "own.tokenizer", tmp_path / "other" / "own.tokenizer"
    kept_tokenizer.write(encoding, path)
    kept_tokenizer.write(open_tokenizer(tmp_path / "other" / another, name="own").encoding, theirs)
    kept_tokenizer.companion_of(theirs).replace(kept_tokenizer.companion_of(path))
    again = open_tokenizer(path, trusted=True)
    assert again.check.runs
    assert again.encoding.encode_ordinary(ODD) == encoding.encode_ordinary(ODD)


def test_it_cannot_be_written_in_another_format(opened, tmp_path):
    from engine.library.formats.opening import save_encoding

    with pytest.raises(FormatError, match="does not expose merges"):
        save_encoding(opened[0].encoding, tmp_path / "x.tiktoken")


@pytest.mark.deep
def test_libraries_are_loaded_when_such_a_file_is_opened():
    code = (
        "import sys, engine, engine.library.formats.opening; engine.get_encoding('gpt2').encode('x'); "
        "print([m for m in ('tokenizers', 'sentencepiece') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


def test_entries_that_byte_letters_cannot_make(tmp_path):
    """As Command R+'s: emoji stand in the vocabulary as they are, and no text comes to them."""
    save_encoding(trained("gpt2"), tmp_path / "written.json")
    document = json.loads((tmp_path / "written.json").read_bytes())
    for number, entry in enumerate(("\u200d", "👩\u200d🚀", "漢字")):
        document["model"]["vocab"][entry] = 400 + number
    (tmp_path / "odd.json").write_text(json.dumps(document))
    opened = open_tokenizer(tmp_path / "odd.json", checked=True)
    assert opened.check.runs
    theirs = Tokenizer.from_file(str(tmp_path / "odd.json"))
    text = TEXT + "👩\u200d🚀 漢字"
    assert opened.encoding.encode_ordinary(text) == theirs.encode(text, add_special_tokens=False).ids
