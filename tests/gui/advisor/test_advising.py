from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.runtime import cancellation
from engine.runtime.cancellation import cancellable
from gui.core import savings
from gui.core.savings import KINDS, Edit, advise, apart_from, edited, together, united_edits
from gui.core.text_structure import Watch
from tests.engine.strategies import texts_with_surrogates
from tests.thoroughness import mostly_deep

PIECES = ['{ "a":  1.0 }\n', "  \n", "\n\n\n", "e\u0301", "“x”", "\u200b", "<!-- c -->\n", "| a    | b |\n|-----|-|\n"]
PIECES += [
    "```js\n    a\n```\n",
    "```\n",
    "The very same sentence, which is said again and again.\n",
    "ﬁ",
    "\r\n",
    "\ud800",
]
prompts = st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | texts_with_surrogates()


def count(text: str) -> int:
    return engine.get_encoding("o200k_base").count(text)


@given(st.lists(st.tuples(st.text("ab", max_size=2), st.text("xy", max_size=2)), max_size=20), st.integers(1, 8))
def test_edits_are_done_in_stretches(parts: list[tuple[str, str]], size: int):
    """Each letter in front stays, and a dot behind it becomes something else."""
    text, edits = "", []
    for kept, replacement in parts:
        text += f"{kept}."
        edits.append(Edit(len(text) - 1, len(text), replacement))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(savings, "ENTRIES", size)
        assert edited(f"{text}end", edits) == "".join(map("".join, parts)) + "end"


def test_whoever_waits_is_let_in_between_edits(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cancellation.interruptible, "__defaults__", (100,))
    asked: list[int] = []
    with cancellable(lambda: asked.append(1)):
        assert edited("." * 1000, [Edit(place, place + 1, "") for place in range(1000)]) == ""
    assert len(asked) == 10


def test_effects_are_counted():
    text = '{\n    "name": "Anna",\n    "age": 30\n}\n'
    advice = advise(text, count)
    (proposal,) = advice.proposals
    assert proposal.kind.name == "json"
    effect = proposal.effect
    assert (effect.tokens_before, effect.tokens_after) == (count(text), count('{"name":"Anna","age":30}\n'))
    assert effect.tokens_saved == count(text) - count('{"name":"Anna","age":30}\n')
    assert advice.tokens == effect.tokens_before
    assert not advice.unfinished


def test_what_saves_nothing_is_not_offered():
    """Half the indentation costs as many tokens; a count that sees no difference stands for every such case."""
    assert advise('{ "a":  1 }  \n\n\n\n“b”', lambda text: 7).proposals == ()


@pytest.mark.parametrize("text", ["", "Plain words.\n", "\ud800", "\r\n"])
def test_nothing_to_advise(text: str):
    assert advise(text, count).proposals == ()


@given(prompts)
def test_every_proposal_keeps_its_word(text: str):
    advice = advise(text, count)
    assert not advice.unfinished
    for proposal in advice.proposals:
        effect = proposal.effect
        assert all(0 <= edit.char_start < edit.char_end <= len(text) for edit in effect.edits)
        assert all(one.char_end <= other.char_start for one, other in itertools.pairwise(effect.edits))
        assert effect.tokens_after == count(edited(text, effect.edits)) < count(text) == effect.tokens_before


@given(prompts)
def test_proposals_together_are_as_one_after_the_other(text: str):
    proposals = advise(text, count).proposals
    effect = together(text, proposals, count)
    assert effect == together(text, reversed(proposals), count)
    assert all(one.char_end <= other.char_start for one, other in itertools.pairwise(effect.edits))
    step_by_step = text
    done: list[Edit] = []
    for proposal in proposals:
        for edit in set(proposal.effect.edits) & set(effect.edits) - set(done):
            shift = sum(len(one.replacement) - one.char_end + one.char_start for one in done if one < edit)
            start, end = edit.char_start + shift, edit.char_end + shift
            step_by_step = step_by_step[:start] + edit.replacement + step_by_step[end:]
            done.append(edit)
    assert sorted(done) == list(effect.edits)
    assert step_by_step == edited(text, effect.edits)
    assert effect.tokens_after == count(step_by_step)


def test_of_edits_that_overlap_the_earlier_row_keeps_its_own():
    first, second = [Edit(4, 8, "")], [Edit(0, 4, "x"), Edit(7, 9, ""), Edit(8, 9, "y")]
    assert united_edits([first, second]) == (Edit(0, 4, "x"), Edit(4, 8, ""), Edit(8, 9, "y"))
    assert united_edits([second, first]) == tuple(second)
    assert apart_from(second, []) == second


def test_a_text_that_takes_too_long_is_said_so():
    clock = itertools.count()
    advice = advise('{ "a":  1 }', count, watch=Watch(3, now=lambda: float(next(clock))))
    assert advice.unfinished
    assert len(advice.unfinished) < len(KINDS)


def test_the_caller_can_stop_it():
    class Stopped(Exception):
        pass

    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        advise("text", count, watch=Watch(60, check=stop))


@pytest.mark.deep
@pytest.mark.parametrize(
    "piece",
    mostly_deep(
        [
            "[\n",
            "{\n",
            '["',
            "<!--",
            "```\n",
            "|-",
            "a\u0301\u0323",
            " \t",
            "A1b" * 30 + "\n",
            "\n \n",
            "0a1b",
            "| \\|",
        ],
        2,
    ),
)
def test_hostile_texts_take_no_longer_than_long_ones(piece: str):
    """A quadratic search would run out of its time and say so."""
    text = piece * (400_000 // len(piece))
    assert advise(text, len).unfinished == ()


@pytest.mark.deep
def test_ten_megabytes():
    lines = [f'{{ "id": {number}, "name": "Anna" }}\n' for number in range(300_000)]
    advice = advise("".join(lines), len, watch=Watch(float("inf")))
    table, proposal = advice.proposals
    assert table.kind.name == "json_csv"
    assert proposal.kind.name == "json"
    assert proposal.effect.tokens_saved == 5 * len(lines)
