"""Compiled kernels are found again where they were put, and nothing breaks where they cannot be put."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from engine.kernels import cache_folder

RUN = """
import sys
from pathlib import Path
from engine.kernels.cache_folder import use_cache_folder
use_cache_folder(Path(sys.argv[1]))
import numpy as np
from engine.kernels.measures import note_token_ends
try:
    note_token_ends(np.zeros(2, np.uint32), np.zeros(600, np.uint8), np.zeros(1, np.int64))
except IndexError:
    print(sum(note_token_ends.stats.cache_hits.values()))
"""


def run(folder, cwd, **variables):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    environment.pop("NUMBA_DISABLE_JIT", None)
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(folder)], env=environment, cwd=cwd, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_kernels_are_found_again_from_another_folder(tmp_path):
    assert run(tmp_path / "cache", cwd=tmp_path) == 0
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert run(tmp_path / "cache", cwd=elsewhere) == 1


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert run(tmp_path / "file", cwd=tmp_path) == 0


def test_the_folder_changes_with_the_sources(tmp_path, monkeypatch):
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "one.py").write_text("1")
    monkeypatch.setattr(cache_folder, "_SOURCES", sources)
    digests = []
    for content in ("1", "2"):
        (sources / "one.py").write_text(content)
        cache_folder.sources_digest.cache_clear()
        digests.append(cache_folder.sources_digest())
    cache_folder.sources_digest.cache_clear()
    assert digests[0] != digests[1]


@pytest.mark.parametrize("value", ["", "0", "1"])
def test_folders_of_older_sources_are_dropped_but_for_the_newest(tmp_path, monkeypatch, value):
    monkeypatch.setenv(cache_folder.VARIABLE, str(tmp_path))
    monkeypatch.setenv(cache_folder.CHECKED_VARIABLE, value)
    for age, name in enumerate(("kernels-a", "kernels-b", "kernels-c")):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (age, age))
    (tmp_path / "something else").mkdir()
    folder = cache_folder.writable_folder()
    assert folder.name.endswith("-checked") == (value == "1")
    assert {path.name for path in tmp_path.iterdir()} == {folder.name, "kernels-c", "something else"}


def test_an_empty_folder_name_means_no_cache(monkeypatch):
    monkeypatch.setenv(cache_folder.VARIABLE, "")
    assert cache_folder.writable_folder() is None
