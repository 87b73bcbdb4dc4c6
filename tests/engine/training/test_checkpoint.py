"""Checkpoints: whatever happens to a run, it goes on to the same merges, or says why it cannot."""

from __future__ import annotations

import errno
import random
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine import TrainingError, TrainingRun
from engine.kernels._jit import COMPILED
from engine.runtime import atomic_files
from engine.split import pretokenization
from engine.training import texts as training_texts
from engine.training.run import UnsavedCheckpointError, write_checkpoint
from tests.patience import PATIENCE_SECONDS
from tests.thoroughness import mostly_deep

WORDS = [f"{a}{b}{c}" for a in ("sea", "shell", "she", "shore") for b in ("s", "ing", "", "é") for c in (" ", "ed ")]


def text(seed: int, words: int = 400) -> str:
    return "".join(random.Random(seed).choices(WORDS, k=words))


def finished(run: TrainingRun) -> list:
    while not run.done:
        run.advance(10.0)
    return run.merges()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of texts, each of several pieces."""
    monkeypatch.setattr(training_texts, "BLOCK_BYTES", 500)
    monkeypatch.setattr(pretokenization, "CHUNK_CHARS", 100)
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.txt").write_text(text(number), encoding="utf-8")
    return folder


SETTINGS = [
    {},
    {"pattern": "o200k_base", "alphabet": "characters", "normalization": "NFD"},
    {"alphabet": "characters+</w>", "special_tokens": ("<end>",), "lowercase": True},
    {"tie_order": "huggingface", "min_count": 1, "max_token_bytes": 7},
    {"pattern": "sentencepiece", "alphabet": "characters"},
    {"pattern": "sentencepiece", "dummy_prefix": False},
    {"pattern": r"\w+|\W", "min_count": 3},
]


@pytest.mark.parametrize("settings", mostly_deep(SETTINGS, 2), ids=lambda settings: ",".join(settings) or "plain")
def test_a_run_goes_on_from_any_moment(folder, tmp_path, settings):
    whole = TrainingRun(folder, 330, **settings)
    expected = finished(whole)
    assert expected
    run = TrainingRun(folder, 330, **settings, threads=1)
    stages = set()
    while not run.done:
        run.save(tmp_path / "checkpoint")
        run = TrainingRun.resume(tmp_path / "checkpoint", threads=1)
        stages.add(run.advance(0.0).stage)
    assert stages >= {"counting", "merging", "done"}
    assert run.merges() == expected
    assert run.hash == whole.hash
    assert run.settings == whole.settings
    assert run.encoding("one").encode("sea shells ") == whole.encoding("other").encode("sea shells ")
    run.save(tmp_path / "checkpoint")
    again = TrainingRun.resume(tmp_path / "checkpoint").progress()
    assert replace(again, rate=0.0) == replace(run.progress(), rate=0.0)
    assert again.bytes_per_token == whole.progress().bytes_per_token


def test_texts_are_kept_while_they_are_needed(tmp_path, monkeypatch):
    monkeypatch.setattr(training_texts, "BLOCK_BYTES", 300)
    texts = [text(1), "\ud83d\ude00 \ud800", text(2)]
    expected = finished(TrainingRun(texts, 300))
    run = TrainingRun(texts, 300, threads=1)
    assert run.advance(0.0).stage == "counting"
    run.advance(0.0)
    run.save(tmp_path / "checkpoint")
    del run
    assert finished(TrainingRun.resume(tmp_path / "checkpoint")) == expected


def test_saving_does_not_disturb_a_run(folder, tmp_path):
    expected = finished(TrainingRun(folder, 330))
    run = TrainingRun(folder, 330, threads=2)
    while not run.done:
        run.advance(0.0)
        run.save(tmp_path / "checkpoint")
    assert run.merges() == expected


def test_a_file_that_changed_before_all_were_counted_is_named(folder, tmp_path):
    run = TrainingRun(folder, 330, threads=1)
    run.advance(0.0)
    run.save(tmp_path / "checkpoint")
    changed = folder / "3.txt"
    changed.write_text(text(9) + "more", encoding="utf-8")
    with pytest.raises(TrainingError, match=r"3\.txt has changed since the checkpoint was written"):
        TrainingRun.resume(tmp_path / "checkpoint")
    changed.unlink()
    with pytest.raises(TrainingError, match=r"3\.txt has changed"):
        TrainingRun.resume(tmp_path / "checkpoint")


def test_files_are_not_needed_once_they_are_counted(folder, tmp_path):
    expected = finished(TrainingRun(folder, 330))
    run = TrainingRun(folder, 330)
    while run.advance(0.0).stage != "merging":
        pass
    run.save(tmp_path / "checkpoint")
    for path in folder.iterdir():
        path.unlink()
    assert finished(TrainingRun.resume(tmp_path / "checkpoint")) == expected


@pytest.mark.parametrize("call", ["savez", "fsync", "replace"])
def test_a_full_disk_leaves_the_checkpoint_before(folder, tmp_path, monkeypatch, call):
    path = tmp_path / "checkpoint"
    run = TrainingRun(folder, 330)
    with monkeypatch.context() as patch:
        fill_disk(patch, call)
        with pytest.raises(UnsavedCheckpointError, match=r"could not be saved: No space left on device\.$"):
            run.save(path)
    run.save(path)
    before = path.read_bytes()
    run.advance(0.0)
    fill_disk(monkeypatch, call)
    with pytest.raises(UnsavedCheckpointError, match=r"The previous one is kept\.$"):
        run.save(path)
    assert path.read_bytes() == before
    assert [other.name for other in tmp_path.iterdir() if other.is_file()] == ["checkpoint"]


def fill_disk(patch: pytest.MonkeyPatch, call: str) -> None:
    def full(*arguments, **options):
        if call == "savez":
            arguments[0].write(b"half of it")
        raise OSError(errno.ENOSPC, "No space left on device")

    owners = {"savez": np, "fsync": atomic_files.os, "replace": Path}
    patch.setattr(owners[call], call, full)


def test_a_folder_that_is_not_there_is_said(folder, tmp_path):
    with pytest.raises(UnsavedCheckpointError, match="No such file or directory"):
        TrainingRun(folder, 330).save(tmp_path / "nowhere" / "checkpoint")
    with pytest.raises(TrainingError, match="cannot be read: No such file or directory"):
        TrainingRun.resume(tmp_path / "nowhere" / "checkpoint")


def test_a_damaged_checkpoint_is_refused(folder, tmp_path):
    path = tmp_path / "checkpoint"
    run = TrainingRun(folder, 330)
    while run.advance(0.0).stage != "merging":
        pass
    run.save(path)
    content = path.read_bytes()
    expected = finished(TrainingRun.resume(path))
    rng = random.Random(1)
    damaged = [content[:size] for size in (0, 1, 100, len(content) // 2, len(content) - 1)]
    for _ in range(30):
        place = rng.randrange(len(content))
        damaged.append(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
    refused = 0
    for one in damaged:
        path.write_bytes(one)
        try:
            resumed = TrainingRun.resume(path)
        except TrainingError as error:
            assert "damaged" in str(error)  # noqa: PT017 - what is not refused has to go on as ever
            refused += 1
        else:
            assert finished(resumed) == expected
    assert refused >= 25


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"kind": "something else"}, "damaged or not a checkpoint"),
        ({"version": 0}, "another version"),
        ({}, "damaged"),
        ({"settings": {"vocab_size": 300, "special_tokens": [], "nonsense": 1}}, "damaged"),
    ],
)
def test_what_is_no_checkpoint_of_this_program_is_refused(tmp_path, facts, message):
    path = tmp_path / "checkpoint"
    write_checkpoint(path, facts, {})
    with pytest.raises(TrainingError, match=message):
        TrainingRun.resume(path)


def test_an_array_that_somebody_saved_is_no_checkpoint(tmp_path):
    with (tmp_path / "array").open("wb") as file:
        np.save(file, np.arange(9))
    with pytest.raises(TrainingError, match="not a checkpoint"):
        TrainingRun.resume(tmp_path / "array")


WORK = """
import io, sys
import numpy as np
from engine import TrainingRun
from engine.runtime import atomic_files
from engine.training import merging, texts

