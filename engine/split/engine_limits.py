r"""Texts and patterns beyond the limits of tiktoken's split engine.

*Long runs.* While a greedy loop waits for its lookahead, ``fancy-regex`` keeps one stack entry per character, and
tiktoken turns its error at a million entries into a panic. So long runs of characters are found and encoded as whole
pretokens. Every run of at least ``LIMIT`` characters contains a character of the sample of every ``LIMIT``-th
character, so finding such runs is nearly free. The members of a character class are determined by the Rust crates that
split the text, through a tokenizer of the 256 bytes whose pattern is the class: Python's own tables may have another
Unicode version.

*Users' own patterns* on which the Rust engine fails are split without tiktoken, by ``split_apart``.
``engine.split.pretokenization`` matches nearly all of them exactly as the Rust crates do. The others go unchanged to
Python's ``regex`` module, which reads the dialect as Rust does (``\s`` is White_Space, ``(?i:s)`` matches ``ſ``,
possessive loops) except for ``$``, which in Rust matches only at the end of the text. Its Unicode version may be newer,
so characters assigned since may be classified differently. The bundled patterns never need it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.errors import UnsupportedTextError
from engine.runtime.tiktoken_core import CoreBPE, byte_core, guarded
from engine.split.expression import UnsupportedPatternError
from engine.split.patterns import LongRunRule, SplitPattern
from engine.split.pretokenization import pretoken_chunks, pretokenizer

LIMIT = 100_000
"""Shorter runs, in characters, are left to the split engine, whose own limit is a million."""

_WINDOW = 65_536


@dataclass(frozen=True, slots=True)
class LongRun:
    """A span of a text that is one pretoken: characters ``char_start`` to ``char_end``. ``seen_by_space``: as in
    ``LongRunRule``."""

    char_start: int
    char_end: int
    seen_by_space: bool


@functools.lru_cache(maxsize=64)
def _members_core(character_class: str) -> object:
    return byte_core(character_class)


def _members(character_class: str, text: str) -> str:
    """Return the characters of ``text`` that are in the class, in order. ``text`` has no surrogates."""
    if not character_class:
        return ""
    return bytes(_members_core(character_class).encode_ordinary(text)).decode("utf-8")  # type: ignore[attr-defined]


def _leading(character_class: str, text: str) -> int:
    """Return the number of characters at the start of ``text`` that are in the class."""
    members = _members(character_class, text)
    if text.startswith(members):
        return len(members)
    return next(i for i, (char, member) in enumerate(zip(text, members, strict=False)) if char != member)


def _run_around(rule: LongRunRule, text: str, char_seed: int) -> tuple[int, int]:
    """Return the span of the maximal run of the rule's characters around ``char_seed``, which is one of them."""
    end = char_seed + 1
    while end < len(text):
        window = text[end : end + _WINDOW]
        found = _leading(rule.inside, window)
        end += found
        if found < len(window):
            break
    start = char_seed
    while start > 0:
        window = text[max(0, start - _WINDOW) : start]
        found = _leading(rule.inside, window[::-1])
        start -= found
        if found < len(window):
            break
    return start, end


def _runs_of_rule(rule: LongRunRule, text: str) -> Iterator[LongRun]:
    samples = text[LIMIT - 1 :: LIMIT]
    if not _members(rule.inside, samples):
        return
    known_end = 0
    for number, char in enumerate(samples):
        seed = LIMIT - 1 + number * LIMIT
        if seed < known_end or not _members(rule.inside, char):
            continue
        start, end = _run_around(rule, text, seed)
        known_end = end
        following = text[end : end + 1]
        if end - start >= LIMIT and not _members(rule.harmless_before, following):
            spared = 1 if _members(rule.spares_last_before, following) else 0
            yield LongRun(start, end - spared, rule.seen_by_space)


def find_long_runs(pattern: SplitPattern, text: str) -> list[LongRun]:
    """Return the pretokens made of long runs, which must not reach the split engine, in order and disjoint.

    ``text`` has no surrogates.
    """
    if len(text) < LIMIT:
        return []
    runs = [run for rule in pattern.long_runs for run in _runs_of_rule(rule, text)]
    return sorted(runs, key=lambda run: run.char_start)


def encode_around_runs(core: CoreBPE, pattern: SplitPattern, text: str) -> Iterator[list[int]]:
    """Yield the tokens of a text in chunks, with long runs as whole pretokens. ``core``: the encoder with that
    pattern."""
    done = 0
    for run in find_long_runs(pattern, text):
        yield _before_run(core, text[done : run.char_start], text[run.char_start] if run.seen_by_space else "")
        yield core.encode_single_piece(text[run.char_start : run.char_end].encode("utf-8"))
        done = run.char_end
    yield _before_run(core, text[done:], "")


def _before_run(core: CoreBPE, text: str, seen: str) -> list[int]:
    """Return the tokens of a text that is followed by ``seen``, a character that is a pretoken by itself."""
    with guarded():
        ids: list[int] = core.encode_ordinary(text + seen)
    return ids[: len(ids) - len(core.encode_single_piece(seen.encode("utf-8")))] if seen else ids


_SECONDS = 30.0
_ESCAPE_CLASS_OR_END = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\$", re.DOTALL)


def split_apart(pattern: str, text: str) -> Iterator[str]:
    """Yield the pretokens of a text without surrogates. Raises UnsupportedTextError if the pattern takes too long."""
    try:
        known = pretokenizer(pattern)
    except UnsupportedPatternError:
        yield from _split_with_regex(pattern, text)
        return
    for chunk in pretoken_chunks(known, text):
        for start, end in chunk.char_spans.tolist():
            yield chunk.text[start:end]


def _split_with_regex(pattern: str, text: str) -> Iterator[str]:
    """Yield the pretokens of a text. Raises UnsupportedTextError if the pattern takes more than 30 seconds."""
    import regex

    # "$" as in Rust, except where it is escaped or in a class.
    pattern = _ESCAPE_CLASS_OR_END.sub(lambda match: r"\Z" if match.group() == "$" else match.group(), pattern)
    try:
        for match in regex.finditer(pattern, text, timeout=_SECONDS):
            if match.group():
                yield match.group()
    except TimeoutError as error:
        raise UnsupportedTextError("The pattern of this encoding takes too long on this text.") from error
