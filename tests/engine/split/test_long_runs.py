"""Long runs of one kind of character: encoded exactly, where tiktoken gives up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.split import engine_limits
from engine.split.patterns import PATTERNS
from tests.engine import oracles
from tests.thoroughness import examples, mostly_deep

NAMES = [name for name in engine.list_encoding_names() if engine.get_encoding(name)._pattern is not None]

RUNS = [
    *("  ", "\t ", "\xa0\xa0", "\u3000", "\n\n", "\r\n", " \n ", "\x1c\x1c"),
    *("\x00\x00", "\u200d\u200d", "\u05f5\x91", "\ue000\ufeff", "\u3040\u3097", "\u3099\u3099"),
]
DOUBLED = [run * 2 for run in RUNS]
OTHERS = [*"a1字ア!/'・é ", "\u0301", "\n", "\r", "\x85", "<|endoftext|>", "12", "😀"]


@pytest.fixture(params=[2, 4])
def tiny_limit(request):
    """Take runs of a few characters for long ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_limits, "LIMIT", request.param)
        patch.setattr(engine_limits, "_WINDOW", 3)
        yield


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", mostly_deep(NAMES, 2))
def test_cut_out_runs_change_no_id(name, vocabularies, tiny_limit):
    encoding = engine.get_encoding(name)
    cut_out = []

    @examples(200)
    @given(
        parts=st.lists(st.one_of(st.sampled_from(RUNS), st.sampled_from(DOUBLED), st.sampled_from(OTHERS)), max_size=12)
    )
    def check(parts):
        text = "".join(parts)
        cut_out.extend(engine_limits.find_long_runs(encoding._pattern, text))
        expected = oracles.ids(name, vocabularies, text)
        assert encoding.encode_ordinary(text) == expected
        assert encoding.token_ids(text).tolist() == expected

    check()
    assert cut_out


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "unit", "before", "behind"),
    mostly_deep(
        [
            ("gpt2", "\xa0", "!\n", "x"),
            ("cl100k_base", " ", "a", "b"),
            ("o200k_base", " ", "", ""),
            ("qwen", " ", "!\n", "字"),
            ("tekken", "\t", "", "1"),
            ("deepseek", " ", "a", "字"),
            ("deepseek", "\x00", "a ", "b"),
            ("deepseek", "\u200d", "", ""),
        ],
        1,
    ),
)
def test_a_million_characters(name, unit, before, behind, capfd):
    encoding = engine.get_encoding(name)
    text = before + unit * 1_050_000 + behind
    ids = encoding.encode_ordinary(text)
    assert encoding.decode(ids) == text
    assert encoding.count(text) == len(ids)
    assert capfd.readouterr().err == ""
    # A run repeats itself: the tokens of a short one stand at both ends of the long one.
    short = encoding.encode_ordinary(before + unit * 4_096 + behind)
    assert ids[: len(short) // 3] == short[: len(short) // 3]
    assert len(set(ids)) <= len(set(short)) + 8


def test_special_tokens_beside_a_run(monkeypatch):
    monkeypatch.setattr(engine_limits, "LIMIT", 1_000)
    encoding = engine.get_encoding("deepseek")
    special = "<think>"
    token = encoding.encode_single_token(special)
    run = " " * 5_000
    ids = encoding.encode(f"a{run}{special}{run}b", allowed_special="all")
    first, second = ids[: ids.index(token)], ids[ids.index(token) + 1 :]
    assert first == encoding.encode_ordinary(f"a{run}")
    assert second == encoding.encode_ordinary(f"{run}b")
    assert encoding.token_ids(f"a{run}{special}{run}b", special_as_tokens=True).tolist() == ids
    monkeypatch.undo()
    assert encoding.encode(f"a{run}{special}{run}b", allowed_special="all") == ids


def test_a_surrogate_beside_a_run(monkeypatch):
    monkeypatch.setattr(engine_limits, "LIMIT", 1_000)
    encoding = engine.get_encoding("o200k_base")
    run = " " * 5_000
    assert encoding.encode_ordinary(f"{run}\ud800") == encoding.encode_ordinary(f"{run}\ufffd")
    assert encoding.count(f"{run}\ud800") == encoding.count(f"{run}\ufffd")


def test_short_texts_are_not_searched(monkeypatch):
    monkeypatch.setattr(engine_limits, "_runs_of_rule", lambda *_: pytest.fail("searched"))
    for pattern in PATTERNS:
        assert engine_limits.find_long_runs(pattern, " " * (engine_limits.LIMIT - 1)) == []


def test_classes_are_those_of_the_split_engine():
    assert engine_limits._members(r"\s", "a \x1c\x85\u180eb\u3000") == " \x85\u3000"
    assert engine_limits._members("", "abc") == ""
