"""The user's own encodings: known by name, kept in a folder, found again, and harmless when damaged."""

from __future__ import annotations

import json
import os
import pickle
import threading

import pytest

import engine
from engine.encoding.encoding import Encoding
from engine.errors import EngineError, FormatError, UnknownEncodingError
from engine.library import catalog, user_encodings
from engine.library.formats import tiktoken_ranks
from engine.library.formats.opening import open_tokenizer, save_encoding
from engine.library.user_encodings import UserEncodings
from engine.runtime import atomic_files
from engine.runtime.atomic_files import LOCK_NAME
from tests.engine.library.formats import library_files
from tests.engine.library.formats.trained import TEXT, trained
from tests.patience import PATIENCE_SECONDS


@pytest.fixture(autouse=True)
def nothing_kept():
    catalog.own.cache_clear()
    yield
    catalog.own.cache_clear()


def named(name: str) -> Encoding:
    data = trained()
    return Encoding(
        name, pat_str=data._pat_str, mergeable_ranks=data._mergeable_ranks, special_tokens=data._special_tokens
    )


def start_again() -> None:
    """As if the program was started anew."""
    catalog.own.cache_clear()


def test_a_registered_encoding_is_like_any_other():
    encoding = named("mine")
    engine.register(encoding)
    assert engine.get_encoding("mine") is encoding
    assert engine.list_encoding_names()[-1] == "mine"
    entry = engine.encoding_entries()[-1]
    assert (entry.name, entry.kind, entry.description) == ("mine", "trained", "trained")
    assert encoding in engine.opened_encodings()
    assert engine.encoding_entries()[0].kind == "bundled"
    with pytest.raises(UnknownEncodingError, match=r"Available: .*, mine, "):
        engine.get_encoding("nobodys")


@pytest.mark.parametrize("special_tokens", [{}, {"<|end|>": 5_000}])
def test_the_size_of_a_saved_encoding_is_known_before_it_is_opened(tmp_path, special_tokens):
    data = trained()
    ranks = data._mergeable_ranks
    encoding = Encoding("mine", pat_str=data._pat_str, mergeable_ranks=ranks, special_tokens=special_tokens)
    assert engine.keep_encoding(encoding, tmp_path).n_vocab == encoding.n_vocab
    start_again()
    assert engine.add_folder(tmp_path) == ()
    entry = engine.encoding_entries()[-1]
    assert entry.n_vocab == encoding.n_vocab
    assert "mine" not in {one.name for one in engine.opened_encodings()}
    assert engine.get_encoding("mine").n_vocab == entry.n_vocab
    assert engine.rename_encoding("mine", "yours").n_vocab == encoding.n_vocab


def test_the_size_of_ranks_of_others_is_not_guessed(tmp_path):
    ranks = b"IQ== 1\nIg== 0\n"
    (tmp_path / "other.tiktoken").write_bytes(ranks)
    (tmp_path / "other.tiktoken.json").write_text('{"pattern": "cl100k_base"}')
    assert engine.add_folder(tmp_path) == ()
    assert engine.encoding_entries()[-1].n_vocab == 0
    assert tiktoken_ranks.size_of_saved({"format": "tokenloupe ranks"}, ranks + b"\r\n") == 1
    assert tiktoken_ranks.size_of_saved({"format": "tokenloupe ranks"}, b"") == 0
    assert tiktoken_ranks.size_of_saved({"format": "tokenloupe ranks"}, b"damaged") == 0


def test_a_kept_encoding_is_found_again(tmp_path):
    entry = engine.keep_encoding(named("my code"), tmp_path / "new", "trained", normalization=("NFC",))
    assert entry.path == tmp_path / "new" / "my-code.tiktoken"
    start_again()
    assert engine.add_folder(tmp_path / "new") == ()
    assert engine.encoding_entries()[-1] == entry
    assert engine.get_encoding("my code").decode(engine.get_encoding("my code").encode("e\u0301")) == "é"
    again = engine.get_encoding("my code")
    assert again is engine.get_encoding("my code")
    assert again.name == "my code"
    assert again.encode(TEXT) == trained().encode(TEXT)
    assert pickle.loads(pickle.dumps(again)).encode(TEXT) == again.encode(TEXT)


def test_nothing_is_opened_before_it_is_asked_for(tmp_path):
    engine.keep_encoding(named("mine"), tmp_path)
    start_again()
    before = engine.opened_encodings()
    engine.add_folder(tmp_path)
    assert engine.opened_encodings() == before


