"""What the merge inspector tells: how a text is cut, each merge with its competitors, why something is no token."""

from __future__ import annotations

import itertools
import random

import pytest

import engine
from engine.analysis import merge_steps
from engine.analysis.merge_steps import cut_text, state_after, trace_of, why_not_one
from engine.analysis.merge_types import (
    InsideWhole,
    IsToken,
    MergedOn,
    NeverMade,
    NoSuchToken,
    PretokenTrace,
    SplitApart,
    TakenFirst,
)
from engine.encoding.encoding import Encoding
from engine.encoding.preprocessing_encoding import prepared
from engine.errors import UnsupportedTextError
from engine.split import reference
from engine.split.patterns import CL100K
from engine.training.reference import learn_merges
from tests.engine.kernels.small_vocabularies import learnt_ranks
from tests.engine.random_words import first_difference, random_words
from tests.thoroughness import mostly_deep

BYTES = {bytes([value]): value for value in range(256)}


def own(tokens: dict[bytes, int], pattern: str = CL100K.expression, special: dict[str, int] | None = None) -> Encoding:
    return Encoding("own", pat_str=pattern, mergeable_ranks=BYTES | tokens, special_tokens=special or {})


def pairs(name: str, word: str) -> list[str]:
    encoding = engine.get_encoding(name)
    account = trace_of(encoding, word)
    return [f"{encoding.decode([one.left_id])}+{encoding.decode([one.right_id])}" for one in account.steps]


def why(encoding: Encoding, text: str, part: str = ""):
    start = text.index(part) if part else 0
    return why_not_one(encoding, cut_text(encoding, text), start, start + len(part or text))


# --- the cut ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", mostly_deep(engine.list_encoding_names()))
def test_the_accounts_of_all_pretokens_are_the_tokens_of_the_text(name):
    encoding = engine.get_encoding(name)
    text = "Don't  panic: 12345 naïve 漢字かな 🚀\ud83d\n\n x\u200d<|endoftext|>\0"
    cut = cut_text(encoding, text)
    found = [token_id for index in range(len(cut)) for token_id in trace_of(encoding, cut.pretoken(index)).ids]
    assert found == encoding.encode_ordinary(text)
    assert "".join(cut.pretoken(index) for index in range(len(cut))) == cut.text
    assert not cut.is_prepared


def test_a_text_is_cut_as_it_is_prepared():
    encoding = prepared(engine.get_encoding("r50k_base"), ("NFKC", "lowercase"))
    cut = cut_text(encoding, "ﬁNE")
    assert (cut.text, cut.is_prepared) == ("fine", True)


def test_what_a_pattern_leaves_out_is_in_no_pretoken():
    cut = cut_text(own({}, pattern=r"\w+"), "ab cd!")
    assert cut.char_spans.tolist() == [[0, 2], [3, 5]]


def test_long_texts_are_cut_stretch_by_stretch():
    encoding = engine.get_encoding("cl100k_base")
    text = "some words, and 12345 numbers\n" * 5_000
    cut = cut_text(encoding, text)
    assert "".join(cut.pretoken(index) for index in range(len(cut))) == text


def test_nothing_is_cut_into_nothing():
    assert len(cut_text(engine.get_encoding("o200k_base"), "")) == 0


# --- the steps -------------------------------------------------------------------------------------------------------


def test_each_state_follows_from_the_one_before_by_its_lowest_pair():
    for seed in range(8):
        rng = random.Random(f"account {seed}")
        ranks = learnt_ranks(rng, b"abc", 50, 0)
        encoding = own({token: 256 + number for number, token in enumerate(t for t in ranks if len(t) > 1)})
        for _ in range(20):
            content = bytes(rng.choices(b"abc", k=rng.randrange(1, 40)))
            check_states(encoding, trace_of(encoding, content.decode()), content)


def check_states(encoding: Encoding, account: PretokenTrace, content: bytes) -> None:
    ranks = dict(encoding._mergeable_ranks)
    parts = [content[place : place + 1] for place in range(len(content))]
    for done in range(len(account.steps) + 1):
        state = state_after(encoding, account, done)
        assert [content[part.byte_start : part.byte_end] for part in state.parts] == parts
        assert [part.token_id for part in state.parts] == [ranks[part] for part in parts]
        made = [ranks.get(left + right) for left, right in itertools.pairwise(parts)]
        in_order = sorted(state.pairs, key=lambda pair: pair.left.byte_start)
        assert [pair.token_id for pair in in_order] == made
        known = [rank for rank in made if rank is not None]
        assert [pair.rank for pair in state.pairs] == sorted(known) + [None] * (len(made) - len(known))
        if not known:
            assert state.chosen is None
            return
        assert state.chosen == state.pairs[0]
        place = made.index(min(known))
        assert state.chosen.left.byte_start == sum(map(len, parts[:place]))
        step = account.steps[done]
        assert (step.left_id, step.right_id) == (state.chosen.left.token_id, state.chosen.right.token_id)
        parts[place : place + 2] = [parts[place] + parts[place + 1]]


