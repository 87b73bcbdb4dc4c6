"""The merges: those of the plain trainer, whatever the corpus, the alphabet, the ties, the slices and the threads."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from engine import TrainingRun
from engine.kernels._jit import COMPILED
from engine.kernels.train_merge import MAX_WEIGHT
from engine.split.patterns import split_named
from engine.split.pretokenization import pretokenizer
from engine.training import merging
from engine.training.merging import Merger
from engine.training.reference import PlainMerge, learn_merges
from engine.training.trained_encoding import byte_alphabet, character_alphabet
from tests.engine.strategies import texts
from tests.thoroughness import as_deep, examples

EXAMPLES = examples(100 if COMPILED else 10)

corpora = st.lists(
    st.one_of(
        texts(12),
        st.text(alphabet="ab", max_size=60),
        st.text(alphabet="aé \n", max_size=40),
        st.sampled_from(["a" * 40, "ab" * 30, "the cat in the hat. " * 3, " " * 50, "aaab" * 10, "語言語言 語"]),
    ),
    min_size=1,
    max_size=5,
).filter(any)
patterns = st.sampled_from(
    ["gpt2", "cl100k_base", "o200k_base", "llama3", "qwen2", "whitespace", "sentencepiece", "none", r"\w+|[^\w\s]+"]
)


def learned(run: TrainingRun, seconds: float = 10.0) -> list[PlainMerge]:
    while not run.done:
        run.advance(seconds)
    return [PlainMerge(one.left_id, one.right_id, one.count, one.tokens_left) for one in run.merges()]


def pretokens(documents: list[str], pattern: str) -> list[str]:
    cut = pretokenizer(split_named(pattern).expression)
    if pattern == "sentencepiece":
        documents = ["▁" + text.replace(" ", "▁") for text in documents if text]
    return [piece for text in documents for piece in cut.pretokens(text)]


@EXAMPLES
@given(
    documents=corpora,
    pattern=patterns,
    most=st.sampled_from([0, 1, 5, 60]),
    min_count=st.integers(1, 4),
    longest=st.sampled_from([None, None, 1, 2, 3, 5, 20]),
    threads=st.sampled_from([1, 2]),
)
def test_in_bytes(documents, pattern, most, min_count, longest, threads):
    assume(pretokens(documents, pattern))
    run = TrainingRun(documents, 256 + most, pattern, min_count=min_count, max_token_bytes=longest, threads=threads)
    counts = Counter(tuple(piece.encode()) for piece in pretokens(documents, pattern))
    symbols = byte_alphabet().symbols
    assert learned(run) == learn_merges(counts, symbols, most, min_count=min_count, max_token_bytes=longest)


@EXAMPLES
@given(documents=corpora, pattern=patterns, most=st.sampled_from([1, 5, 60]), min_count=st.integers(1, 3))
def test_in_characters(documents, pattern, most, min_count):
    pieces = pretokens(documents, pattern)
    assume(pieces)
    always = "▁" if pattern == "sentencepiece" else ""
    alphabet = character_alphabet(np.array(sorted({ord(one) for one in always.join(["", *pieces])}), dtype=np.int64))
    ids = {symbol.decode(): symbol_id for symbol_id, symbol in enumerate(alphabet.symbols) if symbol.isascii()}
    ids |= {symbol.decode(): alphabet.symbols.index(symbol) for symbol in alphabet.characters}
    counts = Counter(tuple(ids[one] for one in piece) for piece in pieces)
    run = TrainingRun(documents, len(alphabet) + most, pattern, "characters", min_count=min_count)
    assert learned(run) == learn_merges(counts, alphabet.symbols, most, min_count=min_count)


@EXAMPLES
@given(documents=corpora, most=st.sampled_from([5, 60]), min_count=st.integers(1, 3), pattern=patterns)
def test_in_the_order_of_hugging_face(documents, most, min_count, pattern):
    """Ties go by another order of the bytes."""
    pieces = pretokens(documents, pattern)
    assume(pieces)
    inner = byte_alphabet("huggingface").inner
    counts = Counter(tuple(inner[list(piece.encode())].tolist()) for piece in pieces)
    expected = learn_merges(counts, byte_alphabet().symbols, most, min_count=min_count)
    run = TrainingRun(documents, 256 + most, pattern, min_count=min_count, tie_order="huggingface")
    found = [
        PlainMerge(
            *(int(inner[one]) if one < 256 else one for one in (merge.left_id, merge.right_id)),
            merge.count,
            merge.tokens_left,
        )
        for merge in learned(run)
    ]
    assert found == expected


@EXAMPLES
@given(documents=corpora, longest=st.sampled_from([None, 4]), pattern=patterns)
@example([" ".join("a" * size for size in range(2, 40))], None, "whitespace")
def test_no_two_merges_spell_the_same_bytes(documents, longest, pattern):
    assume(pretokens(documents, pattern))
    run = TrainingRun(documents, 500, pattern, min_count=1, max_token_bytes=longest)
    learned(run)
    spelled = [merge.token_bytes for merge in run.merges()]
    assert len(set(spelled)) == len(spelled)


@pytest.fixture
def cramped(monkeypatch: pytest.MonkeyPatch):
    """All arrays begin as small as they may be, so that each has to grow."""
    monkeypatch.setattr(merging, "FIRST_PAIR_BITS", 9)
    monkeypatch.setattr(merging, "FIRST_RECORDS", 1)
    monkeypatch.setattr(merging, "SPARE_POSITIONS", 0)


def words_at_random(seed: int, count: int) -> dict[tuple[int, ...], int]:
    random = np.random.default_rng(seed)
    words = {}
    for _ in range(count):
        size = int(random.choice([1, 2, 3, 5, 8, 14, 15, 16, 40]))
        word = tuple((random.integers(0, 6, size) + 97).tolist())
        words[word] = int(random.choice([1, 1, 2, 3, 10, 1000]))
    return words


def slots_of(words: dict[tuple[int, ...], int]) -> np.ndarray:
    head = 1 << 31
    slots = [slot for word, count in words.items() for slot in (head + count, *word)]
    return np.array([*slots, head], dtype=np.uint32)


@pytest.mark.deep
@pytest.mark.parametrize("guesses", [(3, 1.75), (1e-9, 0.0), as_deep(((1e-9, 0.1),))], ids=str)
@pytest.mark.parametrize("budget", [1, as_deep(1000), 10**9])
def test_room_and_phases_do_not_matter(
    cramped, monkeypatch: pytest.MonkeyPatch, guesses: tuple[float, float], budget: int
):
    monkeypatch.setattr(merging, "FIRST_DIVISOR", guesses[0])
    monkeypatch.setattr(merging, "FALL", guesses[1])
    words = words_at_random(seed=budget, count=400 if COMPILED else 40)
    most = 300 if COMPILED else 20
    symbols = byte_alphabet().symbols
    tokens = sum(len(word) * count for word, count in words.items())
    merger = Merger(slots_of(words), symbols, most, tokens, min_count=1)
    while not merger.is_done:
        merger.advance(budget)
    found = [PlainMerge(*row) for row in merger.merges.tolist()]
    assert found == learn_merges(words, symbols, most, min_count=1)


def test_counts_beyond_32_bits():
    words = {(97, 98, 99): 3 * MAX_WEIGHT + 5, (98, 99): 7}
    tokens = sum(len(word) * count for word, count in words.items())
    slots = [part for weight in (MAX_WEIGHT, MAX_WEIGHT, MAX_WEIGHT, 5) for part in ((1 << 31) + weight, 97, 98, 99)]
    slots += [(1 << 31) + 7, 98, 99, 1 << 31]
    merger = Merger(np.array(slots, dtype=np.uint32), byte_alphabet().symbols, 44, tokens, min_count=1)
    while not merger.is_done:
        merger.advance(1000)
    assert [PlainMerge(*row) for row in merger.merges.tolist()] == learn_merges(
        words, byte_alphabet().symbols, 44, min_count=1
    )


def test_slices_of_any_length_give_the_same():
    corpus = ["She sells sea shells on the sea shore. "] * 30
    whole = learned(TrainingRun(corpus, 320))
    sliced = TrainingRun(corpus, 320)
    assert learned(sliced, seconds=0) == whole
