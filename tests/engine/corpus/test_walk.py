"""Which files a walk finds, and what it says of the others."""

from __future__ import annotations

import inspect
import os
import socket
import sys
from pathlib import Path

import pytest

from engine.corpus.ignore_rules import InvalidGlobError
from engine.corpus.types import CorpusRules, SkippedFile
from engine.corpus.walk import FolderWalk, FoundFile

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs the links and pipes of POSIX")


def write(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"text of {name}")


def walked(*paths: Path, **rules: object) -> tuple[list[str], dict[str, str]]:
    """The names of the files found, and the reason for each that was not; within the first path's folder."""
    base = paths[0] if paths[0].is_dir() else paths[0].parent
    found = list(FolderWalk(CorpusRules(**rules)).found(paths))
    files = [os.path.relpath(file.path, base) for file in found if isinstance(file, FoundFile)]
    skipped = {os.path.relpath(file.path, base): file.reason for file in found if isinstance(file, SkippedFile)}
    return files, skipped


def test_files_come_in_the_order_of_their_paths(tmp_path, monkeypatch):
    write(tmp_path, "b/z.txt", "b/a.txt", "a.txt", "c.txt", "b.txt", "B.txt")
    expected = ["B.txt", "a.txt", "b/a.txt", "b/z.txt", "b.txt", "c.txt"]
    assert walked(tmp_path)[0] == expected
    as_the_disk_has_them = os.scandir

    class Reversed:
        """A disk that lists its files the other way round."""

        def __init__(self, path: str) -> None:
            with as_the_disk_has_them(path) as entries:
                self._entries = list(entries)[::-1]

        def __enter__(self) -> list:
            return self._entries

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(os, "scandir", Reversed)
    assert walked(tmp_path)[0] == expected


@pytest.mark.parametrize("root", [".", "folder", "./folder/../folder"])
def test_names_are_those_of_paths(tmp_path, monkeypatch, root):
    write(tmp_path, "a.txt", "folder/b.txt", "folder/inner/c.txt")
    monkeypatch.chdir(tmp_path)
    found = list(FolderWalk(CorpusRules()).found([Path(root)]))
    assert [file.name for file in found] == [str(path) for path in sorted(Path(root).rglob("*.txt"))]
    assert all(file.path == Path(file.name) and file.path.is_file() for file in found)


def test_hidden_files_and_folders_are_left_out(tmp_path):
    write(tmp_path, ".hidden.txt", ".folder/a.txt", "a.txt", ".git/config")
    assert walked(tmp_path) == (["a.txt"], {".hidden.txt": "hidden", ".folder": "hidden", ".git": "hidden"})
    files, skipped = walked(tmp_path, hidden=True)
    assert (files, skipped) == ([".folder/a.txt", ".hidden.txt", "a.txt"], {".git": "hidden"})


def test_what_is_named_outright_may_be_hidden_and_ignored(tmp_path):
    write(tmp_path, ".hidden/a.txt", ".gitignore")
    (tmp_path / ".gitignore").write_text("*.txt\n")
    assert walked(tmp_path / ".hidden", honour_gitignore=False)[0] == ["a.txt"]
    assert walked(tmp_path / ".hidden" / "a.txt")[0] == ["a.txt"]


def test_globs_include_and_exclude(tmp_path):
    write(tmp_path, "a.py", "a.md", "docs/b.md", "docs/c.py", "src/d.py", "src/old/e.py")
    assert walked(tmp_path, include=("*.py",))[0] == ["a.py", "docs/c.py", "src/d.py", "src/old/e.py"]
    assert walked(tmp_path, include=("docs/", "./a.py"))[0] == ["a.py", "docs/b.md", "docs/c.py"]
    files, skipped = walked(tmp_path, include=("*.py",), exclude=("old/", "/a.py"))
    assert files == ["docs/c.py", "src/d.py"]
    assert skipped == {"a.py": "excluded", "a.md": "excluded", "docs/b.md": "excluded", "src/old": "excluded"}
    assert walked(tmp_path / "a.md", include=("*.py",)) == ([], {"a.md": "excluded"})


def test_a_glob_that_cannot_match_is_an_error():
    with pytest.raises(InvalidGlobError, match="never closed"):
        FolderWalk(CorpusRules(exclude=("*.[ch",)))


