"""Figures in words, the speed as a bounded series, and what is left out as a tree."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QModelIndex
from PySide6.QtTest import QAbstractItemModelTester

from engine.corpus.types import CorpusFile, CorpusSurvey, SkippedFile
from gui.look.quantities import TrainingText
from gui.widgets.folders import SkippedFilesModel
from gui.widgets.training_curve import RateSeries

ROOT = Path("texts")


@pytest.fixture
def text(qapp) -> TrainingText:
    return TrainingText(QLocale(QLocale.Language.English))


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1500, "1.5 KB"), (45_600_000, "45.6 MB"), (2e9, "2.0 GB")],
)
def test_sizes(text, size, words):
    assert text.size(size) == words


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.42, "0.4 s"), (35.2, "35 s"), (125, "2 min 5 s"), (4320, "1 h 12 min")]
)
def test_durations(text, seconds, words):
    assert text.duration(seconds) == words


def test_forecasts_are_no_more_exact_than_they_can_be(text):
    assert text.ends(118_234, 184_999, text.about) == "120,000 to 180,000"
    assert text.ends(41, 44, text.about) == "41 to 44"
    assert text.ends(2.01, 2.04, text.duration) == "2.0 s"
    assert text.left(0.3) == "under 1 s left"
    assert text.left(75) == "about 1 min 15 s left"


def test_per_cent_says_a_hundred_only_at_the_end(text):
    assert [text.per_cent(part) for part in (0.0, 0.999, 1.0)] == ["0%", "99%", "100%"]


def test_a_locale_without_separators_is_readable(qapp):
    assert TrainingText(QLocale.c()).number(1234567) == "1,234,567"


def test_rates_stay_few_and_keep_the_shape():
    series = RateSeries(most_points=100)
    for size in range(10_000):
        series.add(size, float(size))
    assert len(series.sizes) == len(series.rates) < 100
    assert series.sizes == sorted(set(series.sizes))
    assert series.rates == sorted(series.rates)
    assert abs(series.rates[-1] - series.sizes[-1]) < 10_000 / 40


def test_a_second_rate_at_the_same_size_takes_the_place_of_the_first():
    series = RateSeries()
    for rate in (1.0, 2.0, 3.0):
        series.add(300, rate)
    assert (series.sizes, series.rates) == ([300], [3.0])
    series.clear()
    assert series.sizes == []


def survey() -> CorpusSurvey:
    first, second = ROOT / "a.txt", ROOT / "b" / "c.txt"
    return CorpusSurvey(
        roots=(ROOT,),
        files=(CorpusFile(first, 10, "utf-8"), CorpusFile(second, 10, "utf-8", first)),
        skipped=(
            SkippedFile(ROOT / ".hidden", "hidden", "its name begins with a dot"),
            SkippedFile(ROOT / "x.png", "binary", "it holds NUL bytes"),
            SkippedFile(ROOT / "y.png", "binary", "it holds NUL bytes"),
        ),
        skipped_counts={"hidden": 1, "binary": 30},
        file_bytes=20,
        duplicate_files=1,
        duplicate_bytes=10,
    )


def test_what_is_left_out_is_grouped_by_reason(text):
    model = SkippedFilesModel(text)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.set_survey(survey())
    reasons = [model.index(row, 0).data() for row in range(model.rowCount(QModelIndex()))]
    assert reasons == ["Not text: 30", "Hidden: 1", "Same content as another: 1"]
    binary = model.index(0, 0)
    assert [model.index(row, 0, binary).data() for row in range(model.rowCount(binary))] == [
        "x.png",
        "y.png",
        "and 28 more",
    ]
    duplicates = model.index(2, 0)
    assert Path(model.index(0, 0, duplicates).data()) == Path("b/c.txt")
    model.set_survey(None)
    assert model.rowCount(QModelIndex()) == 0
