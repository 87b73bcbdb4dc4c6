"""Claude counted by ctok where it is installed: a small one of ours in its place, the real one where it is there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path

import pytest

import engine
import pricing
from engine.encoding import library_encoding
from engine.text.kinds import TextSample, sample_of_texts
from gui.core.model_counts import narrowed
from pricing.calibration import reconstructed
from pricing.types import CountRule

WORDS = "the cost of a prompt is known "
CATALOG = pricing.load_catalog()
NEW, OLD, GPT = (CATALOG.find(name) for name in ("claude-opus-4-8", "claude-opus-4-6", "gpt-4.1"))
IS_INSTALLED = library_encoding.is_installed
O200K = engine.get_encoding("o200k_base")

THREE_A_WORD = """
def token_count(text, version):
    return {"3.0": 7, "4.8": 6}[version] + {"3.0": 2, "4.8": 3}[version] * len(text.split())
"""


@pytest.fixture
def ctok(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A ctok that counts two and three tokens a word."""
    monkeypatch.setattr(library_encoding, "is_installed", IS_INSTALLED)
    (tmp_path / "ctok.py").write_text(THREE_A_WORD, encoding="utf-8")
    kept = sys.modules.pop("ctok", None)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "ctok.py"
    sys.modules.pop("ctok", None)
    if kept is not None:
        sys.modules["ctok"] = kept


def counted(model: pricing.Model, text: str) -> pricing.TokenCount | None:
    changed = narrowed([model], sample_of_texts([text]))[0].model
    return pricing.count_for(changed, {"o200k_base": O200K.count(text)})


@pytest.mark.usefixtures("ctok")
class TestInstalled:
    @pytest.mark.parametrize("words", [1, 3, 7, 1_001, 2_000])
    def test_a_whole_text_is_counted_to_the_token(self, words: int) -> None:
        text = " ".join(["cost"] * words)
        assert counted(NEW, text) == pricing.TokenCount(3 * words, 3 * words, 3 * words, "reconstructed")
        assert counted(OLD, text) == pricing.TokenCount(2 * words, 2 * words, 2 * words, "reconstructed")

    def test_a_long_text_is_sampled_with_the_spread_of_the_samples(self) -> None:
        text = WORDS * 1_000 + "antidisestablishmentarianism " * 1_000
        count = counted(NEW, text)
        assert count is not None
        assert count.label == "reconstructed"
        assert count.low < count.tokens < count.high
        assert count.low <= 3 * len(text.split()) <= count.high

    def test_a_rule_of_samples_says_so(self) -> None:
        rule = narrowed([NEW], sample_of_texts([WORDS * 3_000]))[0].model.count
        assert rule.note.startswith("10 evenly spread samples of the text counted with ctok")

    def test_only_claude_is_counted_so(self) -> None:
        assert narrowed([GPT], sample_of_texts([WORDS]))[0].model is GPT

    def test_an_empty_text_keeps_the_range(self) -> None:
        assert narrowed([NEW], TextSample())[0].model.count == NEW.count
        assert "ctok" not in sys.modules


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def token_count(text, version):\n    raise NotImplementedError('no such version')\n", "no such version"),
        ("", "AttributeError"),
        ("raise ImportError('half installed')\n", "half installed"),
    ],
)
def test_a_ctok_that_fails_leaves_the_range_and_a_remark(ctok: Path, source: str, why: str) -> None:
    ctok.write_text(source, encoding="utf-8")
    rule = narrowed([NEW], sample_of_texts([WORDS * 20]))[0].model.count
    assert (rule.label, rule.low, rule.high) == ("estimated", Decimal("1.39"), Decimal("1.58"))
    assert rule.note.startswith("English prose")
    assert "ctok failed: " in rule.note
    assert why in rule.note


@pytest.mark.usefixtures("ctok")
def test_it_is_found_without_being_imported() -> None:
    assert IS_INSTALLED()
    assert "ctok" not in sys.modules


def test_without_it_nothing_changes() -> None:
    assert narrowed([NEW], sample_of_texts([WORDS * 20]))[0].model.count.label == "estimated"


def test_the_ratio_is_that_of_all_pieces_and_the_range_that_of_each() -> None:
    # 30 + 60 tokens for 20 + 30 of o200k_base: 90 / 50 = 1.8, between 30 / 20 = 1.5 and 60 / 30 = 2
    rule = reconstructed(NEW.count, [(30, 20), (60, 30)], whole=False)
    expected = CountRule("o200k_base", "reconstructed", Decimal("1.8"), Decimal("1.5"), Decimal(2), rule.note)
    assert rule == expected
    assert reconstructed(NEW.count, [], whole=False) is NEW.count


@pytest.mark.skipif(find_spec("ctok") is None, reason="ctok is not installed")
def test_the_real_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_encoding, "is_installed", IS_INSTALLED)
    # What ctok 1.3.0 counts, less its frame: 9 - 7 and 9 - 6.
    assert counted(OLD, "hello world") == pricing.TokenCount(2, 2, 2, "reconstructed")
    assert counted(NEW, "hello world") == pricing.TokenCount(3, 3, 3, "reconstructed")
