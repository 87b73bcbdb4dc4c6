"""What a run will take, guessed from a sample."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

import engine
from engine.corpus.walk import survey
from engine.errors import TrainingError
from engine.kernels._jit import NotCompiledError
from engine.training import forecast as training_forecast
from engine.training.forecast import Sample, forecast
from engine.training.types import TrainingSettings

SETTINGS = TrainingSettings(1000)


def write_words(folder: Path, files: int, words: int, seed: int = 1) -> None:
    """Files of words as frequent as words are: the n-th most frequent occurs n times less often."""
    rng = random.Random(seed)
    for number in range(files):
        chosen = (str(int(10 ** rng.uniform(0, 5))) for _ in range(words))
        text = " ".join(chosen).translate({ord("0") + digit: chr(ord("a") + digit) for digit in range(10)})
        (folder / f"{number:03}.txt").write_text(text)


def different_pretokens(folder: Path) -> int:
    run = engine.TrainingRun([folder], 1000, threads=1)
    while run.progress().stage in ("looking", "counting"):
        run.advance(0.0)
    return run.progress().pretokens


@pytest.fixture(params=["with kernels", "with nothing compiled"])
def either_way(request, monkeypatch):
    if request.param == "with nothing compiled":

        class NotCompiled:
            def __init__(self, expression: str) -> None:
                raise NotCompiledError

        monkeypatch.setattr(training_forecast, "_KernelCounter", NotCompiled)


def test_a_corpus_that_is_read_whole_is_known(tmp_path, either_way):
    write_words(tmp_path, files=4, words=300)
    found = forecast(survey([tmp_path]), SETTINGS, threads=1)
    actual = different_pretokens(tmp_path)
    assert found.pretokens == (actual, actual)
    assert found.sampled_bytes == sum(path.stat().st_size for path in tmp_path.iterdir())


def test_the_truth_lies_between_the_ends(tmp_path, monkeypatch, either_way):
    write_words(tmp_path, files=40, words=300)
    monkeypatch.setattr(training_forecast, "SAMPLE_BYTES", 12_000)
    monkeypatch.setattr(training_forecast, "PLAIN_SAMPLE_BYTES", 12_000)
    monkeypatch.setattr(training_forecast, "SAMPLE_SECONDS", 60.0)
    looked_through = survey([tmp_path])
    found = forecast(looked_through, SETTINGS, threads=1)
    assert 12_000 <= found.sampled_bytes < looked_through.file_bytes / 3
    assert found.pretokens[0] <= different_pretokens(tmp_path) <= found.pretokens[1]
    assert 0 < found.memory_bytes[0] < found.memory_bytes[1]
    assert 0 < found.seconds[0] < found.seconds[1]


def test_repeated_files_bring_nothing_new(tmp_path):
    write_words(tmp_path, files=1, words=300)
    for name in ("b", "c"):
        (tmp_path / f"{name}.txt").write_bytes((tmp_path / "000.txt").read_bytes())
    actual = different_pretokens(tmp_path)
    assert forecast(survey([tmp_path]), SETTINGS).pretokens == (actual, actual)


def test_a_pattern_of_the_users_own(tmp_path):
    (tmp_path / "a.txt").write_text("abc abd abe")
    found = forecast(survey([tmp_path]), TrainingSettings(300, pattern=r"\w|\s"))
    assert found.pretokens == (6, 6)


def test_every_kind_of_settings(tmp_path):
    (tmp_path / "a.txt").write_text("The CAT  and\nthe cat")
    settings = TrainingSettings(300, pattern="whitespace", alphabet="characters+</w>", lowercase=True)
    assert forecast(survey([tmp_path]), settings).pretokens == (3, 3)


def test_an_empty_corpus(tmp_path):
    found = forecast(survey([tmp_path]), SETTINGS)
    assert (found.pretokens, found.seconds, found.sampled_bytes) == ((0, 0), (0.0, 0.0), 0)


def test_settings_that_make_no_sense(tmp_path):
    with pytest.raises(TrainingError):
        forecast(survey([tmp_path]), TrainingSettings(3))


@pytest.mark.parametrize(
    ("points", "growth"),
    [
        (((100, 10), (400, 20)), 0.5),
        (((100, 10), (300, 15), (400, 40)), 1.0),
        (((100, 10), (400, 10)), training_forecast._USUAL_GROWTH),
        (((300, 10), (400, 12)), training_forecast._USUAL_GROWTH),
    ],
)
def test_growth_by_heaps_law(points, growth):
    assert Sample(points, 0, 1.0).growth() == pytest.approx((growth, training_forecast._USUAL_ERROR))


def test_blocks_that_bring_unequal_numbers_leave_more_open():
    def error(brought: list[int]) -> float:
        found = itertools.accumulate(brought, initial=100)
        return Sample(tuple(zip(range(100, 1400, 100), found, strict=True)), 0, 1.0).growth()[1]

    assert error([10] * 12) == error([0] * 12) == 0
    assert 0 < error([9, 11] * 6) < error([0, 20] * 6)


@pytest.mark.deep
def test_large_files_are_sampled_all_over(tmp_path, monkeypatch, either_way):
    write_words(tmp_path, files=3, words=60_000)
    for path in tmp_path.iterdir():
        path.write_text("the same again " * 80_000 + path.read_text())
    monkeypatch.setattr(training_forecast, "SAMPLE_BYTES", 400_000)
    monkeypatch.setattr(training_forecast, "PLAIN_SAMPLE_BYTES", 400_000)
    monkeypatch.setattr(training_forecast, "SAMPLE_SECONDS", 60.0)
    looked_through = survey([tmp_path])
    found = forecast(looked_through, SETTINGS, threads=1)
    assert found.sampled_bytes < looked_through.file_bytes / 10
    assert found.pretokens[0] <= different_pretokens(tmp_path) <= found.pretokens[1]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_blocks_of_any_encoding_are_read(tmp_path, monkeypatch, encoding):
    words = [f"w\u00f6rt{number % 700} " for number in range(60_000)]
    (tmp_path / "a.txt").write_bytes("".join(words).encode(encoding))
    monkeypatch.setattr(training_forecast, "SAMPLE_BYTES", 100_000)
    found = forecast(survey([tmp_path]), SETTINGS)
    assert found.pretokens[0] <= different_pretokens(tmp_path) <= found.pretokens[1] < 1000


def test_files_that_vanish_are_no_failure(tmp_path):
    write_words(tmp_path, files=3, words=50)
    looked_through = survey([tmp_path])
    (tmp_path / "001.txt").unlink()
    assert forecast(looked_through, SETTINGS).sampled_bytes > 0


def test_who_is_asked_between_pieces_may_end_it(tmp_path, either_way):
    write_words(tmp_path, files=3, words=50)
    looked_through = survey([tmp_path])
    asked = []
    sampled_bytes = forecast(looked_through, SETTINGS, cancel_check=lambda: asked.append(None)).sampled_bytes
    assert sampled_bytes == looked_through.file_bytes
    assert len(asked) >= len(looked_through.files)

    class EnoughError(Exception):
        pass

    def end() -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        forecast(looked_through, SETTINGS, cancel_check=end)
