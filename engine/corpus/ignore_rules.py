"""Glob rules that select files of a folder, and the ``.gitignore`` files that apply to it, as in gitignore(5).

``GlobRules`` finds the glob, if any, that decides about a path. Source: gitignore(5) and git's wildmatch.c. A rule is
about one path alone; the walk has to ensure that nothing below an ignored folder is included again. The tests compare
with git itself. (Among the libraries, pathspec 1.1 lets ``!docs/`` include files again that other rules ignore inside
``docs``.)

Matching takes linear time for each ``*`` or ``**``, whatever the glob: the text between two of them is matched at the
first position where it fits, without backtracking, which loses no match.

``IgnoreFile`` is one ``.gitignore``; ``ignore_file_in`` and ``ignore_files_above`` find those that apply to a folder.
The user's global ignore file and that in ``.git/info`` are not read: a corpus should not depend on who reads it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from engine.errors import EngineError

_T = TypeVar("_T")

_POSIX_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"!-/:-@\[-`{-~",
    "space": r" \t\n\r\f\v",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_LONGEST = 4096
"""Maximum length of a glob in characters; no path that Linux opens is longer. Compiling a million takes seconds."""
_BLOCK = 64
"""Rules in one expression: for each group that it tries, ``re`` goes through those before it."""
_QUOTED = 60
_STAR = "*"
_NEVER = r"(?!)"


class InvalidGlobError(EngineError, ValueError):
    """A glob that cannot match anything, such as one with an unclosed bracket, or one that is far too long."""


class GlobRules:
    """Rules in the order in which they were written; the last rule that matches a path decides."""

    def __init__(self, lines: Iterable[str], *, strict: bool = False) -> None:
        """Parse the rules. If ``strict``, raises InvalidGlobError for a glob that cannot match; git ignores such a glob
        silently."""
        rules: dict[tuple[str, bool], bool] = {}
        self._written = 0
        for line in lines:
            try:
                rule = _parsed(line)
            except InvalidGlobError:
                if strict:
                    raise
                continue
            if rule is None:
                continue
            negative, folders_only, expression = rule
            self._written += 1
            rules.pop((expression, folders_only), None)  # the earlier of two equal rules never decides
            rules[expression, folders_only] = negative
        last_first = [*reversed(rules.items())]
        self._blocks = [_block(last_first[start : start + _BLOCK]) for start in range(0, len(last_first), _BLOCK)]

    def __len__(self) -> int:
        """Return the number of rules."""
        return self._written

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Return True if the rules select a path, False if they unselect it (``!``), None if no rule matches it.

        ``path`` is relative to the folder of the rules, with ``/`` between its components and none at its ends.
        """
        subject = f"{path[path.rfind('/') + 1 :]}\0{path}"
        for block in self._blocks:
            found = (block.folders if is_folder else block.files).match(subject)
            if found is not None:
                assert found.lastindex is not None
                return not block.negative[found.lastindex - 1]
        return None


@dataclass(frozen=True, slots=True)
class _Block:
    """Consecutive rules, last rule first, because an alternation takes the first match. ``files``, ``folders``:
    expressions with a group for each rule."""

    negative: tuple[bool, ...]
    files: re.Pattern[str]
    folders: re.Pattern[str]


def _block(rules: Sequence[tuple[tuple[str, bool], bool]]) -> _Block:
    """Compile rules, each given as its expression, whether it is for folders only, and whether it is negative."""
    for_files = "|".join(f"({_NEVER if folders_only else expression})" for (expression, folders_only), _ in rules)
    for_folders = "|".join(f"({expression})" for (expression, _), _ in rules)
    files = re.compile(for_files, re.DOTALL)
    folders = files if for_files == for_folders else re.compile(for_folders, re.DOTALL)
    return _Block(tuple(negative for _, negative in rules), files, folders)


def _parsed(line: str) -> tuple[bool, bool, str] | None:
    r"""Parse a rule to (is negative, is for folders only, expression); None for an empty line or a comment.

    The expression is to match ``name\0path`` from its start: most rules are about a name, and fail at once.
    """
    glob = line.rstrip("\r\n")
    if glob.startswith("#"):
        return None
    while glob.endswith(" ") and not glob.endswith("\\ "):
        glob = glob[:-1]
    negative = glob.startswith("!")
    glob = glob[negative:]
    folders_only = glob.endswith("/")
    glob = glob[: len(glob) - folders_only]
    if not glob:
        return None
    if len(glob) > _LONGEST:
        raise InvalidGlobError(f"The glob {_quoted(glob)} has more than {_LONGEST:,} characters.")
    if "/" not in glob:
        tokens = [_STAR if token == "**" else token for token in _tokens(glob)]
        return negative, folders_only, _component(tokens) + r"\0"
    return negative, folders_only, rf"[^\0]*\0{_path_expression(_tokens(glob.removeprefix('/')))}\Z"


def _tokens(glob: str) -> list[str]:
    """Return the glob as expressions of one character each, with ``*`` for each unescaped run of stars, ``**`` for such
    a run of two between slashes, and ``/``. Raises InvalidGlobError."""
    tokens: list[str] = []
    at = 0
    while at < len(glob):
        character = glob[at]
        at += 1
        if character == "*":
            start = at - 1
            while glob[at : at + 1] == "*":
                at += 1
            alone = (start == 0 or glob[start - 1] == "/") and glob[at : at + 1] in ("", "/")
            tokens.append("**" if alone and at - start == 2 else _STAR)
        elif character == "?":
            tokens.append("[^/]")
        elif character == "/":
            tokens.append("/")
        elif character == "[":
            expression, at = _bracket(glob, at)
            tokens.append(expression)
        elif character == "\\":
            if at == len(glob):
                raise InvalidGlobError(f"The glob {_quoted(glob)} ends in a backslash, so it matches nothing.")
            tokens.append(re.escape(glob[at]))
            at += 1
        else:
            tokens.append(re.escape(character))
    return tokens


