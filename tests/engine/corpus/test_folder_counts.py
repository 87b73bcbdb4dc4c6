"""Scans of folders: the same figures whatever goes wrong, whoever counts, and whatever was counted before."""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
import time
from pathlib import Path

import numpy as np
import pytest

import engine
from engine.corpus import count_cache, folder_counts
from engine.corpus.count_cache import CountCache, count_key
from engine.corpus.files import CorpusFileError, UnknownTextEncodingError, read_stored
from engine.corpus.folder_counts import BatchCounter, FileBatch, FolderCounts, count_folder
from engine.corpus.types import CorpusRules
from engine.corpus.walk import FolderWalk
from engine.library.catalog import own
from tests.engine.folder_trees import TEXT, add_troubles, make_tree
from tests.thoroughness import mostly_deep

NAMES = ("o200k_base", "r50k_base")
LONG_AGO = 1_600_000_000
BATCH_FILES = 40
"""Instead of the hundreds that a scan takes at a time: several batches without thousands of files."""


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_counts, "BATCH_FILES", BATCH_FILES)


def scan(root: Path, cache: Path | None = None, names: tuple[str, ...] = NAMES, **more: object) -> FolderCounts:
    encodings = [engine.get_encoding(name) for name in names]
    found = FolderWalk(CorpusRules()).found([root])
    return count_folder(found, encodings, cache=CountCache(cache) if cache else None, **more)


def figures(counts: FolderCounts) -> list[tuple[str, int, tuple[int, ...]]]:
    tokens = [tuple(column) for column in counts.tokens.T.tolist()]
    return list(zip(counts.paths, counts.file_bytes.tolist(), tokens, strict=True))


def make_old(root: Path) -> None:
    """As if everything had been written long ago: a file written just now is always read again."""
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink():
            os.utime(path, (LONG_AGO, LONG_AGO))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    make_tree(root, 3 * BATCH_FILES + 7)
    return root


@pytest.mark.parametrize("threads", [1, 3])
def test_every_text_is_counted_and_everything_else_is_listed(tree, threads):
    troubles = add_troubles(tree)
    counts = scan(tree, threads=threads)
    encodings = [engine.get_encoding(name) for name in NAMES]
    for path, size, tokens in figures(counts):
        content = Path(path).read_bytes()
        assert size == len(content)
        assert tokens == tuple(len(encoding.encode_ordinary(content.decode())) for encoding in encodings)
    assert {str(file.path.relative_to(tree)): file.reason for file in counts.skipped} == troubles
    assert all(file.why for file in counts.skipped)
    everything = {*map(Path, counts.paths), *(file.path for file in counts.skipped)}
    inner = (path for path in tree.rglob("*") if not path.is_dir() or path.is_symlink() or path.name == ".git")
    assert everything == {path for path in inner if path.name != ".git" or path.is_dir()}


def test_files_that_vanish_and_appear_while_the_walk_goes_on(tree):
    def found():
        for number, file in enumerate(FolderWalk(CorpusRules()).found([tree])):
            if number % 10 == 0:
                file.path.unlink()
            yield file

    counts = count_folder(found(), [engine.get_encoding(NAMES[0])], threads=2)
    total = 3 * BATCH_FILES + 7
    assert len(counts.paths) + len(counts.skipped) == total
    assert [file.reason for file in counts.skipped] == ["vanished"] * len(range(0, total, 10))


def test_a_second_scan_opens_no_file(tree, tmp_path):
    add_troubles(tree)
    make_old(tree)
    first = scan(tree, tmp_path / "counts.sqlite", threads=2)
    second = scan(tree, tmp_path / "counts.sqlite", threads=2)
    assert first.files_read > 3 * BATCH_FILES
    assert second.files_read == sum(file.path.name == "locked.txt" for file in second.skipped)
    assert figures(second) == figures(first)
    assert second.skipped == first.skipped


