"""Edits of a price file as text that change one value and nothing else.

Comments, order, spacing and line ends are preserved.

Each edit is a function from text to text. A text with errors is never changed, and an edit that would cause one is
refused: both raise PriceFileError with every problem. To undo, keep the previous text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from pricing.bundled import load_bundled
from pricing.document import Node, Scalar, Sequence, Table, read_document
from pricing.load import VERSION, is_another_form, read_price_text
from pricing.types import EditError, PriceFileError
from pricing.values import join

Value = str | int | bool | Decimal | date | list["Value"] | dict[str, "Value"] | None
"""A value of a field. None is written as ``null``: unknown, or for a model hidden. Text is written plain if YAML reads
it back as the same text, else in quotes. Floats are excluded because they are inexact, like 0.1."""

_PLAIN = re.compile(r"[A-Za-z0-9_./$][^\x00-\x1f:#,\[\]{}\"'&*!|>%@`]*")
_PLAIN_ADDRESS = re.compile(r"https?://[^\s#,\[\]{}\"']+")


def rendered(value: Value) -> str:
    """Return a value as YAML on one line. Raises EditError for other types, such as a float."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{rendered(name)}: {rendered(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(rendered(item) for item in value) + "]"
    if not isinstance(value, str):
        raise EditError(f"{value!r} cannot be written: give text, a Decimal, a date, a list or a table of such")
    cleaned = " ".join(value.split())
    if (_PLAIN.fullmatch(cleaned) or _PLAIN_ADDRESS.fullmatch(cleaned)) and cleaned.lower() not in {"null", "~"}:
        return cleaned
    return "'" + cleaned.replace("'", "''") + "'"


_LINE_END = re.compile(r"\r\n|\r|\n")


def checked(text: str, file_name: str, tokenizers: Collection[str]) -> str:
    """Return ``text`` if it has no errors. Raises PriceFileError."""
    problems = read_price_text(text, file_name, tokenizers, load_bundled().rules).problems
    if problems:
        raise PriceFileError(problems)
    return text


@dataclass(frozen=True, slots=True)
class _Target:
    """Result of following a path to a field: the last existing node, its key and parents, and the missing steps."""

    node: Node
    key: Scalar | None
    parents: tuple[Node, ...]
    missing: tuple[str, ...]


