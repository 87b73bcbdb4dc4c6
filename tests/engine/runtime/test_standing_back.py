"""What the engine does for seconds asks meanwhile whether it is still wanted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import engine
from engine.analysis.comparison import row_starts
from engine.corpus import files
from engine.corpus.files import decode_stored
from engine.encoding.preprocessing_encoding import mark_words
from engine.runtime import cancellation
from engine.runtime.cancellation import cancellable
from engine.split import pretokenization
from engine.split.pretokenization import pretokenizer
from engine.text import normalization, offsets
from engine.text.character_classes import lines_of
from engine.text.offsets import ByteMap, byte_offsets, utf16_offsets
from engine.training.forecast import _PlainCounter

TEXT = "Wörter und Zeilen.\n" * 40
ANY_PATTERN = r"\w+|\W+"
GAPS = r"\w+"
UNITS = np.frombuffer(TEXT.encode("utf-16-le"), dtype="<u2")


def count_plainly() -> None:
    counter = _PlainCounter(ANY_PATTERN)
    counter.add(TEXT.encode())
    assert counter.byte_count() == sum(len(one.encode()) for one in ("Wörter", " ", "und", "Zeilen", ".\n"))


def train() -> None:
    run = engine.TrainingRun([TEXT] * 3, vocab_size=258, threads=1)
    run.advance(60.0)


ASKING: dict[str, Callable[[], object]] = {
    "normalising": lambda: normalization.normalizer("NFD")(TEXT),
    "marking words": lambda: mark_words(TEXT, r"\S+|\s+"),
    "bytes": lambda: byte_offsets(TEXT),
    "units": lambda: utf16_offsets(TEXT),
    "characters of bytes": lambda: ByteMap(TEXT).char_of,
    "units of bytes": lambda: ByteMap(TEXT).units_before,
    "rows": lambda: row_starts(UNITS, 8),
    "lines": lambda: lines_of(np.array([300, 700])),
    "decoding": lambda: decode_stored(TEXT.encode()),
    "cutting by any pattern": lambda: pretokenizer(ANY_PATTERN).char_spans(TEXT),
    "cutting out": lambda: pretokenizer(GAPS).char_spans(TEXT),
    "pretokens": lambda: pretokenizer(ANY_PATTERN).pretokens(TEXT),
    "counting unique pretokens": count_plainly,
    "the bytes of tokens": lambda: engine.get_encoding("gpt2").decode_tokens_bytes([1] * 300),
}


@pytest.mark.parametrize("work", ASKING.values(), ids=ASKING)
def test_it_is_asked_in_the_middle(work: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normalization, "_PART_CHARACTERS", 100)
    monkeypatch.setattr(offsets, "AT_A_TIME", 100)
    monkeypatch.setattr(files, "DECODED_AT_A_TIME", 100)
    monkeypatch.setattr(pretokenization, "ENTRIES", 100)
    monkeypatch.setattr(cancellation.interruptible, "__defaults__", (100,))
    times: list[int] = []
    with cancellable(lambda: times.append(1)):
        work()
    assert len(times) > 1


def test_training_asks_while_it_counts() -> None:
    times: list[int] = []
    with cancellable(lambda: times.append(1)):
        train()
    assert times
