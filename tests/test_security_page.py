"""The page on what is not trusted names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / "docs" / "security.md").read_text(encoding="utf-8"))


def test_every_row_names_a_test():
    rows = [line for line in (ROOT / "docs" / "security.md").read_text(encoding="utf-8").splitlines() if "|" in line]
    assert len(rows) > 10
    for row in rows[2:]:
        assert "`tests/" in row.split("|")[4], row


@pytest.mark.parametrize(("path", "name"), NAMED, ids=lambda part: part.rsplit("/", 1)[-1])
def test_a_named_test_exists(path: str, name: str):
    text = (ROOT / path).read_text(encoding="utf-8")
    assert re.search(rf"^def {name or 'test_'}", text, re.MULTILINE), f"{path} has no {name}"


@pytest.mark.parametrize(
    "kind", ["Price files", "Published price tables", "Chat templates", "Bodies of requests", "Images"]
)
def test_each_kind_of_input_that_is_read_has_a_row(kind: str):
    assert f"\n| {kind} |" in (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
