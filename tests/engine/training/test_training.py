"""Training: the same merges as the plain trainer, whatever the corpus, the ties, the slices and the threads."""

from __future__ import annotations

import pytest

import engine
from engine import TrainingError, TrainingRun
from engine.training.trained_encoding import edit_entries


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
    with pytest.raises(TrainingError, match="255 is too small for the 256 bytes"):
        TrainingRun("text", 255)
    with pytest.raises(TrainingError, match="256 bytes and 2 special tokens"):
        TrainingRun("text", 257, special_tokens=["<a>", "<b>"])
    assert TrainingRun("text", 257, special_tokens="<a>").settings.special_tokens == ("<a>",)


def test_no_text_is_refused():
    with pytest.raises(TrainingError, match="No text"):
        engine.train(["", ""], 300)


@pytest.mark.parametrize("pattern", ["cl100k_base", "none", "sentencepiece"])
def test_runs_of_white_space_are_limited(pattern: str):
    text = ("def f():\n" + " " * 40 + "pass\n" * 2 + "\n" * 30 + "\t" * 20 + "x\r\n" + "\r\n" * 20) * 30
    free = engine.train(text, vocab_size=400, pattern=pattern)
    limited = engine.train(text, vocab_size=400, pattern=pattern, max_space_run=4)

    def longest_space(encoding: engine.Encoding) -> int:
        tokens = map(encoding.decode_single_token_bytes, range(encoding.n_vocab))
        runs = (token.replace(b"\r\n", b"\n").replace("▁".encode(), b" ") for token in tokens)
        return max(len(run) for run in runs if not run.strip() and len(set(run)) == 1)

    assert longest_space(free) > 10
    assert longest_space(limited) <= 4
    assert limited.decode(limited.encode(text)) == text, "the limit is for training only"


def test_a_limit_of_white_space_is_part_of_the_hash():
    def hash_of(**options: int) -> str:
        run = engine.TrainingRun("a b  c", vocab_size=257, **options)
        while not run.done:
            run.advance()
        return run.hash

    assert hash_of() != hash_of(max_space_run=5)
    with pytest.raises(engine.TrainingError, match="max_space_run is 0"):
        engine.TrainingRun("a", vocab_size=257, max_space_run=0)


def test_entries_are_removed_with_what_depends_on_them():
    text = "the weather there, the other leather " * 20
    trained = engine.train(text, 330, "mine", special_tokens=("<end>", "<go>"))
    the = trained.encode_single_token(" the")
    edited = edit_entries(trained, "less", remove=[the], rename={"<go>": "<begin>"})
    less = edited.encoding
    assert the in edited.removed
    assert less.name == "less"
    assert less.decode(less.encode(text)) == text
    assert the not in less.encode(text)
    assert less.count(text) > trained.count(text)
    kept = [one for one in range(256, trained.n_vocab - 2) if one not in edited.removed]
    assert kept
    for token_id in kept:
        content = trained.decode_single_token_bytes(token_id)
        assert less.decode_single_token_bytes(token_id) == content, "the others keep their ids"
        assert less.parents_of(token_id) is not None, "and merges lead to them"
    assert less.encode("<begin>", allowed_special="all") == trained.encode("<go>", allowed_special="all")
    without = edit_entries(trained, "less", remove=[trained.n_vocab - 1]).encoding
    assert without.special_tokens_set == {"<end>"}
    for wrong in ({"remove": [97]}, {"remove": [9999]}, {"rename": {"<no>": "x"}}, {"rename": {"<go>": "<end>"}}):
        with pytest.raises(engine.EngineError):
            edit_entries(trained, "less", **wrong)


def test_it_says_why_it_ended_early():
    progress = finish(TrainingRun("abcabc", 1000)).progress()
    assert (progress.stage, progress.fraction, progress.merges) == ("done", 1.0, 2)
    assert progress.why_done == "No remaining pair occurs more than once."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocab_size": 300.5}, "whole number of entries; vocab_size is 300.5"),
        ({"vocab_size": 300, "threads": 0}, "at least one thread; threads is 0"),
    ],
)
def test_a_fraction_of_an_entry_and_no_thread_are_refused(options, message):
    with pytest.raises(TrainingError, match=message):
        engine.train(["a text"], **options)
