"""A file of tables is used as it was written, or not at all."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.encoding.encoder import NativeEncoder
from engine.kernels import layout
from engine.kernels._jit import CHECKED, COMPILED
from engine.kernels.build import contents_are_sound
from engine.split import reference
from engine.vocabulary import tables as table_file
from engine.vocabulary.tables import map_tables, release_pages, save_tables, seal
from tests.engine.kernels.odd_pieces import odd_piece
from tests.engine.kernels.odd_texts import odd_text
from tests.engine.kernels.small_vocabularies import learnt_ranks, small_table

HEADER = layout.HEADER_SIZE // 8
FIRST_ID = 500


def scan_every_byte(text, n_bytes, byte_start, ends):
    """Pretokens of growing size: one byte, two, three and so on."""
    found = np.cumsum(np.arange(1, len(ends) + 1)) + byte_start
    found = np.minimum(found, n_bytes)
    room = min(int(np.searchsorted(found, n_bytes)) + 1, len(ends))
    ends[:room] = found[:room]
    return room


@pytest.fixture(scope="module")
def table():
    ranks = learnt_ranks(random.Random(1), b"abcdefgh", 100)
    long_ones = {b"ab" * size: len(ranks) + size for size in range(8, 20)}
    return small_table({**ranks, **long_ones}, FIRST_ID)


@pytest.fixture(scope="module")
def fingerprint(table):
    return table_file.fingerprint_of(table)


@pytest.fixture(scope="module")
def built(table, fingerprint):
    return table_file.build_tables(table, fingerprint)


@pytest.fixture
def path(tmp_path, built):
    assert save_tables(built, tmp_path / "x.tables")
    return tmp_path / "x.tables"


def rewritten(path, content) -> None:
    """The file with another content. In its place, as a file that is mapped must not shrink."""
    path.unlink()
    path.write_bytes(content)


def test_what_is_written_is_mapped(path, built, fingerprint):
    mapped = map_tables(path, fingerprint)
    assert np.array_equal(mapped, built)
    assert not mapped.flags.writeable


@pytest.mark.parametrize("seed", range(4))
def test_every_bit_matters(path, fingerprint, seed):
    original = path.read_bytes()
    rng = random.Random(seed)
    bits = rng.sample(range(8 * len(original)), 25) + rng.sample(range(8 * layout.HEADER_SIZE), 25)
    for bit in bits:
        content = bytearray(original)
        content[bit >> 3] ^= 1 << (bit & 7)
        rewritten(path, content)
        assert map_tables(path, fingerprint) is None, f"bit {bit}"


def test_a_part_is_no_whole(path, fingerprint):
    original = path.read_bytes()
    rng = random.Random(5)
    for size in (0, 1, 63, 64, 511, 512, 1024, len(original) - 1, len(original) - 64, *rng.sample(range(70_000), 20)):
        rewritten(path, original[:size])
        assert map_tables(path, fingerprint) is None
    for more in (b"\0", bytes(64), original):
        rewritten(path, original + more)
        assert map_tables(path, fingerprint) is None


def test_words_that_change_places_are_noticed(path, fingerprint):
    words = np.frombuffer(path.read_bytes(), dtype=np.int64)
    rng = random.Random(6)
    used = np.flatnonzero(words[HEADER:]) + HEADER
    for _ in range(40):
        first, second = rng.choice(used), rng.choice(used)
        if words[first] != words[second]:
            swapped = words.copy()
            swapped[[first, second]] = words[[second, first]]
            rewritten(path, swapped.tobytes())
            assert map_tables(path, fingerprint) is None
    for size in (64, 512, 4096):
        swapped = np.concatenate([words[:HEADER], np.roll(words[HEADER:], size)])
        rewritten(path, swapped.tobytes())
        assert map_tables(path, fingerprint) is None


def test_the_tables_of_another_vocabulary_are_not_taken(path, fingerprint):
    other = bytes(32)
    assert map_tables(path, other) is None
    assert map_tables(path, fingerprint) is not None


# What was read once is not read again.


@pytest.fixture
def old(path, fingerprint, monkeypatch):
    """A file that was made long ago, as far as can be told, and has been read once."""
    monkeypatch.setattr(table_file, "_NEW_NS", -3_600_000_000_000)
    assert map_tables(path, fingerprint) is not None
    return path


@pytest.fixture
def readings(monkeypatch):
    """Grows with each time that all of a file is read."""
    found = []

    def noting(tables):
        found.append(len(tables))
        return sums(tables)

    sums = table_file._checksum
    monkeypatch.setattr(table_file, "_checksum", noting)
    return found


def test_a_file_that_was_read_is_not_read_again(old, built, fingerprint, readings):
    assert np.array_equal(map_tables(old, fingerprint), built)
    assert readings == []


def test_a_new_file_is_read_each_time(path, fingerprint, readings):
    for _ in range(3):
        assert map_tables(path, fingerprint) is not None
    assert len(readings) == 3


@pytest.mark.parametrize("how", ["replaced", "written into"])
def test_a_file_that_was_changed_is_read_again(old, fingerprint, readings, how):
    before = old.stat()
    content = bytearray(old.read_bytes())
    content[len(content) // 2] ^= 1
    if how == "replaced":
        temporary = old.with_name("temporary")
        temporary.write_bytes(content)
        os.utime(temporary, ns=(before.st_atime_ns, before.st_mtime_ns))
        temporary.replace(old)
    else:
        with old.open("r+b") as file:
            file.write(content)
        os.utime(old, ns=(before.st_atime_ns, before.st_mtime_ns + 1))  # whatever the clock of the file system says
    assert map_tables(old, fingerprint) is None
    assert len(readings) == 1


@pytest.mark.parametrize("note", [b"", b"1 2 3 4\n", None])
def test_without_a_note_on_it_a_file_is_read(old, fingerprint, readings, note):
    (path,) = old.parent.glob(f"*{table_file.NOTE_SUFFIX}")
    content = path.read_bytes()
    path.unlink()
    if note is not None:
        path.write_bytes(note)
    assert map_tables(old, fingerprint) is not None
    assert len(readings) == 1
    assert path.read_bytes() == content


def test_the_header_is_looked_at_whatever_was_noted(old, fingerprint, readings):
    assert map_tables(old, bytes(32)) is None
    assert readings == []


def test_a_note_that_cannot_be_kept_is_no_error(path, built, fingerprint, monkeypatch):
    monkeypatch.setattr(table_file, "_NEW_NS", -3_600_000_000_000)
    path.with_name(path.name + table_file.NOTE_SUFFIX).mkdir()
    assert np.array_equal(map_tables(path, fingerprint), built)


# What somebody has made up: the checksum is right, the numbers are not.


def section(content, number, kind):
    header = content[: layout.HEADER_SIZE].view(np.int64)
    start, size = header[layout.DIRECTORY // 8 + 2 * number :][:2].tolist()
    return content[start : start + size].view(kind)


def header_word(content, word):
    return content[: layout.HEADER_SIZE].view(np.int64)[word // 8 : word // 8 + 1]


def first_used(values, empty):
    return int(np.flatnonzero(values != np.asarray(empty, dtype=values.dtype))[0])


def spoil_offset(content):
    section(content, layout.TOKEN_OFFSETS, np.uint32)[7] = 1 << 30


def spoil_last_offset(content):
    section(content, layout.TOKEN_OFFSETS, np.uint32)[-1] += 8


def spoil_pair(content):
    pairs = section(content, layout.PAIRS, np.int64)
    pairs[first_used(pairs, -1)] |= layout.NUMBER_MASK >> 1


def spoil_end_of_pairs(content):
    pairs = section(content, layout.PAIRS, np.int64).reshape(-1, 8)
    pairs[pairs == -1] = pairs[pairs != -1][0]


def spoil_byte(content):
    section(content, layout.BYTE_TOKENS, np.uint32)[65] = 1 << 19


def spoil_bigram(content):
    bigrams = section(content, layout.BIGRAMS, np.uint32)
    bigrams[5] = 1 << 25


def spoil_place_in_bigram(content):
    bigrams = section(content, layout.BIGRAMS, np.uint32)
    bigrams[5] = (257 << 6) | 1


def spoil_id(content):
    lines = section(content, layout.LINES, np.uint32).reshape(-1, 16)
    lines[np.flatnonzero(lines[:, 15])[0], 12] = 0  # below the first id


def spoil_fill_mark(content):
    lines = section(content, layout.LINES, np.uint32).reshape(-1, 16)
    lines[np.flatnonzero(lines[:, 15])[0], 15] = 0


def spoil_end_of_lines(content):
    section(content, layout.LINES, np.uint32).reshape(-1, 16)[:, 15] |= 0x80


def spoil_long(content):
    slots = section(content, layout.LONGS, np.int64)
    slots[first_used(slots, 0)] |= 0xFFFFFF


def spoil_end_of_longs(content):
    slots = section(content, layout.LONGS, np.int64)
    slots[slots == 0] = slots[first_used(slots, 0)]


def spoil_mask(content):
    section(content, layout.MASKS, np.uint8)[15] = 1


def spoil_count(content):
    header_word(content, layout.TOKEN_COUNT)[0] += 1


def spoil_first_id(content):
    header_word(content, layout.FIRST_ID)[0] = -1


def spoil_shift(content):
    header_word(content, layout.PAIR_SHIFT)[0] -= 1


def spoil_longest(content):
    header_word(content, layout.LONGEST)[0] = 1 << 40


def spoil_directory(content):
    header_word(content, layout.DIRECTORY)[0] += 64


def spoil_section_size(content):
    header_word(content, layout.DIRECTORY + 8)[0] = -64


SPOILERS = [value for name, value in sorted(globals().items()) if name.startswith("spoil_")]


@pytest.mark.parametrize("spoil", SPOILERS)
def test_numbers_that_lead_elsewhere_are_refused(path, built, fingerprint, spoil):
    content = built.copy()
    spoil(content)
    seal(content, fingerprint)
    rewritten(path, content.tobytes())
    assert map_tables(path, fingerprint) is None
    assert table_file.has_its_checksum(content), "it was the checksum that was wrong, not the number"


def test_bytes_may_come_last_in_the_order_of_merging(tmp_path):
    ranks = {b"ab": 0, b"abc": 1, b"cd": 2} | {bytes([value]): 3 + value for value in range(256)}
    table = small_table(ranks)
    fingerprint = table_file.fingerprint_of(table)
    assert contents_are_sound(table_file.build_tables(table, fingerprint))
    mapped = table_file.open_tables(tmp_path, fingerprint, lambda: table)
    assert map_tables(next(tmp_path.glob("*.tables")), fingerprint) is not None
    for piece in (b"xabcdcd", b"xababcdab" * 20, b"cdab" * 300):
        assert NativeEncoder(mapped, None).encode_pretoken(piece).tolist() == reference.encode_pretoken(piece, ranks)


@pytest.mark.skipif(COMPILED and not CHECKED, reason="only the checked build can tell what is outside of its memory")
@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_let_through_keeps_kernels_in_their_memory(built, fingerprint, path, seed):
    """Random numbers at random places, checksum included. Most are refused. With the others the ids are worth nothing,
    but no kernel reaches outside, or never ends: that would be an IndexError, or a test that never ends."""
    rng = random.Random(f"hostile {seed}")
    let_through = 0
    for _ in range(120 if COMPILED else 6):
        content = built.copy()
        words = content.view(np.int64)
        used = np.flatnonzero(words[HEADER:]) + HEADER
        for _ in range(rng.choice((1, 1, 2, 5))):
            place = int(rng.choice(used)) if rng.random() < 0.7 else rng.randrange(HEADER, len(words))
            words[place] = rng.choice((words[rng.choice(used)], words[place] ^ (1 << rng.randrange(63))))
        seal(content, fingerprint)
        rewritten(path, content.tobytes())
        mapped = map_tables(path, fingerprint)
        if mapped is None:
            continue
        let_through += 1
        encoder = NativeEncoder(mapped, scan_every_byte)
        for _ in range(4):
            text = "".join(odd_piece(rng, 600) + odd_text(rng) for _ in range(3)).encode()
            text += bytes(rng.choices(b"abcdefgh", k=600))
            assert encoder.count(text) == len(encoder.encode_to_list(text)) == len(encoder.token_ends(text))
    assert let_through > 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux says what is in memory")
def test_pages_are_let_go_of_and_come_back(path, built, fingerprint):
    def resident() -> int:
        lines = iter(Path("/proc/self/smaps").read_text().splitlines())
        return sum(
            int(next(line for line in lines if line.startswith("Rss:")).split()[1])
            for line in lines
            if line.endswith(str(path))
        )

    mapped = map_tables(path, fingerprint)
    assert resident() > 0
    release_pages()
    assert resident() == 0
    assert np.array_equal(mapped, built)
    release_pages(built)
    assert resident() > 0, "these are others, which are not mapped"
    release_pages(mapped)
    assert resident() == 0
    assert np.array_equal(mapped, built)


def test_whoever_opens_tables_in_use_gets_the_same(tmp_path, table, fingerprint):
    first = table_file.shared_tables(tmp_path, fingerprint, lambda: table)
    assert table_file.shared_tables(tmp_path, fingerprint, lambda: pytest.fail("not read again")) is first
    elsewhere = table_file.shared_tables(tmp_path / "elsewhere", fingerprint, lambda: table)
    assert elsewhere is not first
    assert np.array_equal(elsewhere, first)
