"""Training: the same merges as the plain trainer, whatever the corpus, the ties, the slices and the threads."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine import TrainingError, TrainingRun
from engine.kernels._jit import COMPILED
from engine.pretokenize import pretokenizer
from engine.reference_training import PlainMerge, learn_merges
from engine.training_splits import NAMED_SPLITS
from tests.engine.strategies import texts

FEW = settings(max_examples=100 if COMPILED else 10)


def finish(run: TrainingRun, seconds: float = 10.0) -> TrainingRun:
    while not run.done:
        run.advance(seconds)
    return run


def merges_of(run: TrainingRun) -> list[PlainMerge]:
    return [PlainMerge(one.left_id, one.right_id, one.count, one.tokens_left) for one in run.merges()]


def plain_merges(documents: list[str], pattern: str, most: int, **options) -> list[PlainMerge]:
    cut = pretokenizer(NAMED_SPLITS[pattern].expression if pattern in NAMED_SPLITS else pattern)
    counts = Counter(tuple(piece.encode()) for text in documents for piece in cut.pretokens(text))
    return learn_merges(counts, [1] * 256, most, **options)


repetitive = st.lists(
    st.one_of(
        texts(12),
        st.text(alphabet="ab", max_size=60),
        st.text(alphabet="aé \n", max_size=40),
        st.sampled_from(["a" * 40, "ab" * 30, "the cat in the hat. " * 3, " " * 50, "aaab" * 10]),
    ),
    min_size=1,
    max_size=5,
).filter(any)


@FEW
@given(
    documents=repetitive,
    pattern=st.sampled_from(sorted(NAMED_SPLITS)),
    most=st.sampled_from([0, 1, 5, 60]),
    min_count=st.integers(1, 4),
    longest=st.sampled_from([None, None, 1, 2, 3, 5, 20]),
    threads=st.sampled_from([1, 2]),
)
def test_the_merges_are_those_of_the_plain_trainer(documents, pattern, most, min_count, longest, threads):
    run = TrainingRun(documents, 256 + most, pattern, min_count=min_count, max_token_bytes=longest, threads=threads)
    expected = plain_merges(documents, pattern, most, min_count=min_count, max_token_bytes=longest)
    assert merges_of(finish(run)) == expected


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
    assert progress.why_done == "No pair is left that occurs 2 times or more."