class PriceSource:
    """A price file without errors: its text, its tree, and the texts that result from single edits.

    Raises PriceFileError for a text with errors, EditError for an older version or an empty file.
    """

    def __init__(self, text: str, file_name: str, tokenizers: Collection[str]) -> None:
        self._text = checked(text, file_name, tokenizers)
        self._mark = 1 if text.startswith("\ufeff") else 0
        root = read_document(text.replace("\r\n", "\n"), file_name).root
        if not isinstance(root, Table):
            raise EditError("the file has no content to edit")
        if is_another_form(root):
            raise EditError(f"files of older versions can be read but not edited: change the file to version {VERSION}")
        self._root = root
        self._starts = [0, *(found.end() for found in _LINE_END.finditer(text))]
        ends = _LINE_END.findall(text)
        self._line_end = max(set(ends), key=ends.count) if ends else "\n"
        self._indent = self._usual_indent()

    def having(self, steps: tuple[str, ...], value: Value) -> str:
        """Return the text with ``value`` at a path."""
        target = self._find(steps)
        if not target.missing:
            return self._replaced(target, value)
        return self._enlarged(target, steps, _nested(target.missing, value))

    def having_more(self, steps: tuple[str, ...], entries: dict[str, Value]) -> str:
        """Return the text with several new names in the block at a path, which is created if missing."""
        target = self._find(steps)
        return self._enlarged(target, steps, _nested(target.missing, entries) if target.missing else entries)

    def _enlarged(self, target: _Target, steps: tuple[str, ...], nested: dict[str, Value]) -> str:
        """Return the text with names that do not exist yet."""
        if isinstance(target.node, Sequence):
            raise EditError(f"{'.'.join(steps)}: the list has only {len(target.node.items)} items")
        if isinstance(target.node, Table):
            return self._added(target.node, nested)
        if isinstance(target.node, Scalar) and (target.node.is_null or target.node.is_empty):
            return self._filled(target, nested)
        raise EditError(f"{'.'.join(steps)}: a parent of this field is a single value")

    def at(self, steps: tuple[str, ...]) -> Node | None:
        """Return the node at a path, or None."""
        target = self._find(steps)
        return None if target.missing else target.node

    def without(self, steps: tuple[str, ...]) -> str:
        """Return the text without the field at a path."""
        target = self._find(steps)
        if target.missing:
            return self._text
        chain = [*target.parents, target.node]
        level = len(chain) - 1
        # A block that would become empty is removed as a whole, except the table of models.
        while level > 2 and _size(chain[level - 1]) == 1:
            level -= 1
        parent, child = chain[level - 1], chain[level]
        if isinstance(parent, Table):
            index = next(number for number, (_, node) in enumerate(parent.pairs) if node is child)
            spans = [(self._at(key.line, key.column), self._end(node, key)) for key, node in parent.pairs]
        elif isinstance(parent, Sequence):
            index = next(number for number, node in enumerate(parent.items) if node is child)
            spans = [(self._at(node.line, node.column), self._end(node, None)) for node in parent.items]
        else:
            raise EditError(f"{'.'.join(steps)}: this cannot be removed")
        if parent.flow:
            return self._without_flow_entry(spans, index)
        return self._without_lines(spans[index])

    def _find(self, steps: SequenceOf[str]) -> _Target:
        node: Node = self._root
        key: Scalar | None = None
        parents: list[Node] = []
        for number, step in enumerate(steps):
            found: tuple[Scalar | None, Node] | None = None
            if isinstance(node, Table):
                found = next(((name, child) for name, child in node.pairs if name.text == step), None)
            elif isinstance(node, Sequence) and step.isdecimal() and int(step) < len(node.items):
                found = (None, node.items[int(step)])
            if found is None:
                return _Target(node, key, tuple(parents), tuple(steps[number:]))
            parents.append(node)
            key, node = found
        return _Target(node, key, tuple(parents), ())

    def _replaced(self, target: _Target, value: Value) -> str:
        node, key = target.node, target.key
        in_flow = any(isinstance(parent, (Table, Sequence)) and parent.flow for parent in target.parents)
        begin, end = self._at(node.line, node.column), self._end(node, key)
        if isinstance(node, Scalar) and node.is_empty:
            begin = end
            return f"{self._text[:end]} {rendered(value)}{self._text[end:]}"
        old = self._text[begin:end]
        if isinstance(value, (list, dict)) and value and not in_flow and key is not None:
            begin = self._after_colon(key)
            lines = self._block_lines(value, key.column - 1 + self._indent)
            return self._text[:begin] + self._line_end + self._line_end.join(lines) + self._text[end:]
        if isinstance(node, (Table, Sequence)) and not node.flow and key is not None:
            begin = self._after_colon(key)
            return f"{self._text[:begin]} {rendered(value)}{self._text[end:]}"
        quote = old[:1] if isinstance(node, Scalar) and node.quoted and old[:1] in {"'", '"'} else ""
        new = rendered(value)
        is_single = value is not None and not isinstance(value, (bool, list, dict))
        if quote and is_single and new[:1] != "'" and "\\" not in new:
            new = f"{quote}{new}{quote}"
        return self._text[:begin] + new + self._text[end:]

    def _added(self, table: Table, nested: dict[str, Value]) -> str:
        """Return the text with a pair added to the end of a mapping."""
        if table.flow:
            # After the last value, not before the bracket: a comment may be between the two.
            pair = rendered(nested)[1:-1]
            offset = self._end(table.pairs[-1][1], table.pairs[-1][0]) if table.pairs else self._at(*table.end) - 1
            return f"{self._text[:offset]}{', ' if table.pairs else ''}{pair}{self._text[offset:]}"
        key, node = table.pairs[-1]
        lines = self._block_lines(nested, table.column - 1)
        return self._with_lines(self._end(node, key), lines)

    def _filled(self, target: _Target, nested: dict[str, Value]) -> str:
        """Return the text with a block in place of a missing value or ``null``."""
        node, key = target.node, target.key
        if key is None or not isinstance(node, Scalar):
            raise EditError("fields cannot be added to a list item that is null")
        if any(isinstance(parent, (Table, Sequence)) and parent.flow for parent in target.parents):
            begin, end = self._at(node.line, node.column), self._end(node, key)
            space = " " if node.is_empty else ""
            return self._text[: end if node.is_empty else begin] + space + rendered(nested) + self._text[end:]
        text = self._text
        if not node.is_empty:
            begin, end = self._after_colon(key), self._end(node, key)
            text = text[:begin] + text[end:]
        lines = self._block_lines(nested, key.column - 1 + self._indent)
        return self._with_lines(self._after_colon(key), lines, text)

    def _with_lines(self, behind: int, lines: list[str], text: str | None = None) -> str:
        """Return the text with whole lines inserted below the line at offset ``behind``, in characters."""
        text = self._text if text is None else text
        found = _LINE_END.search(text, behind)
        body = self._line_end.join(lines)
        if found is None:
            return f"{text}{self._line_end}{body}{self._line_end}"
        return f"{text[: found.end()]}{body}{self._line_end}{text[found.end() :]}"

    def _without_lines(self, span: tuple[int, int]) -> str:
        begin = max(start for start in self._starts if start <= span[0])
        if self._text[begin : span[0]].strip().startswith("-"):
            raise EditError("items of a list written with dashes cannot be removed one by one; remove the whole list")
        found = _LINE_END.search(self._text, span[1])
        return self._text[:begin] + (self._text[found.end() :] if found else "")

    def _without_flow_entry(self, spans: list[tuple[int, int]], index: int) -> str:
        if index + 1 < len(spans):
            return self._text[: spans[index][0]] + self._text[spans[index + 1][0] :]
        begin, end = spans[index]
        rest = self._text[end:]
        if index and "#" not in self._text[spans[index - 1][1] : begin]:
            begin = spans[index - 1][1]
        elif rest.lstrip().startswith(","):
            rest = rest.lstrip()[1:]  # Keep the comma before it, because a comment is between them.
        return self._text[:begin] + rest

    def _block_lines(self, value: Value, indent: int) -> list[str]:
        """Return a value as separate lines, indented by ``indent`` columns. Lists of blocks have a line per entry."""
        pad = " " * indent
        if isinstance(value, dict):
            lines = []
            for name, item in value.items():
                has_blocks = isinstance(item, list) and any(isinstance(one, dict) for one in item)
                if has_blocks or (isinstance(item, dict) and item):
                    lines += [f"{pad}{rendered(name)}:", *self._block_lines(item, indent + self._indent)]
                else:
                    lines.append(f"{pad}{rendered(name)}: {rendered(item)}")
            return lines
        if isinstance(value, list):
            return [f"{pad}- {rendered(item)}" for item in value]
        return [f"{pad}{rendered(value)}"]

    def _after_colon(self, key: Scalar) -> int:
        return self._text.index(":", self._at(*key.end)) + 1

    def _end(self, node: Node, key: Scalar | None) -> int:
        """Return the offset after the last character of a value."""
        if isinstance(node, (Table, Sequence)):
            if node.flow:
                return self._at(*node.end)
            if isinstance(node, Table):
                last_key, last = node.pairs[-1]
                return self._end(last, last_key)
            return self._end(node.items[-1], None)
        if isinstance(node, Scalar) and node.end != (0, 0):
            # A multi-line text ends where the next token starts; drop the whitespace between them.
            return len(self._text[: self._at(*node.end)].rstrip())
        return self._after_colon(key) if key is not None else self._at(node.line, node.column)

    def _at(self, line: int, column: int) -> int:
        """Return the offset of a line and column, in characters. A byte order mark has no column."""
        if line > len(self._starts):
            return len(self._text)
        return self._starts[line - 1] + column - 1 + (self._mark if line == 1 else 0)

    def _usual_indent(self) -> int:
        """Return the indentation of models in this file, in columns."""
        models = next((node for key, node in self._root.pairs if key.text == "models"), None)
        return models.column - 1 if isinstance(models, Table) and not models.flow and models.column > 1 else 2


