"""Merges over arrays: as a list of them would be."""

from __future__ import annotations

import pytest

from engine import TrainingRun
from engine.training.types import Merge


@pytest.fixture(scope="module")
def run() -> TrainingRun:
    run = TrainingRun(["aab aab ab, the cat in the hat sat on the mat"], 270, min_count=1, threads=1)
    while not run.done:
        run.advance(10.0)
    return run


def test_it_is_a_list_of_merges(run):
    merges = run.merges()
    plain = list(merges)
    assert len(plain) == len(merges) == run.progress().merges == 14
    assert all(isinstance(merge, Merge) for merge in plain)
    assert [merge.index for merge in plain] == list(range(14))
    assert [merge.token_id for merge in plain] == list(range(256, 270))
    assert merges[-1] == plain[-1] == run.progress().last_merge
    assert merges == plain
    assert merges[::-1] == plain[::-1]
    assert merges != plain[:-1]
    assert merges != "not merges"
    with pytest.raises(IndexError):
        merges[14]


@pytest.mark.parametrize("start", [0, 3, 13, 14, 20])
@pytest.mark.parametrize("stop", [None, 0, 5, 14, -2])
def test_a_part_is_a_list_of_merges(run, start, stop):
    plain = list(run.merges())
    assert list(run.merges()[start:stop]) == plain[start:stop]
    assert list(run.merges(start)) == plain[start:]
    assert list(run.merges(2)[start:stop]) == plain[2:][start:stop]


def test_the_bytes_of_a_token_are_those_of_its_parts(run):
    contents = [bytes([value]) for value in range(256)]
    for merge in run.merges():
        assert merge.token_bytes == contents[merge.left_id] + contents[merge.right_id]
        contents.append(merge.token_bytes)
