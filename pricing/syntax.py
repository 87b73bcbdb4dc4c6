"""Syntax errors of YAML in plain words, and how to read on behind them.

The parser stops at its first error. To name every mistake of a file, the value that broke it is set aside (a stand-in
takes its place, the lines keep their numbers) and the text is read again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ruamel.yaml.error import MarkedYAMLError

STAND_IN = "\ue000"
"""Takes the place of a value that could not be read."""

_KEY_AND_VALUE = re.compile(r"^(\s*(?:-\s+)*[^\s:#\[\]{}'\"][^:\[\]{}'\"]*:)(?:\s.*|)$")
_ITEM = re.compile(r"^(\s*(?:-\s+)+)\S.*$")


@dataclass(frozen=True, slots=True)
class SyntaxFault:
    """One syntax error: where to point at (from 1), what to say, and the first and last line that it covers."""

    line: int
    column: int
    message: str
    kind: str = "value"
    last_line: int = 0


@dataclass(slots=True)
class Repairs:
    """What was done to a text so that it can be read on: lines with a stand-in, lines that were moved or emptied."""

    broken: set[int] = field(default_factory=set)
    emptied: set[int] = field(default_factory=set)
    shifted: dict[int, int] = field(default_factory=dict)

    def touched(self, line: int) -> bool:
        """Whether this line is no longer as it was written."""
        return line in self.broken or line in self.emptied or line in self.shifted


def describe(error: MarkedYAMLError, text: str) -> SyntaxFault:
    """The parser's error as a sentence for people who write price files, not parsers."""
    problem = str(error.problem or "")
    context = str(error.context or "")
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    start = error.context_mark
    if "'\\t'" in problem:
        return SyntaxFault(line, column, "a tab stands here, use spaces", "tab", line)
    if "flow sequence" in context or "flow mapping" in context:
        bracket = "[" if "sequence" in context else "{"
        closing = "]" if bracket == "[" else "}"
        at = (start.line + 1, start.column + 1) if start else (line, column)
        return SyntaxFault(*at, f"this '{bracket}' is not closed, a ',' or '{closing}' is missing", "value", line)
    if "quoted scalar" in context:
        at = (start.line + 1, start.column + 1) if start else (line, column)
        if "escape" in problem:
            return SyntaxFault(line, column, f"{problem}: use single quotes, or double the backslash", "value", line)
        return SyntaxFault(*at, "this quotation mark is not closed", "value", line)
    if "could not find expected ':'" in problem and start:
        return SyntaxFault(start.line + 1, start.column + 1, "a ':' is missing after this name", "line", start.line + 1)
    if "mapping values are not allowed" in problem:
        return _misplaced_colon(text, line, column)
    if "expected <block end>" in problem:
        return SyntaxFault(line, column, "the indentation does not fit the lines before", "indentation", line)
    if "cannot start any token" in problem:
        character = text.splitlines()[line - 1][column - 1 : column] if text else ""
        return SyntaxFault(line, column, f"a value cannot start with '{character}', put it in quotes", "value", line)
    if "incompatible YAML" in problem or "directive" in (problem + context):
        return SyntaxFault(line, column, "lines that start with '%' are not supported, remove this line", "line", line)
    if "expected the node content" in problem:
        found = problem.rpartition("found ")[2]
        return SyntaxFault(line, column, f"a value is expected here, not {found}", "value", line)
    return SyntaxFault(line, column, f"this is not valid YAML: {problem or context or 'unreadable'}", "value", line)


def _misplaced_colon(text: str, line: int, column: int) -> SyntaxFault:
    """Tell apart a second colon in a line, a wrong indentation, and a name without colon in the line before."""
    lines = text.split("\n")
    before = lines[line - 1][: column - 1]
    if ":" in before:
        return SyntaxFault(line, column, "a second ':' stands here, put the text in quotes", "value", line)
    previous = _line_before(lines, line)
    indent = len(before) - len(before.lstrip())
    if previous and not re.search(r":(\s|$)", lines[previous - 1]):
        name = lines[previous - 1]
        if ":" in name:
            return SyntaxFault(previous, name.index(":") + 1, "put a space behind this ':'", "colon", previous)
        first = len(name) - len(name.lstrip()) + 1
        return SyntaxFault(previous, first, "a ':' is missing after this name", "line", previous)
    return SyntaxFault(line, indent + 1, "the indentation does not fit the lines before", "indentation", line)


def repair(text: str, fault: SyntaxFault, repairs: Repairs) -> tuple[str | None, bool]:
    """The text without this fault, and whether the fault is news (and no echo of an earlier repair).

    None in place of the text when nothing is left to try.
    """
    lines = text.split("\n")
    if fault.line > len(lines):
        return None, True
    if repairs.touched(fault.line):
        last = min(max(fault.line, fault.last_line), len(lines))  # YAML counts other line ends as well
        again = [n for n in range(fault.line, last + 1) if n not in repairs.emptied]
        if not again:
            return None, False
        for number in again:
            lines[number - 1] = ""
            repairs.emptied.add(number)
        return "\n".join(lines), False
    if fault.kind in {"tab", "indentation"}:
        _align(lines, fault, repairs)
    elif fault.kind == "colon":
        line = lines[fault.line - 1]
        lines[fault.line - 1] = f"{line[: fault.column]} {line[fault.column :]}"
        repairs.shifted[fault.line] = 0
    else:
        _set_aside(lines, fault, repairs)
    return "\n".join(lines), True


def _align(lines: list[str], fault: SyntaxFault, repairs: Repairs) -> None:
    """Give a line the indentation that the line before it asks for; a tab behind the indentation becomes a space."""
    line = lines[fault.line - 1]
    body = line.lstrip()
    if fault.kind == "tab" and line[: fault.column - 1].strip():
        lines[fault.line - 1] = line[: fault.column - 1] + line[fault.column - 1 :].replace("\t", " ")
        repairs.shifted[fault.line] = 0
        return
    previous = _line_before(lines, fault.line)
    above = lines[previous - 1] if previous else ""
    indent = len(above) - len(above.lstrip())
    content = above.lstrip()
    while content.startswith("- "):
        indent += 2
        content = content[2:].lstrip()
    if re.sub(r"\s#.*$", "", above).rstrip().endswith(":"):
        indent += 2
    lines[fault.line - 1] = " " * indent + body
    repairs.shifted[fault.line] = indent - (len(line) - len(body))


def _set_aside(lines: list[str], fault: SyntaxFault, repairs: Repairs) -> None:
    """Put a stand-in where the broken value is, or empty the line where there is no name to keep."""
    line = lines[fault.line - 1]
    found = _KEY_AND_VALUE.match(line) or _ITEM.match(line)
    if fault.kind == "line" or found is None:
        lines[fault.line - 1] = ""
        repairs.emptied.add(fault.line)
        return
    lines[fault.line - 1] = f"{found.group(1).rstrip()} {STAND_IN}"
    repairs.broken.add(fault.line)


def _line_before(lines: list[str], number: int) -> int:
    """The number of the last line before ``number`` that says something, 0 if there is none."""
    for candidate in range(number - 1, 0, -1):
        body = lines[candidate - 1].strip()
        if body and not body.startswith("#"):
            return candidate
    return 0
