"""Reading the texts of a corpus, piece by piece."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from engine.corpus import files as corpus_files
from engine.corpus.types import CorpusRules
from engine.training.counting import documents_of
from engine.training.settings import plan_for
from engine.training.texts import BLOCK_BYTES, PieceReader
from engine.training.types import TrainingSettings

SETTINGS = [
    TrainingSettings(300),
    TrainingSettings(300, pattern="sentencepiece"),
    TrainingSettings(400, alphabet="characters+</w>"),
    TrainingSettings(300, normalization="NFD", lowercase=True),
]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[io.FileIO]:
    """Every file that is opened to be read."""
    files: list[io.FileIO] = []
    open_file = corpus_files.opened_file

    def noted(path: Path) -> io.FileIO:
        files.append(open_file(path))
        return files[-1]

    monkeypatch.setattr(corpus_files, "opened_file", noted)
    return files


@pytest.mark.deep
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda one: f"{one.pattern}-{one.alphabet}-{one.normalization}")
def test_a_reader_that_is_given_up_closes_its_file(
    tmp_path: Path, settings: TrainingSettings, opened: list[io.FileIO]
) -> None:
    (tmp_path / "long.txt").write_text("a line of words\n" * (3 * BLOCK_BYTES // 16))
    plan = plan_for(settings)
    documents = documents_of([tmp_path], CorpusRules())
    opened.clear()
    reader = PieceReader(documents, plan.split.cuts, plan.preparation)
    assert reader.next_piece() is not None
    assert [file.closed for file in opened] == [False]
    del reader
    assert [file.closed for file in opened] == [True]
