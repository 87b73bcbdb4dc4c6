"""Parts of a corpus, counted apart and added up, are the corpus."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from engine.corpus.types import CorpusRules
from engine.errors import TrainingError
from engine.training.cluster import PartCounts, add_counts, count_part, counting_of, parts_of
from engine.training.counting import CorpusCounting, PretokenCounter, documents_of
from engine.training.settings import plan_for
from engine.training.types import TrainingSettings

TEXT = "She sells sea shells on the sea shore, 123 of them;\n\tthe shells, 她在海边卖贝壳。 I'm sure! " * 40

SETTINGS = [
    TrainingSettings(300),
    TrainingSettings(300, pattern="sentencepiece"),  # with signs for spaces
    TrainingSettings(300, pattern="none"),
    TrainingSettings(300, pattern=r"\w+|\s"),
    TrainingSettings(400, alphabet="characters+</w>"),
    TrainingSettings(300, normalization="NFD", lowercase=True),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number in range(5):
        (corpus / f"{number}.txt").write_text(TEXT * (number + 1) + str(number), encoding="utf-8")
    (corpus / "wide.txt").write_text(TEXT, encoding="utf-16")
    return corpus


def counted(counter: PretokenCounter) -> bytes:
    counting = object.__new__(CorpusCounting)
    counting._counter, counting._others = counter, []
    return counting.digest()


@pytest.mark.deep
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda one: f"{one.pattern}-{one.alphabet}-{one.normalization}")
@pytest.mark.parametrize("part_bytes", [1000, 20_000, 1 << 30])
def test_parts_add_up_to_the_whole(folder: Path, settings: TrainingSettings, part_bytes: int) -> None:
    plan, how = plan_for(settings), counting_of(settings, None)
    documents = documents_of([folder, "a text " * 30], CorpusRules())
    parts = list(parts_of(documents, plan, part_bytes))
    assert sum(part.stored_bytes for part in parts) == sum(document.stored_bytes for document in documents)
    total = add_counts([count_part(part, how) for part in reversed(parts)], how)
    assert total.problems == ()
    again = PretokenCounter(plan.expression)
    again.unpack(total.arrays)
    whole = CorpusCounting(documents, plan, threads=1)
    assert whole.advance(float("inf"))
    assert counted(again) == whole.digest()
    assert total.sign_bytes == whole.sign_bytes


def test_long_files_are_read_in_stretches_where_that_changes_nothing(folder: Path) -> None:
    documents = documents_of([folder], CorpusRules())
    for settings, stretched in zip(SETTINGS, (True, False, False, False, False, False), strict=True):
        parts = list(parts_of(documents, plan_for(settings), 2000))
        assert any(part.chunk is not None for part in parts) == stretched
        wide = [part for part in parts if part.documents[0].name.endswith("wide.txt")]
        assert [part.chunk for part in wide] == [None]


def test_a_file_that_changed_is_named(folder: Path) -> None:
    settings = TrainingSettings(300)
    parts = list(parts_of(documents_of([folder], CorpusRules()), plan_for(settings), 2000))
    (folder / "3.txt").write_text("less", encoding="utf-8")
    how = counting_of(settings, None)
    total = add_counts([count_part(part, how) for part in parts], how)
    assert {problem.path.name for problem in total.problems} == {"3.txt"}
    assert {problem.reason for problem in total.problems} == {"changed"}


def test_other_code_is_refused(folder: Path) -> None:
    settings = TrainingSettings(300)
    part = next(parts_of(documents_of([folder], CorpusRules()), plan_for(settings)))
    how = counting_of(settings, None)._replace(sources="another")
    with pytest.raises(TrainingError, match="has another version"):
        count_part(part, how)


def test_counts_are_plain_arrays_to_be_sent() -> None:
    settings = TrainingSettings(300)
    part = next(parts_of(documents_of(["one two"], CorpusRules()), plan_for(settings)))
    counts = count_part(part, counting_of(settings, None))
    assert isinstance(counts, PartCounts)
    assert {array.flags.owndata for array in counts.arrays.values()} == {True}
    assert dataclasses.is_dataclass(part)
