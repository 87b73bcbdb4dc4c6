"""Tables are found again as they were built, and never taken for something they are not."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.kernels import layout
from engine.vocabulary import tables
from tests.engine.kernels.small_vocabularies import learnt_ranks, small_table


@pytest.fixture(scope="module")
def table():
    return small_table(learnt_ranks(random.Random(1), b"abc", 50))


@pytest.fixture(scope="module")
def fingerprint(table):
    return tables.fingerprint_of(table)


def never():
    raise AssertionError("the vocabulary was read although its tables are there")


def test_tables_are_built_once_and_mapped_afterwards(tmp_path, table, fingerprint):
    built = tables.open_tables(tmp_path / "new", fingerprint, lambda: table)
    mapped = tables.open_tables(tmp_path / "new", fingerprint, never)
    assert np.array_equal(built, mapped)
    for array in (built, mapped, tables.crossings_in(mapped)):
        assert not array.flags.writeable


def test_without_a_folder_tables_are_built_and_kept_nowhere(table, fingerprint):
    assert not tables.open_tables(None, fingerprint, lambda: table).flags.writeable


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path, table, fingerprint):
    (tmp_path / "file").write_text("in the way")
    built = tables.open_tables(tmp_path / "file", fingerprint, lambda: table)
    assert np.array_equal(built, tables.build_tables(table, fingerprint))


def _spoil(path, what):
    content = bytearray(path.read_bytes())
    if what == "empty":
        content = bytearray()
    elif what == "header":
        content = content[:100]
    elif what == "cut":
        content = content[:-64]
    elif what == "longer":
        content += bytes(64)
    elif what == "byte":
        content[len(content) // 2] ^= 1
    elif what == "version":
        content[layout.VERSION] ^= 1
    elif what == "magic":
        content[layout.MAGIC] ^= 1
    elif what == "vocabulary":
        content[layout.FINGERPRINT] ^= 1
    path.unlink()
    path.write_bytes(content)


@pytest.mark.parametrize("what", ["empty", "header", "cut", "longer", "byte", "version", "magic", "vocabulary"])
def test_a_spoilt_file_is_built_anew(tmp_path, table, fingerprint, what):
    built = tables.build_tables(table, fingerprint)
    tables.open_tables(tmp_path, fingerprint, lambda: table)
    (path,) = tmp_path.iterdir()
    _spoil(path, what)
    assert np.array_equal(tables.open_tables(tmp_path, fingerprint, lambda: table), built)
    assert np.array_equal(tables.open_tables(tmp_path, fingerprint, never), built)


def test_other_vocabularies_have_other_fingerprints(table, fingerprint):
    ranks = table.mergeable_ranks()
    assert tables.fingerprint_of(small_table(ranks)) == fingerprint
    assert tables.fingerprint_of(small_table(ranks, first_id=1)) != fingerprint
    longest = max(ranks, key=len)
    assert tables.fingerprint_of(small_table({**ranks, longest + b"x": len(ranks)})) != fingerprint


def test_too_many_ids_and_too_long_tokens_are_refused(table, fingerprint):
    ranks = table.mergeable_ranks()
    with pytest.raises(tables.UnsupportedVocabularyError, match="more than"):
        tables.build_tables(small_table(ranks, first_id=1 << 20), fingerprint)
    with pytest.raises(tables.UnsupportedVocabularyError, match="bytes"):
        tables.build_tables(small_table({**ranks, b"x" * 70_000: len(ranks)}), fingerprint)