def _nested(steps: tuple[str, ...], value: Value) -> dict[str, Value]:
    """Return the value wrapped in the missing names."""
    for step in reversed(steps):
        if step.isdecimal():
            raise EditError(f"{join('', step)}: a list that does not exist yet must be given as a whole")
        value = {step: value}
    assert isinstance(value, dict)
    return value


def _size(node: Node) -> int:
    if isinstance(node, Table):
        return len(node.pairs)
    return len(node.items) if isinstance(node, Sequence) else 0


def new_file() -> str:
    """Return the text of a price file that changes nothing."""
    return f"version: {VERSION}\n\nmodels:\n"


def set_field(
    text: str,
    model_id: str,
    path: str,
    value: Value,
    *,
    file_name: str = "prices.yaml",
    tokenizers: Collection[str] = (),
) -> str:
    """Return the text with one field of one model set, such as ``price.input``, ``context`` or
    ``price.tiers.0.output``.

    An empty ``path`` sets the model itself; None hides it. Missing parents are created. An empty text becomes a new
    file. ``tokenizers``: as in ``check_text``. Raises PriceFileError or EditError without changing anything.
    """
    steps = ("models", model_id, *(path.split(".") if path else ()))
    return _edited(text or new_file(), steps, value, file_name, tokenizers)


