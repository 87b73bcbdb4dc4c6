"""Every experiment of the Lab comes out as it claims, and survives whatever is typed into it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

import engine
from gui.lab.experiments.card import Card, Claim, Inputs, Outcome, ResultTable, Tools
from gui.lab.experiments.encoding_cards import article
from gui.lab.experiments.training_cards import MAX_CHARACTERS, in_bytes, learn
from gui.lab.lab_controller import LabRequest, card, cards, run_card
from gui.lab.lab_outcome import EXPECTED, FOUND, SAYS, VERDICT, ClaimsModel, ResultModel
from gui.look.theme import Theme
from gui.runtime.jobs import JobCancelled, Ticket
from tests.thoroughness import mostly_deep

MEASURED = {"speed"}
"""Cards that measure this machine, and claim nothing."""
EXPERIMENTS = {f"E{number}" for number in range(1, 28)}

every_card = pytest.mark.parametrize("one", cards(), ids=lambda one: one.key)


def run(one: Card, inputs: Inputs | None = None, own: bool = True) -> Outcome:
    return one.run(inputs or one.inputs, Tools(engine.get_encoding, lambda _fraction: None), own)


def test_every_experiment_has_a_card_of_its_own():
    keys = [one.key for one in cards()]
    assert len(set(keys)) == len(keys)
    assert set(keys) >= EXPERIMENTS


@every_card
def test_what_a_card_claims_is_so(one: Card):
    outcome = run(one)
    assert [(claim.says, claim.found) for claim in outcome.claims] == [
        (claim.says, claim.expected) for claim in outcome.claims
    ]
    assert outcome.holds is (None if one.key in MEASURED else True)
    assert all(len(row) == len(table.columns) for table in outcome.tables for row in table.rows)


def test_a_false_claim_is_told_from_a_true_one():
    assert Claim("", "1", "1").holds
    assert not Claim("", "1", "2").holds
    assert Outcome((Claim("", "1", "1"), Claim("", "1", "2"))).holds is False


@pytest.mark.deep
@every_card
@pytest.mark.parametrize("text", mostly_deep(["", "\n", "x", "\ud83d", "a b\n\n c", "<|endoftext|>", "нет: 不\n🦥"], 2))
def test_any_text_can_be_run(one: Card, text: str):
    numbers = tuple((field.key, field.least if one.key in MEASURED else field.value) for field in one.fields)
    assert run(one, Inputs(text, numbers), own=False).claims == () or not one.takes_text


@every_card
def test_the_least_and_the_largest_numbers_can_be_run(one: Card):
    if one.key in MEASURED:
        pytest.skip("the largest takes seconds, and is measured the same way")
    for end in ("least", "most"):
        numbers = tuple((field.key, getattr(field, end)) for field in one.fields)
        run(one, Inputs(one.text[:200], numbers), own=False)


def test_changed_inputs_make_no_claims():
    request = LabRequest("E1", Inputs("aab aab", (("merges", 2),)), 1)
    assert run_card(engine.get_encoding, None, request, Ticket(lambda *_: None)).claims == ()
    asked = LabRequest("E1", card("E1").inputs, 1)
    assert run_card(engine.get_encoding, None, asked, Ticket(lambda *_: None)).holds


def test_a_card_ends_when_it_is_to():
    ticket = Ticket(lambda *_: None)
    ticket.cancel()
    with pytest.raises(JobCancelled):
        run_card(engine.get_encoding, None, LabRequest("E18", card("E18").inputs, 0), ticket)


def test_more_text_than_the_plain_trainer_is_for_is_refused_in_words():
    with pytest.raises(ValueError, match="Train page"):
        learn([in_bytes("x" * (MAX_CHARACTERS + 1))], 1)


def test_of_equals_the_pair_seen_first_or_the_lower_one():
    words = [in_bytes("ba"), in_bytes("ab")]
    assert learn(words, 1, first_seen=True).steps() == [("ba", 1)]
    assert learn(words, 1).steps() == [("ab", 1)]


def test_replaying_merges_gives_what_lowest_ranks_first_gives():
    from engine.split.reference import encode_pretoken

    words = [in_bytes(word) for word in ["low", "lower", "lowest", "new", "newer", "wide", "wider", "widest"]]
    learned = learn(words, 20, alphabet=[bytes([value]) for value in range(256)])
    ranks = {symbol: place for place, symbol in reversed(list(enumerate(learned.symbols)))}
    for word in ("lower", "newest", "wideners", "x"):
        assert learned.encode(in_bytes(word)) == encode_pretoken(word.encode(), ranks)


def test_the_article_has_its_languages():
    assert [name for name, _ in article()] == ["English", "Spanish", "Chinese", "Korean", "Arabic", "Hindi"]


def test_tables_show_claims_with_a_sign_and_numbers_to_the_right(qapp):
    claims = ClaimsModel((Claim("one", "1", "1"), Claim("two", "2", "3")), Theme("light"))
    told = [[claims.index(row, column).data() for column in (VERDICT, SAYS, EXPECTED, FOUND)] for row in range(2)]
    assert told == [["✓ holds", "one", "1", "1"], ["⚠ differs", "two", "2", "3"]]
    table = ResultModel(ResultTable("t", ("a", "n"), (("x", "1"),), frozenset({1})))
    right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    assert table.index(0, 1).data(Qt.ItemDataRole.TextAlignmentRole) == right
    assert table.index(0, 0).data(Qt.ItemDataRole.TextAlignmentRole) is None
    assert table.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole) == right


def test_claims_on_one_text_differ_in_their_first_words():
    """In a narrow window no others are seen."""
    claims = run(card("E20")).claims
    assert len({claim.says[:12] for claim in claims}) == len(claims) > 1
