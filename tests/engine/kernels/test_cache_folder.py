"""Compiled kernels are found again where they were put, and nothing breaks where they cannot be put."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.kernels import cache_folder

SOURCES = Path(__file__).resolve().parents[3]

RUN = """
import sys
from pathlib import Path
import numpy as np
from engine.kernels.cache_folder import kept_in
from engine.kernels._jit import NotCompiledError
from engine.kernels.lookup import note_token_ends
try:
    with kept_in(Path(sys.argv[1]), compiled_only=len(sys.argv) > 2):
        note_token_ends(np.zeros(2, np.uint32), np.zeros(600, np.uint8), np.zeros(1, np.int64))
except IndexError:
    print(sum(note_token_ends.stats.cache_hits.values()))
except NotCompiledError as error:
    print(-1, file=sys.stdout)
"""
"""Calls a kernel that finds its arguments too short: compiled code can raise."""


def run(folder, *arguments, cwd=None, code=RUN, **variables):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    for variable in ("NUMBA_DISABLE_JIT", cache_folder.VARIABLE):
        if variable not in variables:
            environment.pop(variable, None)
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder), *arguments],
        env=environment,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


@pytest.mark.deep
def test_kernels_are_found_again_from_another_folder(tmp_path):
    assert run(tmp_path / "cache", cwd=tmp_path) == 0
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert run(tmp_path / "cache", cwd=elsewhere) == 1


@pytest.mark.deep
def test_kernels_are_found_again_from_a_copy_of_the_sources(tmp_path):
    assert run(tmp_path / "cache") == 0
    copy = tmp_path / "copy"
    shutil.copytree(SOURCES / "engine", copy / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    for source in copy.rglob("*.py"):
        os.utime(source, (0, 0))
    code = f"import sys; sys.path.insert(0, {str(copy)!r})\n{RUN}\n"
    code += f"assert sys.modules['engine'].__file__.startswith({str(copy)!r})"
    assert run(tmp_path / "cache", code=code, PYTHONPATH="") == 1


@pytest.mark.deep
def test_a_damaged_file_is_compiled_anew(tmp_path):
    assert run(tmp_path / "cache") == 0
    (kept,) = (tmp_path / "cache").glob("*/lookup.note_token_ends-*.code")
    content = kept.read_bytes()
    kept.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert run(tmp_path / "cache") == 0
    assert run(tmp_path / "cache") == 1


@pytest.mark.deep
def test_where_nothing_is_to_be_compiled_it_is_an_error_that_says_so(tmp_path):
    assert run(tmp_path / "cache", "compiled only") == -1
    assert run(tmp_path / "cache") == 0
    assert run(tmp_path / "cache", "compiled only") == 1


@pytest.mark.deep
def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert run(tmp_path / "file", cwd=tmp_path) == 0


@pytest.mark.deep
def test_the_variable_goes_before_the_program(tmp_path):
    assert run(tmp_path / "one", **{cache_folder.VARIABLE: str(tmp_path / "other")}) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_an_inner_choice_of_none_is_the_outer_one(tmp_path, monkeypatch):
    monkeypatch.delenv(cache_folder.VARIABLE, raising=False)
    with cache_folder.kept_in(tmp_path, compiled_only=True):
        outer = cache_folder.current_folder()
        with cache_folder.kept_in(None):
            assert cache_folder.current_folder() == outer
            assert cache_folder.is_compiled_only()
    assert not cache_folder.is_compiled_only()
    assert cache_folder.current_folder().parent == cache_folder.user_folder()


def test_a_user_without_a_home_has_the_folder_beside_the_sources(monkeypatch):
    def nowhere():
        raise RuntimeError

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    assert cache_folder.user_folder() == SOURCES / "engine" / "kernels" / "__pycache__"


@pytest.mark.skipif(sys.platform == "win32", reason="modes are those of POSIX")
@pytest.mark.parametrize(("folder_mode", "mode"), [(0o755, 0o644), (0o700, 0o600)])
def test_others_read_what_is_kept_in_a_folder_they_may_enter(tmp_path, folder_mode, mode):
    """One user of a container compiles for all of them."""
    tmp_path.chmod(folder_mode)
    before = os.umask(0o022)
    try:
        cache_folder.keep(tmp_path / "one.code", b"code")
    finally:
        os.umask(before)
    assert (tmp_path / "one.code").stat().st_mode & 0o777 == mode
    assert [path.name for path in tmp_path.iterdir()] == ["one.code"]


def test_a_choice_can_be_kept_for_later(tmp_path, monkeypatch):
    monkeypatch.delenv(cache_folder.VARIABLE, raising=False)
    with cache_folder.kept_in(tmp_path, compiled_only=True):
        chosen, later = cache_folder.current_folder(), cache_folder.as_now()
    assert cache_folder.current_folder() != chosen
    for _ in range(2):
        with later():
            assert cache_folder.current_folder() == chosen
            assert cache_folder.is_compiled_only()
        assert not cache_folder.is_compiled_only()


def test_the_folder_changes_with_the_sources(tmp_path, monkeypatch):
    below = tmp_path / "sources" / "below"
    below.mkdir(parents=True)
    monkeypatch.setattr(cache_folder, "_SOURCES", below.parent)
    digests = set()
    for place, content in ((below.parent, "1"), (below.parent, "2"), (below, "1"), (below, "2")):
        (place / "one.py").write_text(content)
        cache_folder.sources_digest.cache_clear()
        digests.add(cache_folder.sources_digest())
    cache_folder.sources_digest.cache_clear()
    assert len(digests) == 4


@pytest.mark.parametrize("value", ["", "0", "1"])
def test_folders_of_older_sources_are_dropped_but_for_the_newest(tmp_path, monkeypatch, value):
    monkeypatch.setenv(cache_folder.VARIABLE, str(tmp_path))
    monkeypatch.setenv(cache_folder.CHECKED_VARIABLE, value)
    for age, name in enumerate(("kernels-a", "kernels-b", "kernels-c")):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (age, age))
    (tmp_path / "something else").mkdir()
    folder = cache_folder.current_folder()
    cache_folder.keep(folder / "some.file", b"content")
    assert (folder / "some.file").read_bytes() == b"content"
    assert folder.name.endswith("-checked") == (value == "1")
    assert {path.name for path in tmp_path.iterdir()} == {folder.name, "kernels-c", "something else"}


def test_an_empty_folder_name_means_no_cache(monkeypatch):
    monkeypatch.setenv(cache_folder.VARIABLE, "")
    assert cache_folder.current_folder() is None


def test_a_file_is_kept_whole_or_not_at_all(tmp_path, monkeypatch):
    def fail(self, target):
        raise OSError("no")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(OSError, match="no"):
        cache_folder.keep(tmp_path / "folder" / "file", b"content")
    assert list((tmp_path / "folder").iterdir()) == []
