"""The bundled vocabularies are the published ones, and nothing else is accepted."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import itertools
import json
import shutil
import socket
import sys
import weakref
from pathlib import Path
from types import ModuleType

import pytest

from engine.errors import DamagedVocabularyError, UnknownEncodingError
from engine.kernels._jit import COMPILED
from engine.library.bundled_encodings import DATA_DIR, ENTRIES, Catalog
from engine.library.catalog import list_encoding_names
from engine.text import character_classes
from engine.vocabulary import special_tokens, tables
from engine.vocabulary.bundle import pack, table_from_ranks, unpack
from tests.engine import oracles
from tests.thoroughness import mostly_deep

NAMES = list_encoding_names()


@pytest.fixture(scope="module")
def script() -> ModuleType:
    path = Path(__file__).parents[3] / "packaging" / "bundle_vocabularies.py"
    spec = importlib.util.spec_from_file_location("bundle_vocabularies", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    saved = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = saved
    return module


def test_all_bundled_encodings_exist():
    others = ["qwen", "qwen3_5", "kimi", "gemma", "gemma3", "deepseek", "tekken"]
    assert sorted(NAMES) == sorted([*oracles.OPENAI_FILES, *others])


def test_the_data_folder_is_small():
    assert sum(path.stat().st_size for path in DATA_DIR.iterdir()) < 8_000_000


def test_every_file_is_the_one_in_the_manifest():
    sources = json.loads((DATA_DIR / "manifest.json").read_bytes())
    assert {source["bundled"] for source in sources} == {f"{entry.ranks}.ranks" for entry in ENTRIES}
    for source in sources:
        content = (DATA_DIR / source["bundled"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == source["bundled_sha256"]
        assert source["licence"] in ("MIT", "Apache-2.0", "Modified MIT")


@pytest.mark.parametrize("name", ["r50k_base", "p50k_base", "cl100k_base", "o200k_base", "qwen", "qwen3_5", "kimi"])
def test_ranks_are_those_of_the_published_file(name, vocabularies):
    import engine

    assert engine.get_encoding(name)._mergeable_ranks == oracles.ranks_of_tiktoken_file(
        vocabularies / f"{name}.tiktoken"
    )


def test_tekken_ids_come_a_thousand_after_the_ranks(vocabularies):
    import engine

    vocab = json.loads((vocabularies / "tekken_240911.json").read_bytes())["vocab"][:130_072]
    expected = {base64.b64decode(entry["token_bytes"]): entry["rank"] + 1000 for entry in vocab}
    assert engine.get_encoding("tekken")._mergeable_ranks == expected


def test_deepseek_ids_are_those_of_the_published_file(vocabularies):
    import engine

    published = oracles.deepseek(vocabularies)
    ours = engine.get_encoding("deepseek")
    assert ours._special_tokens == {
        token.content: token_id for token_id, token in published.get_added_tokens_decoder().items()
    }
    assert ours.n_vocab == published.get_vocab_size()
    for token_id in (3, 258, 259, 5_000, 127_999):
        text = ours.decode_single_token_bytes(token_id).decode("latin-1")
        assert len(published.id_to_token(token_id)) == len(text)


@pytest.mark.deep
def test_rebuilding_gives_the_same_files_every_time(script, vocabularies, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    assert script.main([str(vocabularies), "--out", str(first)]) == 0
    assert script.main([str(vocabularies), "--out", str(second)]) == 0
    for path in first.iterdir():
        assert path.read_bytes() == (second / path.name).read_bytes()
        if path.suffix == ".ranks":
            # Another zlib may compress otherwise; what is in the file may not differ.
            (committed, special), (rebuilt, special_again) = (
                unpack(path.stem, (folder / path.name).read_bytes()) for folder in (DATA_DIR, first)
            )
            assert (rebuilt.first_id, rebuilt.tokens()) == (committed.first_id, committed.tokens())
            assert special_again == special


def test_a_raw_file_with_another_sha256_is_refused(script, vocabularies, tmp_path, capsys):
    raw = tmp_path / "raw"
    raw.mkdir()
    for path in vocabularies.iterdir():
        (raw / path.name).symlink_to(path)
    changed = raw / "p50k_base.tiktoken"
    content = changed.read_bytes()
    changed.unlink()
    changed.write_bytes(content + b"\n")
    assert script.main([str(raw), "--out", str(tmp_path / "out")]) == 2
    message = capsys.readouterr().err
    assert "p50k_base.tiktoken" in message
    assert "SHA-256" in message
    assert not (tmp_path / "out").exists()


def test_a_missing_raw_file_is_named(script, tmp_path, capsys):
    assert script.main([str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "r50k_base.tiktoken" in capsys.readouterr().err


def test_pack_and_unpack():
    table = table_from_ranks({b"a": 5, b"\xff": 6, b"a\xff" * 100: 9, b"b" * 255: 10, b"c" * 65_535: 11})
    again, special = unpack("mine", pack("mine", table, {"<é>": 3}))
    assert special == {"<é>": 3}
    assert again.first_id == 5
    assert again.tokens() == table.tokens()
    assert again.mergeable_ranks() == table.mergeable_ranks()
    assert again.tokens()[3:] == [b"", b"a\xff" * 100, b"b" * 255, b"c" * 65_535]
    assert not again.offsets.flags.writeable


def test_a_token_too_long_for_the_format_is_refused():
    with pytest.raises(ValueError, match="65,535"):
        pack("mine", table_from_ranks({b"a" * 65_536: 0}))


def test_what_is_not_the_table_is_refused():
    content = pack("mine", table_from_ranks({b"a": 0, b"b": 1}))
    for length in range(len(content)):
        with pytest.raises(ValueError, match=r"the file (is not a table|was changed)"):
            unpack("mine", content[:length])
    with pytest.raises(ValueError, match="another vocabulary, mine"):
        unpack("yours", content)


@pytest.fixture
def data_copy(tmp_path, monkeypatch) -> Path:
    """A copy of the bundled data, and no tables in memory that would do without it."""
    monkeypatch.setattr(tables, "_open", weakref.WeakValueDictionary())
    folder = tmp_path / "data"
    shutil.copytree(DATA_DIR, folder)
    return folder


def flip_a_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


DAMAGE = [flip_a_byte, Path.unlink, lambda path: path.write_bytes(b""), lambda path: path.write_bytes(b"x" * 500)]


USES = [
    lambda encoding: encoding.read_vocabulary(),
    lambda encoding: encoding.count("x"),
    lambda encoding: encoding.decode([5]),
    lambda encoding: encoding.n_vocab,
    lambda encoding: encoding.open_native(None),
]


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize(
    ("file_name", "broken", "sound"),
    [
        ("o200k.ranks", ("o200k_base", "o200k_harmony"), ("cl100k_base", "deepseek")),
        ("deepseek.ranks", ("deepseek",), ("qwen", "r50k_base")),
    ],
)
def test_a_damaged_file_is_named_and_the_others_work(data_copy, damage, file_name, broken, sound):
    damage(data_copy / file_name)
    catalog = Catalog(data_copy)
    for name in broken:
        for use in USES:
            with pytest.raises(DamagedVocabularyError, match=file_name):
                use(catalog.get(name))
    for name in sound:
        assert catalog.get(name).n_vocab > 50_000


def test_a_file_in_the_place_of_another_is_refused(data_copy):
    shutil.copy(data_copy / "r50k.ranks", data_copy / "p50k.ranks")
    with pytest.raises(DamagedVocabularyError, match=r"p50k\.ranks.*another vocabulary, r50k"):
        Catalog(data_copy).get("p50k_base").read_vocabulary()


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_repaired_file_works_without_a_restart(data_copy, damage):
    catalog = Catalog(data_copy)
    damage(data_copy / "qwen.ranks")
    with pytest.raises(DamagedVocabularyError):
        catalog.get("qwen").count("hello")
    shutil.copy(DATA_DIR / "qwen.ranks", data_copy)
    assert catalog.get("qwen").count("hello") == 1


@pytest.mark.deep
@pytest.mark.skipif(not COMPILED, reason="tables of real vocabularies take minutes uncompiled")
@pytest.mark.parametrize("name", ["r50k_base", "deepseek", "tekken"])
def test_where_tables_are_there_a_bundled_file_is_not_read(name, data_copy, tmp_path):
    assert Catalog(data_copy).get(name).use_kernels(tmp_path / "tables")
    flip_a_byte(data_copy / f"{Catalog(data_copy).entry(name).ranks}.ranks")
    encoding = Catalog(data_copy).get(name)
    assert encoding.use_kernels(tmp_path / "tables")
    whole = Catalog(DATA_DIR).get(name)
    text = "Größe 你好 12345"
    assert encoding.encode_ordinary(text) == whole.encode_ordinary(text)
    assert encoding._mergeable_ranks == whole._mergeable_ranks
    if name == "deepseek":  # the only one whose special tokens are in the file
        with pytest.raises(DamagedVocabularyError, match=r"deepseek\.ranks"):
            encoding.encode(text)
    else:
        assert encoding.encode(text) == whole.encode(text)
        assert encoding.n_vocab == whole.n_vocab


@pytest.mark.parametrize("name", ["o300k", "", None, 7, ["gpt2"]])
def test_an_unknown_name_lists_what_exists(name):
    import engine

    with pytest.raises(UnknownEncodingError, match="cl100k_base") as caught:
        engine.get_encoding(name)
    assert isinstance(caught.value, ValueError)


def test_the_same_object_each_time():
    import engine

    assert engine.get_encoding("gpt2") is engine.get_encoding("gpt2")


def test_encodings_with_the_same_ranks_share_them():
    import engine

    assert engine.get_encoding("o200k_base").encodes_like(engine.get_encoding("o200k_harmony"))
    assert not engine.get_encoding("r50k_base").encodes_like(engine.get_encoding("p50k_base"))


@pytest.mark.parametrize("name", mostly_deep(NAMES))
def test_nothing_is_fetched(name, data_copy, monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    assert Catalog(data_copy).get(name).count("hello world") == 2


@pytest.mark.parametrize("name", NAMES)
def test_special_tokens_can_be_told_apart(name):
    """None starts with another, so the order in which they are looked for does not matter; none has white space."""
    import engine

    texts = sorted(engine.get_encoding(name).special_tokens_set)
    assert not [a for a, b in itertools.pairwise(texts) if b.startswith(a)]
    assert not [text for text in texts if text.split() != [text]]


@pytest.mark.parametrize("name", oracles.OPENAI_FILES)
def test_openai_patterns_and_special_tokens_are_tiktokens(name):
    import engine

    ours = engine.get_encoding(name)
    theirs = oracles.openai_definition(name, {b"a": 0})
    assert ours._pat_str == theirs["pat_str"]
    assert ours._special_tokens == theirs["special_tokens"]
    assert theirs.get("explicit_n_vocab", ours.n_vocab) == ours.n_vocab


def test_tekken_and_qwen_patterns_are_the_published_ones(vocabularies):
    import engine

    assert engine.get_encoding("tekken")._pat_str == oracles.tekken(vocabularies)._pat_str
    assert engine.get_encoding("qwen")._pat_str == oracles.QWEN_PATTERN
    assert engine.get_encoding("qwen3_5")._pat_str == oracles.QWEN3_5_PATTERN
    assert engine.get_encoding("kimi")._pat_str == oracles.KIMI_PATTERN


def test_special_tokens_of_qwen_and_tekken():
    assert special_tokens.QWEN["<|im_end|>"] == 151645
    assert special_tokens.QWEN["</think>"] == 151668
    assert special_tokens.kimi()["<|im_end|>"] == 163586
    assert special_tokens.kimi()["<|reserved_token_163837|>"] == 163837
    assert special_tokens.QWEN3_5["<|endoftext|>"] == 248044
    assert special_tokens.QWEN3_5["<|audio_pad|>"] == 248076
    table = special_tokens.tekken()
    assert len(table) == 1000
    assert table["[INST]"] == 3
    assert table["<SPECIAL_20>"] == 20


def test_qwen_says_that_its_vendor_normalizes():
    import engine

    by_name = {entry.name: entry for entry in engine.encoding_entries()}
    assert list(by_name) == NAMES
    assert by_name["qwen"].vendor_normalization == by_name["qwen3_5"].vendor_normalization == "NFC"
    assert by_name["o200k_base"].vendor_normalization is None


def test_encodings_say_which_unicode_they_follow():
    major, minor = character_classes.load().version
    docs = (Path(__file__).parents[3] / "docs" / "count-and-cost.md").read_text(encoding="utf-8")
    others = {entry.name: entry.unicode for entry in ENTRIES if entry.unicode != f"{major}.{minor}"}
    assert others == {"gemma": "", "gemma3": ""}
    assert f"The built-in encodings follow Unicode {major}.{minor}" in docs
