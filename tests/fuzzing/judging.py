"""What a fuzzer is, and what it finds: an exception not of the reader's own, a hang, much memory, a poor sentence."""

from __future__ import annotations

import random
import re
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import psutil

from tests.fuzzing.damage import Damage, worse

MAX_SECONDS = 2.0
"""Processor time that reading one thing may take, in this process and its children."""

MAX_BYTES = 500 << 20
LONGEST_SENTENCE = 700
_POOR = re.compile(r"Traceback|object at 0x|Error\(|<class '|\n|^\s*$|NoneType|KeyError|has no attribute")


@dataclass(frozen=True)
class Fuzzer:
    """``good``: things that can be read, made in a folder. ``ways``: how they are made worse. ``feed``: reads one, with
    a folder of its own, and returns what the reader says to it, if anything. ``errors``: the reader's own. ``place``:
    an expression that is in each of its sentences, and says where."""

    good: Callable[[Path], Sequence[bytes]]
    ways: Sequence[Damage]
    feed: Callable[[bytes, Path], Iterable[str] | None]
    errors: tuple[type[Exception], ...] = ()
    place: str = ""


class Case(NamedTuple):
    """One thing that was read: its number, what was read, whether anything was said to it, and how long it took.
    ``finding``: what is wrong, empty where all is well."""

    number: int
    content: bytes
    refused: bool
    seconds: float
    growth: int
    finding: str


def cases_of(fuzzer: Fuzzer, folder: Path, seed: int, first: int = 0) -> Iterator[Case]:
    """Cases without end. Each has chance of its own: with the seed and its number it is the same again."""
    good = list(fuzzer.good(folder))
    at_rest = 0
    number = first
    while True:
        chance = random.Random(f"{seed}/{number}")
        content = worse(chance, chance.choice(good), fuzzer.ways)
        case = tried(fuzzer, content, folder, number, at_rest)
        if number == first:
            at_rest = psutil.Process().memory_info().rss
        yield case
        number += 1


def tried(fuzzer: Fuzzer, content: bytes, folder: Path, number: int, at_rest: int) -> Case:
    """Read one thing. ``at_rest``: bytes that this process had before; 0 where that is not known."""
    before = _processor_seconds()
    sentences: list[str] = []
    finding = ""
    try:
        sentences = list(fuzzer.feed(content, folder) or ())
    except fuzzer.errors as error:
        sentences = [str(error)]
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        where = traceback.extract_tb(error.__traceback__)[-1]
        finding = f"{type(error).__name__}: {str(error)[:200]} ({where.filename}:{where.lineno})"
    seconds = _processor_seconds() - before
    growth = psutil.Process().memory_info().rss - at_rest if at_rest else 0
    finding = finding or next((f"poor sentence: {one[:300]!r}" for one in sentences if is_poor(fuzzer, one)), "")
    if seconds > MAX_SECONDS:
        finding = finding or f"took {seconds:.1f} s"
    if growth > MAX_BYTES:
        finding = finding or f"took {growth >> 20} MB"
    return Case(number, content, bool(sentences), seconds, growth, finding)


def is_poor(fuzzer: Fuzzer, sentence: str) -> bool:
    """Whether a sentence is of no use to whoever reads it."""
    plain = sentence.replace("\\n", "")
    return (
        len(sentence) > LONGEST_SENTENCE
        or bool(_POOR.search(plain))
        or bool(fuzzer.place and not re.search(fuzzer.place, sentence))
    )


def _processor_seconds() -> float:
    return float(sum(psutil.Process().cpu_times()[:4]))
