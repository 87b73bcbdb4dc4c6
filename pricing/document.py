"""YAML parser that builds a tree with the line and column of every node.

Scalars keep their source text, so that no price is converted to a float. The tree is built from parser events with an
explicit stack: deep nesting costs nothing, and anchors, tags and second documents are detected where they occur. YAML
features that a price file does not need are refused with a message.

Parsing stops at the first syntax error, which is then the only problem, because the text around it may mean anything.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

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
STAND_IN = "\ue000"
"""Stands for a control character, and for a name that cannot be read."""

CHARACTERS = 16
"""Number of characters between two cancellation checks. Reading them takes a few dozen microseconds."""

_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff\ufeff\ue000"
    r"\u200b\u202a-\u202e\u2060\u2066-\u2069]"  # characters that change text direction, or are invisible in a name
)
_OTHER_LINE_ENDS = re.compile("[\x85\u2028\u2029]")

_LONGEST_NAME = 60
"""Maximum length of a name quoted in a message, in characters."""


def _short(name: object) -> str:
    text = str(name)
    return text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}…"


def _hidden(character: str) -> str:
    return f"invisible control character (U+{ord(character):04X}): remove it"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value as written. ``quoted`` is False for plain scalars, which may be null.

    ``end``: line and column after its last character, (0, 0) for a missing value.
    """

    text: str
    quoted: bool
    line: int
    column: int
    end: tuple[int, int] = (0, 0)

    @property
    def is_null(self) -> bool:
        """True if the file explicitly says ``null`` or ``~``."""
        return not self.quoted and self.text in {"null", "Null", "NULL", "~"}

    @property
    def is_empty(self) -> bool:
        """True if there is no value."""
        return not self.quoted and not self.text


@dataclass(slots=True)
class Sequence:
    """A list. ``flow``: written in brackets; ``end`` is then the position after the closing one, else (0, 0)."""

    line: int
    column: int
    items: list[Node] = field(default_factory=list)
    flow: bool = False
    end: tuple[int, int] = (0, 0)


@dataclass(slots=True)
class Table:
    """A mapping. ``pairs`` keeps the file's order and duplicates. ``flow``, ``end``: as in a list."""

    line: int
    column: int
    pairs: list[tuple[Scalar, Node]] = field(default_factory=list)
    flow: bool = False
    end: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Broken:
    """A value that could not be read. Its problem is already reported."""

    line: int
    column: int


Node = Scalar | Sequence | Table | Broken


@dataclass(slots=True)
class Document:
    """The readable content of a file. ``root``: None if nothing could be read. ``complete``: all of it was read."""

    root: Node | None
    problems: list[Problem]
    complete: bool


def read_document(text: str, file: str, cancel_check: CancelCheck = check_cancelled) -> Document:
    """Parse YAML text. Never raises for its content: ``problems`` lists all errors, in the order found.

    ``cancel_check`` is called repeatedly; any exception it raises ends the parsing.
    """
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_CHARACTERS:
        message = f"the file is too large for a price file ({len(text):,} characters, at most {MAX_CHARACTERS:,})"
        return Document(None, [Problem(file, 1, 1, "", message)], complete=False)
    problems: list[Problem] = []
    text = _without_control_characters(text, file, problems)
    builder = _Builder(file)
    fault = builder.build(text, cancel_check)
    problems += builder.problems
    if fault is None:
        return Document(builder.root, problems, complete=not builder.stopped)
    problems.append(Problem(file, fault.line, fault.column, "", fault.message))
    return Document(None, problems, complete=False)


def _without_control_characters(text: str, file: str, problems: list[Problem]) -> str:
    """Report control characters and replace them by stand-ins. Line ends known only to YAML become spaces."""
    for match in _UNPRINTABLE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        column = match.start() - text.rfind("\n", 0, match.start())
        problems.append(Problem(file, line, column, "", _hidden(match.group())))
        if len(problems) >= 20:
            break
    return _OTHER_LINE_ENDS.sub(" ", _UNPRINTABLE.sub(STAND_IN, text))


class _Builder:
    """Builds the tree of one document."""

    def __init__(self, file: str) -> None:
        self.root: Node | None = None
        self.problems: list[Problem] = []
        self.stopped = False
        self._file = file
        self._stack: list[Sequence | Table] = []
        self._keys: list[Scalar | None] = []

    def build(self, text: str, cancel_check: CancelCheck) -> SyntaxFault | None:
        """Parse ``text``. Return the fault that stopped it, or None."""
        try:
            for event in _events(text, cancel_check):
                if isinstance(event, DocumentStartEvent) and self.root is not None:
                    self._problem(event, "a price file is one YAML document: remove this '---' and what follows it")
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
            return SyntaxFault(1, 1, f"this is not valid YAML ({type(error).__name__})")
        return None

    def _take(self, event: Event) -> None:
        if isinstance(event, (MappingStartEvent, SequenceStartEvent)):
            self._open(event)
        elif isinstance(event, (MappingEndEvent, SequenceEndEvent)):
            self._close(event)
        elif isinstance(event, AliasEvent):
            self._problem(event, f"aliases (*{_short(event.anchor)}) are not supported: write out the value")
            self._add(Broken(*self._place(event)))
        elif isinstance(event, ScalarEvent):
            self._check_decorations(event)
            line, column = self._place(event)
            escaped = _UNPRINTABLE.search(event.value.replace(STAND_IN, ""))  # unescaped ones are already replaced
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
            self._problem(event, f"this is nested too deeply (more than {MAX_DEPTH} levels)")
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
                # The parser places a missing value at the next token.
                node = Scalar("", False, key.line, key.column)
            parent.pairs.append((key, node))
            self._keys[-1] = None
        elif isinstance(node, Scalar):
            self._keys[-1] = node
        else:
            if not isinstance(node, Broken):
                self.problems.append(Problem(self._file, node.line, node.column, "", "expected a name"))
            self._keys[-1] = Scalar(STAND_IN, True, node.line, node.column)

    def _check_decorations(self, event: NodeEvent) -> None:
        anchor = getattr(event, "anchor", None)
        if anchor is not None:
            self._problem(
                event, f"anchors (&{_short(anchor)}) are not supported: write out the value where it is needed"
            )
        tag = getattr(event, "tag", None)
        if tag is not None and str(tag) not in {"!", ""}:
            written = str(tag).replace("tag:yaml.org,2002:", "!!")
            self._problem(event, f"tags ({_short(written)}) are not supported: write the plain value")

    def _problem(self, event: Event, message: str) -> None:
        self.problems.append(Problem(self._file, *self._place(event), "", message))

    def _place(self, event: Event) -> tuple[int, int]:
        mark = event.start_mark
        return mark.line + 1, mark.column + 1


