"""Training: the same merges as the plain trainer, whatever the corpus, the ties, the slices and the threads."""

from __future__ import annotations

import pytest

import engine
from engine import TrainingError, TrainingRun


def finish(run: TrainingRun, seconds: float = 10.0) -> TrainingRun:
    while not run.done:
        run.advance(seconds)
    return run


def test_the_encoding_has_the_merges_as_ids_and_special_tokens_behind_them():
    encoding = engine.train("aab aab ab", 260, "mine", pattern="none", min_count=2, special_tokens=("<end>", "<go>"))
    assert encoding.name == "mine"
    assert encoding.n_vocab == 260
    assert encoding.encode_ordinary("aab aab ab") == [257, 32, 257, 32, 256]
    assert encoding.encode("<go>ab<end>", allowed_special="all") == [259, 256, 258]


def test_a_cut_run_is_a_smaller_vocabulary():
    run = TrainingRun("the cat sat on the mat, the cat sat", 300, min_count=1)
    with pytest.raises(TrainingError, match="not counted yet"):
        run.encoding("early")
    progress = run.advance(0)
    while progress.stage in ("looking", "counting"):
        progress = run.advance(0)
    assert run.encoding("early").n_vocab == 256 + progress.merges
    assert finish(run).encoding("whole").n_vocab > 256


def test_a_vocabulary_without_room_for_the_bytes_is_refused():
    with pytest.raises(TrainingError, match="255 has no room for the 256 bytes"):
        TrainingRun("text", 255)
    with pytest.raises(TrainingError, match="256 bytes and 2 special tokens"):
        TrainingRun("text", 257, special_tokens=["<a>", "<b>"])


def test_no_text_is_refused():
    with pytest.raises(TrainingError, match="no text"):
        engine.train(["", ""], 300)


def test_it_says_why_it_ended_early():
    progress = finish(TrainingRun("abcabc", 1000)).progress()
    assert (progress.stage, progress.fraction, progress.merges) == ("done", 1.0, 2)
    assert progress.why_done == "No pair is left that occurs more than once."
