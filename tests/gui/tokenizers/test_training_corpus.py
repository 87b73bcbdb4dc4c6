"""What a folder holds, what is held back of it, and how its texts are split: services over the real engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.corpus.types import CorpusFile, CorpusRules, CorpusSurvey
from engine.training.types import TrainingSettings
from gui.editor.offsets import DROPPED
from gui.runtime.jobs import JobCancelled, Ticket
from gui.tokenizers.train import corpus_service as training_corpus
from gui.tokenizers.train.corpus_service import (
    CorpusService,
    ForecastRequest,
    PreviewRequest,
    SurveyRequest,
    forecast_training,
    preview_split,
    survey_corpus,
    without_held_out,
)


def survey_of(sizes: dict[str, int], duplicates: dict[str, str] | None = None) -> CorpusSurvey:
    twice = duplicates or {}
    files = tuple(
        CorpusFile(Path(name), size, "utf-8", Path(twice[name]) if name in twice else None)
        for name, size in sizes.items()
    )
    return CorpusSurvey((Path(),), files, (), {}, sum(sizes.values()), len(twice), 0)


def test_a_twentieth_of_the_bytes_is_held_back_whatever_the_order():
    sizes = {f"{number}.txt": 100 + number % 7 for number in range(400)}
    survey = survey_of(sizes)
    kept, taken = without_held_out(survey, 0.05)
    assert {*kept.files, *taken} == set(survey.files)
    assert 0.04 * survey.file_bytes < sum(file.file_bytes for file in taken) <= 0.05 * survey.file_bytes
    assert kept.file_bytes == sum(file.file_bytes for file in kept.files)
    backwards = survey_of(dict(reversed(sizes.items())))
    assert set(without_held_out(backwards, 0.05)[1]) == set(taken)


def test_files_that_repeat_others_are_not_held_back():
    survey = survey_of({"a": 10, "b": 10, "c": 10}, {"b": "a"})
    assert [file.path.name for file in without_held_out(survey, 1.0)[1]] == ["c"]


def test_a_folder_of_one_big_file_holds_nothing_back():
    survey = survey_of({"a": 1000})
    assert without_held_out(survey, 0.05) == (survey, ())
    assert without_held_out(survey_of({"a": 1, "b": 2}), 0.0)[1] == ()


def test_a_small_file_beside_big_ones_is_too_little_to_measure_on():
    survey = survey_of({"a": 100_000, "b": 100_000, "c": 1_900})
    assert without_held_out(survey, 0.05) == (survey, ())
    survey = survey_of({"a": 100_000, "b": 100_000, "c": 2_100})
    assert [file.path.name for file in without_held_out(survey, 0.05)[1]] == ["c"]


def test_a_survey_arrives_and_only_the_newest(qtbot, runner, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.txt").write_text("text")
    service = CorpusService(runner)
    seen = []
    service.surveyed.connect(lambda survey: seen.append([file.path.name for file in survey.files]))
    service.survey(SurveyRequest((tmp_path / "one",), CorpusRules()))
    with qtbot.waitSignal(service.surveyed):
        service.survey(SurveyRequest((tmp_path / "two",), CorpusRules()))
    qtbot.waitUntil(lambda: not runner.busy)
    assert seen == [["two.txt"]]


def test_a_path_that_leads_nowhere_is_a_sentence(qtbot, runner, tmp_path):
    service = CorpusService(runner)
    with qtbot.waitSignal(service.survey_failed) as told:
        service.survey(SurveyRequest((tmp_path / "gone",), CorpusRules()))
    assert told.args == [f"No such file or folder: {tmp_path / 'gone'}."]


def test_someone_who_stops_all_jobs_hears_that_the_survey_ended(qtbot, runner, tmp_path, monkeypatch):
    def endless(request, ticket):
        while True:
            ticket.progress(-1.0)

    monkeypatch.setattr(training_corpus, "survey_corpus", endless)
    service = CorpusService(runner)
    service.survey(SurveyRequest((tmp_path,), CorpusRules()))
    with qtbot.waitSignal(service.survey_failed) as told:
        for lane in runner.busy_lanes:
            lane.cancel()
    assert told.args == ["Stopped before the folder was scanned."]


def test_a_forecast_that_nobody_wants_any_more_ends(tmp_path):
    (tmp_path / "text.txt").write_text("some words")
    request = ForecastRequest(survey_corpus(SurveyRequest((tmp_path,), CorpusRules()), ticket()), TrainingSettings(300))
    given_up = ticket()
    given_up.cancel()
    with pytest.raises(JobCancelled):
        forecast_training(None, request, given_up)


def ticket() -> Ticket:
    return Ticket(lambda fraction, note: None)


def preview(tmp_path: Path, text: str, **settings: object):
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode())
    (file,) = survey_corpus(SurveyRequest((path,), CorpusRules()), Ticket(lambda fraction, note: None)).files
    return preview_split(PreviewRequest(file, TrainingSettings(vocab_size=300, **settings)))


def pieces(shown) -> list[tuple[str, bool]]:
    """The pretokens shown, and whether each is one or dropped text."""
    units = shown.text.encode("utf-16-le")
    starts = [0, *shown.patch.utf16_ends[:-1].tolist()]
    return [
        (units[2 * start : 2 * end].decode("utf-16-le"), token_id != DROPPED)
        for start, end, token_id in zip(starts, shown.patch.utf16_ends.tolist(), shown.patch.ids.tolist(), strict=True)
    ]


def test_pretokens_are_those_of_the_pattern(tmp_path):
    shown = preview(tmp_path, "It's 12345 days.\n", pattern="gpt2")
    assert [piece for piece, _kept in pieces(shown)] == ["It", "'s", " 12345", " days", ".", "\n"]
    assert all(kept for _piece, kept in pieces(shown))
    assert (shown.pretokens, shown.utf8_bytes, shown.pattern_problem) == (6, 17, "")


def test_spaces_are_shown_as_signs_where_they_are_trained_so(tmp_path):
    shown = preview(tmp_path, "a ﬁn e\r\n b", pattern="sentencepiece", normalization="NFKC")
    assert [piece for piece, _kept in pieces(shown)] == ["▁a▁fin▁e", "\n", "▁b"]
    assert (shown.utf8_bytes, shown.dropped_characters) == (len("a fin e\r\n b"), 0)
    changed = [shown.text[start:end] for start, end in zip(shown.changed_starts, shown.changed_ends, strict=True)]
    assert changed == ["fi"]
    bare = preview(tmp_path, "a b", pattern="sentencepiece", dummy_prefix=False)
    assert (bare.text, bare.utf8_bytes) == ("a▁b", 3)
    assert preview(tmp_path, "a b", pattern="sentencepiece", alphabet="characters+</w>").text == "a b"


def test_line_ends_as_stored_are_split_as_stored_and_shown_as_newlines(tmp_path):
    shown = preview(tmp_path, "a\r\n\r\nb 😀\r\n", pattern="cl100k_base")
    assert shown.text == "a\n\nb 😀\n"
    assert [piece for piece, _kept in pieces(shown)] == ["a", "\n\n", "b", " 😀\n"]


def test_what_a_pattern_does_not_match_is_no_pretoken(tmp_path):
    shown = preview(tmp_path, "one, two", pattern=r"\w+")
    assert pieces(shown) == [("one", True), (", ", False), ("two", True)]
    assert (shown.pretokens, shown.dropped_characters) == (2, 2)


@pytest.mark.parametrize("pattern", ["(", "[a", r"(?P<x>a)(?P=x)"])
def test_a_bad_pattern_is_told_with_the_text_still_there(tmp_path, pattern):
    shown = preview(tmp_path, "some text", pattern=pattern)
    assert shown.pattern_problem
    assert (shown.text, shown.patch) == ("some text", None)
    assert preview_split(PreviewRequest(None, TrainingSettings(300, pattern))).pattern_problem


def test_a_long_file_is_shown_to_a_line_end(tmp_path):
    shown = preview(tmp_path, "a line of text\n" * 5000, pattern="cl100k_base")
    assert shown.text.endswith("\n")
    assert 10_000 < len(shown.text) < 40_000
    assert int(shown.patch.utf16_ends[-1]) == len(shown.text)
    assert np.all(np.diff(shown.patch.utf16_ends) > 0)


def test_a_file_that_is_gone_is_a_sentence(tmp_path):
    gone = CorpusFile(tmp_path / "gone.txt", 5, "utf-8")
    shown = preview_split(PreviewRequest(gone, TrainingSettings(300)))
    assert "gone.txt" in shown.file_problem
