"""Samples as JSON holds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import date
from typing import Any

from pricing.calibration.fitting import CalibrationError, Sample
from pricing.calibration.mixture import KINDS

_SAMPLES = "samples"


def changed_samples(document: dict[str, Any], added: Iterable[Sample], gone: Iterable[Sample]) -> None:
    """Change a JSON object that holds samples, or is empty. What it holds besides stays. CalibrationError as for
    ``samples_of``."""
    if document:
        samples_of(document)
    saved = list(document.get(_SAMPLES, ()))
    for sample in gone:
        if _plain(sample) in saved:
            saved.remove(_plain(sample))
    document[_SAMPLES] = [*saved, *map(_plain, added)]


def samples_of(document: Mapping[str, Any]) -> tuple[Sample, ...]:
    """The samples in a JSON object. Raises CalibrationError for one of another kind and for damaged samples.

    Samples of kinds of text that a later program tells apart are left out.
    """
    saved = document.get(_SAMPLES)
    if not isinstance(saved, list) or not all(isinstance(one, dict) for one in saved):
        raise CalibrationError("this is no file of saved calibration")
    return tuple(_sample(number, raw) for number, raw in enumerate(saved, 1) if raw.get("kind") in KINDS)


def _plain(sample: Sample) -> dict[str, Any]:
    """As JSON holds it."""
    return asdict(sample) | {"day": sample.day.isoformat()}


def _sample(number: int, raw: Mapping[str, Any]) -> Sample:
    try:
        counts = {name: raw[name] for name in ("counted", "billed", "framing")}
        texts = {name: raw[name] for name in ("model_id", "tokenizer")}
        day = date.fromisoformat(raw["day"])
    except KeyError as error:
        raise CalibrationError(f"sample {number} of the saved calibration is damaged: it has no {error}") from error
    except (TypeError, ValueError) as error:  # which may quote a day of any length
        raise CalibrationError(f"sample {number} of the saved calibration is damaged: 'day' is no date") from error
    if not all(isinstance(text, str) and text for text in texts.values()):
        raise CalibrationError(f"sample {number} of the saved calibration names no model or no tokenizer")
    if not all(isinstance(count, int) and not isinstance(count, bool) and count >= 0 for count in counts.values()):
        raise CalibrationError(f"sample {number} of the saved calibration has no numbers of tokens")
    if not counts["counted"] or not counts["billed"]:
        raise CalibrationError(f"sample {number} of the saved calibration is of no tokens")
    return Sample(kind=raw["kind"], day=day, **counts, **texts)
