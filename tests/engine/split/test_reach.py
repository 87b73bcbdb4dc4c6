"""How far patterns look: what is said to be settled is, whatever stands behind."""

from __future__ import annotations

import random

import pytest

from engine.split.expression import UnsupportedPatternError
from engine.split.patterns import KNOWN_EXPRESSIONS
from engine.split.pretokenization import InvalidPatternError, Pretokenizer, pretoken_chunks, pretokenizer
from tests.engine.kernels.odd_texts import odd_text
from tests.engine.random_patterns import random_pattern, random_text
from tests.thoroughness import mostly_deep

SEED = 7


def pretokenizers(count: int):
    """Random patterns that are valid, with the number each was made from."""
    for number in range(count):
        expression = random_pattern(random.Random(f"{SEED} {number}"))
        try:
            yield number, Pretokenizer(expression)
        except (InvalidPatternError, UnsupportedPatternError):
            continue


def check_settled(known: Pretokenizer, rng: random.Random, text_of) -> int:
    """Ends that are settled are those of any text that goes on otherwise. How many were."""
    start = text_of(rng)
    settled = known.settled(start)
    ends = [
        [end for end in known.char_spans(start + rest)[:, 1].tolist() if end <= settled]
        for rest in ("", text_of(rng), text_of(rng), start[-3:], "a", "\n")
    ]
    assert all(one == ends[0] for one in ends), (start, settled, ends)
    return len(ends[0])


def check_behind(known: Pretokenizer, rng: random.Random, text_of) -> None:
    """From the end of any pretoken, with so much before it as the pattern looks back at, the rest is the same."""
    behind = known.reach.behind
    if behind is None:
        return
    text = text_of(rng)
    spans = known.char_spans(text)
    for number in range(len(spans)):
        end = int(spans[number, 1])
        low = max(0, end - behind)
        rest = known.settled_spans(text[low:], end - low, to_end=True) + low
        assert rest.tolist() == spans[number + 1 :].tolist(), (text, end)


@pytest.mark.deep
def test_random_patterns():
    settled = checked = 0
    for number, known in pretokenizers(500):
        rng = random.Random(f"{SEED} {number} texts")
        for _ in range(6):
            settled += check_settled(known, rng, random_text)
            check_behind(known, rng, random_text)
            checked += 1
    assert settled > checked  # there is something to see


@pytest.mark.parametrize("expression", mostly_deep(sorted(KNOWN_EXPRESSIONS), 3))
def test_known_patterns(expression):
    known = pretokenizer(expression)
    assert known.reach.behind == 0
    rng = random.Random(SEED)
    settled = 0
    for _ in range(200):
        settled += check_settled(known, rng, odd_text)
        check_behind(known, rng, odd_text)
    assert settled > 200


@pytest.mark.parametrize(
    ("expression", "behind"),
    [("a", 0), (r"\Aa", 1), (r"(?<=ab)c", 2), (r"(?<=\Aab)c", 3), (r"\b", 1), (r"(?<!a(?<=bc))d", 3), ("(?m)^a", 1)],
)
def test_how_far_a_pattern_looks_back(expression, behind):
    assert Pretokenizer(expression).reach.behind == behind


@pytest.mark.parametrize(
    ("expression", "text", "settled"),
    [
        ("a", "xx", 0),
        ("ab|a", "xxaa", 1),
        ("a+", "xaaa", 0),
        (r"\s+(?!\S)|\S+", "a bb  ", 2),
        (r"a{2,4}b?", "aaaaaaaa", 2),
        (".*", "abc", -1),
        (r"[^\n]*\n", "ab\ncd", -1),
        (r"[^\n]*\n", "ab\nc\nd", 2),
        (r"(?=.*x)a|b", "a\nb\n\nab", 1),
    ],
)
def test_what_is_settled(expression, text, settled):
    assert Pretokenizer(expression).settled(text) == settled


@pytest.mark.deep
def test_a_text_is_cut_stretch_by_stretch(monkeypatch):
    """As it is cut at once, for patterns that settle early, late and never."""
    rng = random.Random(SEED)
    for _, known in pretokenizers(300):
        text = random_text(rng, 60)
        expected = known.char_spans(text).tolist()
        monkeypatch.setattr("engine.split.pretokenization.CHUNK_CHARS", rng.choice((1, 3, 8)))
        found = []
        for stretch in pretoken_chunks(known, text):
            assert text[stretch.char_start :].startswith(stretch.text)
            found += (stretch.char_spans + stretch.char_start).tolist()
        assert found == expected
