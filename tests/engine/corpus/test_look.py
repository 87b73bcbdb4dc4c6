"""Looking through folders: texts, encodings, duplicates, samples, and what is left out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.corpus import walk
from engine.corpus.files import HEAD_BYTES
from engine.corpus.types import CorpusRules
from engine.corpus.walk import spread_sample, survey


def write(root: Path, **contents: bytes) -> None:
    for name, content in contents.items():
        path = root / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def test_a_folder_of_all_kinds(tmp_path):
    write(tmp_path, a_txt=b"text", b_txt="naïve".encode("cp1252"), c_png=b"\x89PNG\0\0", d_txt=b"", deep__e_txt=b"more")
    (tmp_path / ".gitignore").write_text("*.log\n")
    write(tmp_path, f_log=b"log")
    found = survey([tmp_path])
    assert survey(tmp_path).files == survey(str(tmp_path)).files == found.files
    assert [(file.path.name, file.file_bytes, file.encoding) for file in found.files] == [
        ("a.txt", 4, "utf-8"),
        ("b.txt", 5, "cp1252"),
        ("e.txt", 4, "utf-8"),
    ]
    assert found.roots == (tmp_path,)
    assert found.file_bytes == 13
    assert found.skipped_counts == {"hidden": 1, "binary": 1, "empty": 1, "ignored": 1}
    assert [(file.path.name, file.reason) for file in found.skipped] == [
        (".gitignore", "hidden"), ("c.png", "binary"), ("d.txt", "empty"), ("f.log", "ignored"),
    ]  # fmt: skip


def test_texts_that_are_there_twice(tmp_path):
    large = b"0123456789abcdef" * (HEAD_BYTES // 8)
    almost = large[: HEAD_BYTES + 5000] + b"!" + large[HEAD_BYTES + 5001 :]  # where no sample is taken
    write(tmp_path, a=b"same", b=b"diff", c=b"same", d=large, e=almost, f=large, g=b"same")
    found = survey([tmp_path])
    original = {file.path.name: file.duplicate_of and file.duplicate_of.name for file in found.files}
    assert original == {"a": None, "b": None, "c": "a", "d": None, "e": None, "f": "d", "g": "a"}
    assert (found.duplicate_files, found.duplicate_bytes) == (3, 8 + len(large))
    assert found.file_bytes == 16 + 3 * len(large), "duplicates are part of the corpus"


def test_every_file_is_reported_and_a_report_can_end_it(tmp_path):
    write(tmp_path, a_txt=b"text", b_png=b"\0\1", c_txt=b"more text")
    seen = []
    survey([tmp_path], report=lambda files, file_bytes: seen.append((files, file_bytes)))
    assert seen == [(1, 4), (2, 6), (3, 15)]

    class Cancelled(Exception):
        pass

    def cancel(files: int, file_bytes: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        survey([tmp_path], report=cancel)


def test_comparing_large_files_can_be_ended_too(tmp_path):
    write(tmp_path, a=b"x" * (4 << 20), b=b"x" * (4 << 20))
    calls = []

    class Cancelled(Exception):
        pass

    def report(files: int, file_bytes: int) -> None:
        calls.append(files)
        if len(calls) == 4:
            raise Cancelled

    with pytest.raises(Cancelled):
        survey([tmp_path], report=report)
    assert calls == [1, 2, 2, 2]


def test_a_sample_is_spread_over_the_corpus(tmp_path):
    for number in range(64):
        (tmp_path / f"{number:02}.txt").write_bytes(b"%02d" % number * 50)
    found = survey([tmp_path], CorpusRules(sample_bytes=850))
    assert [int(file.path.stem) for file in found.files] == [0, 8, 16, 24, 32, 40, 48, 56]
    assert found.file_bytes == 800
    assert found.skipped_counts == {"sampled out": 56}


@pytest.mark.parametrize(
    ("sizes", "most", "taken"),
    [
        ([], 10, []),
        ([5], 10, [0]),
        ([5, 5, 5], 100, [0, 1, 2]),
        ([50, 3, 4], 8, [1, 2]),
        ([50, 30, 40], 8, [1]),
        ([1] * 8, 4, [0, 2, 4, 6]),
    ],
)
def test_which_items_make_a_sample(sizes, most, taken):
    assert spread_sample(sizes, most) == taken


def test_skipped_files_are_counted_where_there_are_too_many_to_list(tmp_path, monkeypatch):
    monkeypatch.setattr(walk, "MAX_LISTED", 3)
    for number in range(5):
        (tmp_path / f"{number}.txt").touch()
    found = survey([tmp_path])
    assert [file.path.name for file in found.skipped] == ["0.txt", "1.txt", "2.txt"]
    assert found.skipped_counts == {"empty": 5}


@pytest.mark.skipif(os.name != "posix", reason="needs permissions of POSIX")
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="nothing is closed to root")
def test_an_unreadable_file_is_listed(tmp_path):
    write(tmp_path, a_txt=b"text", b_txt=b"text")
    (tmp_path / "a.txt").chmod(0)
    found = survey([tmp_path])
    assert [(file.path.name, file.reason) for file in found.skipped] == [("a.txt", "unreadable")]


def test_a_file_that_vanishes_meanwhile_is_listed(tmp_path):
    write(tmp_path, a_txt=b"text", b_txt=b"text", c_txt=b"text")

    def report(files: int, file_bytes: int) -> None:
        (tmp_path / "b.txt").unlink(missing_ok=True)

    found = survey([tmp_path], report=report)
    assert [file.path.name for file in found.files] == ["a.txt", "c.txt"]
    assert found.skipped_counts == {"vanished": 1}


def test_an_empty_folder_and_a_single_file(tmp_path):
    assert survey([tmp_path]).files == ()
    write(tmp_path, a_txt=b"text")
    assert [file.path for file in survey([str(tmp_path / "a.txt")]).files] == [tmp_path / "a.txt"]
