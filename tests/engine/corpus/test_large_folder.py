"""A folder of 20,000 files in which everything goes wrong that can: what is a text is counted as if alone, what is not
is listed with its reason, and no file takes more memory than there is."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from commands.program import program
from engine.corpus import files
from engine.corpus.files import read_stored
from engine.corpus.folder_counts import FolderCounts, count_folder
from engine.corpus.types import CorpusRules, SkippedFile
from engine.corpus.walk import FolderWalk, FoundFile
from engine.encoding.encoding import Encoding
from engine.kernels._jit import COMPILED
from engine.library.bundled_encodings import DATA_DIR, Catalog
from tests.engine.folder_trees import TEXT, make_large_tree

FILES = 20_000
HUGE_BYTES = 5_000_000_000
MAX_MEMORY = 400_000_000

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes, sockets and links")


@pytest.fixture(scope="module")
def large() -> Iterator[tuple[Path, dict[str, str]]]:
    """The folder, and what is wrong in it."""
    folder = Path(tempfile.mkdtemp(prefix="tl"))  # the path of a socket must be short
    try:
        root = folder / "tree"
        troubles = make_large_tree(root, FILES)
        yield root, troubles
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def encoding() -> Encoding:
    """One that counts many small files at once, where kernels are compiled."""
    found = Catalog(DATA_DIR).get("o200k_base")
    if COMPILED:
        found.use_kernels()
    return found


def walk(root: Path) -> Iterator[FoundFile | SkippedFile]:
    return FolderWalk(CorpusRules()).found([root])


def reasons(counts: FolderCounts, root: Path) -> dict[str, str]:
    assert all(file.why for file in counts.skipped)
    return {str(file.path.relative_to(root)): file.reason for file in counts.skipped}


def assert_counted_as_alone(counts: FolderCounts, encoding: Encoding) -> None:
    for path, size, tokens in zip(counts.paths, counts.file_bytes.tolist(), counts.tokens[0].tolist(), strict=True):
        stored = read_stored(Path(path))
        assert (size, tokens) == (stored.size, encoding.count(stored.text)), path


def add_huge_files(folder: Path) -> dict[str, str]:
    """Files that are larger than the memory, and take no room on the disk: zeros; zeros behind a text, and behind the
    mark of another encoding. And a large text."""
    folder.mkdir()
    for name, start in (("zeros", b""), ("text first", TEXT.encode() * 200), ("marked", b"\xff\xfe")):
        (folder / name).write_bytes(start)
        os.truncate(folder / name, HUGE_BYTES)
    (folder / "novel.txt").write_bytes(TEXT.encode() * 150_000)
    return {"zeros": "binary", "text first": "unreadable", "marked": "unreadable"}


@pytest.mark.deep
def test_twenty_thousand_files(large, encoding):
    root, troubles = large
    counts = count_folder(walk(root), [encoding], threads=2)
    assert len(counts.paths) + len(counts.skipped) == FILES + 2
    assert reasons(counts, root) == troubles
    assert_counted_as_alone(counts, encoding)


@pytest.mark.deep
def test_the_command_counts_the_same(large, encoding):
    root, troubles = large
    counts = count_folder(walk(root), [encoding], threads=2)
    document = json.loads(CliRunner().invoke(program, ["count", str(root), "--json"]).stdout)
    assert [file["path"] for file in document["files"]] == list(counts.paths)
    assert [file["tokens"] for file in document["files"]] == counts.tokens[0].tolist()
    assert document["tokens"] == int(counts.tokens.sum())
    assert {os.path.relpath(file["path"], root) for file in document["skipped"]} == set(troubles)


def remove(path: Path) -> None:
    path.unlink()


def shorten(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def lengthen(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b" and so on")


def put_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def put_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def put_loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


MISCHIEF: tuple[tuple[Callable[[Path], None], str], ...] = (
    (remove, "vanished"),
    (shorten, ""),
    (lengthen, ""),
    (put_pipe, "special"),
    (put_folder, "special"),
    (put_loop, "unreadable"),
)
"""What happens to a file between being found and being read, and for which reason it is then left out."""


def test_files_change_after_they_were_found(tmp_path, encoding):
    root = tmp_path / "tree"
    troubles = make_large_tree(root, 2000)

    def found() -> Iterator[FoundFile | SkippedFile]:
        for number, item in enumerate(walk(root)):
            if isinstance(item, FoundFile) and number % 5 == 0 and item.path.name != "linked.txt":
                change, reason = MISCHIEF[number // 5 % len(MISCHIEF)]
                change(item.path)
                if reason:
                    troubles[str(item.path.relative_to(root))] = reason
            yield item

    counts = count_folder(found(), [encoding], threads=2)
    assert reasons(counts, root) == troubles
    assert_counted_as_alone(counts, encoding)
    assert {"vanished", "special", "unreadable"} <= set(troubles.values())


@pytest.mark.deep
def test_files_that_the_system_does_not_give(large, encoding, monkeypatch):
    root, troubles = large
    as_it_is = os.open

    def refusing(path: object, flags: int, *more: int) -> int:
        if str(path).endswith("7.txt"):
            raise PermissionError(13, "Permission denied", str(path))
        return as_it_is(path, flags, *more)

    monkeypatch.setattr(files.os, "open", refusing)
    counts = count_folder(walk(root), [encoding], threads=2)
    refused = {str(path.relative_to(root)): "unreadable" for path in root.rglob("*7.txt") if path.is_file()}
    assert len(refused) > FILES // 20
    assert reasons(counts, root) == troubles | refused


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a file that opens but cannot be read")
def test_a_file_that_opens_but_cannot_be_read(tmp_path, encoding):
    (tmp_path / "memory").symlink_to("/proc/self/mem")
    (tmp_path / "version").symlink_to("/proc/version")  # has bytes, though its size is 0
    counts = count_folder(walk(tmp_path), [encoding])
    assert reasons(counts, tmp_path) == {"memory": "unreadable"}
    assert counts.file_bytes.tolist() == [len(Path("/proc/version").read_bytes())]
    assert_counted_as_alone(counts, encoding)


@pytest.mark.deep
def test_a_socket_and_links_in_a_circle(large, encoding):
    folder = large[0].parent / "odd"
    folder.mkdir()
    (folder / "one").symlink_to(folder / "other")
    (folder / "other").symlink_to(folder / "one")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "socket"))
        counts = count_folder(walk(folder), [encoding])
    assert reasons(counts, folder) == {"one": "loop", "other": "loop", "socket": "special"}


@pytest.mark.deep
def test_files_larger_than_the_memory(large, encoding):
    folder = large[0].parent / "huge"
    troubles = add_huge_files(folder)
    tracemalloc.start()
    try:
        counts = count_folder(walk(folder), [encoding], threads=2)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert reasons(counts, folder) == troubles
    assert_counted_as_alone(counts, encoding)
    assert most < MAX_MEMORY
