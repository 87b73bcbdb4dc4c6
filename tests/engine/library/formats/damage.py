"""Files made worse, always in the same ways: what a fuzzer of importers is made of.

A damaged file is not always an unusable one: a byte within a token only makes it another token. What importers must not
do is crash, hang, fill the memory, or raise anything but a sentence.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

Damage = Callable[[random.Random, bytes], bytes]


def damaged(content: bytes, count: int, seed: int = 1) -> Iterator[bytes]:
    """So many versions of a file's content, each damaged in one to three ways."""
    chance = random.Random(seed)
    for number in range(count):
        worse = content
        for _ in range(1 + number % 3):
            worse = worse_bytes(chance, worse)
        yield worse


def worse_bytes(chance: random.Random, content: bytes) -> bytes:
    """One damage."""
    return chance.choice(_WAYS)(chance, content)


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


def _number_of_another(chance: random.Random, content: bytes) -> bytes:
    """A number becomes one that is there already, as the id of another token."""
    numbers = [match.span() for match in _NUMBER.finditer(content)]
    if not numbers:
        return content
    (start, end), (first, last) = chance.choice(numbers), chance.choice(numbers)
    return content[:start] + content[first:last] + content[end:]


def _huge_length(chance: random.Random, content: bytes) -> bytes:
    """Somewhere, most often near the start, it says that very much follows: as GGUF and as protobuf spell it."""
    start = chance.randrange(min(len(content), chance.choice((64, 4096, 1 << 30))) + 1)
    length = chance.choice((1 << 24, 1 << 31, 1 << 40, (1 << 63) - 1, (1 << 64) - 1))
    if chance.random() < 0.5:
        return content[:start] + length.to_bytes(8, "little") + content[start + 8 :]
    return content[:start] + _varint(length) + content[start + chance.choice((0, 1)) :]


def _varint(number: int) -> bytes:
    spelled = bytearray()
    while number >= 0x80:
        spelled.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*spelled, number])


def _deep(chance: random.Random, content: bytes) -> bytes:
    start = chance.randrange(len(content) + 1)
    return content[:start] + chance.choice((b"[", b'{"a":')) * chance.choice((100, 20_000, 200_000)) + content[start:]


def _bomb(chance: random.Random, content: bytes) -> bytes:
    """An expression becomes one that takes for ever on the wrong text, or fills the memory when it is compiled."""
    expressions = [match.span(1) for match in _EXPRESSION.finditer(content)]
    if not expressions:
        return content
    start, end = chance.choice(expressions)
    return content[:start] + chance.choice(_BOMBS) + content[end:]


_NUMBER = re.compile(rb"\d+")
_EXPRESSION = re.compile(rb'"(?:Regex|String|pattern)"\s*:\s*"((?:[^"\\]|\\.)*)"')
_BOMBS = (
    rb"(a+)+$",
    rb"(\\w+\\s?)+$",
    rb"(?:a|a(?=a)|a(?!b))+$|(?s:.)",
    rb"(.*)*\\1x",
    rb"(?<!(a|aa)+)b|(?s:.)",
    rb"((((((((((a{0,99}){0,99}){0,99}){0,99}){0,99}){0,99}){0,99}){0,99}){0,99}){0,99})",
    rb"(?:(?:(?:x{1,1000}){1,1000}){1,1000})",
    b"(" * 5000,
    rb"[\\p{L}&&[^\\p{L}]]*+(?:)*|(?s:.)*?$",
    b"",
)

_WAYS: tuple[Damage, ...] = (
    *(_cut_short, _without_start, _other_byte, _byte_at_the_start),
    *(_left_out, _twice, _noise, _other_number, _other_number),
    *(_number_of_another, _huge_length, _deep, _bomb, _bomb),
)
