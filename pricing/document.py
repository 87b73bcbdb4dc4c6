"""Parse YAML text into a tree that knows the line and column of every node.

Scalars stay the text that was written, so that no price ever passes through a float. The tree is built from the
parser's events with a stack of our own: deep nesting costs nothing, and anchors, tags and second documents are seen
where they stand. What YAML allows and a price file does not need is refused with a sentence.

A syntax error does not hide the mistakes behind it: the broken value is set aside, and reading goes on.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import Reader

from pricing.cancellation import CancelCheck, check_cancelled
from pricing.types import Problem

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 20
MAX_REREAD = 150_000
"""How many characters may be parsed again to find what stands behind syntax errors, or as many as the file has if it is
longer: dense YAML takes some 7 microseconds each."""
MAX_FAULTS = 100
CHARACTERS = 16
"""After so many characters it is asked whether to go on: reading them takes some dozen microseconds."""

_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff\ufeff\ue000"
    r"\u200b\u202a-\u202e\u2060\u2066-\u2069]"  # what turns the text around it, or hides in a name
)
_OTHER_LINE_ENDS = re.compile("[\x85\u2028\u2029]")

_LONGEST_NAME = 60
"""Of a name that a sentence repeats, in characters."""


def _short(name: object) -> str:
    text = str(name)
    return text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}…"


def _hidden(character: str) -> str:
    return f"an invisible control character stands here (U+{ord(character):04X}), remove it"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value as written. ``quoted`` is False for plain scalars, which may stand for null.

    ``end`` is the line and the column behind its last character, (0, 0) for a value that is not there.
    """

    text: str
    quoted: bool
    line: int
    column: int
    end: tuple[int, int] = (0, 0)

    @property
    def is_null(self) -> bool:
        """Whether the file says ``null`` (or ``~``) here, in so many words."""
        return not self.quoted and self.text in {"null", "Null", "NULL", "~"}

    @property
    def is_empty(self) -> bool:
        """Whether nothing stands here."""
        return not self.quoted and not self.text


@dataclass(slots=True)
class Sequence:
    """A list. ``flow``: written in brackets; ``end`` is then the place behind the closing one, else (0, 0)."""

    line: int
    column: int
    items: list[Node] = field(default_factory=list)
    flow: bool = False
    end: tuple[int, int] = (0, 0)


@dataclass(slots=True)
class Table:
    """A mapping. ``pairs`` keep the order and the duplicates of the file; ``flow`` and ``end`` as in a list."""

    line: int
    column: int
    pairs: list[tuple[Scalar, Node]] = field(default_factory=list)
    flow: bool = False
    end: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Broken:
    """A value that could not be read; its problem is reported already."""

    line: int
    column: int


Node = Scalar | Sequence | Table | Broken


@dataclass(slots=True)
class Document:
    """What could be read of a file. ``root`` is None when nothing could; ``complete``: all of it was read."""

    root: Node | None
    problems: list[Problem]
    complete: bool


def read_document(text: str, file: str, cancel_check: CancelCheck = check_cancelled) -> Document:
    """Read YAML text. Never raises: what is wrong stands in ``problems``, in the order in which it was found.

    ``cancel_check`` is called repeatedly; what it raises ends the reading.
    """
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_CHARACTERS:
        message = f"the file is too big for a price file ({len(text):,} characters, at most {MAX_CHARACTERS:,})"
        return Document(None, [Problem(file, 1, 1, "", message)], complete=False)
    problems: list[Problem] = []
    text = _without_control_characters(text, file, problems)
    repairs = Repairs()
    budget = max(MAX_REREAD, len(text))
    for faults_left in range(MAX_FAULTS, -1, -1):
        builder = _Builder(file, repairs)
        fault = builder.build(text, cancel_check)
        if fault is None:
            return Document(builder.root, problems + builder.problems, complete=not builder.stopped)
        repaired, is_news = repair(text, fault, repairs)
        if is_news:
            problems.append(Problem(file, fault.line, fault.column, "", fault.message))
        budget -= sum(map(len, text.split("\n", fault.line)[: fault.line]))
        spent = budget <= 0 or not faults_left
        if repaired is not None and spent:
            message = "too much is wrong with the syntax, what follows was not looked at"
            problems.append(Problem(file, fault.line, fault.column, "", message))
        if repaired is None or spent:
            break
        text = repaired
    return Document(builder.root, problems + builder.problems, complete=False)


def _without_control_characters(text: str, file: str, problems: list[Problem]) -> str:
    """Report control characters and put stand-ins in their place; line ends that only YAML knows become blanks."""
    for match in _UNPRINTABLE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        column = match.start() - text.rfind("\n", 0, match.start())
        problems.append(Problem(file, line, column, "", _hidden(match.group())))
        if len(problems) >= 20:
            break
    return _OTHER_LINE_ENDS.sub(" ", _UNPRINTABLE.sub(STAND_IN, text))


