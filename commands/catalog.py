"""The prices that a command reckons with."""

from __future__ import annotations

import json
from pathlib import Path

import pricing
from commands.encodings import own_encodings
from commands.program import BadInput, usable
from engine.special_files import check_regular
from gui.core.paths import profile_paths
from pricing import Catalog
from pricing.calibration import Sample, samples_of


def load_catalog(prices: Path | None, profile: Path | None = None) -> Catalog:
    """The built-in prices under the named file, or under the profile's own where there is one. Raises BadInput."""
    if prices is None:
        own = profile_paths(profile).prices_file
        prices = own if own.is_file() else None
    elif not prices.is_file():
        usable(lambda: check_regular(prices), str(prices))
        raise BadInput(f"{prices}: no such file" if not prices.is_dir() else f"{prices}: it is a folder")
    tokenizers = own_encodings(profile)[0] if prices else ()
    return usable(lambda: pricing.load_catalog(prices, tokenizers=tokenizers))


def billed_samples(profile: Path | None) -> tuple[Sample, ...]:
    """What the user was billed for texts, as kept in the profile. Raises BadInput."""
    path = profile_paths(profile).calibration_file
    if not path.is_file():
        return ()
    try:
        return usable(lambda: samples_of(json.loads(path.read_bytes())), str(path))
    except (ValueError, RecursionError, AttributeError) as error:
        raise BadInput(f"{path}: it is damaged: {error}") from error
