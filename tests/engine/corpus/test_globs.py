"""Rules of a .gitignore: single ones by their meaning, whole folders of them against git itself."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.ignore_rules import GlobRules, InvalidGlobError
from engine.corpus.types import CorpusRules
from engine.corpus.walk import FolderWalk, FoundFile
from tests.thoroughness import mostly_deep


@pytest.mark.parametrize(
    ("glob", "taken", "left"),
    [
        ("*.txt", ["a.txt", "d/a.txt", ".txt"], ["a.txt.gz", "txt"]),
        ("/a", ["a"], ["d/a"]),
        ("d/a", ["d/a"], ["x/d/a", "d/a/b"]),
        ("**/a", ["a", "d/a", "d/e/a"], ["b"]),
        ("d/**", ["d/a", "d/e/a"], ["d"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb", "c/a/b"]),
        ("a*/b", ["a/b", "ax/b"], ["a/x/b"]),
        ("a**b", ["ab", "axb"], ["a/b"]),
        ("?", ["a", "é"], ["ab", ""]),
        ("[a-c]x", ["bx"], ["dx"]),
        ("[!a-c]x", ["dx"], ["bx"]),
        ("[]a]", ["]", "a"], ["b"]),
        ("[[:digit:]]", ["7"], ["d"]),
        (r"\#a\*", ["#a*"], ["#ab"]),
        ("a ", ["a"], ["a "]),
        (r"a\ ", ["a "], ["a"]),
        ("# a", [], ["# a", "a"]),
        ("x/[/]/y", [], ["x///y"]),
    ],
)
def test_what_a_glob_takes(glob, taken, left):
    rules = GlobRules([glob], strict=True)
    assert [path for path in (*taken, *left) if rules.verdict(path, is_folder=False)] == taken


def test_the_last_rule_that_matches_decides():
    rules = GlobRules(["*.txt", "!keep.txt", "d/keep.txt"])
    assert rules.verdict("a.txt", is_folder=False) is True
    assert rules.verdict("keep.txt", is_folder=False) is False
    assert rules.verdict("d/keep.txt", is_folder=False) is True
    assert rules.verdict("a.md", is_folder=False) is None


def test_a_slash_at_the_end_is_for_folders():
    rules = GlobRules(["build/"])
    assert rules.verdict("build", is_folder=True) is True
    assert rules.verdict("build", is_folder=False) is None


GLOBS = st.sampled_from(["a", "!a", "a/", "!a/", "*b", "!*b", "d/*", "!d/**", "?b", "!c"])


@given(st.lists(st.tuples(GLOBS, st.integers(0, 200)), max_size=12))
def test_of_many_rules_the_last_that_matches_decides(written: list[tuple[str, int]]):
    lines = [line for glob, others in written for line in (*(f"other{number}/" for number in range(others)), glob)]
    each = [GlobRules([glob]) for glob, _ in written]
    rules = GlobRules(lines)
    assert len(rules) == len(lines)
    for path in ("a", "d/a", "d/ab", "b", "c", "d"):
        for is_folder in (False, True):
            verdicts = (rule.verdict(path, is_folder=is_folder) for rule in reversed(each))
            decided = next((verdict for verdict in verdicts if verdict is not None), None)
            assert rules.verdict(path, is_folder=is_folder) is decided


@pytest.mark.parametrize("glob", ["[ab", "a\\", "[[:letters:]]", "d/[!", "a" * 4097, "[" * 3000, f"[[:{'x' * 3000}:]]"])
def test_a_glob_that_cannot_match_is_an_error_only_where_somebody_typed_it(glob):
    with pytest.raises(InvalidGlobError, match="glob") as error:
        GlobRules([glob], strict=True)
    assert len(str(error.value)) < 200
    assert len(GlobRules(["a", glob, "b"])) == 2


@pytest.mark.parametrize(
    ("glob", "path"),
    [("*a" * 100 + "b", "a" * 255), ("**/a/" * 100 + "b", "a/" * 2000 + "c"), ("[!b]*" * 60 + "b", "a" * 255)],
)
def test_a_hostile_glob_ends(glob, path):
    assert GlobRules([glob]).verdict(path, is_folder=False) is None


NAMES = ("a", "b", "docs", "x.txt", "y.txt", "z.log", "build", "keep.txt", "a.b")
LINES = (
    "*.txt", "!keep.txt", "docs", "!docs", "docs/", "!docs/", "/a", "a/b", "**/b", "b/**", "a/**/x.txt", "/build/*",
    "!/build/keep.txt", "*", "!*/", "[xy].txt", "[!x].txt", "?.b", "build", "!x.txt", "a/", "!a/", "*/x.txt", "  ",
    "docs/*.txt", "#c", "\\#c", "x.txt ", "[a-y].txt", "a*", "!b/", "/*", "!/docs", "**/docs/**", "docs/**/y.txt",
    "!**/y.txt", "a/*", "!a/b", "!a/b/", "**", "a[/]b", "*a*b*", "[[:alpha:]].txt", "[z-a]", "\\a", "***", "a/***",
    "**a/b", "a/**b", "[", "*.", "?*", "[]]", "[!/]", "/**/", "**/*/b", "a/**/**/x.txt", "/**", "x.txt\r",
)  # fmt: skip


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("seed", mostly_deep(range(40), 8))
def test_the_walk_finds_the_files_that_git_finds(tmp_path, seed):
    make_repository(tmp_path, random.Random(seed))
    found = FolderWalk(CorpusRules(hidden=True)).found([tmp_path])
    ours = [file.path.relative_to(tmp_path).as_posix() for file in found if isinstance(file, FoundFile)]
    assert sorted(ours) == sorted(files_by_git(tmp_path))


def make_repository(root: Path, rng: random.Random) -> None:
    run_git("init", "-q", str(root))
    folders = [root]
    for _ in range(6):
        folder = rng.choice(folders) / rng.choice(NAMES)
        if not folder.exists():
            folder.mkdir()
            folders.append(folder)
    for _ in range(15):
        file = rng.choice(folders) / rng.choice(NAMES)
        if not file.exists():
            file.write_text("text")
    for folder in folders:
        if folder == root or rng.random() < 0.3:
            lines = [rng.choice(LINES) for _ in range(rng.randint(1, 4))]
            (folder / ".gitignore").write_bytes("\n".join(lines).encode())


def files_by_git(root: Path) -> list[str]:
    listed = run_git("-C", str(root), "ls-files", "--others", "--exclude-per-directory=.gitignore", "-z")
    return [path for path in listed.split("\0") if path]


def run_git(*arguments: str) -> str:
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True, env=environment).stdout