def _events(text: str, cancel_check: CancelCheck) -> Iterator[Event]:
    # The plain loader: the round-trip loader is slower and keeps comments, which are not needed here.
    yaml = YAML(typ="safe", pure=True)
    yaml.Reader = functools.partial(_Reader, cancel_check)
    yield from yaml.parse(text)


class _Reader(Reader):
    """Reader that calls ``cancel_check`` repeatedly, because a value or a comment may be as long as the file."""

    def __init__(self, cancel_check: CancelCheck, stream: str | None, loader: YAML) -> None:
        super().__init__(stream, loader)
        self._cancel_check, self._left = cancel_check, 0

    def peek(self, index: int = 0) -> str:
        """Return the character at an offset. The end of a word is searched one by one before the reader advances."""
        if index and index % CHARACTERS == 0:
            self._cancel_check()
        return super().peek(index)

    def forward(self, length: int = 1) -> None:
        """Advance by ``length`` characters."""
        while length > CHARACTERS:
            super().forward(CHARACTERS)
            self._cancel_check()
            length -= CHARACTERS
        self._left -= length
        if self._left < 0:
            self._left = CHARACTERS
            self._cancel_check()
        super().forward(length)


class SyntaxFault(NamedTuple):
    """A syntax error: its position (from 1) and the message."""

    line: int
    column: int
    message: str


def describe(error: MarkedYAMLError, text: str) -> SyntaxFault:
    """Convert a parser error to a message for authors of price files."""
    problem = str(error.problem or "")
    context = str(error.context or "")
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    start = error.context_mark
    if "'\\t'" in problem:
        return SyntaxFault(line, column, "found a tab: use spaces")
    if "flow sequence" in context or "flow mapping" in context:
        bracket = "[" if "sequence" in context else "{"
        closing = "]" if bracket == "[" else "}"
        at = (start.line + 1, start.column + 1) if start else (line, column)
        return SyntaxFault(*at, f"this '{bracket}' is not closed: a ',' or '{closing}' is missing")
    if "quoted scalar" in context:
        at = (start.line + 1, start.column + 1) if start else (line, column)
        if "escape" in problem:
            return SyntaxFault(line, column, f"{problem}: use single quotes, or double the backslash")
        return SyntaxFault(*at, "this quote is not closed")
    if "could not find expected ':'" in problem and start:
        return SyntaxFault(start.line + 1, start.column + 1, "a ':' is missing after this name")
    if "mapping values are not allowed" in problem:
        return _misplaced_colon(text, line, column)
    if "expected <block end>" in problem:
        return SyntaxFault(line, column, "the indentation does not match the lines above")
    if "cannot start any token" in problem:
        character = text.splitlines()[line - 1][column - 1 : column] if text else ""
        return SyntaxFault(line, column, f"a value cannot start with '{character}': put it in quotes")
    if "incompatible YAML" in problem or "directive" in (problem + context):
        return SyntaxFault(line, column, "lines that start with '%' are not supported: remove this line")
    if "expected the node content" in problem:
        found = problem.rpartition("found ")[2]
        if found == "'<stream end>'":
            return SyntaxFault(line, column, "the file ends here, but a '[' or '{' is not closed")
        return SyntaxFault(line, column, f"expected a value, found {found}")
    return SyntaxFault(line, column, f"this is not valid YAML: {problem or context or 'unreadable'}")


def _misplaced_colon(text: str, line: int, column: int) -> SyntaxFault:
    """Distinguish a second colon in a line, a wrong indentation, and a missing colon in the line before."""
    lines = text.split("\n")
    before = lines[line - 1][: column - 1]
    if ":" in before:
        return SyntaxFault(line, column, "found a second ':': put the text in quotes")
    previous = _line_before(lines, line)
    indent = len(before) - len(before.lstrip())
    if previous and not re.search(r":(\s|$)", lines[previous - 1]):
        name = lines[previous - 1]
        if ":" in name:
            return SyntaxFault(previous, name.index(":") + 1, "put a space after this ':'")
        first = len(name) - len(name.lstrip()) + 1
        return SyntaxFault(previous, first, "a ':' is missing after this name")
    return SyntaxFault(line, indent + 1, "the indentation does not match the lines above")


def _line_before(lines: list[str], number: int) -> int:
    """Return the number of the last line with content before ``number``, or 0 if there is none."""
    for candidate in range(number - 1, 0, -1):
        body = lines[candidate - 1].strip()
        if body and not body.startswith("#"):
            return candidate
    return 0
