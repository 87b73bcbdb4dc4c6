"""White space taken out of JSON, weighed against Python's own reader, which is told to keep every literal."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.gui.advisor.searching import after

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
pieces = st.sampled_from(
    [
        *("{", "}", "[", "]", ",", ":", " ", "\n", "\t", "\r\n", '"a"', '" b  "', '"\\""', "1", "-", "1.0", "1e400"),
        *("nul", "null", "{ ", "[ ", '{\n  "k": 1\n}\n', '"', "\\", "```\n", "x"),
    ]
)


def literal(text: str) -> Any:
    """The value with numbers as they are written, and names that occur twice both kept."""

    def refuse(word: str) -> Any:
        raise ValueError(word)

    reader = {"parse_int": lambda digits: ("number", digits), "parse_float": lambda digits: ("number", digits)}
    return json.loads(text, object_pairs_hook=lambda pairs: ("object", pairs), parse_constant=refuse, **reader)


@given(st.lists(values) | st.dictionaries(st.text(), values), st.integers(0, 4) | st.none(), st.booleans())
def test_json_stays_the_same_token_by_token(value: object, indent: int | None, ascii_only: bool):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    smallest = json.dumps(value, separators=(",", ":"), ensure_ascii=ascii_only)
    assert after("json", text) == smallest


@given(st.lists(pieces, max_size=12).map("".join))
def test_only_white_space_between_tokens_goes(text: str):
    result = after("json", text)
    assert "".join(result.split()) == "".join(text.split())
    try:
        value = literal(text)
    except ValueError:
        return
    assert literal(result) == value