def test_gitignore_of_the_repository_around_a_folder_holds_in_it(tmp_path):
    write(tmp_path, "src/a.log", "src/a.txt", "build/b.log", ".git/config")
    (tmp_path / ".gitignore").write_text("*.log\nbuild/\n/src/a.txt\n")
    assert walked(tmp_path / "src") == ([], {"a.log": "ignored", "a.txt": "ignored"})
    assert walked(tmp_path / "build")[0] == ["b.log"], "a folder that is named outright is wanted"
    (tmp_path / ".git" / "config").unlink()
    (tmp_path / ".git").rmdir()
    assert walked(tmp_path / "src")[0] == ["a.log", "a.txt"], "outside of a repository, rules from above do not hold"


def test_gitignore_can_be_disregarded(tmp_path):
    write(tmp_path, "a.txt")
    (tmp_path / ".gitignore").write_text("*.txt\n")
    assert walked(tmp_path)[1]["a.txt"] == "ignored"
    assert walked(tmp_path, honour_gitignore=False)[0] == ["a.txt"]


def test_a_damaged_gitignore_is_read_as_far_as_it_goes(tmp_path):
    write(tmp_path, "a.txt", "b.txt", "deep/c.txt")
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbfa.txt\r\n[\n\xff\xfe\0\n")
    (tmp_path / "deep" / ".gitignore").mkdir()
    assert walked(tmp_path)[0] == ["b.txt", "deep/c.txt"]


@posix
def test_links_are_followed_but_never_in_circles(tmp_path):
    outside = tmp_path / "outside"
    inside = tmp_path / "inside"
    write(outside, "o.txt")
    write(inside, "real/r.txt", "a.txt")
    links = {
        "up": inside.parent,
        "self": inside,
        "sibling": inside / "real",
        "z-outside": outside,
        "z-again": outside,
        "to-file": inside / "a.txt",
        "nowhere": inside / "no-such-file",
        "round": inside / "round",
    }
    for name, target in links.items():
        (inside / name).symlink_to(target)
    (outside / "back").symlink_to(inside)
    files, skipped = walked(inside)
    assert files == ["a.txt", "real/r.txt", "to-file", "z-again/o.txt"]
    assert skipped == {
        "nowhere": "unreadable",
        "round": "loop",
        "self": "loop",
        "sibling": "loop",
        "up": "loop",
        "z-again/back": "loop",
        "z-outside": "loop",
    }


def test_a_path_that_is_named_twice_is_met_once(tmp_path):
    write(tmp_path, "a.txt", "deep/b.txt")
    once = ["a.txt", "deep/b.txt"]
    assert sorted(walked(tmp_path, tmp_path / "deep", tmp_path / "a.txt", tmp_path)[0]) == once
    assert sorted(walked(tmp_path, tmp_path / "deep" / ".." / "deep")[0]) == once


@posix
def test_special_files_are_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    write(tmp_path, "a.txt")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "s"))
        assert walked(tmp_path) == (["a.txt"], {"pipe": "special", "s": "special"})


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="nothing is closed to root")
def test_a_folder_that_may_not_be_read_is_reported(tmp_path):
    write(tmp_path, "closed/a.txt", "b.txt")
    (tmp_path / "closed").chmod(0)
    try:
        assert walked(tmp_path) == (["b.txt"], {"closed": "unreadable"})
    finally:
        (tmp_path / "closed").chmod(0o700)


def test_an_error_of_the_disk_is_reported_and_survived(tmp_path, monkeypatch):
    write(tmp_path, "bad/a.txt", "good/b.txt")
    as_it_is = os.scandir

    def scandir(path: Path) -> object:
        if Path(path).name == "bad":
            raise OSError(5, "Input/output error", str(path))
        return as_it_is(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert walked(tmp_path) == (["good/b.txt"], {"bad": "unreadable"})


def test_a_path_that_leads_nowhere_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        list(FolderWalk(CorpusRules()).found([tmp_path / "no-such-folder"]))


def test_folders_may_be_nested_deeper_than_python_calls(tmp_path):
    (tmp_path.joinpath(*["d"] * 300)).mkdir(parents=True)
    write(tmp_path.joinpath(*["d"] * 300), "a.txt")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 150)
    try:
        found = list(FolderWalk(CorpusRules()).found([tmp_path]))
    finally:
        sys.setrecursionlimit(limit)
    assert [file.path.name for file in found] == ["a.txt"]
