"""Any pattern cuts as it would in tiktoken."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.runtime.tiktoken_core import byte_core
from engine.split import patterns
from engine.split.expression import UnsupportedPatternError
from engine.split.pretokenization import InvalidPatternError, Pretokenizer, SplitTimeoutError
from engine.text import offsets
from tests.engine.kernels.odd_texts import odd_text
from tests.engine.kernels.split_oracle import first_disagreement
from tests.thoroughness import mostly_deep

SEED = 5
REST = r"|(?s:.)"

EXPRESSIONS = (
    *(r"\w+|\W", r"\b\w|.|\s", r"\B.", r"\d+|\D+", r"\S+|\s", r"\h+|\H", r".+|\n", r"(?s).{1,3}", r"(?m)^.+$"),
    *(r"^a+|a", r"a+\z", r"a+$", r"a+\Z", r"(?m)a$", r"\A\s+", r"a{2}", r"a{2,}", r"a{1,2}?b", r"a{,3}b", r"a++b?"),
    *(r"(?i)s+", r"(?i:k)[^k]", r"(?i)[^s]+", r"(?i)[a-z&&[^s]]+", r"(?i)\p{Lu}+", r"(?i)\P{Lu}+", r"(?i)ß|µ"),
    *(r"(?i:a)A", r"(a(?i)b)b", r"(?x) a  b # c", r"(?x)[a b]+", r"(?-x:a b)", r"(?P<word>\pL+)", r"(?<word>\PL)"),
    *(r"[a-c\d_-]+", r"[]a]+", r"[^]a]+", r"[a\]]+", r"[\p{L}--\p{Lu}]+", r"[\w&&[^\d]]+", r"[a-d~~c-f]+"),
    *(r"[[:alpha:][:digit:]]+", r"[[:^space:]]+", r"[a-[b]]+", r"[\x41-\x{5A}\u0061-\u{7a}]+", r"\x{1F600}|\U0001F600"),
    *(r"\p{Han}+", r"\p{Script=Greek}+|\p{sc=Cyrl}", r"\p{Alphabetic}+", r"\p{Punct}+", r"\p{^L}+", r"\P{Letter}+"),
    *(r"(?<=a)b|(?<!a)c", r"(?=ab)a|(?!ab)b", r"(?>a+)b|a", r"(?#note)a|b", r"(|a)+b", r"a*?b", r"\.|\-|\#|\ |\t|\e"),
    *(r"{", r"a{x}", r"}", r"(a(?i)b)b", r"(?:a(?i)b)b", r"(?=a(?i))ab", r"(?>a(?i)b)b", r"(?i:a(?-i)b)c"),
    *(r"(?<=a(?i))bb", r"(?!x(?i))bb", r"(?:x(?i)|a)b"),
)


@pytest.mark.parametrize("pattern", mostly_deep(patterns.PATTERNS, 2), ids=lambda pattern: pattern.name)
def test_bundled_patterns(pattern):
    pretokenizer = Pretokenizer(pattern.expression)
    rng = random.Random(f"{SEED} {pattern.name}")
    texts = [odd_text(rng) for _ in range(1000)]
    ends = [pretokenizer.byte_spans(text)[:, 1].tolist() for text in texts]
    assert first_disagreement(pattern.expression, texts, ends) is None


@pytest.mark.deep
@pytest.mark.parametrize("expression", mostly_deep(EXPRESSIONS, 12))
def test_what_patterns_are_made_of(expression):
    expression = f"(?:{expression})" + REST if "(?x)" not in expression else expression + "\n" + REST
    try:
        byte_core(expression)
    except ValueError:
        with pytest.raises(InvalidPatternError):
            Pretokenizer(expression)
        return
    pretokenizer = Pretokenizer(expression)
    rng = random.Random(SEED)
    alphabets = ("aAbBcdsSkK", "ab \n", "ſ\u212aµßẞΜsk", "a1_-]é漢字Ωя", "\t #.-{}x", "😀a\x1b\u0301字")
    texts = ["".join(rng.choices(rng.choice(alphabets), k=rng.randrange(12))) for _ in range(300)]
    texts += [odd_text(rng, longest=20) for _ in range(100)]
    ends = [pretokenizer.byte_spans(text)[:, 1].tolist() for text in texts]
    assert first_disagreement(expression, texts, ends) is None


def test_text_that_no_match_covers_is_left_out():
    pretokenizer = Pretokenizer(r"\p{L}+|\d")
    assert pretokenizer.pretokens("ab, 12 é") == ["ab", "1", "2", "é"]
    assert pretokenizer.byte_spans("ab, 12 é").tolist() == [[0, 2], [4, 5], [5, 6], [7, 9]]


def test_empty_text_and_empty_matches():
    pretokenizer = Pretokenizer(r"a*")
    assert pretokenizer.char_spans("").shape == (0, 2)
    assert pretokenizer.pretokens("baab") == ["aa"]
    assert Pretokenizer(r"\d").byte_spans("abc").shape == (0, 2)


def test_surrogates_count_as_the_replacement_character():
    pretokenizer = Pretokenizer(r"\uFFFD|\s+|\S")
    assert pretokenizer.byte_spans("a\ud800 \udfff").tolist() == [[0, 1], [1, 4], [4, 5], [5, 8]]


def test_characters_are_read_in_parts(monkeypatch):
    monkeypatch.setattr(offsets, "AT_A_TIME", 3)
    for text in ("", "abc", "ab\ud800\U0001f600é", "字" * 7):
        points = [0xFFFD if 0xD800 <= ord(character) < 0xE000 else ord(character) for character in text]
        assert offsets.code_points(text).tolist() == points


def test_spans_are_whole_numbers():
    for spans in (Pretokenizer("a").char_spans("aa"), Pretokenizer("a").byte_spans("aa")):
        assert spans.dtype == np.int64


def test_a_hostile_pattern_is_stopped():
    with pytest.raises(SplitTimeoutError, match=r"more than 0\.05 seconds"):
        Pretokenizer(r"(?:a+a+)+b").char_spans("a" * 3000, seconds=0.05)


@pytest.mark.parametrize("expression", ["[a", "(a", "a)", "*a", r"\p{Nonsense}", r"(?<n", "a{" + "4" * 400 + "}"])
def test_invalid_patterns(expression):
    with pytest.raises(InvalidPatternError, match="not valid"):
        Pretokenizer(expression)


@pytest.mark.parametrize(
    "expression", [r"(a)\1", r"(?<n>a)\k<n>", r"\Ga", r"a\Kb", r"(a)?(?(1)b|c)", r"(?U)a+", r"(?R)a", "a" * 20_001]
)
def test_unsupported_patterns(expression):
    with pytest.raises((UnsupportedPatternError, InvalidPatternError)):
        Pretokenizer(expression)


@pytest.mark.parametrize("pattern", ["x" * 501, "[xy]" * 501, r"\p{L}+|" + "ab" * 300])
def test_a_long_literal_is_refused_before_it_is_prepared(pattern: str):
    with pytest.raises(InvalidPatternError, match="more than 500 plain characters"):
        Pretokenizer(pattern)