def test_a_changed_file_is_counted_again(tree, tmp_path):
    make_old(tree)
    cache = tmp_path / "counts.sqlite"
    before = scan(tree, cache)
    changed = Path(before.paths[5])
    changed.write_text("entirely different words", encoding="utf-8")
    after = scan(tree, cache)
    assert after.files_read == 1
    assert figures(after) == figures(scan(tree))


@pytest.mark.parametrize("seconds", [0, 60])
def test_a_file_of_the_same_size_that_was_written_just_now_is_read_again(tree, tmp_path, monkeypatch, seconds):
    """However long it took to count."""
    count, now = BatchCounter.count, time.time_ns

    def slow(counter: BatchCounter, batch: FileBatch) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(time, "time_ns", lambda: now() + seconds * 10**9)
            count(counter, batch)

    monkeypatch.setattr(BatchCounter, "count", slow)
    cache = tmp_path / "counts.sqlite"
    path = tree / "part0" / "group0" / "text0.txt"
    path.write_text("aaaa bbbb")
    status = path.stat()
    scan(tree, cache)
    path.write_text("zq!7 x$%^")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert figures(scan(tree, cache)) == figures(scan(tree))


def test_a_moved_file_is_read_but_not_counted(tree, tmp_path, monkeypatch):
    make_old(tree)
    cache = tmp_path / "counts.sqlite"
    before = scan(tree, cache)
    tree.rename(tmp_path / "moved")
    counted_before = "it was counted before"
    monkeypatch.setattr(folder_counts, "decode_stored", lambda *_: pytest.fail(counted_before))
    monkeypatch.setattr(folder_counts, "_counts", lambda *given: [pytest.fail(counted_before) for _ in given[2]])
    after = scan(tmp_path / "moved", cache)
    assert after.files_read == len(after.paths)
    assert int(after.tokens.sum()) == int(before.tokens.sum())


