"""Counts that learn from bills: a provider's usage beside the text that it was for narrows the range of an estimate.

Pure functions. Nothing is kept here but what the caller gives and takes as text.
"""

from __future__ import annotations

from pricing.calibration.bands import band_for, family_of
from pricing.calibration.fitting import CalibrationError, Sample, fitted, make_sample, rule_for
from pricing.calibration.mixture import Kind, TextMix
from pricing.calibration.reconstruction import reconstructed, version_of
from pricing.calibration.saved import changed_samples, samples_of
from pricing.calibration.usage import Usage, UsageError, parse_usage, scenario_of

__all__ = [
    "CalibrationError",
    "Kind",
    "Sample",
    "TextMix",
    "Usage",
    "UsageError",
    "band_for",
    "changed_samples",
    "family_of",
    "fitted",
    "make_sample",
    "parse_usage",
    "reconstructed",
    "rule_for",
    "samples_of",
    "scenario_of",
    "version_of",
]
