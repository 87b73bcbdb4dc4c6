"""Walks the tree of a price file and collects what is wrong, each with its place. Knows nothing of prices."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar

from pricing.document import Broken, Node, Scalar, Sequence, Table
from pricing.scalars import BadValue, shown
from pricing.syntax import STAND_IN
from pricing.types import Problem

T = TypeVar("T")

MAX_PROBLEMS = 200


class Checker:
    """The problems of one file."""

    def __init__(self, file: str, problems: Iterable[Problem] = ()) -> None:
        self._file = file
        self._problems = list(problems)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems in the order of the file; after the first 200 only how many more there are."""
        ordered = sorted(self._problems, key=lambda problem: (problem.line, problem.column))
        if len(ordered) <= MAX_PROBLEMS:
            return tuple(ordered)
        last = ordered[MAX_PROBLEMS]
        rest = Problem(
            self._file, last.line, last.column, "", f"{len(ordered) - MAX_PROBLEMS} more problems from here on"
        )
        return (*ordered[:MAX_PROBLEMS], rest)

    @property
    def count(self) -> int:
        """How many problems there are so far."""
        return len(self._problems)

    def report(self, place: Node, path: str, sentence: str, hint: str = "") -> None:
        """Add a problem. ``hint`` is the name that was probably meant."""
        message = f"{path}: {sentence}" if path else sentence
        if hint:
            message += f", did you mean '{hint}'?"
        self._problems.append(Problem(self._file, place.line, place.column, path, message, hint))

    def table(
        self, node: Node, path: str, known: Collection[str], elsewhere: Mapping[str, str] | None = None
    ) -> dict[str, tuple[Scalar, Node]]:
        """The fields of a mapping by name, with the key as written. Unknown and repeated ones are reported.

        ``elsewhere`` says for fields of other blocks where they belong.
        """
        found: dict[str, tuple[Scalar, Node]] = {}
        for key, value in self.pairs(node, path):
            if key.text in known:
                found.setdefault(key.text, (key, value))
            else:
                self._unknown(key, path, known, (elsewhere or {}).get(key.text, ""))
        return found

    def pairs(self, node: Node, path: str) -> list[tuple[Scalar, Node]]:
        """The pairs of a mapping whose names are free, repeated ones (which are reported) included."""
        if not isinstance(node, Table):
            self.expect("a block of 'name: value' lines", node, path)
            return []
        found: list[tuple[Scalar, Node]] = []
        first_lines: dict[str, int] = {}
        for key, value in node.pairs:
            name = key.text
            if STAND_IN in name:
                continue
            if name == "<<" and not key.quoted:
                self.report(key, path, "merge keys (<<) are not supported, write the fields out")
                continue
            if name in first_lines:
                sentence = f"'{shown(name)}' stands here twice, first in line {first_lines[name]}"
                self.report(key, join(path, name), sentence)
            first_lines.setdefault(name, key.line)
            found.append((key, value))
        return found

    def items(self, node: Node, path: str) -> list[Node]:
        """The items of a list."""
        if isinstance(node, Sequence):
            return node.items
        self.expect("a list", node, path)
        return []

    def scalar(self, node: Node, path: str, read: Callable[[str], T], *, may_be_null: bool = False) -> T | None:
        """A single value, or None after a report. ``may_be_null``: the caller takes null, so say that it can be."""
        if not isinstance(node, Scalar):
            self.expect("a single value", node, path)
            return None
        if node.is_empty:
            instead = "leave the line out, or write null for unknown" if may_be_null else "write a value"
            self.report(node, path, f"nothing stands here; {instead}")
            return None
        if node.is_null:
            self.report(node, path, "a value is needed here, null is none")
            return None
        try:
            return read(node.text)
        except BadValue as error:
            self.report(node, path, str(error))
            return None

    def texts(self, node: Node, path: str, read: Callable[[str], str]) -> tuple[str, ...]:
        """A list of texts; a single one may stand without the list."""
        if isinstance(node, Scalar) and not node.quoted and node.text.startswith("-"):
            self.report(node, path, "write a blank behind the '-' of each entry")
            return ()
        if isinstance(node, Scalar):
            one = self.scalar(node, path, read)
            return () if one is None else (one,)
        found = [self.scalar(item, join(path, index), read) for index, item in enumerate(self.items(node, path))]
        return tuple(text for text in found if text is not None)

    def expect(self, what: str, node: Node, path: str) -> None:
        """Report that something else stands here. Says nothing of values that are reported already."""
        if isinstance(node, Broken):
            return
        if isinstance(node, Scalar):
            if node.is_empty:
                self.report(node, path, f"{what} is expected here, but nothing stands here")
                return
            got = f"'{shown(node.text)}'"
        else:
            got = "a list" if isinstance(node, Sequence) else "a block of 'name: value' lines"
        self.report(node, path, f"{what} is expected here (got {got})")

    def _unknown(self, key: Scalar, path: str, known: Collection[str], belongs: str) -> None:
        if belongs:
            self.report(key, join(path, key.text), f"'{key.text}' stands in the wrong block, it belongs {belongs}")
            return
        hint = closest(key.text, known)
        listed = "" if hint or len(known) > 12 else f", known are {', '.join(known)}"
        self.report(key, join(path, key.text), f"unknown field '{shown(key.text)}'{listed}", hint)


def join(path: str, name: str | int) -> str:
    """The path to a field or item."""
    text = shown(str(name))
    return f"{path}.{text}" if path else text


def closest(text: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The known name that looks most like ``text``, empty if none does."""
    found = difflib.get_close_matches(text, list(known), n=1, cutoff=cutoff)
    return found[0] if found else ""
