r"""Rewrites a split pattern over an alphabet of its own, so that every regular-expression engine matches it alike.

Patterns are written for the Rust crates ``regex`` and ``fancy-regex``. Python's ``regex`` module gives ``\s``,
``\p{L}`` or ``(?i:s)`` other meanings, by dialect and by Unicode version. So none of these is left to it: every literal
and every class becomes a set of code points, by the rules of Rust (``engine.text.character_classes``). Characters that
no set of the pattern distinguishes form a cell, each cell is one letter of the new alphabet, and pattern and text are
both written in it. What remains is sequence, choice, repetition, groups and look-arounds, which all backtracking
engines match alike.

Not supported, because they depend on more than sets: back-references, ``\G``, ``\K``, ``\X``, ``\R``, conditionals, and
the flags U and R.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass

from engine.errors import EngineError
from engine.text import character_classes
from engine.text.character_classes import EVERYTHING, CharacterClasses, CodePoints, category, cells, matching

MAX_CHARACTERS = 20_000
"""Maximum length of a pattern; published ones have some hundred characters. Compiling a million takes seconds and
cannot be interrupted."""


class UnsupportedPatternError(EngineError):
    """A split pattern has a construct that cannot be rewritten. The text names it."""


@dataclass(frozen=True, slots=True, eq=False)
class Rewritten:
    """A pattern over letters. ``expression``: for the module ``regex``. ``letters``: the letter of every code point.
    ``signs``: the pattern with sets of letters in place of characters."""

    expression: str
    letters: CharacterClasses
    signs: tuple[str | frozenset[int], ...]


def rewrite(expression: str) -> Rewritten:
    """Rewrite a pattern that is valid for tiktoken. Raises UnsupportedPatternError."""
    if len(expression) > MAX_CHARACTERS:
        raise UnsupportedPatternError(f"The pattern has more than {MAX_CHARACTERS:,} characters.")
    parts = parts_of(expression)
    sets = list(dict.fromkeys(part for part in parts if isinstance(part, CodePoints)))
    table, members = cells(sets)
    letters = CharacterClasses.from_table(table)
    if letters.count > 0xD800:
        raise UnsupportedPatternError("The pattern distinguishes too many characters.")
    letters_of = dict(zip(sets, members, strict=True))
    written = {one: _class_of_letters(numbers) for one, numbers in letters_of.items()}
    return Rewritten(
        "".join(part if isinstance(part, str) else written[part] for part in parts),
        letters,
        tuple(part if isinstance(part, str) else frozenset(letters_of[part]) for part in parts),
    )


def parts_of(expression: str) -> list[str | CodePoints]:
    """Return a pattern as a list of its character sets and the syntax between them. Raises UnsupportedPatternError."""
    return _Parser(expression).parse()


def _class_of_letters(letters: list[int]) -> str:
    if not letters:
        return r"[^\u0000-\U0010ffff]"
    ranges: list[list[int]] = []
    for letter in letters:
        if ranges and ranges[-1][1] == letter - 1:
            ranges[-1][1] = letter
        else:
            ranges.append([letter, letter])
    return "[" + "".join(rf"\u{first:04x}-\u{last:04x}" for first, last in ranges) + "]"


# --- parser -----------------------------------------------------------------------------------------------------------

_QUANTIFIER = re.compile(r"\{(?:(\d+)(,?)(\d*)|,(\d+))\}")
_GROUP_NAME = re.compile(r"\?P?<[A-Za-z_]\w*>")
_FLAGS = re.compile(r"\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])")
_OPENINGS = ("?:", "?=", "?!", "?<=", "?<!", "?>")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}
_NEWLINE = CodePoints.of(0x0A)
_WHITE_SPACE = CodePoints.of(*character_classes.WHITE_SPACE)
_HEX_DIGITS = CodePoints.union([CodePoints.between(*map(ord, pair)) for pair in ("09", "AF", "af")])


@dataclass(frozen=True, slots=True)
class _Flags:
    ignore_case: bool = False
    multi_line: bool = False
    dot_all: bool = False
    verbose: bool = False


_FLAG_NAMES = {"i": "ignore_case", "m": "multi_line", "s": "dot_all", "x": "verbose"}


class _Parser:
    """Parses a pattern in one pass. ``_parts`` is the result so far, with sets in place of characters."""

    def __init__(self, expression: str) -> None:
        self._text = expression
        self._at = 0
        self._flags = _Flags()
        self._parts: list[str | CodePoints] = []

    def parse(self) -> list[str | CodePoints]:
        self._sequence()
        if self._at < len(self._text):
            raise self._unsupported("a closing parenthesis without an opening one")
        return self._parts

    def _unsupported(self, what: str) -> UnsupportedPatternError:
        return UnsupportedPatternError(
            f"The split pattern has {what} near character {self._at}, which is not supported."
        )

    def _peek(self, length: int = 1) -> str:
        return self._text[self._at : self._at + length]

    def _take(self, length: int = 1) -> str:
        taken = self._peek(length)
        if len(taken) < length:
            raise self._unsupported("an end in the middle of a construct")
        self._at += length
        return taken

    def _skip(self, text: str) -> bool:
        found = self._text.startswith(text, self._at)
        self._at += len(text) * found
        return found

    def _sequence(self) -> None:
        """Parse up to the end of the group."""
        while self._at < len(self._text) and self._peek() != ")":
            character = self._take()
            if character == "\\":
                self._escape()
            elif character == "[":
                self._parts.append(self._bracket())
            elif character == "(":
                self._group()
            elif character in ".^$":
                self._parts += self._sign(character)
            elif character in "|*+?":
                self._parts.append(character)
            elif character == "{" and (found := _QUANTIFIER.match(self._text, self._at - 1)):
                least, comma, most, only_most = found.groups()
                self._parts.append(f"{{0,{only_most}}}" if only_most else f"{{{least}{comma}{most}}}")
                self._at = found.end()
            elif self._flags.verbose and character.isspace():
                continue
            elif self._flags.verbose and character == "#":
                self._at = (self._text + "\n").index("\n", self._at)
            else:
                self._parts.append(self._folded(CodePoints.of(ord(character))))

    def _folded(self, points: CodePoints) -> CodePoints:
        return points.ignoring_case() if self._flags.ignore_case else points

    def _sign(self, character: str) -> list[str | CodePoints]:
        if character == ".":
            return [EVERYTHING if self._flags.dot_all else EVERYTHING - _NEWLINE]
        if character == "^":
            return [r"(?:\A|(?<=", _NEWLINE, "))"] if self._flags.multi_line else [r"\A"]
        return [r"(?:\Z|(?=", _NEWLINE, "))"] if self._flags.multi_line else [r"\Z"]

    def _group(self) -> None:
        outer: _Flags | None = None
        opening = "?:"
        if self._skip("?#"):
            self._at = self._text.index(")", self._at) + 1
            return
        if found := _GROUP_NAME.match(self._text, self._at):
            self._at = found.end()
        elif self._peek() == "?":
            flags = self._flags
            known = [one for one in _OPENINGS if self._skip(one)]
            if known:
                opening = known[0]
            elif self._set_flags() == ")":
                return
            # In fancy-regex, flags set within a capturing group, a look-around or an atomic group persist after it.
            outer = flags if opening == "?:" else None
        self._parts.append("(" + opening)
        self._sequence()
        if not self._skip(")"):
            raise self._unsupported("a group without an end")
        self._parts.append(")")
        if outer is not None:
            self._flags = outer

    def _set_flags(self) -> str:
        """Parse ``?i-s:`` or ``?i-s)``. Returns its last character."""
        found = _FLAGS.match(self._text, self._at)
        if not found:
            raise self._unsupported("an unknown type of group")
        on, off, end = found.groups(default="")
        for letters, value in ((on, True), (off, False)):
            for letter in letters:
                if letter in _FLAG_NAMES:
                    self._flags = dataclasses.replace(self._flags, **{_FLAG_NAMES[letter]: value})
                elif letter != "u" or not value:
                    raise self._unsupported(f"the flag {letter}")
        self._at = found.end()
        return end

    def _escape(self) -> None:
        """Parse what follows a backslash outside a class."""
        kind = self._peek()
        if kind in "bB":
            self._at += 1
            if self._peek() == "{":
                raise self._unsupported("a boundary of a special kind")
            word = matching(r"\w")
            equal, other = ("(?!", "(?=") if kind == "b" else ("(?=", "(?!")
            self._parts += ["(?:(?<=", word, ")", equal, word, ")|(?<!", word, ")", other, word, "))"]
        elif kind in "AzZ":
            self._at += 1
            self._parts += ["(?=", _NEWLINE, r"?\Z)"] if kind == "Z" else [r"\A" if kind == "A" else r"\Z"]
        else:
            self._parts.append(self._escaped_set())

    def _escaped_set(self) -> CodePoints:
        """Parse what follows a backslash into a set, inside or outside a class."""
        kind = self._take()
        if kind in "dDsSwWhHpP":
            positive = self._named_set(kind.lower())
            return ~positive if kind.isupper() else positive
        if kind in _CONTROLS:
            return CodePoints.of(ord(_CONTROLS[kind]))
        if kind in "xuU":
            return self._folded(CodePoints.of(self._hexadecimal({"x": 2, "u": 4, "U": 8}[kind])))
        if kind.isalnum() or kind in "<>":
            raise self._unsupported(f"\\{kind}")
        return self._folded(CodePoints.of(ord(kind)))

    def _named_set(self, kind: str) -> CodePoints:
        if kind == "s":
            return _WHITE_SPACE
        if kind == "h":
            return _HEX_DIGITS
        if kind == "w":
            return matching(r"\w")
        name = "Nd"
        if kind == "p":
            name = self._take()
            if name == "{":
                end = self._text.find("}", self._at)
                name = self._take(end - self._at)
                self._take()
        members = category(name)
        return self._folded(members if members is not None else matching(rf"\p{{{name}}}"))

    def _hexadecimal(self, digits: int) -> int:
        if self._skip("{"):
            digits = self._text.find("}", self._at) - self._at
            number = int(self._take(digits), 16)
            self._take()
            return number
        return int(self._take(digits), 16)

    def _bracket(self) -> CodePoints:
        """Parse a class after its opening bracket, including the closing one. Operators apply to everything on their
        left."""
        negated = self._skip("^")
        result: CodePoints | None = None
        operator = ""
        items: list[CodePoints] = []
        first = True
        while first or self._peek() != "]":
            if self._peek(2) in ("&&", "--", "~~"):
                result = self._operated(result, operator, items)
                operator, items = self._take(2), []
            else:
                items.append(self._item())
            first = False
        self._take()
        result = self._operated(result, operator, items)
        return ~result if negated else result

    def _operated(self, left: CodePoints | None, operator: str, items: list[CodePoints]) -> CodePoints:
        right = self._folded(CodePoints.union(items))
        if left is None:
            return right
        return left & right if operator == "&&" else left - right if operator == "--" else left ^ right

    def _item(self) -> CodePoints:
        """Parse a nested class, a set, a range or a single character."""
        if self._peek(2) == "[:":
            end = self._text.find(":]", self._at) + 2
            return matching(f"[{self._take(end - self._at)}]")
        if self._skip("["):
            return self._bracket()
        first = self._single()
        if self._peek() != "-" or self._peek(2) in ("-]", "--") or len(first.edges) != 2:
            return first
        self._take()
        last = self._single()
        return CodePoints((first.edges[0], last.edges[1]))

    def _single(self) -> CodePoints:
        """Parse a single character or an escaped set. Case folding is applied later, to the class as a whole."""
        character = self._take()
        if character != "\\":
            return CodePoints.of(ord(character))
        if self._peek() in "pPwWdDsShH":
            return self._escaped_set()
        flags, self._flags = self._flags, dataclasses.replace(self._flags, ignore_case=False)
        try:
            return self._escaped_set()
        finally:
            self._flags = flags
