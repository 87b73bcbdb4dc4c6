"""Arrays that kernels make for themselves live as long as there are spans of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.kernels import primitives
from engine.kernels._jit import COMPILED, kernel

KERNELS = sorted(Path(primitives.__file__).parent.glob("*.py"))


@kernel
def filled(size):
    array = np.empty(size, np.uint8)
    array[:] = 255
    return array[0]


@kernel
def changed_while_others_come_and_go(size):
    array = np.empty(size, np.uint8)
    whole = primitives.span(array)
    half = primitives.span(array[size // 2 :])
    for place in range(size):
        primitives.store8(whole, place, 7)
    filled(size)
    filled(size // 2)
    changed = 0
    for place in range(size // 2):
        changed += (primitives.load8(whole, place) != 7) | (primitives.load8(half, place) != 7)
    primitives.keep(array)
    return changed


@pytest.mark.parametrize("size", [24, 1_000, 4_096, 100_000 if COMPILED else 4_097, 3_000_000 if COMPILED else 4_098])
def test_an_array_lives_until_it_is_not_kept_any_more(size):
    assert changed_while_others_come_and_go(size) == 0


def blocks(function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    """Every list of statements in a function."""
    for node in ast.walk(function):
        for name in ("body", "orelse"):
            if isinstance(statements := getattr(node, name, None), list):
                yield statements


def made_arrays(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement gives to arrays which numpy makes."""
    if not isinstance(statement, ast.Assign):
        return
    for target in statement.targets:
        is_pair = isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple)
        pairs = zip(target.elts, statement.value.elts, strict=True) if is_pair else [(target, statement.value)]
        yield from (ast.unparse(name) for name, value in pairs if ast.unparse(value).startswith("np."))


def spanned_arrays(function: ast.FunctionDef) -> Iterator[str]:
    """What spans are made of: ``array`` for ``span(array)`` and for ``span(array[1:])``."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "span":
            (argument,) = node.args
            yield ast.unparse(argument.value if isinstance(argument, ast.Subscript) else argument)


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernels_keep_the_arrays_that_they_make(path):
    """The block where an array is made ends with ``keep`` of it, but for a return; and nothing returns before."""
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(function, ast.FunctionDef):
            continue
        spanned = set(spanned_arrays(function))
        assert not [array for array in spanned if array.startswith("np.")], "an array without a name cannot be kept"
        for block in blocks(function):
            for place, statement in enumerate(block):
                for name in set(made_arrays(statement)) & spanned:
                    rest = block[place + 1 :]
                    returns = [node for later in rest for node in ast.walk(later) if isinstance(node, ast.Return)]
                    assert returns in ([], block[-1:]), f"line {statement.lineno}: a return before the end"
                    lines = [ast.unparse(one) for one in (rest[:-1] if returns else rest)]
                    assert f"keep({name})" in lines, f"line {statement.lineno}: {name} is not kept"
                    after = lines[lines.index(f"keep({name})") :]
                    assert all(line.startswith("keep(") for line in after), f"line {statement.lineno}: not to the end"


def test_the_rule_is_broken_where_nothing_is_kept(tmp_path):
    for stem, line in (("merging", "    keep(work)\n"), ("batch", "            keep(ids)\n")):
        (path,) = (path for path in KERNELS if path.stem == stem)
        text = path.read_text(encoding="utf-8")
        assert text.count(line) == 1
        spoilt = tmp_path / path.name
        spoilt.write_text(text.replace(line, ""), encoding="utf-8")
        with pytest.raises(AssertionError, match="not kept"):
            test_kernels_keep_the_arrays_that_they_make(spoilt)
