"""What a tokenizer does to a text before it cuts it, between Hugging Face's ``normalizer`` and names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.errors import FormatError
from engine.formats.json_document import member, typed

_STEPS = {
    "NFC": "NFC",
    "NFD": "NFD",
    "NFKC": "NFKC",
    "NFKD": "NFKD",
    "Lowercase": "lowercase",
    "StripAccents": "strip accents",
}
_KINDS = {name: kind for kind, name in _STEPS.items()}


def steps_of(normalizer: object) -> tuple[str, ...]:
    """The names of its steps in order. FormatError for a step of another kind."""
    if normalizer is None:
        return ()
    found = typed(normalizer, dict, "normalizer")
    kind = found.get("type")
    if kind == "Sequence":
        return tuple(step for one in member(found, "normalizers", list, "normalizer") for step in steps_of(one))
    if kind not in _STEPS:
        raise FormatError(f"normalizer: a step of the type {kind!s:.40} is not supported")
    return (_STEPS[kind],)


def normalizer_of(steps: Sequence[str]) -> dict[str, Any] | None:
    """The ``normalizer`` for steps of these names. FormatError for one that it cannot do."""
    if any(step not in _KINDS for step in steps):
        raise FormatError("Hugging Face's files have no place for what this encoding does to words")
    kinds = [{"type": _KINDS[step]} for step in steps]
    if len(kinds) > 1:
        return {"type": "Sequence", "normalizers": kinds}
    return kinds[0] if kinds else None