class _Builder:
    """Builds the tree of one reading."""

    def __init__(self, file: str, repairs: Repairs) -> None:
        self.root: Node | None = None
        self.problems: list[Problem] = []
        self.stopped = False
        self._file = file
        self._repairs = repairs
        self._stack: list[Sequence | Table] = []
        self._keys: list[Scalar | None] = []

    def build(self, text: str, cancel_check: CancelCheck) -> SyntaxFault | None:
        """Read ``text``; the fault that stopped it, if one did."""
        try:
            for event in _events(text, cancel_check):
                if isinstance(event, DocumentStartEvent) and self.root is not None:
                    self._problem(event, "a price file is one document: remove this '---' or what follows it")
                    self.stopped = True
                else:
                    self._take(event)
                if self.stopped:
                    break
        except MarkedYAMLError as error:
            return describe(error, text)
        except YAMLError as error:
            return SyntaxFault(1, 1, f"this is not valid YAML: {' '.join(str(error).split())[:200]}")
        except (RecursionError, ValueError, OverflowError) as error:
            return SyntaxFault(1, 1, f"this cannot be read as YAML ({type(error).__name__})")
        return None

    def _take(self, event: Event) -> None:
        if isinstance(event, (MappingStartEvent, SequenceStartEvent)):
            self._open(event)
        elif isinstance(event, (MappingEndEvent, SequenceEndEvent)):
            self._close(event)
        elif isinstance(event, AliasEvent):
            self._problem(event, f"aliases (*{_short(event.anchor)}) are not supported, write the value out")
            self._add(Broken(*self._place(event)))
        elif isinstance(event, ScalarEvent):
            self._check_decorations(event)
            line, column = self._place(event)
            escaped = _UNPRINTABLE.search(event.value.replace(STAND_IN, ""))  # what stood there as it is has gone
            if escaped:
                self._problem(event, _hidden(escaped.group()))
            if escaped or STAND_IN in event.value:
                self._add(Broken(line, column))
            else:
                end = (event.end_mark.line + 1, event.end_mark.column + 1)
                self._add(Scalar(event.value, event.style is not None, line, column, end))

    def _open(self, event: MappingStartEvent | SequenceStartEvent) -> None:
        self._check_decorations(event)
        if len(self._stack) >= MAX_DEPTH:
            self._problem(event, f"this is nested too deep (more than {MAX_DEPTH} levels)")
            self.stopped = True
            return
        line, column = self._place(event)
        kind = Table if isinstance(event, MappingStartEvent) else Sequence
        node = kind(line, column, flow=bool(event.flow_style))
        self._add(node)
        self._stack.append(node)
        self._keys.append(None)

    def _close(self, event: MappingEndEvent | SequenceEndEvent) -> None:
        node = self._stack.pop()
        if node.flow:
            node.end = (event.end_mark.line + 1, event.end_mark.column + 1)
        self._keys.pop()

    def _add(self, node: Node) -> None:
        if not self._stack:
            self.root = node
            return
        parent = self._stack[-1]
        if isinstance(parent, Sequence):
            parent.items.append(node)
            return
        key = self._keys[-1]
        if key is not None:
            if isinstance(node, Scalar) and node.is_empty:
                # The parser places a value that is not there at whatever comes next.
                node = Scalar("", False, key.line, key.column)
            parent.pairs.append((key, node))
            self._keys[-1] = None
        elif isinstance(node, Scalar):
            self._keys[-1] = node
        else:
            if not isinstance(node, Broken):
                self.problems.append(Problem(self._file, node.line, node.column, "", "a name is expected here"))
            self._keys[-1] = Scalar(STAND_IN, True, node.line, node.column)

    def _check_decorations(self, event: NodeEvent) -> None:
        anchor = getattr(event, "anchor", None)
        if anchor is not None:
            self._problem(
                event, f"anchors (&{_short(anchor)}) are not supported, write the value out where it is needed"
            )
        tag = getattr(event, "tag", None)
        if tag is not None and str(tag) not in {"!", ""}:
            written = str(tag).replace("tag:yaml.org,2002:", "!!")
            self._problem(event, f"tags ({_short(written)}) are not supported, write the plain value")

    def _problem(self, event: Event, message: str) -> None:
        self.problems.append(Problem(self._file, *self._place(event), "", message))

    def _place(self, event: Event) -> tuple[int, int]:
        mark = event.start_mark
        line = mark.line + 1
        return line, max(1, mark.column + 1 - self._repairs.shifted.get(line, 0))


def _events(text: str, cancel_check: CancelCheck) -> Iterator[Event]:
    # The plain loader: the round-trip one keeps comments, which nobody asks for here, and is slower.
    yaml = YAML(typ="safe", pure=True)
    yaml.Reader = functools.partial(_Reader, cancel_check)
    yield from yaml.parse(text)


class _Reader(Reader):
    """Call ``cancel_check`` repeatedly: a value or a comment can be as long as the file."""

    def __init__(self, cancel_check: CancelCheck, stream: str | None, loader: YAML) -> None:
        super().__init__(stream, loader)
        self._cancel_check, self._left = cancel_check, 0

    def peek(self, index: int = 0) -> str:
        """The character so many places on. The end of a word is looked for one by one before anything is passed."""
        if index and index % CHARACTERS == 0:
            self._cancel_check()
        return super().peek(index)

    def forward(self, length: int = 1) -> None:
        """Pass so many characters."""
        while length > CHARACTERS:
            super().forward(CHARACTERS)
            self._cancel_check()
            length -= CHARACTERS
        self._left -= length
        if self._left < 0:
            self._left = CHARACTERS
            self._cancel_check()
        super().forward(length)


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
