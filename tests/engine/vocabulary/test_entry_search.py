"""Finding entries and putting them in order, against one entry after the other."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.runtime import caches
from engine.text.character_classes import SCRIPT_NAMES
from engine.vocabulary import entry_search
from engine.vocabulary.entries import KINDS, EntryTable, entries_of, folded_text, folding, to_bytes
from engine.vocabulary.entry_diagnostics import FINDINGS, PARTIAL, diagnose
from engine.vocabulary.entry_search import DIAGNOSED, EntryQuery, EntrySearch, QueryError, holding, read_hex
from tests.engine.vocabulary.vocabularies import PIECES, TOKENS, vocabulary
from tests.thoroughness import examples

EXPRESSIONS = st.sampled_from(
    [
        *("a", "a.", "^a", "b$", "^a*$", "a*", "[ab]{2}", "(a|é)+b", r"\d+", r"\w\b", r"\p{Han}", r"\p{Lu}", ".", "^$"),
        *(
            r"\s",
            r"\S$",
            "[^a]",
            r"a\s*b",
            r"(?<=a)b",
            r"(?=b)",
            r"\Aa",
            r"b\Z",
            r"(?s).b",
            r"(?i)A",
            r"\x0a",
            "(a)\\1",
        ),
        *(r"\p{Cc}", r"[\x00-z]", r"\P{L}", r"\n", "a(*SKIP)b|b", r"[\s]", "x*|b"),
        *("ab", "^aa$", "aa|b9", "ba?b", "ab{0,1}a", "(?:a|b)?9 ", "ks", "k[a-b]|ss", "ab+a", r"a'\w", "a|bb", "aba??"),
    ]
)


def searched(tokens: list[bytes]) -> EntrySearch:
    encoding = vocabulary(tokens)
    search = EntrySearch(entries_of(encoding))
    search.set_diagnosis(diagnose(encoding, search.entries))
    return search


def folded_plainly(token: bytes) -> bytes:
    points = np.array([ord(one) for one in token.decode("utf-8", "surrogateescape")], dtype=np.uint32)
    return to_bytes(folding()[points])


@examples(50)
@given(tokens=TOKENS, wanted=st.lists(PIECES, max_size=3).map(b"".join))
def test_bytes_and_texts_are_found_where_they_are(tokens, wanted):
    entries = entries_of(vocabulary(tokens))
    everything = entries.tokens()
    assert holding(entries, wanted).tolist() == [wanted in token for token in everything]
    search = EntrySearch(entries)
    exact = EntryQuery(wanted.hex(), "hex")
    assert search.ids(exact).tolist() == [one for one, token in enumerate(everything) if wanted in token]
    text = wanted.decode("utf-8", "replace")
    if not text:
        return
    with_case = search.ids(EntryQuery(text, match_case=True)).tolist()
    assert with_case == [one for one, token in enumerate(everything) if text.encode() in token]
    without = search.ids(EntryQuery(text)).tolist()
    folded = folded_text(text)
    assert without == [one for one, token in enumerate(everything) if folded in folded_plainly(token)]


@examples(200)
@given(tokens=TOKENS, expression=EXPRESSIONS, match_case=st.booleans())
def test_expressions_are_found_as_in_each_text_by_itself(tokens, expression, match_case):
    entries = entries_of(vocabulary(tokens))
    pattern = regex.compile(expression, 0 if match_case else regex.IGNORECASE)
    texts = [token.decode("utf-8", "replace") for token in entries.tokens()]
    expected = [number for number, text in enumerate(texts) if text and pattern.search(text)]
    found = EntrySearch(entries).ids(EntryQuery(expression, "regex", match_case))
    assert found.tolist() == expected


@pytest.mark.parametrize(
    ("expression", "is_sure"),
    [
        *(
            (one, True)
            for one in ("tion$", r"^\d{2,}", r"[a-z0-9]+é?", r"\p{Cyrillic}{3}", r"(?:a|b)*\.", "a-b", "x{2}")
        ),
        *(
            (one, False)
            for one in (r"\s", "[^a]", r"\S", "(?=a)", "(?s).", r"\A", "(*SKIP)", r"\p{Common}", r"\n", "a\n")
        ),
        *(
            (one, False)
            for one in (r"\1", "[\\x00-\\x7f]", r"[ -~]", "(?i)a", r"\p{Cc}", "[[:space:]]", r"\X", "a{e<=1}")
        ),
    ],
)
def test_only_what_cannot_see_a_line_end_is_searched_line_by_line(expression, is_sure):
    assert entry_search.is_linewise(expression) is is_sure


def test_a_vocabulary_that_was_searched_goes_with_its_last_user():
    search = searched([b"a", b"b", b"A", b"ab"])
    assert search.ids(EntryQuery("ab", match_case=False)).tolist()
    assert holding(search.entries, b"b").any()
    entries = weakref.ref(search.entries)
    del search
    gc.collect()
    assert entries() is None


def test_what_a_search_keeps_is_let_go_of_and_comes_back():
    search = searched([b"a", b"b", b"A", b"ab", b"a\n"])
    queries = (EntryQuery("a+b", mode="regex"), EntryQuery("AB", match_case=False), EntryQuery("b"))

    def found() -> list[list[int]]:
        return [search.ids(query, "script", descending=True).tolist() for query in queries]

    search.prepare()
    before = found()
    texts = weakref.ref(search._texts)
    owners = [weakref.ref(entries.owners) for entries in (search.entries, search._folded)]
    orders = [weakref.ref(order) for order in search._orders.values()]
    caches.drop_all()
    gc.collect()
    assert [one() for one in (texts, *owners, *orders)] == [None] * (3 + len(orders))
    assert found() == before


def test_a_search_that_takes_too_long_ends(monkeypatch):
    monkeypatch.setattr(entry_search, "TIMEOUT_SECONDS", 0.05)
    search = EntrySearch(entries_of(vocabulary([b"a" * 60 + b"b"])))
    for expression in ("(a|aa|a?)+(a|aa)*$", "(?=a)(a|aa|a?)+(a|aa)*$"):
        with pytest.raises(QueryError, match=r"took longer than 0\.05 seconds"):
            search.ids(EntryQuery(expression, "regex", match_case=True))


def test_many_short_searches_together_end_as_well(monkeypatch):
    """Each of these takes a good part of the time there is; none takes all of it."""
    monkeypatch.setattr(entry_search, "TIMEOUT_SECONDS", 10.0)
    asked = iter(range(10_000))
    monkeypatch.setattr(entry_search.time, "monotonic", lambda: next(asked) * 0.5)
    entries = entries_of(vocabulary([b"a%d" % number for number in range(4000)]))
    with pytest.raises(QueryError, match="took longer"):
        EntrySearch(entries).ids(EntryQuery("(?=a)a1", "regex"))


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("(", "not valid at its end"),
        ("a{2,1}", "not valid at character"),
        ("[a", "not valid at its end: unterminated character set"),
        (")", "not valid at character 1"),
        ("*", "not valid at character 1: nothing to repeat"),
        ("(?<=a", "not valid"),
        ("a" * 501, "more than 500 characters"),
    ],
)
def test_an_invalid_expression_is_a_sentence(expression, words):
    with pytest.raises(QueryError) as error:
        EntrySearch(entries_of(vocabulary([]))).ids(EntryQuery(expression, "regex"))
    assert str(error.value).startswith("The expression ")
    assert words in str(error.value)
    assert str(error.value).endswith(".")


def test_a_search_that_nobody_wants_any_more_ends():
    class EnoughError(Exception):
        pass

    def enough() -> None:
        raise EnoughError

    search = EntrySearch(entries_of(vocabulary([b"ab"])))
    for expression in ("a", r"\s"):
        with pytest.raises(EnoughError):
            search.ids(EntryQuery(expression, "regex"), cancel_check=enough)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("c3a9", b"\xc3\xa9"),
        ("C3 A9", b"\xc3\xa9"),
        ("0xc3, 0xA9", b"\xc3\xa9"),
        ("\\xc3\\xa9", b"\xc3\xa9"),
        ("", b""),
    ],
)
def test_hexadecimal(text, content):
    assert read_hex(text) == content


@pytest.mark.parametrize("text", ["c3a", "g0", "é", "0x", "0x0", "c3-a9"])
def test_what_is_no_hexadecimal(text):
    if text == "0x":
        assert read_hex(text) == b""
        return
    with pytest.raises(QueryError):
        read_hex(text)


@examples(30)
@given(
    tokens=TOKENS,
    kinds=st.frozensets(st.sampled_from(KINDS)),
    bounds=st.tuples(*[st.integers(-3, 400)] * 2, *[st.integers(0, 9)] * 2),
    script=st.none() | st.integers(0, len(SCRIPT_NAMES) - 1),
    finding=st.none() | st.integers(0, len(FINDINGS) - 1),
)
def test_filters_are_what_they_say(tokens, kinds, bounds, script, finding):
    search = searched(tokens)
    entries, diagnosis = search.entries, search.diagnosis
    first, last, shortest, longest = bounds
    query = EntryQuery("", "text", False, kinds, first, last, shortest, longest, script, finding)
    expected = [
        one
        for one in range(len(entries))
        if first <= one <= last
        and entries.kind(one) in kinds
        and shortest <= len(entries.token_bytes(one)) <= longest
        and (script is None or diagnosis.scripts[one] == script)
        and (finding is None or FINDINGS[finding] in diagnosis.findings_of(one))
    ]
    assert search.ids(query).tolist() == expected


@pytest.mark.deep
@examples(20)
@given(tokens=TOKENS, descending=st.booleans())
def test_orders_are_stable(tokens, descending):
    search = searched(tokens)
    entries, diagnosis = search.entries, search.diagnosis
    keys = {
        "id": lambda one: one,
        "bytes": entries.token_bytes,
        "length": lambda one: len(entries.token_bytes(one)),
        "kind": lambda one: KINDS.index(entries.kind(one)),
        "script": lambda one: diagnosis.scripts[one],
        "left": lambda one: diagnosis.left[one],
        "right": lambda one: diagnosis.right[one],
        "built_directly": lambda one: diagnosis.built_directly[one],
        "built_in_all": lambda one: diagnosis.built_in_all[one],
        "findings": lambda one: diagnosis.findings[one],
    }
    for key, value in keys.items():
        # Python's sort keeps the order of equals, reversed or not.
        expected = sorted(range(len(entries)), key=value, reverse=descending)
        assert search.ids(EntryQuery(), key, descending).tolist() == expected
        few = search.ids(EntryQuery("a"), key, descending).tolist()
        assert few == [one for one in expected if one in set(search.ids(EntryQuery("a")).tolist())]


def test_without_a_diagnosis_what_needs_one_says_so():
    search = EntrySearch(entries_of(vocabulary([b"ab"])))
    for query in (EntryQuery(script=2), EntryQuery(finding=0)):
        with pytest.raises(QueryError, match="still being analyzed"):
            search.ids(query)
    for key in DIAGNOSED:
        with pytest.raises(QueryError, match="still being analyzed"):
            search.ids(EntryQuery(), key)
    assert search.ids(EntryQuery(), "bytes").size == len(search.entries)


def test_a_diagnosis_that_comes_later_is_used():
    encoding = vocabulary([b"\xe2\x82", b"ab"])
    search = EntrySearch(entries_of(encoding))
    search.prepare()
    with pytest.raises(QueryError):
        search.ids(EntryQuery(finding=PARTIAL))
    search.set_diagnosis(diagnose(encoding, search.entries))
    assert search.ids(EntryQuery(finding=PARTIAL)).tolist() == [*range(128, 256), 256]


def test_published_examples():
    gpt2 = EntrySearch(entries_of(engine.get_encoding("r50k_base")))
    assert 43453 in gpt2.ids(EntryQuery(" solidgoldmagikarp"))
    assert gpt2.ids(EntryQuery(" SolidGoldMagikarp", match_case=True)).tolist() == [43453]
    assert gpt2.ids(EntryQuery("c3a9", "hex", longest=2)).tolist() == [2634]
    assert isinstance(gpt2.entries, EntryTable)
    assert not gpt2.ids(EntryQuery()).flags.writeable


def test_a_text_longer_than_every_entry_is_in_none():
    search = EntrySearch(entries_of(vocabulary([b"cat", b"category"])))
    assert len(search.ids(EntryQuery("category"))) == 1
    assert len(search.ids(EntryQuery("category" * 10_000))) == 0
    assert len(EntrySearch(entries_of(vocabulary([]))).ids(EntryQuery("c" * 1_000))) == 0
