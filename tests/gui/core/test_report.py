from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.core.exports import ExportTable
from gui.core.reports import (
    HTML,
    MARKDOWN,
    Report,
    Section,
    counts_section,
    facts_of,
    key_warning,
    program_section,
    rendered,
    report_format,
    text_section,
    to_html,
    to_markdown,
)
from gui.core.text_chunks import chunked

HOSTILE = (
    "<script>alert(1)</script>\"'>& [x](javascript:alert(1)) `c` **b** | ![i](http://e.example/x) www.e.example "
    "a@b.example"
)


def report(words: str) -> Report:
    table = ExportTable((words, "usd"), ((words, Decimal("0.10")),), numeric=frozenset({"usd"}))
    return Report(words, (Section(words, table, (words,), words),))


class Reader(HTMLParser):
    """Gathers the text, the tags and the addresses of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[str] = [""]
        self.tags: set[str] = set()
        self.addresses: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.words.append("")
        self.tags.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src") or name.startswith("on")]

    def handle_endtag(self, tag: str) -> None:
        self.words.append("")

    def handle_data(self, data: str) -> None:
        self.words[-1] += data  # which comes in parts


OURS = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "bdi", "table", "tr", "th", "td", "pre", "a"}


@given(st.text() | st.just(HOSTILE))
def test_no_words_become_a_tag(words: str):
    page = Reader(to_html(report(words)))
    assert page.tags <= OURS
    assert all(address.startswith(("http://", "https://")) for address in page.addresses)
    page.close()


def test_words_come_through_unharmed():
    page = Reader(to_html(report(HOSTILE)))
    assert page.words.count(HOSTILE) == 6  # title, heading, title of the page, column, cell, sentence
    assert ("\n" + HOSTILE) in page.words


def test_only_an_address_becomes_a_link():
    source = "https://example.org/prices?a=1&b=2"
    assert Reader(to_html(report(source))).addresses == [source, source]
    assert Reader(to_html(report("javascript:alert(1)"))).addresses == []
    assert f"<{source}>" in to_markdown(report(source))


def test_markdown_has_no_markup_of_strangers():
    text = to_markdown(report(HOSTILE)).split("```")[0]
    for sign in "<>[]()`*|!&@":
        for place, character in enumerate(text):
            if character == sign and text[place - 1] != "\\":
                # only the walls of our own table stand alone
                assert sign == "|"
                assert text[max(0, place - 1) : place + 2].strip() in ("|", "")
    assert "www\\." in text
    assert "http\\:" in text


@given(st.text(st.sampled_from("`a\n"), max_size=20))
def test_a_text_ends_where_its_fence_does(words: str):
    lines = to_markdown(Report("t", (Section("s", verbatim=words),))).split("\n")
    fence = next(line for line in lines if line.startswith("```")).removesuffix("text")
    assert lines[lines.index(fence + "text") + 1 : len(lines) - 1 - lines[::-1].index(fence)] == words.split("\n")


def test_the_format_is_told_by_the_ending():
    assert [report_format(Path(name)) for name in ("a.html", "b.HTM", "c.md", "d.markdown", "e.txt", "f")] == [
        *(HTML, HTML, MARKDOWN, MARKDOWN, None, None)
    ]


@pytest.mark.parametrize("kind", [HTML, MARKDOWN])
def test_what_a_report_says(kind: str):
    facts = facts_of("prompt.txt", chunked(["abc\nd"]))
    when = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
    sections = (
        text_section([facts]),
        counts_section({"o200k_base": 3, "cl100k_base": 4}, "o200k_base"),
        program_section(["Tokenloupe 0.1.0"], when),
    )
    text = rendered(Report("Report", sections), kind)
    for words in (facts.sha256, "2026-11-22T12:00:00", "Tokenloupe 0.1.0", "shown in the window"):
        assert words in text
    assert (facts.size, facts.characters, facts.lines) == (5, 5, 2)


def test_the_hash_is_that_of_the_text():
    # printf abc | sha256sum; the first example of FIPS 180-4
    assert facts_of("", chunked(["abc"])).sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_keys_are_told_without_showing_them():
    key = "AI" + "za" + "x" * 35
    warning = key_warning([facts_of("a.txt", chunked([f"\n{key}\n"]))])
    assert "Google (line 2 of a.txt)" in warning
    assert key not in warning
    assert key_warning([facts_of("", chunked(["nothing"]))]) == ""
