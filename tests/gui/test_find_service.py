from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from engine.runtime import cancellation
from engine.runtime.cancellation import cancellable
from gui.editor import text_transfer
from gui.editor.text_transfer import Piece
from gui.prompt import find_service as find
from gui.prompt.find_service import FindError, FindRequest, FindService, Matches, Replacement, answer
from gui.runtime.jobs import JobRunner, Ticket
from gui.widgets.find_bar import SearchOptions


def ticket() -> Ticket:
    return Ticket(lambda *_: None)


def places(text: str, pattern: str, **options: bool) -> list[tuple[int, int]]:
    found = answer(FindRequest(1, text, SearchOptions(pattern, **options)), ticket())
    assert isinstance(found, Matches)
    assert not found.utf16_starts.flags.writeable
    return list(zip(found.utf16_starts.tolist(), found.utf16_ends.tolist(), strict=True))


def replaced(text: str, pattern: str, by: str, only: tuple[int, int] | None = None, **options: bool) -> str:
    found = answer(FindRequest(1, text, SearchOptions(pattern, **options), by, only), ticket())
    assert isinstance(found, Replacement)
    units = text.encode("utf-16-le", "surrogatepass")
    for piece in reversed(found.pieces):
        units = units[: piece.utf16_start * 2] + piece.text.encode("utf-16-le") + units[piece.utf16_end * 2 :]
    return units.decode("utf-16-le")


@pytest.mark.parametrize(
    ("text", "pattern", "options", "found"),
    [
        ("one One", "one", {}, [(0, 3), (4, 7)]),
        ("one One", "One", {"match_case": True}, [(4, 7)]),
        ("none one", "one", {"whole_words": True}, [(5, 8)]),
        ("a.b axb", "a.b", {}, [(0, 3)]),
        ("a.b axb", "a.b", {"is_regex": True}, [(0, 3), (4, 7)]),
        ("é🚀é🚀é", "é", {}, [(0, 1), (3, 4), (6, 7)]),
        ("🚀🚀", "🚀", {}, [(0, 2), (2, 4)]),
        ("ab\ncd", "^.", {"is_regex": True}, [(0, 1), (3, 4)]),
        ("abc", "x*", {"is_regex": True}, []),
        ("aaaa", "aa", {}, [(0, 2), (2, 4)]),
        ("", "a", {}, []),
        ("price (usd)", "(usd)", {"whole_words": True}, [(6, 11)]),
    ],
)
def test_places_are_utf16_offsets(text: str, pattern: str, options: dict[str, bool], found: list[tuple[int, int]]):
    assert places(text, pattern, **options) == found


@pytest.mark.parametrize(
    ("text", "pattern", "by", "options", "wanted"),
    [
        ("one two one", "one", "1", {}, "1 two 1"),
        ("🚀one🚀", "one", "é🚀", {}, "🚀é🚀🚀"),
        ("John Smith", r"(\w+) (\w+)", r"\2, \1", {"is_regex": True}, "Smith, John"),
        ("a\\1b", "\\1", "x", {}, "axb"),
        ("ab", "a", r"\1", {}, r"\1b"),
        ("nothing", "x", "y", {}, "nothing"),
        ("x y", " ", "", {}, "xy"),
    ],
)
def test_replacing_all(text: str, pattern: str, by: str, options: dict[str, bool], wanted: str):
    assert replaced(text, pattern, by, **options) == wanted


def test_matches_far_apart_are_small_pieces_and_many_are_few(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(text_transfer, "MAX_BETWEEN", 5)
    monkeypatch.setattr(text_transfer, "LARGEST_PIECE", 12)
    text = "🚀x" + "-" * 6 + "x" + "-" * 5 + "x" + "xx" * 10
    found = answer(FindRequest(1, text, SearchOptions("x"), "yz"), ticket())
    assert isinstance(found, Replacement)
    assert found.count == 23
    assert [(piece.utf16_start, piece.utf16_end) for piece in found.pieces] == [(2, 3), (9, 21), (21, 33), (33, 36)]
    assert replaced(text, "x", "yz") == text.replace("x", "yz")


@given(st.lists(st.sampled_from(["a", "b", "🚀", "\n"]), max_size=80), st.integers(0, 6), st.integers(1, 20))
def test_pieces_give_what_replacing_gives(letters: list[str], between: int, largest: int):
    text = "".join(letters)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_transfer, "MAX_BETWEEN", between)
        patch.setattr(text_transfer, "LARGEST_PIECE", largest)
        assert replaced(text, "a", "🚀c") == text.replace("a", "🚀c")