def test_strawberry_in_two_encodings():
    assert pairs("cl100k_base", "berry") == ["e+r", "er+r", "err+y", "b+erry"]
    assert pairs("o200k_base", "berry") == ["e+r", "b+er", "r+y", "ber+ry"]
    assert "r+r" not in pairs("cl100k_base", "strawberry") + pairs("o200k_base", "strawberry")


def test_ranks_are_counted_from_the_first_token_that_is_merged():
    encoding = engine.get_encoding("tekken")
    first = state_after(encoding, trace_of(encoding, "berry"), 0).chosen
    assert first.rank == first.token_id - 1000


def test_only_the_first_in_line_are_listed(monkeypatch):
    encoding = engine.get_encoding("cl100k_base")
    account = trace_of(encoding, "ab" * 200)
    state = state_after(encoding, account, 0)
    assert (len(state.pairs), state.pairs_left_out) == (merge_steps.MAX_PAIRS, 399 - merge_steps.MAX_PAIRS)
    assert state.chosen == state.pairs[0]
    with pytest.raises(ValueError, match="out of range"):
        state_after(encoding, account, len(account.steps) + 1)


def test_a_pretoken_that_is_looked_up_has_one_state():
    encoding = own({b"xyz": 256})
    account = trace_of(encoding, "xyz")
    assert (account.ids, account.steps, account.is_looked_up) == ((256,), (), True)
    state = state_after(encoding, account, 0)
    assert ([part.token_id for part in state.parts], state.pairs, state.chosen) == ([256], (), None)


@pytest.mark.deep
def test_very_long_pretokens():
    encoding = engine.get_encoding("cl100k_base")
    account = trace_of(encoding, "a" * 100_000)
    assert len(account.ids) == encoding.count("a" * 100_000)
    assert len(state_after(encoding, account, 50_000).parts) == 50_000
    with pytest.raises(UnsupportedTextError, match="200,001 bytes"):
        trace_of(encoding, "a" * 200_001)


def test_a_byte_that_is_no_token():
    encoding = Encoding("few", pat_str=CL100K.expression, mergeable_ranks={b"a": 0, b"b": 1}, special_tokens={})
    with pytest.raises(UnsupportedTextError, match="few has no token for the byte 63"):
        trace_of(encoding, "abc")


def test_merges_of_a_trained_vocabulary_are_those_that_were_learnt():
    rng = random.Random("trained")
    words = ["".join(rng.choices("abcde", k=rng.randrange(1, 9))) for _ in range(300)]
    counts: dict[tuple[int, ...], int] = {}
    for word in words:
        counts[tuple(word.encode())] = counts.get(tuple(word.encode()), 0) + 1
    merges = learn_merges(counts, [bytes([value]) for value in range(256)], 200)
    contents = [bytes([value]) for value in range(256)]
    for merge in merges:
        contents.append(contents[merge.left_id] + contents[merge.right_id])
    # Two pairs can make the same bytes; a vocabulary has such a token once, as the trainer saves it.
    first_of = {content: token_id for token_id, content in reversed(list(enumerate(contents)))}
    encoding = own({content: token_id for content, token_id in first_of.items() if token_id > 255})
    learnt = {256 + number: (merge.left_id, merge.right_id) for number, merge in enumerate(merges)}
    for content, token_id in first_of.items():
        if token_id > 255:
            tree = encoding.merge_tree(token_id)
            assert (tree.left.token_id, tree.right.token_id) == learnt[token_id], content
    if len(first_of) == len(contents):
        for word in words:
            assert [(one.left_id, one.right_id, one.token_id) for one in encoding.merge_steps(word)] == list(
                in_training_order(list(word.encode()), learnt)
            )


def in_training_order(symbols: list[int], learnt: dict[int, tuple[int, int]]):
    """The merges of a word as a trainer does them: one learnt merge after the other, each from left to right."""
    for token_id, pair in learnt.items():
        place = 0
        while place < len(symbols) - 1:
            if (symbols[place], symbols[place + 1]) == pair:
                symbols[place : place + 2] = [token_id]
                yield (*pair, token_id)
            place += 1


# --- why not one token -----------------------------------------------------------------------------------------------


def test_the_split_cut_it():
    reason = why(engine.get_encoding("cl100k_base"), "don't 12345").reason
    assert reason == SplitApart(("don", "'t", " ", "123", "45"), (3, 5, 6, 9), 0, None)


def test_the_split_cuts_a_token_that_exists():
    encoding = engine.get_encoding("o200k_base")
    assert encoding.decode([3914]) == "\n//"
    reason = why(encoding, "\n//").reason
    assert (reason.token_id, reason.pieces) == (3914, ("\n", "//"))


def test_a_pattern_leaves_text_out():
    assert why(own({}, pattern=r"\w+"), "ab !").reason == SplitApart(("ab",), (), 2, None)
    assert why(own({}, pattern=r"\w+"), "!!").reason == SplitApart((), (), 2, None)