def test_another_encoding_needs_its_own_counts(tree, tmp_path):
    make_old(tree)
    cache = tmp_path / "counts.sqlite"
    scan(tree, cache, ("o200k_base",))
    both = scan(tree, cache)
    assert both.files_read == len(both.paths)
    assert figures(both) == figures(scan(tree))


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 100, None])
def test_a_damaged_cache_is_begun_anew(tree, tmp_path, damage):
    make_old(tree)
    cache = tmp_path / "counts.sqlite"
    plain = scan(tree)
    scan(tree, cache)
    content = cache.read_bytes()
    cache.write_bytes(content[: len(content) // 2] if damage is None else damage)
    for _ in range(2):
        again = scan(tree, cache)
        assert figures(again) == figures(plain)
    assert again.files_read == 0
    assert again.problem == ""


def test_a_cache_that_cannot_be_used_is_named_and_does_no_harm(tree, tmp_path):
    (tmp_path / "file").write_text("in the way")
    counts = scan(tree, tmp_path / "file" / "counts.sqlite")
    assert figures(counts) == figures(scan(tree))
    assert counts.problem.startswith("Counts cannot be cached: ")


@pytest.mark.parametrize(
    "damage",
    mostly_deep(
        [
            "UPDATE files SET states = substr(states, 2)",
            "UPDATE files SET states = substr(states, 9)",
            "UPDATE files SET states = x''",
            "UPDATE files SET digests = substr(digests, 17)",
            "UPDATE files SET paths = x''",
            "UPDATE counts SET tokens = substr(tokens, 2)",
            "UPDATE counts SET tokens = x''",
            "UPDATE counts SET digests = substr(digests, 17)",
        ],
        2,
    ),
)
def test_a_cache_whose_rows_are_too_short_is_begun_anew(tree, tmp_path, damage):
    add_troubles(tree)
    make_old(tree)
    cache = tmp_path / "counts.sqlite"
    expected = scan(tree, cache)
    with contextlib.closing(sqlite3.connect(cache)) as base, base:
        base.execute(damage)
    again = scan(tree, cache)
    assert (figures(again), again.skipped, again.problem) == (figures(expected), expected.skipped, "")
    assert again.files_read == expected.files_read
    assert scan(tree, cache).files_read < len(expected.skipped)


def test_a_cache_with_texts_in_another_encoding_is_begun_anew(tree, tmp_path):
    """A damaged header may say so."""
    make_old(tree)
    cache = tmp_path / "counts.sqlite"
    with contextlib.closing(sqlite3.connect(cache)) as base:
        base.execute("PRAGMA encoding = 'UTF-16le'")
        base.execute("CREATE TABLE files (something INTEGER)")
    assert scan(tree, cache).problem == ""
    assert scan(tree, cache).files_read == 0


def test_a_cache_with_other_tables_is_begun_anew(tree, tmp_path):
    make_old(tree)
    cache = tmp_path / "counts.sqlite"
    with sqlite3.connect(cache) as base:
        base.execute("CREATE TABLE files (something INTEGER)")
    base.close()
    scan(tree, cache)
    assert scan(tree, cache).files_read == 0


def test_a_cache_of_the_version_before_is_begun_anew(tree, tmp_path):
    """It knew contents by another digest."""
    make_old(tree)
    cache = tmp_path / "counts.sqlite"
    expected = figures(scan(tree, cache))
    with contextlib.closing(sqlite3.connect(cache)) as base, base:
        base.execute("DROP TABLE secrets")
        base.execute("UPDATE counts SET tokens = zeroblob(length(tokens))")
        base.execute("PRAGMA user_version = 1")
    again = scan(tree, cache)
    assert (figures(again), again.problem) == (expected, "")
    assert again.files_read == len(again.paths)
    assert scan(tree, cache).files_read == 0


@pytest.mark.parametrize("secret", mostly_deep([None, "text", b"short", 5], 2))
def test_a_cache_whose_secret_is_damaged_is_begun_anew(tree, tmp_path, secret):
    make_old(tree)
    cache = tmp_path / "counts.sqlite"
    expected = figures(scan(tree, cache))
    with contextlib.closing(sqlite3.connect(cache)) as base, base:
        base.execute("UPDATE secrets SET secret = ?", (secret,))
    again = scan(tree, cache)
    assert (figures(again), again.problem, again.files_read) == (expected, "", len(again.paths))
    assert scan(tree, cache).files_read == 0


def test_each_cache_knows_contents_by_a_secret_of_its_own(tree, tmp_path):
    """So nobody can make a file that has the digest of another."""
    digests = []
    for name in ("one.sqlite", "other.sqlite"):
        scan(tree, tmp_path / name)
        digests.append(set(CountCache(tmp_path / name).known(NAMES).counts[0]))
    assert len(digests[0]) == len(digests[1]) > 0
    assert not digests[0] & digests[1]


def test_two_first_scans_at_once_do_no_harm(tree, tmp_path):
    make_old(tree)
    cache = CountCache(tmp_path / "counts.sqlite")
    expected = figures(scan(tree))
    scans = [cache.known([count_key(name) for name in NAMES]) for _ in range(2)]
    for known in scans:
        counter = folder_counts.BatchCounter([engine.get_encoding(name) for name in NAMES], known)
        found = FolderWalk(CorpusRules()).found([tree])
        while (batch := counter.take(found)).outcomes:
            counter.count(batch)
    for known in scans:
        cache.keep(known)
    for _ in range(2):
        assert figures(scan(tree, tmp_path / "counts.sqlite")) == expected


def test_what_was_counted_before_a_scan_was_ended_is_not_counted_again(tree, tmp_path):
    make_old(tree)
    cache = tmp_path / "counts.sqlite"

    def end(files: int, _: int) -> None:
        if files >= 2 * BATCH_FILES:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scan(tree, cache, report=end)
    again = scan(tree, cache)
    assert again.files_read == BATCH_FILES + 7
    assert figures(again) == figures(scan(tree))


def test_a_scan_that_finds_nothing_new_writes_nothing(tree, tmp_path):
    make_old(tree)
    cache = tmp_path / "counts.sqlite"
    scan(tree, cache)
    with contextlib.closing(sqlite3.connect(cache)) as base:
        base.execute("BEGIN IMMEDIATE")  # nobody else may write
        again = scan(tree, cache)
    assert (again.files_read, again.problem) == (0, "")


@pytest.mark.parametrize("odd", [{"inode": 2**64 - 1}, {"written_ns": -(2**65) + 5}])
def test_numbers_of_files_may_be_larger_than_those_of_sqlite(tree, tmp_path, odd):
    """Inodes of some network drives, and of NTFS, have 64 bits; times may be wrong by thousands of years."""

    def counted() -> FolderCounts:
        found = (file._replace(**odd) for file in FolderWalk(CorpusRules()).found([tree]))
        return count_folder(found, [engine.get_encoding(NAMES[0])], cache=CountCache(tmp_path / "counts.sqlite"))

    make_old(tree)
    first, second = counted(), counted()
    assert (first.files_read, second.files_read) == (len(first.paths), 0)
    assert figures(second) == figures(first)


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
def test_the_cache_may_be_in_a_folder_whose_name_is_no_unicode(tree, tmp_path):
    make_old(tree)
    cache = tmp_path / os.fsdecode(b"\xff'") / "counts.sqlite"
    try:
        cache.parent.mkdir()
    except OSError:
        pytest.skip("this file system has no such names")
    assert scan(tree, cache).problem == ""
    assert scan(tree, cache).files_read == 0


def test_the_cache_is_bounded(tree, tmp_path, monkeypatch):
    make_old(tree)
    monkeypatch.setattr(count_cache, "MAX_KEPT", BATCH_FILES // 4)
    cache = CountCache(tmp_path / "counts.sqlite")
    counts = scan(tree, tmp_path / "counts.sqlite", ("o200k_base",))
    known = cache.known(["o200k_base"])
    newest = counts.paths[-(BATCH_FILES + 7) :]  # of the row before the last one all are kept
    assert list(known.files) == list(map(os.fsencode, newest))
    assert len(known.counts[0]) == len(newest)


def test_what_a_report_raises_ends_the_scan(tree):
    seen = []

    def report(files: int, file_bytes: int) -> None:
        seen.append((files, file_bytes))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scan(tree, report=report)
    assert [files for files, _ in seen] == [BATCH_FILES]


def test_a_scan_may_be_ended_while_the_cache_is_read(tree, tmp_path):
    make_old(tree)
    cache = tmp_path / "counts.sqlite"
    before = scan(tree, cache)
    seen = []

    def end(files: int, file_bytes: int) -> None:
        seen.append((files, file_bytes))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scan(tree, cache, report=end)
    assert seen == [(0, 0)]
    again = scan(tree, cache, report=lambda files, file_bytes: seen.append((files, file_bytes)))
    assert (figures(again), again.files_read) == (figures(before), 0)
    assert seen.count((0, 0)) > 2 * len(NAMES)  # so the window has a turn again and again


def test_the_report_adds_up(tree):
    seen: list[tuple[int, int]] = []
    counts = scan(tree, report=lambda files, file_bytes: seen.append((files, file_bytes)))
    assert seen[-1] == (len(counts.paths), int(counts.file_bytes.sum()))
    assert seen == sorted(seen)


def test_an_empty_folder_has_arrays_of_nothing(tmp_path):
    counts = scan(tmp_path)
    assert counts.tokens.shape == (2, 0)
    assert counts.file_bytes.shape == (0,)


def test_arrays_are_read_only(tree):
    counts = scan(tree)
    for array in (counts.tokens, counts.file_bytes):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    assert counts.tokens.dtype == np.int64


# --- files read piece by piece ---------------------------------------------------------------------------------------


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(folder_counts, "LARGE_BYTES", 64)
    monkeypatch.setattr(folder_counts, "BLOCK_BYTES", 37)


@pytest.mark.parametrize("stored", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("seed", range(5))
def test_a_large_file_has_the_tokens_of_the_whole(tmp_path, small_pieces, stored, seed):
    chance = random.Random(seed)
    text = "".join(
        chance.choice([" ", "\n", "  \n", "a", "Wort", "名前", "🎉", "'s", "12345", "!?"]) for _ in range(900)
    )
    path = tmp_path / "large.txt"
    path.write_bytes(text.encode(stored))
    encodings = [engine.get_encoding(name) for name in NAMES]
    counted = folder_counts.count_file(path, encodings)
    whole = read_stored(path).text
    assert counted.tokens == tuple(len(encoding.encode_ordinary(whole)) for encoding in encodings)
    assert counted.file_bytes == path.stat().st_size


@pytest.mark.parametrize("odd", [b"\xff", b"\xe2\x82", b"\xf0\x9f\x8e!"])
@pytest.mark.parametrize("place", [0, 36, 37, 70, 400])
def test_a_large_file_that_is_no_text_is_refused_as_a_small_one(tmp_path, small_pieces, odd, place):
    path = tmp_path / "large.txt"
    good = (TEXT * 20).encode("ascii", "ignore")
    path.write_bytes(good[:place] + odd + good[place:] + odd)
    with pytest.raises(UnknownTextEncodingError) as small:
        read_stored(path)
    with pytest.raises(CorpusFileError) as large:
        folder_counts.count_file(path, [engine.get_encoding("o200k_base")])
    assert large.value.skipped.why == str(small.value)


def test_a_large_binary_file_is_refused(tmp_path, small_pieces):
    path = tmp_path / "large.bin"
    path.write_bytes(b"text" * 100 + b"\0" + b"text" * 5000)
    with pytest.raises(CorpusFileError) as refused:
        folder_counts.count_file(path, [engine.get_encoding("o200k_base")])
    assert refused.value.skipped.reason == "binary"


# --- what names an encoding -----------------------------------------------------------------------------------------


def test_an_encoding_of_ones_own_is_named_with_the_state_of_its_file(tmp_path):
    assert count_key("o200k_base") == "o200k_base"
    ranks = {bytes([value]): value for value in range(256)}
    mine = engine.Encoding("mine-for-folders", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={})
    engine.register(mine)
    try:
        assert count_key("mine-for-folders") == ""
    finally:
        own().forget("mine-for-folders")
    engine.keep_encoding(mine, tmp_path)
    try:
        key = count_key("mine-for-folders")
        (path,) = tmp_path.glob("*.tiktoken")
        os.utime(path, (LONG_AGO, LONG_AGO))
        assert key != count_key("mine-for-folders") != "mine-for-folders"
    finally:
        own().forget("mine-for-folders")


def test_a_file_from_the_future_is_read_again(tree, tmp_path):
    make_old(tree)
    path = tree / "part0" / "group0" / "text0.txt"
    os.utime(path, (time.time() + 1e6,) * 2)
    scan(tree, tmp_path / "counts.sqlite")
    assert scan(tree, tmp_path / "counts.sqlite").files_read == 1


def test_a_cache_that_holds_other_things_than_counts_is_no_reason_to_fail(tree, tmp_path):
    make_old(tree)
    cache = tmp_path / "counts.sqlite"
    expected = figures(scan(tree, cache))
    with contextlib.closing(sqlite3.connect(cache)) as base, base:
        base.execute("UPDATE counts SET tokens = 'many'")
    assert figures(scan(tree, cache)) == expected
    with contextlib.closing(sqlite3.connect(cache)) as base, base:
        base.execute("UPDATE files SET why = CAST(x'ff' AS TEXT)")
    again = scan(tree, cache)
    assert (figures(again), again.problem) == (expected, "")
