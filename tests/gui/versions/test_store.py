from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.runtime import atomic_files
from engine.runtime.atomic_files import LOCK_NAME
from gui.core import version_store as store
from gui.core.text_chunks import chunked
from gui.core.version_store import VersionError


def test_a_text_comes_back_as_it_was(tmp_path: Path):
    text = "a\r\nb\ud800😀\n"
    version = store.save(tmp_path, "  first \n draft ", chunked([text]), "o200k_base", {"o200k_base": 7})
    (there,) = store.saved_versions(tmp_path).versions
    assert there == version
    assert (there.name, there.tokens, there.size) == ("first draft", 7, sum(map(len, chunked([text]))))
    assert store.text_of(tmp_path, there).text() == text


def test_the_newest_is_first_and_names_may_be_alike(tmp_path: Path):
    first, second = (store.save(tmp_path, "same", chunked([text]), "o200k_base", {}) for text in ("a", "b"))
    assert [version.key for version in store.saved_versions(tmp_path).versions] == [second.key, first.key]
    assert second.tokens is None


def test_renaming_and_deleting(tmp_path: Path):
    version = store.save(tmp_path, "a", chunked(["text"]), "o200k_base", {})
    renamed = store.rename(tmp_path, version, "b" * 1000)
    assert store.saved_versions(tmp_path).versions == (renamed,)
    assert len(renamed.name) == store.LONGEST_NAME
    store.delete(tmp_path, renamed)
    assert [path.name for path in tmp_path.iterdir()] == [LOCK_NAME]
    store.delete(tmp_path, renamed)
    with pytest.raises(VersionError, match="deleted in another window"):
        store.rename(tmp_path, renamed, "c")


def test_a_version_that_is_renamed_is_not_deleted_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    version = store.save(tmp_path, "a", chunked(["text"]), "o200k_base", {})
    as_it_is, kept_out = store.write_atomic, []

    def write_atomic(path: Path, content: bytes) -> int:
        with monkeypatch.context() as impatient:
            impatient.setattr(atomic_files, "LOCK_SECONDS", 0.0)
            try:
                store.delete(tmp_path, version)
            except OSError as error:
                kept_out.append(str(error))
        return as_it_is(path, content)

    with monkeypatch.context() as other_window:
        other_window.setattr(store, "write_atomic", write_atomic)
        renamed = store.rename(tmp_path, version, "b")
    assert len(kept_out) == 1
    assert "another window" in kept_out[0]
    assert store.text_of(tmp_path, renamed).text() == "text", "what is listed has its text"
    store.delete(tmp_path, renamed)
    assert store.saved_versions(tmp_path) == store.SavedVersions(())


def test_nothing_is_dropped_to_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    store.save(tmp_path, "a", chunked(["text"]), "o200k_base", {})
    monkeypatch.setattr(store, "MAX_BYTES", 7)
    with pytest.raises(VersionError, match="delete one first"):
        store.save(tmp_path, "b", chunked(["text"]), "o200k_base", {})
    monkeypatch.setattr(store, "MAX_VERSIONS", 1)
    with pytest.raises(VersionError, match="the limit is 1 versions"):
        store.save(tmp_path, "b", chunked([""]), "o200k_base", {})
    assert len(store.saved_versions(tmp_path).versions) == 1


@pytest.mark.parametrize("broken", ["", "[]", "{}", '{"key": "x"}', "\xff", "null"])
def test_a_damaged_file_is_told_and_left_alone(tmp_path: Path, broken: str):
    good = store.save(tmp_path, "a", chunked(["text"]), "o200k_base", {})
    bad = tmp_path / "x.json"
    bad.write_text(broken, encoding="latin-1")
    kept = store.saved_versions(tmp_path)
    assert kept.versions == (good,)
    assert len(kept.problems) == 1
    assert str(bad) in kept.problems[0]
    assert bad.read_text(encoding="latin-1") == broken


def test_a_text_that_somebody_changed_is_not_taken_for_the_version(tmp_path: Path):
    version = store.save(tmp_path, "a", chunked(["text"]), "o200k_base", {})
    (tmp_path / f"{version.key}.txt").write_text("other")
    with pytest.raises(VersionError, match="changed on disk"):
        store.text_of(tmp_path, version)


def test_a_save_that_fails_leaves_no_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_args: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic_files.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        store.save(tmp_path, "a", chunked(["text"]), "o200k_base", {})
    assert store.saved_versions(tmp_path) == store.SavedVersions(())
    assert [path.name for path in tmp_path.iterdir()] == [LOCK_NAME]


def test_what_is_kept_about_a_version_is_json(tmp_path: Path):
    version = store.save(tmp_path, "ä", chunked(["text"]), "o200k_base", {"o200k_base": 1})
    about = json.loads((tmp_path / f"{version.key}.json").read_text())
    assert about["name"] == "ä"
    assert about["counts"] == {"o200k_base": 1}


def test_what_a_killed_window_left_goes_with_the_next_version(tmp_path: Path):
    version = store.save(tmp_path, "a", chunked(["text"]), "o200k_base", {})
    left, other = tmp_path / f"{'0' * 32}.txt", tmp_path / "notes.txt"
    for path in (left, other):
        path.write_text("x")
    second = store.save(tmp_path, "b", chunked(["more"]), "o200k_base", {})
    assert not left.exists()
    assert other.exists(), "that is none of ours"
    assert {one.key for one in store.saved_versions(tmp_path).versions} == {version.key, second.key}


def test_a_version_of_a_newer_program_is_told_and_left_as_it_is(tmp_path: Path):
    version = store.save(tmp_path, "a", chunked(["text"]), "o200k_base", {})
    about = tmp_path / f"{version.key}.json"
    newer = json.dumps(json.loads(about.read_text()) | {"version": 2})
    about.write_text(newer)
    store.save(tmp_path, "b", chunked(["text"]), "o200k_base", {})
    there = store.saved_versions(tmp_path)
    assert [one.name for one in there.versions] == ["b"]
    assert "newer version" in there.problems[0]
    assert about.read_text() == newer
    assert (tmp_path / f"{version.key}.txt").read_text() == "text"


@pytest.mark.parametrize("damage", [{"counts": "many"}, {"counts": {"gpt2": None}}, {"saved": 7}, {"size": "big"}])
def test_a_damaged_version_is_told_in_plain_words(tmp_path: Path, damage: dict[str, object]):
    version = store.save(tmp_path, "a", chunked(["text"]), "o200k_base", {})
    about = tmp_path / f"{version.key}.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | damage))
    assert store.saved_versions(tmp_path).problems == (
        f"{about}: the file is damaged or not a prompt version; it was not changed",
    )
