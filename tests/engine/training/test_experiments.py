"""The experiments of five published tutorials on byte-pair encoding, with what truly comes of them.

The tutorials take, of pairs that occur equally often, the one that was seen first; this trainer the one with the
smaller ids. So the experiments are done both ways where that matters: as the tutorials' own algorithm does them, and by
this trainer.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import engine
from engine import Encoding, TrainingRun
from engine.training.settings import plan_for
from engine.training.trained_encoding import build_encoding, byte_alphabet
from engine.training.types import TrainingSettings

LOOP = "for i in range(10):\n    print(i)\n"


def trained(texts: str | list[str], vocab_size: int, **settings) -> TrainingRun:
    run = TrainingRun(texts, vocab_size, **settings)
    while not run.done:
        run.advance(10.0)
    return run


def learned(run: TrainingRun) -> list[tuple[str, int]]:
    return [(merge.token_bytes.decode(), merge.count) for merge in run.merges()]


def tutorials_merges(words: list[str], most: int) -> list[tuple[bytes, int, tuple[int, int], int]]:
    """The tutorials' own algorithm on words that may repeat: token, count, pair, tokens left."""
    sequences = [list(word.encode()) for word in words]
    contents = [bytes([value]) for value in range(256)]
    merges = []
    for token_id in range(256, 256 + most):
        pairs = Counter(pair for one in sequences for pair in itertools.pairwise(one))
        if not pairs:
            break
        pair = max(pairs, key=pairs.__getitem__)  # of equals the first one seen
        contents.append(contents[pair[0]] + contents[pair[1]])
        for one in sequences:
            for place in itertools.count():
                if place >= len(one) - 1:
                    break
                if (one[place], one[place + 1]) == pair:
                    one[place : place + 2] = [token_id]
        merges.append((contents[-1], pairs[pair], pair, sum(map(len, sequences))))
    return merges


def tutorials_encoding(words: list[str], most: int, **settings) -> Encoding:
    rows = [(*pair, count, left) for _, count, pair, left in tutorials_merges(words, most)]
    plan = plan_for(TrainingSettings(vocab_size=256 + most, **settings))
    return build_encoding("tutorial", plan, byte_alphabet(), np.array(rows, dtype=np.int64))


def spelled(encoding: Encoding, text: str) -> list[str]:
    return [encoding.decode([token]) for token in encoding.encode(text)]


@pytest.fixture
def tutorial(shared_dir: Path):
    folder = shared_dir / "tutorials"
    if not folder.is_dir():
        pytest.skip("no tutorials among the shared raw data")
    return lambda key: (folder / f"{key}.txt").read_text(encoding="utf-8")


@pytest.fixture
def cats(tutorial) -> str:
    """The small corpus of the first tutorial's exercises."""
    found = re.search(r'^corpus = "(.*)"$', tutorial("S0"), re.MULTILINE)
    assert found
    return found.group(1)


def test_e1_two_merges_of_a_toy_corpus():
    run = trained("aab aab ab", 258, pattern="none")
    assert [(merge.left_id, merge.right_id, merge.count) for merge in run.merges()] == [(97, 98, 3), (97, 256, 2)]
    assert run.encoding("toy").encode("aab aab ab") == [257, 32, 257, 32, 256]
    assert [10, *(merge.tokens_left for merge in run.merges())] == [10, 7, 5]


def test_e2_ten_merges(cats):
    sentences = ". ".join(cats.split(". ")[:2]) + "."
    tokens_left = [49, 44, 39, 34, 30, 26, 24, 22, 20, 19]
    counts = [6, 5, 5, 5, 4, 4, 2, 2, 2, 1]
    plain = tutorials_merges([sentences], 10)
    assert [token.decode() for token, *_ in plain] == [
        *("at", "th", "the", "the ", "at ", " the ", "cat ", "n the ", "at.", "the cat ")
    ]
    assert [count for _, count, *_ in plain] == counts
    assert [left for *_, left in plain] == tokens_left
    run = trained(sentences, 266, pattern="none", min_count=1)
    assert [merge.count for merge in run.merges()] == counts
    assert [merge.tokens_left for merge in run.merges()] == tokens_left
    assert [token for token, _ in learned(run)][:4] == ["at", "e ", "he ", "the "]


@pytest.mark.deep
def test_e3_a_larger_vocabulary_gives_fewer_tokens(cats):
    sentence = "the fat cat sat on the mat"
    assert [len(tutorials_encoding([cats], most, pattern="none").encode(sentence)) for most in (4, 24)] == [16, 10]
    sizes = [
        len(engine.train(cats, vocab_size, pattern="none", min_count=1).encode(sentence)) for vocab_size in (260, 280)
    ]
    assert sizes == [16, 8]


@pytest.mark.deep
def test_e4_with_and_without_a_split(cats):
    sentence = "the cat sat on the mat"
    plain = tutorials_encoding([cats], 20, pattern="none")
    assert spelled(plain, sentence) == ["the ", "cat ", "s", "at ", "o", "n the ", "m", "at"]
    words = re.findall(r" ?\w+|[^\w\s]", cats)
    assert len(tutorials_encoding(words, 20, pattern="gpt2").encode(sentence)) == 6
    for pattern in ("none", "gpt2", "cl100k_base"):
        assert len(engine.train(cats, 276, pattern=pattern, min_count=1).encode(sentence)) == 8