def add_models(
    text: str,
    models: Mapping[str, dict[str, Value]],
    *,
    file_name: str = "prices.yaml",
    tokenizers: Collection[str] = (),
) -> str:
    """Return the text with new models, by id, added in one step: one by one, thousands would take hours.

    Raises like ``set_field``, and EditError for a model that already exists.
    """
    if not models:
        return text
    source = PriceSource(text or new_file(), file_name, tokenizers)
    for model_id in models:
        if source.at(("models", model_id)) is not None:
            raise EditError(f"{model_id}: the file already has this model")
    new = source.having_more(("models",), dict(models))
    after = PriceSource(new, file_name, tokenizers)
    wanted = read_document(f"{rendered(dict(models))}\n", file_name).root
    assert isinstance(wanted, Table)
    for key, block in wanted.pairs:
        found = after.at(("models", key.text))
        if found is None or not _alike(found, block):
            raise EditError(f"{key.text}: this model is written in a way that cannot be edited here")
    return new


def remove_field(
    text: str, model_id: str, path: str = "", *, file_name: str = "prices.yaml", tokenizers: Collection[str] = ()
) -> str:
    """Return the text without one field of one model, so that the built-in value applies again; without a path, without
    the whole model. Removes blocks that become empty. A missing field changes nothing. Raises like ``set_field``.
    """
    steps = ("models", model_id, *(path.split(".") if path else ()))
    source = PriceSource(text, file_name, tokenizers)
    return checked(source.without(steps), file_name, tokenizers)


def _edited(text: str, steps: tuple[str, ...], value: Value, file_name: str, tokenizers: Collection[str]) -> str:
    new = PriceSource(text, file_name, tokenizers).having(steps, value)
    wanted = read_document(f"- {rendered(value)}\n", file_name).root
    found = PriceSource(new, file_name, tokenizers).at(steps)
    if found is None or not isinstance(wanted, Sequence) or not _alike(found, wanted.items[0]):
        raise EditError(f"{'.'.join(steps)}: this field is written in a way that cannot be edited here")
    return new


def _alike(found: Node, wanted: Node) -> bool:
    """Return True if two nodes have the same content, regardless of style."""
    if isinstance(found, Table) and isinstance(wanted, Table):
        named = zip(found.pairs, wanted.pairs, strict=False)
        same = all(key.text == other.text and _alike(value, twin) for (key, value), (other, twin) in named)
        return same and len(found.pairs) == len(wanted.pairs)
    if isinstance(found, Sequence) and isinstance(wanted, Sequence):
        same = all(_alike(item, twin) for item, twin in zip(found.items, wanted.items, strict=False))
        return same and len(found.items) == len(wanted.items)
    if isinstance(found, Scalar) and isinstance(wanted, Scalar):
        return (found.text, found.is_null) == (wanted.text, wanted.is_null)
    return False
