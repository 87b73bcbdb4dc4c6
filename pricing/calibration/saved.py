"""Samples as JSON text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import date
from typing import Any

from pricing.calibration.content import KINDS
from pricing.calibration.fitting import CalibrationError, Sample

VERSION = 1


def save_samples(samples: Iterable[Sample]) -> str:
    """The text of a file."""
    saved = [asdict(sample) | {"day": sample.day.isoformat()} for sample in samples]
    return json.dumps({"version": VERSION, "samples": saved}, indent=1, ensure_ascii=False) + "\n"


def load_samples(text: str) -> tuple[Sample, ...]:
    """The samples of a file's text. Raises CalibrationError for text of another kind and for damaged samples.

    Samples of kinds of text that a later program tells apart are left out.
    """
    try:
        document = json.loads(text)
    except ValueError as error:
        raise CalibrationError(f"the saved calibration is damaged: {error}") from error
    saved = document.get("samples") if isinstance(document, dict) else None
    if not isinstance(saved, list) or not all(isinstance(one, dict) for one in saved):
        raise CalibrationError("this is no file of saved calibration")
    return tuple(_sample(number, raw) for number, raw in enumerate(saved, 1) if raw.get("kind") in KINDS)


def _sample(number: int, raw: Mapping[str, Any]) -> Sample:
    try:
        counts = {name: raw[name] for name in ("counted", "billed", "framing")}
        texts = {name: raw[name] for name in ("model_id", "tokenizer")}
        day = date.fromisoformat(raw["day"])
    except (KeyError, TypeError, ValueError) as error:
        raise CalibrationError(f"sample {number} of the saved calibration is damaged: {error}") from error
    if not all(isinstance(text, str) and text for text in texts.values()):
        raise CalibrationError(f"sample {number} of the saved calibration names no model or no tokenizer")
    if not all(isinstance(count, int) and not isinstance(count, bool) and count >= 0 for count in counts.values()):
        raise CalibrationError(f"sample {number} of the saved calibration has no numbers of tokens")
    if not counts["counted"] or not counts["billed"]:
        raise CalibrationError(f"sample {number} of the saved calibration is of no tokens")
    return Sample(kind=raw["kind"], day=day, **counts, **texts)
