"""Saving: only what could be read back is written, and whatever fails leaves the old file alone."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from pathlib import Path

import pytest

import engine
from engine.errors import EngineError, FormatError
from engine.library.formats import huggingface, table
from engine.library.formats.opening import open_tokenizer, save_encoding
from engine.library.user_encodings import UserEncodings
from tests.engine.library.formats.trained import TEXT, trained

SUFFIXES = tuple(one.ending for one in table.WRITTEN)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_saved_can_be_opened(tmp_path, suffix):
    encoding = trained()
    saved = save_encoding(encoding, tmp_path / f"own{suffix}", sample=TEXT)
    again = engine.load(tmp_path / f"own{suffix}")
    assert again.name == "own"
    assert again.encode(TEXT + "<|pad|>", allowed_special="all") == encoding.encode(
        TEXT + "<|pad|>", allowed_special="all"
    )
    assert sorted(saved.files) == sorted(tmp_path.iterdir())
    assert saved.file_bytes == sum(file.stat().st_size for file in saved.files)
    assert saved.sha256 == hashlib.sha256(saved.files[0].read_bytes()).hexdigest()


def test_losses_are_said(tmp_path):
    assert "own.tiktoken.json" in save_encoding(trained(), tmp_path / "own.tiktoken").losses[0]
    assert save_encoding(trained(), tmp_path / "own.json").losses == ()
    assert "NFC" in save_encoding(trained(), tmp_path / "own.model", normalization=("NFC",)).losses[0]


@pytest.mark.parametrize("suffix", [".tiktoken", ".json"])
def test_normalization_is_kept(tmp_path, suffix):
    save_encoding(trained(), tmp_path / f"own{suffix}", normalization=("NFKC", "lowercase"))
    assert open_tokenizer(tmp_path / f"own{suffix}").normalization == ("NFKC", "lowercase")
    assert open_tokenizer(tmp_path / f"own{suffix}", checked=True).check.tokens, "its library is given the same texts"


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(FormatError, match=r"\.tiktoken, \.json, \.model"):
        save_encoding(trained(), tmp_path / "own.pkl")
    assert list(tmp_path.iterdir()) == []


def damaged(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, suffix):
    save_encoding(trained(), tmp_path / f"own{suffix}")
    before = damaged(tmp_path)

    def write_bytes(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[: len(content) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    with pytest.raises(FormatError, match=rf"own{suffix} was not written: No space left"):
        save_encoding(trained(merges=60), tmp_path / f"own{suffix}")
    assert damaged(tmp_path) == before


def test_a_file_that_does_not_read_back_alike_is_not_kept(tmp_path, monkeypatch):
    save_encoding(trained(), tmp_path / "own.json")
    before = damaged(tmp_path)
    as_it_is = huggingface.write
    for old, new, complaint in (
        (b'"Regex": "', rb'"Regex": "\\p{L}|', "different ids"),
        (b'"<|pad|>"', b'"<|bad|>"', "different special tokens"),
        ('"Ġthe"'.encode(), '"Ġtge"'.encode(), "read back"),
        (b'"normalizer": null', b'"normalizer": {"type": "NFC"}', "normalizes"),
    ):

        def write(data, old=old, new=new):
            content, losses = as_it_is(data)
            assert old in content
            return content.replace(old, new), losses

        monkeypatch.setattr(huggingface, "write", write)
        with pytest.raises(FormatError, match=complaint):
            save_encoding(trained("o200k_base"), tmp_path / "own.json", sample=TEXT)
        assert damaged(tmp_path) == before


def test_a_file_that_may_not_be_written_is_left(tmp_path, monkeypatch):
    (tmp_path / "own.json").write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(FormatError, match="read-only"):
        save_encoding(trained(), tmp_path / "own.json")
    assert damaged(tmp_path) == {"own.json": b"old"}


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FormatError, match="No such file"):
        save_encoding(trained(), tmp_path / "no-such-folder" / "own.json")


@pytest.mark.skipif(os.name != "posix", reason="needs links and modes of POSIX")
def test_links_and_modes_are_kept(tmp_path):
    real = tmp_path / "real.json"
    real.write_text("old")
    real.chmod(0o640)
    (tmp_path / "link.json").symlink_to(real)
    save_encoding(trained(), tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert engine.load(real).n_vocab == trained().n_vocab


def test_the_endings_that_others_rely_on_are_written():
    assert SUFFIXES[:3] == (".tiktoken", ".json", ".model")


def of_bytes(special_tokens):
    ranks = {bytes([value]): value for value in range(256)}
    return engine.Encoding("own", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens=special_tokens)


def test_of_two_files_killed_in_between_the_pair_of_before_is_good(tmp_path):
    """The file beside the ranks takes its place first."""
    path = tmp_path / "own.tiktoken"
    save_encoding(trained(), path)
    before = path.read_bytes()
    expected = engine.load(path).token_byte_values()
    save_encoding(of_bytes({"<a>": 256}), path)
    assert engine.load(path).special_tokens_set == {"<a>"}
    path.write_bytes(before)
    again = engine.load(path)
    assert again.token_byte_values() == expected
    assert again.special_tokens_set == trained().special_tokens_set


def test_what_a_newer_version_wrote_is_refused(tmp_path):
    path = tmp_path / "own.tiktoken"
    save_encoding(trained(), path)
    beside = tmp_path / "own.tiktoken.json"
    beside.write_text(json.dumps(json.loads(beside.read_text()) | {"version": 2}))
    with pytest.raises(FormatError, match="newer version"):
        engine.load(path)
    own = UserEncodings(frozenset())
    (problem,) = own.add_folder(tmp_path)
    assert "newer version" in problem
    with pytest.raises(EngineError, match="exists already"):
        own.keep(of_bytes({}), tmp_path, "trained")


@pytest.mark.parametrize("suffix", [".model", ".json", ".tiktoken"])
def test_special_tokens_far_behind_the_last_merge(tmp_path, suffix):
    """minbpe's own test_save_load: 64 merges with the special tokens of cl100k_base."""
    source = trained()
    specials = dict(engine.get_encoding("cl100k_base")._special_tokens)
    encoding = engine.Encoding(
        "far", pat_str=source._pat_str, mergeable_ranks=source._mergeable_ranks, special_tokens=specials
    )
    save_encoding(encoding, tmp_path / f"far{suffix}")
    again = engine.load(tmp_path / f"far{suffix}")
    text = TEXT + "<|endoftext|>" + "<|endofprompt|>"
    assert again._special_tokens == specials
    assert again.encode(text, allowed_special="all") == encoding.encode(text, allowed_special="all")
