"""Two vocabularies side by side, against dictionaries."""

from __future__ import annotations

from hypothesis import given

import engine
from engine.vocabulary.entries import entries_of
from engine.vocabulary.entry_diagnostics import ANOTHER_ID, NOWHERE, ONLY_HERE, ONLY_THERE, SAME_ID, compare
from tests.engine.vocabulary.vocabularies import TOKENS, vocabulary
from tests.thoroughness import examples


def by_what_it_is(encoding) -> dict[tuple[bytes, bool], int]:
    infos = (encoding.token_info(token_id) for token_id in range(encoding.n_vocab))
    return {(info.token_bytes, info.kind == "special"): info.token_id for info in infos if info.kind != "unused"}


@examples(50)
@given(ours=TOKENS, theirs=TOKENS)
def test_every_token_is_in_one_group(ours, theirs):
    first, second = vocabulary(ours), vocabulary(theirs, {"<|end|>": 500})
    here, there = by_what_it_is(first), by_what_it_is(second)
    comparison = compare(entries_of(first), entries_of(second))

    def pairs(group: int) -> set[tuple[int, int]]:
        return {(int(one), int(other)) for one, other in comparison.pairs(group)}

    both = {(here[key], there[key]) for key in here.keys() & there.keys()}
    assert pairs(SAME_ID) == {(one, other) for one, other in both if one == other}
    assert pairs(ANOTHER_ID) == {(one, other) for one, other in both if one != other}
    assert pairs(ONLY_HERE) == {(here[key], NOWHERE) for key in here.keys() - there.keys()}
    assert pairs(ONLY_THERE) == {(NOWHERE, there[key]) for key in there.keys() - here.keys()}
    counts = comparison.counts()
    assert sum(counts[:3]) == len(here)
    assert counts[SAME_ID] + counts[ANOTHER_ID] + counts[ONLY_THERE] == len(there)


def test_a_vocabulary_and_itself_with_other_special_tokens():
    plain, edit = (entries_of(engine.get_encoding(name)) for name in ("p50k_base", "p50k_edit"))
    assert compare(plain, edit).counts() == (50_281, 0, 0, 3)
    assert compare(plain, plain).counts() == (50_281, 0, 0, 0)


def test_published_vocabularies_share_what_their_bytes_say():
    first, second = (engine.get_encoding(name) for name in ("cl100k_base", "o200k_base"))
    comparison = compare(entries_of(first), entries_of(second))
    shared = set(first._mergeable_ranks) & set(second._mergeable_ranks)
    special = first.special_tokens_set & second.special_tokens_set
    counts = comparison.counts()
    assert counts[SAME_ID] + counts[ANOTHER_ID] == len(shared) + len(special)
    token = first.encode_single_token(" strawberry")
    assert comparison.there[token] == second.encode_single_token(" strawberry")