def _bracket(glob: str, at: int) -> tuple[str, int]:
    """Return the expression of a bracket whose content starts at ``at``, and the position after it. Raises
    InvalidGlobError."""
    negated = glob[at : at + 1] in ("!", "^")
    start = at = at + negated
    members: list[str] = []
    while at == start or glob[at : at + 1] != "]":
        if found := re.compile(r"\[:(\w*):\]").match(glob, at):
            if found[1] not in _POSIX_CLASSES:
                raise InvalidGlobError(f"The glob {_quoted(glob)} has an unknown character class: {_cut(found[0])}.")
            members.append(_POSIX_CLASSES[found[1]])
            at = found.end()
            continue
        first, at = _member(glob, at)
        if glob[at : at + 1] == "-" and glob[at + 1 : at + 2] not in ("", "]"):
            last, at = _member(glob, at + 1)
            if first <= last:
                members.append(f"{re.escape(first)}-{re.escape(last)}")
        else:
            members.append(re.escape(first))
    inside = "".join(members)
    if negated:
        return f"[^/{inside}]", at + 1
    return (f"(?!/)[{inside}]" if inside else _NEVER), at + 1


def _member(glob: str, at: int) -> tuple[str, int]:
    at += glob[at : at + 1] == "\\"
    if at >= len(glob):
        raise InvalidGlobError(f"The glob {_quoted(glob)} has a bracket that is never closed.")
    return glob[at], at + 1


def _quoted(glob: str) -> str:
    return repr(_cut(glob))


def _cut(text: str) -> str:
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"


def _component(tokens: list[str]) -> str:
    """Return the expression of a path component."""
    first, *others = _split(tokens, _STAR)
    if not others:
        return "".join(first)
    *middle, last = others
    searched = (f"(?>[^/\\0]*?{''.join(part)})" for part in middle if part)
    return f"{''.join(first)}{''.join(searched)}[^/\\0]*{''.join(last)}"


def _path_expression(tokens: list[str]) -> str:
    """Return the expression of a glob that contains slashes."""
    groups = [[_component(part) for part in group] for group in _split(_split(tokens, "/"), ["**"])]
    if len(groups) == 1:
        return "/".join(groups[0])
    first, *middle, last = groups
    start = "".join(f"{part}/" for part in first)
    searched = (f"(?>(?:[^/]+/)*?{'/'.join(group)}/)" for group in middle if group)
    return f"{start}{''.join(searched)}" + (f"(?:[^/]+/)*{'/'.join(last)}" if last else ".+")


def _split(items: list[_T], separator: _T) -> list[list[_T]]:
    """Split a list like str.split."""
    parts: list[list[_T]] = [[]]
    for item in items:
        if item == separator:
            parts.append([])
        else:
            parts[-1].append(item)
    return parts


_LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The rules of one .gitignore, which match paths relative to its own folder: ``prefix`` is the path from there to
    the root of the walk, or ``cut`` is the length of the path from the root to there."""

    path: Path
    rules: GlobRules
    prefix: str = ""
    cut: int = 0


def ignoring(ignore_files: tuple[IgnoreFile, ...], inner: str, is_folder: bool) -> IgnoreFile | None:
    """Return the .gitignore that ignores a path within the root, or None. ``ignore_files`` go from the outermost to the
    nearest, which decides if it has a rule for the path."""
    for file in reversed(ignore_files):
        verdict = file.rules.verdict(file.prefix + inner[file.cut :], is_folder=is_folder)
        if verdict is not None:
            return file if verdict else None
    return None


def ignore_file_in(folder: Path, cut: int) -> IgnoreFile | None:
    """Return the .gitignore of a folder, None if it does not exist or cannot be read."""
    path = folder / ".gitignore"
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        with path.open("rb") as file:
            content = file.read(_LARGEST)
    except OSError:
        return None
    return IgnoreFile(path, GlobRules(content.decode("utf-8-sig", "surrogateescape").split("\n")), cut=cut)


def ignore_files_above(root: Path) -> tuple[IgnoreFile, ...]:
    """Return the .gitignore files above a folder inside a git repository, the outermost first. Empty if they ignore the
    folder itself, as it was named explicitly."""
    folder, prefix = Path(os.path.realpath(root)), ""
    found: list[IgnoreFile] = []
    while not (folder / ".git").exists():
        if folder.parent == folder:
            return ()
        prefix = f"{folder.name}/{prefix}"
        folder = folder.parent
        if (file := ignore_file_in(folder, 0)) is not None:
            found.append(IgnoreFile(file.path, file.rules, prefix))
    return () if any(map(_ignores_parents, found)) else tuple(reversed(found))


def _ignores_parents(file: IgnoreFile) -> bool:
    """Return True if the file ignores the root of the walk, or a folder between itself and the root."""
    parts = file.prefix.split("/")[:-1]
    ways = ("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
    return any(file.rules.verdict(way, is_folder=True) for way in ways)