def test_who_asks_for_the_names_does_not_wait_while_one_is_opened(tmp_path, monkeypatch):
    engine.keep_encoding(named("mine"), tmp_path)
    engine.register(named("another"))
    start_again()
    engine.add_folder(tmp_path)
    engine.register(named("another"))
    open_it, begun, may_end = user_encodings._opened, threading.Event(), threading.Event()

    def slowly(entry):
        begun.set()
        assert may_end.wait(PATIENCE_SECONDS)
        return open_it(entry)

    monkeypatch.setattr(user_encodings, "_opened", slowly)
    opened = []
    other = threading.Thread(target=lambda: opened.append(engine.get_encoding("mine")))
    other.start()
    assert begun.wait(PATIENCE_SECONDS)
    answers = []
    asking = threading.Thread(
        target=lambda: answers.append([*engine.list_encoding_names()[-2:], engine.get_encoding("another").name])
    )
    asking.start()
    asking.join(PATIENCE_SECONDS)
    may_end.set()
    other.join(PATIENCE_SECONDS)
    assert answers == [["mine", "another", "another"]]
    assert opened == [engine.get_encoding("mine")]


def test_files_that_somebody_put_there(tmp_path):
    save_encoding(trained(), tmp_path / "own.json")
    save_encoding(trained(), tmp_path / "v1.5.model")
    (tmp_path / "notes.txt").write_text("not a tokenizer")
    assert engine.add_folder(tmp_path) == ()
    assert [(entry.name, entry.kind) for entry in engine.encoding_entries()[-2:]] == [
        ("own", "imported"),
        ("v1.5", "imported"),
    ]
    assert engine.get_encoding("v1.5").encode(TEXT) == trained().encode(TEXT)


def test_a_damaged_file_is_named_and_the_others_work(tmp_path):
    for name in ("bad", "good", "worse"):
        engine.keep_encoding(named(name), tmp_path)
    (tmp_path / "bad.tiktoken").write_bytes((tmp_path / "bad.tiktoken").read_bytes()[:-5])
    (tmp_path / "worse.tiktoken.json").write_text("{")
    (tmp_path / "damaged.json").write_text('{"model": {}, "pre_tokenizer": null}')
    start_again()
    problems = engine.add_folder(tmp_path)
    assert len(problems) == 2
    assert str(tmp_path / "bad.tiktoken.json") in problems[0]
    assert str(tmp_path / "worse.tiktoken.json") in problems[1]
    assert engine.get_encoding("good").encode(TEXT) == trained().encode(TEXT)
    with pytest.raises(FormatError, match=r"damaged\.json"):
        engine.get_encoding("damaged")
    assert engine.get_encoding("good") is engine.get_encoding("good")


def test_a_file_that_vanished_is_named(tmp_path):
    entry = engine.keep_encoding(named("mine"), tmp_path)
    start_again()
    engine.add_folder(tmp_path)
    entry.path.unlink()
    with pytest.raises(FormatError, match=r"mine\.tiktoken"):
        engine.get_encoding("mine")


def test_what_a_killed_process_left_of_a_tokenizer_is_none(tmp_path):
    """Two files are never written, renamed or removed in one step."""
    (tmp_path / "theirs.tokenizer.json").write_bytes(library_files.word_piece())
    words = open_tokenizer(tmp_path / "theirs.tokenizer.json").encoding
    own = UserEncodings(frozenset())
    for name in ("renamed", "removed"):
        words.name = name
        own.keep(words, tmp_path, "imported")
    own.rename("renamed", "new")
    own.keep(named("ours"), tmp_path, "trained")
    for half in ("new.tokenizer", "removed.tokenizer", "ours.tiktoken"):
        (tmp_path / half).unlink()
    again = UserEncodings(frozenset())
    assert again.add_folder(tmp_path) == ()
    assert [entry.name for entry in again.entries()] == ["theirs.tokenizer"], "another program's file is none of these"
    assert again.get("theirs.tokenizer").encode("the cat") == words.encode("the cat")


def test_a_folder_that_does_not_exist_has_no_encodings(tmp_path):
    assert engine.add_folder(tmp_path / "nowhere") == ()


def test_names_are_not_taken_twice(tmp_path):
    with pytest.raises(EngineError, match="'gpt2', which another"):
        engine.register(named("gpt2"))
    with pytest.raises(EngineError, match="'gpt2', which another"):
        engine.keep_encoding(named("gpt2"), tmp_path)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    engine.keep_encoding(named("mine"), tmp_path / "a")
    with pytest.raises(EngineError, match="'mine', which another"):
        engine.keep_encoding(named("mine"), tmp_path / "b")
    engine.keep_encoding(named("a b"), tmp_path / "a")
    with pytest.raises(EngineError, match="exists already"):
        engine.keep_encoding(named("a:b"), tmp_path / "a")
    assert engine.get_encoding("mine").name == "mine"


@pytest.mark.parametrize("suffix", [".tiktoken", ".tokenizer"])
def test_a_name_that_another_window_gave_to_a_file_of_either_kind_is_taken(tmp_path, suffix):
    """Two files of one name would be two encodings of one name at the next start, of which one is left out."""
    engine.keep_encoding(named("old"), tmp_path)
    theirs = tmp_path / f"mine{suffix}"
    theirs.write_bytes(b"of another window")
    with pytest.raises(EngineError, match="exists already"):
        engine.keep_encoding(named("mine"), tmp_path)
    with pytest.raises(EngineError, match="nother encoding"):
        engine.rename_encoding("old", "mine")
    assert theirs.read_bytes() == b"of another window"
    assert sorted(path.name for path in tmp_path.glob("*mine*")) == [theirs.name]