path, start, kind, number = sys.argv[1:]
texts.BLOCK_BYTES = 500
merging._BUDGET = 1
left = int(number)

def reach(name):
    global left
    left -= name == kind
    if left == 0 and name == kind:
        sys.stdout.write(name + "\\n")
        sys.stdout.flush()
        sys.stdin.readline()  # killed here

def savez_in_two(file, **arrays):
    whole = io.BytesIO()
    savez(whole, **arrays)
    content = whole.getvalue()
    file.write(content[: len(content) // 2])
    file.flush()
    reach("writing")
    file.write(content[len(content) // 2 :])

savez, np.savez = np.savez, savez_in_two
fsync, atomic_files.os.fsync = atomic_files.os.fsync, lambda file: (reach("writing"), fsync(file))
run = TrainingRun.resume(path) if start == "resume" else TrainingRun(start, 700)
while not run.done:
    reach(run.advance(0.0).stage)
    run.save(path)
"""


def killed(path: Path, start: str, kind: str, number: int) -> None:
    """A run that saves itself all the time, until it is killed when it comes to something for the n-th time."""
    child = subprocess.Popen(
        [sys.executable, "-c", WORK, str(path), start, kind, str(number)],
        cwd=Path(__file__).parents[3],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with child:
        assert child.stdout is not None
        reached = child.stdout.readline()
        child.kill()
        child.wait(PATIENCE_SECONDS)
    assert reached == f"{kind}\n", "the run was through before"


@pytest.mark.deep
@pytest.mark.skipif(not COMPILED, reason="a process would compile nothing and take long")
def test_a_run_that_is_killed_goes_on(folder, tmp_path):
    """Killed ten times, at moments of chance: while it counts, while it merges, and with a checkpoint half written."""
    expected = finished(TrainingRun(folder, 700))
    path = tmp_path / "checkpoint"
    seed = random.SystemRandom().randrange(1_000_000)
    rng = random.Random(seed)
    start = str(folder)
    for kind in ("counting", "writing") * 2 + ("merging", "writing") * 3:
        number = rng.randrange(2, 9 if kind == "writing" else 5)
        killed(path, start, kind, number)
        start = "resume"
        assert finished(TrainingRun.resume(path)) == expected, f"seed {seed}, {kind} {number}"
        assert [other.name for other in tmp_path.iterdir() if other.is_file()] == ["checkpoint"]


@pytest.mark.parametrize("header", ["{'descr': (", "{'descr': 'é', ]", "{'descr': '<i4'} )"])
def test_an_array_whose_kind_is_no_expression_is_no_checkpoint(tmp_path, header):
    described = b"\x93NUMPY\x01\x00" + len(header.encode()).to_bytes(2, "little") + header.encode()
    with zipfile.ZipFile(tmp_path / "archive", "w") as archive:
        archive.writestr("facts.npy", described)
    with pytest.raises(TrainingError, match="not a checkpoint"):
        TrainingRun.resume(tmp_path / "archive")


def test_an_archive_with_a_password_is_no_checkpoint(tmp_path):
    path = tmp_path / "checkpoint"
    write_checkpoint(path, {}, {})
    content = bytearray(path.read_bytes())
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + flags] |= 1
    path.write_bytes(content)
    with pytest.raises(TrainingError, match="not a checkpoint"):
        TrainingRun.resume(path)
