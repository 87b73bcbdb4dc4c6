"""Files made worse, always in the same ways: what a fuzzer of importers is made of.

A damaged file is not always an unusable one: a byte within a token only makes it another token. What importers must not
do is crash, hang, fill the memory, or raise anything but a sentence.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

Damage = Callable[[random.Random, bytes], bytes]


def damaged(content: bytes, count: int, seed: int = 1) -> Iterator[bytes]:
    """So many versions of a file's content, each damaged in one to three ways."""
    chance = random.Random(seed)
    for number in range(count):
        worse = content
        for _ in range(1 + number % 3):
            worse = chance.choice(_WAYS)(chance, worse)
        yield worse


def _cut_short(chance: random.Random, content: bytes) -> bytes:
    return content[: chance.randrange(len(content) + 1)]


def _without_start(chance: random.Random, content: bytes) -> bytes:
    return content[chance.randrange(min(len(content), 64) + 1) :]


def _other_byte(chance: random.Random, content: bytes) -> bytes:
    worse = bytearray(content)
    for _ in range(chance.choice((1, 1, 8, 64))):
        if worse:
            worse[chance.randrange(len(worse))] = chance.randrange(256)
    return bytes(worse)


def _byte_at_the_start(chance: random.Random, content: bytes) -> bytes:
    worse = bytearray(content)
    if worse:
        worse[chance.randrange(min(len(worse), 40))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
    return bytes(worse)


def _left_out(chance: random.Random, content: bytes) -> bytes:
    start = chance.randrange(len(content) + 1)
    return content[:start] + content[start + chance.choice((1, 2, 16, 1000)) :]


def _twice(chance: random.Random, content: bytes) -> bytes:
    start = chance.randrange(len(content) + 1)
    piece = content[start : start + chance.choice((1, 10, 100, 5000))]
    return content[:start] + piece * chance.choice((2, 3, 50)) + content[start:]


def _noise(chance: random.Random, content: bytes) -> bytes:
    start = chance.randrange(len(content) + 1)
    return content[:start] + chance.randbytes(chance.choice((1, 8, 300))) + content[start:]


def _other_number(chance: random.Random, content: bytes) -> bytes:
    """A run of digits becomes another one."""
    places = [place for place in range(len(content)) if content[place : place + 1].isdigit()]
    if not places:
        return content
    start = end = chance.choice(places)
    while content[end : end + 1].isdigit():
        end += 1
    return content[:start] + chance.choice((b"-1", b"0", b"99999999", b"1e999", b"4" * 400, b"NaN")) + content[end:]


_WAYS: tuple[Damage, ...] = (
    *(_cut_short, _without_start, _other_byte, _byte_at_the_start),
    *(_left_out, _twice, _noise, _other_number, _other_number),
)
