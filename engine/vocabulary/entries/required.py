"""Text that whatever an expression finds must have in it. To look for it first leaves few tokens to search through."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST = 2
"""Characters of a text that is worth looking for: a single one is in too many tokens."""

_PARTS = r"""(?xs)
    \[ (?: \\. | [^\]] )+ \]
  | \\p\{ [^}]* \} | \\.
  | \{ \d+ (?:,\d*)? \} | \(\?: | ."""

_REPEATS = ("*", "+", "?", "{")


def required_texts(expression: str, match_case: bool) -> list[str] | None:
    """Texts of which every find has at least one, all ASCII; None where that cannot be said.

    For expressions that ``is_linewise`` accepts: there a group begins with ``(`` or ``(?:``, and nothing looks around.
    Where case is ignored, an i ends a text: the ``regex`` module takes ``İ`` for one, which no folding does.
    """
    longest = [""]
    run, depth = "", 0
    for part in _parts(expression):
        if len(part) == 1 and part.isascii() and not depth and (part.isalnum() or part in " _-'\"/,:;=<>@#%&!~`"):
            if match_case or part not in "iI":
                run += part
                continue
        elif part[0] in _REPEATS:
            run = run[:-1]  # it may be there no time at all
        longest[-1], run = max(longest[-1], run, key=len), ""
        if part[0] == "(":
            depth += 1
        elif part == ")":
            depth -= 1
        elif part == "|" and not depth:
            longest.append("")
    longest[-1] = max(longest[-1], run, key=len)
    return longest if min(map(len, longest)) >= LEAST else None


def _parts(expression: str) -> Iterator[str]:
    """Characters, classes, escapes, and how often something is repeated, one by one."""
    import regex  # type: ignore[import-untyped]

    return (match.group() for match in regex.finditer(_PARTS, expression))
