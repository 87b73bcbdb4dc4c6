r"""A split pattern for Oniguruma, the engine of regular expressions that Hugging Face's library uses.

Its dialect (Ruby's) differs from that of the Rust crates: ``^`` and ``$`` are about lines, ``(?m:`` is what ``(?s:`` is
there, ``{1,3}+`` is a repetition of a repetition, and ``[a--b]`` is no difference. So every class is written out as
ranges of code points, and possessive counted repetitions as atomic groups.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.split.expression import parts_of
from engine.text.code_point_sets import CodePoints

_SURROGATES = CodePoints.between(0xD800, 0xDFFF)
_SIGNS = re.compile(r"\((?:\?(?:[:=!>]|<[=!]))?|\)|\{.*?\}|\\.|.", re.DOTALL)


def for_oniguruma(expression: str) -> str:
    """The pattern in Oniguruma's dialect. UnsupportedPatternError."""
    written: list[str] = []
    open_groups: list[int] = []
    atom = 0  # where in `written` begins what a repetition would repeat
    signs = list(_signs(expression))
    for place, sign in enumerate(signs):
        following = signs[place + 1] if place + 1 < len(signs) else ""
        if isinstance(sign, CodePoints):
            atom = len(written)
            written.append(_class(sign))
        elif sign.startswith("("):
            open_groups.append(len(written))
            written.append(sign)
        elif sign == ")":
            atom = open_groups.pop()
            written.append(sign)
        elif sign.startswith("{") and following in ("?", "+"):
            # There "{2}?" would be an option, and "{2,3}+" would repeat.
            least, _, most = sign[1:-1].partition(",")
            counts = sign if "," in sign else f"{{{least},{most or least}}}"
            if following == "+":
                written.insert(atom, "(?>")
                written.append(counts + ")")
                signs[place + 1] = ""
            else:
                written.append(counts)
        else:
            written.append(r"\z" if sign == r"\Z" else sign)
    return "".join(written)


def _signs(expression: str) -> Iterator[str | CodePoints]:
    for part in parts_of(expression):
        if isinstance(part, CodePoints):
            yield part
        else:
            yield from _SIGNS.findall(part)


def _class(points: CodePoints) -> str:
    edges = (points - _SURROGATES).edges
    if not edges:
        return "(?!)"
    firsts, stops = edges[::2], edges[1::2]
    ranges = (
        _point(first) if stop == first + 1 else f"{_point(first)}-{_point(stop - 1)}"
        for first, stop in zip(firsts, stops, strict=True)
    )
    return f"[{''.join(ranges)}]"


def _point(point: int) -> str:
    character = chr(point)
    return character if character.isascii() and character.isalnum() else rf"\x{{{point:X}}}"
