"""Small files read into memory that is used again and again."""

from __future__ import annotations

import codecs
import errno
import os
from pathlib import Path

import pytest

from engine.corpus.files import CorpusFileError, marked_encoding
from engine.corpus.folder_counts import PADDING, SmallFiles
from engine.corpus.types import SkippedFile
from engine.corpus.walk import FoundFile
from engine.text.offsets import is_utf8


def found(path: Path, content: bytes, size: int | None = None) -> FoundFile:
    path.write_bytes(content)
    return FoundFile(str(path), len(content) if size is None else size)


@pytest.fixture(params=["at once", "with a copy"])
def way(request, monkeypatch):
    """Reading into memory from a place, and what is done on Windows, which does not know it."""
    if request.param == "with a copy":
        monkeypatch.delattr(os, "preadv", raising=False)


@pytest.mark.usefixtures("way")
def test_files_stand_one_behind_the_other(tmp_path):
    contents = [b"first", b"", b"third \xff", b"x" * 1000]
    files = SmallFiles(1000, 4)
    for number, content in enumerate(contents):
        assert files.read(found(tmp_path / f"{number}", content))
    assert [bytes(files.view(index)) for index in range(len(files))] == contents
    for (start, end), content in zip(files.spans([0, 1, 2, 3]).tolist(), contents, strict=True):
        assert files.content[start:end].tobytes() == content
        assert not files.content[end : end + PADDING].any()
    assert not files.content.flags.writeable
    assert files.spans([]).shape == (0, 2)


def test_room_is_used_again(tmp_path):
    files = SmallFiles(100, 2)
    for _ in range(3):
        files.clear()
        assert files.read(found(tmp_path / "short", b"b"))
        assert files.read(found(tmp_path / "long", b"a" * 100))
        assert not files.read(found(tmp_path / "one too many", b"c"))
        assert [bytes(files.view(index)) for index in range(len(files))] == [b"b", b"a" * 100]
    files.clear()
    assert len(files) == 0


def test_a_file_for_which_there_is_no_room_is_left(tmp_path):
    files = SmallFiles(10, 5)
    assert not files.read(found(tmp_path / "large", b"a" * 11))
    assert files.read(found(tmp_path / "one", b"a" * 10))
    assert not files.read(found(tmp_path / "two", b"a"))
    assert len(files) == 1


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("said", [0, 3, 5, 9])
def test_a_file_of_another_size_than_was_found_is_left(tmp_path, said):
    files = SmallFiles(1000, 5)
    assert not files.read(found(tmp_path / "four", b"four", said))
    assert files.read(found(tmp_path / "good", b"good"))
    assert bytes(files.view(0)) == b"good"


def test_what_cannot_be_read_says_why(tmp_path):
    files = SmallFiles(10, 5)
    with pytest.raises(CorpusFileError) as vanished:
        files.read(FoundFile(str(tmp_path / "none"), 1))
    assert vanished.value.skipped.reason == "vanished"
    assert len(files) == 0


@pytest.mark.usefixtures("way")
@pytest.mark.skipif(os.name != "posix", reason="pipes and devices")
def test_what_has_taken_the_place_of_a_file_is_not_read(tmp_path):
    files = SmallFiles(10, 5)
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "pipe").open("r+b", buffering=0) as pipe:
        pipe.write(b"as many bytes")
        for path, size in ((tmp_path, 1), (tmp_path, 0), (tmp_path / "pipe", 0), (tmp_path / "pipe", 9)):
            with pytest.raises(CorpusFileError) as replaced:
                files.read(FoundFile(str(path), size))
            assert replaced.value.skipped.reason == "special"
        assert pipe.read(100) == b"as many bytes"
    with pytest.raises(CorpusFileError) as replaced:
        files.read(FoundFile("/dev/null", 0))
    assert replaced.value.skipped.reason == "special"
    assert len(files) == 0


@pytest.mark.usefixtures("way")
def test_of_a_drive_that_is_gone_it_is_said_why(tmp_path, monkeypatch):
    def gone(*_):
        raise OSError(errno.ESTALE, "Stale file handle")

    files = SmallFiles(10, 5)
    file = found(tmp_path / "one", b"text")
    with monkeypatch.context() as patch:
        for call in ("read", "fstat", *(("preadv",) if hasattr(os, "preadv") else ())):
            patch.setattr(os, call, gone)
        with pytest.raises(CorpusFileError) as unreadable:
            files.read(file)
    assert unreadable.value.skipped == SkippedFile(tmp_path / "one", "unreadable", "cannot be read: Stale file handle")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no such device")
def test_a_device_that_never_ends_is_left_to_whoever_reads_large_files():
    assert not SmallFiles(10, 5).read(FoundFile("/dev/zero", 5))


@pytest.mark.parametrize(
    ("content", "may_be"),
    [
        (b"", True),
        (b"text", True),
        ("Ü".encode(), True),
        (b"\xff", True),
        (b"\xef\xbb\xbftext", True),
        (b"\xff\xfet\0", False),
        (b"\xfe\xff\0t", False),
        (b"te\0xt", False),
        (b"a" * 8191 + b"\0", False),
        (b"a" * 8192 + b"\0", True),
    ],
)
def test_what_may_be_plain_text(tmp_path, content, may_be):
    files = SmallFiles(10_000, 3)
    files.read(found(tmp_path / "before", b"\0"))
    files.read(found(tmp_path / "file", content))
    files.read(found(tmp_path / "behind", b"\0"))
    assert files.may_be_plain_text(1) == may_be


def test_no_mark_of_another_encoding_begins_utf8():
    """So whether a file has one need not be looked for where UTF-8 is checked anyway."""
    for mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        assert marked_encoding(mark) is not None
        assert not is_utf8(mark + b"text")