def test_no_such_token_names_the_joins_and_what_came_first():
    encoding = engine.get_encoding("cl100k_base")
    answer = why(encoding, "strawberry")
    assert isinstance(answer.reason, NoSuchToken)
    joins = [
        tuple(encoding.decode([part.token_id]) for part in (pair.left, pair.right)) for pair in answer.reason.missing
    ]
    assert joins == [("str", "aw"), ("aw", "berry")]
    assert {pair.token_id for pair in answer.reason.missing} == {None}
    for lost in answer.reason.lost:
        token = b"strawberry"[lost.byte_start : lost.byte_end]
        assert encoding.decode_single_token_bytes(lost.token_id) == token
        assert 0 < lost.step <= 7
    assert answer.content == "strawberry"
    assert answer.special_id is None


def test_another_merge_came_first():
    encoding = engine.get_encoding("cl100k_base")
    lost = why(encoding, "strawberry", "raw").reason
    assert isinstance(lost, TakenFirst)
    assert encoding.decode([lost.lost.token_id]) == "raw"
    assert (lost.lost.step, encoding.decode([lost.lost.taken_by.token_id])) == (3, "str")


def test_it_was_a_token_and_was_merged_on():
    encoding = engine.get_encoding("cl100k_base")
    reason = why(encoding, "strawberry", "er").reason
    assert isinstance(reason, MergedOn)
    assert (reason.made_at, reason.step, encoding.decode([reason.merge.token_id])) == (1, 4, "err")
    reason = why(encoding, "berry", "b").reason
    assert (reason.made_at, reason.step) == (0, 4)


@pytest.mark.parametrize(("text", "part", "step"), [(" strawberry", "", 10), ("strawberry", "berry", 7), ("z", "", 0)])
def test_it_is_one_token(text, part, step):
    reason = why(engine.get_encoding("cl100k_base"), text, part).reason
    assert isinstance(reason, IsToken)
    assert (reason.step, reason.is_looked_up) == (step, False)


def test_special_tokens_are_said_beside_what_ordinary_text_is():
    answer = why(engine.get_encoding("cl100k_base"), "<|endoftext|>")
    assert answer.special_id == 100257
    assert isinstance(answer.reason, SplitApart)


def test_tokens_that_merges_do_not_lead_to():
    encoding = own({b"xyz": 256})
    assert why(encoding, "xyz").reason == IsToken(256, 0, True)
    assert why(encoding, "xyz", "y").reason == InsideWhole(256, ord("y"))
    assert why(encoding, "axyz", "xyz").reason == NeverMade(256)
    assert why(encoding, "xyz", "xy").reason == InsideWhole(256, None)


def test_long_stretches_are_told_without_what_was_lost():
    reason = why(engine.get_encoding("cl100k_base"), "ab" * 1_000).reason
    assert isinstance(reason, NoSuchToken)
    assert (len(reason.missing), reason.lost) == (50, ())


@pytest.mark.parametrize("stretch", [(0, 0), (-1, 2), (0, 4), (2, 1)])
def test_there_is_nothing_to_explain(stretch):
    encoding = engine.get_encoding("cl100k_base")
    with pytest.raises(ValueError, match="is empty or outside"):
        why_not_one(encoding, cut_text(encoding, "abc"), *stretch)


def test_every_stretch_has_a_true_reason():
    """Against the definition: a stretch is a token at the end, was one on the way, or never is."""
    rng = random.Random("reasons")
    for seed in range(6):
        ranks = learnt_ranks(random.Random(f"{seed} reasons"), b"ab", 30, 0)
        encoding = own({token: 256 + number for number, token in enumerate(t for t in ranks if len(t) > 1)})
        ranks = dict(encoding._mergeable_ranks)
        for _ in range(12):
            text = "".join(rng.choices("ab", k=rng.randrange(2, 14)))
            check_reasons(encoding, ranks, text)


def check_reasons(encoding: Encoding, ranks: dict[bytes, int], text: str) -> None:
    steps = reference.merge_steps(text.encode(), ranks)
    ends = list(range(1, len(text) + 1))
    made = {(place, place + 1) for place in range(len(text))}
    left = set(made)
    for step in steps:
        middle = ends[step.byte_start]
        ends[step.byte_start] = ends[middle]
        left -= {(step.byte_start, middle), (middle, ends[middle])}
        made.add((step.byte_start, ends[middle]))
        left.add((step.byte_start, ends[middle]))
    cut = cut_text(encoding, text)
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            reason = why_not_one(encoding, cut, start, end).reason
            assert isinstance(reason, IsToken) == ((start, end) in left)
            assert isinstance(reason, MergedOn) == ((start, end) in made - left)
            assert isinstance(reason, NoSuchToken) == (text[start:end].encode() not in ranks)


@pytest.mark.parametrize("name", mostly_deep([name for name in engine.list_encoding_names() if "gemma" not in name], 2))
def test_replayed_merges_give_the_tokens_of_tiktoken(name):
    """``python -m benchmarks.merge_replay`` does it with 100,000 words."""
    encoding = engine.get_encoding(name)
    assert first_difference(encoding, random_words(random.Random(name), encoding, 400)) is None