def test_keeping_again_replaces(tmp_path):
    engine.keep_encoding(named("mine"), tmp_path)
    smaller = trained(merges=60)
    again = Encoding(
        "mine", pat_str=smaller._pat_str, mergeable_ranks=smaller._mergeable_ranks, special_tokens={"<x>": 9000}
    )
    engine.keep_encoding(again, tmp_path)
    assert engine.get_encoding("mine") is again
    start_again()
    engine.add_folder(tmp_path)
    assert engine.get_encoding("mine").special_tokens_set == {"<x>"}


def test_what_cannot_be_saved_is_not_known_either(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FormatError):
        engine.keep_encoding(named("mine"), tmp_path / "file")
    assert "mine" not in engine.list_encoding_names()


def test_what_cannot_be_replaced_stays_known(tmp_path, monkeypatch):
    first = named("mine")
    engine.keep_encoding(first, tmp_path)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(FormatError, match="read-only"):
        engine.keep_encoding(named("mine"), tmp_path)
    assert engine.get_encoding("mine") is first


def test_of_two_windows_that_keep_a_name_at_once_one_is_refused(tmp_path, monkeypatch):
    """The second begins while the first one writes."""
    write, second = user_encodings._write, UserEncodings(frozenset())
    refusals = []

    def keep_too() -> None:
        with pytest.raises(FormatError, match="exists already") as refused:
            second.keep(named("mine"), tmp_path, "imported")
        refusals.append(refused)

    other = threading.Thread(target=keep_too)

    def written(*arguments) -> None:
        monkeypatch.setattr(user_encodings, "_write", write)
        seen = threading.Event()
        lock = atomic_files._has_lock
        monkeypatch.setattr(atomic_files, "_has_lock", lambda file: lock(file) or seen.set())
        other.start()
        assert seen.wait(PATIENCE_SECONDS)
        write(*arguments)

    monkeypatch.setattr(user_encodings, "_write", written)
    UserEncodings(frozenset()).keep(named("mine"), tmp_path, "trained")
    other.join()
    assert len(refusals) == 1
    assert second.entries() == ()


def test_forgetting(tmp_path):
    engine.keep_encoding(named("mine"), tmp_path)
    engine.forget_encoding("mine")
    assert "mine" not in engine.list_encoding_names()
    engine.add_folder(tmp_path)
    engine.forget_encoding("mine", delete=True)
    assert [path.name for path in tmp_path.iterdir()] == [LOCK_NAME]
    engine.forget_encoding("mine")


@pytest.mark.parametrize("name", ["../outside", "/root", "a/b", "..", "con", "ключ"])
def test_no_name_leads_out_of_the_folder(tmp_path, name):
    entry = engine.keep_encoding(named(name), tmp_path / "in")
    assert entry.path.parent == tmp_path / "in"
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    assert json.loads(entry.path.with_name(entry.path.name + ".json").read_text())["name"] == name


@pytest.mark.parametrize("name", ["con\0", "gpt2\u200b", "a\u202eb", "two\nlines"])
def test_a_name_that_hides_something_is_refused(tmp_path, name):
    with pytest.raises(EngineError, match="invisible"):
        engine.keep_encoding(named(name), tmp_path)
    assert name not in engine.list_encoding_names()


def test_a_kept_encoding_is_called_otherwise(tmp_path):
    engine.keep_encoding(named("mine"), tmp_path)
    engine.keep_encoding(named("other"), tmp_path)
    for taken in ("other", "gpt2"):
        with pytest.raises(EngineError, match="nother encoding"):
            engine.rename_encoding("mine", taken)
    with pytest.raises(EngineError, match="no saved encoding"):
        engine.rename_encoding("nobodys", "x")
    entry = engine.rename_encoding("mine", "my own/code")
    assert entry.path == tmp_path / "my-own-code.tiktoken"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        LOCK_NAME,
        *("my-own-code.tiktoken", "my-own-code.tiktoken.json"),
        *("other.tiktoken", "other.tiktoken.json"),
    ]
    start_again()
    assert engine.add_folder(tmp_path) == ()
    assert engine.get_encoding("my own/code").encode_ordinary(TEXT) == trained().encode_ordinary(TEXT)
    assert "mine" not in engine.list_encoding_names()


def test_a_file_that_somebody_put_there_is_called_otherwise(tmp_path):
    save_encoding(named("mine"), tmp_path / "theirs.json")
    engine.add_folder(tmp_path)
    assert engine.rename_encoding("theirs", "ours").path == tmp_path / "ours.json"
    start_again()
    engine.add_folder(tmp_path)
    assert engine.get_encoding("ours").name == "ours"