def test_whoever_waits_is_let_in_while_pieces_are_gathered(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cancellation.interruptible, "__defaults__", (100,))
    asked: list[int] = []
    with cancellable(lambda: asked.append(1)):
        assert replaced("a" * 1000, "a", "b") == "b" * 1000
    assert len(asked) == 10


def test_replacing_one_sees_what_is_around_it():
    text = "🚀ab ab xab"
    assert replaced(text, r"(?<=x)a(b)", r"\1\1", (9, 11), is_regex=True) == "🚀ab ab xbb"
    assert replaced(text, "ab", "-", (5, 7)) == "🚀ab - xab"
    # What is no longer a match is left alone.
    assert replaced(text, "ab", "-", (4, 6)) == text


@pytest.mark.parametrize(
    ("pattern", "by", "why"),
    [("(", None, "not valid"), ("a", r"\9", "replacement"), ("a", r"\g<none>", "replacement")],
)
def test_mistakes_are_sentences(pattern: str, by: str | None, why: str):
    with pytest.raises(FindError, match=why):
        answer(FindRequest(1, "aaa", SearchOptions(pattern, is_regex=True), by), ticket())


def test_the_place_of_a_mistake_counts_from_the_pattern_typed():
    with pytest.raises(FindError) as plain:
        find.compiled(SearchOptions("ab(", is_regex=True))
    with pytest.raises(FindError) as words:
        find.compiled(SearchOptions("ab(", is_regex=True, whole_words=True))
    assert "character 3" in str(plain.value) or "character 4" in str(plain.value)
    assert str(words.value).split(":")[0].split("character")[1].strip().isdigit()


def test_a_pattern_that_never_ends_is_stopped(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(find, "TIMEOUT_SECONDS", 0.05)
    with pytest.raises(FindError, match="was stopped after"):
        places("a" * 64 + "!", r"(?:(?:a|aa|a?)+)+$", is_regex=True)


@given(st.text(max_size=60), st.text(min_size=1, max_size=3))
def test_plain_search_finds_what_python_finds(text: str, wanted: str):
    found = []
    start = text.find(wanted)
    while start >= 0:
        before = len(text[:start].encode("utf-16-le", "surrogatepass")) // 2
        found.append((before, before + len(wanted.encode("utf-16-le", "surrogatepass")) // 2))
        start = text.find(wanted, start + len(wanted))
    assert places(text, wanted, match_case=True) == found


@pytest.fixture
def service(qtbot: QtBot) -> Iterator[FindService]:
    runner = JobRunner()
    yield FindService(runner)
    runner.shutdown()


def test_the_service_answers_with_signals(qtbot: QtBot, service: FindService):
    with qtbot.waitSignal(service.found) as found:
        service.search(FindRequest(3, "aba", SearchOptions("a")))
    assert found.args[0].revision == 3
    with qtbot.waitSignal(service.replaced) as replacement:
        service.search(FindRequest(3, "aba", SearchOptions("a"), "c"))
    assert replacement.args[0] == Replacement(3, (Piece(0, 3, "cbc"),), 2)
    with qtbot.waitSignal(service.failed) as failed:
        service.search(FindRequest(3, "aba", SearchOptions("(", is_regex=True)))
    assert "not valid" in failed.args[1]


def test_a_long_expression_is_refused_before_it_is_prepared():
    with pytest.raises(FindError, match="5,000 characters; the limit is 500"):
        answer(FindRequest(1, "x" * 10, SearchOptions("x" * 5000, is_regex=True)), ticket())
    assert places("x" * 5000, "X" * 5000) == [(0, 5000)]