def test_e5_rhyming_words_run_out_of_pairs(tutorial):
    found = re.search(r'text = \("(.*)"\n"(.*)"\)', tutorial("S1"))
    assert found
    run = trained("".join(found.groups()), 256 + 15, pattern="whitespace", alphabet="characters", min_count=1)
    assert learned(run)[:7] == [("at", 12), ("th", 8), ("the", 7), ("cat", 3), ("on", 3), ("sat", 3), ("mat", 2)]
    assert len(run.merges()) == 14
    assert run.progress().why_done


def test_words_count_as_often_as_they_occur():
    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    corpus = " ".join(itertools.chain.from_iterable([word] * count for word, count in words.items()))
    run = trained(corpus, 260, pattern="whitespace", alphabet="characters", min_count=1)
    assert learned(run) == [("ug", 20), ("un", 16), ("hug", 15), ("pun", 12)]


def test_e6_a_shared_stem_comes_first():
    run = trained("eat eater eating", 300, pattern="whitespace", alphabet="characters+</w>", min_count=1)
    counts = [count for _, count in learned(run)]
    assert learned(run)[1] == ("eat", 3)
    assert counts == [3, 3] + [1] * (len(counts) - 2)
    assert tutorials_merges(["eat ", "eater ", "eating "], 2)[0][:2] == (b"ea", 3)


LOW = ["low ", "lower ", "lowest ", "new ", "newer "]
"""Words with their mark, which is stored as a space."""


def test_e7_the_stem_comes_before_the_ending():
    found = [(token.decode().replace(" ", "</w>"), count) for token, count, *_ in tutorials_merges(LOW, 8)]
    assert found == [
        *(("lo", 3), ("low", 3), ("lowe", 2), ("r</w>", 2), ("ne", 2), ("new", 2), ("low</w>", 1), ("lower</w>", 1))
    ]
    run = trained("low lower lowest new newer", 264, pattern="whitespace", alphabet="characters+</w>", min_count=1)
    assert learned(run) == [
        *(("lo", 3), ("we", 3), ("ne", 2), ("r ", 2), ("w ", 2), ("lowe", 2), ("st", 1), ("low ", 1))
    ]


@pytest.mark.deep
def test_e8_words_that_were_and_were_not_seen():
    encoding = tutorials_encoding(LOW, 8, pattern="whitespace", alphabet="characters+</w>")
    assert spelled(encoding, "lower") == ["lower "]
    assert spelled(encoding, "lowest") == ["lowe", "s", "t", " "]
    assert spelled(encoding, "lowly") == ["low", "l", "y", " "]


@pytest.mark.parametrize(
    ("pattern", "entries", "expected"),
    [("cl100k_base", 1647, {512: 2.10, 1024: 3.01}), ("none", 2048, {512: 2.12, 1024: 3.07, 2048: 4.59})],
)
def test_e9_compression_grows_with_the_vocabulary_ever_more_slowly(tutorial, pattern, entries, expected):
    run = trained(tutorial("S3"), 2048, pattern=pattern)
    curve, progress = run.curve(), run.progress()
    assert progress.bytes_total == 23_787
    assert progress.vocab_size == entries
    by_size = dict(zip(curve.vocab_sizes.tolist(), curve.bytes_per_token.tolist(), strict=True))
    for vocab_size, value in expected.items():
        assert round(by_size[vocab_size], 2) == value
    counts = [merge.count for merge in run.merges()]
    assert counts == sorted(counts, reverse=True)
    assert (np.diff(curve.bytes_per_token) > 0).all()
    sizes = np.array([256, 512, 1024, entries])
    values = np.array([1.0, by_size[512], by_size[1024], curve.bytes_per_token[-1]])
    assert (np.diff(np.diff(values) / np.diff(sizes)) < 0).all()
    if pattern == "cl100k_base":
        assert round(progress.bytes_per_token, 2) == 3.69


def test_e10_repetitions_collapse_into_absurd_tokens():
    assert len(LOOP * 400) == 13_200
    raw = trained(LOOP * 400, 2048, pattern="none")
    assert (raw.progress().tokens, len(raw.merges())) == (3, 38)
    assert max(len(merge.token_bytes) for merge in raw.merges()) == 8448
    split = trained(LOOP * 400, 2048)
    assert (split.progress().vocab_size, split.progress().tokens) == (277, 4400)
    assert max(len(merge.token_bytes) for merge in split.merges()) == 6


def test_e27_a_script_that_was_never_seen_falls_back_to_bytes():
    encoding = engine.train("All of this is English, and nothing else is. " * 20, 400)
    text = "敏捷的棕色狐狸"
    assert len(encoding.encode(text)) == 3 * len(text)
    assert encoding.decode(encoding.encode(text)) == text
