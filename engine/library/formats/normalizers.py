"""What a tokenizer does to a text before it cuts it, between Hugging Face's ``normalizer`` and names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.errors import FormatError
from engine.library.formats.json_document import member, typed
from engine.library.formats.refusals import OtherKindError
from engine.text.space_signs import SIGN, SIGN_IN_FRONT, SPACES_AS_SIGNS, signs_of

_STEPS = {
    "NFC": "NFC",
    "NFD": "NFD",
    "NFKC": "NFKC",
    "NFKD": "NFKD",
    "Lowercase": "lowercase",
    "StripAccents": "strip accents",
}
_SIGN_STEPS: dict[str, dict[str, Any]] = {
    SIGN_IN_FRONT: {"type": "Prepend", "prepend": SIGN},
    SPACES_AS_SIGNS: {"type": "Replace", "pattern": {"String": " "}, "content": SIGN},
}
_WRITTEN = {name: {"type": kind} for kind, name in _STEPS.items()} | _SIGN_STEPS


def steps_of(normalizer: object) -> tuple[str, ...]:
    """The names of its steps in order. OtherKindError for a step of another kind."""
    steps = _steps_of(normalizer)
    if set(_SIGN_STEPS).intersection(signs_of(steps)[0]):
        raise OtherKindError(
            f"normalizer: Prepend and Replace of {SIGN} are only supported behind all else, in this order"
        )
    return steps


def _steps_of(normalizer: object) -> tuple[str, ...]:
    if normalizer is None:
        return ()
    found = typed(normalizer, dict, "normalizer")
    kind = str(found.get("type"))
    if kind == "Sequence":
        return tuple(step for one in member(found, "normalizers", list, "normalizer") for step in _steps_of(one))
    for name, step in _SIGN_STEPS.items():
        if found == step:
            return (name,)
    if kind not in _STEPS:
        raise OtherKindError(f"normalizer: a step of the type {kind:.40} is not supported")
    return (_STEPS[kind],)


def normalizer_of(steps: Sequence[str]) -> dict[str, Any] | None:
    """The ``normalizer`` for steps of these names. FormatError for one that it cannot do."""
    if any(step not in _WRITTEN for step in steps):
        raise FormatError("Hugging Face's files have no place for what this encoding does to words")
    written = [_WRITTEN[step] for step in steps]
    if len(written) > 1:
        return {"type": "Sequence", "normalizers": written}
    return written[0] if written else None


def decoders_of(steps: Sequence[str]) -> list[dict[str, Any]]:
    """The stages of a ``decoder`` that turn signs for spaces back, in a text that is put together already."""
    stages: list[dict[str, Any]] = []
    if SPACES_AS_SIGNS in steps:
        stages.append({"type": "Replace", "pattern": {"String": SIGN}, "content": " "})
    if SIGN_IN_FRONT in steps:
        stages.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return stages
