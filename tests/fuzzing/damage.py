"""Input made worse by what it is: JSON, which stays JSON, and lines, as YAML has them.

Of bytes, whatever they are: ``tests.engine.library.formats.damage``.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

from tests.engine.library.formats.damage import Damage, worse_bytes

HOSTILE_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 1.5, 10**30, -(10**30), 1e308, float("inf"), float("nan")),
    *("", "x", "0", "\ud800", "a\0b", "\u202etxt.exe", "a" * 5000, "2026-13-45", "../../x", "<b>&", "=1+1"),
    *([], {}, [[]], [None], [1] * 50, {"": None}, {"type": []}, {"x": {"y": [{"z": 1}]}}),
)
HOSTILE_WORDS = (
    *("[", "{", "]", "}", "&a", "*a", "!!python/object:os.system", "!x", "|", ">", '"', "'", "-", "? x", ": :", "#"),
    *("1e999", ".nan", ".inf", "-.inf", "0x1F", "0o7", "1_000", "-1", "2026-02-30", "~", "null", "yes", "<<: *a"),
    *("%YAML 9.9", "---", "...", "\t", "\0", "\u2028", "\ufeff", "\x85", "1,5", "$3", "9" * 5000, "a" * 5000, "😀"),
)


def worse_json(chance: random.Random, content: bytes) -> bytes:
    """Another value, key or order somewhere in a JSON document, which is one afterwards, too."""
    document = json.loads(content)
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        document = _worse_value(chance, document)
    return json.dumps(document, ensure_ascii=chance.random() < 0.9).encode("utf-8", "surrogatepass")


def _worse_value(chance: random.Random, document: Any) -> Any:
    places = list(_places(document))
    if chance.random() < 0.01:
        raise RecursionError("deeper than anybody reads")
    if not places or chance.random() < 0.03:
        return chance.choice((document, [document], chance.choice(HOSTILE_VALUES)))
    holder, key = chance.choice(places)
    way = chance.randrange(8)
    if way == 0:
        del holder[key]
    elif way == 1:
        other, other_key = chance.choice(places)
        holder[key] = json.loads(json.dumps(other[other_key]))
    elif way == 2:
        holder[key] = [holder[key]] * chance.choice((1, 2, 20))
    elif way == 3 and isinstance(holder, dict):
        holder[chance.choice(("", "x", "type", "\ud800", "a" * 300))] = holder.pop(key)
    elif way == 4:
        holder[key] = str(holder[key])
    else:
        holder[key] = chance.choice(HOSTILE_VALUES)
    return document


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every value within another: what holds it, and its key or index there."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def worse_lines(chance: random.Random, content: bytes) -> bytes:
    """Lines that are left out, moved, indented otherwise, or say something else."""
    lines = content.decode("utf-8", "replace").split("\n")
    for _ in range(chance.choice((1, 1, 2, 4))):
        place = chance.randrange(len(lines))
        line, word = lines[place], chance.choice(HOSTILE_WORDS)
        key, colon, value = line.partition(":")
        lines[place : place + 1] = chance.choice(
            (
                *([], [line, line], [" " * chance.randrange(9) + line.lstrip()], ["\t" + line], [word], [line + word]),
                *([f"{key}{colon} {word}"], [f"{word}{colon}{value}"], [f"{key}{colon}{value} {word}"]),
                [lines[chance.randrange(len(lines))], line],
            )
        ) or [""]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def worse(chance: random.Random, content: bytes, ways: Sequence[Damage]) -> bytes:
    """One damage, or a few of them, of any of these kinds. Where what is left is no JSON, that of bytes goes on."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        try:
            content = chance.choice(ways)(chance, content)
        except (ValueError, RecursionError):
            content = worse_bytes(chance, content)
    return content
