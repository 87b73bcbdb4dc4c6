"""Files of requests: totals, the worst lines, and lines that are none."""

from __future__ import annotations

import io
import json
import tracemalloc

import pytest

import engine
from engine.requests import lines
from engine.requests.counting import RequestCounter
from engine.requests.lines import RequestLines
from engine.requests.templates import TEMPLATES
from engine.requests.types import KINDS, Message, Part, Request, Tally


def run(data, count=None):
    enc = engine.get_encoding("o200k_base")
    counting = RequestLines(io.BytesIO(data), count or RequestCounter(TEMPLATES["openai"], enc).tally)
    while not counting.done:
        counting.advance(0)
    return counting.report()


def chat(text, **more):
    return json.dumps({"messages": [{"role": "user", "content": text}], **more})


def alone(text):
    tally = RequestCounter(TEMPLATES["openai"], engine.get_encoding("o200k_base")).tally
    return tally(Request((Message("user", text),))).tokens


def test_totals_worst_and_malformed_lines():
    rows = [
        chat("one", model="gpt-4o"),
        "",
        "{",
        json.dumps({"custom_id": "x", "body": json.loads(chat("two two two", model="gpt-4o"))}),
        "[1]",
        chat("three"),
        '{"messages": [{"role": "user", "content": [{"type": "file"}]}]}',
    ]
    report = run("\r\n".join(rows).encode())
    assert (report.lines, report.counted, report.n_malformed) == (6, 4, 2)
    assert report.tokens == alone("one") + alone("two two two") + alone("three") + alone("")
    assert [(bad.line, bad.why) for bad in report.malformed] == [
        (3, "column 2: not valid JSON: Expecting property name enclosed in double quotes"),
        (5, "column 2: [0] must be an object, not a number"),
    ]
    assert [(worst.line, worst.said) for worst in report.worst][:2] == [(4, "two two two"), (1, "one")]
    assert report.models == (("gpt-4o", 2),)
    assert report.unknown == (("file", 1),)
    assert report.line_numbers.tolist() == [1, 4, 6, 7]
    assert report.line_tokens.tolist() == [alone("one"), alone("two two two"), alone("three"), alone("")]
    assert {part.kind: part.grade for part in report.parts} == {
        "overhead": "formula", "tools": "exact", "images": "exact", "text": "exact",
    }  # fmt: skip


def test_an_empty_file():
    report = run(b"")
    assert (report.lines, report.counted, report.tokens, report.worst) == (0, 0, 0, ())


def test_so_many_worst_lines_are_kept_the_first_of_equal_ones(monkeypatch):
    monkeypatch.setattr(lines, "KEPT_WORST", 3)
    monkeypatch.setattr(lines, "KEPT_MALFORMED", 2)
    monkeypatch.setattr(lines, "KEPT_LINES", 4)
    sizes = [1, 5, 2, 5, 9, 5]
    rows = [chat("a " * size) for size in sizes] + ["x"] * 4
    report = run("\n".join(rows).encode())
    assert [worst.line for worst in report.worst] == [5, 2, 4]
    assert [bad.line for bad in report.malformed] == [7, 8]
    assert report.n_malformed == 4
    assert report.line_numbers.tolist() == [1, 2, 3, 4]


def test_a_line_that_is_too_long_is_passed_over(monkeypatch):
    monkeypatch.setattr(lines, "LONGEST_LINE", 1000)
    report = run(b"\n".join([b"x" * 5000, chat("one").encode(), b"y" * 1000, b"z" * 1001]))
    assert [bad.line for bad in report.malformed] == [1, 3, 4]
    assert "longer than" in report.malformed[0].why
    assert "not valid JSON" in report.malformed[1].why
    assert "longer than" in report.malformed[2].why
    assert report.tokens == alone("one")
    assert report.n_bytes == 5000 + len(chat("one")) + 1000 + 1001 + 3


class Endless(io.RawIOBase):
    """A file of so many bytes of lines that are made as they are read."""

    def __init__(self, line, size):
        self._line, self._left = line, size

    def readable(self):
        return True

    def readinto(self, into):
        count = min(len(into), self._left)
        repeated = self._line * (count // len(self._line) + 2)
        start = -self._left % len(self._line)
        into[:count] = repeated[start : start + count]
        self._left -= count
        return count


@pytest.mark.deep
def test_a_gigabyte_takes_no_more_memory_than_a_line():
    line = (chat("x" * 200_000) + "\n").encode()
    size = len(line) * (2**30 // len(line) + 1)
    some = Tally(tuple(Part(kind, 1, "exact") for kind in KINDS))
    counting = RequestLines(io.BufferedReader(Endless(line, size)), lambda request: some)
    counting.advance(0)
    tracemalloc.start()
    while not counting.done:
        counting.advance(1)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    report = counting.report()
    assert report.n_bytes == size >= 2**30
    assert report.tokens == 4 * report.counted == 4 * size // len(line)
    assert most < 20 << 20
