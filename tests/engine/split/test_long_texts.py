"""Pretokens stretch by stretch, with a pattern that takes its time."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest

from engine.split import pretokenization
from engine.split.pretokenization import Pretokenizer, SplitTimeoutError, pretoken_chunks, pretoken_chunks_in_time

TEXT = "It's a text of some 12345 words,\n and then some more. " * 20


class SlowPretokenizer(Pretokenizer):
    """Takes too long for more than so many characters."""

    most_chars = 300

    def settled_spans(self, text, char_start, *, to_end, seconds=10.0):
        if len(text) > self.most_chars:
            raise SplitTimeoutError.after(seconds)
        return super().settled_spans(text, char_start, to_end=to_end, seconds=seconds)


def spans_of(found) -> list[tuple[int, int]]:
    return [tuple(span) for one in found for span in (one.char_spans + one.char_start).tolist()]


@pytest.mark.parametrize("pattern", [r"\w+|\W", r" ?\p{L}+|\S", r"\s+(?!\S)|\s+|\S+"])
def test_shorter_stretches_are_tried_where_one_takes_too_long(pattern):
    found = list(pretoken_chunks_in_time(SlowPretokenizer(pattern), TEXT, 1000.0, 1.0))
    assert None in found
    whole = spans_of(pretoken_chunks(Pretokenizer(pattern), TEXT))
    assert spans_of(one for one in found if one is not None) == whole
    assert whole == [tuple(span) for span in Pretokenizer(pattern).char_spans(TEXT).tolist()]


def test_nothing_comes_of_a_pattern_that_looks_at_the_whole_text():
    found = pretoken_chunks_in_time(SlowPretokenizer(r"(?s).+$|a"), TEXT, 1000.0, 1.0)
    assert list(itertools.islice(found, 5)) == [None] * 5


def test_all_attempts_together_have_their_time(monkeypatch):
    now = itertools.count(step=3.0)
    monkeypatch.setattr(pretokenization, "time", SimpleNamespace(monotonic=lambda: next(now)))
    with pytest.raises(SplitTimeoutError, match="more than 10 seconds"):
        list(pretoken_chunks_in_time(SlowPretokenizer(r"(?s).+$|a"), TEXT, 10.0, 1.0))
    assert next(now) == 2 * 4 * 3.0
