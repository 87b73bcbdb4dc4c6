from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.prompt.file_service import CANDIDATES, FileService, OpenedFile, UndecidedFile, ends_in_crlf
from gui.runtime.jobs import JobRunner

MOST = 1_000_000


@pytest.fixture
def files(qtbot: QtBot) -> Iterator[FileService]:
    runner = JobRunner()
    yield FileService(runner)
    runner.shutdown()


def opened(qtbot: QtBot, files: FileService, path: Path, encoding: str | None = None) -> OpenedFile:
    with qtbot.waitSignal(files.opened) as answer:
        files.open(path, most_bytes=MOST, encoding=encoding)
    return answer.args[0]


def refusal(qtbot: QtBot, files: FileService, path: Path, most: int = MOST) -> str:
    with qtbot.waitSignal(files.refused) as answer:
        files.open(path, most_bytes=most)
    assert answer.args[0] == path
    return answer.args[1]


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        ("naïve 🚀".encode(), "naïve 🚀", "utf-8"),
        (b"", "", "utf-8"),
        ("\ufeffwith a mark".encode(), "\ufeffwith a mark", "utf-8"),
        ("ünï".encode("utf-16"), "ünï", "utf-16"),
        (b"\xfe\xff" + "ünï".encode("utf-16-be"), "ünï", "utf-16"),
    ],
)
def test_text_is_opened_as_stored(
    qtbot: QtBot, files: FileService, tmp_path: Path, data: bytes, text: str, encoding: str
):
    path = tmp_path / "file.txt"
    path.write_bytes(data)
    file = opened(qtbot, files, path)
    assert (file.text, file.encoding, file.size, file.path) == (text, encoding, len(data), path)
    assert file.document == text
    assert not file.crlf


def test_crlf_is_kept_and_noted(qtbot: QtBot, files: FileService, tmp_path: Path):
    path = tmp_path / "file.txt"
    path.write_bytes(b"a\r\nb\r\n")
    file = opened(qtbot, files, path)
    assert file.text == "a\r\nb\r\n"
    assert file.document == "a\nb\n"
    assert file.crlf
    path.write_bytes(b"a\r\nb\n")
    assert not opened(qtbot, files, path).crlf


@pytest.mark.parametrize("part", [1, 2, 3, 100])
def test_line_ends_are_looked_through_in_parts(monkeypatch: pytest.MonkeyPatch, part: int):
    monkeypatch.setattr("gui.prompt.file_service.PART_CHARACTERS", part)
    for pieces in product(("a", "\r", "\n", "\r\n"), repeat=4):
        text = "".join(pieces)
        assert ends_in_crlf(text) == ("\n" in text and text.count("\n") == text.count("\r\n")), repr(text)


def test_an_unknown_encoding_is_asked_for(qtbot: QtBot, files: FileService, tmp_path: Path):
    path = tmp_path / "old.txt"
    text = "x" * 2000 + " Grüße aus Köln"
    path.write_bytes(text.encode("cp1252"))
    with qtbot.waitSignal(files.undecided) as answer:
        files.open(path, most_bytes=MOST)
    file: UndecidedFile = answer.args[0]
    assert "UTF-8" in file.why
    assert len(file.candidates) == len(CANDIDATES)
    first = file.candidates[0]
    assert first.encoding == "cp1252"
    assert "Grüße aus Köln" in first.preview
    fits = [bool(candidate.preview) for candidate in file.candidates]
    assert fits == sorted(fits, reverse=True)
    assert not all(fits)
    again = opened(qtbot, files, path, "cp1252")
    assert again.text == text
    assert again.encoding == "cp1252"


def test_a_binary_file_is_refused_with_a_sentence(qtbot: QtBot, files: FileService, tmp_path: Path):
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\0\0\0")
    assert refusal(qtbot, files, path) == (
        "picture.png is a binary file (it contains NUL bytes). Only text files can be opened."
    )


def test_a_file_too_big_is_refused_without_reading_it(qtbot: QtBot, files: FileService, tmp_path: Path):
    path = tmp_path / "big.txt"
    with path.open("wb") as file:
        file.truncate(5_000_000_000)  # takes no room on the disk
    why = refusal(qtbot, files, path)
    assert "5000.0 MB" in why
    assert "python main.py count" in why


def test_folders_missing_files_and_pipes_are_refused(qtbot: QtBot, files: FileService, tmp_path: Path):
    assert "is a folder" in refusal(qtbot, files, tmp_path)
    assert "No such file" in refusal(qtbot, files, tmp_path / "missing.txt")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "not a regular file" in refusal(qtbot, files, pipe)
