"""Where in braces the caret is: which names lead to it. No Qt. YAML calls this the flow style: ``{input: 1}``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

_TOKEN = re.compile(
    r"""(?P<text>"(?:[^"\\]|\\.)*"?|'[^']*'?)|(?P<comment>(?:^|(?<=\s))\#[^\n]*)|(?P<open>[{\[])|(?P<close>[}\]])"""
    r"""|(?P<comma>,)|(?P<colon>:(?=\s|$|[{\[]))|(?P<plain>[^\s{}\[\],:"']+|\s+|.)""",
    re.VERBOSE,
)
_VALUE_BEGINS = re.compile(r"(?:^|:\s|-\s)\s*$")
_WORD = re.compile(r"[A-Za-z_0-9]*")
ITEM = "0"
"""Stands for the place in a list, whichever it is."""


class InBraces(NamedTuple):
    """A place inside braces where a name may stand: the text before the outermost bracket that is open there, the names
    that lead on from it, and what of the name is written."""

    before: str
    path: tuple[str, ...]
    word: str


@dataclass
class _Bracket:
    """One that is open, and the entry that was begun in it last: what was read of its name, and whether it is over."""

    is_list: bool
    begin: int
    name: str = ""
    named: bool = False


def in_braces(text: str) -> InBraces | None:
    """The place at the end of a text; None where no bracket is open, or no name begins there."""
    brackets: list[_Bracket] = []
    for token in _TOKEN.finditer(text):
        if token["open"]:
            # A bracket inside of words is one of them, unless the words are in brackets themselves.
            if brackets or _VALUE_BEGINS.search(text[: token.start()]):
                brackets.append(_Bracket(token["open"] == "[", token.start()))
        elif not brackets or token["comment"]:
            continue
        elif token["close"]:
            brackets.pop()
        elif token["comma"]:
            brackets[-1].name, brackets[-1].named = "", False
        elif token["colon"]:
            brackets[-1].named = True
        elif not brackets[-1].named:
            brackets[-1].name += token.group()
    if not brackets or brackets[-1].is_list or brackets[-1].named:
        return None
    word = brackets[-1].name.lstrip()
    if _WORD.fullmatch(word) is None:
        return None
    way = (ITEM if outer.is_list else outer.name.strip().strip("\"'") for outer in brackets[:-1])
    return InBraces(text[: brackets[0].begin], tuple(way), word)
